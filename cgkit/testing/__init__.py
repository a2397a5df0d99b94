"""Find faults by comparing: gradients with differences, readings of an operator with each other.

    check_gradient(fn, x, w)        slopes by backward  =  slopes by trying nearby numbers
    check_operator(operator)        every law of LAWS, on every sample of the operator
    programs(), graphs()            random ones from hypothesis, to be run in two ways
    random_program(rng, ...)        one of a seed, from MAKERS and ARRAY_MAKERS

>>> import numpy as np
>>> from cgkit import ops
>>> check_gradient(lambda x, w: ops.tanh(x @ w), np.ones((2, 3)), np.ones(3))
>>> check_operator(ops.softmax) > 10        # so many samples obey
True
>>> check_gradient(lambda x: ops.stop_gradient(x) * x, np.array(3.0))  # doctest: +ELLIPSIS
Traceback (most recent call last):
cgkit.testing.differences.LawBroken: the gradient of argument 0 is wrong at (): got ...

    differences, programs  <  cases  <  readings, slopes  <  laws;  exports
                 programs  <  array_steps

Each says by `LawBroken` what differs, where and by how much.
"""

from cgkit.testing.array_steps import ARRAY_MAKERS
from cgkit.testing.differences import LawBroken, check_gradient, numeric_gradient
from cgkit.testing.laws import LAWS, check_operator
from cgkit.testing.programs import MAKERS, Program, Step, graphs, programs, random_program

__all__ = [
    "ARRAY_MAKERS", "LAWS", "MAKERS", "LawBroken", "Program", "Step", "check_gradient",
    "check_operator", "graphs", "numeric_gradient", "programs", "random_program",
]  # fmt: skip
