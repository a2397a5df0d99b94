"""Words that messages are made of.

counted(3, "node")  ──►  "3 nodes"
"""

from __future__ import annotations


def counted(number: int, thing: str, things: str = "") -> str:
    """Count things in words.

    Parameters
    ----------
    number
        How many there are.
    thing, things
        What one is called, and several, if that is more than an s behind it.

    Examples
    --------
    >>> counted(1, "arrow"), counted(1_200, "node"), counted(0, "box", "boxes")
    ('1 arrow', '1,200 nodes', '0 boxes')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
