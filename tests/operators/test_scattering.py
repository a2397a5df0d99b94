"""Scattering: every reduction by its formula, the last one stays, slopes at zeros and ties."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, ops, run
from cgkit.errors import OperandError
from cgkit.operators.indices import normal_index
from cgkit.operators.scattering import scatter_elements, scatter_nd
from cgkit.testing import check_gradient

REDUCTIONS = {
    "none": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "max": max,
    "min": min,
}
A = np.random.default_rng(0).normal(size=(3, 4))
NEW = np.random.default_rng(1).normal(size=(2, 3))
PLACES = np.array([[0, 2, -1], [1, 1, 1]])


def plain_scatter(a, places, new, axis, join):
    result = a.copy()
    for at in np.ndindex(places.shape):
        target = list(at)
        target[axis] = places[at]
        result[tuple(target)] = join(result[tuple(target)], new[at])
    return result


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("axis", [0, 1])
def test_elements_follow_the_formula(reduction, axis):
    expected = plain_scatter(A, PLACES, NEW, axis, REDUCTIONS[reduction])
    found = scatter_elements(A, PLACES, NEW, axis, reduction)
    np.testing.assert_allclose(found, expected)
    x = Tensor(A)
    np.testing.assert_allclose(
        scatter_elements(x, PLACES, Tensor(NEW), axis, reduction).data, expected
    )
    assert (x.data == A).all()
    builder = GraphBuilder()
    value, at = builder.placeholder((None, 4)), builder.placeholder((None, 3), "int64")
    graph = builder.graph([scatter_elements(value, at, NEW, axis, reduction)])
    np.testing.assert_allclose(run(graph, A, PLACES)[0], expected)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_slopes_are_right_to_second_order(reduction):
    places = np.array([[0, 2, 1], [1, 1, 1]])
    check_gradient(lambda a, new: scatter_elements(a, places, new, 1, reduction), A, NEW)
    rows = np.array([[2], [0], [2]])
    new = np.random.default_rng(2).normal(size=(3, 4))
    check_gradient(lambda a, new: scatter_nd(a, rows, new, reduction), A, new)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_rows_follow_the_formula(reduction):
    rows, new = np.array([[2], [0], [2]]), np.random.default_rng(2).normal(size=(3, 4))
    expected = A.copy()
    for at, row in zip(rows[:, 0], new, strict=True):
        expected[at] = [REDUCTIONS[reduction](a, b) for a, b in zip(expected[at], row, strict=True)]
    np.testing.assert_allclose(scatter_nd(A, rows, new, reduction), expected)


def test_only_what_stays_has_a_gradient():
    a, new = Tensor([1.0, 2.0, 3.0], requires_grad=True), Tensor([4.0, 5.0], requires_grad=True)
    y = scatter_nd(a, np.array([[1], [1]]), new)
    assert y.data.tolist() == [1, 5, 3]
    (y * np.array([1.0, 10.0, 100.0])).sum().backward()
    assert a.grad.data.tolist() == [1, 0, 100]
    assert new.grad.data.tolist() == [0, 10]


@pytest.mark.parametrize(
    "new", [[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [2.0, 3.0, 4.0]], ids=str
)
def test_products_with_zeros_to_second_order(new):
    rows = np.array([[1], [1], [1]])
    check_gradient(lambda a, new: scatter_nd(a, rows, new, "mul"), A[0], np.array(new, float))


def test_ties_share_evenly():
    new = Tensor([5.0, 5.0, 1.0], requires_grad=True)
    for name, at in (("scatter_max", 0), ("scatter_min", 1)):
        index, arrays = normal_index(np.array([0, 0, 1]), 1)
        y = ops.ALL[name](new, *arrays, shape=(2,), index=index)
        (slope,) = grad(y[at], new)
        assert slope.data.tolist() == [[0.5, 0.5, 0], [0, 0, 1]][at]


def test_extremes_of_integers_begin_at_the_limits():
    for dtype in ("int8", "uint8", "int32"):
        a, new = np.array([3, 3], dtype), np.array([1, 7], dtype)
        rows = np.array([[0], [1]])
        assert scatter_nd(a, rows, new, "max").tolist() == [3, 7]
        assert scatter_nd(a, rows, new, "min").tolist() == [1, 3]


def test_lists_are_taken():
    assert scatter_nd([1.0, 2.0, 3.0], [[0], [2]], [5.0, 6.0], "add").tolist() == [6, 2, 9]
    assert scatter_elements([1.0, 2.0, 3.0], [0, 2], [5.0, 6.0]).tolist() == [5, 2, 6]
    assert scatter_elements([1.0, 2.0, 3.0], [0, 2], 9.0).tolist() == [9, 2, 9]
    assert scatter_elements([1.0, 2.0, 3.0], [2, 2], 9.0, 0, "add").tolist() == [1, 2, 21]


def test_places_outside():
    for reduction in REDUCTIONS:
        with pytest.raises(ShapeError, match="lies outside"):
            scatter_nd(Tensor(A), np.array([[5]]), np.ones((1, 4)), reduction)


@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_scatter_refuses(world):
    x = Tensor(A) if world == "eager" else GraphBuilder().placeholder(A.shape)
    with pytest.raises(OperandError, match="no reduction 'mean'"):
        scatter_elements(x, PLACES, NEW, 1, "mean")
    with pytest.raises(ShapeError, match="as many axes as"):
        scatter_elements(x, np.array([0]), np.ones(1))
    with pytest.raises(ShapeError, match="axis 2 does not exist"):
        scatter_elements(x, PLACES, NEW, 2)
    for reduction in ("mul", "max"):
        with pytest.raises(DtypeError, match="only numbers are joined"):
            scatter_elements(x, PLACES, NEW > 0, 1, reduction)
