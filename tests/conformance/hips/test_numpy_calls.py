"""The table of NumPy's functions: each gives on Tensors what NumPy gives on arrays."""

import numpy as np
import pytest

from cgkit import Tensor
from cgkit.conformance.hips.numpy_calls import ABOUT, CALLS

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
V, W = RNG.normal(size=3), RNG.normal(size=4)
CUBE = RNG.normal(size=(2, 3, 4))

CASES = [
    ("sum", (A,), {"axis": 1, "keepdims": True}),
    ("sum", ([V[0], V[1]],), {}),
    ("mean", (CUBE,), {"axis": (0, 2)}),
    ("prod", (A,), {}),
    ("amax", (A,), {"axis": 0}),
    ("min", (A,), {"keepdims": True}),
    ("var", (A,), {"axis": 1, "ddof": 1}),
    ("std", (CUBE,), {"axis": (0, 1)}),
    ("cumsum", (A,), {}),
    ("cumprod", (A,), {"axis": 1}),
    ("dot", (A, W), {}),
    ("dot", (2.0, W), {}),
    ("inner", (A, B), {}),
    ("inner", (V, 2.0), {}),
    ("outer", (A, V), {}),
    ("tensordot", (CUBE, A), {"axes": ([1, 2], [0, 1])}),
    ("tensordot", (CUBE, A), {"axes": 0}),
    ("tensordot", (A, A), {}),
    ("tensordot", (A, B), {"axes": [-1, 1]}),
    ("kron", (A, V), {}),
    ("kron", (V, CUBE), {}),
    ("einsum", ("ij, kj -> ki", A, B), {}),
    ("einsum", (A, (0, 1), B, (2, 1), (2, 0)), {}),
    ("einsum", (CUBE, (Ellipsis, 1), W, (1,)), {}),
    ("cross", (RNG.normal(size=(3, 2)), RNG.normal(size=(2, 3))), {"axisa": 0, "axisc": 0}),
    ("cross", (V, V[::-1]), {"axis": 0}),
    ("clip", (A, -0.5, 0.5), {}),
    ("where", (A > 0, A, 2.0), {}),
    ("select", ([A > 1, A > 0], [A, B], 7.0), {}),
    ("diff", (CUBE,), {"n": 2, "axis": 1}),
    ("diff", (RNG.normal(size=(1, 2)),), {"axis": 0}),
    ("gradient", (A,), {"axis": 1}),
    ("linalg.norm", (A,), {}),
    ("linalg.norm", (A, 3), {"axis": 0}),
    ("linalg.norm", (CUBE,), {"axis": (0, 2)}),
    ("logaddexp2", (A, B), {}),
    ("sinc", (np.array([0.0, 0.5, -2.25]),), {}),
    ("nan_to_num", (np.array([np.nan, np.inf, 2.0]),), {}),
    ("degrees", (A,), {}),
    ("deg2rad", (A,), {}),
    ("imag", (A,), {}),
    ("conj", (A,), {}),
    ("sort", (A,), {"axis": 0}),
    ("remainder", (A, B), {}),
    ("fmax", (A, 0.1), {}),
    ("argsort", (A,), {"axis": 0}),
]  # fmt: skip


def in_numpy(name):
    found = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


def tensors(x):
    return Tensor(x) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


@pytest.mark.parametrize(("name", "args", "params"), CASES, ids=lambda x: str(x)[:20])
def test_tensors_as_arrays(name, args, params):
    found = CALLS[name](*map(tensors, args), **params)
    expected = in_numpy(name)(*args, **params)
    found = found.data if isinstance(found, Tensor) else found
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_several_slopes():
    found = CALLS["gradient"](Tensor(A))
    for mine, his in zip(found, np.gradient(A), strict=True):
        np.testing.assert_allclose(mine.data, his)
    assert CALLS["linspace"](Tensor(1.0), 3.0, 5).data.tolist() == [1.0, 1.5, 2.0, 2.5, 3.0]


def test_names_are_numpys():
    for name in set(CALLS) - {"make_diagonal", "row_stack"}:
        assert in_numpy(name)
    assert set(ABOUT) <= set(CALLS)
    assert CALLS["allclose"](Tensor(A), [A]) is True


def test_norms_of_matrices_that_are_not_here():
    with pytest.raises(NotImplementedError, match="no norm 'nuc'"):
        CALLS["linalg.norm"](Tensor(A), "nuc")
