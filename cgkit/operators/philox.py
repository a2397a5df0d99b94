"""Random bits without a state: Philox turns a key and a counter into bits, and that is all.

    key ──────────────┐
    counter 0 1 2 ... ┴─ ten rounds of multiply and mix ─> 128 bits for each counter

Number i of a draw depends on the key and i alone: any part can be computed first, by any device,
and computing it again gives it again. A key is one uint64; a domain tells its uses apart.

References
----------
J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC 2011.
"""

from __future__ import annotations

import numpy as np

MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
STEPS = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
BLOCKS = 1 << 14
"""How many counters are worked on together: their words stay in the cache."""

DRAW, SPLIT, FOLD = 0, 1, 2
"""Domains: numbers drawn from a key, keys split from it, keys that a number was folded into."""

Words = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Give four 32-bit words for each counter of four words: Philox4x32-10.

    Parameters
    ----------
    counter
        Four arrays of uint64 of one shape, each element below 2**32.
    key
        Two words below 2**32.

    Returns
    -------
    four arrays of uint64
        Each element below 2**32.

    Examples
    --------
    >>> zeros = (np.zeros(1, np.uint64),) * 4
    >>> [hex(int(word[0])) for word in philox(zeros, (0, 0))]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    a, b, c, d = counter
    first, second = key
    for _ in range(ROUNDS):
        left, right = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b = (right >> HALF) ^ b ^ np.uint64(first), right & LOW
        c, d = (left >> HALF) ^ d ^ np.uint64(second), left & LOW
        first, second = (first + STEPS[0]) % 2**32, (second + STEPS[1]) % 2**32
    return a, b, c, d


def words_of(number: int) -> tuple[int, int]:
    """Split a number below 2**64 into its lower and its upper 32 bits."""
    return number & 0xFFFFFFFF, number >> 32


def bits(key: int, count: int, domain: int = DRAW) -> np.ndarray:
    """Give 64 random bits for each of `count` numbers: two for each counter.

    Parameters
    ----------
    key
        Below 2**64.
    count
        How many.
    domain
        What they are for; other domains give other bits.

    Returns
    -------
    ndarray
        uint64, of shape (count,).

    Examples
    --------
    >>> bits(7, 3)[:2].tolist() == bits(7, 2).tolist()
    True
    """
    words = words_of(key)
    blocks = (count + 1) // 2
    result = np.empty((blocks, 2), np.uint64)
    for start in range(0, blocks, BLOCKS):
        number = np.arange(start, min(start + BLOCKS, blocks), dtype=np.uint64)
        zeros, last = np.zeros_like(number), np.full_like(number, domain)
        a, b, c, d = philox((number & LOW, number >> HALF, zeros, last), words)
        result[start : start + BLOCKS, 0] = a | (b << HALF)
        result[start : start + BLOCKS, 1] = c | (d << HALF)
    return result.reshape(-1)[:count]


def fold(key: int, number: int) -> np.uint64:
    """Make a new key of a key and a number, both below 2**64."""
    counter = [np.array(word, np.uint64) for word in (*words_of(number), 0, FOLD)]
    a, b, _, _ = philox((counter[0], counter[1], counter[2], counter[3]), words_of(key))
    return np.uint64(a | (b << HALF))
