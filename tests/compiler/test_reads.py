"""What functions read beside their arguments."""

import types

import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.compiler.reads import chains, is_library, loaded, reads_of, unwrapped
from cgkit.nn import Linear
from cgkit.tensor import Generator

SCALE = 2.0
TABLE = {"shift": [1, 2]}
MODULE = types.SimpleNamespace(rate=0.5)


def helper(x):
    return x * SCALE


def values(fn):
    return {place: str(value) for (place, what), value in reads_of(fn).items() if what == "value"}


def test_globals_tables_and_attributes():
    assert values(lambda x: x * SCALE) == {"SCALE": "2.0"}
    assert values(lambda x: x + TABLE["shift"][0]) == {"TABLE['shift'][0]": "1",
                                                        "TABLE['shift'][1]": "2"}  # fmt: skip
    assert values(lambda x: x * MODULE.rate) == {"MODULE.rate": "0.5"}


def test_functions_that_are_called_are_read_too():
    assert values(lambda x: helper(x)) == {"SCALE": "2.0"}


def test_closures_and_defaults_of_inner_functions():
    shift = 3

    def inner(x, by=4):
        return x + by

    assert values(lambda x: inner(x) + shift) == {"shift": "3", "default 0 of inner": "4"}


def test_recursion_ends():
    def first(x):
        return second(x)

    def second(x):
        return first(x) * SCALE

    assert values(first) == {"SCALE": "2.0"}


def test_objects_by_what_they_hold():
    class Net:
        __slots__ = ("flag",)
        rate = 0.1

        def __init__(self):
            self.flag = True

        def __call__(self, x):
            return x * SCALE if self.flag else x

    found = values(Net())
    assert found["self.flag"] == "True"
    assert found["SCALE"] == "2.0"


def test_tensors_by_being_the_same():
    w = Tensor([1.0, 2.0])
    facts = reads_of(lambda x: x * w)
    before = facts["w", "object"]
    assert facts["w", "size 0"] == 2
    w = Tensor([1.0, 2.0])
    assert reads_of(lambda x: x * w)["w", "object"] != before


def test_layers_by_their_tensors_and_their_mode():
    layer = Linear(2, 3, Generator(0))
    before = reads_of(lambda x: layer(x))
    layer.eval()
    after = reads_of(lambda x: layer(x))
    assert any("weight" in place for place, _ in before)
    assert before != after


def test_the_library_is_taken_as_fixed():
    assert set(reads_of(lambda x: ops.exp(x) + np.pi)) <= {
        ("ops", "object"), ("ops.exp", "object"), ("np.pi", "value"),
    }  # fmt: skip
    assert is_library(np.exp)
    assert is_library(len)
    assert not is_library(helper)


def test_how_functions_are_unwrapped():
    class Owner:
        def act(self):
            return 1

    owner = Owner()
    assert unwrapped(owner.act)[1] is owner
    assert unwrapped(len) == (None, len)
    assert unwrapped(helper) == (helper, None)


def test_names_without_a_value_are_left_out():
    def late(x):
        return x + NOT_THERE_YET  # noqa: F821

    assert list(chains(late)) == []
    assert loaded(late.__code__) == (("NOT_THERE_YET",),)


@pytest.mark.parametrize("size", [10, 100_000])
def test_large_tables_are_bounded(size):
    table = list(range(size))
    assert len(reads_of(lambda x: x + table[0])) <= 5001
