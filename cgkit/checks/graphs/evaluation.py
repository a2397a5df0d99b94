"""Tasks 1 to 3 of assignment 01: evaluate any graph, each node once, and without recursion.

    evaluate(graph, feeds, output, operators) ──► the value of `output`

Invariants: operators come in as an argument, so calls are counted and nothing is timed.
"""

from __future__ import annotations

import functools
import random
from dataclasses import replace
from typing import Any

from cgkit.checks.cases import OPERATORS, Case, doubling, evaluate_plainly, graphs, needed
from cgkit.checks.counter import Counter
from cgkit.checks.depth import DEPTH, deep_fault, in_blocks, shallow
from cgkit.checks.leftover import search_for_leftovers
from cgkit.checks.listing import list_graph
from cgkit.checks.plain_graphs import SOURCES
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

_ANY_ORDER = (
    "The nodes of a dict may stand in any order, and this one needs a value that stands later."
)
_CALL = "evaluate(graph, {feeds}, {output!r}, operators)"


# what the well-known mistakes return


def _in_dict_order(graph: Any, feeds: Any, output: str, operators: Any) -> Any:
    return _one_pass(graph, feeds, output, operators, {})


def _feeds_then_dict_order(graph: Any, feeds: Any, output: str, operators: Any) -> Any:
    return _one_pass(graph, feeds, output, operators, dict(feeds))


def _one_pass(graph: Any, feeds: Any, output: str, operators: Any, values: Any) -> Any:
    for name, (kind, *operands) in graph.items():
        if kind == "input":
            values[name] = feeds[name]
        elif kind == "constant":
            values[name] = operands[0]
        else:
            values[name] = operators[kind](*[values[operand] for operand in operands])
    return values[output]


def _operands_turned(graph: Any, feeds: Any, output: str, operators: Any) -> Any:
    turned = {
        name: (kind, *operands[::-1]) if kind in OPERATORS else (kind, *operands)
        for name, (kind, *operands) in graph.items()
    }
    return evaluate_plainly(Case(turned, feeds, output))[output]


def _operands_once(graph: Any, feeds: Any, output: str, operators: Any) -> Any:
    once = {
        name: (kind, *dict.fromkeys(operands)) if kind in OPERATORS else (kind, *operands)
        for name, (kind, *operands) in graph.items()
    }
    return evaluate_plainly(Case(once, feeds, output))[output]


def _last_node(graph: Any, feeds: Any, output: str, operators: Any) -> Any:
    return evaluate_plainly(Case(graph, feeds, list(graph)[-1]))[list(graph)[-1]]


def _feeds_only(graph: Any, feeds: Any, output: str, operators: Any) -> Any:
    return feeds[output]


MISTAKES = (
    Mistake("evaluates in the order of the dict", _in_dict_order, _ANY_ORDER),
    Mistake("evaluates in the order of the dict", _feeds_then_dict_order, _ANY_ORDER),
    Mistake(
        "operands swapped",
        _operands_turned,
        "The operands reached the operator in the wrong order: a - b is not b - a.",
    ),
    Mistake(
        "an operand that is read twice is passed once",
        _operands_once,
        "add(x, x) reads x twice, so the operator needs it twice.",
    ),
    Mistake(
        "returns the last node",
        _last_node,
        "The value asked for is the one named by output, wherever it stands in the dict.",
    ),
    Mistake(
        "looks only into feeds",
        _feeds_only,
        "Only inputs are fed; every other value must be computed.",
    ),
)

EVALUATE = Task(
    "01_graphs",
    "evaluate",
    10,
    (
        "Which nodes can you compute at once, knowing nothing but feeds?",
        "A node whose operands are all known: what is its value? And what do you remember then?",
        "You look at a node and one of its operands is not known yet. What do you look at next, "
        "and how do you find your way back?",
    ),
    MISTAKES,
)
ONCE = Task(
    "01_graphs",
    "evaluate_once",
    4,
    (
        "Two nodes read b. How often does your code compute b?",
        "Where do you write down a value, so that the second reader finds it?",
    ),
    calls="evaluate",
)
DEEP = Task(
    "01_graphs",
    "evaluate_deep",
    4,
    (
        "How many calls of your function are open at once when the chain has 100,000 nodes?",
        "Python keeps open calls on a stack of its own. Could you keep that stack yourself, "
        "in a list?",
        "What does the top of your list mean: a node to look at, or a node that is finished?",
    ),
    MISTAKES[:2],
    calls="evaluate",
)
TASKS = (EVALUATE, ONCE, DEEP)


