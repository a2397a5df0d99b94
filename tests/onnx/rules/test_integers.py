import numpy as np
import pytest

BATCH = {0: {0: "N"}}


def whole(*shape, dtype="uint8"):
    limits = np.iinfo(dtype)
    return np.random.default_rng(0).integers(limits.min, limits.max + 1, size=shape).astype(dtype)


def test_a_convolution(agree):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, size=(1, 2, 4, 4)).astype("uint8")
    w = rng.integers(0, 256, size=(3, 2, 2, 2)).astype("uint8")
    agree("ConvInteger", x, w, np.array(7, "uint8"), np.array(100, "uint8"), opset=10, pads=[1] * 4)
    agree("ConvInteger", x, w, opset=10, opened=BATCH)
    zeros = np.array([1, 2, 3], "uint8")
    each = w.astype("int32") - zeros.astype("int32").reshape(3, 1, 1, 1)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype("int32"), (2, 2), axis=(2, 3))
    expected = np.einsum("ncijkl,ockl->noij", windows, each).astype("int32")
    agree("ConvInteger", x, w, None, zeros, opset=10, expected=[expected])


@pytest.mark.parametrize("left", ["uint8", "int8"])
@pytest.mark.parametrize("right", ["uint8", "int8"])
def test_matrices(agree, left, right):
    a, b = whole(4, 3, dtype=left), whole(3, 5, dtype=right)
    zeros = np.array(12, left), np.array(-3 if right == "int8" else 3, right)
    exact = (a.astype("int64") - int(zeros[0])) @ (b.astype("int64") - int(zeros[1]))
    agree("MatMulInteger", a, b, *zeros, opset=10, expected=[exact.astype("int32")], opened=BATCH)
    exact = a.astype("int64") @ b.astype("int64")
    agree("MatMulInteger", a, b, opset=10, expected=[exact.astype("int32")])


def test_zero_points_of_rows_and_columns(agree):
    a, b = whole(2, 4, 3), whole(2, 3, 5)
    rows, columns = np.arange(4, dtype="uint8"), np.arange(5, dtype="uint8") + 100
    exact = (a.astype("int32") - rows.reshape(4, 1)) @ (b.astype("int32") - columns)
    agree("MatMulInteger", a, b, rows, columns, opset=10, expected=[exact], opened=BATCH)
    each = rows.reshape(1, 4, 1).repeat(2, 0), columns.reshape(1, 1, 5).repeat(2, 0)
    agree("MatMulInteger", a, b, *each, opset=10, expected=[exact])
    one = np.array([7], "uint8")
    exact = (a.astype("int32") - 7) @ (b.astype("int32") - 7)
    agree("MatMulInteger", a, b, one, one, opset=10, expected=[exact])


def test_vectors(agree):
    a, b = whole(3), whole(3, 2)
    exact = a.astype("int32") @ b.astype("int32")
    agree("MatMulInteger", a, b, opset=10, expected=[exact])
