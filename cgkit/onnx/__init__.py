"""ONNX models as graphs, and graphs as ONNX models.

    load("model.onnx")  ─>  Graph         to run, draw, differentiate, optimize
    evaluate("model.onnx", {"x": ...})    the same rules, on arrays: node by node

    dtypes  <  reading/  <  known, sizes  <  step  <  rules/
                            functions  <  signature, inventory  <  walk  <  importer

A model file is read with distrust: whatever is wrong with it is an OnnxError that says so.
"""

from cgkit.onnx.importer import evaluate, load
from cgkit.onnx.reading import Limits

__all__ = ["Limits", "evaluate", "load"]
