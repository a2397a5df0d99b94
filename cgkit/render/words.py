"""A graph in one sentence, for those who do not see its picture.

    Computational graph: inputs x, y; 2 operators: add, multiply; 1 output from multiply.

It names what a reader would look for first and counts the rest.
"""

from __future__ import annotations

from collections import Counter

from cgkit.graph import Graph
from cgkit.node import Node
from cgkit.render.layers import family, shape_words, short, title
from cgkit.render.outline import count


def sentence(graph: Graph) -> str:
    """Describe a graph.

    Examples
    --------
    >>> sentence(Graph((), (), ()))
    'Computational graph without nodes.'
    """
    if not graph.nodes:
        return "Computational graph without nodes."
    parts = []
    for kind in ("input", "variable", "constant"):
        named = [_source(node) for node in graph.nodes if family(node) == kind]
        if named:
            parts.append(f"{kind}{'s' * (len(named) != 1)} {_list(named)}")
    counts = Counter(node.operator.name for node in graph.nodes if node.operator.family != "source")
    if counts:
        shown = [word if times == 1 else f"{times} {word}" for word, times in counts.items()]
        parts.append(f"{count(sum(counts.values()), 'operator')}: {_list(shown)}")
    origin = [_origin(edge.node) for edge in graph.outputs]
    if origin:
        parts.append(f"{count(len(origin), 'output')} from {_list(origin)}")
    return "Computational graph: " + "; ".join(parts) + "."


def _source(node: Node) -> str:
    """Name an input, variable or constant, or say how large it is."""
    words = title(node)
    return f"of shape {shape_words(node.edges[0])}" if words == node.operator.name else words


def _origin(node: Node | None) -> str:
    return "outside" if node is None else short(node.name or node.operator.name)


def _list(words: list[str]) -> str:
    shown = words[:8]
    if len(words) > 8:
        shown.append(f"and {len(words) - 8:,} more")
    return ", ".join(shown)
