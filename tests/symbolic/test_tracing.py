"""Tracing: one run of a function without numbers gives its graph, and no more than that."""

import numpy as np
import pytest

from cgkit import Tensor, ops, run, trace, verify
from cgkit.errors import CaptureError
from cgkit.tree import unflatten
from cgkit.types import Dim, TensorType

VECTOR = TensorType((3,), "float64")


def test_a_traced_function_computes_the_same():
    def program(x, w):
        return ops.tanh(x @ w).sum(axis=0) * 2.0

    x, w = np.linspace(0, 1, 6).reshape(2, 3), np.linspace(-1, 1, 12).reshape(3, 4)
    traced = trace(program, x, w)
    verify(traced.graph)
    np.testing.assert_array_equal(run(traced.graph, x, w)[0], program(Tensor(x), Tensor(w)).data)


def test_arguments_are_named_by_the_function():
    traced = trace(lambda left, right: left + right, VECTOR, VECTOR)
    assert [edge.node.name for edge in traced.graph.inputs] == ["left", "right"]


def test_results_keep_their_nesting():
    traced = trace(lambda x: {"a": x + 1.0, "b": [x, (x * 2.0,)]}, VECTOR)
    values = run(traced.graph, np.ones(3))
    nested = unflatten(traced.structure, values)
    np.testing.assert_array_equal(nested["b"][1][0], [2, 2, 2])


def test_tensors_used_from_outside_become_inputs_once_each():
    w, c = Tensor([1.0, 2.0, 3.0]), Tensor(5.0)
    traced = trace(lambda x: w * x + x * c + w, VECTOR)
    assert [id(tensor) for tensor in traced.captured] == [id(w), id(c)]
    found = run(traced.graph, np.ones(3), w.data, c.data)
    np.testing.assert_array_equal(found[0], [7, 9, 11])


def test_python_runs_while_tracing_and_leaves_no_mark():
    said = []

    def program(x):
        said.append("here")
        for _ in range(3):
            x = x + 1.0
        return x

    traced = trace(program, VECTOR)
    run(traced.graph, np.zeros(3))
    run(traced.graph, np.zeros(3))
    assert said == ["here"]
    assert len(traced.graph.operators) == 3


def test_an_if_on_a_value_is_refused():
    with pytest.raises(CaptureError, match="Python `if`"):
        trace(lambda x: x if x.sum() > 0 else -x, VECTOR)


def test_a_value_kept_beyond_its_trace_says_so():
    kept = []
    trace(lambda x: kept.append(x) or x, VECTOR)
    with pytest.raises(CaptureError, match="trace has ended"):
        kept[0] + 1.0
    with pytest.raises(CaptureError, match="another graph"):
        trace(lambda x: x + kept[0], VECTOR)


@pytest.mark.parametrize("odd", ["words", None, object()])
def test_a_result_that_is_no_tensor_is_refused(odd):
    with pytest.raises(CaptureError, match=type(odd).__name__):
        trace(lambda x: (x, odd), VECTOR)


def test_plain_numbers_and_untouched_tensors_may_be_results():
    t = Tensor([1.0])
    traced = trace(lambda x: (x, 2.0, t), VECTOR)
    values = run(traced.graph, np.zeros(3), t.data)
    assert values[1] == 2
    assert values[2] == [1]


def test_open_sizes_stay_open():
    traced = trace(lambda x: x.mean(axis=0), TensorType((Dim("N"), 2), "float64"))
    for rows in (1, 5):
        assert run(traced.graph, np.ones((rows, 2)))[0].shape == (2,)


def test_a_function_without_a_signature_is_traced_all_the_same():
    traced = trace(ops.ALL["exp"], VECTOR)
    np.testing.assert_allclose(run(traced.graph, np.zeros(3))[0], [1, 1, 1])
