"""Settings of operators: what is taken, and what is said of what is not."""

import numpy as np
import pytest

from cgkit.errors import OperandError, ShapeError
from cgkit.operators.settings import as_number, as_shape, as_whole, is_whole, normal_axes
from cgkit.types import Dim


def test_settings_are_numbers_within_bounds():
    assert as_number("x", 0) == 0
    assert as_number("x", np.float32(0.5), least=0, most=1) == 0.5
    for wrong in (True, None, "1", np.nan, [1]):
        with pytest.raises(OperandError, match="x is a number, not"):
            as_number("x", wrong)
    with pytest.raises(OperandError, match="x is a number from 0 to 1, not 2"):
        as_number("x", 2, least=0, most=1)
    with pytest.raises(OperandError, match="x is a number of at least 0, not -1"):
        as_number("x", -1, least=0)


def test_whole_numbers():
    assert as_whole("x", np.uint8(3), least=3) == 3
    assert type(as_whole("x", np.uint8(3))) is int
    for wrong in (True, None, "1", 1.0, [1]):
        with pytest.raises(OperandError, match="x is a whole number, not"):
            as_whole("x", wrong)
    with pytest.raises(OperandError, match="x is a whole number of at least 1, not 0"):
        as_whole("x", 0, least=1)
    assert is_whole(np.int64(0))
    assert not is_whole(np.bool_(True))


@pytest.mark.parametrize("wrong", ["x", 1.0, True, {}, object, (0, "x"), [[0]], {0: 1}])
def test_axes_are_whole_numbers(wrong):
    with pytest.raises(ShapeError, match="an axis is a whole number, not"):
        normal_axes(wrong, 2)


@pytest.mark.parametrize("wrong", ["x", 1.0, True, {}, None, (2, "x"), (2, -1), [[2]]])
def test_shapes_are_of_sizes(wrong):
    with pytest.raises(ShapeError, match="is no shape"):
        as_shape(wrong)
    assert as_shape((Dim("N"), -1), least=-1) == (Dim("N"), -1)
