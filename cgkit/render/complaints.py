"""What Graphviz complains about, in words that help.

    Error: syntax error in line 3 near '--'
        ──►  line 3 of the DOT text is wrong near '--'
               3 | b -- d
               try      ->  between nodes of a digraph

Graphviz names a line but neither shows it nor says what was meant; and it may exit with 0 after
an error in a label. Its stderr is read in either case.
"""

from __future__ import annotations

import re

from cgkit.errors import RenderError
from cgkit.words import counted

_SYNTAX = re.compile(r"syntax error in line (\d+)(?: near '(.*?)'\s*$)?", re.MULTILINE)
_LABEL = re.compile(
    r"Error: (.+?) in line \d+.*?in label of (\w+ .+?)\s*$", re.DOTALL | re.MULTILINE
)
_RESERVED = re.compile(
    r"\b(node|edge|graph|digraph|subgraph|strict)\b\s*(->|--)"
    r"|(->|--)\s*(node|edge|graph|digraph|strict)\b",
    re.IGNORECASE,
)


class EngineFault(RenderError):
    """A Graphviz that gives no picture of a text which may be a right one."""


def explain(complaint: str, dot: str, status: int) -> RenderError | None:
    """Turn what Graphviz wrote to stderr into an error; None when the picture is good.

    Parameters
    ----------
    complaint
        What it wrote; warnings alone are no reason.
    dot
        The text it read.
    status
        Its exit status; 0 does not mean that all is well.

    Examples
    --------
    >>> print(explain("Error: syntax error in line 1 near '--'", "digraph { a -- b }", 1))
    line 1 of the DOT text is wrong near '--'
      1 | digraph { a -- b }
      try      ->  between nodes of a digraph; -- is for a graph without directions
    """
    if found := _SYNTAX.search(complaint):
        return _syntax_error(dot, int(found[1]), found[2] or "")
    if found := _LABEL.search(complaint):
        return RenderError(
            f"the HTML-like label of {found[2]} is wrong: {found[1]}",
            attempt="closing each tag in order, and &lt; &gt; &amp; for < > & in the text",
        )
    if "No module named 'pygraphviz'" in complaint:
        return RenderError("pygraphviz is not installed", attempt="python start.py doctor")
    if status < 0:
        return EngineFault(
            f"Graphviz crashed (signal {-status}) on a text with {size(dot)}",
            attempt="a smaller graph, or one without the attributes added last",
        )
    return _other(complaint, dot) if status else None


def size(dot: str) -> str:
    """Say roughly how large a DOT text is.

    Examples
    --------
    >>> size("digraph { a -> b -> c }")
    '1 line and about 2 edges'
    """
    lines = len(dot.splitlines())
    edges = len(re.findall("->|--", dot))
    return f"{counted(lines, 'line')} and about {counted(edges, 'edge')}"


def _other(complaint: str, dot: str) -> RenderError:
    """Give Graphviz's own words, without tracebacks and warnings."""
    said = [
        line.removeprefix("Error: ")
        for line in complaint.splitlines()
        if line.startswith("Error: ")
    ]
    if not said and "Invalid Input" in complaint:
        return _syntax_error(dot, 0, "")
    last = (complaint.strip().splitlines() or ["it gave no reason"])[-1]
    return RenderError(
        "Graphviz cannot draw this text",
        why=said[0] if said else last,
        attempt="the smallest part of the text that still fails",
    )


def _syntax_error(dot: str, number: int, near: str) -> RenderError:
    """Show the line that Graphviz could not read, and what often cures it."""
    lines = dot.splitlines()
    place = f"line {number} of the DOT text is wrong" if number else "the DOT text is wrong"
    if number > len(lines):
        place = "the DOT text ends too early"
    shown = lines[number - 1].strip()[:79] if 0 < number <= len(lines) else ""
    return RenderError(
        place + (f" near {near!r}" if near else ""),
        why=f"{number} | {shown}" if shown else "",
        attempt=_cure(dot, shown, near),
    )


def _cure(dot: str, line: str, near: str) -> str:
    """Guess what the author meant."""
    start = re.sub(r"\A(\s+|//.*|#.*|/\*(.|\n)*?\*/)+", "", dot)
    directed = re.match(r"(strict\s+)?digraph\b", start, re.IGNORECASE) is not None
    if near == "--" and directed:
        return "->  between nodes of a digraph; -- is for a graph without directions"
    if near == "->" and not directed:
        return "digraph at the beginning; in a plain graph edges are written with --"
    if not re.match(r"(strict\s+)?(di)?graph\b", start, re.IGNORECASE):
        return "digraph { ... } around the edges"
    if word := _RESERVED.search(line):
        name = word[1] or word[4]
        return f'"{name}" in double quotes: the bare word has a meaning of its own'
    if dot.count('"') % 2:
        return 'the double quote " that is missing: their number is odd'
    missing = dot.count("{") - dot.count("}")
    if missing > 0:
        return "the closing brace } that is missing"
    if missing < 0:
        return "without the closing brace } that is too much"
    return 'names with spaces, dashes or signs in double quotes, as in "x + y"'
