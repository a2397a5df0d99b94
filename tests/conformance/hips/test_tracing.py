"""Going backward and forward, nested: what is followed stays a Tensor, and all else is NumPy's."""

import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.conformance.hips.tracing import DEPTH, boxed, followed, make_jvp, make_vjp, outside


def cube(x):
    return x * x * x


def test_backward_may_be_asked_again():
    vjp, y = make_vjp(cube, 2.0)
    assert y == 8.0
    assert not isinstance(y, Tensor)
    assert (vjp(1.0), vjp(10.0)) == (12.0, 120.0)


def test_forward_is_backward_twice():
    assert make_jvp(cube, 2.0)(0.5) == (8.0, 6.0)
    y, change = make_jvp(lambda x: [x["a"] * x["b"], 3.0], {"a": 2.0, "b": 5.0})({"a": 1.0, "b": 0})
    assert (y, change) == ([10.0, 3.0], [5.0, 0.0])


def test_orders_nest():
    def first(x):
        return make_vjp(cube, x)[0](1.0)

    def second(x):
        return make_jvp(first, x)(1.0)[1]

    assert first(2.0) == 12.0
    assert second(2.0) == 12.0
    assert make_vjp(second, 2.0)[0](1.0) == 6.0


def test_an_inner_gradient_depends_on_what_is_outside():
    vjp, y = make_vjp(lambda x: x * make_vjp(lambda z: x * z, 2.0)[0](1.0), 3.0)
    assert (y, vjp(1.0)) == (9.0, 6.0)


@pytest.mark.parametrize("constant", [1.0, lambda x: ops.stop_gradient(x)])
def test_what_does_not_depend_has_slope_zero(constant):
    function = constant if callable(constant) else lambda x: constant
    assert make_vjp(function, np.ones(2))[0](1.0).tolist() == [0.0, 0.0]
    assert np.all(make_jvp(function, np.ones(2))(np.ones(2))[1] == 0.0)


def test_depth_is_left_even_through_an_error():
    def broken(x):
        assert DEPTH.get() == 1
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        make_vjp(broken, 1.0)
    assert DEPTH.get() == 0


def test_dtypes_are_kept_and_whole_numbers_become_floats():
    assert boxed(3).dtype == "float64"
    assert make_vjp(cube, np.float32(2.0))[0](np.float32(1.0)).dtype == "float32"
    inside = boxed(Tensor(1.0, requires_grad=True))
    assert not inside.is_leaf
    with followed():
        assert isinstance(outside([inside])[0], Tensor)
    assert not isinstance(outside([inside])[0], Tensor)
