"""The nine light models of the onnx package: whole networks, run by cgkit and by ONNX's reference.

    light_resnet50.onnx ─ weights drawn ─┬─> load ─> Graph ─┬─ run ───────────────────┐
                                         │                  └─> to_model ─> reference ┤
                                         └─> reference ──────────────────────────────┴─> the same

The models hold the architecture of a network and of its weights only the shapes, so that the
outputs that come with them tell little. With weights that depend on a seed the outputs do.

ONNX's reference is wrong in three operators of these old models: Softmax before opset 13 and
BatchNormalization before 14, which it reads as the later ones, and LRN, of which it normalizes as
many channels as there are images. ONNX's own converter brings the first two to a later opset, and
LRN is written here anew, by the formula of its specification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from cgkit.conformance.onnx_backend import versions
from cgkit.conformance.reweighting import weights_for, with_weights, without_weights
from cgkit.conformance.suite import Case, Suite, said
from cgkit.conformance.tally import Outcome
from cgkit.graph import Graph

NAMES = (
    "bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet",
    "squeezenet", "vgg19", "zfnet512",
)  # fmt: skip
READINGS = ("drawn", "run", "exported")
OPSET = 15
"""What the reference evaluates: the first opset at which it is right."""
SEED = 0
RELATIVE = 1e-5
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
    """Look at one model in every reading; what it should give is computed when it is needed."""
    trial = Trial(light(name))
    failed, reason = [], ""
    for reading in READINGS:
        try:
            why = getattr(trial, reading)()
        except Exception as error:
            why = said(error)
        if why:
            failed.append(reading)
            reason = reason or f"{reading}: {why}"
    return [Outcome(name, tuple(failed), reason)]


class Trial:
    """A light model with weights, looked at in each reading; each says what went wrong."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @cached_property
    def weights(self) -> dict[str, np.ndarray]:
        """Its weights, drawn."""
        return weights_for(self.model, SEED)

    @cached_property
    def inputs(self) -> dict[str, np.ndarray]:
        """What it is run on."""
        return inputs_for(self.model)

    @cached_property
    def graph(self) -> Graph:
        """The model, imported."""
        from cgkit.onnx import load

        return load(with_weights(self.model, self.weights))

    @cached_property
    def theirs(self) -> list[np.ndarray]:
        """What the reference gives."""
        return expected(self.model, self.weights, self.inputs)

    def drawn(self) -> str:
        """Draw the model twice, in no more boxes than one can look at."""
        return _drawn(self.model)

    def run(self) -> str:
        """Run the graph."""
        from cgkit.interpret import run

        return difference(run(self.graph, *self._given()), self.theirs)

    def exported(self) -> str:
        """Write the graph as a model again, and let the reference evaluate that one."""
        from onnx.reference import ReferenceEvaluator

        from cgkit.onnx import to_model

        model = to_model(self.graph)
        names = [value.name for value in model.graph.input]
        given = dict(zip(names, self._given(), strict=True))
        found = ReferenceEvaluator(model).run(None, given)
        return difference([*map(np.asarray, found)], self.theirs)

    def _given(self) -> list[np.ndarray]:
        return [self.inputs[edge.node.name] for edge in self.graph.inputs if edge.node is not None]


def _drawn(model: Any) -> str:
    from cgkit.onnx.diagram import diagram
    from cgkit.render import draw
    from cgkit.render.fold import LEGIBLE

    first, second = (draw(diagram(model), most=LEGIBLE).source for _ in range(2))
    if first != second:
        return "two pictures of one model differ"
    boxes = first.count("label=<<b>")
    return f"the picture has {boxes} boxes" if not 0 < boxes <= LEGIBLE else ""


LIGHT = Suite(
    "light",
    "ONNX's light models, with weights drawn, against ONNX's reference",
    prepare,
    READINGS,
    needs=("onnx",),
    versions=versions,
)
