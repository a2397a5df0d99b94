"""When outputs agree, and what is said when they do not."""

import numpy as np
import pytest

from cgkit.bench.agreement import close

NAN = float("nan")


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ([1.0, 2.0], [1.0, 2.0 + 1e-12], ""),
        ([1.0, NAN], [1.0, NAN], ""),
        ([], [], ""),
        ([1.0, 2.0], [1.0, 2.5], "y differs by 0.5 at (1,): 2.5, expected 2.0"),
        ([1.0], [NAN], "y differs by nan at (0,): nan, expected 1.0"),
        ([True], [False], "y differs at (0,): False, expected True"),
        ([[1.0]], [1.0], "y has shape (1,), expected (1, 1)"),
        (3.0, 4.0, "y differs by 1 at (): 4.0, expected 3.0"),
        ([1.0], np.ones(1, "float32"), "y is float32, expected float64"),
        ([1.0], ["1.0"], "y is <U3, expected float64"),
    ],
)
def test_what_differs_is_said(ours, theirs, said):
    agree = close(1e-9)
    assert agree({"y": np.asarray(ours)}, {"y": np.asarray(theirs)}, {}) == said


def test_the_absolute_part_counts_near_zero():
    zero, small = {"y": np.zeros(1)}, {"y": np.full(1, 1e-9)}
    assert close(1e-3)(zero, small, {})
    assert not close(0.0, absolute=1e-8)(zero, small, {})


def test_names_must_be_the_same():
    y = np.zeros(1)
    assert close(1.0)({"x": y, "y": y}, {"y": y}, {}) == "it gives y, expected x, y"
    assert close(1.0)({"x": y}, {}, {}) == "it gives nothing, expected x"
