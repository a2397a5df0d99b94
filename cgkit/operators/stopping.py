"""Where gradients end: a value that counts as given, however it was computed.

x ─ stop_gradient ─> x        forward: the same numbers        backward: nothing
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cgkit.node import Kind, Operator, Sample
from cgkit.operators.elementwise import no_flops
from cgkit.operators.samples import reals


def _samples(rng: np.random.Generator) -> Iterator[Sample]:
    for sample in reals(rng):  # differences see the slope that is hidden on purpose
        yield Sample(sample.operands, sample.params, differentiable=False)


stop_gradient: Operator = Operator(
    "stop_gradient", np.array, lambda a: a, operands=1, kind=Kind.ELEMENTWISE, flops=no_flops,
    gradient=(None,), scalar=lambda a: a, samples=_samples, label="stop",
    doc="a itself, through which no gradient goes back",
)  # fmt: skip
