"""Gathering along an axis against its formula, one_hot, positions, nonzero, take and gather_nd."""

import itertools

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, ops, run
from cgkit.operators.gathering import as_places, gather_nd, nd_index, take
from cgkit.testing import check_gradient

X = np.random.default_rng(0).normal(size=(3, 4, 2))


def plain_gather(x, places, axis):
    result = np.empty(places.shape, x.dtype)
    for at in np.ndindex(places.shape):
        source = list(at)
        source[axis] = places[at]
        result[at] = x[tuple(source)]
    return result


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shape", [(3, 4, 2), (2, 1, 2), (3, 4, 0), (1, 3, 1)], ids=str)
def test_gathering_follows_its_formula(axis, shape):
    places = np.random.default_rng(1).integers(0, X.shape[axis], size=shape)
    expected = plain_gather(X, places, axis)
    np.testing.assert_array_equal(ops.gather_elements(X, places, axis=axis), expected)
    back = np.zeros_like(X)
    for at in np.ndindex(shape):
        target = list(at)
        target[axis] = places[at]
        back[tuple(target)] += expected[at]
    found = ops.add_elements(expected, places, shape=X.shape, axis=axis)
    np.testing.assert_allclose(found, back)
    assert (ops.gather_elements(X, places - X.shape[axis], axis=axis) == expected).all()


def test_a_place_that_is_read_twice_gets_both_gradients():
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = ops.gather_elements(x, np.array([2, 0, 2]), axis=0)
    (y * np.array([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.data.tolist() == [10, 0, 101]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("places", [[0, 1, -1], [[1, 0], [0, 0]], 1, []], ids=str)
def test_take_is_numpys(axis, places):
    expected = np.take(X, np.array(places, int), axis)
    np.testing.assert_array_equal(take(X, places, axis), expected)
    x = Tensor(X, requires_grad=True)
    np.testing.assert_array_equal(take(x, Tensor(np.array(places, int)), axis).data, expected)


def test_gather_nd():
    places = np.array([[[0, 1], [2, 3]], [[1, 1], [0, 0]]])
    expected = X[places[..., 0], places[..., 1]]
    np.testing.assert_array_equal(gather_nd(X, places), expected)
    batched = np.array([[[1], [0]], [[3], [3]], [[0], [2]]])
    found = gather_nd(X, batched, batch=1)
    np.testing.assert_array_equal(
        found, np.stack([x[p[:, 0]] for x, p in zip(X, batched, strict=True)])
    )
    check_gradient(lambda x: gather_nd(x, batched, batch=1), X)
    builder = GraphBuilder()
    x, at = builder.placeholder((None, 4, 2)), builder.placeholder((None, 2, 1), "int64")
    (got,) = run(builder.graph([gather_nd(x, at, batch=1)]), X, batched)
    np.testing.assert_array_equal(got, found)


def test_one_hot():
    assert ops.one_hot(np.array([2, 0]), size=3).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert ops.one_hot(np.array([-1, 3, -4]), size=3).tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 0]]
    found = ops.one_hot(np.array([[1], [0]]), size=2, axis=1, dtype="int32")
    assert found.tolist() == [[[0], [1]], [[1], [0]]]
    assert found.dtype == np.int32
    assert ops.one_hot(np.array([200], "uint8"), size=201).sum() == 1
    with pytest.raises(DtypeError, match="places, which are of an integer dtype, not float64"):
        ops.one_hot(Tensor([1.0]), size=2)


def test_nonzero_tells_how_many_there_are():
    assert ops.nonzero(Tensor([[0.0, 2.0], [3.0, 0.0]])).data.tolist() == [[0, 1], [1, 0]]
    assert ops.nonzero(np.zeros((2, 2))).shape == (0, 2)
    builder = GraphBuilder()
    x, y = builder.placeholder((None,)), builder.placeholder((2,))
    places = ops.nonzero(x)
    assert places.shape[1] == 1
    chosen = ops.take(x, places[:, 0])
    graph = builder.graph([chosen, chosen + y], [x, y])
    for numbers in ([0.0, 3.0, 5.0], [7.0, 0.0, 0.0, 1.0]):
        kept, both = run(graph, np.array(numbers), np.ones(2))
        assert kept.tolist() == [n for n in numbers if n]
        assert both.tolist() == [n + 1 for n in numbers if n]
    with pytest.raises(ShapeError, match=r"cannot broadcast \(3,\) with \(2,\)"):
        run(graph, np.array([1.0, 2.0, 3.0]), np.ones(2))


def test_positions_of_an_open_axis():
    builder = GraphBuilder()
    x = builder.placeholder((None, 2))
    (found,) = run(builder.graph([ops.positions(x, axis=0)]), np.zeros((3, 2)))
    assert found.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("places", "settings", "kind", "said"),
    [
        (np.zeros((3, 4), int), {"axis": 0}, ShapeError, "places of 3 axes, as"),
        (
            np.zeros((3, 5, 2), int),
            {"axis": 0},
            ShapeError,
            "reads 5 places of axis 1, which has 4",
        ),
        (np.zeros((3, 4, 2), int), {"axis": 3}, ShapeError, "axis 3 does not exist"),
        (np.zeros((3, 4, 2)), {"axis": 0}, DtypeError, "places of an integer dtype, got float64"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(places, settings, kind, said, world):
    x = Tensor(X) if world == "eager" else GraphBuilder().placeholder(X.shape)
    with pytest.raises(kind, match=said):
        ops.gather_elements(x, places, **settings)


@pytest.mark.parametrize("place", [3, -4])
def test_places_outside(place):
    with pytest.raises(ShapeError, match=f"place {place} lies outside axis 0 of size 3"):
        ops.gather_elements(Tensor([1.0, 2.0, 3.0]), np.array([0, place]), axis=0)


def test_rows_that_name_too_many_axes():
    for places, batch in (
        (np.zeros((2, 4), int), 0), (np.array(1), 0), (np.zeros((2, 0), int), 0),
        (np.zeros((3, 3), int), 1), (np.zeros(3, int), 1),
    ):  # fmt: skip
        with pytest.raises(ShapeError, match="do not name places on 3 axes"):
            nd_index(X, places, batch)
    with pytest.raises(ShapeError, match="a last axis of a known size"):
        gather_nd(X, GraphBuilder().placeholder((2, None), "int64"))
    assert as_places([[1, 2]]).dtype == np.int64


def test_every_choice_of_axis_has_right_slopes():
    rng = np.random.default_rng(2)
    for axis, shape in itertools.product((0, 1), [(2, 3), (3, 2)]):
        x = rng.normal(size=(3, 3))
        places = rng.integers(-3, 3, size=shape)
        check_gradient(lambda x, p=places, a=axis: ops.gather_elements(x, p, axis=a), x)
