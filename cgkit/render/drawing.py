"""From a graph to a `graphviz.Digraph`.

    Graph, Tensor, Value ──► as_graph ──► picture ──► fold ──► graphviz.Digraph

    x [32, 784] ──► matmul ──► relu ──► output       shapes on the edges,
                      ▲                              colors and shapes by family,
    W [784, 10] ──────┘                              boxes around scopes, a legend

The DOT text opens with comments: a sentence for those who do not see the picture, and a drawing in
letters. Notebooks use both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cgkit.errors import RenderError
from cgkit.graph import Graph, recorded
from cgkit.node import INPUT, Edge
from cgkit.order import topological_order
from cgkit.render import fonts
from cgkit.render.fold import LEGIBLE, NODES, fits, fold
from cgkit.render.inside import with_graphs_inside
from cgkit.render.layers import STANDARD, Layer, html, mark, short
from cgkit.render.notebook import install
from cgkit.render.palette import INK
from cgkit.render.picture import Arrow, Box, Picture, assemble, in_scopes, with_tensors
from cgkit.render.stages import PARTS, stages
from cgkit.render.text import draw_text
from cgkit.render.words import sentence

if TYPE_CHECKING:
    import graphviz

DIRECTIONS = {"down": "TB", "right": "LR"}
"""Where the arrows go."""

NOTE = {"shape": "box", "style": "filled", "fillcolor": "#FFF4F2", "fontsize": "10"}
"""How words look that point at a box."""


def draw(
    graph: Any,
    *,
    layers: Sequence[Layer] = STANDARD,
    marked: Mapping[Any, str] | None = None,
    direction: str = "down",
    show_data: bool = False,
    depth: int | None = None,
    most: int = NODES,
    legend: bool = True,
    caption: str = "",
) -> graphviz.Digraph:
    """Draw a computational graph.

    Parameters
    ----------
    graph
        A Graph; or a Tensor or Value, or several, for the graph that made them.
    layers
        What the picture says, later over earlier; see `cgkit.render.layers`.
    marked
        Words for nodes and edges to point at; see `cgkit.render.layers.mark`.
    direction
        "down" or "right": where the arrows go.
    show_data
        Draw tensors as boxes between the operators, instead of shapes on edges.
    depth
        How many scopes are open, one within another, from 1 on: what lies deeper is one box; 0
        for each node by itself. A graph without scopes has stages instead, parts of stages, and
        blocks of parts, see `cgkit.render.stages`. Without a depth a small graph is drawn node
        by node, a larger one as deep as can be read.
    most
        How many boxes make a graph a larger one.
    legend
        Say what colors and shapes mean.
    caption
        A line below the picture.

    Returns
    -------
    graphviz.Digraph
        It displays in a notebook; `save` writes it to a file.

    Raises
    ------
    RenderError
        There is no graph to draw.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> x = GraphBuilder().placeholder((3,), name="x")
    >>> print(draw(x * x).source.splitlines()[0])
    // Computational graph: input x; 1 operator: mul; 1 output from mul.
    """
    if direction not in DIRECTIONS:
        raise RenderError(f"{direction!r} is no direction", attempt='"down" or "right"')
    whole = as_graph(graph)
    extra = (mark(marked),) if marked else ()

    def pictured(graph: Graph) -> Picture:
        picture = assemble(graph, (*layers, *extra))
        return with_tensors(picture, graph) if show_data else picture

    picture = pictured(whole)
    if not depth:
        picture = with_graphs_inside(picture, whole, pictured, min(most, LEGIBLE))
    if depth or (depth is None and not fits(picture, nodes=most)):
        picture, depth = _staged(picture, whole, depth)
    has_scopes = any(box.scope for box in picture.boxes)
    picture = fold(picture, depth=depth, nodes=most if has_scopes else NODES)
    install()
    words = [sentence(whole, marked), *draw_text(whole, marked=marked).splitlines()]
    made = _empty(words, DIRECTIONS[direction], caption, picture.legend if legend else ())
    clusters = _add_boxes(made, picture)
    if any("lhead" in arrow.attributes for arrow in picture.arrows):
        made.attr("graph", compound="true")
    for arrow in picture.arrows:
        made.edge(arrow.tail, arrow.head, **_arrow_attributes(arrow, clusters))
    return made


def _staged(picture: Picture, graph: Graph, depth: int | None) -> tuple[Picture, int | None]:
    """Put the boxes of a picture without scopes into those of stages, where the graph has some."""
    if 2 * sum(bool(box.scope) for box in picture.boxes) > len(picture.boxes):
        return picture, depth
    found = stages(graph)
    if not found.scopes:
        return picture, None
    return in_scopes(picture, graph, found), PARTS if depth is None else depth


def as_graph(thing: Any) -> Graph:
    """Find the graph behind a Graph, a traced function, a Tensor, a Value, or several of these.

    Raises
    ------
    RenderError
        It is none of these, or nothing was recorded.
    """
    if isinstance(thing, Graph):
        return thing
    if isinstance(getattr(thing, "graph", None), Graph):
        whole: Graph = thing.graph
        return whole
    several = thing if isinstance(thing, list | tuple) else [thing]
    handles = [getattr(one, "edge", one) for one in several]
    edges = [edge for edge in handles if isinstance(edge, Edge)]
    roots = [edge.node for edge in edges if edge.node is not None]
    if not several or any(one is edge for one, edge in zip(several, handles, strict=True)):
        raise RenderError(
            f"this is no graph: {short(repr(thing), 60)}", attempt="a Graph, a Tensor or a Value"
        )
    if len(roots) < len(several):
        raise RenderError(
            "nothing was recorded for this tensor, so it has no graph",
            attempt="Tensor(..., requires_grad=True) for what it is computed from",
        )
    nodes = topological_order(*dict.fromkeys(roots))
    if any(node.results is None for node in nodes):
        return recorded(edges, nodes)
    inputs = tuple(edge for node in nodes if node.operator is INPUT for edge in node.edges)
    return Graph(inputs, tuple(nodes), tuple(edges))


def _empty(
    words: Sequence[str],
    rank: str,
    caption: str,
    legend: Sequence[tuple[str, str, str]],
) -> graphviz.Digraph:
    """Make a Digraph with the settings of all pictures, and nothing in it yet."""
    import graphviz

    made = graphviz.Digraph(comment="\n// ".join(words))
    made.attr("graph", rankdir=rank, fontname=fonts.FONT, fontsize="11", fontcolor=INK)
    made.attr("graph", bgcolor="white", pad="0.15", nodesep="0.3", ranksep="0.35")
    made.attr("node", fontname=fonts.FONT, fontsize="11", fontcolor=INK, height="0.35")
    made.attr("edge", fontname=fonts.FONT, fontsize="9", fontcolor="#444444", color="#555555")
    made.attr("edge", arrowsize="0.7")
    if legend or caption:
        made.attr("graph", label=_legend(legend, caption), labelloc="b")
    return made


def _legend(lines: Sequence[tuple[str, str, str]], caption: str) -> str:
    """Write the legend as a table, four words to a row."""
    rows = [f'<tr><td colspan="4"><b>{html(caption)}</b></td></tr>'] if caption else []
    cells = [
        f'<td bgcolor="{color}"><font point-size="9">{html(sign)} {html(words)}</font></td>'
        for sign, words, color in lines
    ]
    rows += [f"<tr>{''.join(cells[i : i + 4])}</tr>" for i in range(0, len(cells), 4)]
    table = '<table border="0" cellborder="0" cellspacing="3" cellpadding="2">'
    return f"<{table}{''.join(rows)}</table>>"


def _add_boxes(made: graphviz.Digraph, picture: Picture) -> dict[str, str]:
    """Add all boxes, each in the clusters of its scope; name the cluster of each scope."""
    tree: dict[str, list[Box]] = {}
    for box in picture.boxes:
        tree.setdefault(box.scope, []).append(box)
    for box in tree.pop("", []):
        _add_box(made, box)
    clusters: dict[str, str] = {}
    _add_scopes(made, "", tree, picture.titles, clusters, 0)
    return clusters


def _add_scopes(
    made: graphviz.Digraph,
    outer: str,
    tree: Mapping[str, list[Box]],
    titles: Mapping[str, str],
    clusters: dict[str, str],
    seen: int,
) -> None:
    """Add a cluster for each scope directly below `outer`, within so many that are to be seen."""
    depth = len(outer.split("/")) if outer else 0
    inner = dict.fromkeys("/".join(scope.split("/")[: depth + 1]) for scope in tree)
    for scope in inner:
        within = {path: boxes for path, boxes in tree.items() if f"{path}/".startswith(f"{scope}/")}
        clusters[scope] = f"cluster{len(clusters)}"
        with made.subgraph(name=clusters[scope]) as cluster:
            words, _, _ = titles.get(scope, scope.rpartition("/")[2]).partition("\n\n")
            lines = [f'{html(line)}<br align="left"/>' for line in words.splitlines()]
            label = f"<{''.join(lines) if len(lines) > 1 else html(words)}>"
            shown = bool(words) or scope not in titles
            cluster.attr(label=label, style="rounded,filled" if shown else "invis", color="#BBBBBB")
            cluster.attr(
                fillcolor="#FAFAFA" if seen % 2 == 0 else "#F1F1F1", labelloc="t", labeljust="l"
            )
            for box in within.pop(scope, []):
                _add_box(cluster, box)
            _add_scopes(cluster, scope, within, titles, clusters, seen + shown)


def _add_box(made: graphviz.Digraph, box: Box) -> None:
    """Add one box, and beside it the words that point at it."""
    attributes = {"label": box.operator, **box.attributes}
    note = attributes.pop("note", "")
    if not (attributes["label"].startswith("<") and attributes["label"].endswith(">")):
        attributes["label"] = f"<{html(attributes['label'])}>"
    made.node(box.key, **attributes)
    if note:
        color = attributes.get("color", INK)
        with made.subgraph() as beside:
            beside.attr(rank="same")
            beside.node(f"{box.key}note", f"<{html(note)}>", color=color, **NOTE)
            beside.node(box.key)
        made.edge(f"{box.key}note", box.key, color=color, style="dashed", weight="20")


def _arrow_attributes(arrow: Arrow, clusters: Mapping[str, str]) -> dict[str, str]:
    """Give an arrow's attributes as Graphviz wants them."""
    attributes = dict(arrow.attributes)
    if (scope := attributes.pop("lhead", "")) in clusters:  # it ends at the rim of a box
        attributes["lhead"] = clusters[scope]
    note = attributes.pop("note", "")
    words = [html(attributes["label"])] if attributes.get("label") else []
    if note:
        words.append(f"<b>◄ {html(note)}</b>")
    if words:  # blanks keep the words off the arrow
        attributes["label"] = "<" + "<br/>".join(f" {word} " for word in words) + ">"
    return attributes
