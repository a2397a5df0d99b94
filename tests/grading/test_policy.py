import numpy as np
import pytest

from cgkit.grading.parcels import OBJECTS
from cgkit.grading.policy import Behavior, Learner, Policy, put_back


def test_only_data_unless_the_reference_did_otherwise():
    policy = Policy({"walk": Behavior(frozenset({"iterator"}))})
    assert policy.allows("walk", "iterator")
    assert policy.allows("mean", "data")
    assert not policy.allows("walk", "object")
    assert not policy.allows("mean", "iterator")


def test_a_learner_allows_and_remembers():
    learner = Learner()
    assert learner.allows("Stack()", "object")
    assert learner.allows("mean", "data")
    assert learner.changes("sort", 2) == (OBJECTS, 0, 1)
    learner.note_change("sort", 1)
    policy = learner.policy({"test": 1.5})
    assert policy.behaviors["Stack()"].kinds == {"object"}
    assert policy.behaviors["mean"].kinds == frozenset()
    assert policy.changes("sort", 2) == (1,)
    assert policy.changes("sort", 1) == ()
    assert policy.seconds == {"test": 1.5}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([1, 2], [3]),
        ({"a": 1}, {"b": 2}),
        ({1}, {2, 3}),
        (bytearray(b"a"), bytearray(b"bc")),
    ],
)
def test_changes_are_put_back_in_place(old, new):
    same = old
    put_back(old, new)
    assert same == new


def test_arrays_keep_shape_and_type():
    array = np.zeros(3, np.float32)
    put_back(array, np.arange(3.0))
    assert array.tolist() == [0, 1, 2]
    assert array.dtype == np.float32
    put_back(array, np.ones(4))
    assert array.tolist() == [0, 1, 2]


def test_other_types_are_left_alone():
    items = [1]
    put_back(items, (2,))
    assert items == [1]
