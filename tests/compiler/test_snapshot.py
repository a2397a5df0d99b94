"""Snapshots: each sort of thing that may become another one is noticed, and nothing else is."""

import numpy as np
import pytest

from cgkit import Tensor
from cgkit.compiler.snapshot import MISSING, Snapshot, same_numbers


class Thing:
    def __init__(self, **members):
        self.__dict__.update(members)


def looked(look, thing):
    snapshot = Snapshot()
    look(snapshot, thing)
    assert snapshot.holds()
    return snapshot


TABLE = {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("look", "thing", "change"),
    [
        (lambda s, d: s.name(d, "a"), dict(TABLE), lambda d: d.update(a=5)),
        (lambda s, d: s.name(d, "a"), dict(TABLE), lambda d: d.pop("a")),
        (lambda s, d: s.name(d, "c"), dict(TABLE), lambda d: d.update(c=5)),
        (lambda s, d: s.table(d), dict(TABLE), lambda d: d.update(a=5)),
        (lambda s, d: s.table(d), dict(TABLE), lambda d: d.update(c=5)),
        (lambda s, d: s.table(d), dict(TABLE), lambda d: d.update(a=d.pop("a"))),
        (lambda s, d: s.table(d, ["a"]), dict(TABLE), lambda d: d.update(a=5)),
        (lambda s, x: s.items(x), [1, 2], lambda x: x.append(3)),
        (lambda s, x: s.items(x), [1, 2], lambda x: x.reverse()),
        (lambda s, x: s.members(x), {1, 2}, lambda x: x.add(3)),
        (lambda s, x: s.attribute(x, "a"), Thing(a=1), lambda x: setattr(x, "a", 2)),
        (lambda s, x: s.attribute(x, "b"), Thing(a=1), lambda x: setattr(x, "b", 2)),
        (lambda s, x: s.answer(len, x), [1, 2], lambda x: x.append(3)),
        (lambda s, x: s.tensor(x), Tensor([1.0]), lambda x: x.requires_grad_()),
        (lambda s, x: s.array(x), np.ones(3), lambda x: x.fill(2)),
        (lambda s, x: s.array(x), np.zeros(3), lambda x: np.negative(x, out=x)),
    ],
)
def test_changes_are_noticed(look, thing, change):
    snapshot = looked(look, thing)
    change(thing)
    assert not snapshot.holds()


def test_what_nobody_looked_at_may_change():
    table = dict(TABLE)
    snapshot = looked(lambda s, d: s.table(d, ["a"]), table)
    table["b"] = 7
    assert snapshot.holds()
    x = Tensor([1.0])
    snapshot = looked(lambda s, x: s.tensor(x), x)
    x.add_(1.0)
    assert snapshot.holds()


def test_variables_of_functions_around():
    first = 1

    def fn():
        return first + later

    snapshot = Snapshot()
    assert [snapshot.cell(cell) for cell in fn.__closure__] == [1, MISSING]
    assert snapshot.holds()
    later = 2
    assert not snapshot.holds()
    assert fn() == 3


def test_numbers_to_the_last_bit():
    nan = np.array([np.nan, 0.0])
    assert same_numbers(nan, nan.copy())
    assert not same_numbers(nan, nan.astype("float32"))
    assert not same_numbers(nan, nan.reshape(2, 1))
    for dtype in ("float32", "complex128", "bool", "<U3", ">f8", object):
        large = np.zeros((3000, 2), dtype)[:, 0]  # with gaps
        other = large.copy()
        assert same_numbers(large, other)
        other[-1] = 1
        assert not same_numbers(large, other)
    assert not same_numbers(np.full(9000, -0.0), np.zeros(9000))
    assert same_numbers(np.full(9000, np.nan), np.full(9000, np.nan))


def test_variables_are_put_back():
    first = 1

    def fn():
        return first + later

    snapshot = Snapshot()
    for cell in fn.__closure__:
        snapshot.cell(cell)
    first, later = "wrong", "wrong"
    assert snapshot.restore(lambda thing: thing == "wrong") == ["a variable around it"] * 2
    assert first == 1
    with pytest.raises(NameError):
        fn()


def test_attributes_are_put_back_whether_anybody_looked_at_them_or_not():
    table = {"kept": 1, "other": 2}
    snapshot = Snapshot()
    snapshot.table(table, ["kept"])
    table.update(kept="wrong", other="wrong", new="wrong", right=3)
    assert snapshot.restore(lambda thing: thing == "wrong") == ["kept", "other", "new"]
    assert table == {"kept": 1, "other": 2, "right": 3}
