"""Functions that a student's code calls with arguments of its own choosing."""

import math
import resource

import numpy as np
import pytest

from cgkit.grading import lent
from cgkit.grading.lent import Lent, bounded, complaint, taken


class Own(ValueError):
    """An error of an author's."""


@pytest.mark.parametrize(
    ("function", "home"),
    [(len, "builtins"), (math.sin, "math"), (np.exp, "numpy")],
)
def test_what_is_known_on_both_sides_crosses_by_name(function, home):
    assert Lent().mark(function) == {"function": [home, function.__name__]}


@pytest.mark.parametrize("function", [eval, open, lambda: 1, lent.complaint])
def test_everything_else_is_called_back(function):
    functions = Lent()
    for _ in range(2):
        assert functions.mark(function) == {"callback": [0, function.__name__]}
    assert functions[0] is function


def test_a_call_gives_what_the_function_gives():
    functions = Lent()
    functions.mark(lambda one, two: one - two)
    assert functions.call(0, [3], {"two": 1}) == 2


def test_an_error_goes_in_by_a_name_that_is_known_there():
    assert complaint(Own("no"))["raise"] == "ValueError"


def test_an_argument_cannot_fill_the_memory():
    functions = Lent()
    functions.mark(lambda count: [0] * count)
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(MemoryError):
        functions.call(0, [450_000_000], {})
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert functions.call(0, [3], {}) == [0, 0, 0]


def test_many_arguments_cannot_fill_it_either(monkeypatch):
    monkeypatch.setattr(lent, "ROOM", 256 << 20)
    functions, kept, refused = Lent(), [], 0
    functions.mark(lambda count: kept.append(bytes(count)))
    for _ in range(20):
        try:
            functions.call(0, [40 << 20], {})
        except MemoryError:
            refused += 1
    assert 0 < len(kept) <= 8
    assert refused == 20 - len(kept)


def test_bounds_within_bounds_are_not_wider():
    here = taken()
    with bounded(here + (64 << 20)):
        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        with bounded(here + (512 << 20)):
            assert resource.getrlimit(resource.RLIMIT_AS)[0] == most
