"""From what is fetched and fed to an immutable graph of pure operators.

    fetches ─ ancestors only, cut at what is fed ─> nodes
    nodes ─ an assign becomes its new value, an after its first operand ─> Graph

        inputs:  feeds, then the variables that are read
        outputs: fetches, then the next values of the variables that are written

What is left knows nothing of state or order, so any pass may change it: it keeps inputs and outputs
in their places, and that is all that a Session needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cgkit.errors import GraphError
from cgkit.graph import Graph, source
from cgkit.node import INPUT, SOURCES, VARIABLE, Edge, Extras, Node
from cgkit.order import topological_order, verify_order
from cgkit.symbolic.sources import full_name
from cgkit.symbolic.wiring import ASSIGN, WIRING, written

Key = tuple[Any, int]


@dataclass(frozen=True, eq=False)
class Extraction:
    """A part of a graph, ready to run."""

    graph: Graph
    """Inputs: the feeds, then the variables read. Outputs: the fetches, then what is written."""
    reads: tuple[Node, ...]
    """The variables whose values it needs, in the order of its inputs."""
    writes: tuple[Node, ...]
    """The variables that get a new value, in the order of its outputs."""


def extract(fetches: Sequence[Edge], feeds: Sequence[Edge]) -> Extraction:
    """Take out of a graph what some tensors need.

    Parameters
    ----------
    fetches
        The tensors to compute.
    feeds
        The tensors whose values will be given; what only they need is left out.

    Returns
    -------
    Extraction
        A graph of new nodes; the old ones stay as they are.

    Raises
    ------
    GraphError
        A placeholder is needed and not fed; two assigns of one variable have no order.
    CycleError
        Nodes wait for each other.
    """
    fed = {edge.key for edge in feeds}
    nodes = _needed(fetches, fed)
    _refuse_unfed(nodes, fed)
    writes = _writes(nodes)
    reads = [node for node in nodes if node.operator is VARIABLE]
    moved: dict[Key, Edge] = {}
    for edge in feeds:
        name = "" if edge.node is None else edge.node.name
        moved[edge.key] = source(INPUT, edge.type, name=name).edges[0]
    for variable in reads:
        moved[variable, 0] = variable.edges[0]
    _strip(nodes, moved)
    inputs = [moved[key] for key in (*(e.key for e in feeds), *((v, 0) for v in reads))]
    outputs = [moved[e.key] for e in (*fetches, *(w.edges[0] for w in writes.values()))]
    ends = [edge.node for edge in (*inputs, *outputs) if edge.node is not None]
    graph = Graph(tuple(inputs), tuple(topological_order(*ends)), tuple(outputs))
    return Extraction(graph, tuple(reads), tuple(writes))


def _needed(fetches: Sequence[Edge], fed: set[Key]) -> list[Node]:
    """Order the nodes that the fetches need, each after what it reads; go no further than feeds."""
    done: set[Node] = set()
    order: list[Node] = []
    stack = [edge for edge in reversed(fetches) if edge.key not in fed]
    opened: set[Node] = set()
    while stack:
        node = stack[-1].node
        assert node is not None
        if node in done:
            stack.pop()
        elif node in opened:
            done.add(node)
            order.append(node)
            stack.pop()
        else:
            opened.add(node)
            for edge in reversed(_reads(node)):
                if edge.key in fed or edge.node in done:
                    continue
                if edge.node in opened:  # it waits for something that waits for it
                    verify_order([*topological_order(node)])
                stack.append(edge)
    return order


def _reads(node: Node) -> tuple[Edge, ...]:
    """Give what a node reads: an assign does not read the variable, but waits for earlier ones."""
    first = node.inputs[0].node if node.operator is ASSIGN else None
    return node.inputs[1:] if first is not None and first.operator is VARIABLE else node.inputs


def _refuse_unfed(nodes: Sequence[Node], fed: set[Key]) -> None:
    missing = [node for node in nodes if node.operator is INPUT and (node, 0) not in fed]
    if not missing:
        return
    called = ", ".join(f"{node.name or 'a placeholder'}: {node.edges[0].type}" for node in missing)
    several = len(missing) > 1
    raise GraphError(
        f"the placeholder{'s' * several} {called} {'are' if several else 'is'} not fed",
        attempt=f"feeds={{{', '.join(node.name or 'placeholder' for node in missing)}: ...}}",
    )


def _writes(nodes: Sequence[Node]) -> dict[Node, Node]:
    """Give for each variable that is written the assign that comes last."""
    writes: dict[Node, Node] = {}
    for node in nodes:
        if node.operator is not ASSIGN:
            continue
        variable = written(node)
        before = writes.get(variable)
        if before is not None and before not in set(topological_order(node)):
            raise GraphError(
                f"two assigns of {full_name(variable) or 'one variable'} have no order, so its "
                "next value is either",
                attempt="with builder.control_dependencies([first]): around the second",
            )
        writes[variable] = node
    return writes


def _strip(nodes: Sequence[Node], moved: dict[Key, Edge]) -> None:
    """Build nodes anew without wiring; `moved` says what stands for each old tensor."""
    for node in nodes:
        if node.operator in WIRING:
            through = node.inputs[1 if node.operator is ASSIGN else 0]
            moved.setdefault((node, 0), moved[through.key])
            continue
        inputs = tuple(moved[edge.key] for edge in node.inputs)
        made = node
        if node.operator not in SOURCES and inputs != node.inputs:
            line = None if node.extras is None else node.extras.line
            extras = Extras(node.name, node.scope, node.value, node.results, line=line)
            made = Node(node.operator, inputs, node.params, (), extras)
        for edge in made.edges:
            moved.setdefault((node, edge.index), edge)
