"""What a student's code gives back, looked at before a test sees it.

    taken(policy, value, met, key="order", named="order()")  ──►  the value, or NotData

Each stand-in must be of a kind that the reference gave in the same place: alone, within a list, in
a field, behind an attribute, out of a generator, in an argument that was changed, and where a
callback is handed one. An object that is less than everything looks like every right order.

An empty array looks like every right answer, too: ``np.allclose(np.zeros((0, 2)), right)`` holds,
and so does ``(np.zeros(0) == right).all()``. It passes where the reference gave one, or where an
argument is itself as good as nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cgkit.grading.outcomes import NotData
from cgkit.grading.policy import DATA, EMPTY, NUMBERS, SEQUENCE, Policy
from cgkit.grading.proxies import Proxy, name_it


class Met(list[tuple[Proxy, bool]]):
    """The stand-ins that came with a message, each with whether it never came before."""

    empty = False
    """Whether an array without a number in it came, too."""


NONSENSE = (ArithmeticError, LookupError, SystemError, TypeError, ValueError)
"""What reading a message may raise that none of our workers sends."""

_CALLABLE = ("function", "class", "object")
_ONLY = "and a check reads plain data only"


def taken(
    policy: Policy,
    value: Any,
    met: Met,
    key: str,
    named: str,
    known: Sequence[object] = (),
    owner: Proxy | None = None,
) -> Any:
    """Give a value that came in, named by the way it was reached.

    Parameters
    ----------
    policy
        What the reference gave.
    value
        What came.
    met
        All stand-ins in it.
    key
        Where the policy speaks of it.
    named
        What a stand-in is called from now on.
    known
        What it may be itself: arguments of the call, and the object that was asked.
    owner
        The object of which it is an attribute.

    Raises
    ------
    NotData
        The reference gave nothing of this kind here.
    """
    same = isinstance(value, Proxy) and any(value is one for one in known)
    kind = value.kind if isinstance(value, Proxy) else DATA
    if not _may(policy, key, "self" if same else kind):
        verb = "holds" if key.endswith("=") else "gave"
        raise NotData(f"{key.removesuffix('=')} {verb} {value._said()}, {_ONLY}")
    look_inside(policy, [pair for pair in met if pair[0] is not value], f"{named}[]")
    _expect_something(policy, value, key, known, within=met.empty)
    return name_it(value, named, owner)


def look_inside(policy: Policy, met: Sequence[tuple[Proxy, bool]], key: str) -> None:
    """Look at the stand-ins within data; name those that never came before.

    Raises
    ------
    NotData
        The reference had none of their kind there.
    """
    for proxy, fresh in met:
        if not _may(policy, key, proxy.kind):
            raise NotData(f"{key.removesuffix('[]')}: {proxy._said()} within the data, {_ONLY}")
        if fresh:
            name_it(proxy, key)


def _expect_something(
    policy: Policy, value: object, key: str, known: Sequence[object], *, within: bool
) -> None:
    """Refuse an empty array where the reference gave none, and an empty list for a number."""
    hollow = type(value) in (list, tuple) and _hollow(value)
    if policy.learning and (kind := _learned(value, hollow=hollow, within=within)):
        policy.allows(key, kind)
    elif within:
        _refuse_empty(policy, key, known, "an empty array")
    elif hollow and policy.allows(key, NUMBERS) and not policy.allows(key, SEQUENCE):
        _refuse_empty(policy, key, known, "an empty list")


def _learned(value: object, *, hollow: bool, within: bool) -> str:
    """Name what the reference gave, as far as it decides whether nothing may be given there."""
    if hollow or within:
        return EMPTY
    if type(value) in (list, tuple):
        return SEQUENCE
    return NUMBERS if isinstance(value, float | int | complex | np.ndarray | np.generic) else ""


def _refuse_empty(policy: Policy, key: str, known: Sequence[object], what: str) -> None:
    if not policy.allows(key, EMPTY) and not any(_nothing(one) for one in known):
        verb = "holds" if key.endswith("=") else "gave"
        raise NotData(f"{key.removesuffix('=')} {verb} {what}, which has nothing to be compared")


def _hollow(value: object) -> bool:
    """Tell whether a list holds nothing but lists that hold nothing."""
    return isinstance(value, list | tuple) and all(_hollow(item) for item in value)


def _nothing(argument: object) -> bool:
    """Tell whether what was handed in is empty, a size of nothing, or no more than that."""
    if isinstance(argument, np.ndarray):
        return argument.size == 0
    if type(argument) in (int, bool):
        return argument == 0
    if type(argument) is tuple and all(type(one) is int for one in argument):
        return 0 in argument or not argument
    sized = isinstance(argument, list | tuple | dict | set | frozenset | str | bytes | range)
    return sized and (len(argument) == 0 or _hollow(argument))  # type: ignore[arg-type]


def _may(policy: Policy, key: str, kind: str) -> bool:
    """Tell whether something may be of a kind; where something callable is held, any such may."""
    if policy.allows(key, kind):
        return True
    held = key.endswith("=") and kind in _CALLABLE
    return held and any(policy.allows(key, other) for other in _CALLABLE)
