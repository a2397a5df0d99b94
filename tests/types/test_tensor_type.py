"""A TensorType says shape and dtype; dtypes promote as NumPy's do, plain numbers weakly."""

import itertools

import numpy as np
import pytest

from cgkit.errors import DtypeError
from cgkit.types import Dim, TensorType, as_dtype, promote, weak_dtype

DTYPES = ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64"]


def test_facts():
    known = TensorType([2, 3], "f4")
    assert (known.shape, known.ndim, known.size, known.nbytes) == ((2, 3), 2, 6, 24)
    assert known == TensorType((2, 3), np.float32)
    assert known != TensorType((2, 3), "f8")
    assert {known: 1}[TensorType((2, 3), "float32")] == 1
    assert repr(TensorType((), bool)) == "bool[]"


def test_open_sizes_stay_open():
    n = Dim("N")
    assert TensorType((n, 4), "f8").nbytes == n * 32
    assert str(TensorType((n + 1,), "int8")) == "int8[N + 1]"


@pytest.mark.parametrize("pair", list(itertools.product(DTYPES, DTYPES)), ids=" ".join)
def test_promotion_is_numpys(pair):
    a, b = (np.ones((1,), dtype) for dtype in pair)
    assert promote(a.dtype, b.dtype) == (a * b).dtype


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 2, 2.5], ids=["bool", "int", "float"])
def test_a_plain_number_is_weak(dtype, number):
    array = np.ones((2,), dtype)
    found = weak_dtype(number, [array.dtype])
    assert (array * np.array(number, found)).dtype == (array * number).dtype
    if number is True:  # a truth value stays one, as a condition must
        assert found == weak_dtype(number, []) == np.bool_
    else:
        assert found == (array * number).dtype
        assert weak_dtype(number, []) is None


@pytest.mark.parametrize("given", ["nope", None, object, "U3", complex, "datetime64[s]", 3])
def test_what_is_no_dtype_of_numbers_is_refused(given):
    if given is None:
        assert as_dtype(None) == np.float64  # as NumPy has it
    else:
        with pytest.raises(DtypeError):
            as_dtype(given)


def test_dtypes_may_be_given_in_numpys_ways():
    assert as_dtype(np.float32) == as_dtype("f4") == as_dtype(np.dtype("float32")) == np.float32


def test_a_type_of_no_known_dtype_says_so():
    with pytest.raises(DtypeError, match="there is no dtype 'x'"):
        TensorType((2,), "x")
    for odd in ("8'", ",<", "\ud800"):
        with pytest.raises(DtypeError, match="there is no dtype"):
            as_dtype(odd)


@pytest.mark.parametrize("name", ["i4", "f8", "u2", "f2", "?"])
def test_a_tensor_has_the_bytes_of_this_machine(name):
    for order in "<>=":
        assert as_dtype(order + name) == np.dtype(name)
        assert as_dtype(order + name).isnative
