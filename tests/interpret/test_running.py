"""The plainest executor: what it is given, what it binds, what it computes, where it fails."""

import gc
import weakref

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, GraphError, Operator, ShapeError, ops, run
from cgkit.interpret import Repeated, compute, ready
from cgkit.memory import liveness


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


class TestRepeated:
    def test_sizes_are_read_off_the_first_time(self, builder):
        x, y = builder.placeholder((None,)), builder.placeholder((None,))
        twice = Repeated(builder.graph([x + y], [x, y]))
        for _ in range(3):
            assert twice(np.ones(2), np.ones(2))[0].tolist() == [2, 2]
        with pytest.raises(ShapeError, match="taken as equal"):
            Repeated(builder.graph([x + y], [x, y]))(np.ones(2), np.ones(1))

    def test_what_is_told_is_told_anew_each_time(self, builder):
        x = builder.placeholder((4,))
        places = ops.nonzero(x)
        found = Repeated(builder.graph([ops.reshape(places, shape=(-1,))]))
        assert found(np.array([1.0, 0, 0, 1]))[0].tolist() == [0, 3]
        assert found(np.array([0, 1.0, 0, 0]))[0].tolist() == [1]

    def test_other_shapes_are_prepared_anew(self, builder):
        x, w = builder.placeholder((None,)), builder.constant(np.ones(3))
        y = ops.broadcast_to(x.sum(), shape=x.shape)
        found = Repeated(builder.graph([y, x + w]))
        assert [found(np.ones(3))[0].tolist() for _ in range(2)] == [[3, 3, 3]] * 2
        with pytest.raises(ShapeError, match="N = 2 and 3 were taken as equal"):
            found(np.ones(2))
        assert found(np.ones(3))[0].tolist() == [3, 3, 3]

    def test_several_results_and_inputs_that_are_outputs(self, builder):
        x = builder.placeholder((4,))
        a, b = ops.split(x, sections=2)
        found = Repeated(builder.graph([b, x, a, a + b]))
        for k in (1.0, 2.0):
            got = found(np.arange(4.0) * k)
            assert [v.tolist() for v in got] == [
                [2 * k, 3 * k], [0, k, 2 * k, 3 * k], [0, k], [2 * k, 4 * k]
            ]  # fmt: skip

    def test_an_error_says_which_node_was_run(self, builder):
        x = builder.placeholder((None,), name="x")
        found = Repeated(builder.graph([ops.max(x)]))
        with pytest.raises(ShapeError) as caught:
            found(np.ones(0))
        assert caught.value.__notes__[-1].startswith("  while running  max(x)")

    def test_what_is_kept_goes_with_its_graph(self, builder):
        graph = builder.graph([builder.placeholder(()) * 2.0])
        kept = weakref.ref(ready(graph))
        assert ready(graph)(np.array(2.0)) == (4,)
        assert ready(graph) is kept()
        del graph
        gc.collect()
        assert kept() is None


def test_what_no_later_node_reads_is_let_go():
    r"""What is there at each step is what the liveness of the graph says.

    x ─► a ─► b ─► c ─► d = c + a ─► output        a(400) b(400) c(8) d(400)
          └──────────────┘
    """
    builder = GraphBuilder()
    x = builder.placeholder((50,), name="x")
    a = -x
    graph = builder.graph([ops.exp(a).sum() + a])
    made, live = [], []

    def watch(node, results):
        if node in graph.operators:
            made.extend(map(weakref.ref, results))
            there = [array for ref in made if (array := ref()) is not None]
            live.append(sum(array.nbytes for array in there))

    run(graph, np.zeros(50), observe=watch)
    assert tuple(live) == liveness(graph).live == (400, 800, 808, 808)
    double = Repeated(graph)
    np.testing.assert_array_equal(double(np.zeros(50))[0], double(np.zeros(50))[0])
