import pytest

from cgkit.checks.labels import Meaning, read_label

OPERATIONS = {
    "add": ["+", "add", "Add", "z = x + y", "plus", "add (float32)", "op: add", "s\n+"],
    "multiply": [
        "*",
        "\N{MULTIPLICATION SIGN}",
        "·",
        "mul",
        "multiply",
        "x * y",
        "times",
        "Mul\nfloat64[2]",
    ],
    "maximum": ["max", "Max", "maximum", "max(a, b)", "m = max(x², y²)", "np.maximum(a, b)"],
    "minimum": ["min", "minimum", "min(x, y)"],
    "square": ["x^2", "x**2", "x²", "^2", "**2", "²", "square", "sq(x)", "x*x", "pow(x, 2)"],
    "power": ["pow", "**", "^", "power", "x ** y"],
    "subtract": ["-", "\N{MINUS SIGN}", "sub", "x - y"],
    "log": ["log", "ln", "log(x)"],
    "negate": ["neg", "-x"],
}


@pytest.mark.parametrize(
    ("operation", "label"), [(name, label) for name, all_ in OPERATIONS.items() for label in all_]
)
def test_operations(operation, label):
    meaning = read_label(label)
    assert (meaning.kind, meaning.text) == ("operation", operation)


@pytest.mark.parametrize(
    ("label", "name"),
    [("x", "x"), ("input x", "x"), ("x = 3", "x"), ("x: float32", "x"), ("W1\n(784, 256)", "W1")],
)
def test_names(label, name):
    meaning = read_label(label)
    assert (meaning.kind, meaning.text) == ("name", name)


@pytest.mark.parametrize(("label", "number"), [("2", "2"), ("2.0", "2"), ("constant 0.5", "0.5")])
def test_numbers(label, number):
    meaning = read_label(label)
    assert (meaning.kind, meaning.text) == ("number", number)


def test_full_labels_name_their_operands():
    assert read_label("x + y").full
    assert read_label("max(x, y)").full
    assert not read_label("+").full
    assert not read_label("max").full


@pytest.mark.parametrize("label", ["", "???", "(((", "x" * 5000, "__import__('os')", "\x00"])
def test_nonsense_is_a_name(label):
    assert read_label(label).kind in ("name", "operation")


@pytest.mark.parametrize("label", ["dz/dx", "dz / dx", "∂z/∂x", "∂z / ∂x"])
def test_a_gradient_is_a_name_and_no_division(label):
    assert read_label(label) == Meaning("name", "dz_dx")
    assert read_label(f"{label} = +") == Meaning("operation", "add")


@pytest.mark.parametrize("label", ["d/x", "z/dx", "dz/x", "data/depth", "dz/dx/2"])
def test_other_quotients_are_divisions(label):
    assert read_label(label).text == "divide"
