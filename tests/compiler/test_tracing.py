"""One call as a graph: inputs once, open sizes shared, results as they are."""

import inspect

import numpy as np
import pytest

from cgkit import Tensor, run, verify
from cgkit.compiler.facts import call_of
from cgkit.compiler.tracing import Fixed, Given, Output, Written, trace_call
from cgkit.errors import CaptureError


def traced(fn, opened=(), lent=(), **arguments):
    return trace_call(
        fn, inspect.signature(fn), call_of(arguments),
        lambda place, axis: (place, axis) in opened, lent,
    )  # fmt: skip


def test_results_are_told_apart():
    w = Tensor([1.0, 2.0])
    found = traced(lambda x, k: {"y": [x * k, x], "w": w, "k": k}, x=Tensor([3.0, 4.0]), k=2)
    verify(found.graph)
    assert found.results[:2] == (Output(0), Given(0))
    assert isinstance(found.results[2], Fixed)  # nobody would find w again
    assert found.results[3] == 2
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


def test_what_is_computed_of_tensors_that_are_not_found_again_is_refused():
    w = Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(CaptureError, match="made by mul, was computed of"):
        traced(lambda x: x * (w * 2.0), x=Tensor([1.0, 2.0]))


def test_what_is_computed_of_lent_tensors_becomes_nodes():
    w = Tensor([1.0, 2.0], requires_grad=True)
    found = traced(lambda x: x * (w * 2.0), lent=[w], x=Tensor([1.0, 2.0]))
    assert found.captured == (0,)
    assert len(found.graph.operators) == 2


def test_what_is_written_to_is_a_further_output():
    def fn(x, y):
        x.add_(y)
        y[0] = 5.0
        return x * y

    found = traced(fn, x=Tensor([1.0, 2.0]), y=Tensor([3.0, 4.0]))
    assert found.written == (Written(0, 1, True), Written(1, 2, True))
    product, x, y = run(found.graph, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert (product.tolist(), x.tolist(), y.tolist()) == ([20, 24], [4, 6], [5, 4])


def test_a_value_must_not_be_kept():
    kept = []
    traced(lambda x: kept.append(x) or x * 1.0, x=Tensor([1.0]))
    with pytest.raises(CaptureError, match="its trace has ended"):
        kept[0] + 1.0


def test_one_value_given_twice_is_one_result():
    found = traced(lambda x: [(y := x * 2.0), y, x], x=Tensor([3.0]))
    assert found.results == (Output(0), Output(0), Given(0))
    assert len(found.graph.outputs) == 1


def test_a_tensor_that_is_found_and_only_given_back():
    w = Tensor([1.0])
    found = traced(lambda x: (x * 2.0, w), lent=[w], x=Tensor([3.0]))
    assert (found.results, found.captured) == ((Output(0), Given(1)), (0,))


@pytest.mark.parametrize(
    "change",
    [
        lambda xs: xs["a"].append(1), lambda xs: xs.update(b=xs["a"][0]), lambda xs: xs.pop("a"),
        lambda xs: xs["a"].__setitem__(0, xs["a"][0] * 2.0), lambda xs: xs["a"].reverse(),
    ],
)  # fmt: skip
def test_lists_and_dicts_that_are_changed(change):
    with pytest.raises(CaptureError, match="changes what the dict xs holds"):
        traced(lambda x, xs: change(xs) or x, x=Tensor([1.0]), xs={"a": [Tensor([3.0]), 2]})
