"""The dynamic graph to the letter: one test for each rule, and for each bug that others had.

    b = a * 1.0;  c = b * b;  b.add_(1.0);  c.backward()     an error that names what was changed

Kinks, dtypes and refusals are rows of docs/conventions.md (test_conventions.py); programs drawn at
random are compared with torch in test_oracle_torch.py and tensor/test_oracle_writes.py.
"""

import re
import threading
from pathlib import Path

import numpy as np
import pytest

from cgkit import (
    GradientError,
    GraphBuilder,
    ShapeError,
    Tensor,
    grad,
    gradients,
    no_grad,
    ops,
    run,
    trace,
)
from cgkit.node import LEAF
from cgkit.operators.indices import normal_index
from cgkit.testing import check_gradient


def T(data):
    return Tensor(data, dtype="float64", requires_grad=True)


def test_a_leaf_and_what_was_made_of_it():
    x = T([1.0])
    y = x * 2.0
    assert (x.is_leaf, x.grad_fn, y.is_leaf) == (True, None, False)
    assert y.grad_fn.operator.name == "mul"
    (made_by,) = y.grad_fn.producers
    assert made_by.operator is LEAF
    with no_grad():
        quiet = x * 2.0
    for z in (quiet, x > 0.0, x.cast("int64"), x.argmax()):
        assert (z.requires_grad, z.is_leaf) == (False, True)


def test_the_way_back_can_be_walked():
    x, w = T([1.0]).named("x"), T([2.0]).named("w")
    y = ops.exp(x * w) + x
    seen, node = [], y.grad_fn
    while node.operator is not LEAF:
        seen.append(node.operator.name)
        node = next(node.producers)
    assert (seen, node.name) == (["add", "exp", "mul"], "x")


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_one_element_needs_no_seed(shape):
    x = T(np.full(shape, 3.0))
    (x * x).backward()
    np.testing.assert_array_equal(x.grad.data, np.full(shape, 6.0))


@pytest.mark.parametrize("seed", [1.0, np.ones(()), np.ones(1), np.ones((1, 2)), np.ones(3)])
def test_seeds_never_broadcast(seed):
    with pytest.raises(ShapeError, match=r"the seed has shape .*, the output \(2,\)"):
        (T([1.0, 2.0]) * 2.0).backward(seed)


def test_freed_is_what_was_saved_and_saved_is_what_is_wanted():
    h, c = T([2.0]) + 1.0, Tensor([3.0])
    y = h * c  # c constant: h is not saved
    h.add_(1.0)
    y.backward()
    with pytest.raises(GradientError, match="second time"):
        y.backward()
    x = T([1.0])
    z = x + x
    z.backward()
    z.backward()
    assert x.grad.item() == 4


def test_retained_twice_is_exactly_double():
    x = T(np.linspace(0.1, 0.9, 7))
    y = ops.tanh(x * x)
    y.retain_grad()
    z = (y * ops.exp(x)).sum()
    z.backward(retain_graph=True)
    once, between = x.grad.data.copy(), y.grad.data.copy()
    z.backward()
    np.testing.assert_array_equal(x.grad.data, 2 * once)
    np.testing.assert_array_equal(y.grad.data, 2 * between)


@pytest.mark.parametrize(
    "make", [lambda b: b * b, ops.exp, ops.sqrt, ops.tanh, lambda b: 1.0 / b, ops.log]
)
def test_a_write_to_what_was_saved_is_noticed(make):
    b = T([3.0]) * 1.0
    c = make(b)
    (b if c.grad_fn.saved[0] >= 0 else c).add_(1.0)
    with pytest.raises(GradientError, match="is at version 1; expected version 0"):
        c.backward()


def test_gradients_by_themselves():
    x, w = T([1.0, 2.0]), T([[1.0]])
    with pytest.raises(GradientError, match="was not used in the graph"):
        grad(x.sum(), (x, w))
    assert grad(x.sum(), (x, w), allow_unused=True)[1] is None
    zeros = grad(x.sum(), (x, w), materialize_grads=True)[1]
    np.testing.assert_array_equal(zeros.data, [[0]])


def test_unbroadcast():
    a, b, c = T(np.ones((3, 1))), T(np.arange(4.0)), T(2.0)
    (a * b * c).sum().backward()
    np.testing.assert_array_equal(a.grad.data, np.full((3, 1), 12.0))
    np.testing.assert_array_equal(b.grad.data, np.full(4, 6.0))
    assert c.grad.item() == 18
    for left, right in (((0, 3), (3,)), ((1,), (5, 4)), ((4, 1), (1, 4)), ((), (2,))):
        x, y = T(np.ones(left)), T(np.ones(right))
        (x * y).sum().backward()
        assert (x.grad.shape, y.grad.shape) == (left, right)
    assert T(np.ones((0, 3))).sum().item() == 0


DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64",
)  # fmt: skip
SHAPES = [(), (0,), (1,), (3,), (0, 3), (2, 3), (2, 1, 0)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_dtype_and_shape_computes_as_numpy(dtype, shape):
    a = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 5 + 1).astype(dtype)
    turned = a[tuple(slice(None, None, -1) for _ in shape)]
    for data in (a, turned):
        x = Tensor.wrap(data)
        pairs = [
            (x + x, data + data), (x * x, data * data), (x / x, data / data),
            (x == x, data == data),
            (x < x, data < data), (x.T, data.T), (x.reshape(-1), data.reshape(-1)),
            (x.sum(), data.sum(dtype=None)), (x[...], data[...]), (x[None], data[None]),
            (ops.maximum(x, x), np.maximum(data, data)), (Tensor(x), data),
        ]  # fmt: skip
        for got, expected in pairs:
            assert (got.shape, got.dtype) == (np.shape(expected), np.asarray(expected).dtype)
            np.testing.assert_array_equal(got.data, expected)
        if data.dtype.kind == "f":
            x = Tensor(data, requires_grad=True)
            (x * x + x / 2.0).sum().backward()
            assert (x.grad.shape, x.grad.dtype) == (x.shape, x.dtype)
            np.testing.assert_allclose(x.grad.data, 2 * data + 0.5)


def test_inf_and_nan_go_through():
    x = T([np.inf, -np.inf, np.nan, 0.0, -0.0])
    nan, inf = np.nan, np.inf
    with np.errstate(invalid="ignore"):  # as NumPy, sums and products of inf may warn
        zero = x - x
        np.testing.assert_array_equal(zero.data, [nan, nan, nan, 0, 0])
        np.testing.assert_array_equal((x * 0.0).data, [nan, nan, nan, 0, 0])
    np.testing.assert_array_equal((1.0 / x).data, [0, 0, nan, inf, -inf])
    np.testing.assert_array_equal(ops.exp(x).data, [inf, 0, nan, 1, 1])
    zero.sum().backward()
    np.testing.assert_array_equal(x.grad.data, np.zeros(5))


class TestBugsOfOthers:
    def test_reuse_counts_each_reader(self):
        a = T(1.0)
        b = a + a
        (b + b).backward()
        assert a.grad.item() == 4

    def test_a_flipped_self_is_added_after_a_write(self):
        x = T([1.0, 2.0, 4.0]) * 1.0
        x.add_(1.0)
        x.add_(x.flip(0))
        assert x.data.tolist() == [7, 6, 7]
        y = Tensor([1.0, 2.0, 4.0])
        y.add_(1.0)
        y.add_(y[::-1])
        assert y.data.tolist() == [7, 6, 7]

    def test_y_keeps_the_old_x(self):
        x = Tensor([2.0])
        y = x * 3.0
        x.zero_()
        assert (y.item(), x.item()) == (6, 0)

    def test_a_step_between_two_backwards(self):
        w = T([2.0])
        first, second = (w * w).sum(), (w * w * w).sum()
        first.backward()
        with no_grad():
            w.sub_(w.grad * 0.1)
        with pytest.raises(GradientError, match="expected version 0"):
            second.backward()

    @pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
    def test_gradients_over_nothing(self, shape):
        x = T(np.ones(shape))
        (ops.exp(x).sum() + (x @ np.ones((shape[-1], 2))).sum()).backward()
        assert x.grad.shape == shape

    def test_diamonds_in_many_threads(self):
        failures = []

        def work():
            for i in range(125):
                x = T([float(i)])
                a, b = x * 2.0, x * 3.0
                (a * b + a).backward()
                if x.grad.item() != 12 * i + 2:
                    failures.append((i, x.grad.item()))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []

    @pytest.mark.parametrize("make", [lambda x: x - x, lambda x: x * 0.0, lambda x: 0.0 * x])
    def test_what_seems_to_be_zero_is_nan_over_inf_and_nan_in_graphs_too(self, make):
        array = np.array([np.inf, -np.inf, np.nan, 2.0])
        builder = GraphBuilder()
        x = builder.placeholder((4,))
        y = make(x)
        graph = builder.graph([y, *gradients(y.sum(), [x])], [x])
        with np.errstate(invalid="ignore"):
            value, slope = run(graph, array)
            eager = make(Tensor(array))
        np.testing.assert_array_equal(value, [np.nan, np.nan, np.nan, 0])
        np.testing.assert_array_equal(value, eager.data)
        np.testing.assert_array_equal(slope, np.zeros(4))

    def test_adding_at_a_place_that_is_named_twice_adds_once(self):
        # y[x] += y[x] reads first and then writes; the second write is of the same number
        y, places = T([1.0, 10.0, 100.0]), np.array([0, 0, 1])
        index, arrays = normal_index(places, 1)
        added = ops.put(y, y[places] + y[places], *arrays, index=index)
        expected = np.array([1.0, 10.0, 100.0])
        expected[places] += expected[places]
        np.testing.assert_array_equal(added.data, expected)
        added.sum().backward()
        assert y.grad.data.tolist() == [2, 2, 1]

    @pytest.mark.parametrize(("a", "total"), [([2**31 - 1, -(2**31)], -2), ([5, 7], 14)])
    def test_whole_numbers_wrap_alike_in_both_worlds(self, a, total):
        array = np.array(a, "int32")
        (found,) = run(trace(lambda x: x.max() + x.max(), array).graph, array)
        x = Tensor(array)
        assert found.dtype == (x.max() + x.max()).dtype == np.int32
        assert found == (x.max() + x.max()).item() == total

    def test_a_kernel_at_two_places_hears_of_both(self):
        #  x ──► conv ──► batch_norm ──► +      w is read by both, and one of them is normalized
        #  x/2 ► conv ───────────────────┘
        rng = np.random.default_rng(0)
        x, w, scale = rng.normal(size=(2, 1, 3, 3)), rng.normal(size=(2, 1, 2, 2)), np.ones(2)

        def both(x, w):
            first, _, _ = ops.batch_norm_train(ops.conv2d(x, w), scale, scale)
            return first + ops.conv2d(x / 2.0, w)

        check_gradient(both, x, w)
        points = [T(x), T(w)]
        eager = grad((both(*points) * np.arange(16.0).reshape(2, 2, 2, 2)).sum(), points)
        builder = GraphBuilder()
        inputs = [builder.placeholder(each.shape) for each in (x, w)]
        y = (both(*inputs) * np.arange(16.0).reshape(2, 2, 2, 2)).sum()
        for got, want in zip(run(builder.graph(gradients(y, inputs)), x, w), eager, strict=True):
            np.testing.assert_array_equal(got, want.data)


