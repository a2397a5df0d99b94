"""Words on boxes that stand for many nodes."""

import numpy as np
import pytest

from cgkit import Dim, GraphBuilder, ops
from cgkit.render.stage_words import WIDTH, block_words, inside_words, part_words, stage_words


def block(name, x, *, bridge=False):
    """Two or three operators, the first of which has a name."""
    first = ops.exp(x).named(f"{name}/first") if name else ops.exp(x)
    second = -first
    return [first, second, second + first] if bridge else [first, second]


@pytest.fixture
def x():
    return GraphBuilder().placeholder((1, 3, 8, 8), name="x")


def nodes(values):
    return [value.node for value in values]


def test_a_row_is_written_as_one_and_what_is_none_is_counted(x):
    assert inside_words(nodes(block("", x))) == "exp → neg"
    assert inside_words(nodes(block("", x, bridge=True))) == "exp, neg, add"
    long = [x]
    for _ in range(7):
        long.append(-ops.exp(long[-1]))
    assert inside_words(x.builder.graph(long).operators) == "7 exp, 7 neg"


def test_blocks_that_repeat_are_told_by_the_first_and_the_last_name(x):
    blocks = [nodes(block(f"net/layer{number}", x)) for number in range(3)]
    assert part_words(blocks, "net") == "layer0/first … layer2/first\n\n3 x (exp → neg)"
    assert part_words(blocks[:1], "net") == "layer0/first\n\nexp → neg"
    assert part_words([nodes(block("", x))] * 2, "").startswith("\n\n2 x (")


def test_a_stage_is_told_by_the_size_of_its_tensors(x):
    named = nodes(block("net/stage1/a", x)) + nodes(block("net/stage1/b", x))
    assert stage_words(named, "net") == "stage1\n8 x 8\n\n2 exp, 2 neg"
    flat = x.sum(axis=(2, 3), keepdims=True)
    assert stage_words([flat.node], "").startswith("\n\n")
    rows = GraphBuilder().placeholder((1, 16, 4))
    assert stage_words([(-rows).node], "").startswith("16 x 4\n")
    unknown = GraphBuilder().placeholder((1, 3, Dim("?"), Dim("?")))
    assert stage_words([(-unknown).node], "").startswith("\n\n")
    open_size = GraphBuilder().placeholder((1, 3, Dim("H"), 4))
    assert stage_words([(-open_size).node], "").startswith("H x 4\n")


def test_lines_are_short_enough_for_a_box():
    builder = GraphBuilder()
    x = builder.placeholder((4,), name="x")
    values = [ops.square(ops.reciprocal(ops.softplus(x))), ops.logical_not(x > np.float64(0))]
    lines = block_words(builder.graph(values).operators, "").splitlines()
    assert len(lines) > 3
    assert max(map(len, lines)) <= WIDTH
