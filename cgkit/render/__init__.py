"""Pictures of graphs: in a notebook, in a file, in a message.

    draw(graph) ──► graphviz.Digraph ──► shown in a notebook, or save(..., "graph.svg")

Nothing here needs Graphviz on the machine.
"""

from cgkit.render.notebook import install

__all__ = ["install"]
