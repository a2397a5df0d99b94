"""What each operator of ours becomes in ONNX, gathered from the files of its families.

    Operator("add", ..., onnx="Add")         one to one: nothing else is needed
    RULES     "cast": rule(draft, a, dtype)  ONNX nodes, by the params of ours
    FORMULAS  "rsqrt": 1 / sqrt(a)           the same in simpler operators of ours, written in turn
    REASONS   "uniform": why                 what ONNX cannot say, and what to try

A rule goes before a formula, and both before what is one to one.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from cgkit.onnx.exporting.writer import Rule


@cache
def _gathered(what: str) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(__path__):
        found.update(getattr(importlib.import_module(f"{__name__}.{module.name}"), what, {}))
    return MappingProxyType(found)


def rules() -> Mapping[str, Rule]:
    """Give the rule of each operator that is written as ONNX nodes.

    Examples
    --------
    >>> "reshape" in rules()
    True
    """
    return _gathered("RULES")


def formulas() -> Mapping[str, Rule]:
    """Give the formula of each operator that simpler ones say.

    Examples
    --------
    >>> "rsqrt" in formulas()
    True
    """
    return _gathered("FORMULAS")


def reasons() -> Mapping[str, tuple[str, str]]:
    """Give for each operator that cannot be exported why, and what to try.

    Examples
    --------
    >>> reasons()["uniform"][0]
    "ONNX's random operators take no key, so they would draw other numbers"
    """
    return _gathered("REASONS")
