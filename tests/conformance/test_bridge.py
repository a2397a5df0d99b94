"""Arguments and gradients across: structure is kept, differences are said, seconds reach seeds."""

import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.conformance.bridge import difference, mapped, our_gradients


def test_structure_is_kept():
    assert mapped([1, (2, [3]), {"a": None}], repr) == ["1", ("2", ["3"]), {"a": "None"}]


@pytest.mark.parametrize(
    ("ours", "theirs", "why"),
    [
        ([1.0], [1.0 + 1e-9], ""),
        ([1.0], [1.0 + 1e-6], "at (): 1.0 is not 1.000001"),
        ([np.nan], [np.nan], ""),
        ([np.inf], [-np.inf], "at (): inf is not -inf"),
        ([np.ones(2)], [np.ones(3)], "shape (2,) is not (3,)"),
        ([np.ones(1, "f4")], [np.ones(1)], "dtype float32 is not float64"),
        ([1.0], [], "1 results, not 0"),
        ([], [], ""),
    ],
)
def test_differences(ours, theirs, why):
    assert difference(ours, theirs) == why


def test_second_gradients_reach_operands_and_seeds():
    x = Tensor(3.0, requires_grad=True)
    first, second = our_gradients([ops.mul(x, x)], [x], [np.array(5.0)], [np.array(2.0)])
    assert first == [30.0]  # 2 * 3 * 5
    assert second() == [20.0, 12.0]  # 2 * 5 * 2 and 2 * 3 * 2


def test_results_without_gradients_give_zeros():
    x = Tensor(np.ones(2))
    first, second = our_gradients([ops.floor(x)], [x], [np.ones(2)], [np.ones(2)])
    np.testing.assert_array_equal(first, np.zeros((1, 2)))
    np.testing.assert_array_equal(second(), np.zeros((2, 2)))
