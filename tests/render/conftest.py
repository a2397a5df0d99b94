"""Graphs that the tests of pictures share."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import strategies as st

from cgkit import GraphBuilder, ops


@pytest.fixture
def network():
    """Two layers of a network, each in its scope.

    x ─► matmul ─► add ─► relu │ matmul ─► add ─► logits
    W1 ──┘  b1 ────┘           │ W2, b2 likewise
    """
    builder = GraphBuilder()
    x = builder.placeholder((32, 784), dtype="float32", name="x")
    hidden = x
    for scope, inner, outer in (("hidden", 784, 256), ("readout", 256, 10)):
        with builder.scope(scope):
            weights = builder.variable(np.zeros((inner, outer), "float32"), name="W")
            bias = builder.variable(np.zeros(outer, "float32"), name="b")
            hidden = ops.relu(hidden @ weights + bias)
    return builder.graph([hidden])


@pytest.fixture
def diamond():
    """One value read twice, twice over: x ═► b ═► c."""
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")
    b = x + x
    return builder.graph([b + b])


@pytest.fixture
def wide():
    """Make a graph of `size` nodes that read two earlier ones each, in scopes or not."""
    return random_graph


def random_graph(size, seed=0, scope=lambda place: ""):
    """Build a graph in which each node reads two random earlier ones."""
    choose = np.random.default_rng(seed)
    builder = GraphBuilder()
    values = [builder.placeholder((3,), name=f"x{place}") for place in range(3)]
    unread = set(range(3))
    for place in range(size - 3):
        first, second = choose.integers(0, len(values), 2)
        unread = unread - {first, second} | {len(values)}
        with builder.scope(scope(place)) if scope(place) else nullcontext():
            values.append(values[first] + values[second])
    return builder.graph([values[place] for place in sorted(unread)])


@st.composite
def graphs(draw):
    """Any small graph: several inputs and outputs, multi-edges, names of every kind, scopes."""
    builder = GraphBuilder()
    text = st.text(max_size=6)
    values = [
        builder.placeholder(draw(st.sampled_from([(), (3,), (2, 3)])), name=draw(text) or "x")
        for _ in range(draw(st.integers(1, 3)))
    ]
    for _ in range(draw(st.integers(0, 12))):
        one, two = draw(st.sampled_from(values)), draw(st.sampled_from(values))
        with builder.scope(draw(text) or "s"):
            values.append(draw(st.sampled_from([one * two, one - 2.0, ops.exp(one), one.sum()])))
    return builder.graph(draw(st.lists(st.sampled_from(values), min_size=1, max_size=3)))


@pytest.fixture(scope="session")
def any_graph():
    """The strategy `graphs`."""
    return graphs()
