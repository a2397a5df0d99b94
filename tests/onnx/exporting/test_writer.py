"""The part of a model that is written: names, constants, renaming."""

import numpy as np

from cgkit.onnx.exporting.writer import Term, Writer, stored_inside

F8 = np.dtype("float64")


def test_names_are_unique():
    writer = Writer(28, taken={"x"})
    assert [writer.fresh("x"), writer.fresh("x"), writer.fresh("y")] == ["x_1", "x_2", "y"]


def test_equal_constants_are_one():
    writer = Writer(28)
    first, same = writer.constant(np.zeros(2)), writer.constant(np.zeros(2))
    others = [np.zeros(2, np.float32), np.zeros((2, 1)), np.array([0.0, -0.0])]
    assert first == same
    assert len({first.name, *(writer.constant(x).name for x in others)}) == 4
    own = writer.constant(np.zeros(2), own=True)
    assert own.name != first.name
    assert len(writer.nodes) == 5


def test_a_node_with_several_results_and_an_input_left_out():
    writer = Writer(28)
    x = Term("x", F8)
    found = writer.add("TopK", [x, None, x, None], [F8, np.dtype("int64")], "t", "deep/", axis=1)
    (node,) = writer.nodes
    assert list(node.input) == ["x", "", "x"]  # at the end nothing need stand for nothing
    assert [term.name for term in found] == list(node.output) == ["t", "t_1"]
    assert node.name == "deep/t"


def test_renaming():
    writer = Writer(28)
    (first,) = writer.add("Exp", [Term("x", F8)], [F8], "a", "deep/")
    (second,) = writer.add("Log", [first], [F8], "b")
    start = len(writer.nodes)
    (third,) = writer.add("Neg", [second], [F8], "c")
    assert writer.made_since(start) == {"c"}
    writer.rename(0, "a", "y", "deep/")
    assert [node.name for node in writer.nodes] == ["deep/y", "b", "c"]
    assert [list(node.input) for node in writer.nodes] == [["x"], ["y"], ["b"]]
    assert writer.fresh("a") == "a"
    assert third.name == "c"


def test_what_a_graph_inside_reads_is_renamed_in_it_too():
    from onnx import helper

    writer = Writer(28)
    (first,) = writer.add("Exp", [Term("x", F8)], [F8], "a")
    inner = writer.inside()
    inner.add("Neg", [first], [F8], "b")
    body = helper.make_graph(inner.nodes, "body", [], [])
    writer.add("If", [Term("p", np.dtype(bool))], [F8], "c", then_branch=body)
    writer.rename(0, "a", "y")
    assert list(writer.nodes[1].attribute[0].g.node[0].input) == ["y"]


def test_a_writer_inside_knows_what_is_around_it_unless_it_is_alone():
    writer = Writer(28)
    constant = writer.constant(np.zeros(2))
    assert writer.inside().constant(np.zeros(2)) == constant
    alone = writer.inside(alone=True)
    assert alone.constant(np.zeros(2)).name == "constant_1"
    assert (writer.depth, alone.depth, alone.inside().depth) == (0, 1, 2)


def test_what_others_read_may_not_be_renamed():
    writer = Writer(28)
    writer.constant(np.zeros(2))
    own = writer.constant(np.zeros(2), own=True)
    assert writer.made_since(0) == {own.name}


def test_tensors_hold_any_array():
    from onnx import numpy_helper

    for array in (np.array(3.0), np.zeros((0, 2)), np.arange(6).reshape(2, 3).T, np.array(True)):
        found = numpy_helper.to_array(stored_inside(array, "x"))
        np.testing.assert_array_equal(found, array)
        assert found.shape == array.shape
