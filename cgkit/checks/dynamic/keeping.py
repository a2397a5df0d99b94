"""Task 4 of notebook 02a: which values a graph must keep so that it can be gone through backward.

    kept = {"multiply": {"a", "b"}, "add": set(), ...}

Invariant: the fewest arrays count, and no operator is computed a second time.
"""

from __future__ import annotations

from cgkit.checks.answers import read_dict
from cgkit.checks.plain import show
from cgkit.checks.runner import SEED
from cgkit.checks.task import Fault, Task
from cgkit.score import Score

KEPT = Task(
    "02_static_dynamic",
    "kept",
    2,
    (
        "Write down the rule of each operator. Which letters stand in it beside the upstream?",
        "Two of the slopes are simple functions of the result. Which, and what is then enough?",
    ),
)
TASKS = (KEPT,)

_KEPT: dict[str, tuple[frozenset[str], ...]] = {
    "add": (frozenset(),),
    "multiply": (frozenset({"a", "b"}),),
    "exp": (frozenset({"result"}),),
    "matmul": (frozenset({"a", "b"}),),
    "relu": (frozenset({"a"}), frozenset({"result"})),
    "sum": (frozenset(),),
}
_KEPT_WHY = {
    "add": "The slopes of a + b are 1 and 1, whatever the numbers are.",
    "multiply": "The slope for a is b, and the slope for b is a.",
    "exp": "The slope of exp(a) is exp(a): that number was computed once already.",
    "matmul": "As in a * b, the gradient of each factor is computed from the other one.",
    "relu": "The slope is 1 where a number passed and 0 elsewhere; one array is enough to tell.",
    "sum": "The rule stretches the upstream gradient; of a it needs the shape, and no number.",
}


def kept(answers: object, *, seed: int = SEED) -> Score:
    """Check which values a student says a graph must keep for going backward.

    Parameters
    ----------
    answers
        A dict: the name of each operator to a set of "a", "b", "result".
    seed
        Not used: the operators are fixed.

    Raises
    ------
    CheckFailed
        Nothing is right, or it is no dict.
    """
    why = "kept is a dict: for each operator, the set of values that its rule reads."
    given = read_dict(KEPT, answers, "a dict of sets", why)
    wrong = [name for name, right in _KEPT.items() if _named(given.get(name)) not in right]
    if not wrong:
        return KEPT.passed("six operators right: two of them keep no array at all")
    name, answer = wrong[0], given.get(wrong[0])
    looks = ""
    if _named(answer) == frozenset({"a"}) and name == "exp":
        looks = "the operand kept where the result is enough"
    elif _KEPT[name] == (frozenset(),) and _named(answer):
        looks = "a value kept that no rule reads"
    got = "nothing yet" if answer is None else show(answer)
    expected = "a set of names" if answer is None else "another set of names"
    fault = Fault("values", f"kept[{name!r}]", got, expected, _KEPT_WHY[name], looks)
    right_ones = len(_KEPT) - len(wrong)
    verb = "is" if right_ones == 1 else "are"
    return KEPT.partly(right_ones, len(_KEPT), f"{right_ones} of 6 {verb} right", fault)


def _named(answer: object) -> frozenset[object] | None:
    """Read one answer as a set of names, however it was written; None if it is no such thing.

    Examples
    --------
    >>> _named("result"), _named({}) == _named(()) == frozenset(), _named(3) is None
    (frozenset({'result'}), True, True)
    """
    if type(answer) is str:
        return frozenset({answer} if answer else ())
    if isinstance(answer, set | list | tuple) or answer == {}:
        items = [*answer]
        return frozenset(items) if all(type(item) is str for item in items) else None
    return None
