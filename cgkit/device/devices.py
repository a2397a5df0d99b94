"""The devices there are: one value each.

    cpu     plain NumPy arrays; operators compute here
    npu     simulated: a memory of its own, which Python can reach only by counted copies
    cuda    an NVIDIA GPU; where there is none, an error says what is missing

    npu.traffic     Traffic(copies_in=2, bytes_in=48, copies_out=1, bytes_out=24)

A further device is a further value in `DEVICES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit.device.array import DeviceArray, Space, Traffic
from cgkit.errors import DeviceError, EnvironmentFault


class Device:
    """A place where arrays lie.

    It equals its name, so that `x.device == "npu"` means what it says.

    Parameters
    ----------
    name
        What it is called.
    space
        Its own memory; None where plain arrays lie.

    Examples
    --------
    >>> mine = Device("mine", Space("mine"))
    >>> a = mine.put(np.ones(3))
    >>> mine.take(a), mine.traffic.bytes_out
    (array([1., 1., 1.]), 24)
    """

    __slots__ = ("name", "space")

    def __init__(self, name: str, space: Space | None = None) -> None:
        self.name = name
        self.space = space

    def put(self, array: np.ndarray) -> Any:
        """Give an array of the cpu's as this device holds it: a counted copy, but on the cpu."""
        return array if self.space is None else self.space.put(array)

    def take(self, array: Any) -> np.ndarray:
        """Give what this device holds as an array of the cpu's: a counted copy, but on the cpu."""
        taken: np.ndarray = array if self.space is None else self.space.take(array)
        return taken

    @property
    def traffic(self) -> Traffic:
        """What was copied between the cpu and this device so far."""
        return Traffic() if self.space is None else self.space.traffic

    @property
    def held(self) -> int:
        """How many bytes of its own memory are in use."""
        return 0 if self.space is None else self.space.held

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, str) and other == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


def _gpu() -> Any:
    """Give numba's view of the GPU."""
    driver: Any = None
    try:
        driver = import_module("numba.cuda")
        there = driver.is_available()
    except Exception as error:  # a broken driver fails in ways of its own
        there, why = False, f"{type(error).__name__}: {error}"
    else:
        why = "numba finds no NVIDIA GPU, or no driver for one"
    if not there:
        raise EnvironmentFault(
            "cuda cannot be used on this machine",
            why=why,
            attempt='a machine with an NVIDIA GPU and its driver, or x.to("npu"), which is always '
            "there",
        )
    return driver


def _upload(array: np.ndarray) -> Any:
    return _gpu().to_device(np.ascontiguousarray(array).reshape(array.shape))


def _download(block: Any) -> np.ndarray:
    array: np.ndarray = block.copy_to_host()
    return array


cpu = Device("cpu")
npu = Device("npu", Space("npu"))
cuda = Device("cuda", Space("cuda", _upload, _download))
DEVICES: Mapping[str, Device] = MappingProxyType({d.name: d for d in (cpu, npu, cuda)})
"""Every device by its name."""


def find(name: str | Device) -> Device:
    """Give the device of a name.

    Raises
    ------
    DeviceError
        There is none.

    Examples
    --------
    >>> find("npu"), find(npu)
    (npu, npu)
    """
    known = DEVICES.get(name) if isinstance(name, str) else name
    if not isinstance(known, Device) or DEVICES.get(known.name) is not known:
        names = ", ".join(map(repr, DEVICES))
        raise DeviceError(f"there is no device {name!r:.60}", attempt=f"one of {names}")
    return known


def device_of(data: Any) -> Device:
    """Give the device on which an array lies.

    Examples
    --------
    >>> device_of(np.ones(2)), device_of(npu.put(np.ones(2)))
    (cpu, npu)
    """
    return DEVICES[data.space.name] if isinstance(data, DeviceArray) else cpu
