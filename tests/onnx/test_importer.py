import numpy as np
from onnx import TensorProto, helper, numpy_helper

from cgkit import onnx as ours
from cgkit import run


def test_a_model_becomes_a_graph_and_is_evaluated_by_the_same_rules():
    weights = numpy_helper.from_array(np.array([1, 2, 3], np.float32), "w")
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Add", ["x", "w"], ["y"])], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 3])],
            [weights],
        )
    )  # fmt: skip
    graph = ours.load(model)
    x = np.ones((2, 3), np.float32)
    assert str(graph.inputs[0].type) == "float32[N, 3]"
    np.testing.assert_array_equal(run(graph, x)[0], np.add(x, [1, 2, 3]))
    np.testing.assert_array_equal(ours.evaluate(model, {"x": x})["y"], np.add(x, [1, 2, 3]))
