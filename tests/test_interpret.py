"""The plainest executor: what it is given, what it binds, what it computes, where it fails."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit import DtypeError, GraphBuilder, GraphError, Operator, ShapeError, ops, run
from cgkit.interpret import bind, bind_params, check_binding, compute, settle
from cgkit.types import Dim, TensorType

N, M = Dim("N"), Dim("M")


@pytest.fixture
def builder():
    return GraphBuilder()


class TestGiven:
    def test_the_number_of_arrays(self, builder):
        x, y = builder.placeholder((), name="x"), builder.placeholder((), name="y")
        graph = builder.graph([x + y])
        for arrays in ((), (1.0,), (1.0, 2.0, 3.0)):
            with pytest.raises(GraphError, match=rf"takes 2 arrays \(x, y\), got {len(arrays)}"):
                run(graph, *arrays)

    def test_dtypes_are_not_guessed(self, builder):
        x = builder.placeholder((2,), "float32", name="x")
        with pytest.raises(DtypeError, match="the input x is float32, got float64") as caught:
            run(builder.graph([x]), np.ones(2))
        assert caught.value.attempt == "array.astype('float32')"

    def test_shapes_must_fit(self, builder):
        graph = builder.graph([builder.placeholder((2, None), name="x")])
        for shape in ((3, 1), (2,), (2, 1, 1)):
            with pytest.raises(ShapeError, match="expected shape") as caught:
                run(graph, np.ones(shape))
            assert caught.value.__notes__ == ["  at input  x"]

    def test_lists_and_numbers_may_stand_for_arrays(self, builder):
        x, y = builder.placeholder((2,)), builder.placeholder((), "int64")
        assert run(builder.graph([x * y], [x, y]), [1.0, 2.0], 3)[0].tolist() == [3, 6]

    def test_what_is_given_is_not_changed(self, builder):
        x = builder.placeholder((2,))
        array = np.ones(2)
        run(builder.graph([ops.exp(x) + x]), array)
        assert array.tolist() == [1, 1]


class TestRunning:
    def test_constants_and_variables_have_their_values(self, builder):
        w, c = builder.variable(np.array([1.0, 2.0])), builder.constant(3.0)
        assert run(builder.graph([w * c]))[0].tolist() == [3, 6]

    def test_only_what_outputs_need_is_computed(self, builder):
        calls = []
        noisy = Operator("noisy", lambda a: calls.append(1) or a + 1, lambda a: a)
        x = builder.placeholder(())
        y, _ = noisy(x), noisy(x)
        assert run(builder.graph([y, y]), 1.0) == (2.0, 2.0)
        assert calls == [1]

    def test_a_run_can_be_watched(self, builder):
        seen = []
        x = builder.placeholder((), name="x")
        graph = builder.graph([(x + 1.0).named("y")])
        run(graph, 1.0, observe=lambda node, values: seen.append((node.name, values[0].item())))
        assert ("y", 2) in seen
        assert seen[0] == ("x", 1)
        assert len(seen) == 3

    def test_results_are_arrays_always(self, builder):
        x = builder.placeholder((2,))
        for found in run(builder.graph([x.sum(), x[0], x]), np.ones(2)):
            assert type(found) is np.ndarray

    def test_an_error_says_which_node_was_run(self, builder):
        def fails(a):
            raise ZeroDivisionError("by hand")

        x = builder.placeholder((), name="x")
        graph = builder.graph([Operator("bad", fails, lambda a: a)(x).named("y")])
        with pytest.raises(ZeroDivisionError) as caught:
            run(graph, 1.0)
        assert caught.value.__notes__[0].startswith("  while running  y = bad(x)   line ")

    def test_a_cut_graph_takes_what_lies_in_between(self, builder):
        x = builder.placeholder((2,))
        y = ops.exp(x)
        cut = builder.graph([y * 2.0], [y, x])
        assert run(cut, np.ones(2), np.zeros(2))[0].tolist() == [2, 2]

    def test_a_source_without_a_value(self, builder):
        x = builder.placeholder((), name="x")
        with pytest.raises(GraphError, match="x was given no value"):
            compute(x.node, [], {})


class TestBinding:
    def test_symbols_are_read_off_in_whatever_order(self, builder):
        product = builder.placeholder((N * M,))
        both = builder.placeholder((N + M,))
        single = builder.placeholder((N,))
        graph = builder.graph([product.sum() + both.sum() + single.sum()])
        arrays = np.ones(6), np.ones(5), np.ones(2)
        assert bind(graph, arrays) == {"N": 2, "M": 3}
        assert run(graph, *arrays)[0] == 13

    def test_what_cannot_be_told_is_said(self, builder):
        graph = builder.graph([builder.placeholder((N * M,))])
        with pytest.raises(ShapeError, match=r"M\*N cannot be read off the inputs"):
            run(graph, np.ones(6))

    def test_two_values_for_one_symbol(self, builder):
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
    def test_sizes_that_were_taken_as_equal_are_compared(self, builder, make, arrays, said, where):
        x, y = builder.placeholder((N,), name="x"), builder.placeholder((M,), name="y")
        graph = builder.graph([make(x, y)], [x, y])
        with pytest.raises(ShapeError, match=said) as caught:
            run(graph, *(np.ones(n) for n in arrays))
        assert f"at node  {where}" in caught.value.with_place()

    @settings(max_examples=60)
    @given(st.integers(0, 5), st.integers(0, 5))
    def test_the_types_of_a_run_are_known_before_it(self, n, m):
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

    def test_params_are_bound_however_nested(self):
        params = {"shape": (N, (M, 2)), "axis": 1, "name": "x"}
        bound = bind_params(params, {"N": 3, "M": 4})
        assert bound == {"shape": (3, (4, 2)), "axis": 1, "name": "x"}

    def test_settling_puts_ints_in_place(self):
        known = TensorType((N.bind({"N": 3}), M, 2), "f4")
        assert settle(known) == TensorType((3, M, 2), "f4")

    def test_a_graph_of_known_sizes_binds_nothing(self, builder):
        assert bind(builder.graph([builder.placeholder((2,))]), [np.ones(2)]) == {}
