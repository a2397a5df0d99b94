import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx import load

OPEN = {0: {0: "N"}}


@pytest.mark.parametrize(
    ("left", "right"),
    [((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 1, 2, 3), (4, 3, 2)), ((3,), (3,)), ((2, 3), (3,)),
     ((0, 3), (3, 2)), ((2, 0), (0, 2))],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint64"])
def test_products(agree, left, right, dtype):
    a = np.arange(np.prod(left)).reshape(left).astype(dtype)
    b = np.arange(np.prod(right)).reshape(right).astype(dtype)
    agree("MatMul", a, b, opset=13, opened=OPEN if len(left) > 1 else None)


@pytest.mark.parametrize("opset", [7, 9, 11, 13])
@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("right", [0, 1])
def test_gemm(agree, normal, opset, left, right):
    a, b = normal(3, 2) if left else normal(2, 3), normal(4, 3) if right else normal(3, 4)
    settings = {"transA": left, "transB": right, "alpha": 0.5, "beta": 2.0}
    for c in (normal(2, 4), normal(4), normal(1, 4), normal(2, 1), normal(1), normal(1)[0]):
        agree("Gemm", a, b, np.asarray(c), opset=opset, **settings, opened={1: {1 - right: "M"}})
    if opset >= 11:
        agree("Gemm", a, b, opset=opset, **settings, opened={0: {left: "N"}})


def test_gemm_of_whole_numbers(agree):
    a, b = np.array([[1, 2]], "int32"), np.array([[3], [5]], "int32")
    c = np.array([7], "int32")
    agree("Gemm", a, b, c, opset=13, alpha=3.0, expected=[np.array([[46]], "int32")])
    agree("Gemm", a, b, c, opset=13, alpha=0.5, beta=0.5, expected=[np.array([[9]], "int32")])


def test_gemm_of_few(agree, normal):
    agree("Gemm", normal(0, 3), normal(3, 2), normal(2), opset=13)
    zeros = np.zeros((2, 2), "float32")
    agree("Gemm", normal(2, 0), normal(0, 2), opset=13, expected=[zeros])


def test_gemm_adds_as_its_version_says(agree, one_node, normal):
    a, b, c = normal(2, 3), normal(3, 4), normal(4)
    agree("Gemm", a, b, c, opset=6, broadcast=1, expected=[a @ b + c], opened=OPEN)
    agree("Gemm", a, b, normal(2, 4) * 0, opset=1, expected=[a @ b])
    with pytest.raises(OnnxError, match=r"Gemm .* cannot add \(4,\)"):
        load(one_node("Gemm", [a, b, c], opset=6))
    with pytest.raises(OnnxError, match=r"Gemm .* cannot add \(5, 2, 4\)"):
        load(one_node("Gemm", [a, b, normal(5, 2, 4)], opset=13))
    with pytest.raises(OnnxError, match=r"multiplies two matrices, not \(2, 3\) and \(4,\)"):
        load(one_node("Gemm", [a, c], opset=13))


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]), ("ij->ji", [(2, 3)]), ("...ii->...i", [(2, 3, 3)]),
        ("i,i", [(3,), (3,)]), ("bij, bjk -> bik", [(2, 3, 4), (2, 4, 2)]), ("->", [()]),
        ("ij", [(2, 3)]), ("bA,Ab,b", [(2, 3), (3, 2), (2,)]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_einsum(agree, equation, shapes, dtype):
    operands = [(np.arange(np.prod(shape)) % 5).reshape(shape).astype(dtype) for shape in shapes]
    opened = {i: {0: "N"} for i, shape in enumerate(shapes) if shape and equation[0] in "ib."}
    agree("Einsum", *operands, opset=12, equation=equation, opened=dict(list(opened.items())[:1]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_determinants(agree, normal, dtype):
    agree("Det", normal(2, 3, 3, dtype=dtype), opset=22, opened=OPEN)
    agree("Det", normal(2, 2, dtype=dtype), opset=11)
