import numpy as np
import pytest
from onnx import numpy_helper

from cgkit import run
from cgkit.errors import OnnxError, UnknownValue
from cgkit.onnx import evaluate, load

OPEN = {0: {0: "N"}}
BOTH = {0: {0: "N", 1: "M"}}
SIZES = "int64"


def sizes(*numbers):
    return np.array(numbers, SIZES)


@pytest.mark.parametrize("opset", [5, 13, 14, 25])
@pytest.mark.parametrize("dtype", ["float32", "bool", "int8"])
def test_reshape(agree, opset, dtype):
    x = (np.arange(24) % 3).reshape(2, 3, 4).astype(dtype)
    for shape in ((4, 6), (-1,), (0, -1), (2, 0, 2, 2), (0, 0, 0), (1, 24, 1)):
        agree("Reshape", x, sizes(*shape), opset=opset, known=[1], opened=OPEN)
    agree("Reshape", x[:1, :1, 0], sizes(), opset=opset, known=[1])
    agree("Reshape", x[:, :0], sizes(0, 0, 5), opset=opset, known=[1])
    agree("Reshape", x[0, 0, 0].reshape(()), sizes(1, -1), opset=opset, known=[1])


def test_sizes_of_zero(agree, one_node):
    x = np.zeros((0, 3, 4), "float32")
    agree("Reshape", x, sizes(3, 4, 0), opset=14, known=[1], allowzero=1)
    agree("Reshape", x, sizes(0, 12), opset=13, known=[1])
    with pytest.raises(OnnxError, match="cannot tell the size of -1"):
        evaluate(one_node("Reshape", [x, sizes(0, -1)], opset=14, allowzero=1),
                 {"x0": x, "x1": sizes(0, -1)})  # fmt: skip
    wanted = sizes(0, 0, 0, 0)
    with pytest.raises(OnnxError, match=r"no size to keep for axis 3 of \(0, 3, 4\)"):
        load(one_node("Reshape", [x, wanted], opset=14), known={"x1": wanted})


def test_a_shape_that_is_an_attribute(agree, normal):
    x = normal(2, 6)
    agree("Reshape", x, opset=1, shape=[0, 2, -1], expected=[x.reshape(2, 2, 3)], opened=OPEN)


def test_the_shape_must_be_known(one_node):
    x = np.zeros((2, 3), "float32")
    with pytest.raises(UnknownValue, match="without the value of shape, its input 'x1'"):
        load(one_node("Reshape", [x, sizes(6)], opset=13))


@pytest.mark.parametrize("opset", [1, 13, 25])
def test_transpose(agree, normal, opset):
    agree("Transpose", normal(2, 3, 4), opset=opset, opened=BOTH)
    agree("Transpose", normal(2, 3, 4), opset=opset, perm=[1, 2, 0], opened=BOTH)
    agree("Transpose", normal(0, 3), opset=opset)
    agree("Transpose", np.array(2.0), opset=opset)


@pytest.mark.parametrize("opset", [1, 11, 13, 23])
def test_axes_taken_out_and_put_in(agree, normal, opset):
    x = normal(1, 3, 1, 2)
    for operator, lists in (("Squeeze", ((0,), (2, 0))), ("Unsqueeze", ((0,), (4, 1)))):
        for axes in (*lists, *(((-1,) if operator == "Unsqueeze" else (-2,)),) * (opset >= 11)):
            given = {"axes": list(axes)} if opset < 13 else {}
            operands = [] if opset < 13 else [sizes(*axes)]
            want = np.squeeze(x, axes) if operator == "Squeeze" else np.expand_dims(x, axes)
            agree(
                operator, x, *operands, opset=opset, known=[1], opened={0: {1: "N"}},
                expected=[want], **given,
            )  # fmt: skip
    agree("Squeeze", x, opset=opset)
    agree("Squeeze", x[:, :0], opset=opset)


def test_which_axes_are_1_is_not_known(one_node):
    x = np.zeros((1, 3), "float32")
    with pytest.raises(OnnxError, match="which sizes are 1 is not known"):
        load(one_node("Squeeze", [x], opset=13, opened=BOTH))
    with pytest.raises(OnnxError, match="needs axes"):
        load(one_node("Unsqueeze", [x], opset=11))


