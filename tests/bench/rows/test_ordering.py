"""The row about order: peers give orders that are right, and a wrong one is seen."""

import importlib.util

import numpy as np
import pytest

from cgkit.bench.rows import ordering
from cgkit.bench.rows.ordering import is_order, producers

(ROW,) = ordering.ROWS
SMALL = {"nodes": 50, "reach": 20}


def judged(order):
    return is_order({}, {"order": np.asarray(order)}, SMALL)


def test_the_sizes_are_what_their_names_say():
    for name, size in ROW.sizes.items():
        nodes, _, edges, *_ = name.replace(",", "").split()
        assert int(nodes) == size["nodes"]
        assert int(edges) == size["nodes"] * ordering.READS


def test_every_node_reads_three_different_earlier_ones_within_reach():
    graph = producers(50, 20)
    assert len(graph) == 53
    for node, reads in enumerate(graph[3:], 3):
        assert len(set(reads)) == 3
        assert node - 20 <= min(reads)
        assert max(reads) < node
    again = producers.__wrapped__(50, 20)
    assert graph == again, "every process has the same graph"


@pytest.mark.parametrize("peer", ROW.peers, ids=lambda peer: peer.name)
def test_every_peer_gives_an_order(peer):
    if peer.package and importlib.util.find_spec(peer.package) is None:
        pytest.skip(f"{peer.package} is not installed")
    work = peer.allocating(**SMALL)
    for _ in range(2):
        order = work.read(work.run())["order"]
        assert judged(order) == ""


def test_wrong_orders_are_seen():
    right = list(range(53))
    assert judged(right) == ""
    assert "stands before" in judged(right[::-1])
    last = producers(**SMALL)[52][0]
    swapped = [52 if node == last else last if node == 52 else node for node in right]
    assert "stands before" in judged(swapped)
    odd = np.arange(53.0), np.arange(53)[None], np.array(["a"]), np.empty((0, 2))
    assert {judged(order) for order in odd} == {"these are not the 53 nodes, each once"}
    assert is_order({}, {"other": np.arange(53)}, SMALL) == "these are not the 53 nodes, each once"
    assert judged(right[:-1]) == "these are not the 53 nodes, each once"
    assert judged([*right[:-1], 0]) == "these are not the 53 nodes, each once"
