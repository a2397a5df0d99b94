"""What tests of rules share: models of one node, and what others say of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, ValueInfoProto, helper
from onnx.reference import ReferenceEvaluator

from cgkit import onnx as ours
from cgkit import run


def node_model(
    operator: str,
    arrays: Sequence[Any],
    *,
    opset: int,
    outputs: int = 1,
    opened: Mapping[int, Mapping[int, str]] | None = None,
    **attributes: Any,
) -> ModelProto:
    """Make a model of one node, whose inputs are those arrays; None stands for one left out."""
    inputs = ["" if array is None else f"x{i}" for i, array in enumerate(arrays)]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(operator, inputs, results, name="node", **attributes)
    infos = []
    for i, array in enumerate(arrays):
        if array is not None:
            shape = [(opened or {}).get(i, {}).get(k, size) for k, size in enumerate(array.shape)]
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            infos.append(helper.make_tensor_value_info(inputs[i], kind, shape))
    ends = [ValueInfoProto(name=name) for name in results]  # of any type
    graph = helper.make_graph([node], "graph", infos, ends)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def same(found: Sequence[Any], expected: Sequence[Any], rtol: float, atol: float) -> None:
    """Compare results: dtype, shape and numbers."""
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


@pytest.fixture
def agree() -> Callable[..., None]:
    """Demand that one node gives what the reference gives: evaluated, as a graph, and opened.

    `known` numbers the inputs that a graph must know; `opened` names open sizes: {0: {0: "N"}} says
    that axis 0 of input 0 is. `expected` stands for the reference's answer where it has none.
    """

    def check(
        operator: str,
        *arrays: Any,
        opset: int,
        known: Sequence[int] = (),
        outputs: int = 1,
        opened: Mapping[int, Mapping[int, str]] | None = None,
        expected: Sequence[Any] | None = None,
        rtol: float = 1e-5,
        atol: float = 1e-6,
        **attributes: Any,
    ) -> None:
        feeds = {f"x{i}": array for i, array in enumerate(arrays) if array is not None}
        fixed = {name: array for name, array in feeds.items() if int(name[1:]) in known}
        model = node_model(operator, arrays, opset=opset, outputs=outputs, **attributes)
        if expected is None:
            expected = [np.asarray(y) for y in ReferenceEvaluator(model).run(None, feeds)]
        evaluated = ours.evaluate(model, feeds)
        same([evaluated[f"y{i}"] for i in range(outputs)], expected, rtol, atol)
        for sizes in (None, opened) if opened else (None,):
            model = node_model(
                operator, arrays, opset=opset, outputs=outputs, opened=sizes, **attributes
            )
            graph = ours.load(model, known=fixed)
            same(run(graph, *(feeds[e.node.name] for e in graph.inputs)), expected, rtol, atol)

    return check


@pytest.fixture
def one_node() -> Callable[..., ModelProto]:
    """Make models of one node."""
    return node_model


@pytest.fixture
def normal() -> Callable[..., np.ndarray]:
    """Draw numbers around 0, of a shape; float32 if not said otherwise."""
    rng = np.random.default_rng(5)

    def draw(*shape: int, dtype: str = "float32") -> np.ndarray:
        return rng.normal(size=shape).astype(dtype)

    return draw
