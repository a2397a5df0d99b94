"""States in files: nested arrays and plain values, saved whole or not at all, loaded with care.

    save("run.npz", {"weights": [w, b], "epoch": 3})
    load("run.npz")    ─>  {"weights": [w, b], "epoch": 3}, to the last bit
    save_graph("model.npz", graph)   load_graph("model.npz")          graphs, by the same file

    run.npz ─┬─ state.json    how it is nested, and the plain values      nesting
             ├─ 0.npy         the arrays, one a file                      arrays
             └─ 1.npy                                                     container: the zip itself

Nothing is pickled, so a file cannot run anything when it is loaded, and np.load opens it too. A
save that is cut short leaves the former file as it was. A file that is damaged, foreign or hostile
is refused with a sentence, before memory is spent on what it claims to hold.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cgkit.saved.files import read, write
from cgkit.saved.graphs import load_graph, save_graph

__all__ = ["load", "load_graph", "save", "save_graph"]


def save(path: str | Path, state: Any) -> None:
    """Write a state into a file, in place of what it held.

    Parameters
    ----------
    path
        The file; its folder must exist. The ending is up to you, ".npz" says what it is.
    state
        Lists, tuples and dicts of arrays, Tensors, numbers, truth values, texts and None.

    Raises
    ------
    StateError
        Something in the state cannot be saved; the message says where it stands.
    FileError
        The file cannot be written. Whatever it held before, it still holds.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Path(folder, "run.npz"), {"w": np.ones(2), "epoch": 3, "names": ("a", None)})
    ...     load(Path(folder, "run.npz"))
    {'w': array([1., 1.]), 'epoch': 3, 'names': ('a', None)}
    """
    write(path, state)


def load(path: str | Path) -> Any:
    """Read the state that `save` wrote into a file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    The state, nested as it was. Arrays are new and may be written to.

    Raises
    ------
    FileError
        The file is missing, damaged, of another kind, or holds what `save` would never write.

    Examples
    --------
    >>> load("nowhere.npz")
    Traceback (most recent call last):
    cgkit.errors.FileError: cannot read nowhere.npz: there is no such file
    """
    return read(path)
