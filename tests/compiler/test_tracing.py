"""One call as a graph: inputs once, open sizes shared, results as they are."""

import inspect

import numpy as np
import pytest

from cgkit import Tensor, verify
from cgkit.compiler.facts import call_of
from cgkit.compiler.tracing import Given, Output, trace_call
from cgkit.errors import CaptureError


def traced(fn, opened=(), **arguments):
    return trace_call(
        fn, inspect.signature(fn), call_of(arguments), lambda place, axis: (place, axis) in opened
    )


def test_results_are_told_apart():
    w = Tensor([1.0, 2.0])
    found = traced(lambda x, k: {"y": [x * k, x], "w": w, "k": k}, x=Tensor([3.0, 4.0]), k=2)
    verify(found.graph)
    assert found.results == (Output(0), Given(0), Given(1), 2)
    assert found.captured == (w,)
    assert found.leaves == (0,)


def test_a_tensor_given_twice_is_one_input():
    x = Tensor([1.0])
    assert len(traced(lambda a, b: a + b, a=x, b=x).graph.inputs) == 1
    assert len(traced(lambda a, b: a + b, a=x, b=Tensor([1.0])).graph.inputs) == 2


def test_equal_open_sizes_have_one_name():
    x, y = Tensor(np.ones((4, 2))), Tensor(np.ones((4, 3)))
    found = traced(lambda x, y: x.sum() + y.sum(), [("x", 0), ("y", 0), ("y", 1)], x=x, y=y)
    assert [str(e.type) for e in found.graph.inputs] == ["float64[N, 2]", "float64[N, N2]"]
    assert found.sizes == {"N": ((0, 0), (1, 0)), "N2": ((1, 1),)}


def test_zero_and_one_are_never_open():
    x = Tensor(np.ones((1, 0, 5)))
    found = traced(lambda x: x * 1.0, [("x", 0), ("x", 1), ("x", 2)], x=x)
    assert str(found.graph.inputs[0].type) == "float64[1, 0, N]"


def test_questions_about_sizes_are_kept():
    found = traced(lambda x: x * (2.0 if x.shape[0] > 3 else 1.0), [("x", 0)], x=Tensor([1.0] * 5))
    assert [str(look) for look in found.looks] == ["N > 3"]
    assert found.graph.nodes[1].value == 2


def test_sizes_that_became_params_are_plain():
    found = traced(lambda x: x.reshape(x.shape[0], 1), [("x", 0)], x=Tensor([1.0] * 5))
    assert type(found.graph.operators[0].params["shape"][0]).__name__ == "Dim"


def test_what_is_computed_from_captured_tensors_alone_is_refused():
    w = Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(CaptureError, match="made by mul, was computed apart"):
        traced(lambda x: x * (w * 2.0), x=Tensor([1.0, 2.0]))


def test_a_value_must_not_be_kept():
    kept = []
    traced(lambda x: kept.append(x) or x * 1.0, x=Tensor([1.0]))
    with pytest.raises(CaptureError, match="its trace has ended"):
        kept[0] + 1.0
