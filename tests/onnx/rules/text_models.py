"""Models written as text, and what the reference of ONNX makes of them."""

import numpy as np
from onnx.parser import parse_model
from onnx.reference import ReferenceEvaluator

from cgkit import onnx as ours
from cgkit import verify
from cgkit.onnx import backend

X = np.float32([[1, -2, 3], [0.5, 4, -6]])


def model(text, opset=21):
    return parse_model(f'<ir_version: 8, opset_import: ["": {opset}]>\n{text}')


def names(graph):
    return [node.operator.name for node in graph.operators]


def check(text, *feeds, opset=21, way="static", wanted=(), expected=None):
    """Demand what the reference gives, from the prepared model and from an evaluation.

    The reference knows only some loops; for others `expected` gives the results for a feed.
    """
    made = model(text, opset)
    prepared = backend.prepare(made)
    for feed in feeds:
        results = expected(**feed) if expected else ReferenceEvaluator(made).run(None, feed)
        for found in (prepared.run(feed), tuple(ours.evaluate(made, feed).values())):
            for got, want in zip(found, results, strict=True):
                want = np.asarray(want)
                assert (got.dtype, got.shape) == (want.dtype, want.shape)
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    assert prepared.way == way
    if way == "static":
        graph = ours.load(made)
        verify(graph)
        assert set(wanted) <= set(names(graph))
        return graph
    return None
