"""Nodes that ONNX does not allow are told before their rules see them."""

import numpy as np
import pytest
from onnx import helper

from cgkit.onnx.signature import signature_of

F, D, I64 = (np.zeros(2, dtype) for dtype in ("float32", "float64", "int64"))


def complaint(operator, operands, opset=18, outputs=("y",), **attributes):
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(operands)]
    node = helper.make_node(operator, names, list(outputs), **attributes)
    return signature_of(operator, "", opset).complaint(node, operands)


@pytest.mark.parametrize(
    ("operator", "operands", "attributes"),
    [
        ("Add", [F, F], {}), ("Gather", [F, I64], {"axis": 0}), ("Concat", [F] * 5, {"axis": 0}),
        ("Clip", [F, None, F], {}), ("Clip", [F], {}), ("Where", [F > 0, D, D], {}),
    ],
)  # fmt: skip
def test_what_onnx_allows_passes(operator, operands, attributes):
    assert complaint(operator, operands, **attributes) == ""


@pytest.mark.parametrize(
    ("operator", "operands", "attributes", "said"),
    [
        ("Add", [F], {}, "takes at least 2 inputs, got 1"),
        ("Add", [F, F, F], {}, "takes 2 inputs, got 3"),
        ("Add", [F, D], {}, "wants one type, got float32 and float64 (its input 'B')"),
        ("Gather", [F, F], {}, "takes no float32 as 'indices'"),
        ("Gather", [F, I64], {"axes": 0}, "has no attribute 'axes'"),
        ("Gather", [F, I64], {"axis": 0.5}, "wants the attribute 'axis' as INT, not FLOAT"),
        ("Add", [None, F], {}, "needs its input 'A'"),
        ("And", [F, F], {}, "takes no float32 as 'A'"),
    ],
)
def test_what_it_does_not_allow_is_said(operator, operands, attributes, said):
    assert complaint(operator, operands, **attributes) == said


def test_more_outputs_than_there_are():
    assert complaint("Add", [F, F], outputs=("a", "b")) == "has 1 outputs, not 2"


def test_versions_differ():
    assert complaint("Add", [F, F], opset=6, broadcast=1) == ""
    assert complaint("Add", [F, F], opset=7, broadcast=1) == "has no attribute 'broadcast'"


def test_what_onnx_does_not_know_has_no_signature():
    assert signature_of("Unheard", "", 18) is None
    assert signature_of("Add", "com.example", 1) is None
