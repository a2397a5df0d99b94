"""Tasks 13 and 14 of assignment 01: a drawing by hand, and a function that draws any graph.

    z_drawing                ──►  is it z = max(x^2, y^2) + min(x, y)?  compared as a graph
    to_dot(graph, shapes)    ──►  DOT text, or a graphviz.Digraph

Invariants: drawings are read as text and compared as graphs; how they look does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cgkit.checks import cases
from cgkit.checks.dot import DotGraph, read_dot
from cgkit.checks.dot_words import DotError
from cgkit.checks.drawing import compare_drawing
from cgkit.checks.judge import Returned, exception_fault
from cgkit.checks.labelled import compare_labelled
from cgkit.checks.listing import list_drawing, list_graph
from cgkit.checks.parts import DrawingError, source_of
from cgkit.checks.plain import NotPlainError
from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Task
from cgkit.score import Score
from cgkit.words import counted

Z_GRAPH: Mapping[str, tuple[object, ...]] = {
    "x": ("input",),
    "y": ("input",),
    "a": ("square", "x"),
    "b": ("square", "y"),
    "m": ("maximum", "a", "b"),
    "n": ("minimum", "x", "y"),
    "z": ("add", "m", "n"),
}
_ODD_NAMES = ("W 1", "layer1/W", 'say "hi"', "graph", "7up", "größe", "a->b", "x-y", "node")

Z_DRAWING = Task(
    "01_graphs",
    "z_drawing",
    6,
    (
        "Which operators does the formula name? Each of them is one node.",
        "Which values does max read, and which does min read? An arrow goes from each of them.",
        "How many arrows leave x?",
    ),
)
TO_DOT = Task(
    "01_graphs",
    "to_dot",
    8,
    (
        "How many nodes has your drawing for the example, and how many arrows?",
        "add(x, x) reads x twice. How many arrows is that?",
        "What happens in DOT to a name with a space or a quote in it?",
    ),
)
CLUSTERS = Task(
    "01_graphs",
    "to_dot_clusters",
    0,
    (
        "How does DOT write a group of nodes that is drawn as a box?",
        "With which word must the name of such a subgraph begin?",
    ),
    worth="stretch task",
)
TASKS = (Z_DRAWING, TO_DOT, CLUSTERS)


def check_drawing(task: Task, drawing: object, expected: Any, formula: str) -> None:
    """Compare a student's drawing with a graph.

    Parameters
    ----------
    task
        What is asked.
    drawing
        A `graphviz.Digraph`, `graphviz.Source` or DOT text.
    expected
        The graph as a plain dict.
    formula
        How the graph reads on paper.

    Raises
    ------
    CheckFailed
        It is no drawing, or one of another graph.
    """
    fault: Fault | None = None
    text = ""
    try:
        text = source_of(drawing)
        compare_drawing(text, expected)
    except NotPlainError as odd:
        why = f"{task.function} should hold a graphviz.Digraph, or DOT text."
        nothing = drawing is None
        got = "nothing yet" if nothing else str(odd)
        fault = Fault("type", task.function, got, "a drawing", why, unanswered=nothing)
    except DotError as error:
        fault = Fault("type", task.function, text, "DOT text", f"This is no DOT: {error}.")
    except DrawingError as error:
        fault = _drawing_fault(task, text, formula, error)
    if fault is not None:
        raise task.failed(fault)


def _drawing_fault(task: Task, text: str, formula: str, error: DrawingError) -> Fault:
    read = read_dot(text)
    nodes, arrows = counted(len(read.nodes), "node"), counted(len(read.edges), "arrow")
    got = f"a drawing of {nodes} and {arrows}"
    return Fault(
        "values",
        task.function,
        got,
        formula,
        _sentence(str(error)),
        misconception=error.misconception,
        drawing=list_drawing(read, error.marked),
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "." * (not text.endswith("?"))


def z_drawing(drawing: object, *, seed: int = SEED) -> Score:
    """Check a student's drawing of z = max(x^2, y^2) + min(x, y).

    Parameters
    ----------
    drawing
        A `graphviz.Digraph`, `graphviz.Source` or DOT text.
    seed
        Not used: the graph is fixed.

    Raises
    ------
    CheckFailed
        Names the missing or extra node or arrow.
    """
    check_drawing(Z_DRAWING, drawing, Z_GRAPH, "z = max(x², y²) + min(x, y)")
    return Z_DRAWING.passed("the drawing is this graph: 2 inputs and 5 operators")


# to_dot


def _named_graphs() -> Any:
    """Give graphs with odd names and a shape for each node."""
    from hypothesis import strategies as st

    plain_graphs, shapes = cases.graphs(most=5), cases.shapes(most=2)
    odd_names = st.lists(st.sampled_from(_ODD_NAMES), max_size=3, unique=True)

    @st.composite
    def build(draw: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        case, odd = draw(plain_graphs), draw(odd_names)
        new = dict(zip(case.graph, odd, strict=False))
        names = {name: new.get(name, name) for name in case.graph}
        graph = {}
        for name, (kind, *rest) in case.graph.items():
            plain = kind in ("input", "constant")
            graph[names[name]] = (kind, *(rest if plain else (names[one] for one in rest)))
        return graph, {name: draw(shapes) for name in graph}

    return build()


def to_dot(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `to_dot(graph, shapes)`.

    Parameters
    ----------
    candidate
        Gives DOT text or a `graphviz.Digraph`.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found that is drawn wrongly.
    """
    exam = Exam(TO_DOT, candidate, seed)

    def probe(case: tuple[dict[str, Any], dict[str, Any]]) -> Fault | None:
        return _probe(exam, case, lambda read: compare_labelled(read, *case))

    exam.require(probe(({"x": ("input",)}, {"x": (2,)})))
    exam.search(_named_graphs(), probe, tries=100)
    return TO_DOT.passed(
        "100 random graphs drawn right: every node, every arrow with its shape, names of any kind"
    )


