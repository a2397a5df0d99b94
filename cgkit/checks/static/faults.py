"""Task 9 of notebook 02b: find what is wrong with the loss of a graph that trains.

    "loss": ("softmax_cross_entropy", "labels", "logits")     two faults in one line

Invariants: the student's graph is run on random numbers, however it is written; each of the two
faults that is mended gives half of the points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cgkit.checks.answers import plainly
from cgkit.checks.listing import list_graph
from cgkit.checks.plain import show
from cgkit.checks.plain_graphs import values_of
from cgkit.checks.runner import SEED
from cgkit.checks.static.cases import StaticGraph
from cgkit.checks.static.reading import GraphFault, read_graph
from cgkit.checks.task import Fault, Task
from cgkit.score import Score

Array = np.ndarray
_ARITIES = {"matmul": 2, "softmax_cross_entropy": 2, "mean": 1, "sum": 1}
_SOURCES: Mapping[str, str] = {"images": "placeholder", "labels": "placeholder", "W": "variable"}

MENDED = Task(
    "02_static_dynamic",
    "mended_training",
    3,
    (
        "In which order does softmax_cross_entropy take its operands, and in which do they come?",
        "The loss of 32 pictures: how many numbers is it, and how many can be minimized?",
    ),
)
TASKS = (MENDED,)


def softmax_cross_entropy(logits: Array, labels: Array) -> Array:
    """Give one loss for each row.

    Examples
    --------
    >>> softmax_cross_entropy(np.zeros((1, 4)), np.array([[1.0, 0, 0, 0]])).round(3)
    array([1.386])
    """
    shifted = logits - logits.max(axis=1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    losses: Array = -(labels * logs).sum(axis=1)
    return losses


_OPERATORS: Mapping[str, Callable[..., Any]] = {
    "matmul": np.matmul,
    "softmax_cross_entropy": softmax_cross_entropy,
    "mean": np.mean,
    "sum": np.sum,
}
_SWAPPED = (
    "logits and labels swapped",
    "softmax_cross_entropy takes the logits first. Swapped, it takes the softmax of the labels.",
)
_PER_EXAMPLE = (
    "a loss for each example",
    "The loss is one number for each picture. A step makes *one* number smaller: their mean.",
)
_SUMMED = (
    "the sum in place of the mean",
    "The sum grows with the batch, and so does every step. The mean does not.",
)


def mended_training(answer: object, *, seed: int = SEED) -> Score:
    """Check a student's mended graph by running it; each fault mended gives half of the points.

    Parameters
    ----------
    answer
        A graph, as a dict, with a node called "loss".
    seed
        Decides the numbers it is run on.

    Raises
    ------
    CheckFailed
        It cannot be run, or neither fault is mended.
    """
    graph = _read(answer)
    draw = np.random.default_rng(seed)
    for batch in (5, 1, 3):
        images, weights = draw.normal(size=(batch, 4)), draw.normal(size=(4, 3)) * 2
        labels = np.eye(3)[draw.integers(0, 3, batch)]
        feeds = {"images": images, "labels": labels, "W": weights}
        try:
            loss = np.asarray(values_of(graph, ["loss"], feeds, _OPERATORS)["loss"])
        except Exception as error:  # whatever NumPy says of operands that do not fit
            why = " ".join(f"For a batch of {batch} the graph cannot be run: {error}".split())
            raise MENDED.failed(_fault(graph, type(error).__name__, why)) from None
        left = _judge(graph, loss, images @ weights, labels)
        if left is not None:
            return MENDED.partly(1, 2, "one of the two faults is mended", left)
    return MENDED.passed("the logits come first, and the mean over the batch is one number")


def _read(answer: object) -> StaticGraph:
    """Read a student's graph, or fail."""
    given = plainly(answer)
    if given is None or given == {}:
        why = "mended_training is not filled in yet."
        raise MENDED.failed(Fault("type", "mended_training", "", "", why, unanswered=True))
    try:
        graph = read_graph(given, _ARITIES)
    except GraphFault as fault:
        shown = Fault("type", "mended_training", show(given), "a graph", fault.why)
        raise MENDED.failed(shown) from None
    for name, kind in {**_SOURCES, "loss": ""}.items():
        if name not in graph or (kind and graph[name] != (kind,)):
            why = f"The graph needs a node {name!r}" + (f" that is a {kind}." if kind else ".")
            raise MENDED.failed(_fault(graph, show([*graph]), why))
    strange = [n for n, (k, *_) in graph.items() if k in _SOURCES.values() and n not in _SOURCES]
    if strange:
        raise MENDED.failed(_fault(graph, strange[0], f"Nobody feeds {strange[0]!r}."))
    return graph


def _judge(graph: StaticGraph, loss: Array, logits: Array, labels: Array) -> Fault | None:
    """Give the one fault that is left, or None; fail where neither is mended."""
    rows, turned = softmax_cross_entropy(logits, labels), softmax_cross_entropy(labels, logits)
    if _same(loss, rows.mean()):
        return None
    got = show(loss if loss.ndim else loss.item())
    for value, slip in ((rows, _PER_EXAMPLE), (rows.sum(), _SUMMED), (turned.mean(), _SWAPPED)):
        if _same(loss, value) and len(rows) > 1:
            return _fault(graph, got, slip[1], slip[0])
    for value in (turned, turned.sum()):
        if _same(loss, value):
            raise MENDED.failed(_fault(graph, got, _SWAPPED[1], _SWAPPED[0]))
    raise MENDED.failed(_fault(graph, got, "The loss is another number than the mean loss."))


def _same(one: Array, other: Any) -> bool:
    return one.shape == np.shape(other) and bool(np.allclose(one, other))


def _fault(graph: StaticGraph, got: str, why: str, misconception: str = "") -> Fault:
    marked = [name for name, (kind, *_) in graph.items() if kind == "softmax_cross_entropy"]
    drawing = list_graph(graph, ["loss", *marked])
    wanted = "one number: the mean loss of the batch"
    return Fault("values", "mended_training", got, wanted, why, misconception, drawing)
