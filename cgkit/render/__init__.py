"""Pictures of graphs: in a notebook, in a file, in a message.

    draw(graph) ──► graphviz.Digraph ──► shown in a notebook, or save(..., "graph.svg")
    draw_text(graph) ──► letters only, for messages

Nothing here needs Graphviz on the machine. See `cgkit.render.layers` for what a picture says.
"""

from cgkit.render.drawing import draw
from cgkit.render.files import save
from cgkit.render.layers import STANDARD, Decoration, label_edges, mark
from cgkit.render.moments import Strip, strip
from cgkit.render.notebook import install
from cgkit.render.text import draw_text

__all__ = [
    "STANDARD",
    "Decoration",
    "Strip",
    "draw",
    "draw_text",
    "install",
    "label_edges",
    "mark",
    "save",
    "strip",
]
