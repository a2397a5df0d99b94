"""Counting: a denominator never shrinks, and like reasons are counted together."""

import pytest

from cgkit.conformance.tally import Outcome, Row, Tally, grouped, not_tried

READINGS = ("forward", "gradient")


def test_an_outcome_passes_only_in_every_reading():
    tally = Tally(
        READINGS,
        [
            Outcome("add"),
            Outcome("add", ("gradient",), "gradient at (0, 1): 1.5 is not 2.0"),
            Outcome("add", READINGS, "gradient at (3,): -1e-07 is not inf"),
            Outcome("mul"),
        ],
    )
    row = tally.rows["add"]
    assert (row.passed, row.tried) == (1, 3)
    assert [row.reading(name) for name in READINGS] == [2, 1]
    assert list(tally.rows) == ["add", "mul"]
    total = tally.total()
    assert (total.passed, total.tried, total.failed["gradient"]) == (2, 4, 2)
    assert total.share() == 50.0


def test_ways_of_passing_are_counted():
    outcomes = [
        Outcome("a", way="slowly"),
        Outcome("b", READINGS, "no", way="slowly"),
        Outcome("b"),
    ]
    tally = Tally(READINGS, outcomes)
    assert tally.total().ways == {"slowly": 1}
    assert tally.rows["b"].ways == {}


def test_what_was_not_tried_counts_against():
    tally = Tally(READINGS, [Outcome("add"), *not_tried("add", READINGS, 3, "no samples")])
    row = tally.rows["add"]
    assert (row.passed, row.tried) == (1, 4)
    assert row.reasons == {"not tried: no samples": 3}
    assert row.reading("forward") == 1


def test_of_nothing_all_passed():
    assert Row().share() == 100.0
    assert Tally(READINGS).total().tried == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at (0, 12): 1.0 is not 2", "at (3,): -1e-7 is not .5"),
        ("ShapeError: axis 1 does not exist in a tensor of 0 axes", "ShapeError: axis 7 does not "
         "exist in a tensor of 12 axes\n  more"),
        ("shape (2, 3) is not ()", "shape (4, 5, 6) is not ()"),
    ],
)  # fmt: skip
def test_like_reasons_are_one(one, other):
    assert grouped(one) == grouped(other)


def test_unlike_reasons_stay_apart():
    assert grouped("conv2d fails") != grouped("conv3d fails")
    assert grouped("dtype float32 is not float64") != grouped("dtype int32 is not float64")
    assert len(grouped("x" * 500)) == 100
