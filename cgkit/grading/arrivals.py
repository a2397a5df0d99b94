"""What a student's code gives back, looked at before a test sees it.

    taken(policy, value, met, key="order", named="order()")  ──►  the value, or NotData

Each stand-in must be of a kind that the reference gave in the same place: alone, within a list, in
a field, behind an attribute, out of a generator, in an argument that was changed, and where a
callback is handed one. An object that is less than everything looks like every right order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from cgkit.grading.outcomes import NotData
from cgkit.grading.policy import DATA, Policy
from cgkit.grading.proxies import Proxy, name_it

Met: TypeAlias = list[tuple[Proxy, bool]]
"""The stand-ins that came with a message, each with whether it never came before."""

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
    return name_it(value, named, owner)


def look_inside(policy: Policy, met: Met, key: str) -> None:
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


def _may(policy: Policy, key: str, kind: str) -> bool:
    """Tell whether something may be of a kind; where something callable is held, any such may."""
    if policy.allows(key, kind):
        return True
    held = key.endswith("=") and kind in _CALLABLE
    return held and any(policy.allows(key, other) for other in _CALLABLE)
