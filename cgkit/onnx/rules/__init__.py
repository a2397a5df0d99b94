"""The rule for each ONNX operator, gathered from the files of its families.

    FAMILY.py    RULES = {"Gather": gather, ...}         a rule: gather(step, x, places)
    operators    Operator("add", ..., onnx="Add")        one to one: no rule is needed

A rule serves every version of its operator, by `step.opset`. An operator of another operator set
goes by both names: "com.example.Twice". What has no rule is expanded by ONNX's own function body,
where there is one. If, Loop and Scan, which carry graphs, will have their rules in control.py.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from cgkit import operators as ops
from cgkit.node import Operator
from cgkit.onnx.step import Rule, Step

NUMPY_BROADCASTS = 7
"""Since this version operands of unlike shapes broadcast as NumPy's do."""
CARRY_GRAPHS = frozenset(("If", "Loop", "Scan", "SequenceMap"))
"""Operators whose attributes hold graphs."""


def full_name(operator: str, domain: str) -> str:
    """Give the name of an operator as rules have it.

    Examples
    --------
    >>> full_name("Add", ""), full_name("Twice", "com.example")
    ('Add', 'com.example.Twice')
    """
    return f"{domain}.{operator}" if domain else operator


@cache
def rules() -> Mapping[str, Rule]:
    """Give every rule by the name of its ONNX operator.

    Examples
    --------
    >>> "Add" in rules()
    True
    """
    found: dict[str, Rule] = {
        operator.onnx: _directly(operator) for operator in ops.ALL.values() if operator.onnx
    }
    for module in pkgutil.iter_modules(__path__):
        found.update(importlib.import_module(f"{__name__}.{module.name}").RULES)
    return MappingProxyType(found)


def _directly(operator: Operator) -> Callable[..., Any]:
    """Make the rule of an operator that is the same in ONNX."""

    def rule(step: Step, *operands: Any) -> Any:
        if len(operands) == 2 and step.opset < NUMPY_BROADCASTS and step.setting("broadcast", 0):
            return operator(operands[0], _stretched(step, *operands))
        return operator(*operands)

    return rule


def _stretched(step: Step, a: Any, b: Any) -> Any:
    """Give b with axes of size 1 behind it, so that its first axis stands under a's axis `axis`.

    So did the first operator sets say which axes of a are b's; b's last ones by default.
    """
    axis = step.setting("axis", a.ndim - b.ndim)
    axis = axis + a.ndim if axis < 0 else axis
    behind = a.ndim - axis - b.ndim
    if behind < 0:
        raise step.refuse(f"cannot put {b.ndim} axes under {a.ndim} from axis {axis} on")
    for _ in range(behind):
        b = ops.unsqueeze(b, axis=b.ndim)
    return b
