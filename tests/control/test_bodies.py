"""Functions become graphs that take what they used from around them."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, TensorType, ops, run
from cgkit.control.bodies import as_tensor, as_value, build, builder_of, eager, elsewhere
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


def test_what_no_result_needs_is_not_taken():
    outer = GraphBuilder()
    a, b = outer.placeholder(()), outer.placeholder(())
    bodies = build(outer, {"it": lambda x: (ops.exp(b), x + a)[1]}, [FLOAT])
    assert [v.edge.key for v in bodies.taken] == [a.edge.key]
    (graph,) = bodies.graphs
    assert [node.operator.name for node in graph.operators] == ["add"]


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


def test_whatever_a_function_applies_stands_in_its_graph():
    outer = GraphBuilder()
    a = outer.placeholder(())
    before = []

    def body(x):
        before.append(builder_of(a) is builder_of(x))
        return ops.exp(a) * x + a * a

    bodies = build(outer, {"it": body}, [FLOAT])
    assert before == [True]
    assert [n.operator.name for n in bodies.graphs[0].operators] == ["exp", "mul", "mul", "add"]
    assert builder_of(a) is outer


def test_a_function_that_fails_leaves_nothing_open():
    outer = GraphBuilder()
    kept = []

    def fails(x):
        kept.append(x)
        raise KeyError("no")

    with pytest.raises(KeyError) as caught:
        build(outer, {"it": fails}, [FLOAT])
    assert caught.value.__notes__ == ["  in it"]
    assert builder_of(outer.placeholder(())) is outer
    with pytest.raises(CaptureError, match="this graph is closed"):
        kept[0] + 1.0


def test_values_of_another_graph_are_found():
    outer, other = GraphBuilder(), GraphBuilder()
    w = other.placeholder(())
    for act in (lambda x: x + w, lambda x: w + x, lambda x: w):
        with pytest.raises(CaptureError, match="another graph") as caught:
            build(outer, {"it": act}, [FLOAT])
        assert elsewhere(caught.value, outer) is other
    assert elsewhere(CaptureError("no"), outer) is None


def test_kinds_of_leaves():
    value = GraphBuilder().placeholder((2,))
    assert builder_of(1.0, value) is value.builder
    assert builder_of(1.0, Tensor(1.0)) is None
    assert as_value(value.builder, 2.0).node.value == 2
    assert as_value(value.builder, value) is value
    assert as_tensor(value) is value
    assert as_tensor(3).item() == 3
