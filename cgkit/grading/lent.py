"""Functions of ours that a student's code may call, and what such a call may cost.

    lent.mark(len)              ──►  {"function": ["builtins", "len"]}    known on both sides
    lent.mark(lambda n: n + 1)  ──►  {"callback": [0, "<lambda>"]}        called back
    lent.call(0, [3], {})       ──►  4

- What is called gets arguments of a student's choosing, so it is given no more than some memory.
- Its errors go in by the name of a built-in one, and a text.
"""

from __future__ import annotations

import builtins
import contextlib
import os
import resource
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cgkit.grading.inside.worker import MODULES
from cgkit.grading.outcomes import builtin_base

ROOM = 1 << 30
"""Bytes that calls may take beyond what is taken when the first one comes."""
_NEVER_BY_NAME = ("eval", "exec", "open", "compile", "__import__", "input", "breakpoint")
_TOLD = 300


class Lent:
    """The functions that were handed in during one conversation, by number."""

    def __init__(self) -> None:
        self._functions: list[Callable[..., Any]] = []
        self._numbers: dict[int, int] = {}
        self._most = 0

    def __getitem__(self, number: int) -> Callable[..., Any]:
        return self._functions[number]

    def mark(self, value: Callable[..., Any]) -> Any:
        """Give the mark of a function: its name where it is known inside, or else its number."""
        name = str(getattr(value, "__name__", ""))
        module = _home(value)
        if module and name not in _NEVER_BY_NAME:
            return {"function": [module, name]}
        number = self._numbers.setdefault(id(value), len(self._functions))
        if number == len(self._functions):
            self._functions.append(value)  # kept, so that its id stays its own
        return {"callback": [number, name or "function"]}

    def call(self, number: int, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Call one of them, in bounds.

        Raises
        ------
        MemoryError
            It would take too much.
        """
        if not self._most and (now := taken()):
            self._most = now + ROOM
        with bounded(self._most) if self._most else contextlib.nullcontext():
            return self[number](*arguments, **named)


def complaint(error: Exception) -> dict[str, Any]:
    """Give the body of a message that says how a function ended.

    Examples
    --------
    >>> complaint(ZeroDivisionError("no"))
    {'raise': 'ZeroDivisionError', 'text': 'no'}
    """
    base = builtin_base([kind.__name__ for kind in type(error).__mro__])
    return {"raise": base.__name__ if base else "RuntimeError", "text": str(error)[:_TOLD]}


@contextlib.contextmanager
def bounded(most: int) -> Iterator[None]:
    """Bound what this process may take, if it is not bounded closer already.

    Parameters
    ----------
    most
        Bytes of address space.
    """
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    if before != resource.RLIM_INFINITY and before <= most:
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def taken() -> int:
    """Give the bytes of address space of this process, or 0 where nobody knows."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return 0
    try:
        return int(os.read(file, 100).split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0
    finally:
        os.close(file)


def _home(value: Any) -> str:
    """Name the module under which a function is known on both sides, or ""."""
    module = getattr(value, "__module__", None) or ("numpy" if isinstance(value, np.ufunc) else "")
    module = {"_operator": "operator"}.get(module, module)
    name = getattr(value, "__name__", "")
    if module not in MODULES:
        return ""
    home = builtins if module == "builtins" else sys.modules.get(module)
    return module if home is not None and vars(home).get(name) is value else ""