def evaluate(candidate: object, *, seed: int = SEED) -> Score:
    """Check the values that a student's `evaluate` gives.

    Parameters
    ----------
    candidate
        `evaluate(graph, feeds, output, operators)`.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found on which it is wrong.
    """
    exam = Exam(EVALUATE, candidate, seed)
    exam.require(_probe_value(exam, Case({"x": ("input",)}, {"x": 3}, "x")))
    search_for_leftovers(exam, graphs(), lambda case: _probe_value(exam, case), tries=150)
    return EVALUATE.passed(
        "right on 150 random graphs: nodes in any order, shared values, constants, 0 to 7 operators"
    )


def _probe_value(exam: Exam, case: Case) -> Fault | None:
    counter = Counter(limit=2_000)
    right = evaluate_plainly(case)
    fault = exam.examine(
        (case.graph, case.feeds, case.output, counter.operators),
        right[case.output],
        called=_CALL.format(feeds=case.feeds, output=case.output),
        why="The value is another one; go through the graph by hand, node by node.",
    )
    if fault is None:
        return None
    notes = {name: f"= {value}" for name, value in right.items()}
    return replace(fault, drawing=list_graph(case.graph, [case.output], notes))


def evaluate_once(candidate: object, *, seed: int = SEED) -> Score:
    """Check that a shared value is computed once, by counting calls of operators.

    Parameters
    ----------
    candidate
        `evaluate(graph, feeds, output, operators)`.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found in which a node is computed twice.
    """
    exam = Exam(ONCE, candidate, seed)
    exam.search(graphs(), lambda case: _probe_count(exam, needed(case)), tries=100)
    exam.require(_probe_count(exam, doubling(60)))
    return ONCE.passed(
        "no operator called twice for one node, on 100 random graphs and on 60 doublings, "
        "where naive recursion makes 1,152,921,504,606,846,975 calls"
    )


def _probe_count(exam: Exam, case: Case) -> Fault | None:
    counter = Counter(limit=1_000)
    arguments = (case.graph, case.feeds, case.output, counter.operators)
    right = evaluate_plainly(case)[case.output]
    called = _CALL.format(feeds=case.feeds, output=case.output)
    fault = exam.examine(arguments, right, called=called)
    nodes = case.count()
    if counter.calls <= nodes:
        return fault and replace(fault, drawing=list_graph(case.graph, [case.output]))
    more = "over " if counter.calls > counter.limit else ""
    return Fault(
        "cost",
        called,
        f"{more}{min(counter.calls, counter.limit):,} calls of operators",
        f"at most {nodes:,}, one for each operator node",
        "A value with several readers is computed again for each of them.",
        misconception="naive recursion",
        drawing=list_graph(case.graph, _shared(case), dict.fromkeys(_shared(case), "shared")),
    )


def _shared(case: Case) -> list[str]:
    """Name the operators that are read more than once."""
    reads = [str(operand) for kind, *rest in case.graph.values() for operand in rest]
    return [
        name
        for name, (kind, *_) in case.graph.items()
        if kind not in SOURCES and reads.count(name) > 1
    ]


def evaluate_deep(candidate: object, *, seed: int = SEED) -> Score:
    """Check that depth does not matter, on a chain of 100,000 nodes.

    Parameters
    ----------
    candidate
        `evaluate(graph, feeds, output, operators)`.
    seed
        Decides what the chain computes.

    Raises
    ------
    CheckFailed
        The chain broke it, or gave another value.
    """
    exam = Exam(DEEP, candidate, seed)
    case, right = _deep_case(seed)
    called = f"evaluate(a chain of {DEPTH:,} operators, {case.feeds}, {case.output!r}, operators)"
    first = {name: case.graph[name] for name in ("x", "y", "n0", "n1")}
    drawing = list_graph(first) + f"\n  ... and so on, {DEPTH:,} times, in another order"
    # a graph and feeds of its own: what this call does to them, the next one does not see
    arguments = (dict(case.graph), dict(case.feeds), case.output, dict(OPERATORS))
    with shallow() as raised:
        fault = exam.examine(arguments, right, called=called, copies=False)
        fault = deep_fault(fault, called, drawing, raised=raised())
    exam.require(fault)
    return DEEP.passed(f"right on a chain of {DEPTH:,} operators, without recursion")


@functools.lru_cache(maxsize=4)
def _deep_case(seed: int) -> tuple[Case, int]:
    """Draw the chain and compute its value, once for all who are asked; nobody may change them."""
    case = _chain(random.Random(seed), DEPTH)
    return case, evaluate_plainly(case)[case.output]


def _chain(draw: Any, length: int) -> Case:
    graph: dict[str, tuple[object, ...]] = {"x": ("input",), "y": ("input",)}
    before = "x"
    for number in range(length):
        kind = draw.choice(("add", "subtract", "maximum"))
        graph[f"n{number}"] = (kind, before, "y")
        before = f"n{number}"
    return Case(in_blocks(draw, graph), {"x": draw.randint(1, 9), "y": draw.randint(1, 9)}, before)
