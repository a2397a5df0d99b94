"""A Value has a type but no numbers, and says so whenever it is asked for them."""

import numpy as np
import pytest

from cgkit import Dim, GraphBuilder, ops
from cgkit.errors import CaptureError
from cgkit.types import TensorType


@pytest.fixture
def x():
    return GraphBuilder().placeholder((2, 3), "float32", name="x")


def test_it_knows_shape_dtype_and_rank(x):
    assert x.shape == (2, 3)
    assert x.dtype == np.float32
    assert x.type == TensorType((2, 3), "float32")
    assert (x.ndim, len(x)) == (2, 2)


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (bool, "truth value"), (float, "number"), (int, "number"), (np.asarray, "NumPy"),
        (lambda v: np.exp(v), "ufunc|operand"), (lambda v: 1 if v > 0 else 2, "truth value"),
    ],
)  # fmt: skip
def test_asking_for_numbers_is_an_error_that_explains_itself(ask, what):
    scalar = GraphBuilder().placeholder((), name="s")
    with pytest.raises(TypeError, match=what):
        ask(scalar)


def test_the_error_names_the_value_and_what_to_try(x):
    with pytest.raises(CaptureError) as caught:
        bool(x)
    assert "Value(x: float32[2, 3])" in str(caught.value)
    assert "try" in str(caught.value)


def test_rows_of_a_fixed_size_can_be_gone_over(x):
    assert [row.shape for row in x] == [(3,), (3,)]


def test_rows_of_an_open_size_cannot():
    with pytest.raises(CaptureError, match="fixed number of rows"):
        list(GraphBuilder().placeholder((None, 3)))


def test_values_are_told_apart_by_identity_though_equality_is_elementwise(x):
    same = x == x
    assert same.dtype == np.bool_
    assert len({x, x, x + 0.0}) == 2


def test_a_name_given_later_is_the_nodes(x):
    y = ops.exp(x).named("y")
    assert y.node.name == "y"
    assert "y: float32" in repr(y)


def test_an_open_size_has_no_length():
    with pytest.raises(ValueError, match="N is not known"):
        len(GraphBuilder().placeholder((Dim("N"),)))