@pytest.mark.parametrize("opset", [1, 9, 11, 25])
def test_flatten(agree, one_node, normal, opset):
    x = normal(2, 3, 4)
    for axis in (0, 1, 2, 3, *((-1, -3) if opset >= 11 else ())):
        agree("Flatten", x, opset=opset, axis=axis, opened=BOTH)
    agree("Flatten", x, opset=opset)
    agree("Flatten", np.array(3.0), opset=opset, axis=0)
    agree("Flatten", x[:, :0], opset=opset, axis=2, expected=[np.zeros((0, 4), "float32")])
    with pytest.raises(OnnxError, match="has no axis 4 in a tensor of 3 axes"):
        load(one_node("Flatten", [x], opset=opset, axis=4))


@pytest.mark.parametrize("opset", [1, 4, 11, 13])
def test_concat(agree, one_node, normal, opset):
    a, b = normal(2, 3), normal(2, 1)
    agree("Concat", a, b, a, opset=opset, axis=1, opened={0: {1: "N"}, 1: {0: "M"}})
    agree("Concat", a, opset=opset, axis=0)
    agree("Concat", a, a[:0], opset=opset, axis=0, opened=OPEN)
    if opset >= 11:
        agree("Concat", a, b, opset=opset, axis=-1)
    if opset < 4:
        agree("Concat", a, b, opset=opset, expected=[np.concatenate([a, b], 1)])
    else:
        with pytest.raises(OnnxError, match="needs the attribute 'axis'"):
            load(one_node("Concat", [a, b], opset=opset))


@pytest.mark.parametrize("opset", [2, 11, 13, 18])
def test_split(agree, normal, opset):
    x = normal(6, 4)
    parts = [x[:1], x[1:1], x[1:]]
    if opset < 13:
        agree("Split", x, opset=opset, outputs=3, split=[1, 0, 5], expected=parts)
    else:
        agree("Split", x, sizes(1, 0, 5), opset=opset, known=[1], outputs=3, expected=parts,
              opened={0: {1: "N"}})  # fmt: skip
    halves = {"num_outputs": 2} if opset >= 18 else {}
    agree("Split", x, opset=opset, outputs=2, axis=1, expected=[x[:, :2], x[:, 2:]], opened=OPEN,
          **halves)  # fmt: skip
    agree("Split", x[:0], opset=opset, outputs=2, expected=[x[:0], x[:0]], **halves)


def test_parts_that_are_not_equal(agree, one_node, normal):
    x = normal(7, 1)
    for many, cuts in ((4, (2, 4, 6)), (3, (3, 6)), (5, (2, 4, 6, 7)), (1, ())):
        want = np.split(x, cuts)
        agree("Split", x, opset=18, outputs=many, num_outputs=many, expected=want)
    with pytest.raises(OnnxError, match="cannot cut an axis of size 7 into 2 equal parts"):
        load(one_node("Split", [x], opset=13, outputs=2))
    for many in (2**40, 0, -1):
        with pytest.raises(OnnxError, match=f"gives {many} parts, but 2 are named"):
            load(one_node("Split", [x], opset=18, outputs=2, num_outputs=many))
    with pytest.raises(OnnxError, match="gives 3 parts, but 2 are named"):
        load(one_node("Split", [x], opset=11, outputs=2, split=[1, 1, 5]))
    parts = np.array([3, 4], "float32")  # of the type of x, says operator set 1
    agree("Split", x, parts, opset=1, known=[1], outputs=2, expected=[x[:3], x[3:]])


@pytest.mark.parametrize("opset", [8, 13])
def test_expand(agree, normal, opset):
    x = normal(3, 1)
    for shape in ((3, 4), (2, 1, 6), (1,), (1, 1), (2, 3, 1), (3, 0), (1, 1, 1)):
        agree("Expand", x, sizes(*shape), opset=opset, known=[1])
    agree("Expand", np.array(2.0), sizes(2, 3), opset=opset, known=[1])
    agree("Expand", x, sizes(2, 1, 4), opset=opset, known=[1], opened=OPEN)


