"""Types that must stay, and branches that must be alike."""

import numpy as np
import pytest

from cgkit import Dim, DtypeError, GraphBuilder, ShapeError, Tensor, TensorType, tree
from cgkit.control.agreement import (
    alike,
    check_functions,
    check_predicate,
    same_types,
    settled,
    shown,
    weak,
)
from cgkit.errors import OperandError

TYPE = TensorType((3,), "float32")


def test_structures_are_shown():
    second = tree.flatten([1, (2,)])[1]
    assert alike(second, ["a", ("b",)], "the body", "its carry") == ["a", "b"]
    with pytest.raises(OperandError, match=r"the body gives {'a': tensor}, but its carry is \["):
        alike(second, {"a": 1}, "the body", "its carry")
    with pytest.raises(OperandError, match=r"the body gives \(tensor, tensor\), but"):
        alike(tree.flatten([1, 2])[1], (1, 2), "the body", "its carry")
    assert shown(tree.flatten(())[1]) == "()"


def test_keys_may_come_in_any_order():
    expected = tree.flatten({"a": 1, "b": [{"d": 2, 3: 3}]})[1]
    assert alike(expected, {"b": [{3: "z", "d": "y"}], "a": "x"}, "", "") == ["x", "y", "z"]
    with pytest.raises(OperandError, match="gives"):
        alike(expected, {"b": [{3: "z", "e": "y"}], "a": "x"}, "it", "that")


def test_functions_are_asked_for_by_name():
    check_functions({"the body": abs})
    with pytest.raises(OperandError, match="the body is of type int, not a function"):
        check_functions({"the test": len, "the body": 3})


def test_the_leaf_that_differs_is_named():
    structure = tree.flatten({"h": 1, "c": 2})[1]
    open_size = TensorType((Dim("N"),), "f4")
    known = same_types([TYPE, TYPE], [TYPE, open_size], structure, "it", "in", "out")
    assert known == (TYPE, TYPE)
    with pytest.raises(ShapeError, match=r"it at \['c'\] is float32\[3\] where it in"):
        same_types([TYPE, TYPE], [TYPE, TensorType((4,), "f4")], structure, "it", "in", "out")
    with pytest.raises(ShapeError, match="where it out"):
        same_types([TYPE, TYPE], [TensorType((), "f4"), TYPE], structure, "it", "in", "out")
    with pytest.raises(DtypeError, match=r"\['h'\]"):
        same_types([TYPE, TYPE], [TensorType((3,), "f8"), TYPE], structure, "it", "in", "out")


def test_numbers_of_python_settle():
    assert [weak(x) for x in (1, 1.0, True, np.float64(1), np.array(1))] == [1, 1, 1, 0, 0]
    found = settled([0, 0, np.int64(0)], [TensorType((), "float64"), TensorType((), "bool"), TYPE])
    assert found[0].dtype == np.float64
    assert (found[1], found[2]) == (0, 0)
    assert not hasattr(found[1], "dtype")


@pytest.mark.parametrize(
    ("pred", "error", "words"),
    [
        (True, OperandError, "plain bool"),
        (np.bool_(True), OperandError, "plain bool"),
        ("yes", OperandError, "of type str"),
        (Tensor(1.0), DtypeError, "float64, not bool"),
        (Tensor([True, False]), ShapeError, "not one element"),
    ],
)
def test_a_predicate_is_a_tensor_of_one_bool(pred, error, words):
    with pytest.raises(error, match=words):
        check_predicate(pred, "it")


def test_good_predicates():
    check_predicate(Tensor(True), "it")
    check_predicate(GraphBuilder().placeholder((), "bool"), "it")
