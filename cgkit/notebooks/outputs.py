"""What may be stored in a notebook that everyone receives.

    outputs ──tidy──► the same without what only costs space
            ──faults──► what would differ on the next run or tell of this machine
            ──comparable──► what must be equal when the text has not changed

Pictures are kept small and never compared byte for byte; times belong into cells marked `volatile`.
"""

from __future__ import annotations

import base64
import html
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgkit.notebooks.compose import VOLATILE

if TYPE_CHECKING:
    from nbformat import NotebookNode

LARGEST = 2_000_000
"""Bytes a stored notebook may have."""

WIDGETS = ("application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json")

ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}", re.IGNORECASE)
FOLDER = re.compile(r"(/home/|/Users/|/root/|/tmp/|/var/folders/|[A-Z]:\\Users\\)[\w.~-]*")
TIME = re.compile(
    r"\d\s?(ns|us|µs|μs|ms|msec|sec|secs|seconds)\b"
    r"|\d\.\d+\s?s\b"
    r"|\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d"
    r"|\b\d\d:\d\d:\d\d\b"
)
EMBEDDED = re.compile(r"data:image/(?P<kind>png|svg\+xml);base64,(?P<data>[A-Za-z0-9+/=]+)")
SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
SIZES = re.compile(r'\b(width|height)="[\d.]+(pt|px)?"')
BLOCK = re.compile(r"\s*</?(div|p|pre|br|li|tr|h\d)\b[^>]*>\n?", re.IGNORECASE)
TAG = re.compile(r"<[^>]*>")


def tidy(notebook: NotebookNode) -> None:
    """Make the outputs of a notebook small and the same every time, in place."""
    for cell in _code_cells(notebook):
        cell.metadata.pop("execution", None)
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data:
                data["image/png"] = _smaller(data["image/png"])
            if "text/html" in data:
                data["text/html"] = EMBEDDED.sub(_smaller_embedded, data["text/html"])


def faults(notebook: NotebookNode, root: Path) -> Iterator[tuple[int, str]]:
    """Find outputs that must not be stored.

    Parameters
    ----------
    notebook
        A notebook that was run.
    root
        The folder of the course, which outputs must not name.

    Yields
    ------
    tuple of int and str
        The index of a cell among all cells, and what is wrong with its outputs.
    """
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        volatile = VOLATILE in cell.metadata.get("tags", ())
        for output in cell.outputs:
            yield from ((index, fault) for fault in _faults(output, root, volatile))


def comparable(notebook: NotebookNode) -> list[tuple[str, str, list[Any]]]:
    """Give what two notebooks made from one text must have in common.

    Returns
    -------
    list
        For each cell its id, its source and its outputs: without the bytes of pictures, and
        nothing for cells whose outputs are volatile.
    """
    return [
        (
            cell.get("id", ""),
            cell.source,
            []
            if cell.cell_type != "code" or VOLATILE in cell.metadata.get("tags", ())
            else [_comparable(output) for output in cell.outputs],
        )
        for cell in notebook.cells
    ]


def plain_text(output: NotebookNode) -> str:
    """Give all words of an output, without markup and pictures."""
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return "\n".join(output.traceback)
    data = output.get("data", {})
    words = [str(value) for kind, value in data.items() if kind in {"text/plain", "text/markdown"}]
    if "text/html" in data:
        words.append(html_words(data["text/html"]))
    return "\n".join(words)


def html_words(markup: str) -> str:
    """Take the markup from a piece of HTML; what is a block of its own keeps its line.

    Examples
    --------
    >>> html_words("<div><b>2 &lt; 3</b></div><p>so it is</p>").splitlines()
    ['2 < 3', 'so it is']
    """
    bare = SVG.sub(" ", EMBEDDED.sub("", markup))
    lines = html.unescape(TAG.sub(" ", BLOCK.sub("\n", bare))).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip()).strip()


def _code_cells(notebook: NotebookNode) -> Iterator[Any]:
    return (cell for cell in notebook.cells if cell.cell_type == "code")


def _faults(output: NotebookNode, root: Path, volatile: bool) -> Iterator[str]:
    """Find what is wrong with one output."""
    if output.output_type == "stream" and output.name == "stderr":
        line = str(output.text).strip().partition("\n")[0]
        yield f"it writes to stderr: {line}"
    for kind in output.get("data", {}):
        if kind in WIDGETS:
            yield "it shows a widget, which a stored notebook cannot; make it an extra"
    words = plain_text(output)
    if found := ADDRESS.search(words):
        yield f"it shows an object's address, {found[0]!r}; give the class a repr or end with ';'"
    if folder := _folder(words, root):
        yield f"it names a folder of this machine, {folder!r}"
    if not volatile and (found := TIME.search(words)):
        yield f"it shows a time, {found[0]!r}; mark the cell 'volatile', or show no time"


def _folder(words: str, root: Path) -> str:
    """Find the name of a folder that only this machine has."""
    for place in (root, Path.home(), Path(tempfile.gettempdir())):
        if len(place.parts) > 1 and str(place) in words:
            return str(place)
    found = FOLDER.search(words)
    return found[0] if found else ""


def _comparable(output: NotebookNode) -> Any:
    """Give one output without the bytes of pictures."""
    plain = {key: value for key, value in output.items() if key not in {"data", "metadata"}}
    data = {
        kind: "" if kind.startswith("image/") else value
        for kind, value in output.get("data", {}).items()
    }
    if "text/html" in data:
        bare = EMBEDDED.sub("", SVG.sub("", data["text/html"]))
        data["text/html"] = SIZES.sub("", bare)
    return plain | {"data": data}


def _smaller_embedded(found: re.Match[str]) -> str:
    if found["kind"] != "png":
        return found[0]
    return f"data:image/png;base64,{_smaller(found['data'])}"


def _smaller(encoded: str) -> str:
    """Reduce a PNG to a palette where that makes it smaller."""
    from cgkit.render.figure import smaller

    before = base64.b64decode(encoded)
    after = smaller(before)
    data = after if len(after) < len(before) else before
    return base64.b64encode(data).decode()
