"""The checks of notebook 02a_dynamic: one function per task, called in its test cell.

    from cgkit.checks import dynamic as check
    check.unbroadcast(unbroadcast)     ──►  Score, or CheckFailed with the smallest case that fails

55 points of assignment 02_static_dynamic are given here; the others belong to its second notebook.
"""

from cgkit.checks.dynamic import (
    accumulation,
    broadcasting,
    derived,
    keeping,
    leaves,
    ordering,
    pictures,
    rules,
    slopes,
    sweep,
)
from cgkit.checks.dynamic.accumulation import accumulate
from cgkit.checks.dynamic.broadcasting import unbroadcast
from cgkit.checks.dynamic.derived import backward_graph
from cgkit.checks.dynamic.keeping import kept
from cgkit.checks.dynamic.leaves import mended_leaves
from cgkit.checks.dynamic.ordering import backward_order, backward_order_deep
from cgkit.checks.dynamic.pictures import both_ways_drawing
from cgkit.checks.dynamic.rules import matmul_rule, sum_rule, take_rule
from cgkit.checks.dynamic.slopes import gradient_test
from cgkit.checks.dynamic.sweep import backward, backward_deep

TASKS = (
    *rules.TASKS,
    *keeping.TASKS,
    *broadcasting.TASKS,
    *ordering.TASKS,
    *sweep.TASKS,
    *accumulation.TASKS,
    *pictures.TASKS,
    *leaves.TASKS,
    *slopes.TASKS,
    *derived.TASKS,
)

__all__ = [
    "TASKS",
    "accumulate",
    "backward",
    "backward_deep",
    "backward_graph",
    "backward_order",
    "backward_order_deep",
    "both_ways_drawing",
    "gradient_test",
    "kept",
    "matmul_rule",
    "mended_leaves",
    "sum_rule",
    "take_rule",
    "unbroadcast",
]
