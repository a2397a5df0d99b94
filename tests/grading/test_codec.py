"""Values that cross, and values that are refused; nothing else may happen."""

import collections
import contextlib
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cgkit.grading.codec import (
    DEEPEST,
    MOST_BYTES,
    Decoder,
    Encoder,
    Refused,
    refuse,
    refuse_mark,
)


def there_and_back(value):
    """Send a value through JSON, as a message does."""
    encoder = Encoder(refuse)
    mark = json.loads(json.dumps(encoder(value)))
    return Decoder(bytes(encoder.raw), refuse_mark)(mark)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(),
    st.binary(max_size=50),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.sampled_from((1, 2, -3))),
    st.builds(slice, st.none() | st.integers(-9, 9), st.integers(-9, 9)),
)
HASHABLE = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.binary(max_size=9))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.dictionaries(st.text(), inner),
        st.dictionaries(st.text(), st.lists(inner).map(tuple)),
        st.dictionaries(HASHABLE, inner),
        st.dictionaries(st.text(), inner).map(collections.OrderedDict),
        st.lists(inner).map(collections.deque),
        st.sets(HASHABLE),
        st.frozensets(HASHABLE),
    ),
    max_leaves=20,
)


def shape_of(value):
    """Write a value with every type in it; repr tells nan from nan and 0.0 from -0.0."""
    if isinstance(value, set | frozenset):
        return type(value).__name__, sorted(map(repr, value))
    return repr(value)


@given(VALUES)
def test_plain_values_come_back_as_they_were(value):
    back = there_and_back(value)
    assert type(back) is type(value)
    if not any(kind in repr(value) for kind in ("set(", "{")):
        assert shape_of(back) == shape_of(value)
    elif "nan" not in repr(value):
        assert back == value


DTYPES = st.one_of(
    arrays.boolean_dtypes(),
    arrays.integer_dtypes(),
    arrays.floating_dtypes(),
    arrays.complex_number_dtypes(),
    arrays.unicode_string_dtypes(max_len=5),
    arrays.byte_string_dtypes(max_len=5),
)


@given(
    DTYPES.flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0))
    )
)
def test_arrays_come_back_with_shape_and_type(array):
    back = there_and_back(array)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()
    back.flags.writeable = True  # it is its own


@given(DTYPES.flatmap(arrays.from_dtype))
def test_scalars_of_numpy_keep_their_type(value):
    back = there_and_back(value)
    assert type(back) is type(value)
    assert back.tobytes() == value.tobytes()


NASTY = st.text(st.sampled_from("ab\x1e\x1f\ud800\0 é"), max_size=3)


@given(st.dictionaries(NASTY, st.lists(NASTY, max_size=3).map(tuple), max_size=3))
def test_large_graphs_of_texts_come_back_as_they_were(odd):
    graph = {f"n{number}": ("add", f"n{number - 1}", "é") for number in range(150)} | odd
    back = there_and_back(graph)
    assert back == graph
    assert list(back) == list(graph)
    assert {type(row) for row in back.values()} == {tuple}


def test_a_large_graph_of_texts_is_one_table():
    encoder = Encoder(refuse)
    graph = {f"n{number}": ("add", "x") for number in range(150)}
    assert list(encoder(graph)) == ["table"]
    assert list(Encoder(refuse)(graph | {"x": ("constant", 1)})) == ["rows"]


def test_views_and_odd_strides_cross():
    array = np.arange(24.0).reshape(4, 6)[::-2, 1::2].T
    np.testing.assert_array_equal(there_and_back(array), array)


def test_a_given_list_given_back_is_that_list():
    items, table = [1, 2], {"a": 1}
    encoder = Encoder(refuse, [items, 5, table])
    decoder = Decoder(b"", refuse_mark, [items, 5, table])
    first, second, third = decoder(encoder((items, table, [1, 2])))
    assert first is items
    assert second is table
    assert third is not items


class Counting(dict):
    """A subclass, which could do anything when it is asked."""


@pytest.mark.parametrize(
    "value",
    [
        object(),
        len,
        Counting(),
        np.array([object()]),
        np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
        np.datetime64("2020-01-01"),
        [[object()]],
        {"a": {1: object()}},
        1 << (1 << 21),
        np.broadcast_to(1.0, (1 << 15, 1 << 15)),
        bytes(MOST_BYTES + 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_plain_data_is_refused(value):
    with pytest.raises(Refused):
        Encoder(refuse)(value)


def test_a_value_that_holds_itself_is_refused():
    items = []
    items.append(items)
    with pytest.raises(Refused, match="holds itself"):
        Encoder(refuse)(items)


def test_depth_is_bounded_both_ways():
    deep = 1
    for _ in range(DEEPEST + 2):
        deep = [deep]
    with pytest.raises(Refused):
        Encoder(refuse)(deep)
    for _ in range(200):
        deep = [deep]
    with pytest.raises(Refused):
        Decoder(b"", refuse_mark)(deep)


def test_items_are_counted_where_one_list_stands_many_times():
    items = [0] * 100_000
    with pytest.raises(Refused, match="items"):
        Encoder(refuse)([items] * 40)
    with pytest.raises(Refused, match="items"):
        Encoder(refuse)({str(number): tuple(items) for number in range(40)})


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "tuple",
                    "names",
                    "rows",
                    "table",
                    "dict",
                    "named",
                    "set",
                    "frozenset",
                    "int",
                    "float",
                    "complex",
                    "bytes",
                    "bytearray",
                    "range",
                    "slice",
                    "array",
                    "scalar",
                    "argument",
                    "drawing",
                    "handle",
                    "callback",
                    "function",
                    "pickle",
                ]
            )
            | st.text(max_size=3),
            inner,
            max_size=2,
        )
    ),
    max_leaves=12,
)


@given(JUNK, st.binary(max_size=32))
def test_marks_of_any_kind_give_a_value_or_are_refused(mark, raw):
    with contextlib.suppress(Refused):
        Decoder(raw, refuse_mark)(mark)


@pytest.mark.parametrize(
    "mark",
    [
        {"array": ["|O", [1], 0, 8]},
        {"array": ["<f8", [1 << 40], 0, 8]},
        {"array": ["<f8", [-1], 0, 8]},
        {"array": ["<f8", [1], 4, 8]},
        {"array": ["<f8", [True], 0, 8]},
        {"int": "f" * 2_000_000},
        {"named": ["OrderedDict", 5]},
        {"rows": [["a", [1]]]},
        {"rows": {"a": 1}},
        {"table": [[0, 1], [0, 9]]},
        {"table": [[0, 1]]},
        {"table": 3},
        {"named": ["eval", "1"]},
        {"argument": -1},
        {"set": [[1]]},
        {"a": 1, "b": 2},
        {},
    ],
    ids=str,
)
def test_malformed_marks_are_refused(mark):
    with pytest.raises(Refused):
        Decoder(bytes(8), refuse_mark, ["argument"])(mark)


def test_pickles_are_never_read():
    raw = pickle.dumps([1])
    with pytest.raises(Refused):
        Decoder(raw, refuse_mark)({"pickle": [0, len(raw)]})
    assert there_and_back(raw) == raw  # bytes stay bytes


@pytest.mark.parametrize("dtype", ["<U1", ">U1"])
def test_letters_that_are_none_do_not_come_in(dtype):
    decode = Decoder(b"xxxx", refuse_mark)
    for mark in ({"array": [dtype, [1], 0, 4]}, {"scalar": [dtype, 0, 4]}):
        with pytest.raises(Refused):
            decode(mark)
    text = np.array(["\U0010ffff"], dtype)
    assert there_and_back(text).tolist() == text.tolist()
