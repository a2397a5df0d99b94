"""A builder records operators on Values and gives immutable graphs."""

import numpy as np
import pytest

from cgkit import GraphBuilder, GraphError, Tensor, gradients, ops, run, verify
from cgkit.control import cond
from cgkit.errors import CaptureError, DtypeError, ShapeError
from cgkit.node import CONSTANT, INPUT, VARIABLE
from cgkit.types import Dim


@pytest.fixture
def builder():
    return GraphBuilder()


class TestPlaceholders:
    @pytest.mark.parametrize(
        ("shape", "result"),
        [
            ((2, 3), (2, 3)),
            ([2, 3], (2, 3)),
            ((), ()),
            (4, (4,)),
            ("B", (Dim("B"),)),
            (None, (Dim("N"),)),
            ((None, None), (Dim("N"), Dim("N2"))),
            (("B", 3, "B"), (Dim("B"), 3, Dim("B"))),
            ((Dim("B") * 2,), (Dim("B") * 2,)),
            ((np.int64(2), 0), (2, 0)),
        ],
    )
    def test_shapes(self, builder, shape, result):
        assert builder.placeholder(shape).shape == result

    @pytest.mark.parametrize("size", [-1, 2.5, True, "", (2,), np.float64(3)])
    def test_what_is_no_size(self, builder, size):
        with pytest.raises(ShapeError):
            builder.placeholder((2, size))

    @pytest.mark.parametrize("dtype", ["nope", object, "U3", complex])
    def test_what_is_no_dtype(self, builder, dtype):
        with pytest.raises(DtypeError):
            builder.placeholder((2,), dtype)

    def test_an_open_size_never_takes_the_name_of_another(self, builder):
        x = builder.placeholder(("N",))
        y = builder.placeholder((None, Dim("N3") + 1))
        z = builder.placeholder((None, None))
        names = [str(size) for value in (x, y, z) for size in value.shape]
        assert names == ["N", "N2", "N3 + 1", "N4", "N5"]
        found = run(builder.graph([x.sum() + y.sum()]), np.ones(3), np.ones((5, 2)))
        assert found[0] == 13

    def test_each_builder_counts_for_itself(self, builder):
        builder.placeholder((None,))
        assert str(GraphBuilder().placeholder((None,)).shape) == "(N,)"


class TestConstants:
    @pytest.mark.parametrize(
        "value",
        [
            3, 2.5, True, [1, 2], np.arange(6).reshape(2, 3)[:, ::-1], np.zeros((0, 3), "f4"),
            np.array(1, "f2"), np.float32(2), Tensor([1.0]), np.broadcast_to(1.0, (2, 2)),
            np.array([True]),
        ],
    )  # fmt: skip
    def test_values(self, builder, value):
        for made in (builder.constant(value), builder.variable(value)):
            expected = value.data if isinstance(value, Tensor) else np.asarray(value)
            np.testing.assert_array_equal(made.node.value, expected)
            assert made.type == (expected.shape, expected.dtype) or made.dtype == expected.dtype
            assert made.shape == expected.shape

    def test_they_are_copied(self, builder):
        array = np.ones(2)
        values = builder.constant(array), builder.variable(array), builder.placeholder((2,)) + array
        array[0] = 5
        assert values[0].node.value.tolist() == values[1].node.value.tolist() == [1, 1]
        assert values[2].node.inputs[1].node.value.tolist() == [1, 1]

    @pytest.mark.parametrize("value", ["a", None, 1j, [[1], [2, 3]], object(), {}])
    def test_what_is_no_number(self, builder, value):
        for make in (builder.constant, builder.variable, lambda v: builder.placeholder((2,)) + v):
            with pytest.raises(ShapeError if isinstance(value, list) else DtypeError):
                make(value)

    def test_a_number_that_does_not_fit_its_dtype(self, builder):
        with pytest.raises(DtypeError, match="300"):
            builder.constant(300, "int8")

    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "bool"])
    @pytest.mark.parametrize("number", [2, 2.5, True])
    def test_plain_numbers_are_weak(self, builder, dtype, number):
        x = builder.placeholder((2,), dtype)
        array = np.ones((2,), dtype)
        assert (x * number).dtype == (array * number).dtype
        assert ops.where(x > 0, x, number).dtype == np.where(array > 0, array, number).dtype

    def test_numpy_numbers_are_not(self, builder):
        x = builder.placeholder((2,), "float32")
        assert (x * np.float64(2)).dtype == np.float64
        assert (x * np.float32(2)).dtype == np.float32
        assert (np.float64(2) * x).dtype == np.float64