def test_what_is_known_waits_for_open_sizes(one_node, normal):
    """A constant takes on the size of an input: Shape, then Expand, Tile, Reshape, Slice."""
    x = normal(3)
    for operator, constant, want in (
        ("Expand", normal(1), lambda c: np.broadcast_to(c, (3,))),
        ("Tile", normal(2), lambda c: np.tile(c, 3)),
    ):
        model = one_node("Shape", [x], opset=13, opened=OPEN)
        model.graph.node[0].output[0] = "shape"
        two = one_node(operator, [constant, sizes(3)], opset=13).graph
        two.node[0].input[:] = ["x1", "shape"]
        two.input[0].name = "x1"
        model.graph.node.append(two.node[0])
        model.graph.input.append(two.input[0])
        graph = load(model, known={"x1": constant})
        np.testing.assert_array_equal(run(graph, x)[0], want(constant))


@pytest.mark.parametrize("opset", [6, 13])
def test_tile(agree, one_node, normal, opset):
    x = normal(2, 3)
    for repeats in ((2, 1), (1, 3), (0, 2), (1, 1)):
        agree("Tile", x, sizes(*repeats), opset=opset, known=[1], opened=OPEN)
    agree("Tile", np.array(2.0), sizes(), opset=opset, known=[1])
    with pytest.raises(OnnxError, match="needs a number of repeats for each of 2 axes, got 1"):
        load(one_node("Tile", [x, sizes(2)], opset=opset), known={"x1": sizes(2)})


def test_tile_along_one_axis(agree, normal):
    x, two, one = normal(2, 3), np.array([2.0], "float32"), np.array([1.0], "float32")
    agree("Tile", x, two, one, opset=1, known=[1, 2], expected=[np.tile(x, (1, 2))], opened=OPEN)


@pytest.mark.parametrize("opset", [1, 13, 15, 25])
def test_shape_and_size(agree, normal, opset):
    for x in (normal(2, 3, 4), normal(0, 2), np.array(1.0), np.zeros(3, bool)):
        agree("Shape", x, opset=opset, opened=OPEN if x.ndim else None)
        agree("Size", x, opset=opset, opened=OPEN if x.ndim else None)


@pytest.mark.parametrize("start", [None, 0, 1, -1, -9, 9])
@pytest.mark.parametrize("end", [None, 0, 2, -1, 9, -9])
def test_part_of_a_shape(agree, normal, start, end):
    settings = {k: v for k, v in (("start", start), ("end", end)) if v is not None}
    want = np.array((2, 3, 4)[slice(start, end)], SIZES)
    agree("Shape", normal(2, 3, 4), opset=15, expected=[want], opened=BOTH, **settings)


def test_identity(agree, normal):
    for x in (normal(2, 3), np.array(True), np.zeros((0, 2), "int8")):
        agree("Identity", x, opset=14)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_blocks_of_images(agree, one_node, normal, mode):
    x = normal(2, 8, 3, 5)
    agree("DepthToSpace", x, opset=13, blocksize=2, mode=mode, opened={0: {0: "N", 2: "H", 3: "W"}})
    back = np.arange(2 * 2 * 4 * 6, dtype="float32").reshape(2, 2, 4, 6)
    deep = evaluate(one_node("SpaceToDepth", [back], opset=28, blocksize=2, mode=mode),
                    {"x0": back})["y0"]  # fmt: skip
    assert deep.shape == (2, 8, 2, 3)
    agree("DepthToSpace", deep, opset=13, blocksize=2, mode=mode, expected=[back])
    agree("SpaceToDepth", back, opset=28, blocksize=2, mode=mode, expected=[deep], opened=OPEN)
    if mode == "DCR":
        agree("SpaceToDepth", back, opset=13, blocksize=2)
        agree("DepthToSpace", x, opset=1, blocksize=2)


