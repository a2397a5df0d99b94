"""Exported graphs run by onnxruntime: every operator, random programs and their gradients.

    samples, programs ─> graph ─ to_model ─> onnxruntime   =   compute, the interpreter

FAULTS says where onnxruntime differs from all others and how, MISSING what it has no kernel for.
"""

import random
import re
import secrets

import numpy as np
import pytest

from cgkit import GraphBuilder, gradients, ops, run
from cgkit.conformance.light import NAMES, difference, inputs_for, light
from cgkit.conformance.reweighting import weights_for, with_weights
from cgkit.errors import CgkitError
from cgkit.onnx import load
from cgkit.onnx.exporter import to_model
from cgkit.onnx.exporting import reasons
from cgkit.onnx.saving import save
from cgkit.testing import ARRAY_MAKERS, MAKERS, LawBroken, random_program
from cgkit.testing.cases import is_array, open_shapes, samples_of
from cgkit.testing.exports import exported

onnxruntime = pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.oracle

OPERATORS = [one for name, one in ops.ALL.items() if name not in reasons()]
every_operator = pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: one.name)
FRESH = secrets.randbelow(10**6)
SEEDS = [1, 2, 3, pytest.param(FRESH, id="fresh")]

# On so many samples onnxruntime differs, and this is how.
FAULTS = {
    "max": (1, "its ReduceMax passes over nan"),
    "min": (1, "its ReduceMin passes over nan"),
    "argmax": (1, "its ArgMax passes over nan"),
    "argmin": (1, "its ArgMin passes over nan"),
    "max_pool": (1, "its MaxPool passes over nan"),
    "max_pool_places": (1, "its MaxPool passes over nan"),
    "argunique": (1, "its Unique takes nan for what stands before it"),
    "non_max_suppression": (1, "it puts scores of nan into another order"),
    "log_softmax": (1, "it loses the digits of numbers such as 1e300"),
    "batch_norm": (1, "it multiplies out what stands in brackets, so that inf becomes nan"),
    "fft": (1, "it multiplies nan into all of a signal"),
}
# What onnxruntime has no kernel of float64 for.
MISSING = {
    "Erf": ops.erf, "Tan": ops.tan, "Asin": ops.asin, "Acos": ops.acos, "Atan": ops.atan,
    "Sinh": ops.sinh, "Cosh": ops.cosh, "Asinh": ops.asinh, "Acosh": ops.acosh,
    "Atanh": ops.atanh, "LeakyRelu": ops.leaky_relu, "PRelu": lambda x: ops.prelu(x, 0.5),
    "Elu": ops.elu, "Selu": ops.selu, "Softplus": ops.softplus, "Softsign": ops.softsign,
    "Gelu": ops.gelu, "Det": lambda x: ops.det(x[0]),
    "Conv": lambda x: ops.conv1d(x, np.ones((3, 2, 1))),
    "ConvTranspose": lambda x: ops.conv1d_transpose(x, np.ones((2, 3, 1))),
    "AveragePool": lambda x: ops.avg_pool(x, kernel=2),
    "LpPool": lambda x: ops.lp_pool(x, kernel=2),
}  # fmt: skip
LACKING = re.compile(r"NOT_IMPLEMENTED.*implementation for (\w+)\(", re.DOTALL)


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def by_onnxruntime(model, arrays):
    session = session_of(model.SerializeToString())
    named = [given.name for given in session.get_inputs()]
    return session.run(None, dict(zip(named, arrays, strict=True)))


def failure(operator, sample, **more):
    """Say why the law does not hold of a sample; "" if it does, None where a kernel is missing."""
    try:
        exported(operator, sample, evaluate=by_onnxruntime, **more)
    except (CgkitError, LawBroken) as error:
        if isinstance(error, CgkitError) and not isinstance(error, LawBroken):
            raise
        return str(error)
    except Exception as error:  # onnxruntime's errors have no class in common
        lacking = LACKING.search(str(error))
        if lacking is None:
            return str(error)
        bits = operator.name == "bitcast" and sample.operands[0].dtype == bool
        assert lacking[1] in MISSING or (lacking[1] == "BitCast" and bits)
        return None
    return ""


