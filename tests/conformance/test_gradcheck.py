"""torch's judge: every operator that has a gradient passes, and a wrong gradient does not."""

from pathlib import Path

import numpy as np
import pytest

from cgkit import ops
from cgkit.conformance.gradcheck import GRADCHECK, READINGS, judged, prepare
from cgkit.conformance.suite import run_cases
from cgkit.conformance.tally import Tally
from cgkit.operators import ALL, COMPOSED

HERE = Path()


def test_every_operator_with_a_gradient_has_cases():
    groups = {case.group for case in prepare(HERE)}
    with_gradient = {name for name, each in ALL.items() if each.gradient is not None}
    assert with_gradient <= groups
    assert set(COMPOSED) <= groups
    assert {"conv3d", "batch_norm_train", "einsum", "scatter_max", "cross_entropy"} <= groups


def test_names_of_cases_are_unlike():
    names = [case.name for case in prepare(HERE)]
    assert len(names) == len(set(names))


@pytest.mark.oracle
def test_figures():
    found = run_cases(prepare(HERE), READINGS, {}, lambda case, outcomes: None)
    tally = Tally(READINGS, found)
    total = tally.total()
    assert total.tried >= 1036
    assert total.passed == total.tried, total.reasons
    assert len(tally.rows) >= 170
    assert GRADCHECK.good(total, tally.rows)


def half(x):
    """Give x squared with half its slope."""
    return (ops.stop_gradient(x) * x,)


def first_order(x):
    """Give x cubed with the right slope, taken as a constant."""
    slope = ops.stop_gradient(3 * x * x)
    return (ops.stop_gradient(x * x * x - slope * x) + slope * x,)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("function", "failed"),
    [(lambda x: (x * x,), ()), (half, READINGS), (first_order, READINGS[1:])],
)
def test_what_is_wrong_is_seen(function, failed):
    (outcome,) = judged("square", function, [np.array([1.0, 2.0])])
    assert set(outcome.failed) == set(failed)
    assert outcome.reason.startswith(failed[0] + ":") if failed else not outcome.reason
