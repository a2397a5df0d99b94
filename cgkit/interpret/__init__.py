"""Run a graph, one node after another: the plainest executor, and the measure of all others.

run(graph, *arrays)           arrays in, arrays out
Repeated(graph)               the same many times, as a loop does
replay(graph, operands)       its operators applied to Tensors or Values

binding  <  running, replaying
"""

from cgkit.interpret.binding import (
    bind,
    bind_params,
    check_binding,
    own_symbols,
    settle,
    symbols,
    symbols_in,
    told,
    told_by,
)  # fmt: skip
from cgkit.interpret.replaying import put, replay
from cgkit.interpret.running import Repeated, compute, ready, run

__all__ = [
    "Repeated", "bind", "bind_params", "check_binding", "compute", "own_symbols", "put", "ready",
    "replay", "run", "settle", "symbols", "symbols_in", "told", "told_by",
]  # fmt: skip
