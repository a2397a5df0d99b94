import numpy as np
import pytest

from cgkit.checks.dynamic.slope_traps import RIGHT, WRONG

SHAPES = [((), ()), ((2, 3), (3,)), ((2, 1), (2, 3)), ((3, 3), (3, 3)), ((1, 3), (2, 1))]


def cases():
    draw = np.random.default_rng(1)
    for first, second in SHAPES:
        for _ in range(3):
            a, b = (
                np.asarray(draw.uniform(0.5, 2, shape) * draw.choice([-1, 1], shape))
                for shape in (first, second)
            )
            yield a, b, draw.normal(size=np.broadcast_shapes(first, second))


def slopes(function, upstream, operands, at):
    """Give the gradient by central differences, number by number."""
    found = np.zeros(operands[at].shape)
    for place in np.ndindex(found.shape):
        ends = []
        for sign in (1, -1):
            moved = [operand.copy() for operand in operands]
            moved[at][place] += sign * 1e-6
            ends.append(np.sum(upstream * function(*moved)))
        found[place] = (ends[0] - ends[1]) / 2e-6
    return found


def agrees(function, rule):
    for a, b, upstream in cases():
        for at, share in enumerate(rule(upstream, a, b)):
            right = slopes(function, upstream, [a, b], at)
            if np.shape(share) != right.shape or not np.allclose(share, right, atol=1e-5):
                return False
    return True


@pytest.mark.parametrize("pair", RIGHT, ids=lambda pair: pair[0].__name__)
def test_right_rules_are_slopes(pair):
    assert agrees(*pair)


@pytest.mark.parametrize("trap", WRONG, ids=lambda trap: trap.name)
def test_wrong_rules_are_wrong_and_give_arrays(trap):
    assert not agrees(trap.function, trap.rule)
    for a, b, upstream in cases():
        shares = trap.rule(upstream, a, b)
        assert len(shares) == 2
        assert all(np.asarray(share).dtype == np.float64 for share in shares)


def test_traps_have_names_of_their_own():
    assert len({trap.name for trap in WRONG}) == len(WRONG) == 24
