"""Tasks 8 and 9 of assignment 01: what a network costs, counted and not measured.

    784 ──► 256 ──► 10       parameters 203,530       matmul FLOPs at batch 32: 13,008,896

Invariants: a multiply-add counts 2; weights are stored (inputs, outputs), one bias per output.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from cgkit.checks.runner import SEED, Exam
from cgkit.checks.task import Fault, Mistake, Task
from cgkit.score import Score
from cgkit.words import counted


def right_parameters(widths: list[int]) -> int:
    """Count weights and biases of a network of dense layers.

    Examples
    --------
    >>> right_parameters([784, 256, 10])
    203530
    """
    return sum(before * after + after for before, after in pairwise(widths))


def right_flops(widths: list[int], batch: int) -> int:
    """Count the FLOPs of the matrix products of one forward pass.

    Examples
    --------
    >>> right_flops([784, 256, 10], 32)
    13008896
    """
    return sum(2 * batch * before * after for before, after in pairwise(widths))


def _without_biases(widths: list[int]) -> int:
    return sum(before * after for before, after in pairwise(widths))


def _bias_per_input(widths: list[int]) -> int:
    return sum(before * after + before for before, after in pairwise(widths))


def _added(widths: list[int]) -> int:
    return sum(before + after for before, after in pairwise(widths))


def _ends_only(widths: list[int]) -> int:
    return widths[0] * widths[-1] + widths[-1]


def _multiplications_only(widths: list[int], batch: int) -> int:
    return right_flops(widths, batch) // 2


def _one_example(widths: list[int], batch: int) -> int:
    return right_flops(widths, 1)


def _with_bias_additions(widths: list[int], batch: int) -> int:
    return right_flops(widths, batch) + batch * sum(widths[1:])


def _parameters_times_batch(widths: list[int], batch: int) -> int:
    return 2 * batch * right_parameters(widths)


PARAMETERS = Task(
    "01_graphs",
    "parameters",
    4,
    (
        "A layer takes 3 numbers and gives 2. How many arrows go from the 3 to the 2?",
        "Each output also gets a number added. How many such numbers has the layer?",
    ),
    (
        Mistake(
            "biases forgotten",
            _without_biases,
            "Each output of a layer has a bias, and a bias is learned as well.",
        ),
        Mistake(
            "a bias for each input",
            _bias_per_input,
            "The bias is added to the outputs of a layer: there are as many as outputs.",
        ),
        Mistake("widths added", _added, "Every input meets every output: the widths multiply."),
        Mistake(
            "hidden layers skipped",
            _ends_only,
            "Each pair of neighboring widths is one layer; hidden ones count too.",
        ),
    ),
)
FLOPS = Task(
    "01_graphs",
    "matmul_flops",
    5,
    (
        "One number of x @ W is a sum of products. How many multiplications is that, "
        "and how many additions, if a multiply-add counts 2?",
        "How many such numbers has the result for a whole batch?",
    ),
    (
        Mistake(
            "a multiply-add counted once",
            _multiplications_only,
            "A multiply-add counts 2: one multiplication and one addition.",
        ),
        Mistake("batch forgotten", _one_example, "Every example of the batch is multiplied."),
        Mistake(
            "bias additions counted",
            _with_bias_additions,
            "Only the matrix products are asked for; the additions of biases are other nodes.",
        ),
        Mistake(
            "biases multiplied",
            _parameters_times_batch,
            "A bias is added, not multiplied: only the weights count here.",
        ),
    ),
)
TASKS = (PARAMETERS, FLOPS)


def _widths() -> Any:
    from hypothesis import strategies as st

    width = st.integers(1, 40)
    return st.lists(width, min_size=2, max_size=6)


def _layers(widths: list[int]) -> str:
    """Draw the layers of a network as one line."""
    return " ──► ".join(map(str, widths))


def _parameters_why(widths: list[int]) -> str:
    """Write the sum, layer by layer."""
    layers = "; ".join(
        f"{before} * {after} weights and {counted(after, 'bias', 'biases')}"
        for before, after in pairwise(widths)
    )
    return f"This network has {layers}."


def _flops_why(widths: list[int], batch: int) -> str:
    layers = " + ".join(f"2 * {batch} * {before} * {after}" for before, after in pairwise(widths))
    return f"A multiply-add counts 2; all products together make {layers}."


def parameters(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `parameters(widths)`.

    Parameters
    ----------
    candidate
        Takes the widths of a network, inputs first; gives a whole number.
    seed
        Decides the hidden widths.

    Raises
    ------
    CheckFailed
        With the smallest network found on which it is wrong.
    """
    exam = Exam(PARAMETERS, candidate, seed)

    def probe(widths: list[int]) -> Fault | None:
        return exam.examine(
            (widths,),
            right_parameters(widths),
            why=_parameters_why(widths),
            drawing=_layers(widths),
            tolerance=0,
        )

    exam.search(_widths(), probe, tries=100)
    exam.require(probe([784, 256, 10]))
    return PARAMETERS.passed("right on 100 networks of 1 to 5 layers, and 203,530 for 784-256-10")


def matmul_flops(candidate: object, *, seed: int = SEED) -> Score:
    """Check a student's `matmul_flops(widths, batch)`.

    Parameters
    ----------
    candidate
        Takes the widths of a network and the size of a batch; gives a whole number.
    seed
        Decides the hidden networks.

    Raises
    ------
    CheckFailed
        With the smallest network found on which it is wrong.
    """
    from hypothesis import strategies as st

    exam = Exam(FLOPS, candidate, seed)

    def probe(case: tuple[list[int], int]) -> Fault | None:
        why = _flops_why(*case)
        drawing = _layers(case[0])
        return exam.examine(case, right_flops(*case), why=why, drawing=drawing, tolerance=0)

    exam.search(st.tuples(_widths(), st.integers(1, 64)), probe, tries=100)
    exam.require(probe(([784, 256, 10], 32)))
    return FLOPS.passed("right on 100 networks and batches, and 13,008,896 for 784-256-10 at 32")
