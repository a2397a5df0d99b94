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

from cgkit import (
    DtypeError,
    GradientError,
    GraphBuilder,
    Operator,
    ShapeError,
    Tensor,
    grad,
    no_grad,
    ops,
)
from cgkit.errors import CaptureError
from cgkit.tensor.inplace import write
from cgkit.writing import COMPOSED, fits


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


OPERATORS = sorted(name for name, operator in ops.ALL.items() if fits(operator))


@pytest.mark.parametrize("name", [*OPERATORS, *COMPOSED])
def test_every_form_in_place_is_its_operator_then_a_write(name):
    act = getattr(ops, name)
    more = (act.operands or 1) - 1 if isinstance(act, Operator) else 0
    others = [[0.5, 0.25], [0.5, 0.75]][:more]
    whole = name.startswith(("bitwise", "left", "right"))
    data = np.array([1, 2]) if whole else np.array([0.3, 0.6])
    others = [[1, 2] for _ in others] if whole else others
    y = act(Tensor(data), *others)
    x = Tensor(data)
    if not np.can_cast(y.dtype, x.dtype, "same_kind"):
        with pytest.raises(DtypeError, match="does not fit"):
            getattr(x, f"{name}_")(*others)
        return
    assert getattr(x, f"{name}_")(*others) is x
    np.testing.assert_array_equal(x.data, y.data.astype(x.dtype))
    assert x.version[0] == 1
    if whole or y.dtype.kind != "f":
        return
    leaf, twin = T(data), T(data)
    h = leaf * 1.0
    getattr(h, f"{name}_")(*others).sum().backward()
    act(twin * 1.0, *others).sum().backward()
    np.testing.assert_array_equal(leaf.grad.data, twin.grad.data)


def test_what_has_no_form_in_place():
    for name in ("where_", "cast_", "matmul_", "sum_", "reshape_", "concat_", "gate_"):
        assert not hasattr(Tensor, name)
    assert "e to the a" in Tensor.exp_.__doc__


def test_settings_and_limits():
    x = T([-2.0, 0.5, 3.0])
    h = x * 1.0
    h.clip_(-1.0, 1.0).elu_(0.5)
    y = ops.elu(ops.clip(x * 1.0, -1.0, 1.0), alpha=0.5)
    np.testing.assert_array_equal(h.data, y.data)
    (slope,), (expected,) = grad(h.sum(), x), grad(y.sum(), x)
    np.testing.assert_array_equal(slope.data, expected.data)


class TestOtherNumbers:
    def test_fill_zero_and_copy(self):
        x = Tensor([1.0, 2.0], dtype="float32")
        assert x.fill_(7).data.tolist() == [7, 7]
        assert x.zero_().data.tolist() == [0, 0]
        assert x.copy_(Tensor([3.0, 4.0])).data.tolist() == [3, 4]
        assert (x.dtype, x.version[0]) == (np.float32, 3)
        with pytest.raises(ShapeError, match="fill_ takes one number"):
            x.fill_([1.0, 2.0])

    def test_gradients(self):
        a, b = T([1.0, 2.0]), T([5.0])
        h = a * 3.0
        h.copy_(b)
        (h * h).sum().backward()
        assert (a.grad.data.tolist(), b.grad.item()) == ([0, 0], 20)
        c = T(2.0)
        h = a * 3.0
        h.fill_(c)
        h.sum().backward()
        assert c.grad.item() == 2


class TestParts:
    @pytest.mark.parametrize(
        "key",
        [0, -1, slice(1, None), (0, 1), (slice(None), slice(None, None, -1)), ..., [1, 0], None],
        ids=str,
    )
    @pytest.mark.parametrize("value", [7.0, 7])
    def test_as_numpy_sets(self, key, value):
        a = np.arange(6.0).reshape(2, 3)
        x = Tensor(a)
        x[key] = value
        a[key] = value
        np.testing.assert_array_equal(x.data, a)
        assert x.version[0] == 1

    def test_by_a_mask_and_by_tensors(self):
        x = Tensor([1.0, -2.0, 3.0])
        x[x < 0.0] = 0.0
        assert x.data.tolist() == [1, 0, 3]
        x[Tensor([2, 0])] = Tensor([5.0, 6.0])
        assert x.data.tolist() == [6, 0, 5]

    def test_gradients(self):
        a, b = T([1.0, 2.0, 3.0]), T(5.0)
        h = a * 2.0
        h[1] = b
        (h * h).sum().backward()
        assert (a.grad.data.tolist(), b.grad.item()) == ([8, 0, 24], 10)

    def test_a_leaf_is_not_written_to_but_in_no_grad(self):
        x = T([1.0, 2.0])
        with pytest.raises(GradientError, match="leaf"):
            x[0] = 5.0
        with no_grad():
            x[0] = 5.0
        assert x.data.tolist() == [5, 2]

    def test_repeated_places_are_added_to_once(self):
        y = Tensor([1.0, 2.0, 3.0])
        y[[0, 0, 2]] += y[[0, 0, 2]]
        assert y.data.tolist() == [2, 2, 6]
        x = T([1.0, 2.0, 3.0])
        y = x * 1.0
        y[[0, 0, 2]] += y[[0, 0, 2]]
        y.sum().backward()
        assert y.data.tolist() == [2, 2, 6]
        assert x.grad.data.tolist() == [2, 1, 2]

    @pytest.mark.parametrize(
        ("key", "value", "kind", "said"),
        [
            (0, [1.0, 2.0], ShapeError, r"put cannot put shape \(2,\) into \(\)"),
            (9, 1.0, ShapeError, "lies outside"),
            ((0, 0), 1.0, ShapeError, "too long"),
            ("a", 1.0, DtypeError, "cannot be indexed with 'a'"),
            (0, "a", DtypeError, "put cannot compute with 'a'"),
            (0, None, DtypeError, "put cannot compute with None"),
        ],
    )
    def test_what_does_not_fit(self, key, value, kind, said):
        with pytest.raises(kind, match=said):
            Tensor([1.0, 2.0])[key] = value


class TestMemoryThatIsNotItsOwn:
    def test_an_expanded_tensor(self):
        x = Tensor.wrap(np.broadcast_to(np.ones(1), (3,)))
        with pytest.raises(GradientError, match=r"an expanded tensor of shape \(3,\)"):
            x.add_(1.0)
        ops.broadcast_to(Tensor([1.0]), shape=(3,)).add_(1.0)  # has memory of its own

    def test_memory_that_is_read_only(self):
        x = Tensor.wrap(np.frombuffer(b"12345678"))
        with pytest.raises(GradientError, match="its memory is read-only"):
            x.add_(1.0)

    def test_a_flipped_one_is_a_copy(self):
        x = T([1.0, 2.0]) * 1.0
        x.add_(1.0)
        x.add_(x.flip(0))
        x.sum().backward()
        assert x.data.tolist() == [5, 5]
