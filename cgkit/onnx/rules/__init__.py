"""The rule for each ONNX operator, gathered from the files of its families.

    FAMILY.py    RULES = {"Gather": gather, ...}         a rule: gather(step, x, places)
    operators    Operator("add", ..., onnx="Add")        one to one: no rule is needed

A rule serves every version of its operator, by `step.opset`. An operator of another operator set
goes by both names: "com.example.Twice". What has no rule is expanded by ONNX's own function body,
where there is one. If, Loop and Scan, which hold graphs, have their rules in control.py.
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
        return operator(*operands)

    return rule
