"""The stretch task of notebook 02a: the backward pass as a graph, so that it has gradients itself.

    backward_graph(graph, output, seed)
      ──►  ({**graph, "g": ("leaf",), "d1": ("multiply", "g", "x"), ...}, {"x": "d1", ...})

Invariants: what comes back is run by the checks, on whole numbers; then it is gone through backward
once more, which gives second slopes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cgkit.checks import cases
from cgkit.checks.dynamic.programs import (
    OPERATORS,
    RULES,
    Graph,
    as_eager,
    right_backward,
    right_order,
    unbroadcast,
)
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import same, show
from cgkit.checks.plain_graphs import renamed
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Task
from cgkit.score import Score

_SEED = "g"
_KINDS = ("add", "multiply", "negate")
_WANTED = "a larger graph, and the name of each gradient in it"

DERIVED = Task(
    "02_static_dynamic",
    "backward_graph",
    0,
    (
        "In `backward` a rule multiplied two arrays. Which node says that this is to be done?",
        "Where `backward` added two shares, what do you write into the graph?",
        "Which names are taken already, and how do you find one that is not?",
    ),
    worth="stretch task",
)
TASKS = (DERIVED,)


def backward_graph(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `backward_graph(graph, output, seed)`.

    Parameters
    ----------
    candidate
        Gives a graph that holds the given one, and the name of each node's gradient.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found on which it is wrong.
    """
    exam = Exam(DERIVED, candidate, seed)

    def probe(case: tuple[dict[str, tuple[str, ...]], str]) -> Fault | None:
        graph, output = case
        fault = exam.inspect(
            (graph, output, _SEED),
            lambda found: wrong_graph(graph, output, found),
            _WANTED,
            called=f"backward_graph(graph, {output!r}, {_SEED!r})",
        )
        return fault and replace(fault, drawing=fault.drawing or list_graph(graph, [output]))

    exam.search(_graphs(), probe, tries=80)
    return DERIVED.passed("right on 80 graphs, and gone through backward once more: second slopes")


def wrong_graph(graph: Graph, output: str, found: object) -> Fault | None:
    """Say what is wrong with a larger graph and the names of its gradients, or None.

    Examples
    --------
    >>> graph = {"x": ("leaf",), "z": ("negate", "x")}
    >>> larger = {**graph, "g": ("leaf",), "d": ("negate", "g")}
    >>> wrong_graph(graph, "z", (larger, {"z": "g", "x": "d"})) is None
    True
    """
    if type(found) is not tuple or len(found) != 2 or not all(type(one) is dict for one in found):
        why = "It should give a tuple of two dicts: the larger graph, and the gradients' names."
        return Fault("type", "", show(found), _WANTED, why)
    larger, names = found
    why = _wrong_nodes(graph, larger) or _wrong_names(graph, output, larger, names)
    if why:
        return Fault("shape", "", show(found), _WANTED, why)
    order = right_order(graph, output)
    for start in (2, 5):
        leaves = {
            name: np.asarray((-1.0) ** at * (start + at % 7)) for at, name in enumerate(larger)
        }
        values = run(larger, leaves)
        right = _gradients(graph, values, order, values[_SEED])
        for name, gradient in right.items():
            if values[names[name]] != gradient:
                why = f"The node for the gradient of {name} computes another number."
                return _node_fault(larger, names[name], values[names[name]], gradient, why)
            twice = _second(larger, values, names[name])
            if twice != _slopes(graph, larger, leaves, order, name):
                why = f"The gradient of {name} is right; its own gradients are not."
                return _node_fault(larger, names[name], values[names[name]], gradient, why)
    return None


