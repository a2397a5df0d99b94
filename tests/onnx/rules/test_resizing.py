import itertools

import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx import evaluate, load

IMAGE = {0: {0: "N", 2: "H", 3: "W"}}
WORDS = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")
SCALES = np.array([1, 1, 0.6, 1.7], "float32")
CROP = {"coordinate_transformation_mode": "tf_crop_and_resize"}
SIZES = np.array([2, 1, 4, 7])


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_scales_and_sizes(agree, normal, word, mode):
    x, none = normal(2, 1, 5, 6), np.zeros(0, "float32")
    how = {"mode": mode, "coordinate_transformation_mode": word, "atol": 1e-5}
    for opset in (11, 13, 18, 19):
        if word != "half_pixel_symmetric" or opset == 19:
            agree("Resize", x, none, SCALES, opset=opset, known=(1, 2), opened={0: {0: "N"}}, **how)
    agree("Resize", x, none, none, SIZES, opset=11, known=(1, 2, 3), **how)
    agree("Resize", x, None, None, SIZES, opset=13, known=(3,), **how)


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_nearest(agree, normal, rounding):
    x = normal(1, 1, 6, 4)
    for word, sizes in itertools.product(WORDS, ([1, 1, 3, 6], [1, 1, 9, 8])):
        agree("Resize", x, None, None, np.array(sizes), opset=19, known=(3,), nearest_mode=rounding,
              coordinate_transformation_mode=word)  # fmt: skip


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("exclude", [0, 1])
@pytest.mark.parametrize("antialias", [0, 1])
def test_filters(agree, normal, mode, exclude, antialias):
    x = normal(1, 2, 9, 8)
    for sizes in ([1, 2, 3, 5], [1, 2, 4, 13]):
        agree(
            "Resize", x, None, None, np.array(sizes), opset=19, known=(3,), mode=mode,
            exclude_outside=exclude, antialias=antialias, cubic_coeff_a=-0.5,
        )  # fmt: skip


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_crops(agree, normal, mode):
    x, sizes = normal(1, 1, 6, 5), np.array([1, 1, 4, 3])
    for roi in ([0, 0, 0.25, 0.5, 1, 1, 0.75, 1.0], [0, 0, -0.5, 0.3, 1, 1, 0.5, 1.5]):
        given = np.array(roi, "float32")
        how = {"mode": mode, "coordinate_transformation_mode": "tf_crop_and_resize"}
        agree("Resize", x, given, None, sizes, opset=13, known=(1, 3), extrapolation_value=9.0,
              **how)  # fmt: skip
        agree("Resize", x, given.reshape(2, 4)[:, 2:].ravel(), None, sizes[2:], opset=18,
              known=(1, 3), axes=[2, 3], extrapolation_value=-1.0, **how)  # fmt: skip


@pytest.mark.parametrize("axes", [[2, 3], [3, 2], [-1, -2], [3]])
@pytest.mark.parametrize("policy", ["stretch", "not_larger", "not_smaller"])
def test_axes_and_ratios(agree, normal, axes, policy):
    x, sizes = normal(1, 2, 4, 6), np.array([7, 8])[: len(axes)]
    new = {axis % 4: size for axis, size in zip(axes, sizes.tolist(), strict=True)}
    ratio = {"not_larger": min, "not_smaller": max}.get(policy)
    if ratio is not None:
        scale = ratio(size / x.shape[axis] for axis, size in new.items())
        new = {axis: int(scale * x.shape[axis] + 0.5) for axis in new}
        scales = dict.fromkeys(new, scale)
    else:
        scales = {axis: size / x.shape[axis] for axis, size in new.items()}
    expected = x
    for axis, size in new.items():
        places = (np.arange(size) + 0.5) / scales[axis] - 0.5
        at = np.clip(np.ceil(places - 0.5), 0, x.shape[axis] - 1).astype(int)
        expected = np.take(expected, at, axis)
    agree("Resize", x, None, None, sizes, opset=18, known=(3,), axes=axes, expected=[expected],
          keep_aspect_ratio_policy=policy)  # fmt: skip