def to_dot_clusters(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `to_dot_clusters(graph, shapes, groups)`.

    Parameters
    ----------
    candidate
        Gives DOT text or a `graphviz.Digraph`; each group is a box with its name.
    seed
        Decides the hidden graphs.

    Raises
    ------
    CheckFailed
        With the smallest graph found that is drawn wrongly.
    """
    from hypothesis import strategies as st

    exam = Exam(CLUSTERS, candidate, seed)

    drawn, group_names = _named_graphs(), st.sampled_from(("", "layer 1", "layer 2"))

    @st.composite
    def grouped(draw: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, list[str]]]:
        graph, shapes = draw(drawn)
        groups: dict[str, list[str]] = {}
        for name in graph:
            group = draw(group_names)
            if group:
                groups.setdefault(group, []).append(name)
        return graph, shapes, groups

    def probe(case: tuple[dict[str, Any], dict[str, Any], dict[str, list[str]]]) -> Fault | None:
        def compare(read: DotGraph) -> None:
            compare_labelled(read, *case[:2])
            _compare_clusters(read, case[2])

        return _probe(exam, case, compare)

    exam.search(grouped(), probe, tries=60)
    return CLUSTERS.passed("60 random graphs drawn right, every group a box with its name")


def _compare_clusters(read: DotGraph, groups: Mapping[str, list[str]]) -> None:
    for group, members in groups.items():
        boxes = [
            cluster for cluster in read.clusters if group in cluster.attributes.get("label", "")
        ]
        if not boxes:
            raise DrawingError(_no_box(read, group, members), members)
        if set(boxes[0].members) != set(members):
            inside = ", ".join(boxes[0].members) or "nothing"
            what = f"the box {group!r} holds {inside}; it should hold {', '.join(members)}"
            raise DrawingError(what, members)
    if len(read.clusters) > len(groups):
        drawn, wanted = counted(len(read.clusters), "box", "boxes"), counted(len(groups), "group")
        verb = "is" if len(read.clusters) == 1 else "are"
        raise DrawingError(f"{drawn} {verb} drawn for {wanted}")


def _no_box(read: DotGraph, group: str, members: list[str]) -> str:
    for cluster in read.clusters:
        label = cluster.attributes.get("label", "")
        if set(cluster.members) == set(members):
            says = f"says {label!r}" if label else "has no label"
            inside = ", ".join(members)
            return f"the box around {inside} is there, and it {says}; it should say {group!r}"
    return f"no box is labeled {group!r}; the name of such a subgraph begins with cluster"


def _probe(exam: Exam, case: tuple[Any, ...], compare: Callable[[DotGraph], None]) -> Fault | None:
    """Call a student's drawing function once and compare what it drew."""
    name = exam.task.function
    called = f"{name}({', '.join(('graph', 'shapes', 'groups')[: len(case)])})"
    outcome = exam.call(case, read=source_of)
    if not isinstance(outcome, Returned):
        return _shown(exception_fault(outcome, name), called, case)
    if outcome.odd:
        nothing = outcome.odd == "None"
        more = "Is there a return at its end?" if nothing else f"It gave {outcome.odd}."
        why = f"{name} should give DOT text or a graphviz.Digraph. {more}"
        return _shown(Fault("type", "", outcome.odd, "a drawing", why), called, case)
    text = str(outcome.value)
    try:
        compare(read_dot(text))
    except DotError as error:
        return _shown(Fault("type", "", text, "", f"This is no DOT: {error}."), called, case)
    except DrawingError as error:
        why, looks = _sentence(str(error)), error.misconception
        fault = Fault("values", "", text, "", why, misconception=looks)
        return _shown(fault, called, case, error.marked)
    if outcome.changed:
        why = f"{name} changed what it was given; whoever called it still needs that."
        return _shown(Fault("invariants", "", outcome.changed, "", why), called, case)
    return None


def _shown(fault: Fault, called: str, case: tuple[Any, ...], marked: Any = ()) -> Fault:
    graph, shapes = case[0], case[1]
    notes = {name: f"shape {shapes[name]}" for name in graph}
    return replace(fault, called=called, drawing=list_graph(graph, marked, notes))
