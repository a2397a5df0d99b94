"""A traced function becomes a graph; Python runs while tracing and leaves no mark."""

import numpy as np
import pytest

from cgkit import Tensor, TensorType, gradients, ops, run, trace, tree, verify
from cgkit.errors import CaptureError, GraphError, ShapeError

VECTOR = TensorType((3,), "float64")


def test_arguments_have_their_own_names():
    traced = trace(lambda image, weight: image * weight, VECTOR, VECTOR)
    assert str(traced.graph).startswith("graph(image: float64[3], weight: float64[3])")


def test_a_function_of_many_arguments():
    traced = trace(lambda *xs: sum(xs, 0.0), VECTOR, VECTOR, VECTOR)
    assert run(traced.graph, *[np.ones(3)] * 3)[0].tolist() == [3, 3, 3]


@pytest.mark.parametrize("given", [VECTOR, np.ones(3), Tensor([1.0, 1.0, 1.0]), [1.0, 1.0, 1.0]])
def test_arguments_may_be_types_or_examples(given):
    traced = trace(lambda x: x * 2.0, given)
    assert traced.graph.inputs[0].type == VECTOR


def test_open_sizes_in_a_type():
    traced = trace(lambda x: x.sum(axis=0), TensorType((None, 3), "float32"))
    assert run(traced.graph, np.ones((5, 3), "f4"))[0].tolist() == [5, 5, 5]


def test_results_keep_their_nesting():
    traced = trace(lambda x: {"y": x + 1.0, "more": [x, (2.0, x * x)]}, VECTOR)
    results = tree.unflatten(traced.structure, run(traced.graph, np.ones(3)))
    assert results["more"][1][0] == 2
    assert results["y"].tolist() == [2, 2, 2]


def test_loops_are_unrolled_and_branches_chosen():
    def f(x, deep=3):
        for i in range(deep):
            x = x * float(i) if i % 2 else x + 1.0
        return x

    names = [node.operator.name for node in trace(f, VECTOR).graph.operators]
    assert names == ["add", "mul", "add"]


def test_side_effects_run_once_while_tracing():
    seen = []
    traced = trace(lambda x: seen.append(1) or x, VECTOR)
    run(traced.graph, np.ones(3))
    run(traced.graph, np.ones(3))
    assert seen == [1]


class TestCaptured:
    def test_tensors_become_further_inputs(self):
        w, b = Tensor([1.0, 2.0, 3.0], requires_grad=True), Tensor(1.0)
        traced = trace(lambda x: x * w + b + w, VECTOR)
        assert [t is c for t, c in zip(traced.captured, (w, b), strict=True)] == [True, True]
        assert len(traced.graph.inputs) == 3
        found = run(traced.graph, np.ones(3), *(t.data for t in traced.captured))
        np.testing.assert_array_equal(found[0], np.ones(3) * w.data + 1 + w.data)

    def test_their_numbers_are_read_when_it_runs(self):
        w = Tensor([1.0, 2.0, 3.0])
        traced = trace(lambda x: x * w, VECTOR)
        w.mul_(10.0)
        found = run(traced.graph, np.ones(3), *(t.data for t in traced.captured))
        assert found[0].tolist() == [10, 20, 30]

    def test_one_that_is_only_returned(self):
        w = Tensor([1.0])
        traced = trace(lambda x: (x, w, w), VECTOR)
        assert len(traced.captured) == 1
        assert run(traced.graph, np.ones(3), w.data)[1].tolist() == [1]

    def test_work_among_tensors_stays_eager(self):
        w = Tensor([1.0, 2.0, 3.0])
        traced = trace(lambda x: x * (w * 2.0), VECTOR)
        assert [node.operator.name for node in traced.graph.operators] == ["mul"]
        assert traced.captured[0].data.tolist() == [2, 4, 6]


class TestLeaks:
    def test_a_value_kept_beyond_its_trace_says_so(self):
        kept = []
        trace(lambda x: kept.append(x * 2.0) or x, VECTOR)
        for act in (
            lambda: kept[0] + 1.0, lambda: ops.exp(kept[0]), lambda: kept[0].sum(),
            lambda: gradients(kept[0].builder and kept[0], [kept[0]]) and kept[0] * 1.0,
        ):  # fmt: skip
            with pytest.raises(CaptureError, match="its trace has ended"):
                act()

    def test_nor_can_it_enter_another(self):
        kept = []
        trace(lambda x: kept.append(x) or x, VECTOR)
        with pytest.raises(CaptureError) as caught:
            trace(lambda x: x + kept[0], VECTOR)
        assert "belongs to another graph" in str(caught.value)
        assert "its trace has ended" in str(caught.value)

    def test_a_trace_inside_a_trace_keeps_apart(self):
        def outer(x):
            inner = trace(lambda y: y * 2.0, VECTOR)
            assert len(inner.graph.operators) == 1
            return x + 1.0

        assert len(trace(outer, VECTOR).graph.operators) == 1
        with pytest.raises(CaptureError, match="belongs to another graph"):
            trace(lambda x: trace(lambda y: y * x, VECTOR) and x, VECTOR)

    def test_an_error_in_the_function_is_the_users_own(self):
        with pytest.raises(ZeroDivisionError):
            trace(lambda x: 1 / 0, VECTOR)


@pytest.mark.parametrize("result", ["a", object(), print, 1j])
def test_what_is_no_tensor_is_refused(result):
    with pytest.raises((CaptureError, TypeError), match="a traced function gives tensors"):
        trace(lambda x: result, VECTOR)


@pytest.mark.parametrize("result", [None, 2.0, np.ones(2), True])
def test_plain_results(result):
    if result is None:
        with pytest.raises(CaptureError, match="not NoneType"):
            trace(lambda x: result, VECTOR)
        return
    (found,) = run(trace(lambda x: result, VECTOR).graph, np.ones(3))
    np.testing.assert_array_equal(found, result)


def test_an_unused_argument_is_still_an_input():
    traced = trace(lambda x, y: y * 2.0, VECTOR, VECTOR)
    assert len(traced.graph.inputs) == 2
    verify(traced.graph)
    with pytest.raises(GraphError, match=r"takes 2 arrays \(x, y\), got 1"):
        run(traced.graph, np.ones(3))


def test_a_write_inside_a_trace_is_refused():
    w = Tensor([1.0, 1.0, 1.0])
    with pytest.raises(CaptureError, match="no numbers yet"):
        trace(lambda x: w.add_(x), VECTOR)


def test_shapes_are_checked_while_tracing():
    with pytest.raises(ShapeError, match="cannot broadcast"):
        trace(lambda x: x + np.ones(2), VECTOR)


def test_arguments_that_are_written_to_are_further_outputs():
    def fn(x, y):
        x.add_(y)
        return x * 2.0

    traced = trace(fn, TensorType((2,), "float64"), TensorType((2,), "float64"))
    assert traced.written == (0,)
    found = run(traced.graph, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert [y.tolist() for y in found] == [[8, 12], [4, 6]]
