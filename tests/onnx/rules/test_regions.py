import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from cgkit import run
from cgkit.errors import OnnxError, UnknownValue
from cgkit.onnx import evaluate, load

ROIS = np.array([[0.3, 0.2, 6.1, 5.4], [1.0, 2.0, 4.5, 7.5], [-2.0, -3.0, 3.0, 2.0], [4, 4, 4, 4]])
OPENED = {0: {0: "N", 2: "H", 3: "W"}, 1: {0: "R"}, 2: {0: "R"}}


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("word", ["half_pixel", "output_half_pixel"])
@pytest.mark.parametrize("ratio", [0, 1, 3])
def test_regions_are_pooled(agree, normal, mode, word, ratio):
    x, rois = normal(2, 3, 8, 7), ROIS.astype("float32")
    images = np.array([0, 1, 1, 0])
    agree(
        "RoiAlign", x, rois, images, opset=16, mode=mode, sampling_ratio=ratio, output_height=3,
        output_width=2, spatial_scale=0.75, coordinate_transformation_mode=word,
        known=() if ratio else (1,), opened=OPENED if ratio else {0: {0: "N", 2: "H", 3: "W"}},
    )  # fmt: skip


def test_the_first_version_does_not_shift(agree, one_node, normal):
    x, rois, images = normal(1, 1, 6, 6), ROIS[:2].astype("float32"), np.array([0, 0])
    how = {"output_height": 2, "output_width": 2, "sampling_ratio": 2}
    word = {"coordinate_transformation_mode": "output_half_pixel"}
    later = one_node("RoiAlign", [x, rois, images], opset=16, **word, **how)
    (expected,) = ReferenceEvaluator(later).run(None, {"x0": x, "x1": rois, "x2": images})
    agree("RoiAlign", x, rois, images, opset=10, expected=[expected], **how)


def test_no_regions(agree, normal):
    x, images = normal(1, 2, 4, 4), np.zeros(0, "int64")
    none = [np.zeros((0, 2, 1, 1), "float32")]
    for ratio in (0, 2):
        agree("RoiAlign", x, np.zeros((0, 4), "float32"), images, opset=16, sampling_ratio=ratio,
              known=() if ratio else (1,), expected=none)  # fmt: skip


def test_points_that_depend_on_regions_need_them_known(one_node, normal):
    arrays = [normal(1, 1, 4, 4), ROIS[:1].astype("float32"), np.array([0])]
    with pytest.raises(UnknownValue, match="the regions") as caught:
        load(one_node("RoiAlign", arrays, opset=16))
    assert caught.value.inputs == ("x1",)


def test_regions_have_four_numbers_and_a_known_image(one_node, normal):
    x, rois = normal(1, 1, 4, 4), ROIS[:1].astype("float32")
    for arrays, how, said in (
        ([x, rois[:, :3], np.array([0])], {}, "four numbers"),
        ([x, rois, np.array([0, 0])], {}, "four numbers"),
        ([x, rois, np.array([7])], {"sampling_ratio": 1}, "place 7"),
        ([x, rois * np.float32(1e30), np.array([0])], {}, "limits allow"),
    ):
        feeds = {f"x{i}": array for i, array in enumerate(arrays)}
        with pytest.raises(OnnxError, match=said):
            evaluate(one_node("RoiAlign", arrays, opset=16, **how), feeds)


BOXES = np.array(
    [[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1]]],
    "float32",
)
SCORES = np.array([[[0.9, 0.75, 0.6, 0.95, 0.5], [0.1, 0.2, 0.3, 0.3, 0.4]]], "float32")


@pytest.mark.parametrize("opset", [10, 11])
@pytest.mark.parametrize("center", [0, 1])
def test_the_best_boxes_are_picked(agree, opset, center):
    most, limit, least = np.array([2]), np.array([0.5], "float32"), np.array([0.3], "float32")
    known = (2, 3, 4)
    opened = {0: {1: "B"}, 1: {1: "C", 2: "B"}}
    agree("NonMaxSuppression", BOXES, SCORES, most, limit, least, opset=opset, known=known,
          center_point_box=center, opened=opened)  # fmt: skip
    agree("NonMaxSuppression", BOXES, SCORES, most, limit, opset=opset, known=known,
          center_point_box=center, expected=[  # 0 of overlap is the reference's default too
              np.array([[0, 0, 3], [0, 0, 0], [0, 1, 4], [0, 1, 2]])])  # fmt: skip


def test_no_boxes_unless_it_is_said_how_many(agree):
    agree("NonMaxSuppression", BOXES, SCORES, opset=11, expected=[np.zeros((0, 3), "int64")])


def test_what_is_picked_is_gathered_in_a_graph(one_node):
    most = np.array([9])
    model = one_node("NonMaxSuppression", [BOXES, SCORES, most], opset=11)
    graph = load(model, known={"x2": most})
    assert str(graph.outputs[0].type) == "int64[N, 3]"
    assert run(graph, BOXES, SCORES)[0].tolist() == [[0, 0, 3], [0, 0, 0], [0, 1, 4], [0, 1, 2]]
    assert len(run(graph, np.zeros_like(BOXES), SCORES)[0]) == 10  # empty boxes overlap nothing


@pytest.mark.oracle
@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize("mode", ["avg", "max"])
def test_onnxruntime_says_the_same(agree, one_node, normal, ratio, mode):
    from onnxruntime import InferenceSession

    arrays = [normal(2, 3, 8, 7), ROIS.astype("float32"), np.array([0, 1, 1, 0])]
    how = {"opset": 16, "sampling_ratio": ratio, "output_height": 2, "output_width": 3,
           "mode": mode}  # fmt: skip
    session = InferenceSession(one_node("RoiAlign", arrays, **how).SerializeToString())
    expected = session.run(None, {f"x{i}": array for i, array in enumerate(arrays)})
    agree("RoiAlign", *arrays, known=(1,), expected=expected, atol=1e-5, **how)
