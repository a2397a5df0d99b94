"""Functions become graphs that take what they used from around them."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, TensorType, run
from cgkit.control.bodies import as_tensor, as_value, build, builder_of, deepest, eager, type_of
from cgkit.errors import CaptureError

FLOAT = TensorType((), "float64")


def test_all_functions_get_what_one_of_them_took():
    outer = GraphBuilder()
    a, b = outer.placeholder(()), outer.placeholder(())
    bodies = build(outer, {"first": lambda x: x + a, "second": lambda x: x * b}, [FLOAT])
    assert [v.edge.key for v in bodies.taken] == [a.edge.key, b.edge.key]
    assert [len(graph.inputs) for graph in bodies.graphs] == [3, 3]
    found = [run(graph, *map(np.asarray, (2.0, 3.0, 5.0)))[0] for graph in bodies.graphs]
    assert found == [5, 10]


def test_tensors_and_numbers_are_taken_too():
    outer = GraphBuilder(capturing=True)
    w = Tensor(3.0, requires_grad=True)
    bodies = build(outer, {"it": lambda x: (x * w, 7.0)}, [FLOAT])
    (taken,) = bodies.taken
    assert eager(outer, taken) is w
    assert run(bodies.graphs[0], np.array(2.0), np.array(3.0)) == (6, 7)
    assert eager(outer, outer.constant(4.0)).item() == 4


def test_what_is_no_tensor_is_named():
    with pytest.raises(CaptureError, match="it gives str") as caught:
        build(GraphBuilder(), {"it": lambda x: "no"}, [FLOAT])
    assert "  in it" in caught.value.__notes__


def test_the_deepest_builder_acts():
    outer = GraphBuilder()
    inner = GraphBuilder(outer=outer)
    a, b = outer.placeholder(()), inner.placeholder(())
    assert deepest(lambda builder: builder, a, b, 3.0) is inner
    assert deepest(lambda builder: as_value(builder, b).builder, a) is inner
    other = GraphBuilder().placeholder(())
    with pytest.raises(CaptureError, match="another graph"):
        deepest(lambda builder: as_value(builder, other), a)


def test_kinds_of_leaves():
    value = GraphBuilder().placeholder((2,))
    assert builder_of(1.0, value) is value.builder
    assert builder_of(1.0, Tensor(1.0)) is None
    assert type_of(value) == TensorType((2,), "float64")
    assert as_tensor(value) is value
    assert as_tensor(3).item() == 3
