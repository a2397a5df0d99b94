import numpy as np
import pytest

from cgkit import GraphBuilder, run
from cgkit.errors import OnnxError
from cgkit.onnx.resampling import Axis, Filter, Tap, mix, origins, taps
from cgkit.onnx.step import Step
from cgkit.types import Dim

STEP = Step("n", "Resize", opset=19)


def how(mode="linear", *, rounding="floor", a=-0.75, exclude=False, antialias=False):
    return Filter(mode, rounding, a, exclude, antialias)


def test_places_come_from_where_the_words_say():
    axis = Axis(4, 6, None)
    y = np.arange(6)
    for word, expected in (
        ("half_pixel", (y + 0.5) / 1.5 - 0.5),
        ("pytorch_half_pixel", (y + 0.5) / 1.5 - 0.5),
        ("half_pixel_symmetric", (y + 0.5) / 1.5 - 0.5),
        ("asymmetric", y / 1.5),
        ("tf_half_pixel_for_nn", (y + 0.5) / 1.5),
        ("align_corners", y * 3 / 5),
    ):
        x, outside = origins(STEP, axis, word)
        assert outside is None
        np.testing.assert_allclose(x, expected)


def test_a_scale_that_rounds_shifts_only_where_it_is_symmetric():
    axis = Axis(5, 3, 0.7)  # 3.5, rounded down
    x, _ = origins(STEP, axis, "half_pixel_symmetric")
    np.testing.assert_allclose(x, 2.5 * (1 - 3 / 3.5) + (np.arange(3) + 0.5) / 0.7 - 0.5)
    assert x[0] - 0 == pytest.approx(4 - x[-1])
    x, _ = origins(STEP, axis, "align_corners")
    np.testing.assert_allclose(x, np.arange(3) * 4 / 2.5)


def test_one_place_stands_for_the_beginning_or_the_middle():
    for word, expected in (
        ("align_corners", 0), ("pytorch_half_pixel", 0), ("half_pixel", 1.5),
    ):  # fmt: skip
        assert origins(STEP, Axis(4, 1, None), word)[0].tolist() == [expected]
    axis = Axis(5, 1, None, 0.25, 0.75)
    x, outside = origins(STEP, axis, "tf_crop_and_resize")
    assert (x.tolist(), outside.tolist()) == ([2], [False])


def test_a_crop_may_lie_beyond_the_axis():
    x, outside = origins(STEP, Axis(5, 3, None, 0.5, 1.5), "tf_crop_and_resize")
    assert x.tolist() == [2, 4, 6]
    assert outside.tolist() == [False, False, True]


def test_exact_places_stay_exact():
    for old, new in ((10, 6), (3, 7), (49, 7), (9, 3)):
        x, _ = origins(STEP, Axis(old, new, None), "asymmetric")
        exact = np.arange(new) * old % new == 0
        np.testing.assert_array_equal(x[exact], np.arange(new)[exact] * old // new)


def test_nearest_goes_where_it_is_told():
    x = np.array([-0.5, 0.4, 0.5, 0.6, 1.5, 3.2])
    for rounding, expected in (
        ("round_prefer_floor", [0, 0, 0, 1, 1, 3]),
        ("round_prefer_ceil", [0, 0, 1, 1, 2, 3]),
        ("floor", [0, 0, 0, 0, 1, 3]),
        ("ceil", [0, 1, 1, 1, 2, 3]),
    ):
        (tap,) = taps(STEP, Axis(4, 6, None), x, how("nearest", rounding=rounding))
        assert tap.places.tolist() == expected
        assert tap.weights is None


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("antialias", [False, True])
def test_weights_sum_to_one(mode, antialias):
    axis = Axis(9, 4, None)
    x, _ = origins(STEP, axis, "half_pixel")
    for exclude in (False, True):
        found = taps(STEP, axis, x, how(mode, exclude=exclude, antialias=antialias))
        np.testing.assert_allclose(sum(tap.weights for tap in found), 1)


def test_a_straight_line_stays_one():
    line = np.arange(8.0) * 3 + 1
    axis = Axis(8, 13, None)
    x, _ = origins(STEP, axis, "align_corners")
    for mode in ("linear", "cubic"):
        y = mix(line, taps(STEP, axis, x, how(mode, a=-0.5)), 0)
        inside = (x >= 1) & (x <= 6)
        np.testing.assert_allclose(y[inside], x[inside] * 3 + 1)


def test_many_taps_are_mixed_as_few_are():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 7, 3))
    found = [Tap(rng.integers(0, 7, 4), rng.normal(size=4)) for _ in range(6)]
    expected = sum(mix(x, [tap], 1) for tap in found)
    np.testing.assert_allclose(mix(x, found, 1), expected)


def test_an_open_axis_is_worked_out_when_it_runs():
    builder = GraphBuilder()
    step = Step("n", "Resize", opset=19, builder=builder)
    n = Dim("N")
    x = builder.placeholder((n,), "float64", name="x")
    for word in ("half_pixel", "align_corners", "asymmetric"):
        for mode in ("nearest", "linear", "cubic"):
            for axis in (Axis(n, n * 2, 2.0), Axis(n, 5, None), Axis(n, Dim("M"), None)):
                places, _ = origins(step, axis, word)
                y = mix(x, taps(step, axis, places, how(mode)), 0)
                m = builder.placeholder((Dim("M"),), "float64", name="m")
                graph = builder.graph([y], [x, m])
                (found,) = run(graph, np.arange(4.0) ** 2, np.zeros(7))
                new = {"N": 8, "M": 7}.get(str(axis.new).removeprefix("2*"), 5)
                known = Axis(4, new, axis.scale)
                places, _ = origins(STEP, known, word)
                expected = mix(np.arange(4.0) ** 2, taps(STEP, known, places, how(mode)), 0)
                np.testing.assert_allclose(found, expected)


def test_what_onnx_does_not_have_is_refused():
    axis, x = Axis(4, 6, None), np.zeros(6)
    with pytest.raises(OnnxError, match="no coordinate_transformation_mode 'middle'"):
        origins(STEP, axis, "middle")
    with pytest.raises(OnnxError, match="no mode 'area'"):
        taps(STEP, axis, x, how("area"))
    with pytest.raises(OnnxError, match="no nearest_mode 'up'"):
        taps(STEP, axis, x, how("nearest", rounding="up"))
    with pytest.raises(OnnxError, match="antialias needs known sizes"):
        taps(STEP, Axis(Dim("N"), 3, None), x, how(antialias=True))
