import numpy as np
import pytest
from onnx import TensorProto

from cgkit.errors import OnnxError
from cgkit.onnx import evaluate, load

OPEN = {0: {0: "N"}}
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5, -2.5], "float32")
ENDS = np.array([-(2**31), -7, -1, 0, 5, 2**31 - 1], "int32")


@pytest.mark.parametrize("operator", ["Add", "Sub", "Mul", "Div", "Pow", "Max", "Min"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_arithmetic_broadcasts(agree, normal, operator, dtype):
    a, b = np.abs(normal(2, 3, dtype=dtype)) + 1, np.abs(normal(3, dtype=dtype)) + 1
    loose = {"rtol": 2e-3, "atol": 1e-3} if dtype == "float16" else {}
    for opset in (8, 13):
        agree(operator, a, b, opset=opset, opened=OPEN, **loose)
        agree(operator, a[:0], b, opset=opset, opened=OPEN)
        agree(operator, np.asarray(a[0, 0]), np.asarray(b[0]), opset=opset, **loose)


@pytest.mark.parametrize("operator", ["Add", "Sub", "Mul", "Max", "Min"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_whole_numbers_stay_what_they_are(agree, operator, dtype):
    a, b = np.array([1, 100, 127, 3], dtype), np.array([100, 100, 7, 0], dtype)
    agree(operator, a, b, opset=14)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_whole_numbers_are_divided_towards_zero(agree, dtype):
    a, b = np.meshgrid(np.array([7, 250, 6, 0], dtype), np.array([2, 3, 7], dtype))
    agree("Div", a, b, opset=14, expected=[a // b])
    if dtype != "uint8":
        agree("Div", -a, b, opset=14, expected=[-(a // b)])
        agree("Div", -a, -b, opset=14, expected=[a // b])


def test_sizes_are_divided_while_the_graph_is_built(one_node):
    model = one_node("Shape", [np.zeros((4, 6), "float32")], opset=14, opened={0: {0: "N"}})
    model.graph.node[0].output[0] = "shape"
    two = one_node("Div", [np.zeros(2, "int64"), np.zeros(2, "int64")], opset=14)
    two.graph.node[0].input[0] = "shape"
    model.graph.node.append(two.graph.node[0])
    model.graph.input.append(two.graph.input[1])
    graph = load(model, known={"x1": np.array([1, 2])})
    assert [node.operator.name for node in graph.operators] == ["measure", "stack", "reshape"]


def test_operands_before_set_7_are_laid_along_an_axis(agree, one_node, normal):
    a = np.abs(normal(2, 3, 4)) + 1
    for operator, act in (("Add", np.add), ("Mul", np.multiply), ("Div", np.divide),
                          ("Sub", np.subtract), ("Pow", np.power)):  # fmt: skip
        for b, axis, shape in ((a[:, 0, 0], 0, (2, 1, 1)), (a[0, :, 0], 1, (3, 1)),
                               (a[0], 1, (3, 4)), (a[0, 0], 2, (4,))):  # fmt: skip
            want = act(a, b.reshape(shape))
            agree(operator, a, b, opset=6, broadcast=1, axis=axis, expected=[want], opened=OPEN)
        agree(operator, a, a[0, 0], opset=1, broadcast=1, expected=[act(a, a[0, 0])])
        agree(operator, a, a, opset=6, expected=[act(a, a)], opened=OPEN)
    for operator, act in (("Less", np.less), ("Greater", np.greater)):
        want = act(a, a[:, 0, :1, None])
        agree(operator, a, a[:, 0, 0], opset=1, broadcast=1, axis=0, expected=[want])
    with pytest.raises(OnnxError, match="the attribute broadcast=1"):
        load(one_node("Add", [a, a[0]], opset=6))
    with pytest.raises(OnnxError, match=r"cannot lay \(4,\) along \(2, 3, 4\) from axis 3 on"):
        load(one_node("Add", [a, a[0, 0]], opset=6, broadcast=1, axis=3))


@pytest.mark.parametrize("operator", ["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"])
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_comparisons(agree, operator, dtype):
    a, b = np.array([[1, 2, 3]], dtype), np.array([[2], [3]], dtype)
    agree(operator, a, b, opset=13, opened={1: {0: "M"}})
    if dtype == "float32":
        agree(operator, SPECIAL, SPECIAL[:, None], opset=13)


@pytest.mark.parametrize("opset", [1, 7])
def test_logic(agree, opset):
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    for operator in ("And", "Or", "Xor"):
        agree(operator, a, b, opset=opset)
    agree("Not", a, opset=1)
    agree("Equal", a, b, opset=opset)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64"])
def test_bits(agree, dtype):
    a, b = np.array([5, 100, 7], dtype), np.array([3, 1, 0], dtype)
    for operator in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        agree(operator, a, b, opset=18)
    agree("BitwiseNot", a, opset=18)


def test_bits_are_shifted_out(agree, one_node):
    a, by = np.array([1, 128, 255, 3], "uint8"), np.array([0, 1, 7, 200], "uint8")
    want = np.array([1, 0, 128, 0], "uint8")
    agree("BitShift", a, by, opset=11, direction="LEFT", expected=[want])
    want = np.array([1, 64, 1, 0], "uint8")
    agree("BitShift", a, by, opset=11, direction="RIGHT", expected=[want])
    a, by = np.array([-8, -8, -8, 8, 8], "int8"), np.array([1, 9, -1, 9, -1], "int8")
    want = np.array([-4, -1, -1, 0, 0], "int8")
    agree("BitShift", a, by, opset=28, direction="RIGHT", expected=[want])
    want = np.array([-16, 0, 0, 0, 0], "int8")
    agree("BitShift", a, by, opset=28, direction="LEFT", expected=[want])
    with pytest.raises(OnnxError, match="shifts LEFT or RIGHT, not 'UP'"):
        load(one_node("BitShift", [a, by], opset=28, direction="UP"))


@pytest.mark.parametrize("opset", [10, 13])
def test_what_a_division_leaves_over(agree, one_node, opset):
    a, b = np.array([7, -7, 7, -7], "int32"), np.array([3, 3, -3, -3], "int32")
    agree("Mod", a, b, opset=opset, expected=[np.array([1, 2, -2, -1], "int32")])
    agree("Mod", a, b, opset=opset, fmod=1, expected=[np.array([1, -1, 1, -1], "int32")])
    x = a.astype("float32") + 0.5
    agree("Mod", x, b.astype("float32"), opset=opset, fmod=1)
    with pytest.raises(OnnxError, match=r"Mod .* takes whole numbers, not float32"):
        load(one_node("Mod", [x, x], opset=opset))


def test_floats_left_over_from_set_28(agree):
    a = np.array([0, -0.0, np.inf, 1, 1, -1, 5.5, np.nan, 3], "float32")
    b = np.array([-3, 3, 2, 0, -np.inf, -np.inf, -2, 2, np.nan], "float32")
    want = np.array([-0.0, 0, np.nan, np.nan, -np.inf, -1, -0.5, np.nan, np.nan], "float32")
    agree("Mod", a, b, opset=28, expected=[want])


def test_powers_keep_the_dtype_of_the_base(agree):
    x, k = np.array([1.5, 2, 3], "float32"), np.array([2, 3, -1], "int64")
    agree("Pow", x, k, opset=12)
    agree("Pow", k, np.array([2.0, 0.5, 1], "float32"), opset=13, expected=[np.array([4, 1, -1])])
    agree("Pow", np.array([2, 3, 4], "int32"), np.array([2, 3, 4], "int64"), opset=15)
    agree("Pow", np.array([2, 3], "int32"), np.array([5, 2], "uint8"), opset=15)
    base, power = np.array([2, 1, -1, -1, 3], "int64"), np.array([-2, -5, -3, -2, 39], "int64")
    agree("Pow", base, power, opset=15, expected=[np.array([0, 1, -1, 1, 3**39])])
    agree("Pow", base, power, opset=15, known=[1], expected=[np.array([0, 1, -1, 1, 3**39])])


@pytest.mark.parametrize("opset", [6, 8, 13])
def test_any_number_of_operands(agree, normal, opset):
    for operator in ("Sum", "Mean", "Max", "Min"):
        for many in (1, 2, 4):
            agree(operator, *(normal(2, 3) for _ in range(many)), opset=opset, opened=OPEN)
    if opset > 6:
        agree("Mean", normal(2, 3), normal(3), normal(2, 1), opset=opset)
    a, b = np.meshgrid(SPECIAL, SPECIAL)
    agree("Max", a, b, opset=opset)
    agree("Min", a, b, opset=opset)


def test_limits_of_clip(agree, one_node, normal):
    x, low, high = normal(3, 4) * 3, np.float32(-1), np.float32(1.5)
    for opset in (11, 12, 13):
        agree("Clip", x, np.asarray(low), np.asarray(high), opset=opset, opened=OPEN)
        agree("Clip", x, None, np.asarray(high), opset=opset)
        agree("Clip", x, np.asarray(low), opset=opset)
        agree("Clip", x, opset=opset)
    agree("Clip", x, np.asarray(high), np.asarray(low), opset=13, expected=[np.full_like(x, low)])
    whole = np.arange(-5, 5, dtype="int8")
    agree("Clip", whole, np.array(-2, "int8"), np.array(3, "int8"), opset=12)
    agree("Clip", x, opset=6, min=-1.0, max=1.5)
    agree("Clip", x, opset=1, min=0.0, expected=[np.maximum(x, 0)])
    most = np.finfo("float32").max
    agree("Clip", SPECIAL, opset=6, expected=[np.clip(SPECIAL, -most, most)])
    half = SPECIAL.astype("float16")
    agree("Clip", half, opset=6, expected=[half])
    agree("Clip", SPECIAL, opset=13, expected=[SPECIAL])


@pytest.mark.parametrize("to", ["float16", "float32", "float64", "int8", "uint16", "int64", "bool"])
def test_casts(agree, to):
    number = getattr(TensorProto, {"float32": "FLOAT", "float64": "DOUBLE"}.get(to, to.upper()))
    for x in (np.array([[0, 1.7, 100]], "float32"), np.array([0, 5, 120], "uint8"),
              np.array([True, False]), np.zeros((0, 2)), np.array(3)):  # fmt: skip
        for opset in (6, 9, 13, 19, 25):
            agree("Cast", x, opset=opset, to=number, expected=[x.astype(to)])
        agree("CastLike", x, np.zeros(2, to), opset=19, expected=[x.astype(to)])
    x = np.array([300, -1], "int32")
    agree("Cast", x, opset=13, to=TensorProto.UINT8, expected=[np.array([44, 255], "uint8")])


def test_casts_by_name_before_set_6(agree, one_node):
    x = np.array([1.7, -3.2], "float32")
    agree("Cast", x, opset=1, to="INT32", expected=[np.array([1, -3], "int32")])
    with pytest.raises(OnnxError, match=r"Cast .* there is no element type 'FLOOT'"):
        load(one_node("Cast", [x], opset=1, to="FLOOT"))
    with pytest.raises(OnnxError, match=r"Cast .*BFLOAT16"):
        load(one_node("Cast", [x], opset=13, to=TensorProto.BFLOAT16))


@pytest.mark.parametrize("below", [0, 1])
@pytest.mark.parametrize("above", [0, 1])
def test_which_infinity(agree, below, above):
    want = (np.isposinf(SPECIAL) & bool(above)) | (np.isneginf(SPECIAL) & bool(below))
    for dtype in ("float32", "float64"):
        agree(
            "IsInf", SPECIAL.astype(dtype), opset=20, detect_negative=below, detect_positive=above,
            expected=[want],
        )  # fmt: skip
    agree("IsNaN", SPECIAL, opset=13)


def test_nan_is_not_beyond_a_limit(agree):
    agree("Shrink", SPECIAL, opset=9, lambd=1.5, bias=1.0,
          expected=[np.array([0, np.inf, -np.inf, 0, 0, 0, -1.5], "float32")])  # fmt: skip
    agree("Shrink", np.array([-3, 0, 3], "int32"), opset=9, lambd=1.5, bias=1.0)
    agree("Shrink", np.array([0, 1, 9], "uint8"), opset=9, lambd=1.5, bias=1.0)
    agree("Shrink", SPECIAL[3:], opset=9, lambd=-1.0, bias=1.0,
          expected=[np.array([1, 1, 0.5, -1.5], "float32")])  # fmt: skip


def test_slopes_of_prelu(agree, one_node, normal):
    x = normal(2, 3, 4)
    for opset in (7, 9, 16):
        agree("PRelu", x, normal(4), opset=opset, opened=OPEN)
        agree("PRelu", x, normal(3, 1), opset=opset)
    agree("PRelu", np.array([-3, 4], "int32"), np.array([2], "int32"), opset=16)
    slope = normal(3)
    want = np.where(x > 0, x, x * slope[:, None])
    agree("PRelu", x, slope, opset=6, expected=[want], opened=OPEN)
    agree("PRelu", x, slope[:1], opset=1, expected=[np.where(x > 0, x, x * slope[0])])
    for wide in (normal(5, 2, 3, 4), normal(5)):
        with pytest.raises(OnnxError, match="cannot stretch slopes"):
            load(one_node("PRelu", [x, wide], opset=16))


@pytest.mark.parametrize(
    ("operator", "opset"),
    [
        *((x, 13) for x in ("Abs", "Ceil", "Floor", "Exp", "Neg", "Sigmoid", "Sign", "Tanh")),
        *((x, 22) for x in ("Round", "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Asinh")),
        ("Erf", 9), ("Abs", 1), ("Exp", 6),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_functions_of_all_numbers(agree, operator, opset, dtype):
    x = np.array([[-2.5, -0.5, -0.0], [0.5, 1.5, 2.0]], dtype)
    loose = {"rtol": 3e-3, "atol": 1e-3} if dtype == "float16" else {}
    agree(operator, x, opset=opset, opened=OPEN, **loose)
    agree(operator, x[:, :0], opset=opset)
    agree(operator, np.asarray(x[0, 0]), opset=opset, **loose)


def test_functions_of_some_numbers(agree):
    inside = np.array([-0.9, 0.0, 0.9], "float32")
    for operator in ("Asin", "Acos", "Atanh"):
        agree(operator, inside, opset=9)
    for operator in ("Sqrt", "Log", "Reciprocal", "Acosh"):
        agree(operator, inside + 2, opset=13)
    agree("Erf", np.array([-1, 0, 2], "int32"), opset=9, expected=[np.array([0, 0, 0], "int32")])
    agree("Abs", ENDS[1:], opset=13)
    agree("Neg", ENDS[1:], opset=13)
    agree("Sign", ENDS, opset=13)


def test_where(agree, normal):
    mask = np.array([[True], [False]])
    agree("Where", mask, normal(2, 3), normal(3), opset=16, opened={1: {0: "N"}})
    agree("Where", mask, np.arange(3), np.array(7), opset=9)


def test_an_unnamed_setting_is_an_error(one_node):
    x = np.zeros(2, "float32")
    with pytest.raises(OnnxError, match="needs the attribute 'to'"):
        evaluate(one_node("Cast", [x], opset=13), {"x0": x})


def test_bits_of_other_types(agree, one_node):
    x = np.array([[1.5, -2.5]], "float32")
    want = x.view("int32")
    agree("BitCast", x, opset=26, to=TensorProto.INT32, expected=[want], opened=OPEN)
    agree("BitCast", want, opset=26, to=TensorProto.FLOAT, expected=[x])
    with pytest.raises(OnnxError, match=r"BitCast .* bitcast cannot read float32 as int64"):
        load(one_node("BitCast", [x], opset=26, to=TensorProto.INT64))
