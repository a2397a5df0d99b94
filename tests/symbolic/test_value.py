"""A Value has a shape and a dtype but no numbers yet, and says so when asked for them."""

import numpy as np
import pytest

from cgkit import CgkitError, GraphBuilder, Tensor, ops
from cgkit.errors import CaptureError, ShapeError
from cgkit.types import Dim, TensorType


@pytest.fixture
def builder():
    return GraphBuilder()


def test_facts(builder):
    x = builder.placeholder((None, 3), "float32", name="x")
    assert (x.shape, x.ndim, x.dtype) == ((Dim("N"), 3), 2, np.float32)
    assert x.type == TensorType((Dim("N"), 3), "float32")
    assert repr(x) == "Value(x: float32[N, 3])"
    assert repr(x * 2.0) == "Value(mul: float32[N, 3])"
    assert x.node.name == "x"
    assert (x + 1.0).named("y").node.name == "y"


@pytest.mark.parametrize(
    "ask",
    [
        bool, float, int, np.asarray, np.array,
        lambda x: 1 if x > 0.0 else 2,
        lambda x: x and 1,
        lambda x: not x,
        lambda x: x + 1.0 in [x],
        lambda x: max(x, x),
        lambda x: np.ones(3)[x],
        lambda x: [0] * int(x),
    ],
)  # fmt: skip
def test_numbers_are_refused_with_the_reason(builder, ask):
    x = builder.placeholder((), name="x")
    with pytest.raises((CaptureError, IndexError)) as caught:
        ask(x)
    if isinstance(caught.value, CaptureError):
        assert "yet" in str(caught.value)
        assert "exist when it runs" in str(caught.value)


def test_a_python_if_is_told_about_where(builder):
    x = builder.placeholder((), name="x")
    with pytest.raises(CaptureError) as caught:
        "positive" if x > 0.0 else "not"  # noqa: B018
    assert str(caught.value).startswith("Value(greater: bool[]) has no truth value for a Python")
    assert "ops.where" in caught.value.attempt


def test_rows_of_a_known_number(builder):
    x = builder.placeholder((2, 3))
    assert [row.shape for row in x] == [(3,), (3,)]
    assert len(x) == 2
    with pytest.raises(CaptureError, match="no fixed number of rows"):
        list(builder.placeholder((None, 3)))
    with pytest.raises(ShapeError, match="not known before the graph runs"):
        len(builder.placeholder((None, 3)))


def test_a_value_outranks_a_tensor_and_an_array(builder):
    x = builder.placeholder((2,))
    for other in (Tensor([1.0, 2.0]), np.ones(2), 1.0, [1.0, 2.0]):
        for y in (ops.add(x, other), ops.add(other, x)):
            assert type(y) is type(x)
    for y in (Tensor([1.0, 2.0]) * x, np.ones(2) * x, np.float32(2) * x, np.ones((2, 2)) @ x):
        assert type(y) is type(x)


def test_values_are_told_apart_by_identity(builder):
    x, y = builder.placeholder(()), builder.placeholder(())
    assert len({x, y, x}) == 2
    assert (x == y).dtype == np.bool_


def test_errors_say_at_which_node_and_line(builder):
    x, w = builder.placeholder((32, 784), name="x"), builder.placeholder((256, 784), name="w")
    with pytest.raises(CgkitError) as caught:
        x @ w
    assert "\n  at node  matmul(x, w)   line " in caught.value.with_place()


def test_the_number_of_elements():
    builder = GraphBuilder()
    sizes = [builder.placeholder(shape).size for shape in ((), (2, 3), (0, 3), (None, 4))]
    assert [str(size) for size in sizes] == ["1", "6", "0", "4*N"]


@pytest.mark.parametrize("name", ["requires_grad_", "register_hook", "retain_grad"])
def test_what_only_tensors_collect(name):
    with pytest.raises(AttributeError, match=r"try +grad\(y, x\)"):
        getattr(GraphBuilder().placeholder(()), name)
