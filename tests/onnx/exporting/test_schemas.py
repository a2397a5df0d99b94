"""What ONNX says of its operators, asked of its own schemas."""

import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx.exporting.schemas import (
    NEWEST,
    OLDEST,
    WIDER,
    check_opset,
    fitting,
    keeps_dtype,
    schema_of,
    takes,
)


def test_dtypes_that_are_taken():
    assert np.dtype("float64") in takes("Exp", NEWEST)
    assert np.dtype("int32") not in takes("Exp", NEWEST)
    assert takes("And", NEWEST) == {np.dtype(bool)}
    assert takes("Reshape", NEWEST, 1) == {np.dtype("int64")}  # the shape
    # the last input stands for all that follow
    assert takes("Max", NEWEST, 7) == takes("Max", NEWEST, 0)


def test_versions_differ():
    assert takes("Celu", 27) == {np.dtype("float32")}
    assert np.dtype("float64") in takes("Celu", 28)
    assert np.dtype("int32") in takes("BitShift", 28) - takes("BitShift", 27)


@pytest.mark.parametrize(
    ("operator", "dtype", "found"),
    [
        ("Add", "int8", "int8"), ("MatMul", "int8", "int32"), ("MatMul", "uint16", "int32"),
        ("ReduceSum", "int16", "int32"), ("ReduceSum", "bool", "int32"), ("Less", "bool", "uint8"),
        ("Not", "float64", "bool"), ("Exp", "float16", "float16"),
    ],
)  # fmt: skip
def test_the_dtype_in_which_it_computes(operator, dtype, found):
    assert fitting(operator, np.dtype(dtype)) == np.dtype(found)


def test_a_dtype_that_nothing_holds():
    with pytest.raises(OnnxError, match=r"operator Exp takes no uint64"):
        fitting("Exp", np.dtype("uint64"))


def test_wider_dtypes_hold_all_numbers():
    for name, wider in WIDER.items():
        for other in wider:
            assert np.can_cast(name, other, "safe") or (name, other) == ("bool", "uint8")


def test_what_keeps_its_dtype():
    kept = [name for name in ("Add", "Less", "Not", "IsNaN", "Where") if keeps_dtype(name, NEWEST)]
    assert kept == ["Add", "Not"]


def test_operator_sets():
    for opset in (OLDEST, NEWEST):
        check_opset(opset)
    for opset in (OLDEST - 1, NEWEST + 1, "28", 21.5, None):
        told = f"operator sets {OLDEST} to {NEWEST}.*not {opset!r}"
        with pytest.raises(OnnxError, match=told):
            check_opset(opset)


def test_an_operator_that_is_not_there_yet():
    with pytest.raises(OnnxError, match=r"(?s)CumProd begins with operator set 26, not 25.*=26"):
        schema_of("CumProd", 25)