HERE = "test_semantics.py"
KNOWN = {
    "b=a+a; c=b+b: 4, not 8": f"{HERE}: test_reuse_counts_each_reader",
    "deep chains: build, backward, free": "test_deep.py: test_eager",
    "deep chains: printing": "test_deep.py: test_printing",
    "deep chains: every pass": "test_deep.py: test_rewriting",
    "a cycle is named": "test_order.py: test_a_cycle_is_named_rather_than_an_order_blamed",
    "un-broadcasting": f"{HERE}: test_unbroadcast",
    "einsum('i,i') with a size of 1": (
        "operators/test_contraction.py: test_the_slope_of_an_operand_whose_size_of_1_was_stretched"
    ),
    "products with zeros": "operators/test_products.py: test_zeros_to_second_order",
    "x*0 and x-x over inf and nan": (
        f"{HERE}: test_what_seems_to_be_zero_is_nan_over_inf_and_nan_in_graphs_too"
    ),
    "x.add_(x.flip(0)) after a write": f"{HERE}: test_a_flipped_self_is_added_after_a_write",
    "y keeps the old x": f"{HERE}: test_y_keeps_the_old_x",
    "a diamond 1,000 times at once": f"{HERE}: test_diamonds_in_many_threads",
    "y[x] += y[x], once only": (
        f"{HERE}: test_adding_at_a_place_that_is_named_twice_adds_once"
    ),
    "int32 max+max": f"{HERE}: test_whole_numbers_wrap_alike_in_both_worlds",
    "a convolution at two sites": f"{HERE}: test_a_kernel_at_two_places_hears_of_both",
    "one dropout mask": (
        "operators/test_random.py: test_the_mask_is_the_same_going_back_and_computed_again"
    ),
    "gradients of size 0": f"{HERE}: test_gradients_over_nothing",
    "reductions over length 0": "operators/test_every_input.py: test_a_sample_in_every_form",
    "size 1 and 0 with negative strides": "test_laws.py: test_strides_do_not_matter",
    "a step between two backwards": f"{HERE}: test_a_step_between_two_backwards",
}  # fmt: skip
"""Where each bug of others is tested. A planner's slots, writes between turns of a loop, kernels
over nothing, changed globals and uneven shards are tested with what can have them."""


@pytest.mark.parametrize("bug", KNOWN)
def test_each_bug_of_others_has_a_test_of_its_own(bug):
    file, _, name = KNOWN[bug].partition(": ")
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    assert re.search(rf"^ *def {name}\(", text, re.MULTILINE)
