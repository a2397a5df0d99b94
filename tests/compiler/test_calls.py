"""Keys of calls: what a compiled form must not depend on gives one key, all else another."""

import numpy as np
import pytest

from cgkit import Tensor, no_grad
from cgkit.compiler.calls import key_of

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def same(first, second):
    return key_of(*first)[0] == key_of(*second)[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (([X], {}), ([Tensor([1.0, 2.0, 3.0])], {})),
        (([X], {}), ([Tensor([[1.0, 2.0]])], {})),
        (([X], {}), ([Tensor([1, 2])], {})),
        (([X], {}), ([np.array([1.0, 2.0])], {})),
        (([X], {}), ([Tensor([1.0, 2.0], requires_grad=True)], {})),
        (([X, Y], {}), ([X, X], {})),
        (([X, 1], {}), ([X, True], {})),
        (([X, 1], {}), ([X, 1.0], {})),
        (([X, 0.0], {}), ([X, -0.0], {})),
        (([X, np.float32(1)], {}), ([X, 1.0], {})),
        (([X, "a"], {}), ([X, b"a"], {})),
        (([[X, Y]], {}), ([(X, Y)], {})),
        (([[X], Y], {}), ([[X, Y]], {})),
        (([{"a": X}], {}), ([{"b": X}], {})),
        (([X], {"k": 1}), ([X], {"n": 1})),
        (([X], {"k": 1}), ([X, 1], {})),
        (([X, object()], {}), ([X, object()], {})),
    ],
)
def test_other_calls(first, second):
    assert not same(first, second)
    assert same(first, first)


def test_other_numbers_are_the_same_call():
    assert same(([X, 2], {"k": [Y]}), ([Y, 2], {"k": [X]}))
    assert same(([X, X], {}), ([Y, Y], {}))


def test_the_grad_mode_counts():
    key, _ = key_of([X], {})
    with no_grad():
        assert key_of([X], {})[0] != key


def test_nan_is_only_slow():
    assert same(([X, float("nan")], {}), ([X, float("nan")], {})) is False
