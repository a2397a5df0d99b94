import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx import load

OPEN = {0: {0: "N"}}
X = np.array([[-3.0, -1.0, -0.5, -0.0], [0.25, 1.0, 2.0, 4.0]], "float32")
HALF = {"rtol": 3e-3, "atol": 2e-3}


@pytest.mark.parametrize(
    ("operator", "opset", "settings"),
    [
        ("Elu", 6, {}), ("Elu", 22, {"alpha": 0.5}), ("Celu", 12, {}), ("Celu", 12, {"alpha": 2.0}),
        ("Selu", 6, {}), ("Selu", 22, {"alpha": 1.5, "gamma": 2.0}), ("LeakyRelu", 6, {}),
        ("LeakyRelu", 16, {"alpha": 0.3}), ("HardSigmoid", 6, {}),
        ("HardSigmoid", 22, {"alpha": 0.5, "beta": 0.1}), ("HardSwish", 14, {}),
        ("Mish", 18, {}), ("Softplus", 1, {}), ("Softsign", 22, {}), ("Relu", 6, {}),
        ("Relu", 14, {}), ("ThresholdedRelu", 10, {}), ("ThresholdedRelu", 22, {"alpha": -0.7}),
        ("Gelu", 20, {}), ("Gelu", 20, {"approximate": "tanh"}), ("Swish", 24, {}),
        ("Swish", 24, {"alpha": 0.5}), ("Sigmoid", 6, {}), ("Tanh", 13, {}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_bends(agree, operator, opset, settings, dtype):
    x = X.astype(dtype)
    if operator == "Celu" and dtype != "float32":
        opset = 28
    loose = HALF if dtype == "float16" else {}
    agree(operator, x, opset=opset, opened=OPEN, **loose, **settings)
    agree(operator, x[:0], opset=opset, **settings)
    half = [np.array(0.5, dtype)] if operator == "Softsign" else None  # the reference has none
    agree(operator, np.asarray(x[1, 1]), opset=opset, expected=half, **loose, **settings)


def test_first_defaults_of_selu(agree):
    for opset, alpha, gamma in ((1, 1.6732, 1.0507), (6, 1.6732632423543772, 1.0507009873554805)):
        want = np.where(X > 0, X, alpha * np.expm1(X.astype("float64"))) * gamma
        agree("Selu", X, opset=opset, expected=[want.astype("float32")], rtol=2e-7, atol=0)


def test_whole_numbers_and_nan(agree):
    agree("Relu", np.array([-3, 0, 4], "int8"), opset=14)
    x = np.array([np.nan, np.inf, -np.inf], "float32")
    agree("ThresholdedRelu", x, opset=22, expected=[np.array([0, np.inf, 0], "float32")])
    agree("LeakyRelu", x, opset=16, alpha=0.5, expected=[x])
    agree("HardSigmoid", x, opset=6, expected=[np.array([np.nan, 1, 0], "float32")])
    agree("Elu", x, opset=6, expected=[np.array([np.nan, np.inf, -1], "float32")])


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_scores_along_one_axis(agree, normal, operator, dtype):
    x = normal(2, 3, 4, dtype=dtype)
    loose = HALF if dtype == "float16" else {}
    for axis in (0, 1, -1, -2):
        agree(operator, x, opset=13, axis=axis, opened={0: {0: "N", 1: "M"}}, **loose)
    agree(operator, x, opset=13, **loose)
    agree(operator, x[:0], opset=13, expected=[x[:0]])
    agree(operator, x[0, 0, :1], opset=13)


def as_one(operator, x, axis):
    """What operator sets before 13 say: the axes from one on are laid end to end."""
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1)
    powers = np.exp(rows - rows.max(1, keepdims=True))
    found = powers / powers.sum(1, keepdims=True)
    if operator == "LogSoftmax":
        found = np.log(found)
    elif operator == "Hardmax":
        found = np.eye(rows.shape[1])[rows.argmax(1)]
    return found.reshape(x.shape).astype(x.dtype)


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("opset", [1, 11])
def test_scores_along_all_further_axes(agree, normal, operator, opset):
    x = normal(2, 3, 4)
    for axis in (0, 1, 2):
        want = as_one(operator, x, axis)
        agree(operator, x, opset=opset, axis=axis, expected=[want], opened={0: {0: "N", 2: "M"}})
    agree(operator, x, opset=opset, expected=[as_one(operator, x, 1)])
    agree(operator, x, opset=opset, axis=-1, expected=[as_one(operator, x, 2)])
    agree(operator, x[:, :0], opset=opset, expected=[x[:, :0]])
    alone = np.zeros(2, "float32") if operator == "LogSoftmax" else np.ones(2, "float32")
    agree(operator, x[:, 0, 0], opset=opset, expected=[alone])


def test_the_first_of_equals_is_the_largest(agree):
    x = np.array([[1, 3, 3], [2, 2, 0]], "float32")
    agree("Hardmax", x, opset=13, expected=[np.array([[0, 1, 0], [1, 0, 0]], "float32")])
    agree("Hardmax", x, opset=11, axis=0, expected=[np.array([[0, 1, 0], [0, 0, 0]], "float32")])


def test_no_such_axis(one_node):
    for opset in (13, 11):
        for operator in ("Softmax", "Hardmax"):
            with pytest.raises(OnnxError, match="axis 3"):
                load(one_node(operator, [X], opset=opset, axis=3))
