"""What a rule writes: the nodes that say one node of ours, as it sees them.

    rule(draft, *operands, **params) ─> one Term, or a tuple of them

    draft.add("Max", a, 0.0)       a node; a number stands for a constant of a's dtype
    draft.directly(a, b)           the ONNX operator that is the same, in a dtype that it takes
    draft.express(formula, a)      simpler operators of ours, written in turn
    draft.sizes(shape)             a shape as a vector, open sizes computed by the model
    raise draft.refuse("...")      an error that says operator and node

Operands are Terms with known types. What a rule gives is cast to the dtype of our result, and its
last node takes the name of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cgkit.errors import CgkitError, OnnxError
from cgkit.graph import Graph, names
from cgkit.node import VARIABLE, Node
from cgkit.onnx.dtypes import as_number
from cgkit.onnx.exporting import open_sizes
from cgkit.onnx.exporting.schemas import fitting, keeps_dtype, schema_of
from cgkit.onnx.exporting.writer import Term, Writer
from cgkit.order import node_line
from cgkit.symbolic import GraphBuilder, Value
from cgkit.types import Dim, Shape, Size, TensorType

OF_BOOLEANS = {
    "Add": "Or", "Mul": "And", "Max": "Or", "Min": "And",
    "BitwiseAnd": "And", "BitwiseOr": "Or", "BitwiseXor": "Xor", "BitwiseNot": "Not",
}  # fmt: skip
"""What arithmetic means on truth values, which ONNX's arithmetic does not take."""


