"""The checks of notebook 02b_static: one function per task, called in its test cell.

    from cgkit.checks import static as check
    check.run(run)        ──►  Score, or CheckFailed with the smallest case that fails

35 points are given here, 10 by hand for the written answer; the stretch task gives none.
"""

from cgkit.checks.static import faults, fetching, guards, pruning, running, tracing, variables
from cgkit.checks.static.faults import mended_training
from cgkit.checks.static.fetching import run_nested, run_refuses
from cgkit.checks.static.guards import guard_key
from cgkit.checks.static.pruning import needed, needed_deep
from cgkit.checks.static.running import run, run_deep, run_part
from cgkit.checks.static.tracing import trace, trace_facts
from cgkit.checks.static.variables import step

TASKS = (
    *pruning.TASKS,
    *running.TASKS,
    *fetching.TASKS,
    *variables.TASKS,
    *tracing.TASKS,
    *faults.TASKS,
    *guards.TASKS,
)

__all__ = [
    "TASKS",
    "guard_key",
    "mended_training",
    "needed",
    "needed_deep",
    "run",
    "run_deep",
    "run_nested",
    "run_part",
    "run_refuses",
    "step",
    "trace",
    "trace_facts",
]
