"""Each trap is wrong somewhere small, right on most pairs, and raises nothing but ValueError."""

import itertools

import pytest

from cgkit.checks.graphs.shape_mistakes import broadcast
from cgkit.checks.graphs.shape_traps import SUBTLE, WRONG

SIZES = (0, 1, 2, 4, 5)
SHAPES = [shape for rank in range(4) for shape in itertools.product(SIZES, repeat=rank)]
LARGE = [(1, 2, 1, 4), (2, 1, 1, 1), (2, 2, 2, 2)]


def result(function, a, b):
    try:
        return function(a, b)
    except ValueError:
        return None


@pytest.mark.parametrize("trap", SUBTLE, ids=lambda trap: trap.name)
def test_subtle_ones_are_right_on_most_pairs_and_wrong_on_some(trap):
    pairs = [*itertools.product(SHAPES[::3], SHAPES[::4]), *itertools.product(LARGE, LARGE)]
    wrong = [(a, b) for a, b in pairs if result(trap.algorithm, a, b) != result(broadcast, a, b)]
    assert wrong
    assert len(wrong) < len(pairs) / 2
    assert trap.why.endswith(".")


def test_there_are_three_for_each_point():
    assert len(WRONG) == 24
    assert len({mistake.name for mistake in WRONG}) == len(WRONG)