class Draft:
    """One node of ours that is being written.

    Parameters
    ----------
    writer
        Where to.
    node
        What.
    stem
        What it is called, and what the tensors on the way to it are named after.
    scope
        What stands before the names of its ONNX nodes: where the author of the graph built it.
    """

    def __init__(self, writer: Writer, node: Node, stem: str, scope: str = "") -> None:
        self.writer = writer
        self.node = node
        self.stem = stem
        self.scope = f"{scope}/" if scope else ""

    @property
    def opset(self) -> int:
        """The operator set in which the model is written."""
        return self.writer.opset

    @property
    def result(self) -> TensorType:
        """The type of our first result."""
        return (self.node.results or ())[0]

    @property
    def dtype(self) -> np.dtype:
        """The dtype of our first result."""
        return self.result.dtype

    @property
    def shape(self) -> Shape:
        """The shape of our first result."""
        return self.result.shape

    def add(self, operator: str, *inputs: Any, gives: Any = None, **attributes: Any) -> Term:
        """Add an ONNX node with one result.

        Parameters
        ----------
        operator
            Its ONNX name.
        inputs
            Terms; None for one that is left out; a number stands for a constant of the dtype of
            the first Term, an array for itself.
        gives
            The dtype of the result; that of the first input, if not said.
        attributes
            As the operator has them.
        """
        (term,) = self.several(operator, *inputs, gives=(gives,), **attributes)
        return term

    def several(
        self, operator: str, *inputs: Any, gives: Sequence[Any], **attributes: Any
    ) -> tuple[Term, ...]:
        """Add an ONNX node with a result for each dtype; None is that of the first input."""
        schema_of(operator, self.opset)  # an operator that is not there yet is refused
        first = next((x.dtype for x in inputs if isinstance(x, Term)), np.dtype("float32"))
        terms = [x if x is None or isinstance(x, Term) else self._given(x, first) for x in inputs]
        made = [first if dtype is None else np.dtype(dtype) for dtype in gives]
        stem = f"{self.stem}/{operator}"
        return self.writer.add(operator, terms, made, stem, self.scope, **attributes)

    def _given(self, x: Any, dtype: np.dtype) -> Term:
        plain = isinstance(x, bool | int | float) and not isinstance(x, np.generic)
        return self.constant(x, dtype if plain else None)

    def constant(self, value: Any, dtype: Any = None) -> Term:
        """Give a constant: a number or an array, in a dtype if one is given."""
        return self.writer.constant(np.asarray(value, dtype))

    def cast(self, term: Term, dtype: Any) -> Term:
        """Give a tensor in a dtype: itself if it has it."""
        wanted = np.dtype(dtype)
        if term.dtype == wanted:
            return term
        made = self.add("Cast", term, gives=wanted, to=as_number(wanted))
        return Term(made.name, wanted, term.shape)

    def directly(self, *operands: Term, operator: str = "", **attributes: Any) -> Term:
        """Write the ONNX operator that is the same as ours, in a dtype that it takes.

        Where the dtype is kept it is that of our result, else that to which the operands promote.
        """
        called = operator or self.node.operator.onnx
        kept = keeps_dtype(called, self.opset)
        dtype = self.dtype if kept else np.result_type(*(x.dtype for x in operands))
        if dtype == np.bool_ and called in OF_BOOLEANS:
            called, attributes = OF_BOOLEANS[called], {}
        dtype = fitting(called, dtype, self.opset)
        given = [self.cast(x, dtype) for x in operands]
        return self.add(called, *given, gives=dtype if kept else bool, **attributes)

    def sizes(self, sizes: Sequence[Size]) -> Term:
        """Give sizes, or other whole numbers, as a vector of int64."""
        return open_sizes.vector(self.writer, sizes)

    def size(self, size: Size) -> Term:
        """Give one size as a single int64."""
        if not isinstance(size, Dim):
            return self.constant(size, np.int64)
        return self.add("Squeeze", self.sizes((size,)))

    def every(self, size: Size) -> Term:
        """Give 0, 1, 2, ... for the places of an axis of a size."""
        if not isinstance(size, Dim):
            return self.constant(np.arange(int(size)), np.int64)
        zero, one = self.constant(0, np.int64), self.constant(1, np.int64)
        return self.add("Range", zero, self.size(size), one)

    def reshape(self, term: Term, shape: Sequence[Size]) -> Term:
        """Give a tensor in a shape, none of whose sizes is -1; itself if it has it."""
        if term.shape == tuple(shape):
            return term
        opened = [i for i, size in enumerate(shape) if isinstance(size, Dim)]
        empty = any(isinstance(size, int) and size == 0 for size in shape)
        wanted = list(shape)
        if len(opened) == 1 and not empty:
            wanted[opened[0]] = -1  # ONNX works it out, and the model needs no arithmetic
        # in ONNX a 0 stands for the old size, unless it is told that it is one
        zero = {"allowzero": 1} if empty or len(opened) > 1 else {}
        made = self.add("Reshape", term, self.sizes(wanted), **zero)
        return Term(made.name, made.dtype, tuple(shape))

    def expand(self, term: Term, shape: Sequence[Size]) -> Term:
        """Give a tensor stretched to a shape; itself if it has it."""
        if term.shape == tuple(shape):
            return term
        if any(size == 0 for size in shape):  # some runtimes forget to stretch a 1 to nothing
            return self.zeros(shape, term.dtype)
        made = self.add("Expand", term, self.sizes(shape))
        return Term(made.name, made.dtype, tuple(shape))

    def transpose(self, term: Term, order: Sequence[int]) -> Term:
        """Give a tensor with its axes in another order; itself if it is in that."""
        order = list(order)
        if order == sorted(order):
            return term
        made = self.add("Transpose", term, perm=order)
        shape = None if term.shape is None else tuple(term.shape[i] for i in order)
        return Term(made.name, made.dtype, shape)

    def zeros(self, shape: Sequence[Size], dtype: Any, value: float = 0) -> Term:
        """Give a tensor of a shape, all of whose elements are one number."""
        from onnx import numpy_helper

        number = numpy_helper.from_array(np.array([value], dtype))
        made = self.add("ConstantOfShape", self.sizes(shape), gives=dtype, value=number)
        return Term(made.name, made.dtype, tuple(shape))

    def where(self, condition: Term, a: Any, b: Any, dtype: Any) -> Term:
        """Give a where a condition holds, else b; both of a dtype, numbers too."""
        a, b = (
            self.cast(x, dtype) if isinstance(x, Term) else self.constant(x, dtype) for x in (a, b)
        )
        if np.dtype(dtype) != np.bool_:
            return self.add("Where", condition, a, b, gives=dtype)
        other = self.add("And", self.add("Not", condition), b)  # few runtimes choose truth values
        return self.add("Or", self.add("And", condition, a), other)

    def fold(self, operator: str, a: Term, axes: Sequence[int], keepdims: bool, dtype: Any) -> Term:
        """Fold axes by a reduction, in the dtype given or a wider one; none, if there are none."""
        wide = self.cast(a, fitting(operator, np.dtype(dtype), self.opset))
        if not axes:
            return wide
        named = None if len(axes) == len(a.shape or ()) else self.sizes(axes)  # left out: all
        return self.add(operator, wide, named, keepdims=int(keepdims))

    def express(self, formula: Callable[..., Any], *operands: Term, **params: Any) -> Any:
        """Write what a formula of simpler operators makes of operands; their types are known.

        Returns
        -------
        Term, or a tuple of them as the formula gives it
        """
        builder = GraphBuilder()
        values = [builder.placeholder(x.shape or (), x.dtype) for x in operands]
        found = formula(*values, **params)
        several = isinstance(found, tuple)
        outputs = [
            x if isinstance(x, Value) else builder.constant(x)
            for x in (found if several else (found,))
        ]
        graph = builder.graph(outputs, values)
        terms = write(self.writer, graph, operands, within=self.stem, scope=self.scope[:-1])
        results = tuple(terms[value.edge.key] for value in outputs)
        return results if several else results[0]

    def refuse(self, why: str, attempt: str = "") -> OnnxError:
        """Make the error that says this node cannot be written; to be raised."""
        return OnnxError(
            f"{self.node.operator.name} cannot be exported to ONNX: {why}", attempt=attempt
        )


