"""The text of outcomes: a block for each case, a line for each form of each peer.

    eager-backward   (x * y + x).sum().backward()
      target  3 times as fast as torch

      2x3, 1 thread    minimum     median   ratio  of minima   rounds
        cgkit          9.70 us    10.1 us                          25
        torch          38.8 us    40.0 us     4.0        4.0       25
        mygrad       not installed

A ratio is the median of a line, divided by the median of our best: above 1, we are faster.
"""

from __future__ import annotations

from collections.abc import Iterator

from cgkit.bench.measure import Measured, Outcome
from cgkit.bench.row import Row
from cgkit.bench.timing import duration, ratio, times

COLUMNS = (("minimum", 10), ("median", 10), ("ratio", 7), ("of minima", 10), ("rounds", 7))
RULE = "ratio = a peer's median / the best of ours: above 1, cgkit is faster"


def heading(row: Row) -> Iterator[str]:
    """Write what a row measures, and what it aims at."""
    yield f"{row.name}   {row.what}"
    if row.target:
        yield f"  target  {row.target}"


def lines(outcome: Outcome) -> list[str]:
    """Write an outcome: its title, a line for each form of each peer, and what is wrong.

    Parameters
    ----------
    outcome
        What was measured.

    Returns
    -------
    list of str
        Lines without colors.
    """
    labels = [_label(outcome, one) for one in outcome.measured]
    width = max(map(len, [outcome.case.title, *labels, *outcome.absent]))
    titles = tuple(name for name, _ in COLUMNS)
    first = _line(f"  {outcome.case.title}", width, titles if labels else ())
    figures = [
        _line(f"    {label}", width, _figures(outcome, one))
        for label, one in zip(labels, outcome.measured, strict=True)
    ]
    gone = [f"    {name:<{width}}  not installed" for name in outcome.absent]
    said = [f"    {line}" for line in remarks(outcome)]
    return [first, *figures, *gone, *said]


def remarks(outcome: Outcome) -> list[str]:
    """Give what there is to say beyond figures: faults, and the row's own remark."""
    faults = [line for fault in outcome.faults for line in fault.splitlines()]
    peers = {one.peer for one in outcome.measured}
    medians = {name: best.timing.median for name in peers if (best := outcome.best(name))}
    remark = outcome.case.row.remark
    return [*faults, *filter(None, [remark(medians) if remark and medians else ""])]


def _line(label: str, width: int, cells: tuple[str, ...]) -> str:
    columns = zip(cells, COLUMNS, strict=False)
    right = "".join(f"{cell:>{size}} " for cell, (_, size) in columns)
    return f"{label:<{width + 4}}  {right}".rstrip()


def _label(outcome: Outcome, one: Measured) -> str:
    forms = {other.form for other in outcome.measured}
    return f"{one.peer}, {one.form}" if len(forms) > 1 else one.peer


def _figures(outcome: Outcome, one: Measured) -> tuple[str, ...]:
    """Write the cells of a line; our best has no ratio, since the others are held to it."""
    timing, ours = one.timing, outcome.ours
    ratios = ("", "")
    if ours is not None and ours is not one:
        ratios = (
            times(ratio(timing.median, ours.timing.median)),
            times(ratio(timing.minimum, ours.timing.minimum)),
        )
    return (duration(timing.minimum), duration(timing.median), *ratios, str(timing.rounds))
