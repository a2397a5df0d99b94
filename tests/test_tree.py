"""Nested structures: taking apart and putting together are inverse."""

from collections import namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgkit.tree import StructureError, flatten, map_leaves, unflatten

LEAVES = st.none() | st.integers() | st.text(max_size=3)
NESTED = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)
Point = namedtuple("Point", "x y")


@given(NESTED)
def test_what_was_taken_apart_comes_together_again(value):
    leaves, structure = flatten(value)
    again = unflatten(structure, leaves)
    assert again == value
    assert structure.size == len(leaves)


@given(NESTED, NESTED)
def test_structures_are_equal_exactly_when_only_leaves_differ(one, other):
    leaves, structure = flatten(one)
    relabeled = unflatten(structure, list(range(len(leaves))))
    assert flatten(relabeled)[1] == structure
    if flatten(other)[1] == structure:
        assert len(flatten(other)[0]) == len(leaves)


def test_a_named_tuple_stays_one():
    result = map_leaves(lambda x: x + 1, {"p": Point(1, [2])})
    assert result == {"p": Point(2, [3])}
    assert isinstance(result["p"], Point)


def test_dicts_keep_their_own_order():
    assert flatten({"b": 1, "a": 2})[0] == [1, 2]


def test_none_is_a_leaf():
    assert flatten([None, ()])[0] == [None]


def test_the_wrong_number_of_leaves_is_refused_with_both_numbers():
    _, structure = flatten([1, 2])
    with pytest.raises(StructureError, match="2 leaves, got 3"):
        unflatten(structure, [1, 2, 3])
