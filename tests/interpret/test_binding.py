"""Open sizes: read off inputs, told by nodes, put into params, compared with each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit import GraphBuilder, ShapeError, ops, run
from cgkit.control import scan
from cgkit.interpret import bind, bind_params, check_binding, settle, symbols, told, told_by
from cgkit.types import Dim, TensorType

N, M = Dim("N"), Dim("M")


@pytest.fixture
def builder():
    return GraphBuilder()


def test_symbols_are_read_off_in_whatever_order(builder):
    product = builder.placeholder((N * M,))
    both = builder.placeholder((N + M,))
    single = builder.placeholder((N,))
    graph = builder.graph([product.sum() + both.sum() + single.sum()])
    arrays = np.ones(6), np.ones(5), np.ones(2)
    assert bind(graph, arrays) == {"N": 2, "M": 3}
    assert run(graph, *arrays)[0] == 13


def test_what_cannot_be_told_is_said(builder):
    graph = builder.graph([builder.placeholder((N * M,))])
    with pytest.raises(ShapeError, match=r"M\*N cannot be read off the inputs"):
        run(graph, np.ones(6))


def test_two_values_for_one_symbol(builder):
    x, y = builder.placeholder((N,), name="x"), builder.placeholder((N,), name="y")
    with pytest.raises(ShapeError, match="N is 2, not 3") as caught:
        run(builder.graph([x.sum() + y.sum()]), np.ones(2), np.ones(3))
    assert caught.value.__notes__ == ["  at input  y"]


@pytest.mark.parametrize(
    ("make", "arrays", "said", "where"),
    [
        (lambda x, y: x + y, (3, 4), "N = 3 and M = 4 were taken as equal", "add"),
        (lambda x, y: x + y, (3, 1), "N = 3 and M = 1 were taken as equal", "add"),
        (lambda x, y: x + np.ones(5), (3, 1), "N = 3 and 5 were taken as equal", "add"),
        (lambda x, y: x @ y, (3, 4), "N = 3 and M = 4 were taken as equal", "matmul"),
        (lambda x, y: x.reshape(2, 2), (3, 4), r"cannot reshape \(N,\) to \(2, 2\)", "reshape"),
        (lambda x, y: ops.broadcast_to(x, shape=(2, 5)), (3, 4), "N = 3 and 5", "broadcast_to"),
        (lambda x, y: ops.concat(x[None], y[None]), (3, 4), "N = 3 and M = 4", "concat"),
        (lambda x, y: x[:5], (3, 4), r"a slice of N = 3 has 3 elements, not 5", "slice"),
    ],
)
def test_sizes_that_were_taken_as_equal_are_compared(builder, make, arrays, said, where):
    x, y = builder.placeholder((N,), name="x"), builder.placeholder((M,), name="y")
    graph = builder.graph([make(x, y)], [x, y])
    with pytest.raises(ShapeError, match=said) as caught:
        run(graph, *(np.ones(n) for n in arrays))
    assert f"at node  {where}" in caught.value.with_place()


@settings(max_examples=60)
@given(st.integers(0, 5), st.integers(0, 5))
def test_the_types_of_a_run_are_known_before_it(n, m):
    builder = GraphBuilder()
    x, y = builder.placeholder((N, 3)), builder.placeholder((M, 3), "float32")
    joined = ops.concat(x, y, x[1:] if n else x)
    outputs = [joined, joined.reshape(-1), (joined @ np.ones(3))[None], joined.mean(axis=0)]
    graph = builder.graph(outputs, [x, y])
    types = check_binding(graph, {"N": n, "M": m})
    with np.errstate(all="ignore"):
        found = run(graph, np.ones((n, 3)), np.ones((m, 3), "f4"))
    for edge, value in zip(graph.outputs, found, strict=True):
        assert types[edge.key] == TensorType(value.shape, value.dtype)


def test_params_are_bound_however_nested():
    params = {"shape": (N, (M, 2)), "axis": 1, "name": "x"}
    bound = bind_params(params, {"N": 3, "M": 4})
    assert bound == {"shape": (3, (4, 2)), "axis": 1, "name": "x"}


def test_settling_puts_ints_in_place():
    known = TensorType((N.bind({"N": 3}), M, 2), "f4")
    assert settle(known) == TensorType((3, M, 2), "f4")


def test_a_graph_of_known_sizes_binds_nothing(builder):
    assert bind(builder.graph([builder.placeholder((2,))]), [np.ones(2)]) == {}


def test_what_only_a_run_tells(builder):
    x = builder.placeholder((N,), name="x")
    places = ops.nonzero(x)
    (symbol,) = told_by(places.node)
    binding = {symbol: 7, "N": 3}
    told(places.node, [np.zeros((2, 1), "int64")], binding)
    assert binding == {symbol: 2, "N": 3}
    assert told_by(x.node) == set()


def test_symbols_stand_in_graphs_inside_too(builder):
    x, rows = builder.placeholder((N, 2)), builder.placeholder((M, 2))
    total, _ = scan(lambda c, r: (c + ops.broadcast_to(r.sum(), shape=(N, 2)), None), x, rows)
    assert symbols(builder.graph([total])) == {"N", "M"}
    assert symbols(builder.graph([builder.constant(1.0)])) == set()
