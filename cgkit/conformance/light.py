"""The nine light models of the onnx package: whole networks, run by cgkit and by ONNX's reference.

    light_resnet50.onnx ─ weights drawn ─┬─> cgkit.onnx.load ─> Graph ─ run ─┐
                                         └─> onnx.reference ─────────────────┴─> the same numbers

The models hold the architecture of a network and of its weights only the shapes, so that the
outputs that come with them tell little. With weights that depend on a seed the outputs do.

ONNX's reference is wrong in three operators of these old models: BatchNormalization and Softmax
before opset 13 and 14, which it reads as the later ones, and LRN, of which it normalizes as many
channels as there are images. ONNX's own converter brings the first two to a later opset, and LRN is
written here anew, by the formula of its specification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cgkit.conformance.reweighting import weights_for, with_weights, without_weights
from cgkit.conformance.suite import Case, Suite, said
from cgkit.conformance.tally import Outcome

NAMES = (
    "bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet",
    "squeezenet", "vgg19", "zfnet512",
)  # fmt: skip
READINGS = ("drawn", "run")
OPSET = 15
"""What the reference evaluates: the first opset at which it is right."""
SEED = 0
RELATIVE = 1e-4
"""How far two floats may differ after some hundred layers, beside the largest of them."""


def path_of(name: str) -> Path:
    """Give the file of a light model, within the onnx package."""
    import onnx

    return Path(onnx.__file__).parent / f"backend/test/data/light/light_{name}.onnx"


def light(name: str) -> Any:
    """Read a light model, as it is."""
    import onnx

    return onnx.load(path_of(name))


def inputs_for(model: Any, seed: int = SEED) -> dict[str, np.ndarray]:
    """Draw a value for each input of a model that has no weight for it."""
    rng = np.random.default_rng(seed)
    stored = {tensor.name for tensor in model.graph.initializer}
    shapes = {
        value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in model.graph.input
        if value.name not in stored
    }
    return {name: rng.standard_normal(s, dtype=np.float32) for name, s in shapes.items()}


def expected(
    model: Any, weights: Mapping[str, np.ndarray], inputs: Mapping[str, np.ndarray]
) -> list[np.ndarray]:
    """Let ONNX's reference evaluate a light model with these weights."""
    from onnx import version_converter
    from onnx.reference import ReferenceEvaluator

    later = without_weights(version_converter.convert_version(model, OPSET), weights)
    evaluator = ReferenceEvaluator(later, new_ops=[_right_lrn()])
    return list(evaluator.run(None, {**weights, **inputs}))


def _right_lrn() -> Any:
    """Make an operator LRN for ONNX's reference that normalizes every channel."""
    from onnx.reference.op_run import OpRun

    class LRN(OpRun):
        op_domain = ""

        def _run(
            self, x: np.ndarray, alpha: float, beta: float, bias: float, size: int
        ) -> tuple[np.ndarray]:
            squares = np.zeros_like(x)
            for channel in range(x.shape[1]):
                low = max(0, channel - (size - 1) // 2)
                high = min(x.shape[1] - 1, channel + size // 2)
                squares[:, channel] = (x[:, low : high + 1] ** 2).sum(axis=1)
            return ((x / (bias + alpha / size * squares) ** beta).astype(x.dtype),)

    return LRN


def difference(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> str:
    """Say where two lists of arrays differ by more than rounding; "" where they do not.

    Examples
    --------
    >>> difference([np.ones(2)], [np.ones(2)]), difference([np.ones(2)], [np.array([1, 2.0])])
    ('', 'output 0 differs by up to 1, where the largest is 2')
    """
    if len(ours) != len(theirs):
        return f"{len(ours)} outputs, not {len(theirs)}"
    for number, (our, their) in enumerate(zip(ours, theirs, strict=True)):
        if our.shape != their.shape or our.dtype != their.dtype:
            return f"output {number} is {our.dtype} {our.shape}, not {their.dtype} {their.shape}"
        largest = float(np.abs(their).max(initial=0))
        apart = float(np.abs(our - their).max(initial=0))
        if not apart <= RELATIVE * largest:  # nan is not
            return (
                f"output {number} differs by up to {apart:.3g}, where the largest is {largest:.3g}"
            )
    return ""


def prepare(folder: Path) -> list[Case]:
    """Make a case of each model."""
    return [Case(name, name, partial(judged, name)) for name in NAMES]


def judged(name: str) -> Sequence[Outcome]:
    """Look at one model in every reading."""
    model = light(name)
    weights, inputs = weights_for(model, SEED), inputs_for(model)
    failed, reason = [], ""
    for reading, look in (("drawn", _drawn), ("run", partial(_run, weights, inputs))):
        try:
            why = look(model)
        except Exception as error:
            why = said(error)
        if why:
            failed.append(reading)
            reason = reason or f"{reading}: {why}"
    return [Outcome(name, tuple(failed), reason)]


def _drawn(model: Any) -> str:
    """Draw a model twice, in no more boxes than one can look at; say what went wrong."""
    from cgkit.onnx.diagram import diagram
    from cgkit.render import draw
    from cgkit.render.fold import LEGIBLE

    first, second = (draw(diagram(model), most=LEGIBLE).source for _ in range(2))
    if first != second:
        return "two pictures of one model differ"
    boxes = first.count("label=<<b>")
    return f"the picture has {boxes} boxes" if not 0 < boxes <= LEGIBLE else ""


def _run(weights: Mapping[str, np.ndarray], inputs: Mapping[str, np.ndarray], model: Any) -> str:
    """Run a model with weights and compare; say what differs."""
    from cgkit.interpret import run
    from cgkit.onnx import load

    graph = load(with_weights(model, weights))
    given = [inputs[edge.node.name] for edge in graph.inputs if edge.node is not None]
    return difference(run(graph, *given), expected(model, weights, inputs))


def versions() -> str:
    """Name the onnx that is compared with."""
    import onnx

    return f"onnx {onnx.__version__}"


LIGHT = Suite(
    "light",
    "ONNX's light models, with weights drawn, against ONNX's reference",
    prepare,
    READINGS,
    needs=("onnx",),
    versions=versions,
)
