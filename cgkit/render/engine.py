"""From DOT text to a picture, with or without Graphviz on the machine.

    DOT text ──► dot on PATH ──────────────┐
             └─► pygraphviz, in a child ───┴──► svg, png or pdf

Two engines give the same picture in slightly different sizes: "system", the `dot` on PATH, and
"bundled", the Graphviz inside pygraphviz's wheels. Whoever compares bytes names one of them. The
bundled one runs in a child process, so that a crash, a warning or an endless layout stays there.

- A picture comes back whole, or RenderError says why not and what to try.
- The same text and engine give the same bytes: no version, no date.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence

from cgkit.errors import RenderError
from cgkit.render import complaints, fonts
from cgkit.render.complaints import EngineFault

FORMATS = ("svg", "png", "pdf", "dot_json")
"""What a picture can be; "dot_json" lists its nodes and edges instead."""

LAYOUTS = ("dot", "neato", "fdp", "sfdp", "twopi", "circo", "osage", "patchwork")
"""The layouts Graphviz knows; "dot" draws layers, the others do not."""

SECONDS = 20.0
"""How long one picture may take before it is given up."""

_BUNDLED = 'engine="bundled", which needs no Graphviz on the machine'

# Reads DOT; prints {format: base64}. One layout serves every format. FONTCONFIG_FILE is set
# before Graphviz is loaded, default fonts after reading, so that a text's own fonts win.
# After a crash it is asked again, without the labels of edges.
_CHILD = """
import base64, json, os, sys
os.environ["FONTCONFIG_FILE"], font, layout, *formats = sys.argv[1:]
import pygraphviz
from pygraphviz import graphviz
graphviz.agattr(None, 1, b"label", b"\\N")  # as dot does: a node without a label shows its name
graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode())
things = [*graph.nodes_iter(), *graph.edges_iter()]
for attributes in [graph.graph_attr, *(thing.attr for thing in things)]:
    if not attributes.get("fontname"):
        attributes["fontname"] = font
if formats[-1] == "unlabeled":
    formats.pop()
    for edge in graph.edges_iter():
        edge.attr["label"] = ""
context = graphviz.gvContextWithBuiltins()
if graphviz.gvLayout(context, graph.handle, layout.encode()):
    sys.exit("Error: no layout")
made = {}
for format in formats:
    status, data = graphviz.gvRenderData(context, graph.handle, format.encode())
    made[format] = base64.b64encode(data).decode()
print(json.dumps(made))
"""


def render(
    dot: str,
    format: str = "svg",
    *,
    engine: str | None = None,
    layout: str = "dot",
    seconds: float = SECONDS,
) -> bytes:
    """Draw DOT text.

    Parameters
    ----------
    dot
        A graph in the DOT language.
    format
        "svg", "png" or "pdf".
    engine
        "system" for the `dot` on PATH, "bundled" for the one that came with the course, None for
        the first of these that works.
    layout
        One of LAYOUTS.
    seconds
        The time after which the picture is given up.

    Returns
    -------
    bytes
        The picture, as it would stand in a file.

    Raises
    ------
    RenderError
        The text is no DOT, the picture took too long, or there is no Graphviz.

    Examples
    --------
    >>> render("digraph { a -> b }", engine="bundled")[:5]
    b'<?xml'
    """
    return render_formats(dot, [format], engine=engine, layout=layout, seconds=seconds)[format]


def render_formats(
    dot: str,
    formats: Sequence[str],
    *,
    engine: str | None = None,
    layout: str = "dot",
    seconds: float = SECONDS,
) -> dict[str, bytes]:
    """Draw DOT text in several formats; see `render`."""
    _require(formats, engine, layout)
    if not dot.strip():
        raise RenderError("an empty text is no graph", attempt="digraph { a -> b }")
    made = None
    if engine != "bundled":
        try:
            made = _run_system(dot, formats, layout, seconds)
        except EngineFault:
            if engine == "system":
                raise
    if made is None:
        made = _run_bundled(dot, formats, layout, seconds)
    return {format: _stable(picture, format) for format, picture in made.items()}


def _require(formats: Sequence[str], engine: str | None, layout: str) -> None:
    """Refuse a word that is no format, engine or layout."""
    for kind, word, known in [
        *(("format", format, FORMATS) for format in formats),
        ("engine", engine or "system", ("system", "bundled")),
        ("layout", layout, LAYOUTS),
    ]:
        if word not in known:
            raise RenderError(f"{word!r} is no {kind} of pictures", attempt=", ".join(known))


def _run_system(dot: str, formats: Sequence[str], layout: str, seconds: float) -> dict[str, bytes]:
    """Draw with the machine's Graphviz."""
    command = shutil.which("dot")
    if command is None:
        raise EngineFault("there is no `dot` on PATH", attempt=_BUNDLED)
    options = [f"-K{layout}", *(f"-{what}fontname={fonts.FONT}" for what in "GNE")]
    environment = {**os.environ, "FONTCONFIG_FILE": str(fonts.fontconfig_file(system=True))}
    made = {}
    for format in formats:
        made[format] = _run([command, f"-T{format}", *options], dot, seconds, environment)
        if not made[format]:
            raise EngineFault(f"{command} gave no picture and no reason", attempt=_BUNDLED)
    return made


def _run_bundled(dot: str, formats: Sequence[str], layout: str, seconds: float) -> dict[str, bytes]:
    """Draw with the Graphviz in pygraphviz's wheels, in a child process."""
    configuration = fonts.fontconfig_file(system=fonts.needs_system_fonts(dot))
    command = [sys.executable, "-I", "-c", _CHILD, str(configuration), fonts.FONT, layout]
    try:
        answer = _run([*command, *formats], dot, seconds, None)
    except EngineFault:  # Graphviz 14 fails on some hundreds of arrows that all have labels
        answer = _run([*command, *formats, "unlabeled"], dot, seconds, None)
    try:
        made = {format: base64.b64decode(text) for format, text in json.loads(answer).items()}
    except ValueError:
        made = {}
    if not all(made.get(format) for format in formats):
        raise RenderError(
            "the bundled Graphviz gave no picture and no reason",
            attempt="a smaller graph, or python start.py doctor",
        )
    return made


def _run(command: list[str], dot: str, seconds: float, environment: dict[str, str] | None) -> bytes:
    """Run one Graphviz on a text; a complaint becomes a RenderError."""
    try:
        done = subprocess.run(
            command,
            input=dot.encode("utf-8", "replace"),
            capture_output=True,
            timeout=seconds,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RenderError(
            f"the picture was not ready after {seconds:g} seconds",
            why=f"the text has {complaints.size(dot)}",
            attempt="a part of the graph, or fewer edges",
        ) from None
    except OSError as error:
        raise EngineFault(
            f"Graphviz does not start: {error.strerror or error}",
            attempt="python start.py doctor",
        ) from None
    complaint = complaints.explain(done.stderr.decode("utf-8", "replace"), dot, done.returncode)
    if complaint is not None:
        raise complaint
    return done.stdout


def _stable(picture: bytes, format: str) -> bytes:
    """Take out what changes from one version or day to another, and name spare fonts in SVG."""
    if format == "svg":
        picture = re.sub(rb"<!--.*?-->\n?", b"", picture, flags=re.DOTALL)
        name, families = fonts.FONT.encode(), fonts.FAMILIES.encode()
        return picture.replace(b'font-family="%s"' % name, b'font-family="%s"' % families)
    if format == "pdf":  # the same number of letters: a PDF counts its bytes
        return re.sub(rb"\(D:\d{14}", b"(D:20000101000000", picture)
    return picture
