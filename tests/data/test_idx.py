"""IDX files: what they say, and each way in which they can be broken."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgkit.data.idx import read_idx
from cgkit.errors import FileError


def idx(array, kind=8):
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, kind, array.ndim]) + sizes + array.astype("uint8").tobytes()


@pytest.mark.parametrize("shape", [(3,), (0,), (2, 3, 4), (2, 0, 4)])
def test_what_was_written_is_read(shape):
    array = np.arange(math.prod(shape), dtype="uint8").reshape(shape)
    found = read_idx(idx(array), "file", len(shape))
    np.testing.assert_array_equal(found, array)
    assert found.dtype == np.uint8


LABELS = idx(np.array([5, 0, 4]))
BROKEN = {
    "nothing": (b"", "it begins with nothing"),
    "text": (b"<html>", "it begins with 3c 68 74 6d, where an IDX file has 00 00 08 01"),
    "packed": (b"\x1f\x8b\x08\0rest", "it is a packed file"),
    "short": (b"\0\0\x08", "it begins with 00 00 08"),
    "type": (idx(np.array([5]), kind=0x0D), "its elements have the type 0x0d, not 0x08"),
    "images": (idx(np.zeros((1, 2, 2))), r"it has 3 axes \(those of images\), not the 1 of labels"),
    "axes": (idx(np.zeros((1, 2))), "it has 2 axes, not the 1 of labels"),
    "header": (LABELS[:6], "it ends after 6 bytes, within its header of 8"),
    "cut": (LABELS[:-1], "says 3 = 3 bytes, and 2 follow: it was cut off"),
    "more": (LABELS + b"!", "says 3 = 3 bytes, and 4 follow: something was put behind"),
    "huge": (b"\0\0\x08\x01\xff\xff\xff\xff\x05", "says 4,294,967,295 = 4,294,967,295 bytes"),
}


@pytest.mark.parametrize(("data", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_broken_is_named(data, said):
    with pytest.raises(FileError, match=said) as caught:
        read_idx(data, "train-labels", 1)
    assert str(caught.value).startswith("train-labels is no IDX file that can be read")


def test_absurd_sizes_are_refused_before_anything_is_made():
    header = b"\0\0\x08\x03" + b"\xff" * 12
    with pytest.raises(FileError, match="it was cut off"):
        read_idx(header + b"123", "images", 3)


@given(st.binary(max_size=40), st.integers(0, 20))
def test_no_bytes_do_any_harm(noise, cut):
    for data in (noise, LABELS[:cut] + noise, b"\0\0\x08\x01" + noise):
        try:
            found = read_idx(data, "file", 1)
        except FileError:
            continue
        assert idx(found) == data
