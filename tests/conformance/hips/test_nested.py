"""Nested values: taken apart and put together again, in one order."""

import pytest

from cgkit.conformance.hips.nested import form, leaves, mapped, rebuilt

VALUE = {"b": (1, [2]), "a": 3, 7: {}}


def test_there_and_back():
    assert leaves(VALUE) == [3, 1, 2]
    assert rebuilt(VALUE, leaves(VALUE)) == VALUE
    assert list(rebuilt(VALUE, "xyz")) == ["b", "a", 7]
    assert mapped(5, str) == "5"


def test_equal_dicts_have_equal_leaves():
    assert leaves({"a": 1, "b": 2}) == leaves({"b": 2, "a": 1})
    assert form({"a": 1, "b": 2}, type) == form({"b": 2, "a": 1}, type)


@pytest.mark.parametrize("other", [[1.0], (1.0, 2.0), 1.0, (1,), {"a": 1.0}])
def test_unlike_forms(other):
    assert form((1.0,), type) != form(other, type)
