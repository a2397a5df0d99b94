"""Whether anything that was looked at is another thing now: the quick answer.

    walk through all that a function reads  ─> a Snapshot
    snapshot.holds()                        True: every name, list and object is what it was

Things are compared by being the same ones, so a look costs little, and what holds is certain. What
does not hold may still be equal: then the walk is done again.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from operator import is_
from typing import Any

import numpy as np

from cgkit.tensor import Tensor

LARGE = 10_000
"""Bytes from which on arrays are compared without a copy, such as all examples of a training."""
MISSING = object()
"""Stands for a name that has no value."""


class Snapshot:
    """What a walk saw, to be compared with what is there now."""

    def __init__(self) -> None:
        self._names: list[tuple[Any, str, Any]] = []
        self._cells: list[tuple[types.CellType, Any]] = []
        self._attributes: list[tuple[Any, str, Any]] = []
        self._answers: list[tuple[Callable[[Any], Any], Any, Any]] = []
        self._tables: list[tuple[Any, tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]] = []
        self._whole: list[tuple[dict[Any, Any], dict[Any, Any]]] = []
        self._lists: list[tuple[list[Any], tuple[Any, ...]]] = []
        self._sets: list[tuple[Any, Any]] = []
        self._tensors: list[tuple[Tensor, Any, bool]] = []
        self._arrays: list[tuple[np.ndarray, np.ndarray]] = []
        self._kept: list[Any] = []

    def name(self, table: Any, key: str) -> Any:
        """Look up a name in a namespace; `MISSING` if it is not there."""
        value = table.get(key, MISSING)
        self._names.append((table, key, value))
        return value

    def cell(self, cell: types.CellType) -> Any:
        """Look at a variable of a function around; `MISSING` if it is not assigned yet."""
        value = _content(cell)
        self._cells.append((cell, value))
        return value

    def attribute(self, owner: Any, name: str) -> Any:
        """Look at an attribute; `MISSING` if there is none."""
        value = getattr(owner, name, MISSING)
        self._attributes.append((owner, name, value))
        return value

    def answer(self, ask: Callable[[Any], Any], owner: Any) -> Any:
        """Look at what a function gives of an object."""
        value = ask(owner)
        self._answers.append((ask, owner, value))
        return value

    def table(self, table: Any, wanted: Iterable[Any] | None = None) -> None:
        """Look at a dict: at all its keys, and at the values of those that are wanted."""
        keys = tuple(table)
        watched = keys if wanted is None else tuple(wanted)
        self._tables.append((table, keys, watched, tuple(map(table.get, watched))))
        if isinstance(table, dict):
            self._whole.append((table, dict(table)))

    def items(self, listed: list[Any]) -> None:
        """Look at what a list holds."""
        self._lists.append((listed, tuple(listed)))

    def members(self, several: Any) -> None:
        """Look at what a set holds."""
        self._sets.append((several, frozenset(several)))

    def tensor(self, x: Tensor) -> None:
        """Look at the type of a tensor."""
        self._tensors.append((x, (x.data.__class__, x.shape, x.dtype), x.edge is None))

    def array(self, x: np.ndarray) -> np.ndarray:
        """Look at the numbers of an array; give them as they are now."""
        numbers = x.copy()
        self._arrays.append((x, numbers))
        return numbers

    def keep(self, thing: Any) -> None:
        """Keep a thing alive, lest another one get its place in memory."""
        self._kept.append(thing)

    def holds(self) -> bool:
        """Say whether all is as it was."""
        return self._names_hold() and self._contents_hold() and self._tensors_hold()

    def restore(self, wrong: Callable[[Any], bool]) -> list[str]:
        """Put back what names, variables and attributes had, where something is wrong now.

        Returns
        -------
        list of str
            Those names.
        """
        looked = [*self._names]
        for table, before in self._whole:
            looked += [(table, key, before.get(key, MISSING)) for key in table]
        found = []
        for cell, value in self._cells:
            if wrong(_content(cell)):
                found.append("a variable around it")
                if value is MISSING:
                    del cell.cell_contents
                else:
                    cell.cell_contents = value
        for table, key, value in looked:
            if isinstance(table, dict) and wrong(table.get(key)):
                found.append(str(key))
                if value is MISSING:
                    del table[key]
                else:
                    table[key] = value
        return found

    def _names_hold(self) -> bool:
        for table, key, value in self._names:
            if table.get(key, MISSING) is not value:
                return False
        for cell, value in self._cells:
            if _content(cell) is not value:
                return False
        for owner, name, value in self._attributes:
            if getattr(owner, name, MISSING) is not value:
                return False
        return all(ask(owner) is value for ask, owner, value in self._answers)

    def _contents_hold(self) -> bool:
        for table, keys, watched, values in self._tables:
            if len(table) != len(keys) or not all(map(is_, table, keys)):
                return False
            if not all(map(is_, map(table.get, watched), values)):
                return False
        for listed, items in self._lists:
            if len(listed) != len(items) or not all(map(is_, listed, items)):
                return False
        return all(several == members for several, members in self._sets)

    def _tensors_hold(self) -> bool:
        for x, (kind, shape, dtype), plain in self._tensors:
            data = x.data
            if (
                data.__class__ is not kind or data.shape != shape or data.dtype is not dtype
                or (x.edge is None) is not plain
            ):  # fmt: skip
                return False
        return all(same_numbers(x, numbers) for x, numbers in self._arrays)


def same_numbers(x: np.ndarray, y: np.ndarray) -> bool:
    """Say whether two arrays are equal to the last bit, their types included.

    Examples
    --------
    >>> same_numbers(np.array(0.0), np.array(-0.0)), same_numbers(np.array(1), np.array(1))
    (False, True)
    """
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    size = x.dtype.itemsize
    if x.nbytes < LARGE or size not in (1, 2, 4, 8) or x.dtype.hasobject:
        return x.tobytes() == y.tobytes()
    return np.array_equal(x.view(f"u{size}"), y.view(f"u{size}"))


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return MISSING
