"""The nodes and edges of any DOT graph, and the words for a picture of it.

    a ──► b ──► c        Directed graph of 3 nodes and 2 edges: a to b, b to c.

Graphviz itself reads the text, so whatever it can draw can be put into words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

from cgkit.render.arcs import WIDTH, arcs
from cgkit.words import counted

LINES = 40
"""How many lines a text drawing has at most."""


@dataclass(frozen=True)
class Outline:
    """A graph without its layout.

    Parameters
    ----------
    nodes
        What each node shows, in order.
    edges
        (from, to, label) with places in `nodes`.
    directed
        Whether edges have a direction.
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[int, int, str], ...]
    directed: bool = True

    def sentence(self) -> str:
        """Say what the graph holds, for those who do not see it."""
        kind = "Directed graph" if self.directed else "Graph"
        said = (
            f"{kind} of {counted(len(self.nodes), 'node')} and {counted(len(self.edges), 'edge')}"
        )
        word = "to" if self.directed else "with"
        first = [f"{self.nodes[a]} {word} {self.nodes[b]}" for a, b, _ in self.edges[:8]]
        more = len(self.edges) - len(first)
        if more > 0:
            first.append(f"and {more} more")
        return f"{said}: {', '.join(first)}." if first else f"{said}."

    def drawing(self) -> str:
        """Draw it in letters: on one line, or a line for each node that others read."""
        drawn = arcs(self.nodes, [edge[:2] for edge in self.edges]) if self._plain() else None
        if drawn is not None:
            return drawn
        arrow = "──►" if self.directed else "───"
        readers: dict[int, list[str]] = {}
        for start, end, label in self.edges:
            readers.setdefault(start, []).append(self.nodes[end] + f" ({label})" * bool(label))
        touched = set(readers) | {end for _, end, _ in self.edges}
        wide = max((len(self.nodes[node]) for node in readers), default=0)
        lines = [
            f"{self.nodes[node]:<{min(wide, 30)}} {arrow} {', '.join(readers[node])}"
            for node in range(len(self.nodes))
            if node in readers
        ]
        lines += [name for node, name in enumerate(self.nodes) if node not in touched]
        return fit(lines) or "an empty graph"

    def _plain(self) -> bool:
        """Tell whether arcs would leave nothing out."""
        return self.directed and bool(self.nodes) and not any(label for *_, label in self.edges)


def fit(lines: Sequence[str]) -> str:
    """Cut lines and their number to what a message can hold.

    Examples
    --------
    >>> len(fit(["a" * 200]))
    87
    """
    kept = [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in lines[:LINES]]
    if len(lines) > LINES:
        kept[-1] = f"… {len(lines) - LINES + 1} more lines"
    return "\n".join(line.rstrip() for line in kept)


def read(dot_json: bytes) -> Outline:
    """Read what Graphviz writes as "dot_json"."""
    data = json.loads(dot_json)
    objects = [thing for thing in data.get("objects", []) if "nodes" not in thing]
    place = {thing["_gvid"]: number for number, thing in enumerate(objects)}
    nodes = tuple(_label(thing.get("label", ""), thing["name"]) for thing in objects)
    edges = tuple(
        (place[edge["tail"]], place[edge["head"]], _label(edge.get("label", ""), ""))
        for edge in data.get("edges", [])
        if edge["tail"] in place and edge["head"] in place
    )
    return Outline(nodes, edges, data.get("directed", True))


def comments(dot: str) -> tuple[str, str]:
    r"""Give the comments a DOT text opens with: the first line, and all further ones.

    Examples
    --------
    >>> comments("// a graph\n// x ──► y\ndigraph { x -> y }")
    ('a graph', 'x ──► y')
    """
    lines = []
    for line in dot.splitlines():
        if not line.startswith("// "):
            break
        lines.append(line.removeprefix("// ").rstrip())
    return (lines[0] if lines else "", "\n".join(lines[1:]))


def _label(label: str, name: str) -> str:
    """Give a label, or else the name, as one line of plain words."""
    words = label or name
    if re.search(r"</\w+>|<br ?/>", words, re.IGNORECASE):
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", words)).replace(r"\\", "\\").split())
    words = re.sub(r"\\N", lambda _: name, words)
    return " ".join(re.sub(r"\\[nlr]", " ", words).replace("\\", "").split())
