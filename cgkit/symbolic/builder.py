"""Build a graph by applying operators to placeholders, variables and constants.

    placeholder ─┐
    variable ────┴─> record(operator, inputs) ─> Value ─> graph(outputs) ─> an immutable Graph

Plain numbers among operands take the dtype that NumPy's rule for weak numbers gives them; arrays
and Tensors become constants, or captured inputs while a function is traced.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cgkit.errors import CaptureError, GraphError
from cgkit.graph import Graph
from cgkit.interpret import put, symbols_in
from cgkit.node import INPUT, VARIABLE, Edge, Extras, Node, Operand, Operator
from cgkit.operators import ALL
from cgkit.order import infer, topological_order
from cgkit.symbolic.sources import Sources
from cgkit.symbolic.value import Value
from cgkit.symbolic.wiring import AFTER, ASSIGN, SIZED, Effect, written
from cgkit.symbolic.writes import apart
from cgkit.types import OPEN, TensorType, weak_dtype

RANDOM_KEY = "random key"
"""What a Session's state calls the place of its random numbers; pictures call their key so."""
_HERE = str(Path(__file__).resolve().parent.parent)


class GraphBuilder(Sources):
    """Builds a graph: the only thing here that changes.

    Parameters
    ----------
    capturing
        Whether Tensors among operands become inputs of the graph, kept in `captured`; otherwise
        they become constants.
    outer
        The builder around this one, where this one builds a part: a branch, or a loop's body. What
        belongs to it, Tensors included, becomes an input here, kept in `captured`.
    reserved
        Names that no open size shall be given, because they have a meaning elsewhere.

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

    def __init__(
        self,
        *,
        capturing: bool = False,
        outer: GraphBuilder | None = None,
        reserved: Iterable[str] = (),
    ) -> None:
        super().__init__(outer)
        self._symbols |= {*reserved}
        self.capturing = capturing
        self.outer = outer
        self.watch = None if outer is None else outer.watch
        self._part: GraphBuilder | None = None
        self.recorded: Callable[[], bool] | None = None if outer is None else outer.recorded
        """Says whether gradients go through what is applied now; None where they always do."""
        self.captured: dict[Any, tuple[Any, Value]] = {}
        self._tokens: tuple[Edge, ...] = ()
        self.random_key: Value | None = None
        """The variable that all keys come from; None where no key was asked for."""
        self._keys = 0

    def assign(self, variable: Value, new: Any) -> Value:
        """Give a variable its next value: what is fetched is the new value.

        It is written when a run that needs this node has succeeded. A read sees the value from
        before the run, unless it depends on the assign.

        Parameters
        ----------
        variable
            One of this graph's.
        new
            A value, array or number of its shape and dtype.

        Raises
        ------
        GraphError
            It is no variable.
        ShapeError, DtypeError
            The new value does not fit.

        Examples
        --------
        >>> from cgkit import Session
        >>> builder = GraphBuilder()
        >>> count = builder.variable(0, name="count")
        >>> step = builder.assign(count, count + 1)
        >>> session = Session(builder)
        >>> session.run(step).item(), session.run(step).item()
        (1, 2)
        """
        given: Any = variable
        if not isinstance(given, Value):
            self.check_own(given)
        made: Value = self.record(ASSIGN, (variable, new), {})
        written(made.node)
        return made

    @contextmanager
    def control_dependencies(
        self, values: Sequence[Value | Effect] | Value | Effect
    ) -> Iterator[None]:
        """Have everything that is built inside computed after some values.

        A variable that is read inside, after an assign to it, is read with its new value.

        Parameters
        ----------
        values
            Values or effects of this graph; or one.

        Raises
        ------
        CaptureError
            A value is of another graph.
        GraphError
            A branch or a body is being built.
        """
        if self.outer is not None or self._part is not None:
            raise GraphError(
                "a branch or a body knows no order but that of what reads what",
                attempt="control_dependencies around the cond or the loop",
            )
        before = self._tokens
        for value in [values] if isinstance(values, Value | Effect) else values:
            for part in value.values if isinstance(value, Effect) else (value,):
                self.check_own(part)
                self._tokens += (part.edge,)
        try:
            yield
        finally:
            self._tokens = before

    def key(self) -> Value:
        """Give a key for random operators: another one at each place, and anew in each run.

        In a body of a loop every step has the same key; `ops.fold_in(key, i)` tells them apart.
        """
        if self.outer is not None:
            return self.outer.key()
        if self.random_key is None:
            self.random_key = self._source(VARIABLE, TensorType((), "uint64"), RANDOM_KEY)
        self._keys += 1
        folded: Value = self.record(ALL["fold_in"], (self.random_key, self._keys), {})
        return folded

    @property
    def innermost(self) -> GraphBuilder:
        """The builder of the branch or body that is being built now; this one if there is none."""
        builder = self
        while builder._part is not None:
            builder = builder._part
        return builder

    @property
    def root(self) -> GraphBuilder:
        """The builder around all others around this one."""
        builder = self
        while builder.outer is not None:
            builder = builder.outer
        return builder

    @contextmanager
    def building(self, part: GraphBuilder) -> Iterator[None]:
        """Let what is applied meanwhile stand in a part, also where only values around it are read.

        So a branch computes nothing before it is taken, and a body what it needs in each step.

        Parameters
        ----------
        part
            A builder whose `outer` is this one.
        """
        before, self._part = self._part, part
        writes, self.writes = self.writes, None  # what is around a part is not written to in it
        try:
            yield
        finally:
            self._part, self.writes = before, writes

    def record(self, operator: Operator, inputs: Sequence[Any], params: Mapping[str, Any]) -> Any:
        """Add a node: an operator on Values, numbers and arrays.

        Raises
        ------
        CaptureError
            A Value belongs to another builder, or this one is closed.
        ShapeError, DtypeError
            The operands do not fit; a note says at which node.
        """
        if self._part is not None:
            return self.innermost.record(operator, inputs, params)
        self._check_open()
        edges = self._edges(inputs)
        if self._tokens and edges:
            edges = self._after_tokens(edges)
        if self.watch is not None:
            params = {name: self.watch.plain(value) for name, value in params.items()}
        told: dict[str, Any] = {}
        if operator.tells:
            told = self._told(operator, params)
            params = {**params, **told}
        edges = self._after_tellers(edges, params)
        node = Node(operator, edges, params, (), Extras(scope=self._path()))
        node.extra().line = _author_line()
        node.extra().results = infer(node, [edge.type for edge in edges])
        values = tuple(Value(edge, self) for edge in node.edges)
        self._tellers.update((symbol, values[0]) for size in told.values()
                             for symbol in symbols_in(size))  # fmt: skip
        if self.writes is not None and operator in self.writes:
            self.writes.view(edges[0], values)
        if self.recorded is not None and not self.recorded():
            values = apart(edges, operator, values)
        return values if operator.several else values[0]

    def _told(self, operator: Operator, params: Mapping[str, Any]) -> dict[str, Any]:
        """Give the sizes that only the run of a node tells names that nothing else has."""
        found = {}
        for name, usual in _told_by(operator).items():
            size = params.get(name, usual)
            size = size if isinstance(size, tuple) else OPEN
            fresh = {symbol: self._size(None) for symbol in dict.fromkeys(symbols_in(size))}
            if fresh:
                found[name] = put(size, fresh)
        return found

    def _after_tellers(
        self, edges: tuple[Edge, ...], params: Mapping[str, Any]
    ) -> tuple[Edge, ...]:
        """Wire operands so that each size among the params is told before it is needed.

        A tensor that has a size on an axis is there only when that is told. Where no operand has
        it, the first one is made to wait for the node that tells it.
        """
        if not (self._tellers and edges):
            return edges
        wanted = {name for x in params.values() for name in symbols_in(x, inside=False)}
        wanted -= {symbol for edge in edges for symbol in symbols_in(edge.shape)}
        there = {edge.key for edge in edges}
        if edges[0].node is not None and edges[0].node.operator is SIZED:  # it waits already
            there |= {edge.key for edge in edges[0].node.inputs}
        tellers = [self._tellers[name] for name in sorted(wanted & self._tellers.keys())]
        tellers = [value for value in tellers if value.edge.key not in there]
        if not tellers:
            return edges
        first: Value = self.record(SIZED, [Value(edges[0], self), *tellers], {})
        return (first.edge, *edges[1:])

    def _after_tokens(self, edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
        """Wire operands so that what reads them waits for the tokens."""
        new = {
            written(token.node): token
            for token in self._tokens
            if token.node is not None and token.node.operator is ASSIGN
        }
        read = [new.get(edge.node, edge) if edge.node is not None else edge for edge in edges]
        tokens, self._tokens = self._tokens, ()
        try:
            first: Value = self.record(AFTER, [Value(e, self) for e in (read[0], *tokens)], {})
        finally:
            self._tokens = tokens
        return (first.edge, *read[1:])

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

    def check_own(self, value: Any) -> None:
        """Refuse what is no value of this builder, with a CaptureError."""
        if not isinstance(value, Value):
            raise CaptureError(
                f"expected a value of this graph, got {type(value).__name__}: {value!r:.40}",
                attempt="the value that building it gave, such as x = builder.placeholder(...)",
            )
        if value.builder is not self:
            error = CaptureError(
                f"{value!r} belongs to another graph",
                why=getattr(value.builder, "closed", ""),
                attempt="giving it as an input",
            )
            error.builders = (self, value.builder)
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


@cache
def _told_by(operator: Operator) -> dict[str, Any]:
    """Give the params of an operator that only its run tells, with what they are if not given."""
    known = inspect.signature(operator.infer).parameters
    return {name: known[name].default for name in operator.tells}


def _author_line() -> int | None:
    """Find the line of the first caller outside this package."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_HERE):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return frame.f_lineno
