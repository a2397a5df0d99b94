"""ONNX models as graphs, and graphs as ONNX models.

    load("model.onnx")  ─>  Graph         to run, draw, differentiate, optimize
    evaluate("model.onnx", {"x": ...})    the same rules, on arrays: node by node
    save(graph, "model.onnx")             for other runtimes; to_model(graph) keeps it in memory

    dtypes  <  reading/  <  known, sizes  <  step  <  rules/
                            functions  <  signature, inventory  <  walk  <  importer
    dtypes  <  exporting/  <  exporter  <  saving

    part: a graph inside a model     gates, sliding, resampling, points: what several rules share
    inferred, looks  <  diagram: a model drawn        summary: told in numbers
    backend: as ONNX's own tests ask

A model file is read with distrust: whatever is wrong with it is an OnnxError that says so.
"""

from cgkit.onnx.exporter import to_model
from cgkit.onnx.importer import evaluate, load
from cgkit.onnx.reading import Limits
from cgkit.onnx.saving import save

__all__ = ["Limits", "evaluate", "load", "save", "to_model"]
