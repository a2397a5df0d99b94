"""Indexing against NumPy, by every sort of key; repeated places add up on the way back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, ops, run
from cgkit.operators.indices import ARRAY, Span, normal_index, to_python
from cgkit.testing import check_gradient
from cgkit.testing.cases import same
from cgkit.types import Dim

X = np.arange(24.0).reshape(2, 3, 4)


@settings(max_examples=150)
@given(arrays.basic_indices((2, 3, 4), allow_newaxis=True))
def test_basic_keys_are_numpys(key):
    check(X, key)


@settings(max_examples=150)
@given(st.data())
def test_keys_with_arrays_are_numpys(data):
    places = arrays.integer_array_indices(
        (2, 3, 4), result_shape=arrays.array_shapes(min_dims=0, max_dims=2, max_side=3)
    )
    key = list(data.draw(places))
    for i, size in enumerate((2, 3, 4)):
        other = data.draw(st.sampled_from(["array", "slice", "int"]))
        if other == "slice":
            key[i] = data.draw(st.slices(size))
        elif other == "int":
            key[i] = data.draw(st.integers(-size, size - 1))
    check(X, tuple(key))


def check(x, key):
    """Compare one key in all worlds: value, gradient, inferred shape, a run of a graph."""
    expected = x[key]
    tensor = Tensor(x, requires_grad=True)
    y = tensor[key]
    assert y.shape == expected.shape
    np.testing.assert_array_equal(y.data, expected)
    g = np.random.default_rng(0).normal(size=expected.shape)
    slope = np.zeros_like(x)
    np.add.at(slope, key, g)
    np.testing.assert_allclose(grad(y, tensor, g)[0].data, slope)
    builder = GraphBuilder()
    value = builder.placeholder(x.shape)
    assert value[key].shape == expected.shape
    assert same(run(builder.graph([value[key]], [value]), x)[0], np.asarray(expected))


@pytest.mark.parametrize(
    "key",
    [
        ..., (), None, (..., None), (0, ...), (..., 0), (slice(None), ..., slice(None)),
        [0, 1], ([0, 0, 1],), ([0], [1]), ([], 0), [True, False], np.array([1, -1]),
        (slice(None), [0, 2], None, 1), (0, [1], slice(None)), (0, slice(None), [1]),
        ([[0], [1]], [0, 1]), np.int64(1), (1, np.array(2)), slice(-100, 100),
        (slice(None, None, -1), slice(2, 0, -1)), X[:, 0, 0] > 3, np.zeros((0,), int),
    ],
    ids=str,
)  # fmt: skip
def test_keys_by_hand(key):
    mask = isinstance(key, list | np.ndarray) and np.asarray(key).dtype == np.bool_
    if mask:
        np.testing.assert_array_equal(Tensor(X)[key].data, X[key])
    else:
        check(X, key)


def test_repeated_places_add_up():
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[[0, 0, 2]].sum().backward()
    assert x.grad.data.tolist() == [2, 0, 1]
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x[0] * x[0] + x[0]).backward()
    assert x.grad.data.tolist() == [3, 0, 0]


def test_indices_may_be_tensors_and_values():
    x = Tensor(X, requires_grad=True)
    at = Tensor([1, 0])
    np.testing.assert_array_equal(x[at, :, at].data, X[[1, 0], :, [1, 0]])
    builder = GraphBuilder()
    value, place = builder.placeholder((2, 3, 4)), builder.placeholder((2,), "int64")
    (found,) = run(builder.graph([value[place]]), X, at.data)
    np.testing.assert_array_equal(found, X[[1, 0]])


def test_a_mask_selects_eagerly_and_its_gradient_goes_back():
    x = Tensor([3.0, -1.0, 2.0], requires_grad=True)
    (x[x > 0.0] * 2.0).sum().backward()
    assert x.grad.data.tolist() == [2, 0, 2]


@pytest.mark.parametrize(
    "key",
    [
        X[:, :, 0] > 2, X > 3, (slice(None), [True, False, True]), (0, X[0, :, 0] > 0),
        ([True, False], slice(None), [0, 1]), (slice(None), np.zeros((3, 4), bool)),
        (None, [False, True]), (..., [True, False, True, True]),
    ],
    ids=str,
)  # fmt: skip
def test_masks_of_known_numbers_work_in_graphs(key):
    builder = GraphBuilder()
    value = builder.placeholder(X.shape)
    part = value[key]
    (found,) = run(builder.graph([part]), X)
    np.testing.assert_array_equal(found, X[key])
    assert part.shape == found.shape
    np.testing.assert_array_equal(Tensor(X)[key].data, X[key])
    check_gradient(lambda x: x[key] * 2.0, X)


@pytest.mark.parametrize("world", ["eager", "static"])
def test_masks_of_another_size(world):
    x = Tensor(X) if world == "eager" else GraphBuilder().placeholder((2, 3, 4))
    for mask in ([True], [True, False, True], np.ones((2, 2), bool)):
        with pytest.raises(ShapeError, match="is not that of the axes which the mask is for"):
            x[mask]


def test_scattering_outside_or_what_does_not_fit():
    index, places = normal_index([0, 5], 1)
    with pytest.raises(ShapeError, match=r"place 5 lies outside axis 0 of size 3") as caught:
        ops.scatter(Tensor([1.0, 2.0]), *places, shape=(3,), index=index)
    assert caught.value.with_place().endswith("\n  in scatter")
    with pytest.raises(ShapeError, match="is not that of a part"):
        ops.scatter(GraphBuilder().placeholder((3,)), *places, shape=(9,), index=index)


def test_an_index_that_was_changed_is_noticed():
    x, at = Tensor([1.0, 2.0], requires_grad=True), Tensor([0, 1])
    y = x[at].sum()
    at.mul_(0)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        y.backward()


@pytest.mark.parametrize(
    ("key", "kind", "said"),
    [
        (5, ShapeError, r"index 5 lies outside axis 0 of size 2\n  try      an index from -2 to 1"),
        ((0, -4), ShapeError, "index -4 lies outside axis 1 of size 3"),
        ((0, 0, 0, 0), ShapeError, "4 entries is too long for a tensor of 3 axes"),
        ((..., ...), ShapeError, r"at most one \.\.\."),
        (slice(None, None, 0), ShapeError, "steps of 0"),
        ("a", DtypeError, "cannot be indexed with 'a'"),
        (0.5, DtypeError, "cannot be indexed with 0.5"),
        ([0.5], DtypeError, "cannot be indexed"),
        (slice(0.5, None), DtypeError, "whole numbers, not 0.5"),
        (([0, 1], [0, 1, 2]), ShapeError, "broadcast|lies outside"),
        ({}, DtypeError, "cannot be indexed"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_wrong_keys_are_said_alike_in_both_worlds(key, kind, said, world):
    x = Tensor(X) if world == "eager" else GraphBuilder().placeholder((2, 3, 4))
    with pytest.raises(kind, match=said):
        x[key]


def test_what_only_one_world_can_know():
    with pytest.raises(ShapeError, match="place 9 lies outside axis 0 of size 2"):
        Tensor(X)[[0, 9]]
    value = GraphBuilder().placeholder((3,))
    with pytest.raises(ShapeError, match="depends on the values of the mask"):
        value[value > 0.0]


def test_elements_of_a_value_cannot_be_set():
    x = GraphBuilder().placeholder((2, 3, 4))
    with pytest.raises(TypeError, match="cannot be written to in place"):
        x[0] = 1.0
    with pytest.raises(TypeError, match="cannot be written to in place"):
        x[0] += 1.0


class TestOpenSizes:
    def sized(self, key, size=5):
        builder = GraphBuilder()
        value = builder.placeholder((None, 2))
        part = value[key]
        x = np.arange(size * 2.0).reshape(size, 2)
        (found,) = run(builder.graph([part]), x)
        np.testing.assert_array_equal(found, x[key])
        return part.shape[0]

    def test_slices_of_open_axes(self):
        n = Dim("N")
        assert self.sized(slice(1, None)) == n - 1
        assert self.sized(slice(None, -2)) == n - 2
        assert self.sized(slice(1, 3)) == 2
        assert self.sized(slice(None, None, -1)) == n
        assert self.sized(slice(-3, None)) == 3
        assert self.sized((-1, slice(None))) == 2
        assert self.sized(slice(3, 1)) == 0
        assert self.sized(slice(-1, -3)) == 0

    @pytest.mark.parametrize("key", [slice(1, None), slice(None, -2), slice(1, 3), slice(-3, None)])
    def test_a_run_with_too_few_is_an_error_at_the_node(self, key):
        with pytest.raises(ShapeError) as caught:
            self.sized(key, size=0)
        assert "at node  slice" in caught.value.with_place()

    @pytest.mark.parametrize("size", [4, 5, 6])
    def test_steps_along_open_axes(self, size):
        n = Dim("N")
        assert self.sized(slice(None, None, 2), size) == (n + 1) // 2
        assert self.sized(slice(None, None, -3), size) == (n + 2) // 3
        assert self.sized(slice(1, -1, 2), size) == (n - 1) // 2
        assert self.sized(slice(-2, 0, -2), size) == (n - 1) // 2
        assert self.sized(slice(0, 4, 3), size) == 2


def test_keys_as_params():
    index, given_arrays = normal_index((None, slice(1, None), [0, 1], ...), 3)
    assert index == (None, Span(1), ARRAY, Span())
    assert [a.tolist() for a in given_arrays] == [[0, 1]]
    assert to_python(index, given_arrays)[1] == slice(1, None, None)
    assert hash(index) == hash((None, Span(1), ARRAY, Span()))
    assert str(Span(1, None, -1)) == "1::-1"


def test_a_place_that_is_a_numpy_number_gives_no_view():
    x = np.arange(6.0).reshape(2, 3)
    part = ops.index(x, np.int64(1), index=(ARRAY, Span()))
    assert part.tolist() == [3, 4, 5]
    assert not np.shares_memory(part, x)
