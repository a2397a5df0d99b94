"""More sorts of steps for random programs: running sums, shares, padding, places, named axes.

    random_program(rng, makers=(*MAKERS, *ARRAY_MAKERS))

Each maker proposes steps on a value of a program so far; `random_program` drops what does not fit.
Numbers stay in bounds: what multiplies many of them comes after tanh.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from cgkit.testing.programs import Maker, Step, Types


def _choose(rng: random.Random, types: Types, least: int = 0) -> int | None:
    """Choose a floating value of at least so many axes, if there is one."""
    fitting = [
        i for i, known in enumerate(types) if known.dtype.kind == "f" and known.ndim >= least
    ]
    return rng.choice(fitting) if fitting else None


def _on_one(least: int, settings: Callable[[random.Random, Any], tuple[str, Any]]) -> Maker:
    """Make a maker of steps with one operand, from a function that chooses name and params."""

    def maker(rng: random.Random, types: Types) -> list[Step]:
        at = _choose(rng, types, least)
        if at is None:
            return []
        name, params = settings(rng, types[at])
        return [Step(name, (f"v{at}",), params)]

    return maker


def _axis(rng: random.Random, known: Any) -> int:
    return rng.randrange(-known.ndim, known.ndim)


def _flags(rng: random.Random, *names: str) -> dict[str, bool]:
    return {name: True for name in names if rng.random() < 0.4}


def _running(rng: random.Random, known: Any) -> tuple[str, Any]:
    flags = _flags(rng, "exclusive", "reverse")
    return "cumsum", {"axis": _axis(rng, known), **flags}


def _shares(rng: random.Random, known: Any) -> tuple[str, Any]:
    return rng.choice(("softmax", "log_softmax")), {"axis": _axis(rng, known)}


def _spread(rng: random.Random, known: Any) -> tuple[str, Any]:
    return rng.choice(("var", "logsumexp")), {"axis": _axis(rng, known), **_flags(rng, "keepdims")}


def _turn(rng: random.Random, known: Any) -> tuple[str, Any]:
    axis = _axis(rng, known)
    if rng.random() < 0.5:
        return "flip", {"axis": axis}
    return "roll", {"shift": rng.randint(-3, 3), "axis": axis}


def _pad(rng: random.Random, known: Any) -> tuple[str, Any]:
    mode = rng.choice(("constant", "edge", "reflect", "wrap"))
    low = -1 if mode == "constant" else 0
    pads = tuple((rng.randint(low if size else 0, 1), rng.randint(0, 1)) for size in known.shape)
    return "pad", {"pads": pads, "mode": mode}


def _copies(rng: random.Random, known: Any) -> tuple[str, Any]:
    if rng.random() < 0.5:
        return "tile", {"repeats": tuple(rng.randint(0, 2) for _ in known.shape)}
    return "repeat", {"repeats": rng.randint(0, 2), "axis": _axis(rng, known)}


def _new_axis(rng: random.Random, known: Any) -> tuple[str, Any]:
    return "unsqueeze", {"axis": rng.randint(0, known.ndim)}


def _triangle(rng: random.Random, known: Any) -> tuple[str, Any]:
    return rng.choice(("tril", "triu")), {"k": rng.randint(-1, 1)}


def _product(rng: random.Random, types: Types) -> list[Step]:
    """Make two steps: numbers are brought between -1 and 1, and multiplied along an axis."""
    at = _choose(rng, types, 1)
    if at is None:
        return []
    name, last = rng.choice(("prod", "cumprod")), f"v{len(types)}"
    return [Step("tanh", (f"v{at}",)), Step(name, (last,), {"axis": _axis(rng, types[at])})]


def _stack(rng: random.Random, types: Types) -> list[Step]:
    at = _choose(rng, types)
    if at is None:
        return []
    return [Step("stack", (f"v{at}", f"v{at}"), {"axis": rng.randint(0, types[at].ndim)})]


def _gather(rng: random.Random, types: Types) -> list[Step]:
    at = _choose(rng, types, 1)
    if at is None or not types[at].size:
        return []
    axis = _axis(rng, types[at])
    shape = [int(size) for size in types[at].shape]
    size, shape[axis] = shape[axis], rng.randint(0, 3)
    places = np.random.default_rng(rng.randrange(1000)).integers(0, size, size=shape)
    return [Step("gather_elements", (f"v{at}", places), {"axis": axis})]


def _named(rng: random.Random, types: Types) -> list[Step]:
    a, b = _choose(rng, types, 1), _choose(rng, types, 1)
    if a is None or b is None:
        return []
    letters = "abcdefgh"
    left = letters[: types[a].ndim]
    right = "".join(rng.choice(letters[: types[a].ndim + 1]) for _ in range(types[b].ndim))
    there = sorted({*left, *right})
    result = "".join(rng.sample(there, rng.randint(0, min(len(there), 3))))
    return [Step("einsum", (f"v{a}", f"v{b}"), {"equation": f"{left},{right}->{result}"})]


ARRAY_MAKERS: tuple[Maker, ...] = (
    _on_one(1, _running), _on_one(1, _shares), _on_one(1, _spread), _on_one(1, _turn),
    _on_one(1, _pad), _on_one(1, _copies), _on_one(0, _new_axis), _on_one(2, _triangle), _product,
    _stack, _gather, _named,
)  # fmt: skip
"""Sorts of steps beside `programs.MAKERS`."""
