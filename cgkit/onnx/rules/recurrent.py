"""Rules of recurrent layers: RNN, GRU and LSTM.

             x_0     x_1     x_2
              │       │       │
    initial ─ ○ ─ h ─ ○ ─ h ─ ○ ─ h       the same weights at each step; backward, from the
              │       │       │           last x to the first
             y_0     y_1     y_2

A sequence of known length is unrolled, one of open length is a scan, and so is a very long one. The
products of all x with the weights are one product, before the first step. Where sequences have
lengths of their own, a state stands still beyond the end, and y is 0 there; going backward, a
sequence begins at its own end, since the state stands still until then. A clip bounds what every
activation is given, as ONNX says; onnxruntime leaves out the last one of an LSTM, that of its cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from cgkit import operators as ops
from cgkit.control import scan
from cgkit.onnx.gates import Bend, bends
from cgkit.onnx.rules.shape import lasting
from cgkit.onnx.step import Rule, Step
from cgkit.types import meet_shapes

States = tuple[Any, ...]


class Cell(NamedTuple):
    """The weights of one direction, as each step reads them."""

    step: Step
    weights: tuple[Any, ...]
    """What states are multiplied by, (H, gates * H), for gates that are taken together."""
    bias: Any
    """What is added to the last product, since it cannot be added before; None for nothing."""
    peepholes: tuple[Any, ...]
    """By what an LSTM's gates see its cell, (H,) for each; None if they do not."""
    acts: tuple[Bend, ...]
    """What gates bend numbers with."""


class Layer(NamedTuple):
    """What tells the three layers apart."""

    gates: int
    """How many gates the weights are for."""
    merged: int
    """For how many of them the bias of the state may be added to that of x."""
    acts: tuple[str, ...]
    """What gates bend numbers with, unless a node says otherwise."""
    advance: Callable[[Cell, Any, States], States]
    """Give the next states from a cell, x times its weights, and the states; h is the first."""


def _advance_rnn(cell: Cell, x: Any, states: States) -> States:
    return (cell.acts[0](ops.add(x, ops.matmul(states[0], cell.weights[0]))),)


def _advance_gru(cell: Cell, x: Any, states: States) -> States:
    (h,), (for_gates, for_new) = states, cell.weights
    size = for_new.shape[-1]
    x_gates, x_new = ops.split(x, sizes=(2 * size, size), axis=-1)
    update, reset = ops.split(
        cell.acts[0](ops.add(x_gates, ops.matmul(h, for_gates))), sections=2, axis=-1
    )
    linear = bool(cell.step.setting("linear_before_reset", 0))
    product = ops.matmul(h if linear else ops.mul(reset, h), for_new)
    product = product if cell.bias is None else ops.add(product, cell.bias)
    new = cell.acts[1](ops.add(x_new, ops.mul(reset, product) if linear else product))
    return (ops.add(ops.mul(ops.sub(1.0, update), new), ops.mul(update, h)),)


def _advance_lstm(cell: Cell, x: Any, states: States) -> States:
    h, c = states
    mixed = ops.add(x, ops.matmul(h, cell.weights[0]))
    into, out, forget, new = ops.split(mixed, sections=4, axis=-1)
    (see_into, see_out, see_forget), (gate, bend_new, bend_cell) = cell.peepholes, cell.acts
    into = gate(_seen(into, see_into, c))
    coupled = bool(cell.step.setting("input_forget", 0))
    forget = ops.sub(1.0, into) if coupled else gate(_seen(forget, see_forget, c))
    c = ops.add(ops.mul(forget, c), ops.mul(into, bend_new(new)))
    return ops.mul(gate(_seen(out, see_out, c)), bend_cell(c)), c


def _seen(x: Any, peephole: Any, c: Any) -> Any:
    return x if peephole is None else ops.add(x, ops.mul(peephole, c))


