"""What composed functions take."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, ops
from cgkit.operators.operands import as_operand


def test_handles_and_arrays_stay_what_they_are():
    for x in (Tensor([1.0]), GraphBuilder().placeholder(()), np.ones(2), np.float32(1)):
        assert as_operand(x) is x


def test_numbers_and_lists_become_arrays():
    assert as_operand(2.0).shape == ()
    assert as_operand([[1, 2]]).dtype == np.int64


def test_what_is_no_tensor():
    with pytest.raises(ShapeError, match="nested lists of unlike lengths"):
        as_operand([[1], [1, 2]])
    with pytest.raises(DtypeError, match="a tensor holds real numbers, not 'one'"):
        as_operand("one")


LISTS = {
    "global_avg_pool": ([[[1.0, 2.0]]],),
    "global_lp_pool": ([[[1.0, 2.0]]],),
    "global_max_pool": ([[[1.0, 2.0]]],),
    "adaptive_avg_pool": ([[[1.0, 2.0]]], 1),
    "layer_norm": ([1.0, 2.0], [1.0, 1.0], [0.0, 0.0]),
    "rms_norm": ([1.0, 2.0], [1.0, 1.0]),
    "group_norm": ([[1.0, 2.0]], 1, [1.0, 1.0], [0.0, 0.0]),
    "instance_norm": ([[[1.0, 2.0]]], [1.0], [0.0]),
    "local_response_norm": ([[1.0, 2.0]], 1),
    "mse_loss": ([1.0], [2.0]),
    "l1_loss": ([1.0], [2.0]),
    "huber_loss": ([1.0], [2.0]),
    "smooth_l1_loss": ([1.0], [2.0]),
    "hinge_loss": ([1.0], [2.0]),
    "kl_divergence": ([1.0], [2.0]),
    "cosine_similarity": ([1.0, 2.0], [2.0, 1.0]),
    "cosine_loss": ([[1.0, 2.0]], [[2.0, 1.0]], [1]),
    "cross_entropy": ([[1.0, 2.0]], [1]),
    "nll_loss": ([[1.0, 2.0]], [1]),
    "binary_cross_entropy": ([0.5], [1.0]),
    "binary_cross_entropy_with_logits": ([0.5], [1.0]),
    "embedding": ([1, 0], [[1.0], [2.0]]),
    "linear": ([1.0, 2.0], [[1.0, 1.0]], [3.0]),
    "scaled_dot_product_attention": ([[1.0]], [[1.0]], [[1.0]], [[True]]),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_taken_as_arrays(name):
    given = LISTS[name]
    arrays = [np.array(x) if isinstance(x, list) else x for x in given]
    np.testing.assert_array_equal(ops.COMPOSED[name](*given), ops.COMPOSED[name](*arrays))