def test_blocks_must_fit(one_node, normal):
    for operator, shape, said in (
        ("DepthToSpace", (1, 6, 2, 2), "cannot lay 6 channels out as blocks of 2 by 2"),
        ("SpaceToDepth", (1, 1, 4, 3), "cannot cut 4 by 3 into blocks of 2 by 2"),
        ("SpaceToDepth", (1, 4, 4), r"needs images of 4 axes, got \(1, 4, 4\)"),
    ):
        with pytest.raises(OnnxError, match=said):
            load(one_node(operator, [normal(*shape)], opset=13, blocksize=2))
    with pytest.raises(OnnxError, match="knows the modes DCR and CRD, not 'DRC'"):
        load(one_node("DepthToSpace", [normal(1, 4, 2, 2)], opset=13, blocksize=2, mode="DRC"))


@pytest.mark.parametrize("upper", [0, 1])
def test_triangles(agree, normal, upper):
    for x in (normal(2, 3, 4), np.arange(6).reshape(3, 2), np.ones((3, 3), bool), normal(0, 3)):
        agree("Trilu", x, opset=14, upper=upper, opened=OPEN)
        for k in (-7, -1, 0, 1, 7):
            agree("Trilu", x, np.array(k), opset=14, known=[1], upper=upper)


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
def test_pads(agree, normal, mode):
    x = normal(4, 5)
    opset = 19 if mode == "wrap" else 11
    for widths in ((1, 2, 3, 1), (0, 0, 0, 0), (2, 0, 0, 3)):
        agree("Pad", x, sizes(*widths), opset=opset, known=[1], mode=mode, opened=BOTH)
    agree("Pad", x, sizes(-1, -2), None, sizes(-1), opset=19, known=[1, 3], mode=mode,
          expected=[x[:, 1:-2]])  # fmt: skip
    agree("Pad", x, sizes(1, 2), None, sizes(0), opset=19, known=[1, 3], mode=mode, opened=BOTH)


def test_what_is_put_around(agree, normal):
    x = normal(2, 2)
    wide = np.full((3, 4), 7, "float32")
    wide[1:, 1:3] = x
    widths = sizes(1, 1, 0, 1)
    for known in ([1], [1, 2]):
        agree("Pad", x, widths, np.array(7, "float32"), opset=13, known=known, opened=OPEN)
    agree("Pad", x, opset=2, pads=[1, 1, 0, 1], value=7.0, expected=[wide], opened=OPEN)
    agree("Pad", x, opset=1, paddings=[1, 1, 0, 1], value=7.0, expected=[wide])
    truths = np.array([[True, False]])
    agree("Pad", truths, widths, np.array(True), opset=13, known=[1])
    agree("Pad", truths, widths, opset=13, known=[1])
    whole = np.array([[2**53 + 1]])
    agree("Pad", whole, widths, np.array(-(2**53) - 1), opset=13, known=[1, 2])
    agree("Pad", whole, widths, np.array([9]), opset=13, known=[1, 2])
    agree("Pad", np.zeros((0, 2), "float32"), widths, opset=13, known=[1])
    agree("Pad", np.array(1.0), sizes(), opset=13, known=[1], expected=[np.array(1.0)])


def test_a_parameter_around_is_part_of_the_graph(one_node, normal):
    x, seven = normal(2, 2), np.array(7, "float32")
    model = one_node("Pad", [x, sizes(1, 1, 0, 0), seven], opset=13)
    del model.graph.input[1:]
    for name, array in (("x1", sizes(1, 1, 0, 0)), ("x2", seven)):
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    graph = load(model)
    assert [node.operator.name for node in graph.operators] == ["pad"]
    assert run(graph, x)[0][0].tolist() == [7, 7, 7]


def test_widths_must_fit(one_node, normal):
    with pytest.raises(OnnxError, match="needs two widths for each of 2 axes, got 3"):
        load(one_node("Pad", [normal(2, 2)], opset=2, pads=[1, 1, 1]))
    feeds = {"x0": normal(2, 2), "x1": sizes(1, 1, 1, 1), "x2": normal(2)}
    with pytest.raises(OnnxError, match=r"puts one number around, not \(2,\)"):
        evaluate(one_node("Pad", list(feeds.values()), opset=13), feeds)
    with pytest.raises(OnnxError, match="no mode 'mirror'"):
        load(one_node("Pad", [normal(2, 2)], opset=2, pads=[1, 1, 1, 1], mode="mirror"))
