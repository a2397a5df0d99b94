"""Padding in ONNX, against NumPy's pad where that goes, and the way back."""

import numpy as np
import pytest

from cgkit import ops

X = np.arange(1.0, 7).reshape(2, 3)


def test_constants(written):
    found = written(lambda x: ops.pad(x, pads=((1, 0), (0, 2)), value=9.0), X)
    assert found.kinds == ["Pad"]
    np.testing.assert_array_equal(found.result, np.pad(X, ((1, 0), (0, 2)), constant_values=9))


def test_negative_widths_cut(written):
    found = written(lambda x: ops.pad(x, pads=((-1, 0), (2, -2))), X)
    assert found.kinds == ["Pad", "Slice"]
    np.testing.assert_array_equal(found.result, [[0, 0, 4]])
    gone = written(lambda x: ops.pad(x, pads=((0, 0), (-2, -1))), X)
    assert gone.result.shape == (2, 0)


@pytest.mark.parametrize(("mode", "name"), [("edge", "edge"), ("reflect", "reflect"),
                                            ("wrap", "wrap")])  # fmt: skip
@pytest.mark.parametrize(("width", "direct"), [(1, True), (5, False)])
@pytest.mark.parametrize("opened", [False, True])
def test_copies(written, mode, name, width, direct, opened):
    shapes = [(2, "N")] if opened else None
    pads = ((0, 0), (width, width))
    found = written(lambda x: ops.pad(x, pads=pads, mode=mode), X, shapes=shapes)
    np.testing.assert_array_equal(found.result, np.pad(X, pads, mode=name))
    plain = mode == "edge" or (direct and not opened)
    assert ("Pad" in found.kinds) == plain


@pytest.mark.parametrize("size", [0, 1, 3])
def test_what_is_cut_off_on_one_side_and_put_to_on_the_other(written, size):
    x = np.arange(1.0, 1 + size)
    for pads in ((-1, 1), (2, -3), (-2, 5)):
        expected = ops.pad(x, pads=(pads,)) if size + sum(pads) >= 0 else None
        for shapes in (None, [("N",)]) if expected is not None else ():
            found = written(lambda x, pads=pads: ops.pad(x, pads=(pads,)), x, shapes=shapes)
            np.testing.assert_array_equal(found.result, expected)


def test_some_cut_and_some_copied(written):
    found = written(lambda x: ops.pad(x, pads=((0, 0), (-1, 4)), mode="wrap"), X)
    np.testing.assert_array_equal(found.result, X[:, [1, 2, 0, 1, 2, 0]])


@pytest.mark.parametrize("mode", ["edge", "reflect", "wrap"])
@pytest.mark.parametrize("shapes", [None, [(2, "N")]])
def test_the_way_back_adds_copies(written, mode, shapes):
    pads = ((1, 0), (4, 2))
    wide = np.pad(X, pads, mode=mode)
    expected = np.zeros((2, 3))
    places = np.pad(np.arange(6).reshape(2, 3), pads, mode=mode)
    np.add.at(expected.reshape(-1), places, wide)

    def fn(g, x):
        return ops.fold(g, shape=x.shape, pads=pads, mode=mode) + 0.0 * x

    shapes = shapes and [(3, ops.pad.infer(_type(shapes[0]), pads=pads).shape[1]), *shapes]
    found = written(fn, wide, X, shapes=shapes)
    np.testing.assert_allclose(found.result, expected)


def _type(shape):
    from cgkit.types import Dim, TensorType

    return TensorType([Dim(n) if isinstance(n, str) else n for n in shape], "float64")
