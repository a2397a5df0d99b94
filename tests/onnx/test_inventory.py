import pytest
from onnx.parser import parse_model

from cgkit.errors import OnnxError
from cgkit.onnx.inventory import MissingOperators, check_operators
from cgkit.onnx.reading import Limits, open_model

HEAD = '<ir_version: 8, opset_import: ["": 18, "com.example": 1]> g (float[2] x) => (float[2] y) '


def check(text, **limits):
    check_operators(open_model(parse_model(HEAD + text), Limits(**limits)))


def test_operators_with_rules_and_functions_of_them_pass():
    check("{ a = Add(x, x) y = HardSwish(a) }")


def test_all_that_are_missing_are_named_at_once():
    with pytest.raises(MissingOperators) as caught:
        check("{ a = com.example.Twice(x) b = com.example.Twice(a) y = com.example.Half(b) }")
    message = str(caught.value)
    assert "2 operators" in message
    assert "com.example.Twice (opset 1) at node 'a' and 1 more" in message
    assert "com.example.Half (opset 1) at node 'y'" in message
    assert [(each.operator, each.count) for each in caught.value.missing] == [
        ("com.example.Twice", 2), ("com.example.Half", 1),
    ]  # fmt: skip


def test_one_is_named_in_the_first_line():
    with pytest.raises(MissingOperators, match=r"no rule for com\.example\.Twice \(opset 1\)"):
        check("{ y = com.example.Twice(x) }")


def test_a_list_of_many_is_cut():
    names = [f"a{i}" for i in range(30)]
    nodes = " ".join(f"{name} = com.example.Op{name}(x)" for name in names)
    with pytest.raises(MissingOperators, match="22 others"):
        check("{ " + nodes + " y = Neg(x) }")


DOUBLING = """<domain: "com.example", opset_import: ["": 18, "com.example": 1]>
f{n} (a) => (c) {{ b = com.example.f{m}(a) c = com.example.f{m}(b) }} """


def test_functions_that_double_each_other_are_counted_not_walked():
    functions = "".join(DOUBLING.format(n=n, m=n + 1) for n in range(20))
    functions += '<domain: "com.example", opset_import: ["": 18]> f20 (a) => (b) { b = Neg(a) }'
    text = "{ y = com.example.f0(x) }" + functions
    check(text, nodes=2**23)
    with pytest.raises(OnnxError, match="with functions in place: 3,145,727"):
        check(text)
    with pytest.raises(OnnxError, match="functions and graphs within each other"):
        check(text, nodes=2**23, depth=19)


def test_what_a_function_lacks_is_found():
    with pytest.raises(MissingOperators, match=r"com\.example\.Twice"):
        check(
            '{ y = com.example.f(x) } <domain: "com.example", opset_import: ["com.example": 1]>'
            " f (a) => (b) { b = com.example.Twice(a) }"
        )


def test_an_operator_set_must_have_a_version():
    text = '<ir_version: 8, opset_import: ["d": 1]> g (float[2] x) => (float[2] y) { y = Neg(x) }'
    with pytest.raises(OnnxError, match=r"Neg at node 'y' .* no version is asked: that of ONNX"):
        check_operators(open_model(parse_model(text)))


def test_nodes_of_branches_count_and_are_looked_at():
    branches = """{{ y = If (c) <then_branch = t () => (float a) {{ {then} }},
                              else_branch = e () => (float b) {{ b = Neg(x) }}> }}"""
    made = parse_model(
        '<ir_version: 8, opset_import: ["": 18]> f (bool c, float x) => (float y) '
        + branches.format(then="k = Neg(x) a = Abs(k)")
    )
    with pytest.raises(OnnxError, match="with functions in place: 4; limits allow 3"):
        check_operators(open_model(made, Limits(nodes=3)))
    check_operators(open_model(made, Limits(nodes=4)))
