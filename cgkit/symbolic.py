"""Values that stand for tensors not yet computed: the static graph.

    builder = GraphBuilder()
    x = builder.placeholder((None, 784), name="x")
    y = ops.relu(x @ w)           types are inferred, nothing is computed
    graph = builder.graph([y])    an immutable Graph, to run, draw, differentiate, optimize

A Value is a handle like a Tensor, of higher rank: an operator with a Value among its operands
records. Only the builder changes; a Value of another builder, or one that outlived its trace, is an
error that says so. Plain numbers among operands take the dtype that NumPy's rule for weak numbers
gives them; arrays and Tensors become constants, or captured inputs of a trace.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cgkit import operators as ops
from cgkit import tree
from cgkit.arithmetic import Arithmetic
from cgkit.autodiff import add_gradient, needed, sweep
from cgkit.errors import CaptureError, DtypeError, GradientError, GraphError
from cgkit.graph import Graph, source
from cgkit.node import CONSTANT, INPUT, VARIABLE, Edge, Extras, Node, Operand, Operator
from cgkit.operators.movement import unbroadcast
from cgkit.order import infer, topological_order
from cgkit.types import Dim, Shape, Size, TensorType

_HERE = str(Path(__file__).resolve().parent)


class Value(Arithmetic):
    """A tensor that a graph will compute: a handle to an edge of a graph being built."""

    __slots__ = ("builder", "edge")
    rank = 2

    def __init__(self, edge: Edge, builder: GraphBuilder) -> None:
        self.edge = edge
        self.builder = builder

    def apply(self, operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        """Record an operator on these operands."""
        return self.builder.record(operator, inputs, params)

    @property
    def shape(self) -> Shape:
        """A size for each axis; a Dim where it is open."""
        return self.edge.shape

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
        >>> x = GraphBuilder().placeholder((2,), name="x")
        >>> (x + 1.0).named("y")
        Value(y: float64[2])
        """
        self.node.extra().name = name
        return self

    def __repr__(self) -> str:
        return f"Value({self.node.name or self.node.operator.name}: {self.type})"

    __hash__ = object.__hash__

    def _refuse(self, what: str) -> CaptureError:
        return CaptureError(
            f"a value of a graph has no {what} yet: {self!r}",
            why="the graph is only being built; its values exist when it runs",
            attempt="an operator such as ops.where, or running the graph first",
        )

    def __bool__(self) -> bool:
        raise self._refuse("truth value, so a Python `if` or `while` cannot look at it")

    def __float__(self) -> float:
        raise self._refuse("number")

    def __int__(self) -> int:
        raise self._refuse("number")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise self._refuse("numbers, so NumPy cannot take it")

    def __iter__(self) -> Iterator[Any]:
        size = self.shape[0] if self.shape else None
        if not isinstance(size, int):
            raise self._refuse("fixed number of rows to go over")
        return (self[i] for i in range(size))


