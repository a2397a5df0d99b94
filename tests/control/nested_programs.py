"""Random programs of branches and loops within each other, written once for Tensors and Values.

    block:  v2 = cond(v0 > v1, block, block)        a block sees all values of the blocks around it
            v3 = scan(block, v2, v1)
            v4 = tanh(v0 * v3)

Values are vectors of one length, and each result goes through tanh, so numbers stay small. How
often a loop runs is known, or depends on the numbers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from cgkit import grad, ops
from cgkit.control import cond, fori, scan, switch, while_loop

KINDS = ("cond", "switch", "while", "fori", "scan", "slope")
ARITHMETIC = (
    lambda a, b: a * b + 0.3,
    lambda a, b: ops.sin(a + b),
    lambda a, b: a * 0.5 - b * 0.25,
    lambda a, b: ops.tanh(a.sum()) * b,
    lambda a, b: ops.sigmoid(a) - b * b * 0.1,
    lambda a, b: a,
)


@dataclass(frozen=True)
class Step:
    """One statement of a program."""

    kind: str
    first: float
    """Which value it reads: 0 the oldest, near 1 the newest."""
    second: float
    form: int
    """In which of several ways it is written."""
    trips: int
    flag: bool
    blocks: tuple[tuple[Step, ...], ...]


def random_block(rng, depth, size):
    """Draw statements, with blocks inside them to a depth."""
    return tuple(_random_step(rng, depth) for _ in range(size))


def _random_step(rng, depth):
    kind = rng.choice(("plain", *KINDS) if depth else ("plain", "slope"))
    count = {"plain": 0, "cond": 2, "switch": 3}.get(kind, 1)
    sizes = [rng.randint(0, 2) if depth else 0 for _ in range(count)]
    blocks = tuple(random_block(rng, depth - 1, size) for size in sizes)
    return Step(
        kind, rng.random(), rng.random(), rng.randrange(12), rng.randint(0, 3),
        rng.random() < 0.4, blocks,
    )  # fmt: skip


def program(seed, depth):
    """Give a function of two vectors, whose result is one number."""
    block = random_block(random.Random(seed), depth, 3)

    def act(x, y):
        values = run_block(block, (x, y))
        return sum(((v * v).sum() for v in values[1:]), values[0].sum())

    return act


def run_block(block, values):
    """Give all values that are known after a block."""
    for step in block:
        a, b = (values[int(place * len(values))] for place in (step.first, step.second))
        values = (*values, ops.tanh(ACTS[step.kind](step, values, a, b)))
    return values


def last(block, values):
    """Give the newest value after a block."""
    return run_block(block, values)[-1]


def few(x):
    """Give a whole number from 0 to 3 that depends on numbers."""
    return ops.cast(ops.floor(ops.sin(x.sum() * 5.0) * 2.0 + 2.0), dtype="int64")


def _plain(step, values, a, b):
    return ARITHMETIC[step.form % len(ARITHMETIC)](a, b)


def _cond(step, values, a, b):
    then, otherwise = step.blocks
    pred = ops.sin(a.sum() * 7.0) > b.sum() * 0.1
    if step.form % 2:
        return cond(pred, lambda x: last(then, (*values, x)), lambda x: last(otherwise, values), a)
    found = cond(
        pred,
        lambda: {"y": last(then, values), "z": (a, [b])},
        lambda: {"z": (b, [a * 2.0]), "y": last(otherwise, values)},
    )
    return found["y"] + found["z"][0] * found["z"][1][0]


def _switch(step, values, a, b):
    branches = [lambda x, block=block: last(block, (*values, x)) for block in step.blocks]
    return switch(few(a) - 1, branches, b)


def _while(step, values, a, b):
    (block,) = step.blocks
    if step.form % 2:
        known = while_loop(
            lambda s: s[0] < step.trips, lambda s: (s[0] + 1, last(block, (*values, s[1]))), (0, a)
        )
        return known[1]
    limit = few(b)
    found = while_loop(
        lambda s: ops.logical_and(s["i"] < limit, s["go"]),
        lambda s: {"go": s["x"].sum() < 5.0, "x": last(block, (*values, s["x"])), "i": s["i"] + 1},
        {"i": 0, "x": a, "go": True},
    )
    return found["x"]


def _fori(step, values, a, b):
    (block,) = step.blocks

    def body(i, c):
        return last(block, (*values, c)) + ops.cast(i, dtype="float64") * 0.1

    return fori(0, step.trips, body, a) if step.form % 2 else fori(1, few(b), body, a)


def _scan(step, values, a, b):
    (block,) = step.blocks

    def body(c, x):
        y = last(block, (*values, c["c"]))
        y = y if x is None else y * x["x"]
        return {"c": y, "n": c["n"] + 1}, {"y": y * c["c"], "n": (c["n"],)}

    length, checkpoint = None, step.flag
    if step.form % 3 == 0:
        xs, length = None, step.trips * (3 if step.flag else 1)
    elif step.form % 3 == 1:
        parts = (b.sum(), a.sum(), b.sum() * 0.3, a.sum() * 0.2, b.sum() * 0.7)
        xs = {"x": ops.stack(*parts)[: step.trips + 2]}
    else:
        xs, checkpoint = {"x": a * b}, False
    end, kept = scan(
        body, {"c": a, "n": 0}, xs, length=length, reverse=step.form > 5, checkpoint=checkpoint
    )
    steps = ops.cast(end["n"] + kept["n"][0].sum(), dtype="float64")
    return end["c"] + ops.tanh(kept["y"].sum() * 0.3) + steps * 0.01


def _slope(step, values, a, b):
    """Give the gradient of a block by a value of its own."""
    (block,) = step.blocks
    x = a * 1.0
    y = last(block, (*values, x * b)).sum()
    (slope,) = grad(y, x, create_graph=True, materialize_grads=True)
    return slope + x


ACTS = {
    "plain": _plain, "cond": _cond, "switch": _switch, "while": _while, "fori": _fori,
    "scan": _scan, "slope": _slope,
}  # fmt: skip
