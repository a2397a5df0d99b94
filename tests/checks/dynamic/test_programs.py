import numpy as np
import pytest
from hypothesis import given, settings

from cgkit import Tensor
from cgkit.checks.dynamic import programs

EAGER = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "subtract": lambda a, b: a - b,
    "negate": lambda a: -a,
}


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(programs.programs())
def test_right_gradients_are_those_of_the_library(case):
    """The library goes backward by itself, over a graph that it recorded."""
    values = {}
    for name in case.order[::-1]:
        kind, *operands = case.graph[name]
        if kind == "leaf":
            values[name] = Tensor(case.values[name], requires_grad=True)
        else:
            values[name] = EAGER[kind](*(values[one] for one in operands))
            values[name].retain_grad()
    values[case.output].backward(Tensor(case.seed))
    found = programs.right_backward(
        case.graph, case.values, case.order, case.seed, programs.RULES, programs.unbroadcast
    )
    assert set(found) == set(case.order)
    for name, gradient in found.items():
        np.testing.assert_array_equal(gradient, np.asarray(values[name].grad))


@pytest.mark.parametrize(
    ("whole", "shape"),
    [((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), ()), ((2, 3), (2, 3)), ((0, 3), (1, 3))],
)
def test_unbroadcast_is_what_stretching_is_seen_from_behind(whole, shape):
    """For all x and g: the sum of g * stretched(x) is the sum of unbroadcast(g) * x."""
    gradient, value = programs.fill(whole, 1), programs.fill(shape, 2)
    stretched = np.sum(gradient * np.broadcast_to(value, whole))
    assert np.sum(programs.unbroadcast(gradient, shape) * value) == stretched


def test_an_order_holds_what_is_needed_after_its_readers():
    graph = {
        "x": ("leaf",),
        "spare": ("negate", "x"),
        "z": ("add", "b", "x"),
        "b": ("add", "a", "a"),
        "a": ("negate", "x"),
    }
    assert programs.right_order(graph, "z") == ["z", "b", "a", "x"]
    assert programs.ancestors(graph, "b") == {"b", "a", "x"}


def test_fill_gives_whole_numbers_of_every_shape():
    for shape in [(), (0,), (2, 3)]:
        found = programs.fill(shape, 4)
        assert found.shape == shape
        assert found.dtype == np.float64
        assert not np.any(found % 1)
