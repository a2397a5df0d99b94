"""Tasks 6 and 7 of notebook 02a: an order in which each value has heard all its readers.

    backward_order(graph, output)  ──►  ["z", "m", "s", "x", "y"]      any right order is accepted

Invariants: an order is judged by what it must hold, never compared with one order; nodes that the
output does not need are not part of it.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cgkit.checks import cases
from cgkit.checks.depth import DEPTH, deep_fault, in_blocks, shallow
from cgkit.checks.dynamic.programs import Graph, ancestors, as_eager
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import show
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score

_WANTED = "a list of names, each after all its readers"
_FIRST_VISIT = (
    "A node is put down when it is met for the first time. It has other readers, and one of them "
    "comes later: the node must wait for the last."
)


def _down_first(graph: Any, output: str) -> list[str]:
    """List nodes as a function finds them that calls itself for each operand."""
    order: list[str] = []
    stack = [output]
    while stack:
        name = stack.pop()
        if name not in order:
            order.append(name)
            stack.extend(reversed(graph[name][1:]))
    return order


def _last_operand_first(graph: Any, output: str) -> list[str]:
    order: list[str] = []
    stack = [output]
    while stack:
        name = stack.pop()
        if name not in order:
            order.append(name)
            stack.extend(graph[name][1:])
    return order


def _nearest_first(graph: Any, output: str) -> list[str]:
    order = [output]
    for name in order:
        order.extend(one for one in dict.fromkeys(graph[name][1:]) if one not in order)
    return order


def _once_a_path(graph: Any, output: str) -> list[str]:
    order, stack = [], [output]
    while stack:
        order.append(stack.pop())
        stack.extend(reversed(graph[order[-1]][1:]))
    return order


def _dict_turned(graph: Any, output: str) -> list[str]:
    needed = ancestors(graph, output)
    return [name for name in reversed(graph) if name in needed]


def _dict_order(graph: Any, output: str) -> list[str]:
    needed = ancestors(graph, output)
    return [name for name in graph if name in needed]


def _everything(graph: Any, output: str) -> list[str]:
    return [*reversed(graph)]


_DICT = "The nodes of a dict may stand in any order; only what they read says who waits for whom."

ORDER = Task(
    "02_static_dynamic",
    "backward_order",
    6,
    (
        "How many readers has each node, if only nodes count that the output needs?",
        "The output has no reader. Once it has spoken, which nodes have heard one reader more?",
        "A node that has heard all its readers may speak. Where do you keep those that may?",
    ),
    (
        Mistake("order by first visit", _down_first, _FIRST_VISIT),
        Mistake("order by first visit", _last_operand_first, _FIRST_VISIT),
        Mistake("order by first visit", _nearest_first, _FIRST_VISIT),
        Mistake(
            "once for each path",
            _once_a_path,
            "A node with two readers is listed twice. It should wait for both, and speak once.",
        ),
        Mistake("the order of the dict", _dict_turned, _DICT),
        Mistake("the order of the dict", _dict_order, _DICT),
        Mistake("the order of the dict", _everything, _DICT),
    ),
)
DEEP = Task(
    "02_static_dynamic",
    "backward_order_deep",
    4,
    (
        "Does your function call itself? Then how many calls are open at the end of the chain?",
        "Does a list of yours hold a name more than once? How long may it grow where every node "
        "is read twice?",
        "When you look for the next node, do you look through all of them?",
    ),
    calls="backward_order",
)
TASKS = (ORDER, DEEP)


def _graphs() -> Any:
    from hypothesis import strategies as st

    drawn = cases.graphs()

    @st.composite
    def build(draw: Any) -> tuple[dict[str, tuple[str, ...]], str]:
        case = draw(drawn)
        return as_eager(case.graph), case.output

    return build()


def backward_order(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `backward_order(graph, output)`.

    Parameters
    ----------
    candidate
        Gives a list of names.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found that is ordered wrongly.
    """
    exam = Exam(ORDER, candidate, seed)

    def probe(case: tuple[dict[str, tuple[str, ...]], str]) -> Fault | None:
        graph, output = case
        called = f"backward_order(graph, {output!r})"
        return exam.inspect(
            (graph, output), lambda found: wrong_order(graph, output, found), _WANTED, called=called
        )

    fault = exam.smallest(_graphs(), probe, tries=150)
    if fault is not None:
        # what a whole algorithm is called says more than what is wrong with one answer of it
        named = exam.named(replace(fault, misconception=""))
        exam.require(named if named.misconception else fault)
    return ORDER.passed("right on 150 graphs: shared values, nodes in any order, and some unneeded")


