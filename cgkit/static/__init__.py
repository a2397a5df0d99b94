"""Parts of a static graph, taken out to be run: pure functions of the graph.

    extract(fetches, feeds)     the nodes that the fetches need, as a Graph without any wiring
    minimize(loss, optimizer)   variables for the optimizer's state, and a step of training

Nothing here holds a value; a Session does.
"""

from cgkit.static.extraction import Extraction, extract
from cgkit.static.minimizing import minimize

__all__ = ["Extraction", "extract", "minimize"]
