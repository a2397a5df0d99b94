"""The light models: what their suite compares, and that its measure is right."""

import numpy as np
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from cgkit import run
from cgkit.conformance import light as suite
from cgkit.conformance.light import (
    LIGHT,
    NAMES,
    READINGS,
    Trial,
    difference,
    inputs_for,
    judged,
    light,
    path_of,
)
from cgkit.conformance.reweighting import with_weights
from cgkit.conformance.tally import Outcome
from cgkit.onnx import to_model

LIGHTEST = ("shufflenet", "squeezenet")
HEAVY = ("bvlc_alexnet", "vgg19", "zfnet512")


def test_there_are_nine():
    assert sorted(path.stem for path in path_of("vgg19").parent.glob("*.onnx")) == [
        f"light_{name}" for name in NAMES
    ]
    assert [case.name for case in LIGHT.prepare(None)] == list(NAMES)


def test_inputs_depend_on_the_seed():
    first, again, other = (inputs_for(light("squeezenet"), seed) for seed in (0, 0, 1))
    assert first["data_0"].shape == (1, 3, 224, 224)
    assert np.array_equal(first["data_0"], again["data_0"])
    assert not np.array_equal(first["data_0"], other["data_0"])


@pytest.mark.parametrize(("size", "low", "high"), [(5, 2, 2), (4, 1, 2), (1, 0, 0)])
def test_every_channel_is_normalized(size, low, high):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 7, 3, 2)).astype("f4")
    node = helper.make_node("LRN", ["x"], ["y"], size=size, alpha=0.3, beta=0.75, bias=2.0)
    value = helper.make_tensor_value_info
    graph = helper.make_graph([node], "g", [value("x", 1, x.shape)], [value("y", 1, x.shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    found = ReferenceEvaluator(model, new_ops=[suite._right_lrn()]).run(None, {"x": x})[0]
    for n, c, i, j in np.ndindex(*x.shape):
        near = x[n, max(0, c - low) : c + high + 1, i, j].astype("f8")
        right = x[n, c, i, j] / (2.0 + 0.3 / size * (near**2).sum()) ** 0.75
        assert found[n, c, i, j] == pytest.approx(right, rel=1e-5)


@pytest.mark.parametrize(
    ("ours", "why"),
    [
        ([np.array([1.0, 2.0])], ""),
        ([np.array([1.0, 2.00001])], ""),
        ([np.array([1.0, 2.001])], "output 0 differs by up to 0.001, where the largest is 2"),
        ([np.array([1.0, np.nan])], "output 0 differs by up to nan, where the largest is 2"),
        ([np.array([1.0, 2.0], "f4")], "output 0 is float32 (2,), not float64 (2,)"),
        ([np.array([[1.0, 2.0]])], "output 0 is float64 (1, 2), not float64 (2,)"),
        ([], "0 outputs, not 1"),
    ],
)
def test_differences_are_named(ours, why):
    assert difference(ours, [np.array([1.0, 2.0])]) == why


def test_what_goes_wrong_is_a_reason(monkeypatch):
    def broken(model):
        raise ValueError("no picture")

    monkeypatch.setattr(suite, "_drawn", broken)
    monkeypatch.setattr(suite.Trial, "graph", property(broken))
    assert judged("squeezenet") == [
        Outcome("squeezenet", READINGS, "drawn: ValueError: no picture")
    ]
    monkeypatch.setattr(suite, "_drawn", lambda model: "")
    monkeypatch.setattr(suite.Trial, "run", lambda self: "other numbers")
    assert judged("squeezenet")[0].failed == ("run", "exported")
    assert judged("squeezenet")[0].reason == "run: other numbers"


@pytest.mark.slow
@pytest.mark.parametrize("name", LIGHTEST)
def test_the_lightest_equal_the_reference(name):
    assert judged(name) == [Outcome(name)]


def other_runtime(model, arrays):
    """Let onnxruntime evaluate a model."""
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [value.name for value in model.graph.input]
    return session.run(None, dict(zip(names, arrays, strict=True)))


@pytest.mark.oracle
@pytest.mark.parametrize("name", NAMES)
def test_another_runtime_gives_the_same(name):
    """For what is written as ONNX again; and, where that is quick, for what was read."""
    trial = Trial(light(name))
    given = list(trial.inputs.values())
    ours = run(trial.graph, *given)
    assert difference(other_runtime(to_model(trial.graph), given), ours) == ""
    if name not in HEAVY:
        theirs = other_runtime(with_weights(trial.model, trial.weights), given)
        assert difference(ours, theirs) == ""
    if name in LIGHTEST:  # the measure of the others, too
        assert difference(trial.theirs, theirs) == ""
