"""The fence for answers that the course itself brings, which may also run without one.

    best()    as grading would run them here, or UNSANDBOXED where there is no fence

What students hand in is graded behind a fence or not at all: `cgkit.grading.sandbox.find`.
"""

from __future__ import annotations

from cgkit.errors import EnvironmentFault
from cgkit.grading.sandbox import Situation, find


def best() -> Situation:
    """Find the best fence of this machine, or none."""
    try:
        return find()
    except EnvironmentFault:
        return find("none")
