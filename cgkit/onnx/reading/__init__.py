"""Read ONNX models that a stranger may have written.

    open_model("model.onnx", limits)  ─>  Model       whole, in order, of a size that is allowed
    read_tensor(model's tensor)       ─>  array       sizes checked before anything is allocated

    limits, files  <  tensors  <  attributes
                      structure  <  model

Whatever is wrong is an OnnxError. Numbers in other files are read from the model's own folder only.
"""

from cgkit.onnx.reading.attributes import Refused, read_attribute, type_of
from cgkit.onnx.reading.limits import Limits
from cgkit.onnx.reading.model import DEFAULT, Model, Source, key_of, open_model, read_model
from cgkit.onnx.reading.structure import domain_of, graphs_of, node_name, opsets_of
from cgkit.onnx.reading.tensors import read_tensor

__all__ = [
    "DEFAULT", "Limits", "Model", "Refused", "Source", "domain_of", "graphs_of", "key_of",
    "node_name", "open_model", "opsets_of", "read_attribute", "read_model", "read_tensor",
    "type_of",
]  # fmt: skip
