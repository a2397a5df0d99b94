"""What no operator takes: wrong operands and settings are refused alike, and in our words.

for each operator ─ for each setting ─ for each odd value ─┬─ on arrays
                                                           ├─ on Tensors      the same verdict
                                                           └─ in a graph
"""

import itertools
import re
from fractions import Fraction
from inspect import Parameter

import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.errors import CgkitError
from cgkit.interpret import run
from cgkit.speech import calling
from cgkit.symbolic import GraphBuilder
from cgkit.testing.cases import is_array, same, samples_of

ODD = (None, "x", 1.5, -1, 99, 10**30, True, [1], (1, 2, 3, 4, 5), {1: 2}, np.array([1, 0]))
FOREIGN = re.compile(
    r"could not|cannot be interpreted|not supported between|unsupported operand|has no attribute|"
    r"object is not|positional|keyword|ufunc|out of bounds for axis|got an unexpected|too many|"
    r"loop with signature|_\w+\(\)|NoneType|truth value of an array"
)
OPERATORS = [operator for operator in ops.ALL.values() if operator.samples is not None]


def verdict(act):
    """Give the results, or None where an error in our words was raised."""
    try:
        found = act()
    except CgkitError as error:
        words = str(error).split("\n  at node")[0]
        assert not FOREIGN.search(words), words
        return None
    return found if isinstance(found, tuple) else (found,)


def verdicts(operator, operands, params):
    """Give what the three ways to apply an operator come to."""
    arrays = [x for x in operands if is_array(x)]

    def in_graph():
        builder = GraphBuilder()
        values = [builder.placeholder(x.shape, x.dtype) if is_array(x) else x for x in operands]
        found = operator(*values, **params)
        return run(builder.graph(found if isinstance(found, tuple) else (found,)), *arrays)

    yield verdict(lambda: operator(*operands, **params))
    handles = [Tensor(x) if is_array(x) else x for x in operands]
    yield verdict(lambda: operator(*handles, **params))
    yield verdict(in_graph)


def check(operator, operands, params):
    first, *others = verdicts(operator, operands, params)
    for other in others:
        assert (first is None) == (other is None), (params, first, other)
        if first is not None:
            for x, y in zip(first, other, strict=True):
                assert same(x, y.data if isinstance(y, Tensor) else y), (params, x, y)


def plain_sample(operator):
    samples = samples_of(operator)
    arrays = [s for s in samples if all(is_array(x) and x.size and x.ndim for x in s.operands)]
    return (arrays or samples)[0]


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_odd_settings_are_refused_alike(operator):
    sample = plain_sample(operator)
    settings = calling(operator).parameters.values()
    for name in [p.name for p in settings if p.kind is Parameter.KEYWORD_ONLY]:
        if isinstance(calling(operator).parameters[name].default, bool):
            continue  # anything is true or false
        for odd in ODD:
            check(operator, sample.operands, {**sample.params, name: odd})
    check(operator, sample.operands, {**sample.params, "bogus": 1})


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_odd_shapes_are_refused_alike(operator):
    sample = plain_sample(operator)
    for place in range(len(sample.operands)):
        for shape in ((), (0,), (7,), (2, 0, 3), (1,) * 9):
            operands = list(sample.operands)
            operands[place] = np.ones(shape, np.asarray(operands[place]).dtype)
            check(operator, operands, sample.params)
    check(operator, sample.operands[:-1], sample.params)


NO_NUMBERS = (
    np.array(["a", "b"]), np.array([None, 1]), np.array(["2026-01-01"], "M8[D]"), np.array([1j]),
    np.array([b"a"]), np.zeros(2, [("x", float)]), None, "a", 1j, {1: 2}, {1}, Ellipsis,
    Fraction(1, 2), [[1.0], [2.0, 3.0]], ["a"], print,
)  # fmt: skip


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_what_is_no_number_is_refused(operator):
    sample = plain_sample(operator)
    for place, foreign in itertools.product(range(len(sample.operands)), NO_NUMBERS):
        if isinstance(foreign, str) and operator is ops.einsum:
            continue  # it stands for the equation
        operands = list(sample.operands)
        operands[place] = foreign
        found = verdict(lambda operands=operands: operator(*operands, **sample.params))
        assert found is None, (place, foreign)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_arrays_of_any_sort_are_computed_as_arrays(operator):
    for sample in samples_of(operator)[:4]:
        expected = verdict(lambda sample=sample: operator(*sample.operands, **sample.params))
        for change in (
            lambda x: x.astype(x.dtype.newbyteorder()),
            np.ma.masked_array,
            lambda x: np.matrix(x) if x.ndim == 2 else x,
        ):
            operands = [change(x) if is_array(x) else x for x in sample.operands]
            found = verdict(lambda operands=operands, s=sample: operator(*operands, **s.params))
            for got, want in zip(found, expected, strict=True):
                assert type(got) is np.ndarray or np.isscalar(got)
                assert same(got, want)
