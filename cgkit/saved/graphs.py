"""Graphs in files: what was built here is run there, with the values of its variables.

    save_graph("model.npz", graph)          load_graph("model.npz")    ─>  the same graph

The file is a state like any other, so it is written whole or not at all and read with care; what it
says of the graph is checked, too, and its types are inferred anew.
"""

from __future__ import annotations

from pathlib import Path

from cgkit.codec import decode, encode
from cgkit.errors import FileError, StateError
from cgkit.graph import Graph
from cgkit.saved.files import read, write


def save_graph(path: str | Path, graph: Graph) -> None:
    """Write a graph into a file, in place of what it held.

    Parameters
    ----------
    path
        The file; its folder must exist.
    graph
        What to save. Variables are saved with the values that they begin with.

    Raises
    ------
    StateError
        The graph holds an operator that is not the library's.
    FileError
        The file cannot be written. Whatever it held before, it still holds.

    Examples
    --------
    >>> import tempfile
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((None,), name="x")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_graph(Path(folder, "model.npz"), builder.graph([x * 2.0]))
    ...     print(load_graph(Path(folder, "model.npz")))
    graph(x: float64[N])
      p = mul(x, 2.0)    float64[N]
      return p
    """
    write(path, {"graph": encode(graph)})


def load_graph(path: str | Path) -> Graph:
    """Read the graph that `save_graph` wrote into a file.

    Raises
    ------
    FileError
        The file is missing, damaged or of another kind, or what it holds is no sound graph.
    """
    state = read(path)
    if not isinstance(state, dict) or list(state) != ["graph"]:
        raise FileError(f"{path} holds a state, not a graph", attempt="cgkit.saved.load(path)")
    try:
        return decode(state["graph"])
    except StateError as error:
        raise FileError(f"cannot read the graph in {path}", why=error.with_place()) from None
