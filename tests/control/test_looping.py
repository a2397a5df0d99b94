"""While loops: golden values, and each loop in two readings, in value and to second order."""

import numpy as np
import pytest
from two_readings import agree, by_graph

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, gradients, ops, run
from cgkit.control import cond, fori, scan, switch, while_loop
from cgkit.errors import CaptureError, OperandError


def squared(x):
    return while_loop(lambda x: x < 100.0, lambda x: x * x, x)


def test_squaring_until_a_hundred():
    value, slope, _ = agree(squared, 2.0)
    assert (value, slope) == (256, 1024)


def test_four_trips_of_a_product():
    def product(v, a):
        return while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] * a), (0, v))[1]

    value, by_v, by_a, *_ = agree(product, 2.0, 3.0)
    assert (value, by_v, by_a) == (162, 81, 216)


def test_no_trip_gives_the_first_carry_and_its_gradient():
    value, slope, _ = by_graph(lambda x: while_loop(lambda x: x < 0.0, lambda x: x * x, x), 2.0)
    assert (value, slope) == (2, 1)


def test_whole_numbers_go_along_without_a_gradient():
    builder = GraphBuilder()
    n = builder.placeholder((), "int64")
    i, total = while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] + c[0]), (0, 0))
    assert [int(x) for x in run(builder.graph([i, total], [n]), np.array(10))] == [10, 45]


def test_loops_in_loops():
    builder = GraphBuilder()
    n = builder.placeholder((), "int64")

    def inner(c):
        _, total = while_loop(lambda d: d[0] < 3, lambda d: (d[0] + 1, d[1] + 1), (0, c[1]))
        return c[0] + 1, total

    i, total = while_loop(lambda c: c[0] < n, inner, (0, 0))
    assert [int(x) for x in run(builder.graph([i, total], [n]), np.array(4))] == [4, 12]


def test_a_while_in_a_cond_in_a_while():
    def nested(x):
        def body(state):
            i, x = state
            x = cond(
                x < 5.0,
                lambda x: while_loop(lambda y: y < 8.0, lambda y: y * y * 1.1, x),
                lambda x: x * x * 0.1,
                x,
            )
            return i + 1, x

        return while_loop(lambda s: s[0] < 3, body, (0, x))[1]

    agree(nested, 1.3)


def test_a_loop_on_the_branch_not_taken():
    def untaken(x):
        return cond(
            x > 100.0,
            lambda x: while_loop(lambda y: y < 1e9, lambda y: y * 2.0, x),
            lambda x: x * x * 4.0,
            x,
        )

    assert agree(untaken, 5.0)[0] == 100


def test_fori_with_plain_bounds_and_with_tensors():
    def powers(x):
        return fori(0, 5, lambda i, c: c * x + i, x)

    agree(powers, 0.7)
    builder = GraphBuilder()
    x, high = builder.placeholder(()), builder.placeholder((), "int64")
    y = fori(0, high, lambda i, c: c * x, 1.0)
    graph = builder.graph([y, *gradients(y, [x])], [x, high])
    assert [float(v) for v in run(graph, np.array(2.0), np.array(5))] == [32, 80]
    assert [float(v) for v in run(graph, np.array(2.0), np.array(0))] == [1, 0]


def test_open_sizes_stay_what_they_are():
    def grown(x):
        return while_loop(lambda c: c.sum() < 50.0, lambda c: c * x + c, x).sum()

    agree(grown, np.array([1.0, 2.0, 0.5]), shapes=[(None,)])


def test_what_a_body_must_not_change():
    with pytest.raises(ShapeError, match=r"the carry of while_loop is float64\[2\] where it"):
        while_loop(lambda x: x.sum() < 9.0, lambda x: x.sum(), Tensor([1.0, 2.0]))
    builder = GraphBuilder()
    x = builder.placeholder((2,))
    with pytest.raises(ShapeError, match="where it comes out"):
        while_loop(lambda x: x.sum() < 9.0, lambda x: x.sum(), x)
    with pytest.raises(DtypeError, match=r"at \['n'\] is float64\[2\] where it goes in"):
        while_loop(lambda c: c["n"].sum() < 9.0, lambda c: {"n": c["n"].cast("float32")}, {"n": x})
    with pytest.raises(OperandError, match=r"gives \(tensor, tensor\), but its carry is tensor"):
        while_loop(lambda x: x.sum() < 9.0, lambda x: (x, x), x)


def test_a_plain_bool_is_no_test():
    with pytest.raises(OperandError, match="plain bool"):
        while_loop(lambda x: True, lambda x: x, Tensor(1.0))
    with pytest.raises(ShapeError, match="not one element"):
        while_loop(lambda x: x < 3.0, lambda x: x, Tensor([1.0, 2.0]))


