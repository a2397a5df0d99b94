import warnings

import numpy as np
import pytest

from cgkit.checks.dynamic import broadcasting
from cgkit.checks.dynamic.broadcasting import unbroadcast


@pytest.mark.parametrize("seed", [20, 5])
def test_right_answers_get_all_points(answers_02a, seed):
    assert unbroadcast(answers_02a.unbroadcast, seed=seed).points == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    "mistake", broadcasting.UNBROADCAST.mistakes, ids=lambda mistake: mistake.name
)
def test_mistakes_recognize_themselves(mistake, failure):
    failed = failure(unbroadcast, mistake.algorithm)
    assert failed.misconception == mistake.name


def lost_in_turn(gradient, shape):
    while np.ndim(gradient) > len(shape):
        gradient = gradient.sum(axis=0)
    for axis, size in enumerate(shape):
        gradient = gradient.sum(axis=axis) if size == 1 else gradient
    return gradient


def right_ends_first(gradient, shape):
    while np.ndim(gradient) > len(shape):
        gradient = gradient.sum(axis=-1)
    for axis, size in enumerate(shape):
        gradient = gradient.sum(axis=axis, keepdims=True) if size == 1 else gradient
    return gradient


def averaged(gradient, shape):
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while np.ndim(gradient) > len(shape):
            gradient = gradient.mean(axis=0)
        for axis, size in enumerate(shape):
            gradient = gradient.mean(axis=axis, keepdims=True) if size == 1 else gradient
    return gradient


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (lost_in_turn, "axes of size 1 vanish"),
        (right_ends_first, "missing axes taken from the right"),
        (averaged, "the mean instead of the sum"),
    ],
)
def test_mistakes_written_as_loops_are_recognized(wrong, name, failure):
    assert failure(unbroadcast, wrong).misconception == name


def test_the_stretched_axes_are_marked(failure):
    drawing = failure(unbroadcast, lambda gradient, shape: np.zeros(shape)).drawing
    assert "gradient" in drawing
    assert broadcasting._drawing(np.ones((4, 2, 3)), (1, 3)).splitlines() == [
        "gradient   4   2   3",
        "value          1   3",
        "           ▲   ▲   stretched",
    ]


def test_all_kinds_of_shapes_are_among_the_cases(answers_02a):
    seen = set()

    def look(gradient, shape):
        seen.add((gradient.shape, shape))
        return answers_02a.unbroadcast(gradient, shape)

    unbroadcast(look)
    assert any(whole == shape and len(shape) > 1 for whole, shape in seen)
    assert any(len(whole) - len(shape) > 1 for whole, shape in seen)
    assert any(0 in whole and 0 not in shape and shape for whole, shape in seen)
    assert any(whole == () for whole, _ in seen)
    assert any(1 in shape and len(whole) > len(shape) for whole, shape in seen)


def test_the_gradient_stays_as_it_is(failure, answers_02a):
    def writes(gradient, shape):
        right = np.array(answers_02a.unbroadcast(gradient, shape))
        gradient *= 0
        return right

    assert failure(unbroadcast, writes).stage == "invariants"
