"""Stack, split and unbind against NumPy; gradients of some parts only; what does not fit."""

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, grad, gradients, ops, run
from cgkit.errors import OperandError
from cgkit.operators.joining import split_sizes, unbind
from cgkit.testing.cases import samples_of
from cgkit.types import Dim

X = np.arange(24.0).reshape(2, 3, 4)


def test_stack_is_numpys():
    for sample in samples_of(ops.stack):
        np.testing.assert_array_equal(
            ops.stack(*sample.operands, **sample.params), np.stack(sample.operands, **sample.params)
        )
    assert ops.stack(np.ones(2, "f4"), np.ones(2)).dtype == np.float64


def test_split_is_numpys():
    for axis, sections in [(0, 2), (1, 3), (-1, 2), (-1, 4), (1, 1)]:
        for got, want in zip(
            Tensor(X).split(sections, axis=axis), np.split(X, sections, axis), strict=True
        ):
            np.testing.assert_array_equal(got.data, want)
    parts = Tensor(X).split((1, 0, 3), axis=-1)
    for got, want in zip(parts, np.split(X, [1, 1], -1), strict=True):
        np.testing.assert_array_equal(got.data, want)


@pytest.mark.parametrize("used", [(0,), (1,), (2, 0), (0, 1, 2)])
def test_parts_that_nobody_reads_get_zeros(used):
    x = Tensor(X, requires_grad=True)
    parts = ops.split(x, sizes=(1, 2, 1), axis=2)
    total = sum((parts[i] * float(i + 1)).sum() for i in used)
    weights = [float(i + 1) * (i in used) for i in (0, 1, 1, 2)]
    expected = np.broadcast_to(weights, X.shape)
    np.testing.assert_array_equal(grad(total, x, create_graph=True)[0].data, expected)
    builder = GraphBuilder()
    value = builder.placeholder((None, 3, 4))
    parts = ops.split(value, sizes=(1, 2, 1), axis=2)
    (slope,) = gradients(sum((parts[i] * float(i + 1)).sum() for i in used), [value])
    np.testing.assert_array_equal(run(builder.graph([slope], [value]), X)[0], expected)


def test_unbind_undoes_stack():
    for axis in range(-3, 3):
        parts = unbind(Tensor(X), axis)
        assert len(parts) == X.shape[axis]
        np.testing.assert_array_equal(ops.stack(*parts, axis=axis).data, X)
    assert unbind(np.zeros((0, 2))) == ()
    with pytest.raises(ShapeError, match="how many parts is not known"):
        unbind(GraphBuilder().placeholder((None, 2)))


def test_sizes_of_parts():
    n = Dim("N")
    assert split_sizes(n * 2, 2, None) == (n, n)
    assert split_sizes(n, None, (1, 2)) == (1, 2)
    assert split_sizes(n, 2, None) == (n // 2, n // 2)
    with pytest.raises(ShapeError, match="an axis of size N has no 2 equal parts"):
        split_sizes(n.bind({"N": 5}), 2, None)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda x: ops.split(x, sections=5), "an axis of size 2 has no 5 equal parts"),
        (lambda x: ops.split(x, sections=0), "0 is no number of sections"),
        (lambda x: ops.split(x), "either a number of equal sections, or sizes"),
        (lambda x: ops.split(x, sections=2, sizes=(1, 1)), "either a number"),
        (lambda x: ops.split(x, sizes=(1, 2)), r"parts of sizes \(1, 2\) make 3, the axis has 2"),
        (lambda x: ops.split(x, sizes=(3, -1)), "-1 is no size of a part"),
        (lambda x: ops.split(x, sections=2, axis=3), "axis 3 does not exist"),
        (lambda x: ops.stack(x, x, axis=4), "axis 4 does not exist"),
        (lambda x: ops.stack(x, x[0]), r"equal shapes, got \(2, 3, 4\) and \(3, 4\)"),
        (lambda x: ops.stack(x, x[:1]), r"equal shapes, got \(2, 3, 4\) and \(1, 3, 4\)"),
        (lambda x: unbind(x, 3), "axis 3 does not exist"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(act, said, world):
    with pytest.raises(ShapeError, match=said):
        act(Tensor(X) if world == "eager" else GraphBuilder().placeholder(X.shape))


def test_a_list_is_no_operand():
    with pytest.raises(OperandError, match="not a list of them"):
        ops.stack([Tensor(1.0), Tensor(2.0)])
    with pytest.raises(ShapeError, match="at least one tensor"):
        ops.stack()


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_matrices_of_numpys_are_stacked_as_arrays():
    m = np.matrix([[1.0, 2.0]])  # np.stack of several ends the process
    found = ops.stack(m, m, m, axis=-1)
    assert type(found) is np.ndarray
    assert found.tolist() == [[[1, 1, 1], [2, 2, 2]]]
