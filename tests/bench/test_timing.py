"""Minimum, median, ratio, and how times are written."""

import pytest

from cgkit.bench.timing import Timing, duration, ratio, times


def test_minimum_and_median():
    odd, even = Timing((5.0, 1.0, 2.0)), Timing((4.0, 1.0, 2.0, 9.0))
    assert (odd.minimum, odd.median, odd.rounds) == (1.0, 2.0, 3)
    assert (even.minimum, even.median, even.rounds) == (1.0, 3.0, 4)


def test_a_ratio_above_one_says_that_the_peer_is_slower():
    assert ratio(theirs=6.0, ours=2.0) == 3.0
    assert ratio(theirs=1.0, ours=3.0) == 0.3333


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.000 ns"),
        (5e-10, "0.500 ns"),
        (1e-6, "1.00 us"),
        (9.994e-6, "9.99 us"),
        (9.996e-6, "10.0 us"),
        (99.96e-6, "100 us"),
        (999.4e-6, "999 us"),
        (999.6e-6, "1.00 ms"),
        (0.0719, "71.9 ms"),
        (1.15, "1.15 s"),
        (75.0, "75.0 s"),
    ],
)
def test_three_digits_and_a_unit(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.04, "0.040"), (0.5, "0.50"), (3.88, "3.9"), (38.8, "39")]
)
def test_ratios_are_short(value, text):
    assert times(value) == text