def run(graph: Graph, leaves: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Compute every value of a graph; each node stands anywhere."""
    values: dict[str, np.ndarray] = {}
    for output in graph:
        for name in reversed([] if output in values else right_order(graph, output)):
            kind, *operands = graph[name]
            if kind == "leaf":
                values[name] = leaves[name]
            else:
                values[name] = np.asarray(OPERATORS[kind](*(values[one] for one in operands)))
    return values


def _gradients(graph: Graph, values: Any, order: list[str], seed: np.ndarray) -> dict[str, Any]:
    return right_backward(graph, values, order, seed, RULES, unbroadcast)


def _second(larger: Graph, values: Any, name: str) -> dict[str, float]:
    """Go backward through the backward pass; give what reaches each leaf."""
    found = _gradients(larger, values, right_order(larger, name), np.asarray(1.0))
    return {one: float(g) for one, g in found.items() if larger[one] == ("leaf",) and g != 0}


def _slopes(
    graph: Graph, larger: Graph, leaves: Mapping[str, np.ndarray], order: list[str], name: str
) -> dict[str, float]:
    """Give the same slopes by dual numbers: the gradient, and how it moves with each leaf."""
    found = {}
    for moved in larger:
        if larger[moved] != ("leaf",):
            continue
        dual = {
            one: np.array([[value, one == moved], [0.0, value]]) for one, value in leaves.items()
        }
        slope = float(_dual_gradient(graph, dual, order, name)[0, 1])
        if slope != 0:
            found[moved] = slope
    return found


def _dual_gradient(graph: Graph, dual: Mapping[str, Any], order: list[str], name: str) -> Any:
    """Go backward with 2 by 2 matrices in place of numbers: they multiply as dual numbers do."""
    operators: dict[str, Any] = {**OPERATORS, "multiply": np.matmul}
    values: dict[str, Any] = {}
    for one in reversed(order):
        kind, *operands = graph[one]
        own = dual[one] if kind == "leaf" else operators[kind](*(values[o] for o in operands))
        values[one] = own
    rules = {**RULES, "multiply": lambda upstream, a, b: (upstream @ b, upstream @ a)}
    gradients = right_backward(graph, values, order, dual[_SEED], rules, lambda share, shape: share)
    return gradients[name]


def _wrong_nodes(graph: Graph, larger: Any) -> str:
    """Look for nodes that are gone, of an unknown kind, or in a circle."""
    for name, node in graph.items():
        if not same(larger.get(name), node):
            return f"The node {name} of the graph is gone, or another one now."
    if not same(larger.get(_SEED), ("leaf",)):
        return f"The gradient of the output is a leaf of its own: {_SEED!r} to ('leaf',)."
    for name, node in larger.items():
        if name not in graph and name != _SEED and not _is_operator(node, larger):
            return f"{show(name, 40)} is no node: add and multiply read two others, negate one."
    return "" if _is_acyclic(larger) else "There is a circle: some node waits for itself."


def _is_operator(node: Any, larger: Any) -> bool:
    if type(node) is not tuple or not node or node[0] not in _KINDS:
        return False
    operands = node[1:]
    named = all(type(one) is str and one in larger for one in operands)
    return named and len(operands) == (1 if node[0] == "negate" else 2)


def _is_acyclic(graph: Graph) -> bool:
    unheard = dict.fromkeys(graph, 0)
    for _, *operands in graph.values():
        for one in operands:
            unheard[one] += 1
    ready = [name for name, count in unheard.items() if not count]
    for name in ready:
        for one in graph[name][1:]:
            unheard[one] -= 1
            if not unheard[one]:
                ready.append(one)
    return len(ready) == len(graph)


def _wrong_names(graph: Graph, output: str, larger: Any, names: Any) -> str:
    for name in right_order(graph, output):
        if type(names.get(name)) is not str or names[name] not in larger:
            return f"No node is named for the gradient of {name}."
    return ""


def _node_fault(larger: Graph, name: str, got: np.ndarray, right: np.ndarray, why: str) -> Fault:
    drawing = list_graph({one: larger[one] for one in reversed(right_order(larger, name))}, [name])
    return Fault("values", "", show(float(got)), show(float(right)), why, "", drawing)


def _graphs() -> Any:
    from hypothesis import strategies as st

    drawn = cases.graphs(_KINDS, most=5)

    @st.composite
    def build(draw: Any) -> tuple[dict[str, tuple[str, ...]], str]:
        case = draw(drawn)
        graph, new = renamed(as_eager(case.graph), "n")
        return graph, new[case.output]

    return build()
