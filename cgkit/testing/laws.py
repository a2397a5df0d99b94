"""The laws of operators: all readings of one definition must agree, on every sample.

    add ── samples ──┬── readings: values        (cgkit.testing.readings)
                     └── slopes: gradients       (cgkit.testing.slopes)

A law is a function that raises LawBroken; `check_operator` runs them all. Whoever adds an operator
gives it samples and runs this.
"""

from __future__ import annotations

from collections.abc import Callable

from cgkit.node import Operator, Sample
from cgkit.testing.cases import samples_of
from cgkit.testing.differences import LawBroken
from cgkit.testing.readings import (
    counted,
    dtypes_agree,
    inferred,
    open_sizes,
    pure,
    readings_agree,
    scalar_agrees,
)
from cgkit.testing.slopes import gradients_agree, saves_are_read, slopes_right

Law = Callable[[Operator, Sample], None]


def documented(operator: Operator) -> None:
    """Demand words for people: what it computes, and what a picture shows."""
    if not operator.doc.strip() or not operator.label.strip():
        raise LawBroken(f"{operator.name} has no doc or no label")


LAWS: tuple[Law, ...] = (
    inferred, readings_agree, open_sizes, scalar_agrees, pure, counted, dtypes_agree, slopes_right,
    gradients_agree,
)  # fmt: skip
"""Laws of an operator on one sample."""
WHOLE: tuple[Callable[[Operator], None], ...] = (documented, saves_are_read)
"""Laws of an operator as a whole."""


def check_operator(operator: Operator) -> int:
    """Check every law on every sample of an operator.

    Returns
    -------
    int
        How many samples there were.

    Raises
    ------
    LawBroken
        At the first law that does not hold.

    Examples
    --------
    >>> from cgkit import ops
    >>> check_operator(ops.tanh) > 5
    True
    """
    found = samples_of(operator)
    for whole in WHOLE:
        whole(operator)
    for law in LAWS:
        for sample in found:
            law(operator, sample)
    return len(found)