def write(
    writer: Writer, graph: Graph, given: Sequence[Term], *, within: str = "", scope: str = ""
) -> dict[tuple[Node | None, int], Term]:
    """Write the nodes of a graph.

    Parameters
    ----------
    writer
        Where to.
    graph
        What.
    given
        A Term for each input.
    within
        What the names of nodes begin with; a graph within nothing keeps its names.
    scope
        The scope of nodes that have none.

    Returns
    -------
    dict
        A Term for each output of each node, by (node, index).

    Raises
    ------
    OnnxError
        A node cannot be written; it says which.
    """
    called = names(graph)
    terms = {edge.key: term for edge, term in zip(graph.inputs, given, strict=True)}
    for node in graph.nodes:
        if (node, 0) in terms:
            continue
        stem = writer.fresh(f"{within}/{called[node]}") if within else called[node]
        draft = Draft(writer, node, stem, node.scope or scope)
        try:
            found = _write_one(draft, [terms[edge.key] for edge in node.inputs])
        except CgkitError as error:
            if not within:  # what stands within a formula is nothing that the author wrote
                error.add_note(f"  at node  {node_line(node)}")
            raise
        for index, term in enumerate(found):
            terms[node, index] = term
            open_sizes.note(writer, term)
    return terms


def _write_one(draft: Draft, operands: list[Term]) -> list[Term]:
    node, writer, start = draft.node, draft.writer, len(draft.writer.nodes)
    if node.value is not None:
        return [_source(draft, node.value)]
    found = _by_rule(draft, operands)
    results = list(found) if isinstance(found, tuple) else [found]
    known = node.results or ()
    results = [draft.cast(term, its.dtype) for term, its in zip(results, known, strict=True)]
    settled = []
    called: dict[str, str] = {}
    for index, (term, its) in enumerate(zip(results, known, strict=True)):
        name = draft.stem if len(known) == 1 else writer.fresh(f"{draft.stem}_{index}")
        if term.name in writer.made_since(start):
            writer.rename(start, term.name, name, draft.scope)
            called[term.name] = name
        else:  # an operand as it is, what others read too, or the same result once more
            name = called.get(term.name, term.name)
        settled.append(Term(name, its.dtype, its.shape))
    return settled


def _source(draft: Draft, value: np.ndarray) -> Term:
    """Write a variable as a parameter of the model, a constant as a constant."""
    writer, node, start = draft.writer, draft.node, len(draft.writer.nodes)
    if node.operator is VARIABLE:
        writer.variables[draft.stem] = value
        return Term(draft.stem, value.dtype, value.shape)
    term = writer.constant(value, own=bool(node.name))
    if node.name:
        writer.rename(start, term.name, draft.stem)
        term = Term(draft.stem, term.dtype, term.shape)
    return term


def _by_rule(draft: Draft, operands: list[Term]) -> Any:
    operator, writer = draft.node.operator, draft.writer
    if operator.name in writer.rules:
        return writer.rules[operator.name](draft, *operands, **draft.node.params)
    if operator.name in writer.formulas:
        return draft.express(writer.formulas[operator.name], *operands, **draft.node.params)
    if operator.onnx:
        return draft.directly(*operands)
    raise draft.refuse(*writer.reasons.get(operator.name, ("there is no rule for it",)))
