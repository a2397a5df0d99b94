"""Normalization against its formulas, and the statistics that are kept."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, nn, trace
from cgkit.errors import CaptureError, OperandError


def drawn(*shape):
    return np.random.default_rng(0).normal(2.0, 3.0, size=shape)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (lambda: nn.BatchNorm1d(3, dtype="float64"), (8, 3)),
        (lambda: nn.BatchNorm1d(3, dtype="float64"), (4, 3, 5)),
        (lambda: nn.BatchNorm2d(3, dtype="float64"), (2, 3, 4, 5)),
    ],
)
def test_batches(layer, shape):
    layer, x = layer(), drawn(*shape)
    layer.scale.data[...], layer.shift.data[...] = [1, 2, 3], [4, 5, 6]
    axes = (0, *range(2, x.ndim))
    along = (1, 3) + (1,) * (x.ndim - 2)
    y = layer(x).data
    np.testing.assert_allclose(y.mean(axis=axes), [4, 5, 6])
    np.testing.assert_allclose(y.std(axis=axes), [1, 2, 3], rtol=1e-5)
    mean, var = 0.1 * x.mean(axis=axes), 0.9 + 0.1 * x.var(axis=axes, ddof=1)
    np.testing.assert_allclose(layer.running_mean.data, mean)
    np.testing.assert_allclose(layer.running_var.data, var)
    y = layer.eval()(x).data
    a = np.array([1, 2, 3]) / np.sqrt(var + 1e-5)
    expected = (x - mean.reshape(along)) * a.reshape(along) + np.array([4, 5, 6]).reshape(along)
    np.testing.assert_allclose(y, expected)
    np.testing.assert_allclose(layer.running_mean.data, mean)  # in use they stay


def test_a_bias_before_it_gets_no_gradient_in_training():
    x, bias = drawn(5, 3), Tensor(np.ones(3), requires_grad=True)
    y = nn.BatchNorm1d(3, dtype="float64")(x + bias)
    (y * drawn(5, 3)).sum().backward()
    np.testing.assert_allclose(bias.grad.data, 0.0, atol=1e-12)


def test_statistics_take_no_part_in_the_gradient():
    layer = nn.BatchNorm1d(2)
    x = Tensor(drawn(4, 2), requires_grad=True)
    layer(x)
    layer(x).sum().backward()
    assert layer.running_mean.is_leaf
    assert not layer.running_mean.requires_grad
    assert [*layer.named_buffers()] == ["running_mean", "running_var"]


def test_what_cannot_be_trained_on():
    layer = nn.BatchNorm1d(3)
    before = layer.state()
    with pytest.raises(ShapeError, match=r"one number for each channel\n.*no variance") as caught:
        layer(np.zeros((1, 3)))
    assert "in layer BatchNorm1d(3)" in caught.value.with_place()
    np.testing.assert_array_equal(layer.running_var.data, before["running_var"])
    assert layer.eval()(np.zeros((1, 3))).shape == (1, 3)
    with pytest.raises(CaptureError, match=r"BatchNorm1d\.running_mean cannot keep Value"):
        trace(nn.BatchNorm1d(3), np.zeros((2, 3)))


def test_images_of_another_rank_or_number_of_channels():
    with pytest.raises(ShapeError, match=r"BatchNorm2d\(3\) takes images \(N, C, H, W\), got"):
        nn.BatchNorm2d(3)(np.zeros((2, 3)))
    with pytest.raises(ShapeError, match=r"\(N, C\) or sequences \(N, C, L\), got \(2, 3, 1, 1\)"):
        nn.BatchNorm1d(3)(np.zeros((2, 3, 1, 1)))
    for training in (True, False):
        layer = nn.BatchNorm2d(3).train(training)
        with pytest.raises(ShapeError, match="one for each channel"):
            layer(np.zeros((2, 4, 5, 5)))
        assert not layer.running_mean.data.any()


def test_layers():
    layer, x = nn.LayerNorm((3, 4), epsilon=0.0, dtype="float64"), drawn(2, 3, 4)
    layer.scale.data[...] = np.arange(12.0).reshape(3, 4)
    unit = (x - x.mean(axis=(1, 2), keepdims=True)) / x.std(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(layer(x).data, unit * layer.scale.data)
    root = np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(nn.RMSNorm(4, dtype="float64")(x).data, x / root)
    groups = nn.GroupNorm(2, 4, epsilon=0.0, affine=False)(drawn(2, 4, 3))
    parts = groups.reshape(2, 2, 6)
    np.testing.assert_allclose(parts.mean(axis=-1), 0.0, atol=1e-12)
    np.testing.assert_allclose(parts.std(axis=-1), 1.0)


def test_without_a_scale_nothing_is_learned():
    for layer in (nn.LayerNorm(3, affine=False), nn.RMSNorm(3, affine=False),
                  nn.GroupNorm(1, 3, affine=False), nn.BatchNorm1d(3, affine=False)):  # fmt: skip
        assert layer.parameters() == []
        assert layer(np.ones((2, 3))).shape == (2, 3)
        assert layer.heading.endswith("affine=False)")
    assert isinstance(nn.BatchNorm1d(3, affine=False).running_mean, Tensor)


@pytest.mark.parametrize(
    ("layer", "shape", "said"),
    [
        (nn.LayerNorm(3), (2, 4), r"LayerNorm\(3\) takes \(\.\.\., 3\), got \(2, 4\)"),
        (nn.LayerNorm((2, 3)), (3,), r"takes \(\.\.\., 2, 3\), got \(3,\)"),
        (nn.LayerNorm(3), (), r"takes \(\.\.\., 3\), got \(\)"),
        (nn.RMSNorm(3, affine=False), (2, 4), r"RMSNorm\(3, affine=False\) takes"),
        (nn.GroupNorm(2, 4), (2, 6), r"GroupNorm\(2, 4\) takes \(N, 4, \.\.\.\), got \(2, 6\)"),
        (nn.GroupNorm(2, 4), (4,), r"takes \(N, 4, \.\.\.\), got \(4,\)"),
    ],
)
def test_wrong_shapes(layer, shape, said):
    with pytest.raises(ShapeError, match=said):
        layer(np.zeros(shape))


def test_wrong_settings():
    with pytest.raises(ShapeError, match="cannot split 5 channels into 2 groups"):
        nn.GroupNorm(2, 5)
    with pytest.raises(ShapeError, match="normalizes at least one axis"):
        nn.LayerNorm(())
    with pytest.raises(OperandError, match="the momentum of BatchNorm1d is a number from 0 to 1"):
        nn.BatchNorm1d(3, momentum=2)
    with pytest.raises(OperandError, match="the epsilon of LayerNorm"):
        nn.LayerNorm(3, epsilon=-1)
    with pytest.raises(DtypeError, match="floating"):
        nn.LayerNorm(3, dtype="int64")


def test_open_sizes_pass():
    builder = GraphBuilder()
    layer = nn.LayerNorm(4, affine=False)
    x = builder.placeholder((None, "T", 4))
    assert layer(x).type == x.type
