"""Hypothesis's own way of choosing values, without the constants it picks up where it runs.

    settings(backend="cgkit")  ──►  SeededProvider  ──►  the same cases on every machine

By itself hypothesis reads numbers out of the source files that lie around, mixes them in, and
stores them in a folder beside the notebook. This module imports hypothesis: load it late.
"""

from __future__ import annotations

from typing import Any

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

BACKEND = "cgkit"
"""The name to give to `hypothesis.settings(backend=...)` after `register`."""


class SeededProvider(HypothesisProvider):
    """Draws every value from the seeded source of randomness."""

    def _maybe_draw_constant(self, *arguments: Any, **options: Any) -> None:
        """Draw no constant: which ones there are depends on the machine."""


def register() -> str:
    """Make the provider known to hypothesis, and give its name."""
    AVAILABLE_PROVIDERS[BACKEND] = f"{__name__}.{SeededProvider.__name__}"
    return BACKEND
