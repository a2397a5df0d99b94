"""Writing in place: the ordinary operator, then the handle moves to its edge.

    b = a + 1.0
    c = b + 2.0         c keeps the old edge of b
    b.mul_(3.0)         b has a new one, its memory new numbers, its version is 1

Whoever saved the old numbers notices by the version; views would be changed behind their backs, so
they are refused. Random programs with writes and views are compared with torch in
test_oracle_writes.py.
"""

import numpy as np
import pytest

from cgkit import DtypeError, GradientError, GraphBuilder, ShapeError, Tensor, no_grad, ops
from cgkit.errors import CaptureError
from cgkit.tensor.inplace import write


def T(data):
    return Tensor(data, dtype="float64", requires_grad=True)


def test_a_saved_operand_that_was_written_to():
    b = T([3.0]) * 1.0
    c = b * b
    b.add_(1.0)
    with pytest.raises(GradientError, match=r"mul saved.*is at version 1; expected version 0"):
        c.backward()


def test_a_saved_result_that_was_written_to():
    b = ops.exp(T([3.0]))
    b.add_(1.0)
    with pytest.raises(GradientError, match=r"exp saved .its result.*expected version 0"):
        b.backward()


def test_what_was_not_saved_may_be_written_to():
    a = T([3.0])
    b = a + 1.0
    b.mul_(3.0)
    b.backward()
    assert (a.grad.item(), b.item()) == (3, 12)


def test_others_keep_the_old_edge():
    a = T([3.0])
    b = a + 1.0
    c = b + 2.0
    b.mul_(3.0)
    (c + b).sum().backward()
    assert a.grad.item() == 4
    a.grad = None
    b = a + 1.0
    c = b + 2.0
    b.mul_(3.0)
    c.backward()
    assert a.grad.item() == 1


def test_y_keeps_the_old_x():
    x = Tensor([2.0])
    w = T([5.0])
    y = x * w
    z = x + w
    x.add_(1.0)
    assert (y.item(), z.item()) == (10, 7)
    z.backward()
    assert w.grad.item() == 1
    with pytest.raises(GradientError, match="version 1"):
        y.backward()


def test_an_operator_that_saves_its_own_result():
    a = T([1.0])
    b = a + 0.0
    b.exp_()
    b.backward()
    assert a.grad.item() == pytest.approx(np.e)


def test_an_operator_that_saves_its_own_old_value():
    k, w = T([5.0]), T([2.0])
    b = k + 0.0
    b.mul_(w)
    b.backward()
    assert (w.grad.item(), k.grad.item()) == (5, 2)
    k = T([3.0])
    b = k + 0.0
    b.mul_(b)
    b.backward()
    assert k.grad.item() == 6


def test_after_an_earlier_write():
    x = T([1.0, 2.0]) * 1.0
    x.add_(1.0)
    x.add_(x[::-1] + 0.0)
    x.sum().backward()
    assert x.data.tolist() == [5, 5]


def test_a_leaf_is_not_written_to():
    x = T([1.0])
    for act in (lambda: x.add_(1.0), x.exp_, lambda: write(x, ops.neg)):
        with pytest.raises(GradientError, match="leaf"):
            act()
    y = x * x
    with no_grad():
        x.add_(1.0)
    assert x.item() == 2
    with pytest.raises(GradientError, match="version 1"):
        y.backward()


def test_a_step_of_an_optimizer_between_two_backwards():
    w, x = T([2.0]), Tensor([3.0])
    first, second = w * w * x, w * w
    first.backward()
    with no_grad():
        w.sub_(0.1 * w.grad)
    with pytest.raises(GradientError, match="version 1"):
        second.backward()


def test_detach_shares_data_and_version():
    b = T([3.0]) * 1.0
    d = b.detach()
    assert d.data is b.data
    c = b * b
    d.add_(1.0)
    assert b.item() == 4
    with pytest.raises(GradientError, match="version 1"):
        c.backward()


@pytest.mark.parametrize(
    "look",
    [
        lambda x: x.reshape(4),
        lambda x: x.T,
        lambda x: x[0],
        lambda x: x[0, 0],
        lambda x: x[...],
    ],
)
def test_views_are_not_written_to_nor_what_they_look_at(look):
    x = T(np.ones((2, 2))) * 1.0
    view = look(x)
    with pytest.raises(GradientError, match=r"cannot write in place to a view of shape"):
        view.add_(1.0)
    with pytest.raises(GradientError, match="has views"):
        x.add_(1.0)
    del view
    x.add_(1.0)
    assert x.data.tolist() == [[2, 2], [2, 2]]


def test_an_untracked_tensor_with_views_may_be_filled_from_a_tracked_one():
    x, w = Tensor(np.ones(3)), T(np.full(3, 2.0))
    view = x[1:]
    with pytest.raises(GradientError, match="has views"):
        x.mul_(w)
    x.mul_(2.0)  # no gradient is near: the view just shows the new numbers
    assert view.data.tolist() == [2, 2]


def test_sizes_and_dtypes_must_fit():
    with pytest.raises(ShapeError, match=r"add_ gives shape \(2, 3\), which does not fit into"):
        Tensor(np.ones(3)).add_(np.ones((2, 3)))
    with pytest.raises(DtypeError, match="add_ gives float64, which does not fit into int64"):
        Tensor([1]).add_(0.5)
    x = Tensor(np.ones(2, "f4"))
    x.add_(np.ones(2))
    assert x.dtype == np.float32


def test_a_failed_write_changes_nothing():
    x = T(np.ones(3)) * 1.0
    edge = x.edge
    with pytest.raises(ShapeError):
        x.add_(np.ones((2, 3)))
    assert x.edge is edge
    assert x.version[0] == 0
    assert x.data.tolist() == [1, 1, 1]


def test_a_value_of_a_graph_has_nothing_to_write():
    v = GraphBuilder().placeholder((3,))
    with pytest.raises(CaptureError, match="no numbers yet"):
        Tensor(np.ones(3)).add_(v)


def test_an_operator_without_a_slope_cuts_the_way_back():
    x = T([0.2, 0.8]) * 1.0
    write(x, ops.less, 0.5)
    assert not x.requires_grad
    assert x.data.tolist() == [1, 0]


def test_integers_may_be_written_to():
    x = Tensor([1, 2])
    x.add_(1).mul_(x)
    assert x.data.tolist() == [4, 9]
    assert x.version[0] == 2
