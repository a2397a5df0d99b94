"""Optimizers: how parameters follow their gradients, as pure rules.

    settings = Adam(0.001)                 frozen: it holds no parameter and no state
    state = settings.initial(w)            {"step": 0, "mean": 0, "square": 0}
    w, state = settings.update(w, gradient, state)

    parameter ─┐
    gradient  ─┼─ update ─┬─> new parameter
    state     ─┘          └─> new state

Nothing is changed, so one rule serves arrays, Tensors and Values, and whoever keeps the state says
where: in a variable of a graph, in a file, in a name. `initial_all` and `update_all` do the same
for nested parameters. The learning rate is a number or a schedule: a function of the step.

    descent    SGD, with momentum if wanted       schedules   StepDecay  Cosine  WarmUp
    adaptive   RMSProp  Adam  AdamW               clipping    clip_by_norm  clip_by_value
"""

from __future__ import annotations

from cgkit.optimizers.adaptive import Adam, AdamW, RMSProp
from cgkit.optimizers.base import Optimizer, State
from cgkit.optimizers.clipping import clip_by_norm, clip_by_value
from cgkit.optimizers.descent import SGD
from cgkit.optimizers.schedules import Constant, Cosine, Schedule, StepDecay, WarmUp

__all__ = [
    "SGD", "Adam", "AdamW", "Constant", "Cosine", "Optimizer", "RMSProp", "Schedule", "State",
    "StepDecay", "WarmUp", "clip_by_norm", "clip_by_value",
]  # fmt: skip
