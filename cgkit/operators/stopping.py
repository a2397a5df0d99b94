"""Where gradients end: a value that counts as given, however it was computed.

x ─ stop_gradient ─> x        forward: the same numbers        backward: nothing

It is an operator without a gradient, so on Tensors what it gives requires none.
"""

from __future__ import annotations

import numpy as np

from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import no_flops
from cgkit.operators.samples import reals

stop_gradient: Operator = Operator(
    "stop_gradient", np.array, lambda a: a, operands=1, kind=Kind.ELEMENTWISE, flops=no_flops,
    scalar=lambda a: a, samples=reals, label="stop",
    doc="a itself, through which no gradient goes back",
)  # fmt: skip
