import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.errors import DtypeError, ShapeError


def as_pairs(z):
    return np.stack([z.real, z.imag], -1)


def waves(z, sign):
    """Sum up the waves by the definition."""
    n = z.shape[-1]
    turn = np.exp(sign * 2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)
    return z @ turn


@pytest.mark.parametrize("n", [1, 2, 5, 8, 9])
def test_it_is_the_sum_of_waves(n):
    rng = np.random.default_rng(n)
    z = rng.normal(size=(2, 3, n)) + 1j * rng.normal(size=(2, 3, n))
    np.testing.assert_allclose(ops.fft(as_pairs(z)), as_pairs(waves(z, -1)), atol=1e-12)
    inverse = ops.fft(as_pairs(z), inverse=True)
    np.testing.assert_allclose(inverse, as_pairs(waves(z, 1) / n), atol=1e-12)
    np.testing.assert_allclose(ops.fft(inverse), as_pairs(z), atol=1e-12)


def test_length_is_kept_but_for_its_factor():
    x = Tensor(np.random.default_rng(0).normal(size=(6, 2)), requires_grad=True)
    y = ops.fft(x)
    ((y * y).sum() - (x * x).sum() * 6.0).backward()
    np.testing.assert_allclose(x.grad.numpy(), 0, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_dtypes(dtype):
    x = np.arange(8).reshape(4, 2).astype(dtype)
    y = ops.fft(x)
    assert y.dtype == ("float64" if dtype == "int32" else dtype)
    np.testing.assert_allclose(y, ops.fft(x.astype("float64")), rtol=1e-3, atol=1e-2)


def test_numbers_without_pairs_are_refused():
    for shape in ((2,), (), (4, 3), (4, 1)):
        with pytest.raises(ShapeError, match="real and imaginary parts"):
            ops.fft(np.zeros(shape))
    with pytest.raises(DtypeError):
        ops.fft(np.zeros((3, 2), complex))
