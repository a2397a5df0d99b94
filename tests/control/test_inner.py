"""Types and gradients of operators that hold graphs."""

import numpy as np
import pytest

from cgkit import (
    Dim,
    DtypeError,
    GraphBuilder,
    GraphError,
    ShapeError,
    Tensor,
    TensorType,
    ops,
)  # fmt: skip
from cgkit.control.inner import (
    arrived,
    at_places,
    filled,
    float_places,
    outputs_of,
    read_sizes,
    steady,
    told_by_parts,
    types_of,
    with_told,
    work,
)


@pytest.fixture
def graph():
    builder = GraphBuilder()
    x, n = builder.placeholder(("N", 2), "float32"), builder.placeholder((), "int64")
    return builder.graph([x * 2.0, n], [x, n])


def test_types_out_have_what_types_in_tell(graph):
    bound = Dim("N").bind({"N": 5})
    found = outputs_of(
        graph, [TensorType((bound, 2), "float32"), TensorType((), "int64")], "the body"
    )
    assert found[0].shape[0].value == 5
    with pytest.raises(GraphError, match="takes 2 operands, got 1"):
        outputs_of(graph, [TensorType((3, 2), "float32")], "the body")
    with pytest.raises(DtypeError, match="operand 1 of the body is int64"):
        outputs_of(graph, [TensorType((3, 2), "float32"), TensorType((), "f8")], "the body")
    with pytest.raises(ShapeError, match="operand 0 of the body"):
        outputs_of(graph, [TensorType((3, 4), "float32"), TensorType((), "int64")], "the body")


def test_sizes_are_read_where_they_are_known():
    binding = {}
    read_sizes((Dim("N"), Dim("M")), (4, Dim("K")), binding)
    assert binding == {"N": 4}


def test_a_carry_keeps_its_shape():
    old = np.ones(3)
    assert steady(old, old, "scan") is old
    with pytest.raises(ShapeError, match=r"it has shape \(3,\) before a step and \(2,\)"):
        steady(old, np.ones(2), "it")


def test_gradients_that_nobody_sent_are_zeros(graph):
    types = [edge.type for edge in graph.outputs]
    known = TensorType((2,), "float32")
    assert arrived({0: "g"}, [0], types, np.ones(2)) == ["g"]
    assert arrived({}, [0], [known], np.ones(2))[0].tolist() == [0, 0]
    assert isinstance(filled(Tensor(1.0), known), Tensor)
    assert at_places((2,), "g", 3) == (None, None, "g")
    assert float_places(graph) == ((0,), (0,))
    assert types_of([np.ones(2, "f4")]) == [known]
    assert work(lambda graph: ((graph, 3),))(known, known, graph=graph) == Dim("N") * 6


def test_sizes_that_only_a_part_tells():
    first, second = GraphBuilder(), GraphBuilder()
    x, y = first.placeholder(("M", 3)), second.placeholder(("M", 3))
    places = ops.nonzero(x)
    one = first.graph([x, places, ops.concat(places, places)], [x])
    two = second.graph([y, second.constant(np.ones((4, 2), int)), ops.nonzero(y)], [y])
    told = told_by_parts([one, two])
    (_, a), (_, b) = ((size, axis) for _, axis, size in told)
    assert (a, b) == (0, 0)
    assert [number for number, _, _ in told] == [1, 2]
    assert told[0][2] != told[1][2]
    assert told_by_parts([two, two])[0][0] == 2
    types = with_told([edge.type for edge in one.outputs], told)
    assert [t.shape[0] for t in types] == [Dim("M"), told[0][2], told[1][2]]