def test_a_network_for_images_of_any_size(images_of_any_size):
    graph, _, given = images_of_any_size
    model = to_model(graph)
    for arrays in given:
        for ours, theirs in zip(by_onnxruntime(model, arrays), run(graph, *arrays), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


@every_operator
def test_it_gives_its_values(operator):
    allowed, _ = FAULTS.get(operator.name, (0, ""))
    found = [failure(operator, sample) for sample in samples_of(operator)]
    assert len([why for why in found if why]) == allowed, found
    assert "" in found  # float32, if nothing else, has been run


@every_operator
def test_it_is_written_with_open_sizes(operator):
    for sample in samples_of(operator)[:4]:
        for shapes in open_shapes([x.shape for x in sample.operands if is_array(x)]):
            try:
                why = failure(operator, sample, shapes=shapes)
            except CgkitError as error:  # some sizes must be known
                why = "" if "known" in str(error) or "is open" in str(error) else repr(error)
            assert not why, shapes


@every_operator
def test_it_is_written_in_older_words(operator):
    opset = {"cumprod": 26, "bitcast": 26}.get(operator.name, 21)
    for sample in samples_of(operator)[:4]:
        assert not failure(operator, sample, opset=opset)


@pytest.mark.parametrize("kernel", sorted(MISSING))
def test_a_kernel_is_still_missing(kernel):
    builder = GraphBuilder()
    x = builder.placeholder((1, 2, 2), name="x")
    model = to_model(builder.graph([MISSING[kernel](x)]))
    with pytest.raises(Exception, match="NOT_IMPLEMENTED"):
        session_of(model.SerializeToString())


def agree(graph, arrays, tolerance):
    with np.errstate(all="ignore"):
        expected = run(graph, *arrays)
    for found, wanted in zip(by_onnxruntime(to_model(graph), arrays), expected, strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", SEEDS)
def test_programs_and_their_gradients(seed):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    for _ in range(100):
        program = random_program(
            draw, steps=draw.randint(1, 8), dtype="float32", makers=[*MAKERS, *ARRAY_MAKERS]
        )
        builder = GraphBuilder()
        values = [builder.placeholder(t.shape, t.dtype) for t in program.inputs]
        y = program.run(values)[0]
        slopes = [slope for slope in gradients(y, values) if slope is not None]
        agree(builder.graph([y, *slopes], values), program.draw(rng), 2e-3)


def test_a_network_with_its_gradients():
    builder = GraphBuilder()
    rng = np.random.default_rng(0)
    x = builder.placeholder((None, 1, 8, 8), "float32", name="x")
    w = builder.variable(rng.normal(size=(4, 1, 3, 3)).astype("float32"), name="w")
    v = builder.variable(rng.normal(size=(36, 3)).astype("float32"), name="v")
    h = ops.max_pool(ops.gelu(ops.conv2d(x, w)), kernel=2)
    loss = ops.cross_entropy(ops.matmul(ops.flatten(h, 1), v), np.array([0, 2, 1, 1]))
    graph = builder.graph([loss, *gradients(loss, [w, v, x])])
    agree(graph, [rng.normal(size=(4, 1, 8, 8)).astype("float32")], 1e-4)


@pytest.mark.parametrize("most", [10**9, 0])
def test_files(tmp_path, most):
    builder = GraphBuilder()
    x = builder.placeholder((2000,), "float32", name="x")
    w = builder.variable(np.arange(2000, dtype=np.float32), name="w")
    c = builder.constant(np.ones(2000, np.float32))
    path = save(builder.graph([x * w + c]), tmp_path / "net.onnx", most=most)
    assert len(list(tmp_path.iterdir())) == (2 if most == 0 else 1)
    (found,) = session_of(str(path)).run(None, {"x": np.full(2000, 2, np.float32)})
    np.testing.assert_array_equal(found, 2 * np.arange(2000.0) + 1)


LARGE = ("bvlc_alexnet", "vgg19", "zfnet512")


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.slow) if x in LARGE else x for x in NAMES]
)
def test_networks_are_written_back(name):
    model = light(name)
    named, inputs = weights_for(model, 0), inputs_for(model)
    weighted = with_weights(model, named)
    graph = load(weighted)
    (expected,) = session_of(weighted.SerializeToString()).run(None, inputs)
    returned = to_model(graph)
    assert [end.name for end in returned.graph.output] == [end.name for end in model.graph.output]
    found = by_onnxruntime(returned, [inputs[edge.node.name] for edge in graph.inputs])
    assert not difference(found, [expected])
