"""Nodes stand in an order in which they can be walked, and every name is made once."""

import pytest
from onnx import OperatorSetIdProto, helper
from onnx.parser import parse_function, parse_graph

from cgkit.errors import OnnxError
from cgkit.onnx.reading.structure import check_function, check_graph, depth_of, opsets_of


def opset(version, domain=""):
    return OperatorSetIdProto(domain=domain, version=version)


def test_opsets_go_by_one_spelling():
    found = opsets_of([opset(13, "ai.onnx"), opset(1, "com.example")], 8)
    assert found == {"": 13, "com.example": 1}


def test_the_first_models_say_no_opset():
    assert opsets_of([], 2) == {"": 1}


@pytest.mark.parametrize(
    ("entries", "match"),
    [
        ([], "does not say"), ([opset(0)], "version 0"), ([opset(-1)], "version -1"),
        ([opset(10_000)], "newer package"), ([opset(13), opset(12, "ai.onnx")], "twice"),
    ],
)  # fmt: skip
def test_opsets_that_cannot_be_are_refused(entries, match):
    with pytest.raises(OnnxError, match=match):
        opsets_of(entries, 8)


def graph(text):
    return parse_graph("g (float[2] x, float[2] w) => (float[2] y) {" + text + "}")


def test_a_graph_in_order_passes():
    check_graph(graph("a = Add(x, w) b, c = Split(a) y = Mul(b, c)"))


def test_a_parameter_may_be_an_input_too():
    known = graph("y = Add(x, w)")
    known.initializer.append(helper.make_tensor("w", 1, [2], [1.0, 2.0]))
    check_graph(known)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("y = Add(x, z)", "Add at node 'y' reads 'z', which nothing makes"),
        ("y = Neg(a) a = Neg(x)", "reads 'a', which is made only later"),
        ("a = Neg(b) b = Neg(c) c = Neg(a) y = Neg(a)", "cycle: 'a'"),
        ("y = Neg(y)", "cycle: 'y' -> 'y'"),
        ("y = Neg(x) y = Abs(x)", "'y' is made twice"),
        ("x = Neg(x) y = Neg(x)", "'x' is made twice"),
        ("a = Neg(x)", "the output 'y' is made by no node"),
    ],
)
def test_what_cannot_be_walked_is_named(text, match):
    with pytest.raises(OnnxError, match=match):
        check_graph(graph(text))


@pytest.mark.parametrize(
    ("head", "match"),
    [
        ("(float[2] x, float[2] x) => (float[2] y)", "two inputs of the model are called 'x'"),
        ("(float[2] x) => (float[2] y, float[2] y)", "two outputs of the model are called 'y'"),
    ],
)
def test_two_of_one_name_are_refused(head, match):
    with pytest.raises(OnnxError, match=match):
        check_graph(parse_graph("g " + head + " { y = Neg(x) }"))


def test_a_part_may_give_one_tensor_twice():
    text = "y = If (c) <then_branch = t () => (float[2] a, float[2] a) { a = Neg(x) }>"
    check_graph(parse_graph(f"g (bool c, float[2] x) => (float[2] y) {{ {text} }}"))


def test_how_deep_graphs_lie_is_counted_no_further_than_asked():
    known = graph("y = Neg(x)")
    assert depth_of(known.node, 9) == 0
    inner = known
    for _ in range(5_000):
        inner = inner.node.add(op_type="If").attribute.add(name="then_branch", type=5).g
    inner.node.add(op_type="Neg")
    assert (depth_of(known.node, 9), depth_of(known.node, 9_000)) == (10, 5_000)


def test_a_node_without_operator_is_refused():
    known = graph("y = Neg(x)")
    known.node[0].op_type = ""
    with pytest.raises(OnnxError, match="no operator"):
        check_graph(known)


def test_an_attribute_that_stands_twice_is_refused():
    known = graph("y = Split<axis=0>(x)")
    known.node[0].attribute.append(known.node[0].attribute[0])
    with pytest.raises(OnnxError, match="twice"):
        check_graph(known)


def test_a_function_is_checked_as_a_graph_is():
    head = '<domain: "d", opset_import: ["": 13]> f (a) => (b) '
    check_function(parse_function(head + "{ b = Neg(a) }"))
    with pytest.raises(OnnxError, match="nothing makes") as caught:
        check_function(parse_function(head + "{ b = Neg(c) }"))
    assert "in the function 'f'" in caught.value.with_place()


def test_an_attribute_refers_only_to_those_of_the_function_around_it():
    head = '<domain: "d", opset_import: ["": 13]> f <k> (a) => (b) '
    check_function(parse_function(head + "{ b = Softmax <axis: int = @k> (a) }"))
    with pytest.raises(OnnxError, match="refers to 'other', which no function around it has"):
        check_function(parse_function(head + "{ b = Softmax <axis: int = @other> (a) }"))
    known = graph("y = Softmax(x)")
    known.node[0].attribute.add(name="axis", ref_attr_name="k", type=2)
    with pytest.raises(OnnxError, match="'axis' of Softmax at node 'y' refers to 'k'"):
        check_graph(known)
