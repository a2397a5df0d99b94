"""Random programs and their gradients as ONNX models.

program ─> graph, its gradients ─ to_model ─> onnx's reference   =   the interpreter
"""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cgkit import GraphBuilder, gradients, run
from cgkit.onnx import load
from cgkit.onnx.exporter import to_model
from cgkit.testing import ARRAY_MAKERS, MAKERS, programs
from cgkit.testing.exports import by_reference

FAULT = "softsign"
"""The reference makes no array of softsign of a single number."""
SEEDS = st.integers(0, 2**32 - 1)
EVERY = [*MAKERS, *ARRAY_MAKERS]


def agree(graph, arrays, tolerance):
    with np.errstate(all="ignore"):
        expected = run(graph, *arrays)
    for found, wanted in zip(by_reference(to_model(graph), arrays), expected, strict=True):
        assert np.asarray(found).dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
    return expected


@settings(max_examples=60)
@given(programs(makers=EVERY), SEEDS)
def test_values(program, seed):
    assume(FAULT not in str(program))
    arrays = program.draw(np.random.default_rng(seed))
    graph = program.graph()
    expected = agree(graph, arrays, 1e-6)
    with np.errstate(all="ignore"):
        back = run(load(to_model(graph)), *arrays)
    for found, wanted in zip(back, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


@settings(max_examples=40)
@given(programs(most=6, makers=EVERY), SEEDS)
def test_gradients(program, seed):
    assume(FAULT not in str(program))
    builder = GraphBuilder()
    values = [builder.placeholder(t.shape, t.dtype) for t in program.inputs]
    y = program.run(values)[0]
    slopes = [slope for slope in gradients(y, values) if slope is not None]
    agree(builder.graph([y, *slopes], values), program.draw(np.random.default_rng(seed)), 1e-5)
