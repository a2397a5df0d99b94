"""The operators that hold graphs obey the laws of all operators."""

import numpy as np
import pytest

from cgkit.control import OPERATORS
from cgkit.control.samples import graph_of
from cgkit.testing import LAWS
from cgkit.testing.cases import coverage, samples_of
from cgkit.testing.laws import WHOLE
from cgkit.types import TensorType


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law, operator):
    for sample in samples_of(operator):
        law(operator, sample)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
@pytest.mark.parametrize("law", WHOLE, ids=lambda law: law.__name__)
def test_law_of_the_whole(law, operator):
    law(operator)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_what_samples_cover(operator):
    assert {"0-d", "empty", "float32", "float64"} <= coverage(samples_of(operator))


def test_a_graph_of_a_function():
    graph = graph_of(lambda x, y: (x + y, 1.0), TensorType((2,), "float32"), TensorType((), "f4"))
    assert [len(graph.inputs), len(graph.outputs)] == [2, 2]
    assert graph.outputs[0].type == TensorType((2,), np.float32)
