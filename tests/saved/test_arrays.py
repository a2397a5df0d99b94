"""Arrays as bytes: back to the last bit, readable by NumPy, and no header believed."""

import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from cgkit.errors import FileError, StateError
from cgkit.saved.arrays import KINDS, from_npy, to_npy


def again(array):
    return from_npy(to_npy(array), "0.npy", "run.npz")


@pytest.mark.parametrize("kind", sorted(KINDS))
@given(data=st.data())
def test_back_to_the_last_bit(kind, data):
    array = data.draw(arrays(np.dtype(kind), array_shapes(min_dims=0, min_side=0, max_side=4)))
    found = again(array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()
    assert found.flags.writeable


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_numpy_opens_it(kind):
    array = np.arange(6).reshape(2, 3).astype(kind)
    for version in (array, array.T, array[0], array[0, 0, None][:0], np.array(array[1, 1])):
        np.testing.assert_array_equal(np.load(io.BytesIO(to_npy(version))), version)


def test_the_elements_are_aligned():
    for size in range(0, 2000, 37):
        data = to_npy(np.zeros((size, 1), "u1"))
        assert (len(data) - size) % 64 == 0


def test_the_order_in_memory_stays():
    column_wise = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    assert again(column_wise).flags.f_contiguous
    assert again(column_wise.T).flags.c_contiguous
    sliced = np.arange(24.0).reshape(4, 6)[::-2, ::2]
    np.testing.assert_array_equal(again(sliced), sliced)


def test_another_byte_order_is_turned():
    found = again(np.array([1, 2, 3], ">i4"))
    assert (found.tolist(), found.dtype.isnative) == ([1, 2, 3], True)


@pytest.mark.parametrize(
    "array",
    [np.array([object()]), np.array(["a"]), np.array([1j]), np.zeros(1, "M8[s]"), np.zeros(1, "V3"),
     np.zeros(1, "longdouble"), np.zeros(1, [("a", "i4")])],
    ids=lambda array: str(array.dtype),
)  # fmt: skip
def test_other_elements_are_refused(array):
    if array.dtype == np.float64:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(StateError, match="cannot be saved"):
        to_npy(array)


def header(text, body=b"", magic=b"\x93NUMPY\x01\x00"):
    data = text.encode("latin-1")
    return magic + len(data).to_bytes(2, "little") + data + body


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }   \n"
BROKEN = {
    "nothing": (b"", "it begins with nothing"),
    "text": (b"hello world", "it begins with 68 65 6c 6c 6f"),
    "version 2": (header(GOOD, bytes(8), b"\x93NUMPY\x02\x00"), "it begins with 93 4e"),
    "header cut": (header(GOOD)[:30], "its header is"),
    "no line end": (header(GOOD.strip()), "its header is"),
    "cut": (header(GOOD, bytes(7)), r"its header says \(2,\) of float32, 8 bytes, but 7 follow"),
    "more": (header(GOOD, bytes(9)), "8 bytes, but 9 follow"),
    "objects": (header(GOOD.replace("<f4", "|O"), bytes(16)), "its header is"),
    "object size": (header(GOOD.replace("<f4", "|o8"), bytes(16)), "'o8', which are no plain"),
    "text elements": (header(GOOD.replace("<f4", "<U4"), bytes(32)), "its header is"),
    "complex": (header(GOOD.replace("<f4", "<c8"), bytes(16)), "'c8', which are no plain"),
    "odd size": (header(GOOD.replace("<f4", "<f3"), bytes(6)), "'f3', which are no plain"),
    "code": (header(GOOD.replace("2,", "().__class__,")), "its header is"),
    "negative": (header(GOOD.replace("2,", "-2,"), bytes(8)), "its header is"),
    "huge": (header(GOOD.replace("2,", "9" * 18), bytes(8)), "3,999,999,999,999,999,996 bytes"),
    "huger": (header(GOOD.replace("2,", "9" * 30), bytes(8)), "its header is"),
    "empty and huge": (header(GOOD.replace("2,", "0, " + "9" * 18 + ", 99")), "its shape is"),
    "many axes": (header(GOOD.replace("2,", "1, " * 70), bytes(4)), "its shape is"),
    "no truth": (header(GOOD.replace("<f4", "|b1"), b"\1\2"), "neither 0 nor 1"),
    "keys": (header(GOOD.replace("fortran_order", "order"), bytes(8)), "its header is"),
}


@pytest.mark.parametrize(("data", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_broken_is_named(data, said):
    with pytest.raises(FileError, match=said) as caught:
        from_npy(data, "3.npy", "run.npz")
    assert str(caught.value).startswith("the array 3.npy in run.npz cannot be read")


@given(st.data())
def test_no_bytes_do_any_harm(data):
    whole = to_npy(np.arange(4, dtype="int16"))
    at = data.draw(st.integers(0, len(whole)))
    noise = data.draw(st.binary(max_size=8))
    changed = whole[:at] + noise + whole[at + data.draw(st.integers(0, 8)) :]
    try:
        found = from_npy(changed, "0.npy", "run.npz")
    except FileError:
        return
    assert math.prod(found.shape) * found.dtype.itemsize <= len(changed)