class GraphBuilder:
    """Builds a graph: the only thing here that changes.

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

    def __init__(self) -> None:
        self._inputs: list[Node] = []
        self._scopes: list[str] = []
        self._open_sizes = 0
        self._closed = ""
        self._captured: dict[int, tuple[Any, Value]] | None = None

    def placeholder(
        self, shape: Sequence[Size | str | None], dtype: DTypeLike = "float64", *, name: str = ""
    ) -> Value:
        """Declare an input of the graph.

        Parameters
        ----------
        shape
            A size for each axis: an int; None for an open size; a string or a Dim for an open size
            that several placeholders share.
        dtype
            The dtype its values will have.
        name
            A name for pictures and messages.
        """
        known = TensorType((self._size(size) for size in shape), dtype)
        value = self._source(INPUT, known, name)
        self._inputs.append(value.node)
        return value

    def variable(self, value: Any, *, name: str = "") -> Value:
        """Declare a tensor that keeps its value from run to run, with its first value."""
        array = np.array(getattr(value, "data", value))
        return self._source(VARIABLE, TensorType(array.shape, array.dtype), name, array)

    def constant(self, value: Any, dtype: DTypeLike | None = None, *, name: str = "") -> Value:
        """Put a number or an array into the graph; an array is copied."""
        try:
            array = np.array(getattr(value, "data", value), dtype=dtype)
        except (ValueError, TypeError, OverflowError) as error:
            raise DtypeError(f"cannot make a constant of {value!r:.60}: {error}") from None
        if array.dtype.kind not in "fiubc":
            raise DtypeError(f"a constant holds numbers, not {array.dtype}: {value!r:.60}")
        return self._source(CONSTANT, TensorType(array.shape, array.dtype), name, array)

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Put what is built inside under a name; pictures draw it as a cluster."""
        self._scopes.append(name)
        try:
            yield
        finally:
            self._scopes.pop()

    def record(
        self, operator: Operator, inputs: Sequence[Any], params: Mapping[str, Any]
    ) -> Any:
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
        node = Node(operator, edges, params, (), Extras(scope="/".join(self._scopes)))
        node.extra().line = _author_line()
        node.extra().results = infer(node, [edge.type for edge in edges])
        values = tuple(Value(edge, self) for edge in node.edges)
        return values if operator.several else values[0]

    def graph(self, outputs: Sequence[Value], inputs: Sequence[Value] | None = None) -> Graph:
        """Give the graph that computes some values.

        Parameters
        ----------
        outputs
            The values to compute, in order.
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
        for value in (*outputs, *(inputs or ())):
            self._check_own(value)
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
        self._closed = why

    def _size(self, size: Size | str | None) -> Size:
        if isinstance(size, str):
            return Dim(size)
        if size is not None:
            return size
        self._open_sizes += 1
        return Dim("N" if self._open_sizes == 1 else f"N{self._open_sizes}")

    def _source(
        self, operator: Operator, known: TensorType, name: str, value: np.ndarray | None = None
    ) -> Value:
        self._check_open()
        node = source(operator, known, name=name, scope="/".join(self._scopes), value=value)
        return Value(node.edges[0], self)

    def _check_open(self) -> None:
        if self._closed:
            raise CaptureError(f"this graph is closed: {self._closed}")

    def _check_own(self, value: Any) -> None:
        if not isinstance(value, Value):
            raise CaptureError(
                f"expected a value of this graph, got {type(value).__name__}",
                attempt="builder.constant(...) for a fixed number",
            )
        if value.builder is not self:
            raise CaptureError(
                f"{value!r} belongs to another graph",
                why=value.builder._closed,
                attempt="giving it as an input",
            )

    def _edges(self, inputs: Sequence[Any]) -> tuple[Edge, ...]:
        known = [x.dtype for x in inputs if not isinstance(x, bool | int | float)
                 and hasattr(x, "dtype")]  # fmt: skip
        edges = []
        for x in inputs:
            if isinstance(x, Value):
                self._check_own(x)
                edges.append(x.edge)
            elif isinstance(x, Operand):
                edges.append(self._capture(x).edge)
            else:
                weak = isinstance(x, bool | int | float) and not isinstance(x, np.generic)
                dtype = np.result_type(*known, x) if weak and known else None
                edges.append(self.constant(x, dtype).edge)
        return tuple(edges)

    def _capture(self, tensor: Any) -> Value:
        if self._captured is None:
            return self.constant(tensor)
        if id(tensor) not in self._captured:
            known = TensorType(tensor.shape, tensor.dtype)
            self._captured[id(tensor)] = (tensor, self.placeholder(known.shape, known.dtype))
        return self._captured[id(tensor)][1]


def _author_line() -> int | None:
    """Find the line of the first caller outside this package."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_HERE):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return frame.f_lineno


@dataclass(frozen=True, eq=False)
class Trace:
    """What tracing a function gave."""

    graph: Graph
    """Its inputs are the function's arguments, then the captured tensors."""
    captured: tuple[Any, ...]
    """Tensors that the function used without being given them."""
    structure: tree.Structure
    """How the function nested its results."""


