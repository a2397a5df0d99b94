"""Building: dtypes of weak numbers, scopes, inputs, and every mix-up refused."""

import numpy as np
import pytest

from cgkit import Dim, GraphBuilder, Tensor, ops, run, verify
from cgkit.errors import CaptureError, DtypeError, GraphError, ShapeError


@pytest.fixture
def builder():
    return GraphBuilder()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
@pytest.mark.parametrize("number", [2, 2.5, True])
@pytest.mark.parametrize("act", [lambda x, n: x + n, lambda x, n: n * x, lambda x, n: x < n])
def test_plain_numbers_give_the_dtype_that_tensors_get(builder, dtype, number, act):
    array = np.ones((2,), dtype)
    value = act(builder.placeholder((2,), dtype), number)
    eager = act(Tensor(array), number)
    assert value.dtype == eager.dtype
    (found,) = run(builder.graph([value]), array)
    assert found.dtype == eager.dtype
    np.testing.assert_array_equal(found, eager.data)


def test_arrays_become_constants_of_their_own(builder):
    x = builder.placeholder((2,))
    array = np.array([1.0, 2.0])
    graph = builder.graph([x * array])
    array[:] = 99
    np.testing.assert_array_equal(run(graph, np.ones(2))[0], [1, 2])


def test_a_tensor_on_either_side_becomes_a_constant(builder):
    x, w = builder.placeholder((2,)), Tensor([2.0, 3.0])
    for y in (w * x, x * w):
        np.testing.assert_array_equal(run(builder.graph([y]), np.ones(2))[0], [2, 3])


def test_open_sizes_have_names_and_a_shared_name_is_one_size(builder):
    x, y = builder.placeholder((None, 3)), builder.placeholder((None,))
    a, b = builder.placeholder(("batch",)), builder.placeholder((Dim("batch"),))
    assert (x.shape, y.shape) == ((Dim("N"), 3), (Dim("N2"),))
    assert a.shape == b.shape
    with pytest.raises(ShapeError, match="batch is 2, not 3"):
        run(builder.graph([a + b]), np.ones(2), np.ones(3))


@pytest.mark.parametrize("other", [1, 4])
def test_sizes_taken_as_equal_are_checked_by_each_run(builder, other):
    x, y = builder.placeholder((None,), name="x"), builder.placeholder((None,), name="y")
    graph = builder.graph([x + y])
    assert run(graph, np.ones(3), np.ones(3))[0].shape == (3,)
    with pytest.raises(ShapeError, match=f"N = 3 and N2 = {other}") as caught:
        run(graph, np.ones(3), np.ones(other))
    assert "add(x, y)" in caught.value.with_place()


def test_scopes_nest_and_end(builder):
    with builder.scope("encoder"), builder.scope("attention"):
        inner = builder.placeholder(()) + 1.0
    assert inner.node.scope == "encoder/attention"
    assert (inner + 1.0).node.scope == ""


def test_a_scope_ends_even_when_building_fails(builder):
    with pytest.raises(ShapeError), builder.scope("bad"):
        builder.placeholder((2,)) + builder.placeholder((3,))
    assert builder.placeholder(()).node.scope == ""


def test_inputs_are_the_needed_placeholders_in_the_order_declared(builder):
    x, unused, y = (builder.placeholder((), name=name) for name in "xuy")
    graph = builder.graph([y - x])
    assert [edge.node.name for edge in graph.inputs] == ["x", "y"]
    assert run(graph, 1.0, 5.0)[0] == 4
    assert unused.node not in graph.nodes


def test_inputs_may_be_ordered_and_may_be_unneeded(builder):
    x, y, z = (builder.placeholder((), name=name) for name in "xyz")
    graph = builder.graph([y - x], [z, y, x])
    verify(graph)
    assert run(graph, 0.0, 5.0, 1.0)[0] == 4


def test_a_needed_placeholder_that_is_not_listed_is_named(builder):
    x, y = builder.placeholder((), name="x"), builder.placeholder((), name="y")
    with pytest.raises(GraphError, match="y is missing"):
        builder.graph([x + y], [x])


def test_a_node_shared_by_two_outputs_stands_once(builder):
    x = builder.placeholder((), name="x")
    y = ops.exp(x)
    graph = builder.graph([y, y + 1.0, y])
    assert sum(node.operator.name == "exp" for node in graph.nodes) == 1
    assert len(graph.outputs) == 3


def test_values_of_two_builders_do_not_mix(builder):
    x, y = builder.placeholder(()), GraphBuilder().placeholder(())
    with pytest.raises(CaptureError, match="another graph"):
        x + y
    with pytest.raises(CaptureError, match="another graph"):
        builder.graph([y])


def test_an_output_that_is_no_value_is_refused(builder):
    with pytest.raises(CaptureError, match="got float"):
        builder.graph([1.0])


def test_a_closed_builder_says_why(builder):
    x = builder.placeholder(())
    builder.close("the lesson is over")
    with pytest.raises(CaptureError, match="the lesson is over"):
        x + 1.0


@pytest.mark.parametrize("odd", ["words", [1, [2]], object(), {"a": 1}])
def test_what_is_no_number_makes_no_constant(builder, odd):
    with pytest.raises((DtypeError, ShapeError)):
        builder.placeholder(()) + odd


def test_an_error_says_at_which_node_and_line(builder):
    x, w = builder.placeholder((2, 3), name="x"), builder.placeholder((2, 3), name="w")
    with pytest.raises(ShapeError) as caught:
        x @ w
    place = caught.value.with_place()
    assert "(2, 3) by (2, 3)" in place
    assert "matmul(x, w)" in place
    assert "line" in place


def test_a_variable_holds_a_copy_of_its_first_value(builder):
    first = np.zeros(2)
    w = builder.variable(first, name="w")
    first[:] = 7
    np.testing.assert_array_equal(run(builder.graph([w + 0.0]))[0], [0, 0])


def test_a_chain_of_100_000_is_built_printed_verified_run_and_let_go(builder):
    y = x = builder.placeholder((2,), name="x")
    for _ in range(100_000):
        y = y + 1.0
    graph = builder.graph([y])
    verify(graph)
    assert str(graph).count("add(") == 100_000
    np.testing.assert_array_equal(run(graph, np.zeros(2))[0], [100_000, 100_000])
    del graph, y, x, builder
