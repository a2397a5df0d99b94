"""Build a graph by applying operators to placeholders, variables and constants.

    placeholder ─┐
    variable ────┴─> record(operator, inputs) ─> Value ─> graph(outputs) ─> an immutable Graph

Plain numbers among operands take the dtype that NumPy's rule for weak numbers gives them; arrays
and Tensors become constants, or captured inputs while a function is traced.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cgkit.errors import CaptureError, CgkitError, DtypeError, GraphError, ShapeError
from cgkit.graph import Graph, source
from cgkit.node import CONSTANT, INPUT, VARIABLE, Edge, Extras, Node, Operand, Operator
from cgkit.order import infer, topological_order
from cgkit.symbolic.value import Value
from cgkit.types import Dim, Size, TensorType, as_dtype, weak_dtype

_HERE = str(Path(__file__).resolve().parent.parent)


class GraphBuilder:
    """Builds a graph: the only thing here that changes.

    Parameters
    ----------
    capturing
        Whether Tensors among operands become inputs of the graph, kept in `captured`; otherwise
        they become constants.
    outer
        The builder around this one, where this one builds a branch or a loop's body: what belongs
        to it, Tensors included, becomes an input here, kept in `captured`.

    Examples
    --------
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((None, 3), "float32", name="x")
    >>> w = builder.variable(np.ones((3, 2), "float32"), name="w")
    >>> with builder.scope("layer"):
    ...     h = x @ w
    >>> print(builder.graph([h]))
    graph(x: float32[N, 3])
      w = variable        float32[3, 2]
      m = matmul(x, w)    float32[N, 2]
      return m
    """

    def __init__(self, *, capturing: bool = False, outer: GraphBuilder | None = None) -> None:
        self._inputs: list[Node] = []
        self._scopes: list[str] = []
        self._symbols: set[str] = set() if outer is None else outer._symbols
        self.closed = ""
        self.capturing = capturing
        self.outer = outer
        self.captured: dict[Any, tuple[Any, Value]] = {}

    def placeholder(
        self,
        shape: Sequence[Size | str | None] | Size | str | None,
        dtype: DTypeLike = "float64",
        *,
        name: str = "",
    ) -> Value:
        """Declare an input of the graph.

        Parameters
        ----------
        shape
            A size for each axis: an int; None for an open size; a string or a Dim for an open size
            that several placeholders share. One size stands for a vector.
        dtype
            The dtype its values will have.
        name
            A name for pictures and messages.

        Raises
        ------
        ShapeError, DtypeError
            A size is negative or no whole number; the dtype is not of numbers.
        """
        listed = shape if isinstance(shape, tuple | list) else (shape,)
        known = TensorType([self._size(size) for size in listed], as_dtype(dtype))
        value = self._source(INPUT, known, name)
        self._inputs.append(value.node)
        return value

    def variable(self, value: Any, *, name: str = "") -> Value:
        """Declare a tensor that keeps its value from run to run, with its first value."""
        array = _as_array(value)
        return self._source(VARIABLE, TensorType(array.shape, array.dtype), name, array)

    def constant(self, value: Any, dtype: DTypeLike | None = None, *, name: str = "") -> Value:
        """Put a number or an array into the graph; an array is copied."""
        array = _as_array(value, dtype)
        return self._source(CONSTANT, TensorType(array.shape, array.dtype), name, array)

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Put what is built inside under a name; pictures draw it as a cluster."""
        self._scopes.append(name)
        try:
            yield
        finally:
            self._scopes.pop()

    def record(self, operator: Operator, inputs: Sequence[Any], params: Mapping[str, Any]) -> Any:
        """Add a node: an operator on Values, numbers and arrays.

        Raises
        ------
        CaptureError
            A Value belongs to another builder, or this one is closed.
        ShapeError, DtypeError
            The operands do not fit; a note says at which node.
        """
        self._check_open()
        edges = self._edges(inputs)
        if operator.tells:
            params = {**params, **{name: self._size(None) for name in operator.tells}}
        node = Node(operator, edges, params, (), Extras(scope="/".join(self._scopes)))
        node.extra().line = _author_line()
        node.extra().results = infer(node, [edge.type for edge in edges])
        values = tuple(Value(edge, self) for edge in node.edges)
        return values if operator.several else values[0]

    def graph(
        self, outputs: Sequence[Value] | Value, inputs: Sequence[Value] | None = None
    ) -> Graph:
        """Give the graph that computes some values.

        Parameters
        ----------
        outputs
            The values to compute, in order; or one.
        inputs
            The placeholders in the order in which arrays will be given; by default those that the
            outputs need, in the order they were declared.

        Raises
        ------
        CaptureError
            A value belongs to another builder.
        GraphError
            A needed placeholder is missing from the inputs.
        """
        outputs = [outputs] if isinstance(outputs, Value) else outputs
        for value in (*outputs, *(inputs or ())):
            self.check_own(value)
        ends = [value.node for value in outputs]
        if inputs is None:
            reached = set(topological_order(*ends))
            sources = [node for node in self._inputs if node in reached]
        else:
            sources = [value.node for value in inputs]
        nodes = topological_order(*sources, *ends)
        for node in nodes:
            if node.operator is INPUT and node not in sources:
                raise GraphError(f"the placeholder {node.name or node} is missing from the inputs")
        edges = tuple(node.edges[0] for node in sources)
        return Graph(edges, tuple(nodes), tuple(value.edge for value in outputs))

    def close(self, why: str) -> None:
        """Refuse everything from now on, with this reason."""
        self.closed = why

    def _size(self, size: Size | str | None) -> Size:
        if size is None:
            names = ("N", *(f"N{i}" for i in range(2, len(self._symbols) + 3)))
            size = next(name for name in names if name not in self._symbols)
        if isinstance(size, str):
            size = Dim(size)
        if isinstance(size, Dim):
            self._symbols |= size.symbols
            return size
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
            raise ShapeError(
                f"{size!r} is no size", attempt="a whole number, a name, or None for an open size"
            )
        return int(size)

    def _source(
        self, operator: Operator, known: TensorType, name: str, value: np.ndarray | None = None
    ) -> Value:
        self._check_open()
        node = source(operator, known, name=name, scope="/".join(self._scopes), value=value)
        return Value(node.edges[0], self)

    def _check_open(self) -> None:
        if self.closed:
            raise CaptureError(f"this graph is closed: {self.closed}")

    def check_own(self, value: Any) -> None:
        """Refuse what is no value of this builder, with a CaptureError."""
        if not isinstance(value, Value):
            raise CaptureError(
                f"expected a value of this graph, got {type(value).__name__}",
                attempt="builder.constant(...) for a fixed number",
            )
        if value.builder is not self:
            error = CaptureError(
                f"{value!r} belongs to another graph",
                why=getattr(value.builder, "closed", ""),
                attempt="giving it as an input",
            )
            error.deeper = value.builder if self._is_around(value.builder) else None
            raise error

    def inside(self, value: Value) -> Value:
        """Give a value as this builder may use it: one of the builder around it as an input."""
        if self.outer is None or value.builder is self:
            self.check_own(value)
            return value
        around = self.outer.inside(value)
        if around.edge.key not in self.captured:
            known = self.placeholder(around.shape, around.dtype, name=around.node.name)
            self.captured[around.edge.key] = (around, known)
        return self.captured[around.edge.key][1]

    def _is_around(self, builder: Any) -> bool:
        """Say whether another builder, still open, builds a part of this one's graph."""
        if not isinstance(builder, GraphBuilder) or builder.closed:
            return False
        around: GraphBuilder | None = builder
        while around is not None and around is not self:
            around = around.outer
        return around is self

    def _edges(self, inputs: Sequence[Any]) -> tuple[Edge, ...]:
        known = [x.dtype for x in inputs if not isinstance(x, bool | int | float)
                 and hasattr(x, "dtype")]  # fmt: skip
        edges = []
        for x in inputs:
            if isinstance(x, Value):
                edges.append(self.inside(x).edge)
            elif isinstance(x, Operand):
                edges.append(self.capture(x).edge)
            else:
                weak = isinstance(x, bool | int | float) and not isinstance(x, np.generic)
                edges.append(self.constant(x, weak_dtype(x, known) if weak else None).edge)
        return tuple(edges)

    def capture(self, tensor: Any) -> Value:
        """Take a Tensor into the graph: a constant, or an input of its own where tracing asked."""
        if self.outer is not None:
            return self.inside(self.outer.capture(tensor))
        if not self.capturing:
            if tensor.requires_grad:
                raise CaptureError(
                    "a tensor that requires grad would become a constant, cut from its gradient",
                    attempt="builder.variable(tensor), or tensor.detach() if that is meant",
                )
            return self.constant(tensor)
        if id(tensor) not in self.captured:
            known = TensorType(tensor.shape, tensor.dtype)
            self.captured[id(tensor)] = (tensor, self.placeholder(known.shape, known.dtype))
        return self.captured[id(tensor)][1]


def _as_array(value: Any, dtype: DTypeLike | None = None) -> np.ndarray:
    """Copy numbers, an array or a Tensor into an array.

    Raises
    ------
    DtypeError
        They are no real numbers, or do not fit the dtype.
    """
    data = value.data if isinstance(value, Operand) and hasattr(value, "data") else value
    try:
        array = np.array(data, dtype=dtype)
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, CgkitError):
            raise
        if "inhomogeneous" in str(error):
            raise ShapeError(
                f"nested lists of unlike lengths make no tensor: {value!r:.60}"
            ) from None
        raise DtypeError(f"cannot put {value!r:.60} into a graph: {error}") from None
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"a graph holds real numbers, not {array.dtype}: {value!r:.60}")
    return array


def _author_line() -> int | None:
    """Find the line of the first caller outside this package."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_HERE):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return frame.f_lineno