def wrong_order(graph: Graph, output: str, found: object) -> Fault | None:
    """Say what is wrong with an order, or None.

    Examples
    --------
    >>> graph = {"x": ("leaf",), "z": ("add", "x", "x")}
    >>> wrong_order(graph, "z", ["z", "x"]) is None, wrong_order(graph, "z", ["x", "z"]).why
    (True, 'x stands before z, which reads it.')
    """
    if not isinstance(found, list) or not all(type(name) is str for name in found):
        why = "backward_order should give a list of names."
        return Fault("type", "", show(found), _WANTED, why)
    needed = ancestors(graph, output)
    why, marked, looks = _wrong_names(graph, needed, found) or _wrong_place(graph, needed, found)
    if not why:
        return None
    places = {name: f"place {at}" for at, name in reversed([*enumerate(found, 1)])}
    few = len(graph) < DEPTH
    drawing = list_graph(graph, marked, places) if few else ""
    stage = "values" if marked and set(marked) <= needed else "shape"
    return Fault(stage, "", show(found), _WANTED, why, looks, drawing)


def _wrong_names(
    graph: Graph, needed: set[str], found: Sequence[str]
) -> tuple[str, list[str], str] | None:
    """Look for names that are missing, too many, or there more than once."""
    seen: set[str] = set()
    for name in found:
        if name not in graph:
            return f"{show(name, 40)} is not a node of the graph.", [], ""
        if name not in needed:
            looks = "nodes that the output does not need"
            return f"{name} is listed, and the output does not need it.", [name], looks
        if name in seen:
            return (
                f"{name} is listed more than once; it speaks once, after its last reader.",
                [name],
                "once for each path",
            )
        seen.add(name)
    unheard = needed - seen
    lost = [name for name in graph if name in unheard]
    return (f"{lost[0]} is missing, and the output needs it.", lost, "") if lost else None


def _wrong_place(
    graph: Graph, needed: set[str], found: Sequence[str]
) -> tuple[str, list[str], str]:
    """Look for a node that stands before one of its readers."""
    place = {name: at for at, name in enumerate(found)}
    wrong = [
        (operand, name)
        for name in found
        for operand in graph[name][1:]
        if place[operand] < place[name]
    ]
    if not wrong:
        return "", [], ""
    operand, reader = wrong[0]
    why = f"{operand} stands before {reader}, which reads it."
    reads = {(one, name) for name in needed for one in graph[name][1:]}
    return why, [operand], "walks forward" if set(wrong) == reads else ""


def backward_order_deep(candidate: object, *, seed: int = SEED) -> Score:
    """Check that depth does not matter, on 100,000 nodes, most of them read twice.

    Parameters
    ----------
    candidate
        `backward_order(graph, output)`.
    seed
        Decides the graph.

    Raises
    ------
    CheckFailed
        It broke, or the order is wrong.
    """
    exam = Exam(DEEP, candidate, seed)
    graph, output = _deep_graph(seed)
    called = f"backward_order(a graph of {DEPTH:,} operators, {output!r})"
    first = {name: graph[name] for name in ("x", "y", "n0", "n1", "n2")}
    drawing = list_graph(first) + f"\n  ... and so on, {DEPTH:,} times, in another order"
    with shallow() as raised:
        fault = exam.inspect(
            (dict(graph), output),
            lambda found: wrong_order(graph, output, found),
            _WANTED,
            called=called,
            copies=False,
        )
        fault = deep_fault(fault, called, drawing, raised=raised())
    exam.require(fault)
    return DEEP.passed(f"right on {DEPTH:,} operators in a row, without recursion")


@functools.lru_cache(maxsize=4)
def _deep_graph(seed: int) -> tuple[dict[str, tuple[str, ...]], str]:
    """Draw the graph, once for all who are asked; nobody may change it."""
    draw = random.Random(seed)
    graph: dict[str, tuple[str, ...]] = {"x": ("leaf",), "y": ("leaf",)}
    names = ["x", "y"]
    for number in range(DEPTH):
        kind = draw.choice(("add", "multiply"))
        graph[f"n{number}"] = (kind, names[-1], names[draw.choice((-1, -2))])
        names = [names[-1], f"n{number}"]
    return in_blocks(draw, graph), names[-1]
