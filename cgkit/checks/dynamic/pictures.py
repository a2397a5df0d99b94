"""Task 10 of notebook 02a: the forward and the backward pass in one drawing.

    x ──► s = x + y ──► z = s * y          g is the gradient of z
    g * y ──► gradient of s and of x       g * s, plus that  ──► gradient of y

Invariant: drawings are read as text and compared as graphs; how they look does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping

from cgkit.checks.graphs.pictures import check_drawing
from cgkit.checks.runner import SEED
from cgkit.checks.task import Task
from cgkit.score import Score

BOTH_WAYS: Mapping[str, tuple[object, ...]] = {
    "x": ("input",),
    "y": ("input",),
    "g": ("input",),
    "s": ("add", "x", "y"),
    "z": ("multiply", "s", "y"),
    "ds": ("multiply", "g", "y"),
    "p": ("multiply", "g", "s"),
    "dy": ("add", "ds", "p"),
}

DRAWING = Task(
    "02_static_dynamic",
    "both_ways_drawing",
    5,
    (
        "Go backward with letters instead of numbers: z = s * y. What are the gradients of s and "
        "of y, if that of z is g? Each multiplication is a node.",
        "Which node of the forward pass do these multiplications read, beside g?",
        "y has two readers. Which node adds what comes back from both? And what must be computed "
        "for x, after s has its gradient?",
    ),
)
TASKS = (DRAWING,)


def both_ways_drawing(drawing: object, *, seed: int = SEED) -> Score:
    """Check a student's drawing of z = (x + y) * y, forward and backward.

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
    check_drawing(DRAWING, drawing, BOTH_WAYS, "z = (x + y) * y, and its gradients from g")
    return DRAWING.passed("3 inputs, 2 operators forward, 3 backward: the drawing is this graph")
