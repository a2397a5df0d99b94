"""Keys handed out one after another, and where to go on."""

import numpy as np
import pytest

from cgkit import Generator, ops
from cgkit.errors import OperandError, StateError
from cgkit.tensor import expect_generator


def test_keys_are_those_of_the_seed_and_their_number():
    generator = Generator(7)
    keys = [generator.key() for _ in range(3)]
    assert keys == [ops.fold_in(ops.key(7), i) for i in range(3)]
    assert all(isinstance(key, np.uint64) for key in keys)
    assert len(set(keys) | {Generator(8).key()}) == 4


@pytest.mark.parametrize("seed", [0, -1, 2**64 - 1, 2**70, np.int8(3)])
def test_any_whole_number_is_a_seed(seed):
    assert Generator(seed).key() == ops.fold_in(ops.key(int(seed) % 2**64), 0)


@pytest.mark.parametrize("seed", [1.0, True, "a", None])
def test_nothing_else_is(seed):
    with pytest.raises(OperandError, match="the seed of a generator is a whole number"):
        Generator(seed)


def test_a_saved_state_goes_on_where_it_was(tmp_path):
    generator = Generator(2**64 - 1)
    for _ in range(5):
        generator.key()
    np.savez(tmp_path / "state.npz", **generator.state())
    other = Generator(0)
    with np.load(tmp_path / "state.npz") as state:
        other.load_state(state)
    assert [other.key(), other.key()] == [generator.key(), generator.key()]
    assert repr(other) == f"Generator(seed={2**64 - 1}, handed=7)"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"seed": 1}, "has the entries seed, handed"),
        ({"seed": 1, "handed": 2, "more": 3}, "has the entries seed, handed"),
        ([1, 2], "has the entries seed, handed"),
        ({"seed": 1.5, "handed": 0}, "the seed of a generator is a whole number"),
        ({"seed": 1, "handed": -1}, "the handed of a generator is a whole number"),
        ({"seed": 1, "handed": [1]}, "the handed of a generator is a whole number"),
        ({"seed": 1, "handed": 2**64}, "the handed of a generator is a whole number"),
    ],
)
def test_a_wrong_state_changes_nothing(state, said):
    generator = Generator(3)
    first = Generator(3).key()
    with pytest.raises(StateError, match=said):
        generator.load_state(state)
    assert generator.key() == first


def test_whoever_needs_one_says_so():
    generator = Generator(0)
    assert expect_generator("a layer", generator) is generator
    with pytest.raises(OperandError, match=r"a layer draws its first numbers by a Generator"):
        expect_generator("a layer", np.uint64(3))
