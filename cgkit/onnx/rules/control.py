"""Rules of operators that hold graphs: If, Loop and Scan.

    If(p)            the branch itself where p is known          cond(p, then, otherwise)
    Loop(m, go, v)   step by step where all of it is known       scan, or while_scan
    Scan(v, xs)      likewise                                    scan

Where all that a loop reads is known, it is walked over again and again on arrays, and a state may
change its shape from step to step. In a graph it may not: a loop of few steps is unrolled then, any
other is built for known values, or evaluated. Where a Loop is given no condition, what its body
says of going on counts all the same, as in onnxruntime; ONNX's text would pass over it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.control import cond, scan, while_scan
from cgkit.errors import ShapeError, UnknownValue
from cgkit.onnx.part import Part
from cgkit.onnx.sizes import Sizes
from cgkit.onnx.step import Rule, Step
from cgkit.operators.settings import normal_axis
from cgkit.symbolic import Value
from cgkit.types import Dim

MOST_UNROLLED = 1_000
"""How many steps of a loop may be nodes of their own."""
TRIPS = "its number of trips"
Operands = Sequence[Any]


def _if(step: Step, condition: Any) -> Any:
    then, otherwise = _part(step, "then_branch"), _part(step, "else_branch")
    if len(then.outputs) != len(otherwise.outputs):
        counts = f"{len(then.outputs)} and {len(otherwise.outputs)}"
        raise step.refuse(f"has branches of unlike numbers of outputs: {counts}")
    if _is_known(condition):
        return then() if _single(step, condition, "its condition") else otherwise()
    pred = _scalar(step, condition, "its condition")
    with _of_one_shape(step, [condition]):
        return cond(pred, lambda: _operands(then()), lambda: _operands(otherwise()))


def _loop(step: Step, trips: Any = None, condition: Any = None, *states: Any) -> Any:
    body = _part(step, "body")
    if len(body.inputs) != 2 + len(states) or len(body.outputs) < 1 + len(states):
        raise step.refuse(
            f"has {len(states)} states, and a body from {len(body.inputs)} inputs to "
            f"{len(body.outputs)} outputs"
        )
    if any(x is None for x in states):
        raise step.refuse(
            f"is given no value for its state {body.inputs[2 + states.index(None)]!r}"
        )
    reads = [x for x in (trips, condition, *states, *body.taken()) if x is not None]
    if all(map(_is_known, reads)):
        return _looped(step, body, trips, condition, states)
    endless = condition is None or (_is_known(condition) and bool(np.all(condition)))
    counted = endless and trips is not None and body.passes(0, 1)
    if counted and not _is_known(trips):
        reads = [trips]  # enough to unroll it
    try:
        with _of_one_shape(step, reads, body.inputs):
            if counted and not isinstance(trips, Value):
                return _counted(step, body, trips, states)
            return _tested(step, body, trips, condition, states)
    except UnknownValue:
        many = not counted or not _is_known(trips) or _single(step, trips, TRIPS) > MOST_UNROLLED
        if many:
            raise
    return _looped(step, body, trips, None, states)


def _looped(step: Step, body: Part, trips: Any, condition: Any, states: Operands) -> Any:
    """Walk over the body again and again, on arrays; on Values where only these are unknown."""
    most = None if trips is None else int(_single(step, trips, TRIPS))
    go = condition is None or bool(_single(step, condition, "its condition"))
    rows: list[Operands] = []
    number = 0
    while go and (most is None or number < most):
        verdict, *found = body(np.int64(number), np.bool_(go), *states)
        go = bool(_single(step, _truth(step, verdict), "the condition that its body gives"))
        states = tuple(_next(step, body.inputs[2:], states, found).values())
        rows.append(found[len(states) :])
        number += 1
    return (*states, *_stacked(body, 1 + len(states), rows))


def _counted(step: Step, body: Part, trips: Any, states: Operands) -> Any:
    """Repeat the body so many times: how many is known, or an open size."""
    if np.prod(trips.shape) != 1:
        raise step.refuse(f"needs one number as {TRIPS}, not shape {tuple(trips.shape)}")
    (length,) = step.sizes(trips, TRIPS)
    length = length if isinstance(length, Dim) else max(length, 0)
    count, names = body.inputs[0], body.inputs[2:]

    def act(state: Any, _: Any) -> tuple[Any, Any]:
        number, *carry = state.values()
        _, *found = _operands(body(number, np.bool_(True), *carry))
        new = _next(step, names, carry, found)
        return {count: number + 1, **new}, tuple(found[len(new) :])

    first = dict(zip((count, *names), _values(step, (np.int64(0), *states)), strict=True))
    last, kept = scan(act, first, length=length)
    return (*(last[name] for name in names), *kept)


def _tested(step: Step, body: Part, trips: Any, condition: Any, states: Operands) -> Any:
    """Run the body as long as a condition holds, or so many times as only the run tells."""
    if _is_known(trips) and trips is not None and np.all(trips == np.iinfo(np.int64).max):
        trips = None  # what writers say for a loop that only its condition ends
    if trips is None and condition is None and body.passes(0, 1):
        raise step.refuse("has neither a number of trips nor a condition, and never ends")
    most = None if trips is None else _scalar(step, trips, TRIPS)
    start = np.True_ if condition is None else _scalar(step, condition, "its condition")
    count, goes, *names = body.inputs

    def holds(state: Any) -> Any:
        go = state[goes]
        return go if most is None else ops.logical_and(go, ops.less(state[count], most))

    def act(state: Any) -> tuple[Any, Any]:
        number, _, *carry = state.values()
        verdict, *found = _operands(body(*state.values()))
        go = _scalar(step, _truth(step, verdict), "the condition that its body gives")
        new = _next(step, names, carry, found)
        return {count: number + 1, goes: go, **new}, tuple(found[len(new) :])

    first = dict(zip(body.inputs, _values(step, (np.int64(0), start, *states)), strict=True))
    last, kept = while_scan(holds, act, first)
    return (*(last[name] for name in names), *kept)


def _scan(step: Step, *inputs: Any) -> Any:
    if step.opset < 9:
        return _batched(step, *inputs)
    many = int(step.setting("num_scan_inputs"))
    if not 0 < many <= len(inputs):
        raise step.refuse(f"has {len(inputs)} inputs, and {many} of them to be read in slices")
    states, xs = inputs[:-many], inputs[-many:]
    axes = _each(step, "scan_input_axes", many)
    laid = [_first(step, x, axis) for x, axis in zip(xs, axes, strict=True)]
    kept = len(_part(step, "body").outputs) - len(states)
    ends, ys = _walked(step, states, laid, "scan_input_directions", "scan_output_directions")
    axes = _each(step, "scan_output_axes", kept)
    return (*ends, *(_back(step, y, axis) for y, axis in zip(ys, axes, strict=True)))


def _batched(step: Step, lengths: Any, *inputs: Any) -> Any:
    """Scan as it was first defined: over each entry of a batch."""
    if lengths is not None:
        raise step.refuse("has sequences of unlike lengths, which cgkit does not read")
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
    ways = _ways(step, turned, len(xs))
    xs = [ops.flip(x, axis=0) if way else x for x, way in zip(xs, ways, strict=True)]
    if all(map(_is_known, (*states, *xs, *body.taken()))):
        ends, kept = _steps(step, body, states, xs)
    else:
        ends, kept = _scanned(step, body, states, xs)
    ways = _ways(step, results_turned, len(kept)) if results_turned else (0,) * len(kept)
    return ends, [ops.flip(y, axis=0) if way else y for y, way in zip(kept, ways, strict=True)]


def _scanned(step: Step, body: Part, states: Operands, xs: Operands) -> tuple[Operands, Operands]:
    names = body.inputs[: len(states)]

    def act(carry: Any, parts: Any) -> tuple[Any, Any]:
        found = _operands(body(*carry.values(), *parts))
        new = _next(step, names, tuple(carry.values()), found)
        return new, found[len(new) :]

    with _of_one_shape(step, [*states, *xs, *body.taken()], body.inputs):
        first = dict(zip(names, _values(step, states), strict=True))
        last, kept = scan(act, first, _values(step, xs))
    return tuple(last.values()), kept


def _steps(step: Step, body: Part, states: Operands, xs: Operands) -> tuple[Operands, Operands]:
    """Walk over the body once for each slice, on arrays."""
    lengths = {len(x) for x in xs}
    if len(lengths) != 1:
        raise step.refuse(f"reads slices of tensors of unlike lengths: {sorted(lengths)}")
    rows: list[Operands] = []
    for i in range(lengths.pop()):
        found = body(*states, *(x[i] for x in xs))
        rows.append(found[len(states) :])
        states = tuple(_next(step, body.inputs, states, found).values())
    return states, _stacked(body, len(states), rows)


def _next(
    step: Step, names: Sequence[str], states: Operands, found: Operands
) -> dict[str, Any]:  # fmt: skip
    """Give the states after a step by their names; no dtype may have changed."""
    new = dict(zip(names, found[: len(states)], strict=False))
    for before, (name, after) in zip(states, new.items(), strict=True):
        if before.dtype != after.dtype:
            raise step.refuse(
                f"its state {name!r} is {before.dtype} before a step, and {after.dtype} after it"
            )
    return new


def _each(step: Step, name: str, count: int) -> tuple[int, ...]:
    """Give an attribute that says a number for each of some tensors; 0 for all by default."""
    found: tuple[int, ...] = step.setting(name, (0,) * count)
    if len(found) != count:
        raise step.refuse(f"has {len(found)} numbers as {name}, and {count} tensors they are for")
    return found


def _ways(step: Step, name: str, count: int) -> tuple[int, ...]:
    """Give an attribute that says for each of some tensors whether it is turned round."""
    ways = _each(step, name, count)
    if not {*ways} <= {0, 1}:
        raise step.refuse(f"has {name} {ways}; a direction is 0, or 1 for backward")
    return ways


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


def _truth(step: Step, verdict: Any) -> Any:
    if verdict.dtype != np.bool_:
        raise step.refuse(f"has a body that says by {verdict.dtype} whether to go on, not by bool")
    return verdict


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


@contextmanager
def _of_one_shape(step: Step, reads: Operands, own: Sequence[str] = ()) -> Iterator[None]:
    """Name what must be known where only known values make a graph of a node's parts.

    Parameters
    ----------
    step
        The node.
    reads
        What it reads, which must be known then.
    own
        What the inputs of its body are called: they are known when all that it reads is.
    """
    try:
        yield
    except UnknownValue as error:
        if not {*own} & {*error.inputs}:
            raise
        inputs = [name for name in error.inputs if name not in own]
        raise _unknown(step, reads, error.what, error.why, inputs, error.sizes) from error
    except ShapeError as error:
        what = f"{step}: no graph has a state, or branches, of several shapes"
        raise _unknown(step, reads, what, str(error).splitlines()[0]) from error


def _unknown(
    step: Step, reads: Operands, what: str, why: str,
    inputs: Sequence[str] = (), sizes: Sequence[str] = (),
) -> UnknownValue:  # fmt: skip
    """Make the error for what is built only where all that a node reads is known."""
    found = [step.unknown(x, "what it reads") for x in reads if isinstance(x, Value | Sizes)]
    inputs = [*inputs, *(name for each in found for name in each.inputs)]
    sizes = [*sizes, *(name for each in found for name in each.sizes)]
    return UnknownValue(what, [*dict.fromkeys(inputs)], [*dict.fromkeys(sizes)], why=why)


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