def test_numbers_take_the_dtype_that_the_body_gives_them():
    x = Tensor(1.5)
    total = while_loop(lambda c: c < 5.0, lambda c: c + x, 0)
    assert (float(total), total.dtype) == (6.0, np.float64)
    with pytest.raises(DtypeError, match=r"int64\[\] where it goes in"):
        while_loop(lambda c: c < 5.0, lambda c: c + x, np.int64(0))


def test_numbers_that_come_out_have_the_dtype_of_what_goes_in():
    builder = GraphBuilder()
    x = builder.placeholder((), "float32")
    i, y = while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, 0), (0, x))
    assert (i.dtype, y.dtype) == ("int64", "float32")
    _, y = while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, 2), (0, Tensor(1.0)))
    assert (y.item(), y.dtype) == (2, "float64")


def test_a_loop_finds_the_graph_of_what_it_takes():
    builder = GraphBuilder()
    w = builder.placeholder(())
    in_test = while_loop(lambda c: c < w, lambda c: c + 1.0, 0.0)
    in_body = while_loop(lambda c: c < 3.0, lambda c: w + c, 0.0)
    nothing = fori(0, 0, lambda i, c: w * c, 1.0)
    scanned, _ = scan(lambda c, x: (w, None), 0.0, Tensor([1.0, 2.0]), checkpoint=True)
    graph = builder.graph([in_test, in_body, nothing, scanned])
    assert [float(x) for x in run(graph, np.array(2.5))] == [3, 5, 1, 2.5]


def test_repeated_factors_and_sums_equal_the_unrolled_loop():
    def program(x, r):
        c = fori(0, 6, lambda i, c: r * c, x)
        d = while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] + r), (0, x))[1]
        return c * d

    def unrolled(x, r):
        c = d = x
        for _ in range(6):
            c = r * c
        for _ in range(5):
            d = d + r
        return c * d

    for ours, theirs in zip(agree(program, 0.7, 1.3), by_graph(unrolled, 0.7, 1.3), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_gradients_inside_a_body_and_inside_branches_of_several():
    def descent(x, rate):
        def step(c):
            c = c * 1.0  # a carry that is x itself would be asked for both
            (slope,) = grad(c * c * x, c, create_graph=True)
            return c - rate * slope

        small = while_loop(lambda c: c * c > 0.1, step, x)
        branches = [step, lambda c: while_loop(lambda c: c < 2.0, lambda c: c * x + 0.5, c)]
        return switch(ops.cast(x * 0.0 + 1.0, dtype="int64"), branches, small)

    agree(descent, 1.0, 0.1)


def test_tensors_of_two_loops_do_not_mix():
    x, kept = GraphBuilder().placeholder(()), []
    while_loop(lambda c: c < 3.0, lambda c: kept.append(c) or c + 1.0, x)
    for act in (lambda c: kept[0] + c, lambda c: c + kept[0], lambda c: kept[0]):
        with pytest.raises(CaptureError, match="it built a branch or a body, which is done"):
            while_loop(lambda c: c < 3.0, act, x)


def test_a_python_if_in_a_body_says_where():
    x = GraphBuilder().placeholder(())
    with pytest.raises(CaptureError, match="no truth value for a Python `if`") as caught:
        while_loop(lambda c: c < 3.0, lambda c: c if c > 1.0 else c + 1.0, x)
    assert "  in the body of while_loop" in caught.value.__notes__
    with pytest.raises(CaptureError, match="no truth value"):
        scan(lambda c, r: (c + 1.0 if c > 0.0 else c, None), x, length=3)


def test_what_is_no_result_is_named_in_both_readings():
    for x in (GraphBuilder().placeholder(()), Tensor(1.0)):
        for wrong in (None, "text", object()):
            with pytest.raises(CaptureError, match="the body of while_loop gives"):
                while_loop(lambda c: c < 3.0, lambda c, wrong=wrong: wrong, x)
            with pytest.raises(CaptureError, match="the body of scan gives"):
                scan(lambda c, r, wrong=wrong: (c, [wrong]), x, np.ones(2))
        with pytest.raises(OperandError, match="the test of while_loop is of type float"):
            while_loop(3.0, lambda c: c, x)
        with pytest.raises(OperandError, match="the body of fori is of type NoneType"):
            fori(0, 3, None, x)
    for wrong in (2.5, True, Tensor(3), "3"):
        with pytest.raises(OperandError, match="the length of scan is"):
            scan(lambda c, r: (c, None), Tensor(1.0), length=wrong)


def test_nan_and_inf_go_through():
    builder = GraphBuilder()
    x = builder.placeholder(())
    y = squared(x)
    graph = builder.graph([y, *gradients(y, [x])])
    for value, expected in (
        (np.nan, (np.nan, 1)),
        (np.inf, (np.inf, 1)),
        (-np.inf, (np.inf, -np.inf)),
    ):
        np.testing.assert_array_equal(run(graph, np.array(value)), expected)