MOST_STEPS = 1_000
"""How long a sequence is unrolled: each step is nodes of its own."""
RNN = Layer(1, 1, ("Tanh",), _advance_rnn)
GRU = Layer(3, 2, ("Sigmoid", "Tanh"), _advance_gru)
LSTM = Layer(4, 4, ("Sigmoid", "Tanh", "Tanh"), _advance_lstm)


def rnn(
    step: Step, x: Any, w: Any, r: Any, b: Any = None, lengths: Any = None, h: Any = None
) -> Any:
    """Run a simple recurrent layer."""
    return _run(step, RNN, (x, w, r, b, lengths), (h,))


def gru(
    step: Step, x: Any, w: Any, r: Any, b: Any = None, lengths: Any = None, h: Any = None
) -> Any:
    """Run a layer of gated recurrent units."""
    return _run(step, GRU, (x, w, r, b, lengths), (h,))


def lstm(
    step: Step,
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    lengths: Any = None,
    h: Any = None,
    c: Any = None,
    peepholes: Any = None,
) -> Any:
    """Run a layer of long short-term memory."""
    return _run(step, LSTM, (x, w, r, b, lengths), (h, c), peepholes)


def _run(
    step: Step, layer: Layer, inputs: tuple[Any, ...], initial: States, peepholes: Any = None
) -> tuple[Any, ...]:
    """Run every direction; give y and, for each state, where it ended."""
    x, w, r, b, lengths = inputs
    turned = bool(step.setting("layout", 0))
    if turned:
        x = ops.transpose(x, axes=(1, 0, 2))
        initial = tuple(h if h is None else ops.transpose(h, axes=(1, 0, 2)) for h in initial)
    ways = _ways(step, w)
    if step.setting("hidden_size", r.shape[-1]) != r.shape[-1]:
        raise step.refuse(f"has weights for states of {r.shape[-1]}, which is not its hidden_size")
    _check(layer, len(ways), (x, w, r, b, lengths), initial, peepholes)
    acts = bends(step, layer.acts, len(ways))
    unrolled = isinstance(x.shape[0], int) and (step.builder is None or x.shape[0] <= MOST_STEPS)
    if unrolled and step.room is not None:
        step.room.limits.check("steps", x.shape[0], "steps of a sequence")
    inside = _inside(x.shape[0], lengths) if unrolled else []
    found = []
    for i, backward in enumerate(ways):
        each = (None if y is None else y[i] for y in (w, r, b, peepholes))
        cell, mixed = _prepare(step, layer, x, each, acts[i])
        states = tuple(_zeros(step, x, r) if h is None else h[i] for h in initial)
        if unrolled:
            found.append(_unroll(layer, cell, mixed, states, inside, backward))
        else:
            found.append(_scanned(layer, cell, mixed, states, lengths, backward))
    y = ops.stack(*(way[0] for way in found), axis=1) if step.wanted[0] else None
    ends = [ops.stack(*(way[1][k] for way in found)) for k in range(len(initial))]
    if turned:
        y = None if y is None else ops.transpose(y, axes=(2, 0, 1, 3))
        ends = [ops.transpose(end, axes=(1, 0, 2)) for end in ends]
    return (y, *ends)


def _ways(step: Step, w: Any) -> tuple[bool, ...]:
    """Say for each direction whether it goes backward."""
    word = step.setting("direction", "forward")
    ways = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}.get(word)
    if ways is None:
        raise step.refuse(f"there is no direction {word!r}")
    if w.shape[0] != len(ways):
        raise step.refuse(f"{word} has weights for {len(ways)} directions, not {w.shape[0]}")
    return ways


def _check(
    layer: Layer, ways: int, inputs: tuple[Any, ...], initial: States, peepholes: Any
) -> None:
    """Check that weights, lengths and states fit each other."""
    x, w, r, b, lengths = inputs
    size, (_, batch, features) = r.shape[-1], x.shape
    rows = layer.gates * size
    for given, shape, what in (
        (w, (ways, rows, features), "that of the weights of x"),
        (r, (ways, rows, size), "that of the weights of the state"),
        (b, (ways, 2 * rows), "that of the biases"),
        (lengths, (batch,), "a length for each sequence"),
        (peepholes, (ways, 3 * size), "that of the peepholes"),
        *((state, (ways, batch, size), "that of a state") for state in initial),
    ):
        if given is not None:
            meet_shapes(tuple(given.shape), shape, what)


