"""What an answer may give back, learned from the instructor's own answer.

    reference run:  index(graph) gave data, sort_in_place(list) changed its argument 0
      ──► Policy: index gives data only; sort_in_place changes argument 0, and is seen to

An object that counts up each time it is compared can look like every right answer. So a student's
function may give back something other than data only where the reference does, of the same kind;
and what it does to its arguments is copied back only where the reference changes them.

Keys are ways of naming: ``mean``, ``Stack()``, ``Stack().push``; ``mean=`` is what the name holds,
``mean()[]`` what lies within the data that it gives. A chain of steps counts by its beginning and
its end, so that a loop of any length stays what it was in the reference run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cgkit.grading.parcels import OBJECTS

DATA = "data"
EMPTY = "empty"
"""Stands for "an empty array" among kinds."""
NUMBERS = "numbers"
"""Stands for "a number, or an array" among kinds."""
SEQUENCE = "sequence"
"""Stands for "a list or a tuple" among kinds; another of them may be empty."""
_ROOT = re.compile(r"[^.\[]*")


def reached(key: str, step: str) -> str:
    """Name what lies one step from something.

    Examples
    --------
    >>> reached("Stack()", ".push"), reached("Stack().push()", ".push"), reached("walk()[]", "[]")
    ('Stack().push', 'Stack().push', 'walk()[]')
    """
    found = _ROOT.match(key)
    return f"{found[0] if found else key}{step}"


def called(key: str) -> str:
    """Name what a call gives.

    Examples
    --------
    >>> called("mean"), called("add()"), called("add()()")
    ('mean()', 'add()()', 'add()()')
    """
    return key if key.endswith("()()") else f"{key}()"


@dataclass(frozen=True)
class Behavior:
    """What one exported name did in the reference run."""

    kinds: frozenset[str] = frozenset()
    """Kinds of things it gave back that are no data."""
    changes: frozenset[int] = frozenset()
    """Numbers of the arguments it changed; `OBJECTS` for objects of given classes in them."""


@dataclass(frozen=True)
class Policy:
    """What is permitted, and how long the reference took."""

    behaviors: Mapping[str, Behavior] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    """For each cell, what it took in the reference run."""

    learning = False

    def allows(self, key: str, kind: str) -> bool:
        """Tell whether `key` may give back a thing of this kind."""
        return kind == DATA or kind in self.behaviors.get(key, Behavior()).kinds

    def changes(self, key: str, count: int) -> tuple[int, ...]:
        """Give the numbers of those of `count` arguments whose changes are copied back."""
        known = self.behaviors.get(key, Behavior()).changes
        return tuple(number for number in sorted(known) if number < count)

    def note_change(self, key: str, number: int) -> None:
        """Take notice of a changed argument; a policy that is fixed takes none."""


class Learner(Policy):
    """Permits everything and remembers it.

    Examples
    --------
    >>> learner = Learner()
    >>> learner.allows("Stack()", "object"), learner.policy({}).allows("Stack()", "object")
    (True, True)
    >>> learner.policy({}).allows("mean", "object")
    False
    """

    learning = True

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[str, set[str]] = {}
        self._changes: dict[str, set[int]] = {}

    def allows(self, key: str, kind: str) -> bool:
        """Say yes, and remember."""
        self._kinds.setdefault(key, set()).add(kind)
        return True

    def changes(self, key: str, count: int) -> tuple[int, ...]:
        """Ask for all."""
        return (OBJECTS, *range(count))

    def note_change(self, key: str, number: int) -> None:
        """Remember a changed argument."""
        self._changes.setdefault(key, set()).add(number)

    def policy(self, seconds: Mapping[str, float]) -> Policy:
        """Give what was learned."""
        names = self._kinds.keys() | self._changes.keys()
        behaviors = {
            name: Behavior(
                frozenset(self._kinds.get(name, ())) - {DATA},
                frozenset(self._changes.get(name, ())),
            )
            for name in sorted(names)
        }
        return Policy(behaviors, dict(seconds))


def put_back(old: Any, new: Any) -> None:
    """Make a list, dict, set or array of the caller's equal to what a student made of it.

    Examples
    --------
    >>> items = [3, 1]
    >>> put_back(items, [1, 3]); items
    [1, 3]
    """
    if type(old) is not type(new):
        return
    if isinstance(old, list | bytearray):
        old[:] = new
    elif isinstance(old, dict | set):
        old.clear()
        old.update(new)
    elif isinstance(old, np.ndarray) and old.shape == new.shape:
        old[...] = new.astype(old.dtype)
