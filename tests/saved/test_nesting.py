"""Nested states as JSON: back with the same types, and nothing odd let in."""

import collections
import contextlib
import copy
import enum
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgkit import GraphBuilder, Tensor
from cgkit.errors import FileError, StateError
from cgkit.saved.nesting import DEEPEST, LONGEST, decode, encode

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
keys = st.none() | st.booleans() | st.integers() | st.text(max_size=4)
states = st.recursive(
    plain,
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.lists(parts, max_size=3).map(tuple)
        | st.dictionaries(keys, parts, max_size=3)
    ),
    max_leaves=12,
)


def again(state):
    text, arrays = encode(state)
    return decode(text, {f"{i}.npy": array.copy() for i, array in enumerate(arrays)}, "run.npz")


@given(states)
def test_plain_values_come_back_as_they_were(state):
    assert repr(again(state)) == repr(state)  # repr, since nan is not equal to itself


def test_arrays_numbers_and_tensors_come_back_as_they_were():
    leaf = Tensor([1.0, 2.0], requires_grad=True)
    state = {"a": np.ones((2, 0)), "b": [np.float32(0.5), np.uint64(2**63)], "c": (leaf,)}
    found = again({**state, "d": Tensor([1]), "e": (leaf * 2.0)})
    assert found["a"].shape == (2, 0)
    assert [type(x) for x in found["b"]] == [np.float32, np.uint64]
    assert found["b"] == state["b"]
    assert found["c"][0].requires_grad
    assert found["c"][0].is_leaf
    assert not found["d"].requires_grad
    assert (found["e"].data.tolist(), found["e"].grad_fn) == ([2, 4], None)


def test_a_dict_keeps_its_order_and_its_keys():
    found = again({"b": 1, "a": 2, 7: 3, True: 4, None: 5})
    assert list(found) == ["b", "a", 7, True, None]
    assert type(list(found)[3]) is bool


class Color(enum.IntEnum):
    RED = 1


Point = collections.namedtuple("Point", "x y")
REFUSED = {
    "object": (object(), r"a value of type object cannot be saved"),
    "function": (print, "a value of type builtin_function_or_method"),
    "bytes": (b"abc", "a value of type bytes"),
    "set": ({1}, "a value of type set"),
    "complex": (1j, "a value of type complex"),
    "enum": (Color.RED, "a value of type Color"),
    "named tuple": (Point(1, 2), "a value of type Point"),
    "array of objects": (np.array([None]), "an array of object cannot be saved"),
    "subclass": (np.ma.array([1]), "a value of type MaskedArray"),
    "value": (GraphBuilder().placeholder(()), "a value of type Value"),
    "complex number": (np.complex64(1j), "a value of type complex64"),
    "large": (1 << 5000, "a whole number of 5,001 binary digits"),
}


@pytest.mark.parametrize(("value", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_saved_is_named_with_its_place(value, said):
    from cgkit.saved.arrays import to_npy

    with pytest.raises(StateError, match=said) as caught:
        [to_npy(array) for array in encode({"a": [1, (2, value)]})[1]]
    if value.__class__ is not np.ndarray:
        assert "state['a'][1][1]" in caught.value.with_place()


@pytest.mark.parametrize("key", [1.5, (1, 2), b"a", Color.RED, np.int64(3)])
def test_odd_keys_are_refused(key):
    with pytest.raises(StateError, match=r"the key .* of state\[0\] cannot be saved"):
        encode([{key: 1}])


def test_depth_is_bounded_and_circles_are_seen():
    deep = 0
    for _ in range(DEEPEST):
        deep = [deep]
    assert again(deep) == deep
    with pytest.raises(StateError, match="nested deeper than 100"):
        encode([deep])
    circle = []
    circle.append(circle)
    with pytest.raises(StateError, match="does it hold itself"):
        encode({"a": circle})


def test_length_is_bounded():
    with pytest.raises(StateError, match="bytes of plain values"):
        encode("x" * LONGEST)
    with pytest.raises(FileError, match=r"it has .* bytes, more than"):
        decode(b" " * (LONGEST + 1), {}, "run.npz")


HEAD = {"format": "cgkit state", "version": 1}
ODD = {
    "nothing": (b"", {}, "JSONDecodeError"),
    "no text": (b"\xff\xfe\x00", {}, "Error"),
    "deep": (b"[" * 100_000, {}, "RecursionError"),
    "digits": (b"1" * 5000, {}, "ValueError"),
    "list": (b"[]", {}, "does not say that it is a cgkit state"),
    "other": ({"format": "x"}, {}, "does not say"),
    "newer": ({"format": "cgkit state", "version": 2}, {}, "in version 2 of its format"),
    "word": ({**HEAD, "state": {"run": "rm"}}, {}, r"it holds \{'run': 'rm'\}"),
    "two words": ({**HEAD, "state": {"list": [], "tuple": []}}, {}, "it holds"),
    "bare list": ({**HEAD, "state": [1]}, {}, r"it holds \[1\]"),
    "no list": ({**HEAD, "state": {"list": 3}}, {}, "members are no list: 3"),
    "no pairs": ({**HEAD, "state": {"dict": [["a", 1, 2]]}}, {}, "are no pairs"),
    "key": ({**HEAD, "state": {"dict": [[["a"], 1]]}}, {}, "are no pairs"),
    "float key": ({**HEAD, "state": {"dict": [[1.5, 1]]}}, {}, "are no pairs"),
    "twice": (
        {**HEAD, "state": {"dict": [["a", 1], ["a", 2]]}},
        {},
        "a key of a dict stands twice",
    ),
    "no array": ({**HEAD, "state": {"array": 0}}, {}, "there is no array 0"),
    "name": ({**HEAD, "state": {"array": "../0"}}, {}, "there is no array '../0'"),
    "truth": ({**HEAD, "state": {"array": True}}, {"True.npy": np.ones(1)}, "no array True"),
    "used twice": (
        {**HEAD, "state": {"list": [{"array": 0}, {"array": 0}]}},
        {"0.npy": np.ones(1)},
        "used twice",
    ),
    "left": ({**HEAD, "state": None}, {"0.npy": np.ones(1)}, "no place for 0.npy"),
    "no number": ({**HEAD, "state": {"number": 0}}, {"0.npy": np.ones(1)}, "no single number"),
    "nan": ({**HEAD, "state": {"float": "1e3"}}, {}, "'1e3' is no number"),
    "tensor": (
        {**HEAD, "state": {"tensor": 0, "requires_grad": 1}},
        {"0.npy": np.ones(1)},
        "requires_grad 1",
    ),
    "whole tensor": (
        {**HEAD, "state": {"tensor": 0, "requires_grad": True}},
        {"0.npy": np.ones(1, int)},
        "a tensor of int64",
    ),
}


@pytest.mark.parametrize(("body", "parts", "said"), ODD.values(), ids=ODD.keys())
def test_odd_texts_are_refused(body, parts, said):
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(FileError, match=said):
        decode(text, parts, "run.npz")


def test_deep_texts_are_refused():
    state = None
    for _ in range(DEEPEST + 2):
        state = {"list": [state]}
    with pytest.raises(FileError, match="nested deeper"):
        decode(json.dumps({**HEAD, "state": state}).encode(), {}, "run.npz")


@given(st.data())
def test_no_text_does_any_harm(data):
    text, (array,) = encode({"a": [1, (2.5, math.nan)], "b": np.ones(1)})
    at, end = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 5))
    changed = text[:at] + data.draw(st.binary(max_size=3)) + text[at + end :]
    with contextlib.suppress(FileError):
        decode(changed, {"0.npy": copy.copy(array)}, "run.npz")
