"""Find faults by comparing: gradients with differences, readings of an operator with each other.

    check_gradient(fn, x, w)        slopes by backward  =  slopes by trying nearby numbers
    check_operator(operator)        every law of cgkit.testing.laws, on every sample
    programs(), graphs()            random ones from hypothesis, to be run in two ways

    differences, programs  <  cases  <  readings, slopes  <  laws
                 programs  <  array_steps

Each says by `LawBroken` what differs, where and by how much.
"""

from cgkit.testing.differences import LawBroken, check_gradient, numeric_gradient
from cgkit.testing.laws import LAWS, check_operator
from cgkit.testing.programs import Program, Step, graphs, programs, random_program

__all__ = [
    "LAWS", "LawBroken", "Program", "Step", "check_gradient", "check_operator", "graphs",
    "numeric_gradient", "programs", "random_program",
]  # fmt: skip
