"""Nested values come apart and together again, whatever their nesting."""

from collections import OrderedDict, namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgkit import tree

Point = namedtuple("Point", "x y")
leaves = st.none() | st.integers() | st.text(max_size=2)
nested = st.recursive(
    leaves,
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.lists(parts, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), parts, max_size=3)
        | st.builds(Point, parts, parts)
    ),
    max_leaves=12,
)


@given(nested)
def test_apart_and_together(value):
    found, structure = tree.flatten(value)
    assert structure.size == len(found)
    again = tree.unflatten(structure, found)
    assert again == value
    assert type(again) is type(value)


@given(nested)
def test_structure_does_not_depend_on_the_leaves(value):
    _, structure = tree.flatten(value)
    _, other = tree.flatten(tree.map_leaves(lambda leaf: 0, value))
    assert structure == other


@given(nested)
def test_leaves_are_visited_once_from_left_to_right(value):
    seen = []
    tree.map_leaves(seen.append, value)
    assert seen == tree.flatten(value)[0]


def test_a_dict_keeps_its_own_order():
    assert tree.flatten({"b": 1, "a": 2})[0] == [1, 2]
    assert list(tree.map_leaves(str, {"b": 1, "a": 2})) == ["b", "a"]


def test_none_and_strings_are_leaves_and_empties_have_none():
    assert tree.flatten((None, "ab", [], {}))[0] == [None, "ab"]


def test_a_named_tuple_stays_one():
    assert tree.map_leaves(lambda x: x + 1, Point(1, (2,))) == Point(2, (3,))


def test_kinds_of_nesting_differ():
    assert tree.flatten([1])[1] != tree.flatten((1,))[1]
    assert tree.flatten({"a": 1})[1] != tree.flatten({"b": 1})[1]
    assert tree.unflatten(tree.flatten(OrderedDict(a=1))[1], [2]) == {"a": 2}


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_wrong_number_of_leaves_is_refused(number):
    _, structure = tree.flatten({"w": 1, "b": [2]})
    with pytest.raises(tree.StructureError, match=f"2 leaves, got {number}"):
        tree.unflatten(structure, range(number))
