"""Philox4x32-10 gives the published answers, and its counters fall where they should."""

import numpy as np
import pytest

from cgkit.operators.philox import BLOCKS, DRAW, SPLIT, bits, fold, philox, words_of

# counter, key, answer: the vectors that come with the paper's own implementation
KNOWN = (
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)


def plainly(counter, key):
    """Compute one block as the paper writes it, with Python's own numbers."""
    a, b, c, d = counter
    for i in range(10):
        left, right = 0xD2511F53 * a, 0xCD9E8D57 * c
        first, second = (key[0] + i * 0x9E3779B9) % 2**32, (key[1] + i * 0xBB67AE85) % 2**32
        a, b = right >> 32 ^ b ^ first, right % 2**32
        c, d = left >> 32 ^ d ^ second, left % 2**32
    return a, b, c, d


def one(counter, key):
    words = philox(tuple(np.array([word], np.uint64) for word in counter), key)
    return tuple(int(word[0]) for word in words)


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_known_answers(counter, key, answer):
    assert one(counter, key) == answer
    assert plainly(counter, key) == answer


def test_bits_are_blocks_of_one_counter_after_another():
    key = 0x299F31D0A4093822
    drawn = bits(key, 5, SPLIT)
    for number in range(5):
        words = plainly((number // 2, 0, 0, SPLIT), words_of(key))
        low, high = words[:2] if number % 2 == 0 else words[2:]
        assert int(drawn[number]) == low | high << 32


def test_blocks_that_are_worked_on_apart_meet():
    drawn = bits(3, 2 * BLOCKS + 2)
    number = BLOCKS
    a, b, c, d = plainly((number, 0, 0, DRAW), (3, 0))
    assert drawn[2 * number :].tolist() == [a | b << 32, c | d << 32]
    assert bits(3, 2 * BLOCKS).tolist() == drawn[: 2 * BLOCKS].tolist()


def test_folding_reads_every_bit_of_both():
    seen = {int(fold(key, number)) for key in (0, 1, 1 << 40) for number in (0, 1, 1 << 40)}
    assert len(seen) == 9
    a, b, _, _ = plainly((7, 9, 0, 2), (5, 6))
    assert int(fold(5 | 6 << 32, 7 | 9 << 32)) == a | b << 32


def test_nothing_is_drawn_where_nothing_is_wanted():
    assert bits(1, 0).shape == (0,)