class TestGraphs:
    def test_a_graph_holds_what_its_outputs_need(self, builder):
        x, y = builder.placeholder((), name="x"), builder.placeholder((), name="y")
        kept, dropped = x * 2.0, y * 3.0
        graph = builder.graph([kept])
        assert [edge.node.name for edge in graph.inputs] == ["x"]
        assert dropped.node not in graph.nodes
        verify(graph)

    def test_one_output_may_stand_alone(self, builder):
        x = builder.placeholder((3,))
        assert len(builder.graph(x).outputs) == 1

    def test_inputs_in_the_order_asked_for(self, builder):
        x, y = builder.placeholder((), name="x"), builder.placeholder((), name="y")
        graph = builder.graph([x - y], [y, x])
        assert run(graph, np.array(1.0), np.array(5.0))[0] == 4
        with pytest.raises(GraphError, match="the placeholder x is missing from the inputs"):
            builder.graph([x - y], [y])

    def test_an_input_that_is_not_needed_may_be_asked_for(self, builder):
        x, y = builder.placeholder(()), builder.placeholder(())
        assert run(builder.graph([x], [x, y]), np.array(1.0), np.array(2.0))[0] == 1

    def test_growing_on_does_not_change_a_graph(self, builder):
        x = builder.placeholder((), name="x")
        y = x * 2.0
        graph = builder.graph([y])
        before = str(graph)
        ops.exp(y)
        builder.placeholder(())
        assert str(graph) == before
        with pytest.raises(AttributeError):
            graph.outputs = ()

    def test_outputs_may_repeat_and_be_inputs(self, builder):
        x = builder.placeholder(())
        y = x + 1.0
        assert [v.item() for v in run(builder.graph([y, x, y]), np.array(1.0))] == [2, 1, 2]

    def test_nothing_at_all(self, builder):
        assert run(builder.graph([])) == ()

    def test_sources_have_their_kinds(self, builder):
        kinds = [
            value.node.operator
            for value in (builder.placeholder(()), builder.constant(1.0), builder.variable(1.0))
        ]
        assert kinds == [INPUT, CONSTANT, VARIABLE]


class TestScopes:
    def test_they_nest_and_end(self, builder):
        x = builder.placeholder(())
        with builder.scope("a"):
            y = x + 1.0
            with builder.scope("b"):
                z = y * 2.0
        assert [v.node.scope for v in (x, y, z, x + 1.0)] == ["", "a", "a/b", ""]

    def test_an_error_ends_them_too(self, builder):
        with pytest.raises(ShapeError), builder.scope("a"):
            builder.placeholder((2,)) + builder.placeholder((3,))
        assert builder.constant(1.0).node.scope == ""


class TestBelonging:
    def test_two_builders_do_not_mix(self, builder):
        x, y = builder.placeholder((), name="x"), GraphBuilder().placeholder((), name="y")
        for act in (
            lambda: x + y, lambda: builder.graph([y]), lambda: builder.graph([x], [x, y]),
            lambda: ops.where(x > 0.0, x, y),
        ):  # fmt: skip
            with pytest.raises(CaptureError, match=r"Value\(.*\) belongs to another graph"):
                act()

    def test_a_closed_builder_says_why(self, builder):
        x = builder.placeholder(())
        builder.close("the lesson is over")
        for act in (lambda: x + 1.0, lambda: builder.placeholder(()), lambda: builder.constant(1)):
            with pytest.raises(CaptureError, match="this graph is closed: the lesson is over"):
                act()

    def test_only_values_are_outputs(self, builder):
        with pytest.raises(CaptureError, match="expected a value of this graph, got float"):
            builder.graph([1.0])
        with pytest.raises(CaptureError, match="got Tensor"):
            builder.graph([Tensor(1.0)])

    def test_a_tensor_becomes_a_constant(self, builder):
        x, t = builder.placeholder((2,)), Tensor([1.0, 2.0])
        y = x * t
        assert y.node.inputs[1].node.operator is CONSTANT
        t.data[0] = 100
        assert run(builder.graph([y]), np.ones(2))[0].tolist() == [1, 2]


