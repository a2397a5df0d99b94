"""Rules of operators that hold graphs: If, Loop and Scan.

    If(p)            the branch itself where p is known          cond(p, then, otherwise)
    Loop(m, go, v)   step by step where all of it is known       scan, or while_scan
    Scan(v, xs)      likewise                                    scan

Where all that a loop reads is known, it is walked over again and again on arrays, and a state may
change its shape from step to step. In a graph it may not: then the model is built for known values,
or evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.control import cond, scan, while_scan
from cgkit.errors import DtypeError, OperandError, ShapeError, UnknownValue
from cgkit.onnx.part import Part
from cgkit.onnx.sizes import Sizes
from cgkit.onnx.step import Rule, Step
from cgkit.operators.settings import normal_axis
from cgkit.symbolic import Value
from cgkit.types import Dim

UNLIKE = (ShapeError, DtypeError, OperandError)
"""Errors of control flow whose parts do not fit together."""
Operands = Sequence[Any]


def _if(step: Step, condition: Any) -> Any:
    then, otherwise = _part(step, "then_branch"), _part(step, "else_branch")
    if _is_known(condition):
        return then() if _single(step, condition, "its condition") else otherwise()
    pred = _scalar(step, condition, "its condition")
    try:
        return cond(pred, lambda: _operands(then()), lambda: _operands(otherwise()))
    except UNLIKE as error:
        raise _open(step, [condition], error) from error


def _loop(step: Step, trips: Any = None, condition: Any = None, *states: Any) -> Any:
    body = _part(step, "body")
    if len(body.inputs) != 2 + len(states) or len(body.outputs) < 1 + len(states):
        raise step.refuse(
            f"has {len(states)} states, and a body from {len(body.inputs)} inputs to "
            f"{len(body.outputs)} outputs"
        )
    given = [x for x in (trips, condition, *states) if x is not None]
    if all(map(_is_known, (*given, *body.taken()))):
        return _looped(step, body, trips, condition, states)
    endless = condition is None or (_is_known(condition) and bool(np.all(condition)))
    try:
        if endless and body.passes(0, 1) and not isinstance(trips, Value) and trips is not None:
            return _counted(step, body, trips, states)
        return _tested(step, body, trips, condition, states)
    except UNLIKE as error:
        raise _open(step, given, error) from error


def _looped(step: Step, body: Part, trips: Any, condition: Any, states: Operands) -> Any:
    """Walk over the body again and again, on arrays."""
    most = None if trips is None else int(_single(step, trips, "its number of trips"))
    go = condition is None or bool(_single(step, condition, "its condition"))
    rows: list[Operands] = []
    number = 0
    while go and (most is None or number < most):
        verdict, *found = body(np.int64(number), np.bool_(go), *states)
        go = bool(_single(step, verdict, "the condition that its body gives"))
        states, kept = found[: len(states)], found[len(states) :]
        rows.append(kept)
        number += 1
    return (*states, *_stacked(body, 1 + len(states), rows))


def _counted(step: Step, body: Part, trips: Any, states: Operands) -> Any:
    """Repeat the body so many times: how many is known, or an open size."""
    (length,) = step.sizes(trips, "its number of trips")
    length = length if isinstance(length, Dim) else max(length, 0)

    def act(state: Any, _: Any) -> tuple[Any, Any]:
        number, carry = state
        _, *found = _operands(body(number, np.bool_(True), *carry))
        return (number + 1, tuple(found[: len(carry)])), tuple(found[len(carry) :])

    first = step.value(np.int64(0)), _values(step, states)
    (_, ends), kept = scan(act, first, length=length)
    return (*ends, *kept)


def _tested(step: Step, body: Part, trips: Any, condition: Any, states: Operands) -> Any:
    """Run the body as long as a condition holds, or so many times as only the run tells."""
    if _is_known(trips) and trips is not None and np.all(trips == np.iinfo(np.int64).max):
        trips = None  # what writers say for a loop that only its condition ends
    if trips is None and condition is None:
        raise step.refuse("has neither a number of trips nor a condition, and never ends")
    most = None if trips is None else _scalar(step, trips, "its number of trips")
    start = np.True_ if condition is None else _scalar(step, condition, "its condition")

    def holds(state: Any) -> Any:
        number, go, _ = state
        return go if most is None else ops.logical_and(go, ops.less(number, most))

    def act(state: Any) -> tuple[Any, Any]:
        number, go, carry = state
        verdict, *found = _operands(body(number, go, *carry))
        go = _scalar(step, verdict, "the condition that its body gives")
        return (number + 1, go, tuple(found[: len(carry)])), tuple(found[len(carry) :])

    first = step.value(np.int64(0)), step.value(start), _values(step, states)
    (_, _, ends), kept = while_scan(holds, act, first)
    return (*ends, *kept)


def _scan(step: Step, *inputs: Any) -> Any:
    if step.opset < 9:
        return _batched(step, *inputs)
    many = int(step.setting("num_scan_inputs"))
    if not 0 < many <= len(inputs):
        raise step.refuse(f"has {len(inputs)} inputs, and {many} of them to be read in slices")
    states, xs = inputs[:-many], inputs[-many:]
    axes = step.setting("scan_input_axes", (0,) * many)
    laid = [_first(step, x, axis) for x, axis in zip(xs, axes, strict=True)]
    kept = len(_part(step, "body").outputs) - len(states)
    ends, ys = _walked(step, states, laid, "scan_input_directions", "scan_output_directions")
    axes = step.setting("scan_output_axes", (0,) * kept)
    return (*ends, *(_back(step, y, axis) for y, axis in zip(ys, axes, strict=True)))


def _batched(step: Step, lengths: Any, *inputs: Any) -> Any:
    """Scan as it was first defined: over each entry of a batch."""
    if lengths is not None:
        raise step.refuse("cuts sequences of a batch, which only version 8 of Scan did")
    many = int(step.setting("num_scan_inputs"))
    if not 0 < many <= len(inputs):
        raise step.refuse(f"has {len(inputs)} inputs, and {many} of them to be read in slices")

    def act(_: Any, entry: Any) -> tuple[Any, Any]:
        states, xs = entry[:-many], entry[-many:]
        ends, ys = _walked(step, states, xs, "directions", "")
        return (), (*ends, *ys)

    if all(map(_is_known, (*inputs, *_part(step, "body").taken()))):
        rows = [act((), [x[i] for x in inputs])[1] for i in range(len(inputs[0]))]
        return tuple(_stacked(_part(step, "body"), 0, rows))
    _, found = scan(act, (), _values(step, inputs))
    return found


def _walked(
    step: Step, states: Operands, xs: Operands, turned: str, results_turned: str
) -> tuple[Operands, Operands]:
    """Run the body over the first axis of xs; give the last states, and what was kept."""
    body = _part(step, "body")
    if len(body.inputs) != len(states) + len(xs) or len(body.outputs) < len(states):
        raise step.refuse(
            f"has {len(states)} states and {len(xs)} inputs to be read in slices, and a body from "
            f"{len(body.inputs)} inputs to {len(body.outputs)} outputs"
        )
    ways = step.setting(turned, (0,) * len(xs))
    xs = [ops.flip(x, axis=0) if way else x for x, way in zip(xs, ways, strict=True)]
    if all(map(_is_known, (*states, *xs, *body.taken()))):
        ends, kept = _steps(step, body, states, xs)
    else:
        ends, kept = _scanned(step, body, states, xs)
    ways = step.setting(results_turned, (0,) * len(kept)) if results_turned else (0,) * len(kept)
    return ends, [ops.flip(y, axis=0) if way else y for y, way in zip(kept, ways, strict=True)]


def _scanned(step: Step, body: Part, states: Operands, xs: Operands) -> tuple[Operands, Operands]:
    def act(carry: Any, parts: Any) -> tuple[Any, Any]:
        found = _operands(body(*carry, *parts))
        return found[: len(carry)], found[len(carry) :]

    try:
        found: tuple[Operands, Operands] = scan(act, _values(step, states), _values(step, xs))
    except UNLIKE as error:
        raise _open(step, [*states, *xs], error) from error
    return found


def _steps(step: Step, body: Part, states: Operands, xs: Operands) -> tuple[Operands, Operands]:
    """Walk over the body once for each slice, on arrays."""
    lengths = {len(x) for x in xs}
    if len(lengths) != 1:
        raise step.refuse(f"reads slices of tensors of unlike lengths: {sorted(lengths)}")
    rows: list[Operands] = []
    for i in range(lengths.pop()):
        found = body(*states, *(x[i] for x in xs))
        rows.append(found[len(states) :])
        states = found[: len(states)]
    return states, _stacked(body, len(states), rows)


def _stacked(body: Part, first: int, rows: Sequence[Operands]) -> list[Any]:
    """Stack what steps kept; where there was no step, what the body declares tells the types."""
    if rows:
        return [ops.stack(*column) for column in zip(*rows, strict=True)]
    declared = [body.declared(i) for i in range(first, len(body.outputs))]
    return [
        None if known is None else np.zeros((0, *known[1]), known[0]) for known in declared
    ]  # fmt: skip


def _part(step: Step, name: str) -> Part:
    found: Part = step.setting(name)
    return found


def _is_known(x: Any) -> bool:
    return x is None or not isinstance(x, Value | Sizes)


def _operands(found: Operands) -> tuple[Any, ...]:
    """Give tensors as control flow takes them: Values, or plain arrays."""
    return tuple(
        x if isinstance(x, Value) else x.value() if isinstance(x, Sizes) else np.asarray(x)
        for x in found
    )


def _single(step: Step, x: Any, what: str) -> Any:
    """Give the one number of an array."""
    if np.size(x) != 1:
        raise step.refuse(f"needs one number as {what}, got {np.size(x)}")
    return np.asarray(x).reshape(-1)[0]


def _scalar(step: Step, x: Any, what: str) -> Any:
    """Give a tensor of one element with shape ()."""
    x = x.value() if isinstance(x, Sizes) else x
    if not x.shape:
        return x
    if any(isinstance(size, int) and size != 1 for size in x.shape):
        raise step.refuse(f"needs one number as {what}, not shape {tuple(x.shape)}")
    return ops.reshape(x, shape=())


def _values(step: Step, operands: Operands) -> tuple[Any, ...]:
    """Give all operands as Values of the graph."""
    return tuple(step.value(x) for x in operands)


def _open(step: Step, operands: Operands, error: Exception) -> UnknownValue:
    """Make the error for parts that fit together only once values are known."""
    values = [x for x in operands if isinstance(x, Value | Sizes)]
    found = [step.unknown(x, "what it depends on") for x in values]
    inputs = dict.fromkeys(name for each in found for name in each.inputs)
    sizes = dict.fromkeys(name for each in found for name in each.sizes)
    return UnknownValue(
        f"{step}: no graph has a state, or branches, of several types",
        list(inputs), list(sizes), why=str(error).splitlines()[0],
    )  # fmt: skip


def _first(step: Step, x: Any, axis: int) -> Any:
    """Bring an axis to the front."""
    at = normal_axis(axis, len(x.shape))
    rest = [i for i in range(len(x.shape)) if i != at]
    return ops.transpose(x, axes=(at, *rest)) if at else x


def _back(step: Step, y: Any, axis: int) -> Any:
    """Bring the first axis to its place."""
    at = normal_axis(axis, len(y.shape))
    order = (*range(1, at + 1), 0, *range(at + 1, len(y.shape)))
    return ops.transpose(y, axes=order) if at else y


RULES: Mapping[str, Rule] = MappingProxyType({"If": _if, "Loop": _loop, "Scan": _scan})
