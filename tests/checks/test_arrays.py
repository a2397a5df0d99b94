import numpy as np
import pytest

from cgkit.checks.arrays import arrays
from cgkit.checks.plain import NotPlainError


@pytest.mark.parametrize("value", [3, 3.0, np.float64(3), np.array(3.0), np.int8(3)])
def test_a_number_is_an_array_of_no_axes(value):
    found = arrays(value)
    assert isinstance(found, np.ndarray)
    assert (found.shape, found.dtype, found.item()) == ((), np.dtype(float), 3.0)


def test_wherever_it_stands():
    found = arrays({"x": (1, [2.5]), "none": None, "yes": True, "text": "a"})
    assert found["x"][0].shape == found["x"][1][0].shape == ()
    assert (found["none"], found["yes"], found["text"]) == (None, True, "a")


def test_arrays_stay_and_are_copied():
    given = np.zeros((2, 0), dtype=np.int64)
    found = arrays(given)
    assert found.dtype == np.int64
    assert found.shape == (2, 0)
    assert found is not given


def test_numbers_beyond_all_others_are_infinite():
    assert np.isinf(arrays(10**400))


def test_what_is_no_data_is_refused():
    with pytest.raises(NotPlainError):
        arrays((object(),))
