"""Arithmetic, comparison, rounding, logic and bits as ONNX says them.

whole numbers over 0      an error of the machine in some runtimes: the divisor is made 1 first
truth values              Add is Or, Mul is And (`draft.OF_BOOLEANS`)
shifts, mod of floats     as NumPy's from operator set 28 on; in older words before that
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.dtypes import as_number
from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.writer import Rule, Term


def _where(draft: Draft, condition: Term, a: Term, b: Term) -> Term:
    return draft.where(condition, a, b, draft.dtype)


def _cast(draft: Draft, a: Term, dtype: Any) -> Term:
    return draft.cast(a, dtype)


def _bitcast(draft: Draft, a: Term, dtype: Any) -> Term:
    return draft.add("BitCast", a, gives=draft.dtype, to=as_number(draft.dtype))


def _neg(draft: Draft, a: Term) -> Term:
    if draft.dtype.kind == "u":  # they wrap, as 0 - a does
        return draft.add("Sub", draft.constant(0, draft.dtype), a)
    return draft.directly(a, operator="Neg")


def _relu(draft: Draft, a: Term) -> Term:
    return draft.add("Relu", a) if draft.dtype.kind == "f" else draft.add("Max", a, 0)


def _rounding(operator: str) -> Rule:
    def rule(draft: Draft, a: Term) -> Term:
        return draft.directly(a, operator=operator) if draft.dtype.kind == "f" else a

    return rule


def _trunc(a: Any) -> Any:
    if a.dtype.kind != "f":
        return a
    return ops.where(ops.less(a, 0), ops.ceil(a), ops.floor(a))


def _remainder(fmod: int) -> Rule:
    def rule(draft: Draft, a: Term, b: Term) -> Term:
        a, b = draft.cast(a, draft.dtype), draft.cast(b, draft.dtype)
        if draft.dtype.kind == "f":
            if fmod or draft.opset >= 28:
                return draft.add("Mod", a, b, fmod=fmod)
            return _float_mod(draft, a, b)
        return draft.add("Mod", a, _divisor(draft, b), fmod=fmod)

    return rule


def _divisor(draft: Draft, b: Term) -> Term:
    """Put 1 for 0 and -1: nothing is left over by any of them, and 1 divides without a fault."""
    odd = draft.add("Equal", b, 0, gives=bool)
    if b.dtype.kind == "i":
        odd = draft.add("Or", odd, draft.add("Equal", b, -1, gives=bool))
    return draft.where(odd, 1, b, b.dtype)


def _float_mod(draft: Draft, a: Term, b: Term) -> Term:
    """Bring what a division toward 0 leaves over to the sign of b."""
    rest = draft.add("Mod", a, b, fmod=1)
    zero = draft.constant(0, rest.dtype)
    unlike = draft.add(
        "Xor", draft.add("Less", rest, zero, gives=bool), draft.add("Less", b, zero, gives=bool)
    )
    there = draft.add("Not", draft.add("Equal", rest, zero, gives=bool))
    moved = draft.add("Add", rest, b)
    return draft.where(draft.add("And", unlike, there), moved, rest, rest.dtype)


def _floor_div(draft: Draft, a: Term, b: Term) -> Term:
    a, b = draft.cast(a, draft.dtype), draft.cast(b, draft.dtype)
    if draft.dtype.kind == "f":
        quotient: Term = draft.express(_float_quotient, a, b)
        return quotient
    safe = _divisor(draft, b)
    quotient = draft.add("Div", a, safe)  # rounded toward 0
    if draft.dtype.kind == "i":
        rest = draft.add("Mod", a, safe)
        signs = draft.add("Mul", draft.add("Sign", rest), draft.add("Sign", a))
        unlike = draft.add("Less", signs, 0, gives=bool)
        quotient = draft.add("Sub", quotient, draft.cast(unlike, a.dtype))
        minus = draft.add("Equal", b, -1, gives=bool)
        quotient = draft.where(minus, draft.add("Neg", a), quotient, a.dtype)
    none = draft.add("Equal", b, 0, gives=bool)
    return draft.where(none, 0, quotient, a.dtype)


def _float_quotient(a: Any, b: Any) -> Any:
    """Take off what is left over before dividing, so that 1.0 // 0.1 is 9, as NumPy's is."""
    rest = ops.fmod(a, b)
    exact = ops.div(a - rest, b)
    unlike = ops.logical_xor(ops.less(rest, 0), ops.less(b, 0))
    below = ops.logical_and(unlike, ops.not_equal(rest, 0))
    exact = ops.where(below, exact - 1.0, exact)
    down = ops.floor(exact)
    down = ops.where(ops.greater(exact - down, 0.5), down + 1.0, down)
    return ops.where(ops.equal(b, 0), ops.div(a, b), down)


