"""A handle to a tensor that a graph will compute.

Value ── edge ──> Node          has a shape and a dtype, but no numbers yet
└── builder                   where operators applied to it are recorded
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from cgkit.errors import CaptureError
from cgkit.graph import expect_name
from cgkit.node import Edge, Node, Operator
from cgkit.operators import ALL
from cgkit.speech import ELSEWHERE
from cgkit.symbolic.writes import Writes, refuse
from cgkit.types import Shape, Size, TensorType
from cgkit.writing import Writable


class Recorder(Protocol):
    """What records operators applied to Values: a GraphBuilder."""

    watch: Any
    """What is told of looks at sizes: it shows shapes; None where nobody cares."""
    writes: Writes | None
    """What values are written to; None where none may be."""

    def record(self, operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        """Add a node for an operator on these operands."""


class Value(Writable):
    """A tensor that a graph will compute: a handle to an edge of a graph being built."""

    __slots__ = ("__weakref__", "builder", "edge", "trainable")
    rank = 2
    instead = MappingProxyType({
        **ELSEWHERE,
        **dict.fromkeys(
            ("data", "item", "numpy", "tolist"),
            "running the graph first: it is only being built, and has no numbers yet",
        ),
        **dict.fromkeys(("backward", "grad"), "gradients(y, xs), which adds them to the graph"),
        "requires_grad_": "grad(y, x): a value of a graph has gradients without being told",
        **dict.fromkeys(
            ("register_hook", "retain_grad"),
            "grad(y, x), whose result the graph may go on with: nothing is collected while it is "
            "being built",
        ),
    })  # fmt: skip

    def __init__(self, edge: Edge, builder: Recorder) -> None:
        self.edge = edge
        self.builder = builder
        self.trainable = False

    def apply(self, operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        """Record an operator on these operands."""
        return self.builder.record(operator, inputs, params)

    def _write(self, act: Any, *others: Any, **params: Any) -> Value:
        """Become the result of an operator, where a function is traced."""
        writes = self.builder.writes
        if writes is None:
            raise refuse(self)
        writes.write(self, act, others, params)
        return self

    def detach(self) -> Value:
        """Give the same numbers, apart from what gradients go through."""
        apart: Value = ALL["stop_gradient"](self)
        if self.builder.writes is not None:
            self.builder.writes.view(self.edge, (apart,))
        return apart

    @property
    def shape(self) -> Shape:
        """A size for each axis; a Dim where it is open."""
        watch = self.builder.watch
        return self.edge.shape if watch is None else watch.show(self.edge.shape)

    @property
    def size(self) -> Size:
        """The number of elements; a Dim where it is open."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self.edge.dtype

    @property
    def type(self) -> TensorType:
        """Shape and dtype as one value."""
        return self.edge.type

    @property
    def node(self) -> Node:
        """The node that makes it."""
        assert self.edge.node is not None
        return self.edge.node

    def named(self, name: str) -> Value:
        """Give the node that makes it a name, for pictures and messages.

        Examples
        --------
        >>> from cgkit import GraphBuilder
        >>> x = GraphBuilder().placeholder((2,), name="x")
        >>> (x + 1.0).named("y")
        Value(y: float64[2])
        """
        self.node.extra().name = expect_name(name)
        return self

    def __repr__(self) -> str:
        return f"Value({self.node.name or self.node.operator.name}: {self.type})"

    __hash__ = object.__hash__

    def _refuse(self, what: str, attempt: str = "running the graph first") -> CaptureError:
        return CaptureError(
            f"{self!r} has no {what} yet",
            why="the graph is only being built; its numbers exist when it runs",
            attempt=attempt,
        )

    def __bool__(self) -> bool:
        raise self._refuse(
            "truth value for a Python `if`, `while`, `and` or `in`",
            "cond for a choice, while_loop for a loop, ops.where to choose element by element",
        )

    def __float__(self) -> float:
        raise self._refuse("number")

    def __int__(self) -> int:
        raise self._refuse("number")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise self._refuse("numbers for NumPy")

    def __iter__(self) -> Iterator[Any]:
        size = self.shape[0] if self.shape else None
        if not isinstance(size, int):
            raise self._refuse("fixed number of rows for a loop")
        return (self[i] for i in range(size))
