"""The checks of assignment 01_graphs: one function per task, called in its test cell.

    from cgkit.checks import graphs as check
    check.evaluate(evaluate)        ──►  Score, or CheckFailed with the smallest case that fails

90 points are given here, 10 by hand for the written answer; stretch tasks give none.
"""

from cgkit.checks.graphs import byhand, convolution, evaluation, mistaken, network, pictures, shapes
from cgkit.checks.graphs.byhand import backward, forward, rules
from cgkit.checks.graphs.convolution import conv_shape
from cgkit.checks.graphs.evaluation import evaluate, evaluate_deep, evaluate_once
from cgkit.checks.graphs.mistaken import broadcast_test, lost_biases, mended_backward
from cgkit.checks.graphs.network import matmul_flops, parameters
from cgkit.checks.graphs.pictures import to_dot, to_dot_clusters, z_drawing
from cgkit.checks.graphs.shapes import broadcast_shape, matmul_shape, reduce_shape, reshape_shape

TASKS = (
    *evaluation.TASKS,
    *shapes.TASKS,
    *network.TASKS,
    *byhand.TASKS,
    *pictures.TASKS,
    *mistaken.TASKS,
    *convolution.TASKS,
)

__all__ = [
    "TASKS",
    "backward",
    "broadcast_shape",
    "broadcast_test",
    "conv_shape",
    "evaluate",
    "evaluate_deep",
    "evaluate_once",
    "forward",
    "lost_biases",
    "matmul_flops",
    "matmul_shape",
    "mended_backward",
    "parameters",
    "reduce_shape",
    "reshape_shape",
    "rules",
    "to_dot",
    "to_dot_clusters",
    "z_drawing",
]
