"""Random programs read twice agree: as Python on Tensors, and as a graph, to second order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nested_programs import ACTS, program, random_block
from two_readings import agree

SEEDS = st.integers(0, 2**32 - 1)


def check(seed, depth, size, opened):
    rng = np.random.default_rng(seed)
    shapes = [("N",), ("N",)] if opened else None
    agree(program(seed, depth), rng.normal(size=size), rng.normal(size=size), shapes=shapes)


@settings(max_examples=25)
@given(SEEDS, st.integers(1, 2), st.integers(0, 3), st.booleans())
def test_two_readings_agree(seed, depth, size, opened):
    check(seed, depth, size, opened)


@settings(max_examples=4)
@given(SEEDS, st.integers(0, 2), st.booleans())
def test_three_within_each_other(seed, size, opened):
    check(seed, 3, size, opened)


@pytest.mark.slow
@settings(max_examples=150)
@given(SEEDS, st.integers(1, 3), st.integers(0, 3), st.booleans())
def test_many(seed, depth, size, opened):
    check(seed, depth, size, opened)


def test_all_kinds_are_drawn():
    import random

    seen = set()
    waiting = [random_block(random.Random(seed), 3, 3) for seed in range(30)]
    while waiting:
        for step in waiting.pop():
            seen.add(step.kind)
            waiting.extend(step.blocks)
    assert seen == ACTS.keys()
