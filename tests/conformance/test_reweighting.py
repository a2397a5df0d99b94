"""Weights drawn by the power that arrives, and the models that take them."""

import math

import numpy as np
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from cgkit import run
from cgkit.conformance.light import inputs_for, light
from cgkit.conformance.reweighting import (
    Moments,
    added,
    joined,
    max_pool,
    relu,
    weight_shapes,
    weights_for,
    with_weights,
    without_weights,
)
from cgkit.errors import OnnxError
from cgkit.onnx import load


def drawn(moments, *shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(moments.mean, math.sqrt(moments.variance), shape)


@pytest.mark.parametrize("x", [Moments(), Moments(1.0, 0.25), Moments(-0.5, 4.0)])
def test_moments_are_those_of_numbers(x):
    sample = drawn(x, 200_000)
    positive = np.maximum(sample, 0)
    assert relu(x).mean == pytest.approx(positive.mean(), abs=0.02)
    assert relu(x).variance == pytest.approx(positive.var(), abs=0.03)
    assert x.power == pytest.approx((sample**2).mean(), abs=0.05)
    largest = drawn(x, 200_000, 4).max(axis=1)  # of numbers that are not alike: an upper bound
    assert x.mean < max_pool(x, 4).mean <= largest.mean() + 0.01


def test_sums_and_neighbors():
    a, b = Moments(1.0, 2.0), Moments(3.0, 4.0)
    assert added(a, b) == Moments(4.0, 6.0)
    both = np.concatenate([drawn(a, 100_000), drawn(b, 100_000, seed=1)])
    assert joined(a, b).mean == pytest.approx(both.mean(), abs=0.02)
    assert joined(a, b).variance == pytest.approx(both.var(), abs=0.05)


@pytest.mark.parametrize("name", ["densenet121", "shufflenet", "squeezenet"])
def test_every_weight_has_its_shape_and_depends_on_the_seed(name):
    model = light(name)
    weights, again, other = (weights_for(model, seed) for seed in (0, 0, 1))
    assert {key: array.shape for key, array in weights.items()} == weight_shapes(model)
    for key, array in weights.items():
        assert array.dtype == np.float32
        assert np.array_equal(array, again[key])
        assert not np.array_equal(array, other[key])


@pytest.mark.parametrize("name", ["shufflenet", "squeezenet"])
def test_numbers_neither_die_nor_explode(name):
    """After hundreds of layers, too."""
    model = light(name)
    graph = load(with_weights(model, weights_for(model)))
    powers = []

    def watch(node, results):
        if node.operator.name in ("conv2d", "batch_norm", "relu", "concat"):
            powers.append(float((results[0].astype("f8") ** 2).mean()))

    run(graph, *inputs_for(model).values(), observe=watch)
    assert len(powers) > 50
    assert 0.1 < min(powers) < max(powers) < 10


def small():
    """Two layers, the weights of the first left out."""
    shape = numpy_helper.from_array(np.array([4, 3]), "w_0__SHAPE")
    second = numpy_helper.from_array(np.ones((2, 4), np.float32), "v")
    nodes = [
        helper.make_node("ConstantOfShape", ["w_0__SHAPE"], ["w_0"]),
        helper.make_node("Gemm", ["x", "w_0"], ["h"], transB=1),
        helper.make_node("Gemm", ["h", "v"], ["y"], transB=1),
    ]
    value = helper.make_tensor_value_info
    given = [value("x", 1, [1, 3]), value("w_0__SHAPE", 7, [2]), value("v", 1, [2, 4])]
    graph = helper.make_graph(nodes, "g", given, [value("y", 1, [1, 2])], [shape, second])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)])


def test_weights_are_put_in_or_asked_for():
    model = small()
    before = model.SerializeToString()
    weights = weights_for(model)
    x = np.ones((1, 3), np.float32)
    y = x @ weights["w_0"].T @ weights["v"].T
    for made, more in (
        (with_weights(model, weights), {}),
        (without_weights(model, weights), weights),
    ):
        assert [value.name for value in made.graph.input] == ["x"]
        found = ReferenceEvaluator(made).run(None, {"x": x, **more})[0]
        np.testing.assert_allclose(found, y, rtol=1e-6)
    assert model.SerializeToString() == before


def test_what_is_not_understood_is_an_error():
    model = small()
    model.graph.node[2].op_type = "MatMul"
    with pytest.raises(OnnxError, match="nothing is known of what MatMul makes"):
        weights_for(model)
