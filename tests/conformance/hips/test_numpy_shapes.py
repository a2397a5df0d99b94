"""Shapes in NumPy's words: turned, joined, parted, repeated, as NumPy does it."""

import numpy as np
import pytest

from cgkit import Tensor
from cgkit.conformance.hips.numpy_shapes import CALLS, array, cut, has_tensor

A = np.arange(12.0).reshape(3, 4)
V = np.arange(4.0)
CUBE = np.arange(24.0).reshape(2, 3, 4)

CASES = [
    ("atleast_1d", (np.array(2.0),), {}),
    ("atleast_2d", (V,), {}),
    ("atleast_3d", (V,), {}),
    ("atleast_3d", (A,), {}),
    ("concatenate", ([A, A],), {"axis": 1}),
    ("concatenate", ([A, V],), {"axis": None}),
    ("vstack", ([A, V],), {}),
    ("hstack", ([V, V],), {}),
    ("hstack", ([A, A],), {}),
    ("column_stack", ([A.T, V],), {}),
    ("stack", ([V, V],), {"axis": 1}),
    ("append", (A, V), {}),
    ("transpose", (CUBE,), {"axes": [2, 0, 1]}),
    ("transpose", (CUBE,), {}),
    ("swapaxes", (CUBE, 0, 2), {}),
    ("moveaxis", (CUBE, 0, 2), {}),
    ("rollaxis", (CUBE, 2), {}),
    ("rollaxis", (CUBE, 0, 2), {}),
    ("rot90", (A,), {}),
    ("rot90", (A, 3), {}),
    ("flipud", (A,), {}),
    ("fliplr", (A,), {}),
    ("flip", (A, 1), {}),
    ("reshape", (A, (2, 6)), {}),
    ("reshape", (A, -1), {}),
    ("ravel", (A,), {}),
    ("squeeze", (A[None],), {}),
    ("expand_dims", (A, 1), {}),
    ("broadcast_to", (V, (2, 4)), {}),
    ("repeat", (A, 2), {"axis": 1}),
    ("tile", (V, (2, 3)), {}),
    ("tile", (CUBE, 2), {}),
    ("pad", (A, ((1, 2), (0, 3))), {}),
    ("pad", (A, 1, "constant"), {}),
    ("roll", (A, 1), {"axis": 1}),
    ("tril", (A,), {"k": -1}),
    ("triu", (A, 1), {}),
    ("diagonal", (CUBE, 1, 1, 2), {}),
    ("trace", (CUBE,), {"offset": -1}),
    ("diag", (V,), {"k": 1}),
    ("diag", (A,), {"k": -1}),
    ("ndim", (A,), {}),
    ("shape", (A,), {}),
    ("size", (A,), {}),
]  # fmt: skip


def tensors(x):
    if isinstance(x, list):
        return [tensors(each) for each in x]
    return Tensor(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize(("name", "args", "params"), CASES, ids=lambda x: str(x)[:20])
def test_tensors_as_arrays(name, args, params):
    found = CALLS[name](*map(tensors, args), **params)
    expected = getattr(np, name)(*args, **params)
    np.testing.assert_array_equal(found.data if isinstance(found, Tensor) else found, expected)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("split", (A, 2, 1)), ("split", (CUBE, [1, 2], 1)), ("array_split", (V, 3)),
        ("vsplit", (A, [1])), ("hsplit", (A, 2)), ("hsplit", (V, 2)), ("dsplit", (CUBE, [1, 3])),
    ],
)  # fmt: skip
def test_parts(name, args):
    found = CALLS[name](*map(tensors, args))
    expected = getattr(np, name)(*args)
    assert len(found) == len(expected)
    for mine, his in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine.data, his)


def test_parts_of_unequal_size_are_refused():
    with pytest.raises(ValueError, match="4 cannot be split into 3"):
        CALLS["split"](Tensor(V), 3)


def test_diagonals_of_several_axes():
    found = CALLS["make_diagonal"](Tensor(A), 1, 0, 2).data
    assert found.shape == (5, 3, 5)
    np.testing.assert_array_equal(np.diagonal(found, 1, 0, 2), A)


def test_lists_that_hold_tensors():
    assert array([[Tensor(1.0), 2], [3, 4]], int).data.tolist() == [[1, 2], [3, 4]]
    assert array([1, 2]).tolist() == [1, 2]
    assert has_tensor({"a": [Tensor(1.0)]})
    assert not has_tensor([{"a": np.ones(2)}, "b"])
    assert cut(CUBE, -1, 1, 3).shape == (2, 3, 2)
