"""Graphs in files: what was built here is run there, with the values of its variables.

    save_graph("model.npz", graph)          load_graph("model.npz")    ─>  the same graph

    {"graph": the text of encode(graph), as bytes     {"version": 1, "nodes": [{"operator": ...
     "values": [its arrays, which stand in it by number]}

The file is a state like any other, so it is written whole or not at all and read with care; what it
says of the graph is checked, too, and its types are inferred anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from cgkit.codec import decode, encode
from cgkit.errors import FileError, StateError
from cgkit.graph import Graph
from cgkit.saved.files import read, write

LONGEST = 32 << 20
"""Bytes that the text may have: some 250,000 nodes."""


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
        The graph holds an operator that is not the library's, or is larger than a file may be.
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
    values: list[np.ndarray] = []

    def aside(value: np.ndarray) -> dict[str, int]:
        values.append(value)
        return {"array": len(values) - 1}

    text = json.dumps(encode(graph), default=aside, separators=(",", ":")).encode()
    if len(text) > LONGEST:
        raise StateError(
            f"this graph of {len(graph.nodes):,} nodes takes {len(text):,} bytes, more than the "
            f"{LONGEST:,} that are read again",
            attempt="a loop, such as scan or fori, in place of nodes for each step",
        )
    write(path, {"graph": np.frombuffer(text, np.uint8), "values": values})


def load_graph(path: str | Path) -> Graph:
    """Read the graph that `save_graph` wrote into a file.

    Raises
    ------
    FileError
        The file is missing, damaged or of another kind, or what it holds is no sound graph.
    """
    state = read(path)
    if not isinstance(state, dict) or list(state) != ["graph", "values"]:
        raise FileError(f"{path} holds a state, not a graph", attempt="cgkit.saved.load(path)")
    try:
        return decode(_plain(state["graph"], state["values"]))
    except StateError as error:
        raise FileError(f"cannot read the graph in {path}", why=error.with_place()) from None


def _plain(text: Any, values: Any) -> Any:
    """Read the text of a graph, and put the arrays into their places."""
    sound = isinstance(text, np.ndarray) and text.dtype == np.uint8 and text.ndim == 1
    if not sound or text.size > LONGEST or not isinstance(values, list):
        raise StateError(f"its text is no text of at most {LONGEST:,} bytes, or its values no list")

    def back(found: dict[str, Any]) -> Any:
        if list(found) != ["array"]:
            return found
        number = found["array"]
        if type(number) is not int or not 0 <= number < len(values):
            raise StateError(f"there is no array {number!r:.20}")
        return values[number]

    try:
        return json.loads(text.tobytes(), object_hook=back)
    except StateError:
        raise
    except (ValueError, RecursionError) as error:
        raise StateError("its text is not as cgkit writes it", why=f"{error}") from None