def trace(fn: Callable[..., Any], *types: Any) -> Trace:
    """Run a function once on values without numbers, and keep the graph it built.

    Parameters
    ----------
    fn
        A function of tensors that gives tensors, nested in tuples, lists and dicts if it likes.
    types
        A TensorType for each argument, or an array or Tensor that has one.

    Returns
    -------
    Trace
        The graph, the Tensors it captured, and the structure of the results.

    Raises
    ------
    CaptureError
        The function looks at a value, or gives something that is no value.

    Examples
    --------
    >>> traced = trace(lambda x: x * x + 1.0, TensorType((3,), "float32"))
    >>> print(traced.graph)
    graph(x: float32[3])
      p = mul(x, x)      float32[3]
      s = add(p, 1.0)    float32[3]
      return s
    """
    builder = GraphBuilder()
    builder._captured = {}
    called = _parameter_names(fn, len(types))
    arguments = [
        _argument(builder, given, name) for given, name in zip(types, called, strict=True)
    ]
    results, structure = tree.flatten(fn(*arguments))
    outputs = [x if isinstance(x, Value) else _constant_result(builder, x) for x in results]
    captured = tuple(builder._captured.values())
    inputs = arguments + [value for _, value in captured]
    graph = builder.graph(outputs, inputs)
    builder.close("its trace has ended, and this value was kept beyond it")
    return Trace(graph, tuple(tensor for tensor, _ in captured), structure)


def _parameter_names(fn: Callable[..., Any], number: int) -> list[str]:
    """Give the names of a function's first parameters, "" where they are not to be had."""
    try:
        found = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return [""] * number
    named = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (named + [""] * number)[:number]


def _argument(builder: GraphBuilder, given: Any, name: str) -> Value:
    known = given if isinstance(given, TensorType) else None
    if known is None:
        array = given if hasattr(given, "shape") else np.asarray(given)
        known = TensorType(array.shape, array.dtype)
    return builder.placeholder(known.shape, known.dtype, name=name)


def _constant_result(builder: GraphBuilder, x: Any) -> Value:
    if isinstance(x, Operand):
        return builder._capture(x)
    if isinstance(x, bool | int | float | np.ndarray | np.generic):
        return builder.constant(x)
    raise CaptureError(f"a traced function gives tensors, not {type(x).__name__}: {x!r:.60}")


def gradients(y: Value, xs: Sequence[Value], seed: Value | None = None) -> list[Value | None]:
    """Add to a graph the nodes that compute the gradients of a value.

    Parameters
    ----------
    y
        What to differentiate; the sum of its elements if it has several.
    xs
        By what: placeholders, variables or values in between.
    seed
        The gradient of y to begin with; ones by default.

    Returns
    -------
    list of Value or None
        A gradient for each x; None where y does not depend on it or it is not floating.

    Raises
    ------
    GradientError, CaptureError
        y is not floating; a value belongs to another graph.

    Examples
    --------
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((), name="x")
    >>> (slope,) = gradients(x * x, [x])
    >>> print(builder.graph([slope]))
    graph(x: float64[])
      b = broadcast_to(1.0, shape=())    float64[]
      p = mul(b, x)                      float64[]
      p1 = mul(b, x)                     float64[]
      s = add(p, p1)                     float64[]
      return s
    """
    builder = y.builder
    for value in (y, *xs, *(() if seed is None else (seed,))):
        builder._check_own(value)
    if y.dtype.kind != "f":
        raise GradientError(f"only floating values have gradients, this one is {y.dtype}")
    if seed is None:
        one = builder.constant(1.0, y.dtype)
        seed = ops.ALL["broadcast_to"](one, shape=y.shape)
    nodes = topological_order(y.node)
    wanted = {x.node for x in xs if x.dtype.kind == "f"}
    through = needed(nodes, wanted)
    found: dict[Any, Value] = {}

    def deliver(node: Node, gradient: Any) -> Any:
        if node in wanted:
            parts = gradient if isinstance(gradient, dict) else {0: gradient}
            found.update({(node, i): part for i, part in parts.items()})
        return gradient

    def read(node: Node) -> tuple[Any, list[Any]]:
        results = [Value(edge, builder) for edge in node.edges]
        return results[0], [Value(edge, builder) for edge in node.inputs]

    grads: dict[Node, Any] = {}
    if y.node in through:
        add_gradient(grads, y.node, y.edge.index, seed)
    sweep(
        [node for node in nodes if node in through], grads,
        read=read, unbroadcast=unbroadcast, deliver=deliver, through=through, retain=True,
    )  # fmt: skip
    return [found.get(x.edge.key) for x in xs]
