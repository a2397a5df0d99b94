import numpy as np
import pytest

from cgkit import gradients, run
from cgkit.errors import OnnxError
from cgkit.onnx import evaluate, load
from cgkit.onnx.rules.sampling import grid_sample
from cgkit.onnx.step import Step
from cgkit.symbolic import GraphBuilder

OPENED = {0: {0: "N", 2: "H", 3: "W"}, 1: {0: "N", 1: "P", 2: "Q"}}
SAFE = 1.7
"""How far coordinates go: beyond the borders, but nowhere where rounding decides."""


@pytest.fixture
def grid():
    def draw(*shape, dtype="float32"):
        return np.random.default_rng(2).uniform(-SAFE, SAFE, size=shape).astype(dtype)

    return draw


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [0, 1])
def test_two_axes(agree, normal, grid, mode, padding, align):
    x, at = normal(2, 3, 4, 5), grid(2, 3, 2, 2)
    how = {"padding_mode": padding, "align_corners": align, "atol": 2e-5}
    agree("GridSample", x, at, opset=20, mode=mode, opened=OPENED, **how)
    word = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    expected = evaluate_reference(x, at, mode, padding, align)
    agree("GridSample", x, at, opset=16, mode=word, expected=[expected], **how)


def evaluate_reference(x, at, mode, padding, align):
    """Ask the reference for version 20, whose words differ from those of 16."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    node = helper.make_node("GridSample", ["x", "g"], ["y"], mode=mode, padding_mode=padding,
                            align_corners=align)  # fmt: skip
    values = [helper.make_tensor_value_info(name, 1, None) for name in "xgy"]
    graph = helper.make_graph([node], "g", values[:2], values[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    return ReferenceEvaluator(model).run(None, {"x": x, "g": at})[0]


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_one_and_three_axes(agree, normal, grid, mode, padding):
    for x, at in (
        (normal(2, 2, 5), grid(2, 4, 1)), (normal(1, 2, 3, 4, 2), grid(1, 2, 3, 2, 3)),
    ):  # fmt: skip
        agree("GridSample", x, at, opset=22, mode=mode, padding_mode=padding, atol=1e-5)


def test_whole_numbers_lose_their_fraction(agree, grid):
    x = np.random.default_rng(0).integers(0, 200, size=(1, 2, 4, 4)).astype("uint8")
    at = grid(1, 3, 3, 2)
    floats = evaluate_reference(x.astype("float32"), at, "linear", "border", 0)
    agree("GridSample", x, at, opset=20, padding_mode="border", expected=[floats.astype("uint8")])


def test_points_that_are_no_numbers_spoil_nothing_else(one_node, normal):
    x, at = normal(1, 1, 3, 3), np.zeros((1, 1, 3, 2), "float32")
    at[0, 0, 1] = np.nan
    at[0, 0, 2] = np.inf
    for padding in ("zeros", "border", "reflection"):
        model = one_node("GridSample", [x, at], opset=20, padding_mode=padding, align_corners=1)
        with np.errstate(all="ignore"):
            (y,) = evaluate(model, {"x0": x, "x1": at}).values()
        assert y[0, 0, 0, 0] == x[0, 0, 1, 1]
        assert np.isnan(y[0, 0, 0, 1])


def test_an_image_of_one_element(one_node, normal):
    x, at = normal(1, 1, 1, 1), np.array([[[[0.5, -0.7]]]], "float32")
    for padding in ("border", "reflection"):
        for align in (0, 1):
            model = one_node("GridSample", [x, at], opset=20, padding_mode=padding,
                             align_corners=align)  # fmt: skip
            (y,) = evaluate(model, {"x0": x, "x1": at}).values()
            np.testing.assert_allclose(y, x, rtol=1e-6)


def test_gradients_reach_images_and_points(normal, grid):
    builder = GraphBuilder()
    x = builder.placeholder((1, 2, 4, 3), name="x")
    at = builder.placeholder((1, 2, 2, 2), name="at")
    step = Step("n", "GridSample", opset=20, builder=builder)
    y = grid_sample(step, x, at)
    graph = builder.graph([y, *gradients((y * y).sum(), [x, at])], [x, at])
    operands = [normal(1, 2, 4, 3, dtype="float64"), grid(1, 2, 2, 2, dtype="float64") * 0.5]
    _, *slopes = run(graph, *operands)

    def loss(*xs):
        return float((run(graph, *xs)[0] ** 2).sum())

    for k, slope in enumerate(slopes):
        for i in range(operands[k].size):
            moved = [[x.copy() for x in operands] for _ in range(2)]
            moved[0][k].flat[i] += 1e-6
            moved[1][k].flat[i] -= 1e-6
            expected = (loss(*moved[0]) - loss(*moved[1])) / 2e-6
            assert slope.flat[i] == pytest.approx(expected, abs=1e-5)


def test_what_onnx_does_not_have_is_refused(one_node, normal, grid):
    x, at = normal(1, 1, 3, 3), grid(1, 2, 2, 2)
    for how, said in (({"mode": "area"}, "'area'"), ({"padding_mode": "wrap"}, "'wrap'")):
        with pytest.raises(OnnxError, match=said):
            evaluate(one_node("GridSample", [x, at], opset=20, **how), {"x0": x, "x1": at})


def test_what_does_not_fit_is_refused(one_node, normal, grid):
    x = normal(2, 1, 3, 3)
    for operator, arrays, said in (
        ("GridSample", [x, grid(2, 2, 2, 3)], "a coordinate for each axis"),
        ("GridSample", [x, grid(1, 2, 2, 2)], "as many images"),
        ("GridSample", [x, grid(2, 2, 2)], "cannot read images"),
        ("AffineGrid", [normal(2, 2, 3), np.array([2, 1, 3, 3, 3])], "maps of 3 coordinates"),
        ("AffineGrid", [normal(2, 2, 3), np.array([2, 1, 10**6, 10**6])], "limits allow"),
    ):
        feeds = {f"x{i}": array for i, array in enumerate(arrays)}
        with pytest.raises(OnnxError, match=said):
            evaluate(one_node(operator, arrays, opset=20), feeds)


@pytest.mark.parametrize("align", [0, 1])
def test_affine_grids(agree, normal, align):
    for theta, size in (
        (normal(2, 2, 3), [2, 3, 4, 5]), (normal(2, 3, 4), [2, 1, 2, 3, 4]),
    ):  # fmt: skip
        agree("AffineGrid", theta, np.array(size), opset=20, known=(1,), align_corners=align,
              opened={0: {0: "N"}})  # fmt: skip


def test_an_affine_grid_of_one_element_in_float64(agree):
    theta = np.array([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
    middle = [np.array([[[[3.0, 6.0]]]])]
    agree("AffineGrid", theta, np.array([1, 1, 1, 1]), opset=20, known=(1,), expected=middle)


def test_the_size_of_an_affine_grid_must_be_known(one_node, normal):
    model = one_node("AffineGrid", [normal(1, 2, 3), np.array([1, 1, 2, 2])], opset=20)
    with pytest.raises(OnnxError, match="the size"):
        load(model)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("mode", "padding"),  # cubic at a border is left out: there onnxruntime differs from ONNX's own
    [(m, p) for m in ("nearest", "linear") for p in ("zeros", "border", "reflection")]
    + [("cubic", "zeros"), ("cubic", "reflection")],
)
@pytest.mark.parametrize("align", [0, 1])
def test_onnxruntime_says_the_same(agree, one_node, normal, grid, mode, padding, align):
    from onnxruntime import InferenceSession

    x, at = normal(2, 3, 4, 5), grid(2, 3, 2, 2)
    how = {"mode": mode, "padding_mode": padding, "align_corners": align, "opset": 20}
    session = InferenceSession(one_node("GridSample", [x, at], **how).SerializeToString())
    expected = session.run(None, {"x0": x, "x1": at})
    agree("GridSample", x, at, expected=expected, rtol=1e-4, atol=2e-5, **how)
