"""A graph applied anew: to arrays, Tensors and Values, whatever their sizes are called."""

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, ops, run, verify
from cgkit.control import scan
from cgkit.interpret import replay, symbols
from cgkit.interpret.replaying import put, renamed
from cgkit.operators.indices import Span
from cgkit.types import Dim, TensorType

N, M, K = Dim("N"), Dim("M"), Dim("K")


def stretched():
    builder = GraphBuilder()
    x = builder.placeholder((N,), name="x")
    row = ops.broadcast_to(builder.constant(2.0), shape=x.shape)
    return builder.graph([row * x, builder.constant(5.0)])


def test_on_arrays_and_tensors():
    found = replay(stretched(), [np.arange(3.0)])
    assert found[0].tolist() == [0, 2, 4]
    assert isinstance(found[1], np.ndarray)
    x = Tensor([1.0, 2.0], requires_grad=True)
    replay(stretched(), [x])[0].sum().backward()
    assert x.grad.data.tolist() == [2, 2]
    with pytest.raises(ShapeError, match="expected shape"):
        replay(stretched(), [np.ones((2, 2))])


@pytest.mark.parametrize("shape", [(N,), (M,), (M * 2 + 1,), (3,)])
def test_on_values_of_sizes_of_other_names(shape):
    builder = GraphBuilder()
    x = builder.placeholder(shape)
    if shape == (M * 2 + 1,):
        builder.placeholder((M,))
    y, five = replay(stretched(), [x], constant=builder.constant)
    assert (y.shape, five.shape) == (shape, ())
    if shape != (M * 2 + 1,):
        graph = builder.graph([y], [x])
        verify(graph)
        assert run(graph, np.ones(3))[0].tolist() == [2, 2, 2]


def test_sizes_that_a_run_tells_get_names_of_their_own():
    inner = GraphBuilder()
    x = inner.placeholder((None,))
    places = ops.nonzero(x)
    count = places.shape[0]
    y = ops.broadcast_to(ops.measure(places, size=count), shape=(count, 2))
    graph = inner.graph([y])
    builder = GraphBuilder()
    a, b = builder.placeholder((M,)), builder.placeholder((count,))
    (found,) = replay(graph, [a], constant=builder.constant)
    assert found.shape[0] not in (count, M)
    together = builder.graph([found, b])
    verify(together)
    rows, _ = run(together, np.array([1.0, 0, 1, 1]), np.ones(9))
    assert rows.tolist() == [[3, 3]] * 3


def test_names_in_graphs_inside():
    builder = GraphBuilder()
    x, rows = builder.placeholder((N,)), builder.placeholder((K, 2))
    total, _ = scan(lambda c, r: (c + ops.broadcast_to(r.sum(), shape=(N,)), None), x, rows)
    graph = builder.graph([total], [x, rows])
    for sizes in ({"N": M, "K": K}, {"N": 4, "K": M}):
        found = renamed(graph, sizes)
        verify(found)
        assert symbols(found) == {"K", "M"} if sizes["N"] == M else {"M"}
        assert run(found, np.zeros(4), np.ones((3, 2)))[0].tolist() == [6, 6, 6, 6]
    assert renamed(graph, {"N": N}) is graph
    other = GraphBuilder()
    a, b = other.placeholder((K,)), other.placeholder((N, 2))
    (found,) = replay(graph, [a, b], constant=other.constant)  # the two names change places
    both = other.graph([found], [a, b])
    verify(both)
    assert run(both, np.zeros(4), np.ones((3, 2)))[0].tolist() == [6, 6, 6, 6]


def test_what_a_graph_is_told_by_its_own_run_stays_its_own():
    inner = GraphBuilder()
    x, w = inner.placeholder((N,)), inner.placeholder((M,))
    places = ops.nonzero(x)
    graph = inner.graph([places, w])
    own = places.shape[0]
    found = renamed(graph, {"M": own})
    verify(found)
    assert found.outputs[1].shape == (own,)
    assert found.outputs[0].shape[0] != own
    assert [x.shape for x in run(found, np.ones(5), np.ones(2))] == [(5, 1), (2,)]


def test_params_keep_what_they_are():
    assert put((Span(N, None), "x", None, (2, N)), {"N": M}) == (Span(M, None), "x", None, (2, M))
    assert type(put(Span(N), {"N": 3})) is Span
    assert put(N, {}) is N
    assert TensorType(put((N, 2), {"N": 3}), "f4") == TensorType((3, 2), "f4")
