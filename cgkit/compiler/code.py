"""What the code of a function names: globals and closures, attributes, functions inside it.

    def f(x): return x * config.scale        loaded: config     mentioned: config, scale

Only the code is looked at, never run. What a name stands for is found by `reads`.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

LIBRARY = frozenset(("cgkit", "numpy", *sys.stdlib_module_names)) - {"__main__"}
"""Packages whose functions are taken as fixed."""
GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM")
PATTERN = "MATCH_CLASS"
"""What a case does that takes an object apart: `case Config(rate=r)`, `case Config(r)`."""
ANY_NAME = frozenset((
    "getattr", "vars", "__dict__", "hasattr", "__slots__", "dir", "attrgetter", "methodcaller",
    "getmembers", "__getattribute__", PATTERN,
))  # fmt: skip
"""Whoever mentions one of these may read attributes of any name."""
ALL_GLOBALS = frozenset(("globals", "eval", "exec"))
"""Whoever calls one of these may read globals of any name."""


@lru_cache(maxsize=1024)
def loaded(code: types.CodeType) -> tuple[str, ...]:
    """Give the names of globals that code loads.

    Examples
    --------
    >>> import math
    >>> loaded((lambda x: math.pi * x).__code__)
    ('math',)
    """
    return tuple(dict.fromkeys(_said(code, GLOBALS)))


@lru_cache(maxsize=1024)
def mentioned(code: types.CodeType) -> frozenset[str]:
    """Give the names of globals and of attributes that code reads, and whether it has patterns.

    Examples
    --------
    >>> sorted(mentioned((lambda x: x.rate * 2).__code__))
    ['rate']
    """
    steps = {step.opname for part in codes(code) for step in dis.get_instructions(part)}
    return frozenset(_said(code, (*GLOBALS, *ATTRIBUTES))) | ({PATTERN} & steps)


@lru_cache(maxsize=1024)
def imported(code: types.CodeType, package: str = "") -> tuple[str, ...]:
    """Give the names of the modules that code may import, when it is run.

    Parameters
    ----------
    package
        Where the code belongs, whose parts may be meant by `from . import`.

    Examples
    --------
    >>> def fn():
    ...     import os.path
    >>> imported(fn.__code__), imported(fn.__code__, "mine.own")
    (('os', 'os.path'), ('os', 'os.path', 'mine.os.path', 'mine.own.os.path'))
    """
    found: dict[str, None] = {}
    parts = package.split(".") if package else []
    around = [".".join(parts[: i + 1]) for i in range(len(parts))]
    for name in _said(code, ("IMPORT_NAME",)):
        each = [name.split(".")[0], name, *(f"{outer}.{name}".rstrip(".") for outer in around)]
        found.update(dict.fromkeys(filter(None, each)))
    return tuple(found)


def _said(code: types.CodeType, acts: Sequence[str]) -> Iterator[str]:
    """Walk over the names with which code does some acts."""
    for part in codes(code):
        for step in dis.get_instructions(part):
            if step.opname in acts:
                yield str(step.argval)


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Walk over a function's code, and that of the functions written inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def cells(fn: types.FunctionType) -> dict[str, types.CellType]:
    """Give the places of the names that a function has from the functions around it."""
    return dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))


def is_library(thing: Any) -> bool:
    """Say whether something belongs to a package that is taken as fixed.

    Examples
    --------
    >>> is_library(np.exp), is_library(is_library), is_library(np.ones(2))
    (True, True, False)
    """
    if isinstance(thing, np.ufunc | types.BuiltinFunctionType):
        return True
    if isinstance(thing, types.FunctionType | type):
        name = thing.__module__
    elif isinstance(thing, types.ModuleType):
        name = thing.__name__
    else:
        return type(thing).__module__.split(".")[0] in ("numpy", "builtins") and callable(thing)
    return isinstance(name, str) and name.split(".")[0] in LIBRARY
