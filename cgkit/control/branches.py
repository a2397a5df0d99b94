"""Branches inside a graph: which one runs is decided when the graph runs.

    cond(x > 0, f, g, x)           f(x) where x > 0, else g(x)
    switch(i, [f, g, h], x)        the branch of number i; a number outside is clamped

                ┌─ then(x) ──────┐
    pred, x ──> │                ├──> one type, whichever runs
                └─ otherwise(x) ─┘

On Tensors the branch that is chosen runs as ordinary Python. On Values both become graphs that one
node holds, and only the chosen one runs; so does only its gradient, which leaves out what the other
would have made of it: log(x) at 0 spoils nothing when it is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.control.agreement import (
    alike,
    check_functions,
    check_predicate,
    same_types,
    settled,
    weak,
)  # fmt: skip
from cgkit.control.bodies import (
    Bodies,
    Run,
    as_tensor,
    as_value,
    build,
    builder_of,
    given_by,
    leaf_names,
)
from cgkit.control.inner import (
    Told,
    apart,
    arrived,
    at_places,
    float_places,
    outputs_of,
    told_by_parts,
    type_of,
    types_of,
    with_told,
    work,
)  # fmt: skip
from cgkit.control.pulls import pulled
from cgkit.control.samples import of_cond, of_switch
from cgkit.cost import cost
from cgkit.errors import DtypeError, OperandError
from cgkit.graph import Graph
from cgkit.interpret import ready
from cgkit.node import Kind, MultiOperator
from cgkit.symbolic import GraphBuilder, Value
from cgkit.types import Size, TensorType

Branch = Callable[..., Any]
FIRST, SECOND = "the first branch of cond", "the second branch of cond"


def cond(pred: Any, then: Branch, otherwise: Branch, *xs: Any) -> Any:
    """Compute one of two branches, by a truth value that is a tensor.

    Parameters
    ----------
    pred
        A Tensor or a Value of one bool, of shape ().
    then, otherwise
        Called with xs; both give tensors of the same types, nested alike. They may use other
        tensors around them, too.
    xs
        Tensors, nested in tuples, lists and dicts if you like.

    Returns
    -------
    Any
        What the branch gives, nested as it nests it.

    Raises
    ------
    OperandError, DtypeError, ShapeError
        The predicate is no tensor of one bool; the branches differ in types or nesting.

    Examples
    --------
    >>> from cgkit import GraphBuilder, ops, run
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((), name="x")
    >>> y = cond(x > 0.0, ops.log, lambda x: x * 0.0, x)
    >>> run(builder.graph([y]), np.array(0.0))
    (array(0.),)
    """
    check_predicate(pred, "the predicate of cond")
    named = {FIRST: then, SECOND: otherwise}
    check_functions(named)
    builder = builder_of(pred, *tree.flatten(xs)[0])
    if builder is None:
        name = FIRST if bool(pred) else SECOND
        return given_by(name, named[name](*_tensors(xs)))
    operands, bodies, told = _built(builder, named, xs)
    first, second = bodies.graphs
    results = COND(as_value(builder, pred), *operands, then=first, otherwise=second, **told)
    return tree.unflatten(bodies.results[0], results)


def switch(index: Any, branches: Sequence[Branch], *xs: Any) -> Any:
    """Compute one of several branches, by its number.

    Parameters
    ----------
    index
        A Tensor or a Value of one whole number; below 0 it counts as 0, beyond the last as the
        last.
    branches
        Each is called with xs; all give tensors of the same types, nested alike.
    xs
        Tensors, nested if you like.

    Returns
    -------
    Any
        What the branch gives.

    Raises
    ------
    OperandError, DtypeError, ShapeError
        There is no branch; the index is no tensor of one whole number; the branches differ.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> switch(Tensor(7), [lambda x: x + 1.0, lambda x: x * 10.0], Tensor(2.0))
    Tensor(20.)
    """
    if not isinstance(branches, tuple | list) or not branches:
        raise OperandError("switch takes a list of functions, at least one")
    named = {f"branch {i} of switch": branch for i, branch in enumerate(branches)}
    check_functions(named)
    if isinstance(index, int | np.integer) or not hasattr(index, "edge"):
        raise OperandError(
            f"the index of switch is {index!r:.40}, no tensor: it is decided before anything runs",
            attempt="branches[i](x), or an index that is a tensor",
        )
    if index.dtype.kind not in "iu" or index.shape != ():
        raise DtypeError(
            f"the index of switch is {type_of(index)}, not one whole number of shape ()",
            attempt='ops.cast(index, dtype="int64")',
        )
    builder = builder_of(index, *tree.flatten(xs)[0])
    if builder is None:
        name, branch = [*named.items()][_clamped(index.data, len(named))]
        return given_by(name, branch(*_tensors(xs)))
    operands, bodies, told = _built(builder, named, xs)
    results = SWITCH(as_value(builder, index), *operands, branches=bodies.graphs, **told)
    return tree.unflatten(bodies.results[0], results)


def _tensors(xs: tuple[Any, ...]) -> list[Any]:
    return [tree.map_leaves(as_tensor, x) for x in xs]


def _built(
    builder: GraphBuilder, branches: Mapping[str, Branch], xs: tuple[Any, ...]
) -> tuple[list[Value], Bodies, dict[str, Told]]:
    """Build the graphs of all branches; give their operands, them, and sizes they alone tell."""
    leaves, structure = tree.flatten(xs)
    names = [*branches]
    values = [as_value(builder, leaf) for leaf in leaves]
    types = tree.unflatten(structure, types_of(values))
    called = [leaf_names(branch, structure.parts) for branch in branches.values()]
    bodies = build(builder, branches, types, called, lambda runs: _in_order(names, runs))
    told = told_by_parts(bodies.graphs)
    first, *others = [
        with_told([edge.type for edge in graph.outputs], told) for graph in bodies.graphs
    ]
    for name, other in zip(names[1:], others, strict=True):
        same_types(
            first, other, bodies.results[0], "the result", f"leaves {names[0]}", f"leaves {name}"
        )  # fmt: skip
    return [*values, *bodies.taken], bodies, {"told": told} if told else {}


def _in_order(names: Sequence[str], runs: Sequence[Run]) -> list[Run]:
    """Give the results of all branches as the first one nests them, numbers with dtypes."""
    structure = runs[0][1]
    rows = [
        alike(structure, tree.unflatten(nested, leaves), name, f"what {names[0]} gives")
        for name, (leaves, nested) in zip(names, runs, strict=True)
    ]
    columns = [_settled(column) for column in zip(*rows, strict=True)]
    return [([column[i] for column in columns], structure) for i in range(len(runs))]


def _settled(column: Sequence[Any]) -> list[Any]:
    """Give numbers among the results at one place the dtype of a tensor there, if there is one."""
    known = [type_of(x) for x in column if hasattr(x, "dtype")]
    plain = [x for x in column if weak(x)]
    if not plain:
        return list(column)
    common = known[0] if known else TensorType((), np.result_type(*plain))
    return settled(column, [common] * len(column))


def _clamped(index: Any, count: int) -> int:
    return min(max(int(index), 0), count - 1)


def _results(
    operands: Sequence[TensorType], graphs: Sequence[Graph], told: Told
) -> tuple[TensorType, ...]:
    found = [with_told(outputs_of(graph, operands, "a branch"), told) for graph in graphs]
    first = found[0]
    for other in found[1:]:
        structure = tree.flatten(list(first))[1]
        first = same_types(
            first, other, structure, "the result of a branch", "leaves the first",
            "leaves another",
        )  # fmt: skip
    return first


def _infer_cond(
    pred: TensorType, *operands: TensorType, then: Graph, otherwise: Graph, told: Told = ()
) -> tuple[TensorType, ...]:
    return _results(operands, (then, otherwise), told)


def _compute_cond(
    pred: Any, *arrays: Any, then: Graph, otherwise: Graph, told: Told = ()
) -> tuple[Any, ...]:
    return apart(ready(then if pred else otherwise)(*arrays), arrays)


def _infer_switch(
    index: TensorType, *operands: TensorType, branches: tuple[Graph, ...], told: Told = ()
) -> tuple[TensorType, ...]:
    return _results(operands, branches, told)


def _compute_switch(
    index: Any, *arrays: Any, branches: tuple[Graph, ...], told: Told = ()
) -> tuple[Any, ...]:
    return apart(ready(branches[_clamped(index, len(branches))])(*arrays), arrays)


def _pulls(
    gradients: Any, operands: Sequence[Any], graphs: Sequence[Graph], told: Told
) -> tuple[tuple[int, ...], list[Any], list[Graph]]:
    """Give the floating operands, the gradients of the results, and the pull of each branch."""
    places, given = float_places(graphs[0])
    types = _results(types_of(operands), graphs, told)
    seeds = arrived(gradients, given, types, operands[places[0]]) if places else []
    return places, seeds, [pulled(graph, places, given) for graph in graphs]


def _back_cond(
    g: Any, y: Any, pred: Any, *operands: Any, then: Graph, otherwise: Graph, told: Told = ()
) -> tuple[Any, ...]:
    places, seeds, pulls = _pulls(g, operands, (then, otherwise), told)
    if not places:
        return (None,) * (len(operands) + 1)
    found = COND(pred, *operands, *seeds, then=pulls[0], otherwise=pulls[1])
    return (None, *at_places(places, found, len(operands)))


def _back_switch(
    g: Any, y: Any, index: Any, *operands: Any, branches: tuple[Graph, ...], told: Told = ()
) -> tuple[Any, ...]:
    places, seeds, pulls = _pulls(g, operands, branches, told)
    if not places:
        return (None,) * (len(operands) + 1)
    found = SWITCH(index, *operands, *seeds, branches=tuple(pulls))
    return (None, *at_places(places, found, len(operands)))


def _dearest(graphs: Sequence[Graph]) -> tuple[tuple[Graph, Size], ...]:
    """Give the branch that costs most; the first where that depends on open sizes."""
    counts = [cost(graph).flops for graph in graphs]
    best = 0
    if all(isinstance(count, int) for count in counts):
        best = max(range(len(graphs)), key=lambda i: int(counts[i]))
    return ((graphs[best], 1),)


def _cond_runs(then: Graph, otherwise: Graph, told: Told = ()) -> tuple[tuple[Graph, Size], ...]:
    return _dearest((then, otherwise))


def _switch_runs(branches: tuple[Graph, ...], told: Told = ()) -> tuple[tuple[Graph, Size], ...]:
    return _dearest(branches)


COND = MultiOperator(
    "cond", _compute_cond, _infer_cond, gradient=_back_cond, saves=("*",), kind=Kind.OPAQUE,
    family="control", samples=of_cond, runs=_cond_runs, flops=work(_cond_runs), tells=("told",),
    doc="what one of two graphs gives, by a truth value",
)  # fmt: skip
SWITCH = MultiOperator(
    "switch", _compute_switch, _infer_switch, gradient=_back_switch, saves=("*",),
    kind=Kind.OPAQUE, family="control", samples=of_switch, runs=_switch_runs,
    flops=work(_switch_runs), tells=("told",),
    doc="what one of several graphs gives, by its number",
)  # fmt: skip
