"""Let hypothesis find a failing case and make it small, the same on every machine.

    smallest(strategy, fails, seed, tries)  ──►  (case,), or None

Invariants: no database, no clock, no files; the same seed gives the same cases wherever the course
is installed. Since they are the same, the cases of a search that found nothing can be remembered
and looked at again without being drawn: drawing takes most of the time of a check that passes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

_CASES: dict[Hashable, tuple[Any, ...]] = {}
"""A cache: for each search that found nothing, the cases it looked at."""


def remember(search: Hashable, cases: Sequence[Any]) -> None:
    """Keep the cases of a search that found nothing.

    Parameters
    ----------
    search
        Names the search: its task, its cases, its seed.
    cases
        In the order in which they were looked at; nobody may change them.
    """
    _CASES[search] = tuple(cases)


def remembered(search: Hashable) -> tuple[Any, ...] | None:
    """Give the cases of a search that once found nothing, or None."""
    return _CASES.get(search)


def smallest(
    strategy: Any, fails: Callable[[Any], bool], seed: int, tries: int
) -> tuple[Any] | None:
    """Search for a case that fails and shrink it.

    Parameters
    ----------
    strategy
        A hypothesis strategy.
    fails
        Tells whether a case fails; it never raises.
    seed
        Decides the cases.
    tries
        How many cases to look at.

    Returns
    -------
    tuple or None
        The smallest failing case, alone in a tuple; None when none was found, or when the same
        case failed once and did not fail again.

    Examples
    --------
    >>> from hypothesis import strategies
    >>> smallest(strategies.integers(0, 1000), lambda number: number >= 20, seed=1, tries=100)
    (20,)
    """
    from hypothesis import HealthCheck, Phase, Verbosity, errors, find, settings

    from cgkit.checks import provider

    quiet = settings(
        backend=provider.register(),
        max_examples=tries,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink),
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    try:
        return (find(strategy, fails, settings=quiet, random=random.Random(seed)),)
    except errors.HypothesisException:
        return None
