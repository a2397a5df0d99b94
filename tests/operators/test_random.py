"""Random numbers: their distributions, their keys, and masks that come again."""

import math

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, gradients, ops, run
from cgkit.errors import OperandError

MANY = 40_000


def drawn(operator, seed=1, *operands, **params):
    return operator(ops.key(seed), *operands, **params)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_uniform_fills_its_range_evenly(dtype):
    x = drawn(ops.uniform, shape=(MANY,), dtype=dtype)
    assert x.dtype == dtype
    assert x.min() >= 0
    assert x.max() < 1
    counts, _ = np.histogram(x.astype(float), 20, (0, 1))
    # chi squared with 19 degrees of freedom: above 43.8 once in 1,000 keys
    assert ((counts - MANY / 20) ** 2 / (MANY / 20)).sum() < 43.8


def test_narrow_uniforms_are_the_wide_ones_cut_off():
    wide, narrow = (drawn(ops.uniform, shape=(1000,), dtype=d) for d in ("float64", "float32"))
    np.testing.assert_array_equal(np.floor(wide * 2**24) / 2**24, narrow.astype(float))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normal_follows_the_bell_curve(dtype):
    x = np.sort(drawn(ops.normal, shape=(MANY,), dtype=dtype).astype(float))
    below = 0.5 * ops.erfc(-x / np.sqrt(2))
    # Kolmogorov and Smirnov: above 1.95 / sqrt(n) once in 1,000 keys
    assert np.abs(below - (np.arange(MANY) + 0.5) / MANY).max() < 1.95 / math.sqrt(MANY)
    assert abs((x**4).mean() - 3) < 0.2


def test_pairs_of_normals_are_independent():
    x = drawn(ops.normal, shape=(MANY,))
    assert abs(np.corrcoef(x[::2], x[1::2])[0, 1]) < 0.03
    assert abs(np.corrcoef(x[::2] ** 2, x[1::2] ** 2)[0, 1]) < 0.03


def test_bernoulli_by_number_array_and_shape():
    assert abs(drawn(ops.bernoulli, 1, 0.3, shape=(MANY,)).mean() - 0.3) < 0.01
    chances = np.array([0.0, 1.0, np.nan])
    assert drawn(ops.bernoulli, 1, chances).tolist() == [False, True, False]
    assert drawn(ops.bernoulli, 1, np.array([0, 1])).tolist() == [False, True]
    assert drawn(ops.bernoulli, 1, np.full((2, 1), 0.5), shape=(4, 2, 3)).shape == (4, 2, 3)


def test_randint_reaches_all_and_only_its_range():
    x = drawn(ops.randint, low=-3, high=4, shape=(MANY,))
    counts = np.bincount(x + 3, minlength=7)
    assert len(counts) == 7
    assert ((counts - MANY / 7) ** 2 / (MANY / 7)).sum() < 22.5  # 6 degrees of freedom, 1 in 1,000
    ends = drawn(ops.randint, low=-(2**63), high=2**63 - 1, shape=(1000,))
    assert ends.min() < -(2**61)
    assert ends.max() > 2**61
    assert set(drawn(ops.randint, low=255, high=256, shape=(3,), dtype="uint8")) == {255}


def test_permutations():
    x = drawn(ops.permutation, size=1000)
    assert sorted(x) == list(range(1000))
    firsts = [int(drawn(ops.permutation, seed, size=3)[0]) for seed in range(300)]
    assert min(np.bincount(firsts)) > 70
    rows = Tensor(np.arange(6.0).reshape(3, 2))
    assert sorted(rows[drawn(ops.permutation, size=3)].data[:, 0]) == [0, 2, 4]


def test_keys():
    assert ops.key(5) == 5
    assert ops.key(-1) == ops.key(2**64 - 1) == 2**64 - 1
    many = ops.split_key(ops.key(5), number=1000)
    assert many.dtype == "uint64"
    assert len(set(many.tolist())) == 1000
    assert ops.split_key(ops.key(5)).tolist() == many[:2].tolist()
    steps = {int(ops.fold_in(ops.key(5), step)) for step in range(1000)}
    assert len(steps | set(many.tolist())) == 2000
    assert ops.fold_in(ops.key(5), -1) != ops.fold_in(ops.key(5), 2**32 - 1)


def test_what_is_drawn_from_split_keys_has_nothing_in_common():
    first, second = ops.split_key(ops.key(0))
    a, b = (ops.normal(key, shape=(MANY,)) for key in (first, second))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.02
    c, d = (ops.normal(ops.key(seed), shape=(MANY,)) for seed in (0, 1))
    assert abs(np.corrcoef(c, d)[0, 1]) < 0.02


