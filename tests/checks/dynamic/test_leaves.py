import numpy as np
import pytest
from hypothesis import given, settings

from cgkit import Tensor
from cgkit.checks.dynamic import leaves
from cgkit.checks.dynamic.leaves import mended_leaves


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(leaves._marked_graphs())
def test_right_leaves_are_those_of_the_library(case):
    graph, marked = case
    compute = {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "negate": lambda a: -a,
        "maximum": lambda a, b: a * b,
        "minimum": lambda a, b: a + b,
    }
    made = {}
    for name, (kind, *operands) in graph.items():
        if kind == "leaf":
            made[name] = Tensor(np.ones(2), requires_grad=name in marked)
        else:
            made[name] = compute[kind](*(made[one] for one in operands))
    assert {name for name, tensor in made.items() if tensor.is_leaf} == leaves.right_leaves(*case)
    assert {name for name, one in made.items() if one.requires_grad} == leaves.needing(*case)


def test_right_answers_get_all_points(answers_02a):
    assert mended_leaves(answers_02a.mended_leaves).points == 3


@pytest.mark.parametrize("mistake", leaves.LEAVES.mistakes, ids=lambda mistake: mistake.name)
def test_mistakes_recognize_themselves(mistake, failure):
    failed = failure(mended_leaves, mistake.algorithm)
    assert failed.misconception == mistake.name


def test_a_list_is_no_set(failure, answers_02a):
    failed = failure(mended_leaves, lambda *given: [*answers_02a.mended_leaves(*given)])
    assert failed.stage == "type"