def _shift(direction: str) -> Rule:
    def rule(draft: Draft, a: Term, b: Term) -> Term:
        a, b = draft.cast(a, draft.dtype), draft.cast(b, draft.dtype)
        if draft.opset >= 28:
            return draft.add("BitShift", a, b, direction=direction)
        return _old_shift(draft, a, b, direction)

    return rule


def _old_shift(draft: Draft, a: Term, b: Term, direction: str) -> Term:
    """Shift as unsigned numbers, within their bits; what is negative is turned round before."""
    bits = 8 * draft.dtype.itemsize
    plain = np.dtype(f"uint{bits}")
    turned = draft.dtype.kind == "i" and direction == "RIGHT"
    below = draft.add("Less", a, 0, gives=bool) if turned else None
    if below is not None:
        a = draft.where(below, draft.add("BitwiseNot", a), a, a.dtype)
    count = draft.cast(b, plain)
    inside = draft.add("Less", count, bits, gives=bool)
    count = draft.where(inside, count, 0, plain)
    moved = draft.add("BitShift", draft.cast(a, plain), count, direction=direction)
    moved = draft.cast(draft.where(inside, moved, 0, plain), draft.dtype)
    if below is not None:
        moved = draft.where(below, draft.add("BitwiseNot", moved), moved, draft.dtype)
    return moved


def _pow(draft: Draft, a: Term, b: Term) -> Term:
    if draft.dtype != np.uint64:
        return draft.directly(a, b, operator="Pow")
    a, b = draft.cast(a, np.int64), draft.cast(b, np.int64)  # the same bits, as long as it fits
    return draft.add("Pow", a, b)


def _called(operator: str) -> Rule:
    """Make the rule of an operator whose name means more in ONNX, or that it has under another."""

    def rule(draft: Draft, *operands: Term) -> Term:
        return draft.directly(*operands, operator=operator)

    return rule


def _asked(operator: str) -> Rule:
    """Make the rule of a question about floats; whole numbers are asked as such."""

    def rule(draft: Draft, a: Term) -> Term:
        return draft.add(
            operator, a if a.dtype.kind == "f" else draft.cast(a, "float32"), gives=bool
        )

    return rule


def _gate(g: Any, y: Any) -> Any:
    shut = 0 if y.dtype.kind != "f" else ops.where(ops.isnan(y), y, 0.0)
    return ops.where(ops.greater(y, 0), g, ops.cast(shut, dtype=g.dtype.name))


def _share(g: Any, a: Any, b: Any, tie: float = 0.5) -> Any:
    part = ops.where(ops.equal(a, b), g * tie, 0.0)
    if "f" in (a.dtype.kind, b.dtype.kind):
        part = ops.where(ops.logical_or(ops.isnan(a), ops.isnan(b)), np.nan, part)
    return ops.where(ops.greater(a, b), g, part)


RULES: Mapping[str, Rule] = MappingProxyType({
    "where": _where, "cast": _cast, "bitcast": _bitcast, "neg": _neg, "relu": _relu,
    "floor": _rounding("Floor"), "ceil": _rounding("Ceil"), "round": _rounding("Round"),
    "mod": _remainder(0), "fmod": _remainder(1), "floor_div": _floor_div,
    "left_shift": _shift("LEFT"), "right_shift": _shift("RIGHT"),
    "isinf": _asked("IsInf"), "isnan": _asked("IsNaN"),
    "div": _called("Div"), "pow": _pow, "at_least": _called("Max"),
    "at_most": _called("Min"),
})  # fmt: skip
FORMULAS: Mapping[str, Rule] = MappingProxyType({
    "not_equal": lambda a, b: ops.logical_not(ops.equal(a, b)),
    "isfinite": lambda a: ops.logical_not(ops.logical_or(ops.isnan(a), ops.isinf(a))),
    "trunc": _trunc, "gate": _gate, "share": _share,
})  # fmt: skip
