import collections

import numpy as np
import pytest

from cgkit.checks.plain import NotPlainError, describe, kind_of, plain, same, show


def test_what_passes_is_rebuilt():
    inner = [1, 2]
    given = {"a": (inner, {3}), "b": np.arange(3)}
    rebuilt = plain(given)
    inner.append(9)
    given["b"][0] = 9
    assert rebuilt["a"] == ([1, 2], {3})
    assert rebuilt["b"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("value", "right"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.arange(2)[1], 1),
        (collections.defaultdict(int, a=1), {"a": 1}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.deque([1]), [1]),
        (frozenset({1}), {1}),
        (range(3), range(3)),
    ],
)
def test_harmless_kinds(value, right):
    assert plain(value) == right
    assert type(plain(value)) is type(right)


def test_nothing_of_the_students_is_asked(wrong):
    for value in (
        wrong.AlwaysEqual(),
        wrong.EqualTuple((1,)),
        wrong.EqualNumber(1),
        wrong.EqualDict(),
    ):
        for nested in (value, [value], {"a": (value,)}, {1: [[value]]}):
            with pytest.raises(NotPlainError):
                plain(nested)


class Lazy(dict):
    def items(self):
        raise RuntimeError("asked")


class Matrix(np.ndarray):
    pass


@pytest.mark.parametrize(
    "value",
    [
        object(),
        lambda: 0,
        (n for n in [1]),
        Lazy(a=1),
        np.arange(3).view(Matrix),
        np.array([None]),
        np.array(["a"]),
        NotImplemented,
        int,
        ...,
        b"bytes",
    ],
)
def test_other_kinds(value):
    with pytest.raises(NotPlainError):
        plain(value)


def test_deep_and_circular_values():
    circle = []
    circle.append(circle)
    with pytest.raises(NotPlainError, match="deeper"):
        plain(circle)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (float("nan"), float("nan"), True),
        (float("inf"), float("inf"), True),
        (float("inf"), 1e308, False),
        (10**400, 10**400, True),
        (10**400, 1.0, False),
        (0.1 + 0.2, 0.3, True),
        ((1, 2), (1, 2, 3), False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, {"a": 2}, False),
        (None, None, True),
        (None, 0, False),
        ("a", "a", True),
        ({1, 2}, {2, 1}, True),
    ],
)
def test_same(one, other, equal):
    assert same(one, other) is equal
    assert same(other, one) is equal


def test_same_arrays():
    assert same(np.array([1.0, np.nan]), np.array([1.0, np.nan]))
    assert not same(np.arange(3), np.arange(3).reshape(1, 3))
    assert not same(np.array([1.0]), np.array([1]))
    assert not same([1], np.array([1]))


def test_exact_comparison_tells_int_from_float():
    assert same((2,), (2,), 0)
    assert not same((2.0,), (2,), 0)
    assert kind_of(2.0, exact=True) == "float"


def test_descriptions():
    assert describe(np.zeros(2)) == "an array"
    assert describe(len) == describe(describe) == "a function"
    assert describe(n for n in ()) == "a generator"
    assert describe(1) == "an int"


def test_long_values_are_cut():
    assert len(show(list(range(1000)), 100)) < 100
    assert show(np.zeros((2, 2))).endswith("shape (2, 2)")
    assert show(0.1 + 0.2) == "0.3"
