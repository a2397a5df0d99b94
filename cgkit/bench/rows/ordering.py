"""Rows about order: each node after all that it reads, in a graph that is large.

    3 sources, then nodes that read 3 earlier ones each, chosen at random

    far     among all before: memory is visited in no order
    near    among the 100 before, as in the graph of a computation

Every peer has the graph in its own form beforehand; only the ordering is timed. Peers may give
different orders, all of them right: an order is judged by the graph.
"""

from __future__ import annotations

import random
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from cgkit.bench.row import Outputs, Peer, Row, Size, Work

READS = 3


@lru_cache(maxsize=1)
def producers(nodes: int, reach: int) -> list[list[int]]:
    """Give for each node those it reads: none for the sources, else three different earlier ones.

    Examples
    --------
    >>> producers(nodes=3, reach=3)
    [[], [], [], [0, 1, 2], [1, 2, 3], [2, 3, 4]]
    """
    generator = random.Random(11)
    found: list[list[int]] = [[] for _ in range(READS)]
    for number in range(READS, READS + nodes):
        near = range(max(0, number - reach), number)
        found.append(sorted(generator.sample(near, READS)))
    return found


def order_cgkit(nodes: int, reach: int) -> Work:
    """Make nodes by hand, since only how they are wired counts."""
    from cgkit import operators
    from cgkit.node import Edge, Node
    from cgkit.order import topological_order

    number = np.dtype(np.float64)
    made: list[Node] = []
    for reads in producers(nodes, reach):
        edges = tuple(Edge(made[producer], 0, (), number) for producer in reads)
        made.append(Node(operators.where, edges, {}))
    place = {node: index for index, node in enumerate(made)}
    read = {producer for reads in producers(nodes, reach) for producer in reads}
    roots = [node for index, node in enumerate(made) if index not in read]
    return Work(
        run=lambda: topological_order(*roots),
        read=lambda order: {"order": [place[node] for node in order]},
    )


def order_networkx(nodes: int, reach: int) -> Work:
    """Make a DiGraph."""
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(range(nodes + READS))
    graph.add_edges_from(_edges(nodes, reach))
    return Work(lambda: list(networkx.topological_sort(graph)), lambda order: {"order": order})


def order_graphlib(nodes: int, reach: int) -> Work:
    """Make the mapping that a TopologicalSorter is made of; one sorter orders only once."""
    from graphlib import TopologicalSorter

    graph = dict(enumerate(producers(nodes, reach)))
    return Work(
        lambda: list(TopologicalSorter(graph).static_order()), lambda order: {"order": order}
    )


def order_rustworkx(nodes: int, reach: int) -> Work:
    """Make a PyDiGraph, whose order is computed outside Python."""
    rustworkx: Any = import_module("rustworkx")

    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(nodes + READS))
    graph.add_edges_from_no_data(_edges(nodes, reach))
    return Work(lambda: rustworkx.topological_sort(graph), lambda order: {"order": list(order)})


def _edges(nodes: int, reach: int) -> list[tuple[int, int]]:
    return [(p, node) for node, reads in enumerate(producers(nodes, reach)) for p in reads]


def is_order(ours: Outputs, theirs: Outputs, size: Size) -> str:
    """Say what is wrong with an order, or nothing.

    Examples
    --------
    >>> is_order({}, {"order": np.array([0, 1, 3, 2])}, {"nodes": 1, "reach": 3})
    'node 3 stands before 2, which it reads'
    """
    reads, order = producers(**size), theirs.get("order", np.empty(0))
    whole = order.dtype.kind in "iu" and order.ndim == 1
    if not whole or not np.array_equal(np.sort(order), np.arange(len(reads))):
        return f"these are not the {len(reads)} nodes, each once"
    place = np.empty(len(reads), int)
    place[order] = np.arange(len(reads))
    for node in order.tolist():
        for producer in reads[node]:
            if place[producer] > place[node]:
                return f"node {node} stands before {producer}, which it reads"
    return ""


ROWS = (
    Row(
        name="topological-order",
        what="every node after the three that it reads",
        peers=(
            Peer("cgkit", order_cgkit),
            Peer("networkx", order_networkx, package="networkx"),
            Peer("graphlib", order_graphlib),
            Peer("rustworkx", order_rustworkx, package="rustworkx"),
        ),
        sizes={
            "100,000 nodes, 300,000 edges, far": {"nodes": 100_000, "reach": 100_000},
            "100,000 nodes, 300,000 edges, near": {"nodes": 100_000, "reach": 100},
            "20,000 nodes, 60,000 edges, far": {"nodes": 20_000, "reach": 20_000},
        },
        agree=is_order,
        target="5 times as fast as networkx",
        threads=(1,),
    ),
)