def test_params_of_lists_become_tuples(builder):
    x = builder.placeholder((2, 3))
    y = ops.transpose(ops.reshape(x, shape=[3, 2]), axes=[1, 0])
    assert y.node.params == {"axes": (1, 0)}
    hash(tuple(y.node.params.items()))


def test_a_failed_operator_leaves_no_node(builder):
    x = builder.placeholder((2,), name="x")
    with pytest.raises(ShapeError):
        x + builder.placeholder((3,), name="y")
    assert len(builder.graph([x]).nodes) == 1


def test_a_tensor_that_requires_grad_is_not_quietly_cut_from_it():
    builder, w = GraphBuilder(), Tensor([1.0], requires_grad=True)
    x = builder.placeholder((1,))
    with pytest.raises(CaptureError, match=r"requires grad[^\n]*\n.*builder.variable"):
        x * w
    assert (x * w.detach()).shape == (1,)
    assert (x * builder.variable(w)).shape == (1,)


class TestParts:
    def test_what_is_applied_meanwhile_stands_in_the_part(self, builder):
        x = builder.placeholder((), name="x")
        part = GraphBuilder(outer=builder)
        with builder.building(part), builder.scope("inside"):
            assert builder.innermost is part.innermost is part
            y = x * x
            assert y.node.scope == "inside"
        assert (part.root, builder.innermost) == (builder, builder)
        assert [around.node for around, _ in part.captured.values()] == [x.node]
        assert (x * x).builder is builder
        graph = part.graph([y], [part.inside(x)])
        assert run(graph, np.array(3.0)) == (9,)

    def test_a_part_knows_scopes_that_were_opened_in_it(self, builder):
        with builder.scope("outside"):
            part = GraphBuilder(outer=builder)
            with builder.building(part):
                y = part.placeholder(()) + 1.0
                with builder.scope("inside"):
                    z = y * 2.0
        assert (y.node.scope, z.node.scope) == ("", "inside")

    def test_keys_of_a_part_are_those_of_the_whole(self, builder):
        first = builder.key()
        part = GraphBuilder(outer=builder)
        with builder.building(part):
            second, third = part.key(), builder.key()
        places = [key.node.inputs[1].node.value.item() for key in (first, second, third)]
        assert places == [1, 2, 3]
        assert second.builder is third.builder is part

    def test_a_part_knows_no_order(self, builder):
        x = builder.placeholder(())
        part = GraphBuilder(outer=builder)
        for act in (builder, part):
            with (
                builder.building(part),
                pytest.raises(GraphError, match="no order but that of what reads what"),
                act.control_dependencies([x]),
            ):
                pass

    def test_names_may_be_reserved(self):
        builder = GraphBuilder(reserved=["N", "N3"])
        assert builder.placeholder((None, None)).shape == (Dim("N2"), Dim("N4"))


def test_a_size_is_told_before_it_is_needed(builder):
    x = builder.placeholder((4,), name="x")
    places = ops.nonzero(x)
    number = places.shape[0]
    ones = ops.broadcast_to(builder.constant(1.0), shape=(number,))
    graph = builder.graph([ones], [x])
    verify(graph)
    assert [n.operator.name for n in graph.operators] == ["nonzero", "sized", "broadcast_to"]
    assert run(graph, np.array([1.0, 0, 2, 3]))[0].tolist() == [1, 1, 1]
    again = builder.graph([ops.reshape(places, shape=(number,))]).operators
    assert [n.operator.name for n in again] == ["nonzero", "reshape"]
    with pytest.raises(DtypeError, match="the open size N is no number") as caught:
        places * number
    assert caught.value.attempt == "ops.measure(x, size=N), which the graph computes when it runs"


def test_a_size_that_is_told_outside_is_known_in_a_part(builder):
    x, p = builder.placeholder((4,), name="x"), builder.placeholder((), "bool")
    number = ops.nonzero(x).shape[0]
    y = cond(p, lambda: ops.broadcast_to(x.sum(), shape=(number,)), lambda: x)
    graph = builder.graph([y, *gradients(y, [x])], [x, p])
    verify(graph)
    found, slope = run(graph, np.array([1.0, 1.0, 1.0, 2.0]), np.array(True))
    assert (found.tolist(), slope.tolist()) == ([5, 5, 5, 5], [4, 4, 4, 4])
