"""Samples as cases: they are the same each time, and `same` tells what differs."""

import numpy as np
import pytest

from cgkit import ops
from cgkit.node import Sample
from cgkit.operators.samples import backward_view
from cgkit.testing.cases import broken, computed, coverage, open_shapes, same, samples_of


def test_samples_are_the_same_each_time():
    for one, two in zip(samples_of(ops.add), samples_of(ops.add), strict=True):
        assert all(map(same, one.operands, two.operands))


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1.0, 1.0, True),
        (0.0, -0.0, False),
        (np.nan, np.nan, True),
        (np.array([np.nan, 0.0]), np.array([np.nan, -0.0]), False),
        (np.float32(1), np.float64(1), False),
        (np.zeros((0, 2)), np.zeros((0, 3)), False),
        (np.zeros((0, 2)), np.zeros((0, 2)), True),
        (np.array([True]), np.array([1]), False),
        (np.inf, -np.inf, False),
    ],
)
def test_same(a, b, equal):
    assert same(a, b) is equal


def test_open_shapes_give_equal_sizes_one_symbol():
    together, *alone = open_shapes([(2, 3), (3,)])
    assert [[str(n) for n in shape] for shape in together] == [["D2", "D3"], ["D3"]]
    assert len(alone) == 3
    assert all(sum(not isinstance(n, int) for s in shapes for n in s) == 1 for shapes in alone)


def test_coverage_sees_strides_and_specials():
    x = backward_view(np.array([[np.inf, np.nan]]))
    assert coverage([Sample((x,))]) == {"negative stride", "inf", "nan", "float64"}


def test_a_broken_law_names_the_case():
    error = broken(ops.sum, Sample((np.zeros((2, 0), "f4"),), {"axis": 1}), "it is odd")
    assert str(error) == "sum(float32[2, 0], axis=1): it is odd"


def test_computed_is_quiet():
    (y,) = computed(ops.mul, Sample((np.array(np.inf), np.array(0.0))))
    assert np.isnan(y)
