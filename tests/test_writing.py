"""Writing in place, as it looks to whoever writes."""

import numpy as np
import pytest

from cgkit import DtypeError, ShapeError, Tensor, compile, ops
from cgkit.writing import COMPOSED, InPlace, Writable, check_fits, fits


def test_every_fitting_operator_has_a_form():
    wanted = {f"{name}_" for name, operator in ops.ALL.items() if fits(operator)}
    wanted |= {f"{name}_" for name in COMPOSED}
    found = {name for name, form in vars(Writable).items() if isinstance(form, InPlace)}
    assert found == wanted
    assert Writable.exp_.__doc__ == "In place: e to the a."


def test_what_fits():
    x = Tensor([1.0, 2.0], dtype="float32")
    check_fits(x, Tensor([1.0, 2.0]), ops.add)
    with pytest.raises(ShapeError, match="add_ gives shape"):
        check_fits(x, Tensor([1.0]), ops.add)
    with pytest.raises(DtypeError, match="exp_ gives float64"):
        check_fits(Tensor([1]), Tensor([1.0]), ops.exp)


def test_a_class_says_what_writing_means():
    with pytest.raises(NotImplementedError):
        Writable()._write(ops.exp)


def fill(x, y):
    x.add_(y)
    x.clip_(0.0, 3.0)
    x[1:] = 7.0
    y.copy_(x)
    x.zero_()
    y[0] = -1.0
    x.fill_(y[0])
    return x * y


def test_tensors_and_values_are_written_to_alike():
    ready = compile(fill)
    for _ in range(3):
        mine = [Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])]
        theirs = [Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])]
        for a, b in zip((ready(*mine), *mine), (fill(*theirs), *theirs), strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
    with pytest.raises(ShapeError, match="fill_ takes one number"):
        compile(lambda x: x.fill_(x))(Tensor([1.0, 2.0]))
