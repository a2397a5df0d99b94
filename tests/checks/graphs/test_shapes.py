"""The checks' own shape rules against NumPy, and each known mistake against its check."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit.checks.graphs import shapes
from cgkit.checks.judge import Raises

SHAPES = st.lists(st.integers(0, 3), max_size=4).map(tuple)
CHECKS = {task.name: (getattr(shapes, task.name), task) for task in shapes.TASKS}


def numpy_says(function):
    try:
        return function().shape
    except ValueError:
        return ValueError


def ours(result):
    return result.kind if isinstance(result, Raises) else result


@settings(max_examples=300)
@given(SHAPES, SHAPES)
def test_broadcast(a, b):
    right = numpy_says(lambda: np.zeros(a) + np.zeros(b))
    assert ours(shapes.right_broadcast(a, b)) == right


@settings(max_examples=300)
@given(SHAPES.filter(lambda s: len(s) > 1), SHAPES.filter(lambda s: len(s) > 1))
def test_matmul(a, b):
    right = numpy_says(lambda: np.zeros(a) @ np.zeros(b))
    assert ours(shapes.right_matmul(a, b)) == right


@settings(max_examples=200)
@given(SHAPES, st.data(), st.booleans())
def test_reduce(shape, data, keepdims):
    axis = None
    if shape:
        place = st.integers(-len(shape), len(shape) - 1)
        several = st.lists(place, unique_by=lambda at: at % len(shape)).map(tuple)
        axis = data.draw(st.one_of(st.none(), place, several))
    right = np.zeros(shape).sum(axis=axis, keepdims=keepdims).shape
    assert shapes.right_reduce(shape, axis, keepdims) == right


@settings(max_examples=300)
@given(SHAPES, st.lists(st.integers(-1, 6), max_size=3).map(tuple))
def test_reshape(shape, new):
    assert ours(shapes.right_reshape(shape, new)) == numpy_says(
        lambda: np.zeros(shape).reshape(new)
    )


@pytest.mark.parametrize(
    ("name", "mistake"),
    [(name, mistake) for name, (_, task) in CHECKS.items() for mistake in task.mistakes],
    ids=lambda value: getattr(value, "name", value),
)
def test_mistakes_recognize_themselves(name, mistake, failure):
    failed = failure(CHECKS[name][0], mistake.algorithm)
    assert failed.misconception == mistake.name
    assert failed.why == mistake.why


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("broadcast_shape", np.broadcast_shapes),
        ("matmul_shape", lambda a, b: np.matmul(np.empty(a), np.empty(b)).shape),
        ("reduce_shape", lambda s, a, k: np.empty(s).sum(axis=a, keepdims=k).shape),
        ("reshape_shape", lambda s, n: np.empty(s).reshape(n).shape),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_asking_numpy_is_no_answer(name, answer, failure):
    failed = failure(CHECKS[name][0], answer)
    assert failed.why.startswith("No array is that large")
    assert failed.misconception == ""


def test_a_list_is_no_shape(answers, failure):
    failed = failure(shapes.broadcast_shape, lambda a, b: list(answers.broadcast_shape(a, b)))
    assert failed.stage == "type"


def test_numpy_integers_are_fine(answers):
    def with_numpy(shape, axis, keepdims):
        return tuple(np.array(answers.reduce_shape(shape, axis, keepdims), dtype=object).tolist())

    assert shapes.reduce_shape(with_numpy).points == 5
