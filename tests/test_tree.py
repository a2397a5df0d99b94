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


@given(nested)
def test_along_its_own_structure_a_value_comes_apart_as_by_flatten(value):
    leaves, structure = tree.flatten(value)
    assert tree.flatten_along(structure, value) == leaves


@given(nested)
def test_what_hangs_below_a_leaf_stays_whole(value):
    leaves, structure = tree.flatten(value)
    deeper = tree.map_leaves(lambda leaf: {"leaf": [leaf]}, value)
    assert tree.flatten_along(structure, deeper) == [{"leaf": [leaf]} for leaf in leaves]


def test_along_a_dict_its_keys_count_and_not_their_order():
    _, structure = tree.flatten({"a": 1, "b": 2})
    assert tree.flatten_along(structure, {"b": [20], "a": [10]}) == [[10], [20]]


def test_along_a_list_a_tuple_will_do():
    # functions give tuples, models hold lists
    assert tree.flatten_along(tree.flatten([1, (2,)])[1], ("a", ["b"])) == ["a", "b"]
    with pytest.raises(tree.StructureError, match="of type list, not Point"):
        tree.flatten_along(tree.flatten(Point(1, 2))[1], [1, 2])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"w": 1, "b": 2}, r"\['b'\] is of type int, not list"),
        ({"w": 1, "b": Point(2, 3)}, r"\['b'\] is of type Point, not list"),
        ({"w": 1, "b": [2]}, r"\['b'\] has 1 members, not 2"),
        ({"w": 1}, r"the whole has the keys \['w'\], not \['w', 'b'\]"),
        ({"w": 1, "b": [2, 3], "c": 4}, "the whole has the keys"),
        ([1, [2, 3]], "the whole is of type list, not dict"),
    ],
)
def test_a_value_nested_otherwise_is_refused_with_the_place(value, said):
    _, structure = tree.flatten({"w": 1, "b": [2, 3]})
    with pytest.raises(tree.StructureError, match=said):
        tree.flatten_along(structure, value)


@given(nested)
def test_paths_lead_to_the_leaves(value):
    leaves, structure = tree.flatten(value)
    assert [eval(f"value{path}", {"value": value}) for path in tree.paths(structure)] == leaves
