"""What orders a graph: to wait is nothing in ONNX, where data alone say what comes first."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.writer import Rule, Term


def _waiting(draft: Draft, x: Term, *tellers: Term) -> Term:
    """Give the operand itself: sizes are computed from whatever tells them."""
    return x


RULES: Mapping[str, Rule] = MappingProxyType({"sized": _waiting, "after": _waiting})