def test_whole_numbers_are_rounded_and_stop_at_their_largest(agree):
    rng = np.random.default_rng(3)
    for dtype in ("uint8", "int8", "int32"):
        x = rng.choice([0, 120, 127], size=(1, 1, 5, 5)).astype(dtype)
        for mode in ("nearest", "linear", "cubic"):
            agree("Resize", x, None, SCALES, opset=13, known=(2,), mode=mode)
    half = rng.normal(size=(1, 1, 5, 5)).astype("float16")
    agree("Resize", half, None, SCALES, opset=13, known=(2,), mode="cubic", rtol=2e-3, atol=2e-3)
    truths = rng.random((1, 1, 5, 5)) < 0.5
    expected = truths[:, :, [1, 3]][:, :, :, np.arange(10) // 2]
    agree("Resize", truths, None, np.array([1, 1, 0.4, 2], "float32"), opset=13, known=(2,),
          expected=[expected])  # fmt: skip


@pytest.mark.parametrize("word", ["half_pixel", "align_corners", "asymmetric"])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_open_images(agree, normal, word, mode):
    x, scales = normal(2, 1, 3, 4), np.array([1, 1, 3, 2], "float32")
    how = {"mode": mode, "coordinate_transformation_mode": word, "opset": 13, "opened": IMAGE}
    agree("Resize", x, None, scales, known=(2,), **how)
    agree("Resize", x, None, None, np.array([2, 1, 5, 7]), known=(3,), **how)
    scales = np.array([1, 1, 0.75, 1.5], "float32")
    agree("Resize", normal(1, 1, 5, 3), None, scales, known=(2,), **how)


def test_no_images_and_no_elements(agree, normal):
    scales = np.array([1, 1, 2, 2], "float32")
    x = normal(0, 2, 3, 3)
    agree("Resize", x, None, scales, opset=13, known=(2,), mode="linear",
          expected=[np.zeros((0, 2, 6, 6), "float32")])  # fmt: skip
    x = normal(1, 1, 3, 3)
    agree("Resize", x, None, None, np.array([1, 1, 0, 6]), opset=13, known=(3,), mode="cubic",
          expected=[np.zeros((1, 1, 0, 6), "float32")])  # fmt: skip


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_early_versions_come_from_the_left(agree, normal, mode):
    x, scales = normal(1, 2, 3, 4), [1.0, 1.0, 2.0, 1.5]
    places = [np.minimum(np.arange(6) / 2, 2), np.minimum(np.arange(6) / 1.5, 3)]
    expected = x
    for axis, at in enumerate(places, 2):
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, x.shape[axis] - 1)
        part = (at - low).reshape(-1, *(1,) * (3 - axis)) * (mode == "linear")
        left, right = np.take(expected, low, axis), np.take(expected, high, axis)
        expected = left * (1 - part) + right * part
    expected = [expected.astype("float32")]
    given = np.array(scales, "float32")
    agree("Resize", x, given, opset=10, known=(1,), mode=mode, expected=expected)
    agree("Upsample", x, given, opset=9, known=(1,), mode=mode, expected=expected)
    agree("Upsample", x, opset=7, scales=scales, mode=mode, expected=expected)
    word = "bilinear" if mode == "linear" else mode
    agree("Upsample", x, opset=1, height_scale=2.0, width_scale=1.5, mode=word, expected=expected)


def test_what_does_not_fit_is_refused(one_node, normal):
    x = normal(1, 1, 3, 3)
    for arrays, how, said in (
        ([x, None, np.ones(3, "float32")], {}, "4 numbers as the scales, got 3"),
        ([x, None, None, np.ones(3, "int64")], {}, "a size for each of 4 axes"),
        ([x, None, -np.ones(4, "float32")], {}, "positive scale"),
        ([x], {}, "neither scales nor sizes"),
        ([x, None, None, np.array([1, 1, 4, 4])], {"keep_aspect_ratio_policy": "crop"}, "'crop'"),
        ([x, None, None, np.array([1, 1, 4, 4])], CROP, "needs the region of interest"),
        ([x[:, :, :0], None, None, np.array([1, 1, 4, 4])], {}, "nothing to make 4 elements of"),
        ([x, None, None, np.array([1, 1, 10**12, 4])], {}, "limits allow"),
    ):
        feeds = {f"x{i}": array for i, array in enumerate(arrays) if array is not None}
        with pytest.raises(OnnxError, match=said):
            evaluate(one_node("Resize", arrays, opset=19, **how), feeds)
    third = np.array([1, 1, 1 / 3, 1], "float32")
    with pytest.raises(OnnxError, match=r"cannot scale the open size H by 0\.33"):
        load(one_node("Resize", [x, None, third], opset=19, opened=IMAGE), known={"x2": third})


@pytest.mark.oracle
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_onnxruntime_says_the_same(agree, one_node, normal, word, mode):
    from onnxruntime import InferenceSession

    x, how = normal(1, 2, 5, 6), {"mode": mode, "coordinate_transformation_mode": word, "opset": 19}
    # with scales, onnxruntime aligns the corners of the rounded size, ONNX's own tests do not
    scales = np.array([1, 1, 0.4, 2], "float32") if word == "align_corners" else SCALES
    for arrays in ([x, None, scales], [x, None, None, np.array([1, 2, 9, 4])]):
        feeds = {f"x{i}": array for i, array in enumerate(arrays) if array is not None}
        session = InferenceSession(one_node("Resize", arrays, **how).SerializeToString())
        expected = session.run(None, feeds)
        agree("Resize", *arrays, known=(1, 2, 3), expected=expected, rtol=1e-3, atol=1e-5, **how)
