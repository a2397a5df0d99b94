"""What the code of a function names: globals and closures, attributes, functions inside it.

    def f(x): return x * config.scale     loaded: ("config", "scale")    mentioned: x, config, scale

Only the code is looked at, never run. What a name stands for is found by `reads`.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

LIBRARY = frozenset(("cgkit", "numpy", *sys.stdlib_module_names)) - {"__main__"}
"""Packages whose functions are taken as fixed."""
ROOTS = ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
ANY_NAME = frozenset(("getattr", "vars", "__dict__", "hasattr", "__slots__", "dir"))
"""Whoever mentions one of these may read attributes of any name."""


@lru_cache(maxsize=1024)
def loaded(code: types.CodeType) -> tuple[tuple[str, ...], ...]:
    """Give the names that code loads, each with the attributes that are taken of it.

    Examples
    --------
    >>> import math
    >>> loaded((lambda x: math.pi * x).__code__)
    (('math', 'pi'),)
    """
    found: dict[tuple[str, ...], None] = {}
    for part in codes(code):
        loads: list[str] = []
        for step in dis.get_instructions(part):
            if step.opname in ATTRIBUTES and loads:
                loads.append(str(step.argval))
                continue
            if loads:
                found[tuple(loads)] = None
            loads = [str(step.argval)] if step.opname in ROOTS else []
    return tuple(found)


@lru_cache(maxsize=1024)
def mentioned(code: types.CodeType) -> frozenset[str]:
    """Give all names that code reads, those of attributes included.

    Examples
    --------
    >>> sorted(mentioned((lambda x: x.rate * 2).__code__))
    ['rate']
    """
    return frozenset(
        str(step.argval)
        for part in codes(code)
        for step in dis.get_instructions(part)
        if step.opname in (*ROOTS, *ATTRIBUTES)
    )


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
    return (name or "").split(".")[0] in LIBRARY
