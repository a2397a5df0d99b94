"""One node of an ONNX model, as the rule for its operator sees it.

    rule(step, *inputs) ─> one result, or a tuple of them

    step.setting("axis", -1)      an attribute, as plain Python
    step.known(shape, "shape")    an input whose value the rule needs while the graph is built
    step.sizes(shape, "shape")    the same for a shape, which may have open sizes
    step.shape(x)                 the shape of an input, as ONNX's Shape gives it
    raise step.refuse("...")      an error that says operator, opset and node

Inputs are arrays (known while the graph is built), Values or Sizes; one that is left out is None.
Operators of `cgkit.ops` take them all: on arrays alone they compute at once. So one text builds a
graph and evaluates a model, and shape arithmetic folds away by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cgkit.errors import OnnxError, UnknownValue
from cgkit.node import INPUT, VARIABLE, Node
from cgkit.onnx.dtypes import as_numpy
from cgkit.onnx.known import Room
from cgkit.onnx.reading import Refused
from cgkit.onnx.sizes import Sizes
from cgkit.order import topological_order
from cgkit.symbolic import GraphBuilder, Value
from cgkit.types import Dim, Size

Rule = Callable[..., Any]
_MISSING = object()


@dataclass(frozen=True, eq=False)
class Step:
    """One ONNX node.

    Examples
    --------
    >>> step = Step("n1", "Cast", settings={"to": 7})
    >>> step.setting("to"), step.setting("saturate", 1)
    (7, 1)
    """

    name: str
    """Its name in the model; where it has none, that of its first output."""
    operator: str
    """The ONNX operator: "Add"."""
    domain: str = ""
    """The operator set of the operator; "" is ONNX's own."""
    opset: int = 0
    """The version of the operator set that the model asks for."""
    wanted: tuple[bool, ...] = (True,)
    """For each output that the node lists, whether it has a name: one without need not be made."""
    settings: Mapping[str, Any] = None  # type: ignore[assignment]
    """Its attributes as plain Python: numbers, str, tuples of these, arrays for tensors."""
    reads: tuple[str, ...] = ()
    """The names of its inputs in the model; "" for one that is left out."""
    operands: tuple[Any, ...] = ()
    """What the rule is given for these."""
    builder: GraphBuilder | None = None
    """Where a graph is built; None when the model is evaluated on arrays."""
    room: Room | None = None
    """What may still be computed on arrays."""

    def setting(self, name: str, default: Any = _MISSING) -> Any:
        """Give an attribute of the node as plain Python; without a default it must be there."""
        found = (self.settings or {}).get(name, default)
        if found is _MISSING:
            raise self.refuse(f"needs the attribute {name!r}")
        if isinstance(found, Refused):
            raise self.refuse(f"its attribute {name!r} is not read: {found.why}")
        return found

    def known(self, x: Any, what: str) -> np.ndarray:
        """Give the value of an input that the rule must know while the graph is built.

        A parameter of the model is known: its value becomes part of the graph, fixed.

        Raises
        ------
        UnknownValue
            The model computes it, or it is an input; `inputs` names what it depends on.
        """
        if isinstance(x, Value):
            if x.node.operator is VARIABLE and x.node.value is not None:
                return x.node.value
            raise self.unknown(x, what)
        if isinstance(x, Sizes):
            raise self.unknown(x, what)
        return np.asarray(x)

    def sizes(self, x: Any, what: str) -> tuple[Size, ...]:
        """Give a shape that an input holds; a single number is a shape of one size."""
        if isinstance(x, Sizes):
            return x.listed()
        array = self.known(x, what)
        if array.dtype.kind not in "iu":
            raise self.refuse(f"needs whole numbers as {what}, got {array.dtype}")
        return tuple(int(size) for size in array.reshape(-1))

    def shape(self, x: Any) -> Any:
        """Give the shape of an input as ONNX's Shape does: an array of int64, or open Sizes."""
        return Sizes.of(x.shape, self.builder)

    def value(self, x: Any) -> Any:
        """Give an array as a Value of the graph, where a rule needs one; in an evaluation itself.

        A constant stretched to an open size is such a place: `ops.broadcast_to` of a plain array
        cannot wait for the size, that of a Value can.
        """
        if self.builder is None or isinstance(x, Value):
            return x
        return x.value() if isinstance(x, Sizes) else self.builder.constant(x)

    def dtype(self, number: int) -> np.dtype:
        """Give the dtype of an ONNX element type, as Cast has it in its attribute "to"."""
        try:
            return as_numpy(number)
        except OnnxError as error:
            raise self.refuse(error.what, attempt=error.attempt) from None

    def allow(self, shape: Iterable[Size], dtype: DTypeLike) -> None:
        """Refuse to make an array that is too large: for rules that do not leave that to operators.

        Raises
        ------
        OnnxError
            It would take more than the limits allow.
        """
        if self.room is not None:
            self.room.allow(f"what {self} makes", shape, np.dtype(dtype))

    def open_sizes(self, why: str) -> UnknownValue | None:
        """Make the error for open sizes of the inputs that must be known; None where none is open.

        Parameters
        ----------
        why
            What cannot be had otherwise: "it can be unrolled only where".
        """
        shapes = tuple(tuple(x.shape) for x in self.operands if x is not None)
        symbols = sorted(set(_symbols(shapes)))
        return UnknownValue(f"{self}: {why} sizes are known", (), symbols) if symbols else None

    def refuse(self, why: str, attempt: str = "") -> OnnxError:
        """Make the error that says this node cannot be had; to be raised."""
        return OnnxError(f"{self}: {why}", attempt=attempt)

    def unknown(self, x: Any, what: str) -> UnknownValue:
        """Make the error for a value that must be known and is not; to be raised."""
        value = x.value() if isinstance(x, Sizes) else x
        nodes = _needed(value)
        names = [n for n, given in zip(self.reads, self.operands, strict=False) if given is x]
        where = f", its input {names[0]!r}" if names else ""
        return UnknownValue(
            f"{self}: the graph cannot be built without the value of {what}{where}",
            [node.name for node in nodes if node.operator is INPUT],
            sorted({symbol for node in nodes for symbol in _symbols(tuple(node.params.values()))}),
        )

    def __str__(self) -> str:
        family = f"{self.domain}." if self.domain else ""
        return f"{family}{self.operator} (opset {self.opset}) at node {self.name!r}"


def _needed(value: Value) -> list[Node]:
    """Give all nodes that a value needs, those around a branch or a body included."""
    nodes = topological_order(value.node)
    inputs = {node for node in nodes if node.operator is INPUT}
    captured = value.builder.captured if isinstance(value.builder, GraphBuilder) else {}
    found: dict[Node, None] = {}
    for around, inside in captured.values():
        if inside.node in inputs and isinstance(around, Value):
            inputs.discard(inside.node)
            found.update(dict.fromkeys(_needed(around)))
    return [*found, *(node for node in nodes if node.operator is not INPUT or node in inputs)]


def _symbols(params: tuple[Any, ...]) -> Iterator[str]:
    """Give the open sizes among the params of a node."""
    for param in params:
        if isinstance(param, Dim):
            yield from param.symbols
        elif isinstance(param, tuple):
            yield from _symbols(param)
