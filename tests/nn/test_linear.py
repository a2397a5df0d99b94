"""Linear and Embedding against NumPy."""

import numpy as np
import pytest

from cgkit import Generator, GraphBuilder, ShapeError, Tensor
from cgkit.errors import DtypeError, OperandError
from cgkit.nn import Embedding, Linear


@pytest.mark.parametrize("shape", [(3,), (5, 3), (0, 3), (2, 4, 3)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear_mixes_the_last_axis(shape, bias):
    layer = Linear(3, 2, Generator(0), bias=bias, dtype="float64")
    x = np.random.default_rng(0).normal(size=shape)
    y = layer(Tensor(x))
    expected = x @ layer.weight.data + (layer.bias.data if bias else 0)
    np.testing.assert_allclose(y.data, expected, rtol=1e-12)
    y.sum().backward()
    np.testing.assert_allclose(
        layer.weight.grad.data, x.reshape(-1, 3).sum(axis=0)[:, None] * np.ones(2)
    )
    if bias:
        np.testing.assert_array_equal(layer.bias.grad.data, [x.size / 3] * 2)


def test_dtypes_are_kept():
    for dtype in ("float16", "float32", "float64"):
        layer = Linear(2, 2, Generator(0), dtype=dtype)
        assert layer(np.ones((1, 2), dtype)).dtype == dtype
        assert {x.dtype.name for x in layer.parameters()} == {dtype}
    assert Linear(2, 2, Generator(0))(np.ones((1, 2))).dtype == np.float64


def test_layers_without_features():
    g = Generator(0)
    assert Linear(0, 2, g)(np.ones((3, 0), "float32")).data.shape == (3, 2)
    assert Linear(2, 0, g)(np.ones((3, 2), "float32")).data.shape == (3, 0)


def test_open_sizes():
    layer = Linear(3, 2, Generator(0))
    for x in layer.parameters():
        x.requires_grad_(False)
    builder = GraphBuilder()
    assert layer(builder.placeholder((None, "T", 3), "float32")).shape[-1] == 2


@pytest.mark.parametrize(
    ("shape", "why", "attempt"),
    [
        ((5, 4), "and x has 4", r"x of shape \(\.\.\., 3\), or Linear\(4, 2, \.\.\.\)"),
        ((3, 0), "and x has 0", r"or Linear\(0, 2, \.\.\.\)"),
        ((), "and x has no axis", r"x of shape \(\.\.\., 3\)\n  in"),
    ],
)
def test_a_wrong_number_of_features(shape, why, attempt):
    with pytest.raises(ShapeError, match=r"Linear\(3, 2\) cannot take x of") as caught:
        Linear(3, 2, Generator(0))(np.zeros(shape))
    assert caught.match(f"it takes 3 features on the last axis, {why}")
    assert caught.match(attempt)


def test_wrong_sizes_and_generators():
    with pytest.raises(OperandError, match="the inputs of Linear is a whole number of at least 0"):
        Linear(2.5, 2, Generator(0))
    with pytest.raises(OperandError, match="the outputs of Linear"):
        Linear(2, -1, Generator(0))
    with pytest.raises(OperandError, match=r"by a Generator, got 7\n  try      Generator\(7\)"):
        Linear(2, 2, 7)


@pytest.mark.parametrize("padding", [None, 2, -1])
def test_embedding_looks_rows_up(padding):
    layer = Embedding(4, 3, Generator(0), padding=padding, dtype="float64")
    ids = np.array([[1, 2], [3, 1]])
    y = layer(ids)
    np.testing.assert_array_equal(y.data, layer.weight.data[ids])
    y.sum().backward()
    counts = np.array([0.0, 2.0, 1.0, 1.0])
    if padding is not None:
        counts[padding] = 0.0
        assert not layer.weight.data[padding].any()
    np.testing.assert_array_equal(layer.weight.grad.data, counts[:, None] * np.ones(3))


def test_embedding_of_nothing_and_refusals():
    layer = Embedding(4, 3, Generator(0))
    assert layer(np.zeros((0, 2), "int64")).shape == (0, 2, 3)
    with pytest.raises(OperandError, match="Embedding has the ids 0 to 3, and no 4"):
        Embedding(4, 3, Generator(0), padding=4)
    with pytest.raises(DtypeError, match="looks up ids of an integer dtype"):
        layer(np.zeros(2))
    with pytest.raises(ShapeError, match="4") as caught:
        layer(np.array([4]))
    assert caught.value.__notes__[-1] == "  in layer Embedding(4, 3)"
