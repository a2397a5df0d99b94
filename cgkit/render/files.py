"""A picture in a file.

    save(graph, "graph.svg")        .svg .png .pdf: a picture      .dot .gv: the text it is made of

The same graph gives the same bytes, also as PDF. A file is never there by half: what stood there
before stands there until the new picture is whole.
"""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import Any

from cgkit.errors import RenderError
from cgkit.files import write_whole
from cgkit.render.drawing import draw
from cgkit.render.engine import render

PICTURES = (".svg", ".png", ".pdf")
TEXTS = (".dot", ".gv")


def save(graph: Any, path: str | PathLike[str], *, engine: str | None = None) -> Path:
    """Write a picture of a graph to a file.

    Parameters
    ----------
    graph
        Whatever `draw` takes, or a graphviz graph such as `draw` gives.
    path
        Where to; the suffix says what: .svg, .png, .pdf, or .dot and .gv for the text.
    engine
        Which Graphviz draws, see `cgkit.render.engine.render`.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    RenderError
        The suffix is none of these, or the file cannot be written.

    Examples
    --------
    >>> save(None, "graph.jpg")
    Traceback (most recent call last):
    cgkit.errors.RenderError: 'graph.jpg' does not say what to write
      the suffix '.jpg' is no format of pictures
      try      .svg, .png, .pdf, .dot, .gv
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in (*PICTURES, *TEXTS):
        raise RenderError(
            f"{str(path)!r} does not say what to write",
            why=f"the suffix {suffix!r} is no format of pictures" if suffix else "no suffix",
            attempt=", ".join((*PICTURES, *TEXTS)),
        )
    drawn = graph if isinstance(getattr(graph, "source", None), str) else draw(graph)
    if suffix in TEXTS:
        content = drawn.source.encode("utf-8", "replace")
    else:
        layout = getattr(drawn, "engine", None) or "dot"
        content = render(drawn.source, suffix[1:], engine=engine, layout=layout)
    place = Path(os.path.realpath(file))  # a link stays a link: what it leads to is written
    if not place.parent.is_dir():
        raise RenderError(
            f"there is no folder {str(file.parent)!r}", attempt="a folder that exists"
        )
    try:
        write_whole(place, content)
    except OSError as error:
        raise RenderError(
            f"{str(file)!r} cannot be written: {error.strerror or error}",
            attempt="another name or folder",
        ) from None
    return file
