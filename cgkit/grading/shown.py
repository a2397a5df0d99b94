r"""A student's words as a page can show them: nothing in them runs, hides, or fills the page.

    harmless("[x](javascript\:alert(1))")   Markdown in which nothing is HTML or a script
    barred("printed by your code", text)    what code printed, behind a bar
    plain(text)                             letters that print, and breaks of lines
    shortened(sources)                      the beginning of what is longer than a person reads

- A mark of no width keeps what words look like: nothing is taken out of an essay.
- What is cut says so; what was graded is the whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

MOST_LINES = 200
MOST_LETTERS = 10_000
"""What is kept of what a cell printed."""
MOST_WRITTEN = 20_000
"""Letters of a written answer that are shown; odd formulas take nbconvert seconds."""
MOST_SOURCE = 50_000
"""Letters of one cell of code that are shown."""
MOST_SOURCES = 1_000_000
"""Letters of all cells of code together."""

_RISKY = re.compile(
    r"<(?=[A-Za-z/!?])"  # HTML
    r"|&(?=[#A-Za-z])"  # an entity
    r"|(?i:script|data|attachment)(?=[\s\\]*:)"  # what runs, and pictures that are not carried
    r"|\\(?=(?:href|url|style|class|cssId|require|html)(?![a-z]))"  # a formula that links or styles
)
_GAP = "\u200b"
_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_PICTURE = re.compile(r"\]\(\s*attachment:|\]:\s*attachment:")


def plain(text: str) -> str:
    """Leave out what does not print: color codes, changes of direction; keep breaks of lines."""
    return "".join(letter for letter in text if letter in "\t\n" or letter.isprintable())


def harmless(text: str) -> str:
    """Give a student's Markdown so that no part of it is HTML, an entity or a script.

    Examples
    --------
    >>> "<b" in harmless("<b>bold</b>"), harmless("a < b and *more*")
    (False, 'a < b and *more*')
    """
    cut = text[:MOST_WRITTEN]
    more = "\n\n... and more" if len(cut) < len(text) else ""
    return _RISKY.sub(lambda found: found[0] + _GAP, cut) + more


def has_pictures(text: str) -> bool:
    """Tell whether a picture was pasted into a text; the marked notebook does not carry it.

    Examples
    --------
    >>> has_pictures("![graph](attachment:graph.png)"), has_pictures("no attachment: none")
    (True, False)
    """
    return _PICTURE.search(text) is not None


def barred(title: str, text: str) -> str:
    r"""Put a bar before each line that a student's code printed.

    Examples
    --------
    >>> print(barred("printed by your code", "5 of 5 points\nwell done"))
    printed by your code:
    │ 5 of 5 points
    │ well done
    <BLANKLINE>
    """
    cut = text[:MOST_LETTERS]
    lines = _BREAKS.split(cut.rstrip("\n"))
    rest = len(lines) > MOST_LINES or len(cut) < len(text)
    shown = [f"│ {plain(line)}" for line in lines[:MOST_LINES]]
    return "\n".join([f"{title}:", *shown, *(["│ ... and more"] if rest else []), ""])


def shortened(sources: Mapping[str, str]) -> dict[str, str]:
    """Give the beginning of each source, and of all together what a page can hold.

    Examples
    --------
    >>> shortened({"mean": "x" * 10})["mean"], len(shortened({"mean": "x" * 10**6})["mean"]) < 10**5
    ('xxxxxxxxxx', True)
    """
    left, shown = MOST_SOURCES, {}
    for cell, source in sources.items():
        room = min(MOST_SOURCE, left)
        whole = len(source) <= room
        shown[cell] = source if whole else f"{source[:room]}\n# ... and more, in the file handed in"
        left -= min(len(source), room)
    return shown
