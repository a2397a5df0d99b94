"""Cut a DOT text into words: names, texts, marks; comments are dropped.

    'a -> "b c" [w=1]'  ──►  a   ->   b c   [   w   =   1   ]

Invariants: each word knows its line and column; the last word is the end of the text.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass

from cgkit.errors import CgkitError

_NUMBER = re.compile(r"-?(\.\d+|\d+(\.\d*)?)")
_NAME = re.compile(r"[A-Za-z_\u0080-\U0010ffff][\w\u0080-\U0010ffff]*")
_GAP = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|(?:(?<=\n)|\A)#[^\n]*)+", re.DOTALL)
_MARKS = ("->", "--", "{", "}", "[", "]", ";", ",", "=", ":", "+")


class DotError(CgkitError, ValueError):
    """A text that is no DOT."""


@dataclass(frozen=True)
class Word:
    """One word of a DOT text and where it stands."""

    text: str
    line: int
    column: int
    quoted: bool = False
    mark: bool = False
    end: bool = False

    @property
    def shown(self) -> str:
        """The word as a message shows it."""
        return "the end of the text" if self.end else repr(self.text[:40])

    def error(self, what: str) -> DotError:
        """Give the error that names this place."""
        return DotError(f"line {self.line}, column {self.column}: {what}")


def words(text: str) -> Iterator[Word]:
    """Cut `text` into words.

    Raises
    ------
    DotError
        A quote, an HTML text or a comment is never closed, or a sign is unknown.

    Examples
    --------
    >>> [word.text for word in words('a->"b c" /* no */ [w=.5]')]
    ['a', '->', 'b c', '[', 'w', '=', '.5', ']', '']
    """
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    at = 0
    while True:
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        line = bisect.bisect_right(starts, at)
        column = at - starts[line - 1] + 1
        if at >= len(text):
            yield Word("", line, column, end=True)
            return
        word, at = _word(text, at, line, column)
        yield word


def _word(text: str, at: int, line: int, column: int) -> tuple[Word, int]:
    here = Word(text[at], line, column)
    if text[at] == '"':
        return _quoted(text, at, here)
    if text[at] == "<":
        return _html(text, at, here)
    if text.startswith("/*", at):
        raise here.error("this comment is never closed by */")
    for pattern in (_NUMBER, _NAME):
        found = pattern.match(text, at)
        if found:
            _check_number(text, found, here)
            return Word(found.group(), line, column), found.end()
    for mark in _MARKS:
        if text.startswith(mark, at):
            return Word(mark, line, column, mark=True), at + len(mark)
    raise here.error(f"the sign {text[at]!r} has no meaning here; put names with it in quotes")


def _check_number(text: str, found: re.Match[str], here: Word) -> None:
    """Refuse 3a, which DOT reads as the two names 3 and a."""
    if found.re is _NUMBER and (after := _NAME.match(text, found.end())):
        raise here.error(f"the name {found.group()}{after.group()} needs quotes")


def _quoted(text: str, at: int, here: Word) -> tuple[Word, int]:
    end = at + 1
    while end < len(text) and text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        raise here.error('this quote " is never closed')
    inner = text[at + 1 : end].replace("\\\n", "").replace('\\"', '"')
    return Word(inner, here.line, here.column, quoted=True), end + 1


def _html(text: str, at: int, here: Word) -> tuple[Word, int]:
    depth = 0
    for end in range(at, len(text)):
        depth += {"<": 1, ">": -1}.get(text[end], 0)
        if depth == 0:
            return Word(text[at : end + 1], here.line, here.column, quoted=True), end + 1
    raise here.error("this HTML text < is never closed by >")