def test_eager_and_static_draw_the_same():
    def story(key, x):
        first, second = ops.split_key(key)
        noise = ops.normal(first, shape=(3, 4), dtype="float32")
        return ops.dropout(x * noise, ops.fold_in(second, 3), rate=0.4)

    x = np.ones((3, 4), "float32")
    builder = GraphBuilder()
    key, value = builder.placeholder((), "uint64"), builder.placeholder((3, 4), "float32")
    graph = builder.graph([story(key, value)], [key, value])
    eager = story(Tensor(ops.key(9)), Tensor(x)).data
    np.testing.assert_array_equal(run(graph, ops.key(9), x)[0], eager)
    np.testing.assert_array_equal(story(ops.key(9), x), eager)
    assert (run(graph, ops.key(10), x)[0] != eager).any()


def test_a_shape_that_is_open_until_the_graph_runs():
    builder = GraphBuilder()
    x, key = builder.placeholder(("N", 2)), builder.placeholder((), "uint64")
    noise = ops.uniform(key, shape=x.shape)
    order = ops.permutation(key, size=x.shape[0])
    found = run(builder.graph([ops.dropout(x, key) + noise, order]), np.ones((5, 2)), ops.key(3))
    assert found[0].shape == (5, 2)
    assert sorted(found[1]) == [0, 1, 2, 3, 4]


def test_dropout_scales_what_stays():
    x = np.full(MANY, 3.0)
    y = ops.dropout(x, ops.key(1), rate=0.25)
    assert set(y) == {0, 4}
    assert abs((y == 0).mean() - 0.25) < 0.01
    np.testing.assert_array_equal(ops.dropout(x, ops.key(1), rate=0), x)
    assert not ops.dropout(x, ops.key(1), rate=1.0).any()
    assert ops.dropout(np.ones(3, "float16"), ops.key(1)).dtype == "float16"


def test_dropout_hides_nan_and_inf():
    y = ops.dropout(np.full(100, np.nan), ops.key(1))
    assert set(y[~np.isnan(y)]) == {0}


def test_the_mask_is_the_same_going_back_and_computed_again():
    x, key = Tensor(np.ones(50), requires_grad=True), ops.key(4)
    y = ops.dropout(x, key, rate=0.3)
    (slope,) = grad(y.sum(), x)
    np.testing.assert_array_equal(slope.data, y.data)
    again = ops.dropout(x, key, rate=0.3)
    np.testing.assert_array_equal(again.data, y.data)


def test_the_mask_is_the_same_in_every_dtype_and_in_a_graph_run_twice():
    masks = [ops.dropout(np.ones(99, d), ops.key(2)) == 0 for d in ("float32", "float64")]
    np.testing.assert_array_equal(*masks)
    builder = GraphBuilder()
    x = builder.placeholder((9,))
    y = ops.dropout(x, ops.key(2))
    graph = builder.graph([y, *gradients(y, [x])], [x])
    for _ in range(2):
        value, slope = run(graph, np.ones(9))
        np.testing.assert_array_equal(value, slope)


def test_a_key_has_no_gradient():
    x, key = Tensor(np.ones(4), requires_grad=True), Tensor(ops.key(1))
    assert not ops.uniform(key, shape=(2,)).requires_grad
    assert not key.requires_grad
    assert ops.dropout(x, key).requires_grad


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (lambda key: ops.uniform(7, shape=(2,)), DtypeError, r"a key is one uint64, got int64\[\]"),
        (lambda key: ops.normal(ops.split_key(key)), DtypeError, r"got uint64\[2\]"),
        (lambda key: ops.key(1.5), DtypeError, "a seed is one whole number"),
        (lambda key: ops.uniform(key, shape=(2,), dtype="int64"), DtypeError, "draws floats"),
        (lambda key: ops.uniform(key, shape=(-2,)), ShapeError, "is no shape"),
        (lambda key: ops.randint(key, low=3, high=3), OperandError, "from low to below high"),
        (lambda key: ops.randint(key, low=0, high=1.5), OperandError, "whole numbers"),
        (lambda key: ops.randint(key, low=0, high=300, dtype="uint8"), DtypeError, "does not hold"),
        (lambda key: ops.randint(key, low=0, high=3, dtype="float32"), DtypeError, "integers"),
        (lambda key: ops.bernoulli(key, np.ones(3), shape=(2,)), ShapeError, "broadcast"),
        (lambda key: ops.bernoulli(key, np.ones((2, 3)), shape=(3,)), ShapeError, "do not fit"),
        (lambda key: ops.dropout(np.ones(3), key, rate=1.5), OperandError, "a number from 0 to 1"),
        (lambda key: ops.dropout(np.ones(3), np.ones(3)), DtypeError, "a key is one uint64"),
    ],
)
@pytest.mark.parametrize("world", ["arrays", "eager", "static"])
def test_errors(act, kind, said, world):
    worlds = {
        "arrays": lambda: ops.key(7),
        "eager": lambda: Tensor(ops.key(7)),
        "static": lambda: GraphBuilder().placeholder((), "uint64"),
    }
    with pytest.raises(kind, match=said):
        act(worlds[world]())
