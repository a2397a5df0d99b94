"""Memory apart from the cpu's: arrays that can be copied in and out, and nothing else.

    space = Space("npu")
    a = space.put(array)         copied in:  copies_in 1, bytes_in array.nbytes
    space.take(a)                copied out: an array of the cpu's again

A DeviceArray holds an address, never the numbers; only its space can turn one into the other. It
never changes, so gradients and tensors may share one. When the last is let go its memory is free.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from cgkit.errors import DeviceError
from cgkit.types import TensorType


@dataclass(frozen=True)
class Traffic:
    """What was copied to and from a space since it was made.

    Two readings may be subtracted: what came in between.
    """

    copies_in: int = 0
    """Copies from the cpu into the space."""
    bytes_in: int = 0
    """Bytes they held."""
    copies_out: int = 0
    """Copies from the space to the cpu."""
    bytes_out: int = 0
    """Bytes they held."""

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(
            self.copies_in + other.copies_in,
            self.bytes_in + other.bytes_in,
            self.copies_out + other.copies_out,
            self.bytes_out + other.bytes_out,
        )

    def __sub__(self, other: Traffic) -> Traffic:
        return Traffic(
            self.copies_in - other.copies_in,
            self.bytes_in - other.bytes_in,
            self.copies_out - other.copies_out,
            self.bytes_out - other.bytes_out,
        )


class DeviceArray(NDArrayOperatorsMixin):
    """An array that lies in a space of its own: it has a type, but no numbers to look at.

    Parameters
    ----------
    space
        The memory it lies in.
    address
        Where, as the space counts.
    shape, dtype
        What lies there.
    """

    __slots__ = ("__weakref__", "address", "dtype", "shape", "space")
    __hash__ = object.__hash__

    def __init__(self, space: Space, address: int, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.space = space
        self.address = address
        self.shape = shape
        self.dtype = dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"<{TensorType(self.shape, self.dtype)} on {self.space.name}>"

    def __del__(self) -> None:
        self.space.free(self.address)

    # Python's operators and NumPy's functions all end in one of these three, which refuse.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        refuse(ufunc.__name__, inputs)

    def __array_function__(self, function: Any, types: Any, inputs: Any, settings: Any) -> Any:
        refuse(function.__name__, [*inputs, *settings.values()])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise DeviceError(
            f"{self!r} cannot be read on the cpu: its memory is reached only by a copy",
            attempt='x.to("cpu"), which is counted',
        )

    def __reduce__(self) -> NoReturn:
        raise DeviceError(
            f"{self!r} cannot be pickled or copied: it is an address in the memory of a device",
            attempt='x.to("cpu") before',
        )


def refuse(what: str, operands: Iterable[Any]) -> NoReturn:
    """Raise the error of arithmetic outside the cpu: where each operand lies, what to try."""
    listed = list(operands)
    places = [place_of(x) for x in listed]
    lines = [
        f"operand {i}, {_shown(x)}, lies on {place}"
        for i, (x, place) in enumerate(zip(listed, places, strict=True))
        if place
    ]
    apart = len({place for place in places if place}) > 1
    raise DeviceError(
        f"{what} cannot compute: its operands lie on different devices"
        if apart
        else f"{what} cannot compute outside the cpu",
        why="\n  ".join(lines),
        attempt='x.to("cpu") for what lies elsewhere',
    )


def place_of(x: Any) -> str:
    """Name the device on which an operand lies; "" for a plain number, which lies anywhere.

    Examples
    --------
    >>> place_of(np.ones(2)), place_of(Space("npu").put(np.ones(2))), place_of(1.0)
    ('cpu', 'npu', '')
    """
    if isinstance(x, DeviceArray):
        return x.space.name
    return "cpu" if isinstance(x, np.ndarray) else ""


def _shown(x: Any) -> str:
    return str(TensorType(x.shape, x.dtype))


class Space:
    """A memory of its own, which counts what is copied in and out.

    Parameters
    ----------
    name
        The name of the device it belongs to.
    upload, download
        How a block is made of an array, and an array of a block; a copy by default.

    Examples
    --------
    >>> space = Space("npu")
    >>> a = space.put(np.ones((2, 3)))
    >>> a
    <float64[2, 3] on npu>
    >>> space.take(a).sum()
    np.float64(6.0)
    >>> space.traffic, space.held
    (Traffic(copies_in=1, bytes_in=48, copies_out=1, bytes_out=48), 48)
    """

    def __init__(
        self,
        name: str,
        upload: Callable[[np.ndarray], Any] = np.array,
        download: Callable[[Any], np.ndarray] = np.array,
    ) -> None:
        self.name = name
        self.traffic = Traffic()
        self._upload = upload
        self._download = download
        self._blocks: dict[int, tuple[Any, int]] = {}
        self._addresses = itertools.count()
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """How many bytes are in use."""
        return sum(size for _, size in list(self._blocks.values()))

    def put(self, array: np.ndarray) -> DeviceArray:
        """Copy an array of the cpu's into this memory."""
        block = self._upload(array)
        address = next(self._addresses)
        self._blocks[address] = block, array.nbytes
        self._count(Traffic(copies_in=1, bytes_in=array.nbytes))
        return DeviceArray(self, address, array.shape, array.dtype)

    def take(self, array: DeviceArray) -> np.ndarray:
        """Copy an array of this memory to the cpu.

        Raises
        ------
        DeviceError
            It lies elsewhere.
        """
        if not isinstance(array, DeviceArray) or array.space is not self:
            shown = repr(array) if isinstance(array, DeviceArray) else type(array).__name__
            raise DeviceError(f"{self.name} cannot read {shown}: it does not lie there")
        found = self._download(self._blocks[array.address][0])
        self._count(Traffic(copies_out=1, bytes_out=array.nbytes))
        return found

    def free(self, address: int) -> None:
        """Let go of a block; its DeviceArray does this when it is let go itself."""
        self._blocks.pop(address, None)  # no lock: this may come in the middle of any other line

    def _count(self, copied: Traffic) -> None:
        with self._lock:
            self.traffic += copied

    def __repr__(self) -> str:
        return f"<memory of {self.name}: {self.held} bytes held>"
