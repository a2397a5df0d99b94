r"""What a student's code prints, up to a bound.

    capture.write("x" * 10**9) ──► take() gives the first 64,000 characters and says it was cut

Invariant: memory is bounded, however much is written.
"""

from __future__ import annotations

import io

MOST = 64_000
"""Characters kept between two messages."""
CUT = "\n... and more; the rest was not kept\n"


class Capture(io.TextIOBase):
    r"""Stands for stdout or stderr.

    Examples
    --------
    >>> capture = Capture()
    >>> print("one", file=capture)
    >>> capture.take(), capture.take()
    ('one\n', '')
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, text: str) -> int:
        """Keep what still fits."""
        if type(text) is not str:
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self._size < MOST:
            self._parts.append(text[: MOST - self._size])
        self._size += len(text)
        return len(text)

    def take(self) -> str:
        """Give what was written since the last time."""
        if not self._size:
            return ""
        text = "".join(self._parts) + (CUT if self._size > MOST else "")
        self._parts, self._size = [], 0
        return text
