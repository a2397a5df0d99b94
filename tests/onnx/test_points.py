import numpy as np
import pytest

from cgkit import GraphBuilder, run
from cgkit.onnx.points import around, as_places, between, number_like, picked
from cgkit.onnx.step import Step
from cgkit.types import Dim


def test_between_keeps_places_that_exist():
    x = np.array([-np.inf, -1.0, 0.0, 1.5, 3.0, np.inf, np.nan])
    assert between(x, 0.0, 2.0).tolist() == [0, 0, 0, 1.5, 2, 2, 0]


@pytest.mark.parametrize(("mode", "many"), [("nearest", 1), ("linear", 2), ("cubic", 4)])
def test_taps_stand_around(mode, many):
    x = np.array([3.25, 4.0, 4.75])
    taps = around(x, mode, as_places)
    assert len(taps) == many
    assert sum(np.abs(tap.places - x).max() <= many / 2 for tap in taps) == many
    if many > 1:
        np.testing.assert_allclose(sum(tap.weights for tap in taps), 1)
        np.testing.assert_allclose(sum(tap.weights * tap.places for tap in taps), x, atol=0.2)


def test_halves_are_rounded_to_the_even_place():
    (tap,) = around(np.array([0.5, 1.5, 2.5]), "nearest", as_places)
    assert tap.places.tolist() == [0, 2, 2]


def test_points_are_mixed_of_their_corners():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, 4, 5))
    y, z = np.array([0.5, 2.0]), np.array([3.25, 1.0])
    found = picked(x, np.array([1, 0]), [around(at, "linear", as_places) for at in (y, z)])
    first = 0.5 * (0.75 * x[1, :, 0, 3] + 0.25 * x[1, :, 0, 4])
    first = first + 0.5 * (0.75 * x[1, :, 1, 3] + 0.25 * x[1, :, 1, 4])
    np.testing.assert_allclose(found, [first, x[0, :, 2, 1]])


def test_an_open_size_is_a_number_of_the_same_dtype():
    assert number_like(Step("n", "GridSample"), 4, np.float32(0)) == 4.0
    builder = GraphBuilder()
    like = builder.placeholder((Dim("N"),), "float32", name="x")
    number = number_like(Step("n", "GridSample", builder=builder), Dim("N") * 2, like)
    (found,) = run(builder.graph([number], [like]), np.zeros(3, "float32"))
    assert (found, found.dtype) == (6, np.float32)
