"""Compare derivatives with differences, as autograd's tests ask for it.

check_grads(f, modes=["fwd", "rev"], order=2)(x, y)
combo_check(f, argnums)([x1, x2], [y1, y2], axis=[0, 1])      all combinations
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from cgkit.conformance.hips.functions import name_of, of_argument
from cgkit.conformance.hips.spaces import Space
from cgkit.conformance.hips.tracing import make_jvp, make_vjp

TOLERANCE = 1e-6
STEP = 1e-6
MODES = ("fwd", "rev")


def scalar_close(a: Any, b: Any) -> bool:
    """Say whether two numbers are near, absolutely or relatively.

    Examples
    --------
    >>> scalar_close(1e9, 1e9 + 1), scalar_close(1.0, 1.1)
    (True, False)
    """
    distance = abs(a - b)
    return bool(distance < TOLERANCE or distance < TOLERANCE * abs(a + b))


def check_equivalent(x: Any, y: Any) -> None:
    """Demand that two values lie in one space and are near."""
    space, other = Space(x), Space(y)
    assert space == other, f"{space} is not {other}"
    v = space.randn()
    assert scalar_close(space.inner_prod(x, v), space.inner_prod(y, v)), f"{x} is not {y}"


def _change(f: Callable[[Any], Any], x: Any, v: Any) -> Any:
    """Measure how f changes along v."""
    space = Space(x)
    ends = [f(space.add(x, space.scalar_mul(v, side * STEP / 2))) for side in (1, -1)]
    result = Space(ends[0])
    return result.scalar_mul(result.add(ends[0], result.scalar_mul(ends[1], -1.0)), 1 / STEP)


def _check_vjp(f: Callable[[Any], Any], x: Any) -> None:
    vjp, y = make_vjp(f, x)
    space, result = Space(x), Space(y)
    v, g = space.randn(), result.randn()
    found = vjp(g)
    assert Space(found) == space, f"{Space(found)} is not {space}"
    exact, numeric = space.inner_prod(v, found), result.inner_prod(g, _change(f, x, v))
    assert scalar_close(exact, numeric), (
        f"Derivative (VJP) check of {name_of(f)} failed at {x}: {exact}, numerically {numeric}"
    )


def _check_jvp(f: Callable[[Any], Any], x: Any) -> None:
    v = Space(x).randn()
    check_equivalent(make_jvp(f, x)(v)[1], _change(f, x, v))


@of_argument
def check_grads(
    f: Callable[[Any], Any], x: Any, modes: Sequence[str] = MODES, order: int = 2
) -> None:
    """Demand that derivatives forward and backward are right, to some order."""
    for mode in modes:
        if mode == "fwd":
            _check_jvp(f, x)
            derivative, v = (lambda x, v: make_jvp(f, x)(v)[1]), Space(x).randn()
        else:
            _check_vjp(f, x)
            derivative, v = (lambda x, v: make_vjp(f, x)[0](v)), Space(f(x)).randn()
        if order > 1:
            derivative.__name__ = f"{'jvp' if mode == 'fwd' else 'vjp'}_{name_of(f)}"
            check_grads(derivative, (0, 1), modes, order=order - 1)(x, v)


def quick_grad_check(f: Callable[..., Any], x: Any, more: Sequence[Any] = ()) -> None:
    """Check the gradient with respect to the first argument."""
    check_grads(f, 0, ["rev"], order=1)(x, *more)


def combo_check(function: Any, *args: Any, **params: Any) -> Callable[..., None]:
    """Check a function with all combinations of arguments and settings."""

    def check(*choices: Any, **settings: Any) -> None:
        named = [[(key, value) for value in values] for key, values in settings.items()]
        for operands in product(*choices):
            for chosen in product(*named):
                check_grads(function, *args, **params)(*operands, **dict(chosen))

    return check
