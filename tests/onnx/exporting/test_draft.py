"""What a rule is given to write with, and how nodes of ours become nodes of ONNX."""

import numpy as np
import pytest

from cgkit import GraphBuilder, ops
from cgkit.errors import OnnxError
from cgkit.node import Kind, Operator
from cgkit.onnx.exporting.draft import Draft, write
from cgkit.onnx.exporting.writer import Term, Writer


@pytest.fixture
def draft():
    """One node, sigmoid of a float32[2, 3], for which nothing is written yet."""
    builder = GraphBuilder()
    y = ops.sigmoid(builder.placeholder((2, 3), "float32", name="x"))
    return Draft(Writer(28), y.node, "y", "deep")


X = Term("x", np.dtype("float32"), (2, 3))


def kinds(draft):
    return [node.op_type for node in draft.writer.nodes]


def test_numbers_take_the_dtype_of_the_first_operand(draft):
    draft.add("Max", X, 0.0)
    draft.add("Max", X, np.float64(0))  # an array stands for itself
    constants = [node for node in draft.writer.nodes if node.op_type == "Constant"]
    assert [node.attribute[0].t.data_type for node in constants] == [1, 11]


def test_nodes_are_named_after_ours(draft):
    found = draft.add("Exp", X)
    assert found.name == "y/Exp"
    assert draft.writer.nodes[-1].name == "deep/y/Exp"


def test_a_cast_that_is_none(draft):
    assert draft.cast(X, "float32") is X
    assert draft.cast(X, "int64") == Term("y/Cast", np.dtype("int64"), (2, 3))
    assert kinds(draft) == ["Cast"]


def test_shapes_that_are_there_already(draft):
    assert draft.reshape(X, (2, 3)) is X
    assert draft.transpose(X, (0, 1)) is X
    assert draft.transpose(X, (1, 0)).shape == (3, 2)


def test_reductions(draft):
    assert draft.fold("ReduceSum", X, (), False, "float32") is X
    draft.fold("ReduceSum", X, (0, 1), False, "float32")
    draft.fold("ReduceSum", X, (1,), True, "float32")
    every, one = [node for node in draft.writer.nodes if node.op_type == "ReduceSum"]
    assert (len(every.input), len(one.input)) == (1, 2)


def test_a_formula_is_written_under_the_name_of_ours(draft):
    found = draft.express(lambda x: ops.exp(x) + 1.0, X)
    assert (found.dtype, found.shape) == (np.float32, (2, 3))
    assert kinds(draft) == ["Exp", "Constant", "Add"]
    assert draft.writer.nodes[0].name == "deep/y/e"


def test_an_operator_that_onnx_does_not_have(draft):
    with pytest.raises(OnnxError, match=r"no operator Swoosh"):
        draft.add("Swoosh", X)


def halved():
    return Operator(
        "halve", lambda a: a / 2, lambda a: a, operands=1, kind=Kind.ELEMENTWISE, doc="a / 2"
    )


def test_a_rule_goes_before_a_formula_and_both_before_what_is_one_to_one():
    halve = halved()
    builder = GraphBuilder()
    graph = builder.graph([halve(builder.placeholder((2,), "float32", name="x"))])

    def wrote(**more):
        writer = Writer(28, **more)
        write(writer, graph, [Term("x", np.dtype("float32"), (2,))])
        return [node.op_type for node in writer.nodes]

    rules = {"halve": lambda draft, a: draft.add("Cos", a)}
    formulas = {"halve": lambda a: ops.sin(a)}
    halve.onnx = "Tan"
    assert wrote(rules=rules, formulas=formulas) == ["Cos"]
    assert wrote(formulas=formulas) == ["Sin"]
    assert wrote() == ["Tan"]
    halve.onnx = ""
    with pytest.raises(OnnxError, match=r"halve cannot be exported to ONNX: there is no rule"):
        wrote()


def test_results_are_cast_to_our_dtype_and_take_our_name():
    halve = halved()
    builder = GraphBuilder()
    graph = builder.graph([halve(builder.placeholder((2,), "float32", name="x"))])

    def rule(draft, a):
        return draft.add("Not", draft.cast(a, bool))

    writer = Writer(28, rules={"halve": rule})
    terms = write(writer, graph, [Term("x", np.dtype("float32"), (2,))])
    assert [node.op_type for node in writer.nodes] == ["Cast", "Not", "Cast"]
    assert terms[graph.outputs[0].key].name == "h"
    assert list(writer.nodes[-1].output) == ["h"]


def test_an_operand_given_back_stays_what_it_is():
    halve = halved()
    builder = GraphBuilder()
    graph = builder.graph([halve(builder.placeholder((2,), "float32", name="x"))])
    writer = Writer(28, rules={"halve": lambda draft, a: a})
    terms = write(writer, graph, [Term("x", np.dtype("float32"), (2,))])
    assert terms[graph.outputs[0].key].name == "x"
    assert writer.nodes == []


def test_what_no_rule_knows_is_refused():
    fork = Operator("fork", lambda a: a, lambda a: a, operands=1, family="control")
    builder = GraphBuilder()
    graph = builder.graph([fork(builder.placeholder((2,), name="x"))])
    with pytest.raises(OnnxError, match=r"fork cannot .* there is no rule for it") as caught:
        write(Writer(28), graph, [Term("x", np.dtype("float64"), (2,))])
    assert "at node  fork(x)" in caught.value.with_place()
