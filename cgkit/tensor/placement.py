"""Tensors on devices: a move is an operator, so gradients take the same way back.

    x ─ to(cpu -> npu) ─> y          y.data is a DeviceArray: no operator computes on it
    gradient of x <─ to(npu -> cpu) ─ gradient of y

Operators of Tensors compute on the cpu, because the arrays of other devices have no arithmetic.
What they would do is raised as an error that says where each operand lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from cgkit.device import DEVICES, Device, DeviceArray, device_of, find
from cgkit.errors import DeviceError, OperandError
from cgkit.node import Kind, Operator
from cgkit.types import TensorType


def _carry(a: Any, source: str, target: str) -> Any:
    return DEVICES[target].put(np.asarray(DEVICES[source].take(a)))


TO: Operator = Operator(
    "to", _carry, lambda a, source, target: a, operands=1, kind=Kind.OPAQUE, family="shape",
    flops=lambda result, a, source, target: 0,
    doc="a in the memory of another device; its gradient is brought back",
    gradient=(lambda g, y, a, source, target: TO(g, source=target, target=source),),
)  # fmt: skip


def move(x: Any, device: str | Device) -> Any:
    """Give a tensor in the memory of a device; itself if it lies there."""
    source = x.device
    if isinstance(device, str) and device not in DEVICES and _is_dtype(device):
        raise OperandError(
            f"to({device!r}) names a dtype, not a device",
            attempt=f"ops.cast(x, dtype={device!r})",
        )
    target = find(device)
    return x if source is target else TO(x, source=source.name, target=target.name)


def _is_dtype(name: str) -> bool:
    try:
        np.dtype(name)
    except TypeError:
        return False
    return True


def beside(array: np.ndarray, data: Any) -> Any:
    """Put an array of the cpu's where other data lie."""
    return device_of(data).put(array)


def plus(a: Any, b: Any) -> Any:
    """Add two gradients where they lie; what lies on another device goes over the cpu."""
    if a.__class__ is np.ndarray:
        return a + b
    if isinstance(a, DeviceArray):
        device = device_of(a)
        return device.put(device.take(a) + device.take(b))
    if isinstance(_data(a), DeviceArray):
        return move(move(a, "cpu") + move(b, "cpu"), device_of(_data(a)))
    return a + b


def _data(x: Any) -> Any:
    """Give what a tensor holds; anything else is itself."""
    return x.data if hasattr(x, "edge") else x


def refuse_devices(operator: Operator, inputs: Sequence[Any]) -> None:
    """Raise the error of operands that do not lie on the cpu, if there are any."""
    data = [_data(x) for x in inputs]
    if not any(isinstance(x, DeviceArray) for x in data):
        return
    places = {device_of(x).name for x in data if hasattr(x, "dtype")}
    name = operator.name
    raise DeviceError(
        f"{name} cannot compute: its operands lie on different devices"
        if len(places) > 1
        else f"{name} cannot compute on {places.pop()}: operators on Tensors run on the cpu",
        why="\n  ".join(_line(i, x, d) for i, (x, d) in enumerate(zip(inputs, data, strict=True))),
        attempt='x.to("cpu") for what lies elsewhere',
    )


def _line(number: int, x: Any, data: Any) -> str:
    if not hasattr(data, "dtype"):
        return f"operand {number} is {data!r:.40}"
    edge = getattr(x, "edge", None)
    name = edge.node.name if edge is not None and edge.node is not None else ""
    shown = f"{name} = " * bool(name) + str(TensorType(data.shape, data.dtype))
    return f"operand {number}, {shown}, lies on {device_of(data)}"


def unreadable(data: DeviceArray, wanted: str) -> NoReturn:
    """Raise the error of a wish to see numbers that lie on another device."""
    raise DeviceError(
        f"{wanted} needs the numbers, but this tensor, "
        f"{TensorType(data.shape, data.dtype)}, lies on {data.space.name}",
        attempt=f'x.to("cpu").{wanted}, a counted copy',
    )
