"""Means and norms under windows against slices written out, window by window."""

import itertools

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, flops, grad, ops, run
from cgkit.errors import OperandError
from cgkit.testing import check_gradient


def windows_of(x, kernel, stride, padding):
    """Walk over the windows of a matrix: where, what they see of it, and of it with its padding."""
    (k, m), (s, t) = kernel, stride
    for i, j in itertools.product(
        range((x.shape[0] + 2 * padding - k) // s + 1),
        range((x.shape[1] + 2 * padding - m) // t + 1),
    ):
        top, left = i * s - padding, j * t - padding
        yield i, j, x[max(top, 0) : top + k, max(left, 0) : left + m], k * m


CASES = list(itertools.product([(2, 2), (3, 2)], [(1, 1), (2, 3)], [0, 1]))


@pytest.mark.parametrize(("kernel", "stride", "padding"), CASES)
def test_means_are_those_of_the_windows(kernel, stride, padding):
    x = np.random.default_rng(0).normal(size=(6, 7))
    settings = {"kernel": kernel, "stride": stride, "padding": padding}
    found = ops.avg_pool(x, **settings)
    only = ops.avg_pool(x, count_include_pad=False, **settings)
    total = ops.avg_pool(x, divisor=1, **settings)
    norm = ops.lp_pool(x, p=3, **settings)
    for i, j, seen, size in windows_of(x, kernel, stride, padding):
        assert found[i, j] == pytest.approx(seen.sum() / size)
        assert only[i, j] == pytest.approx(seen.mean())
        assert total[i, j] == pytest.approx(seen.sum())
        assert norm[i, j] == pytest.approx((abs(seen) ** 3).sum() ** (1 / 3))
    assert found.shape == (i + 1, j + 1)


def test_a_window_that_hangs_over_counts_what_is_there():
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert ops.avg_pool(x, kernel=(2,), ceil_mode=True).tolist() == [1.5, 3.5, 5.0]
    padded = ops.avg_pool(x, kernel=(3,), padding=1, stride=3, ceil_mode=True)
    assert padded.tolist() == [1.0, 4.0]
    # the last window sees 4, 5 and one zero of the padding; what lies beyond that is not there
    assert ops.avg_pool(x[:4], kernel=(3,), padding=1, stride=2, ceil_mode=True).tolist() == [
        1.0, 3.0, 2.0,
    ]  # fmt: skip


def test_integers_have_means_of_floats():
    assert ops.avg_pool(np.array([1, 2]), kernel=(2,)).tolist() == [1.5]
    assert ops.lp_pool(np.array([3, -4]), kernel=(2,)).dtype == np.float64


def test_many_halves_do_not_outgrow_float16():
    x = np.full((1, 1, 4096), 100.0, np.float16)
    found = ops.avg_pool(x, kernel=4096)
    assert found.dtype == np.float16
    assert found.item() == 100.0


def test_the_norm_of_zeros_has_gradient_0():
    x = Tensor(np.zeros((1, 1, 2)), requires_grad=True)
    (slope,) = grad(ops.lp_pool(x, kernel=2).sum(), x)
    assert slope.data.tolist() == [[[0.0, 0.0]]]


def test_counts_of_work():
    builder = GraphBuilder()
    x = builder.placeholder((1, 2, 6, 6))
    assert flops(ops.avg_pool(x, kernel=(3, 2)).node) == 2 * 2 * 3 * (6 + 1)
    assert flops(ops.lp_pool(x, kernel=3).node) == 72 * 2 + 2 * 4 * (9 + 1)


@pytest.mark.parametrize("power", [0, -1, np.inf, True, "2"])
def test_a_power_is_a_positive_number(power):
    with pytest.raises(OperandError, match="the power p of lp_pool is a positive number"):
        ops.lp_pool(np.ones((1, 1, 2)), kernel=2, p=power)


def test_what_cannot_be_pooled():
    with pytest.raises(OperandError, match="cannot divide by 0"):
        ops.avg_pool(np.ones(2), kernel=(2,), divisor=0)
    with pytest.raises(OperandError, match="divisor of avg_pool is a whole number"):
        ops.avg_pool(np.ones(2), kernel=(2,), divisor=1.5)
    with pytest.raises(DtypeError, match="avg_pool cannot take bool"):
        ops.avg_pool(np.ones(2, bool), kernel=(2,))
    with pytest.raises(ShapeError, match=r"avg_pool gives \(2,\), and its gradient has \(3,\)"):
        ops.avg_unpool(np.ones(3), size=(4,), kernel=(2,))
    with pytest.raises(OperandError, match="avg_pool has no setting 'size'"):
        ops.avg_pool(np.ones(2), kernel=(2,), size=2)


class TestGlobal:
    def test_means_and_norms_of_channels(self):
        x = np.random.default_rng(0).normal(size=(2, 3, 4, 5))
        np.testing.assert_allclose(ops.global_avg_pool(x)[:, :, 0, 0], x.mean(axis=(2, 3)))
        norm = ops.global_lp_pool(x, p=2)
        assert norm.shape == (2, 3, 1, 1)
        np.testing.assert_allclose(norm[:, :, 0, 0], np.sqrt((x * x).sum(axis=(2, 3))))

    def test_open_images(self):
        builder = GraphBuilder()
        x = builder.placeholder((None, 2, None, None))
        outputs = [ops.global_avg_pool(x), ops.global_lp_pool(x), ops.adaptive_avg_pool(x, 1)]
        array = np.random.default_rng(0).normal(size=(3, 2, 4, 5))
        mean, norm, adapted = run(builder.graph(outputs), array)
        np.testing.assert_allclose(mean, ops.global_avg_pool(array))
        np.testing.assert_allclose(norm, ops.global_lp_pool(array))
        np.testing.assert_allclose(adapted, mean)

    def test_a_matrix_has_no_channels(self):
        with pytest.raises(ShapeError, match=r"global_avg_pool takes images .* got \(2, 3\)"):
            ops.global_avg_pool(np.ones((2, 3)))


class TestAdaptive:
    @pytest.mark.parametrize(("size", "n"), list(itertools.product([1, 3, 4, 7], [1, 2, 3, 5])))
    def test_means_of_the_stated_parts(self, size, n):
        x = np.random.default_rng(0).normal(size=(2, size))
        found = ops.adaptive_avg_pool(x, (n,))
        for i in range(n):
            part = x[:, i * size // n : -(-(i + 1) * size // n)]
            np.testing.assert_allclose(found[:, i], part.mean(axis=1))

    def test_gradients(self):
        x = np.random.default_rng(0).normal(size=(1, 2, 5, 4))
        check_gradient(lambda x: ops.adaptive_avg_pool(x, (2, 3)), x)

    def test_floats_stay_and_integers_become_floats(self):
        x = np.ones((1, 1, 4), np.float32)
        assert ops.adaptive_avg_pool(x, 2).dtype == np.float32
        assert ops.adaptive_avg_pool(x.astype(int), 2).dtype == np.float64

    def test_what_it_cannot_make(self):
        with pytest.raises(ShapeError, match="cannot make 0 of"):
            ops.adaptive_avg_pool(np.ones((1, 1, 4)), 0)
        with pytest.raises(ShapeError, match="before its size N is known"):
            ops.adaptive_avg_pool(GraphBuilder().placeholder((1, 1, None)), 2)
