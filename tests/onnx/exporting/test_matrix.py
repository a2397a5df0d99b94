"""Products of matrices in ONNX."""

import numpy as np

from cgkit import ops


def test_whole_numbers_wrap(written):
    a = np.array([[100, 100]], np.int8)
    found = written(ops.matmul, a, a.T)
    assert found.kinds == ["Cast", "Cast", "MatMul", "Cast"]
    assert found.result.tolist() == [[(20000 + 128) % 256 - 128]]
    assert found.result.dtype == np.int8


def test_truth_values(written):
    a = np.array([[True, False], [False, False]])
    np.testing.assert_array_equal(written(ops.matmul, a, a).result, a @ a)
    many = np.ones((1, 300), bool)  # more than 8 bits can count
    found = written(lambda a: ops.einsum("ij,ij->i", a, a), many)
    assert found.result.tolist() == [True]


def test_dots_in_an_equation_become_letters(written):
    x, y = np.arange(12.0).reshape(2, 2, 3), np.arange(6.0).reshape(3, 2)
    found = written(lambda x, y: ops.einsum("...ij,jk", x, y), x, y)
    np.testing.assert_allclose(found.result, np.einsum("...ij,jk", x, y))
    (node,) = [n for n in found.model.graph.node if n.op_type == "Einsum"]
    assert node.attribute[0].s == b"aij,jk->aik"


def test_axes_of_one_stretch(written):
    x, y = np.arange(3.0).reshape(3, 1), np.arange(4.0)
    found = written(lambda x, y: ops.einsum("ab,b->ba", x, y), x, y)
    assert found.kinds == ["Squeeze", "Einsum"]
    np.testing.assert_array_equal(found.result, np.outer(y, x))
    single = written(lambda x: ops.einsum("aa,ab->b", x, np.ones((1, 2))), np.array([[5.0]]))
    np.testing.assert_array_equal(single.result, [5.0, 5.0])


def test_sums_of_nothing(written):
    # onnxruntime stops the whole process at such an Einsum
    found = written(lambda x, y: ops.einsum("ab,b->a", x, y), np.zeros((2, 0)), np.zeros(0))
    assert found.kinds == ["ConstantOfShape"]
    np.testing.assert_array_equal(found.result, [0, 0])


def test_cofactors(written):
    a = np.array([[2.0, 1.0, 0.0], [3.0, -1.0, 4.0], [0.0, 5.0, 1.0]])
    expected = np.linalg.det(a) * np.linalg.inv(a).T
    np.testing.assert_allclose(written(ops.cofactors, a).result, expected)
    single = written(ops.cofactors, np.array([[7.0]]))
    np.testing.assert_allclose(single.result, [[1.0]])


def test_waves(written):
    signal = np.random.default_rng(4).normal(size=(6, 2))
    found = written(ops.fft, signal)
    assert found.kinds == ["Reshape", "DFT", "Reshape"]
    waves = np.fft.fft(signal[:, 0] + 1j * signal[:, 1])
    np.testing.assert_allclose(found.result, np.stack([waves.real, waves.imag], -1))
    back = written(lambda a: ops.fft(a, inverse=True), found.result[None])
    assert back.kinds == ["DFT"]
    np.testing.assert_allclose(back.result[0], signal)