def _prepare(
    step: Step, layer: Layer, x: Any, weights: Iterable[Any], acts: tuple[Bend, ...]
) -> tuple[Cell, Any]:
    """Give a cell, and x times its weights with all biases that may be added now."""
    w, r, b, peepholes = weights
    mixed, held = ops.matmul(x, ops.transpose(w)), None
    merged, rest = (k * r.shape[-1] for k in (layer.merged, layer.gates - layer.merged))
    if b is not None:
        of_x, of_state = ops.split(b, sections=2, axis=0)
        if rest:
            of_state, held = ops.split(of_state, sizes=(merged, rest))
            of_state = ops.pad(of_state, pads=((0, rest),))
        mixed = ops.add(mixed, ops.add(of_x, of_state))
    turned = ops.transpose(r)
    parts = ops.split(turned, sizes=(merged, rest), axis=-1) if rest else (turned,)
    sees = (None,) * 3 if peepholes is None else ops.split(peepholes, sections=3)
    return Cell(step, parts, held, sees, acts), mixed


def _inside(steps: int, lengths: Any) -> list[Any]:
    """Say for each step which sequences still run, (N, 1); None where all do."""
    if lengths is None:
        return [None] * steps
    return [_runs(t, lengths) for t in range(steps)]


def _runs(t: Any, lengths: Any) -> Any:
    """Say which sequences still run in a step."""
    return ops.reshape(ops.less(t, lengths), shape=(-1, 1))


def _zeros(step: Step, x: Any, r: Any) -> Any:
    """Give the initial state of a batch, which may be open."""
    shape = (x.shape[1], r.shape[-1])
    return ops.broadcast_to(lasting(step, np.zeros((), x.dtype), shape), shape=shape)


def _unroll(
    layer: Layer, cell: Cell, mixed: Any, states: States, inside: list[Any], backward: bool
) -> tuple[Any, States]:
    """Give y for each step, in the order of x, and the states at the end."""
    steps = range(len(inside))
    outputs: dict[int, Any] = {}
    for t in reversed(steps) if backward else steps:
        states, outputs[t] = _step(layer, cell, mixed[t], states, inside[t])
    if not outputs:
        return ops.unsqueeze(states[0], axis=0)[:0], states
    return ops.stack(*(outputs[t] for t in steps)), states


def _step(layer: Layer, cell: Cell, x: Any, states: States, runs: Any) -> tuple[States, Any]:
    """Give the states after a step, and y."""
    new = layer.advance(cell, x, states)
    if runs is None:
        return new, new[0]
    after = tuple(ops.where(runs, *pair) for pair in zip(new, states, strict=True))
    return after, ops.where(runs, new[0], 0.0)


def _scanned(
    layer: Layer, cell: Cell, mixed: Any, states: States, lengths: Any, backward: bool
) -> tuple[Any, States]:
    """Give the same for a sequence whose length only the run knows."""
    value = cell.step.value
    places = None
    if lengths is not None:
        zero = value(np.zeros((), "int64"))
        places = ops.positions(ops.broadcast_to(zero, shape=mixed.shape[:1]), axis=0)

    def act(states: States, part: Any) -> tuple[States, Any]:
        runs = None if lengths is None else _runs(part[1], lengths)
        return _step(layer, cell, part[0], states, runs)

    xs = (value(mixed),) if places is None else (value(mixed), places)
    ends, y = scan(act, tuple(map(value, states)), xs, reverse=backward)
    return y, ends


RULES: Mapping[str, Rule] = MappingProxyType({"GRU": gru, "LSTM": lstm, "RNN": rnn})
