r"""Notebook cells as Python: what only a notebook understands is left out, line for line.

    "%matplotlib inline\nx = 1\nx?"  ──►  "pass\nx = 1\npass"

Lines keep their numbers. Code that is Python already is never touched, whatever it looks like.
"""

from __future__ import annotations

import ast

_PYTHON = ("time", "timeit", "capture", "prun", "debug", "python", "python3", "memit", "mprun")
"""Magics of whole cells whose rest is Python."""


def plain_python(source: str) -> str:
    r"""Give a cell without magics, shell commands and questions.

    Examples
    --------
    >>> plain_python("%reset -f\ny = 2")
    'pass\ny = 2'
    >>> plain_python("%%bash\nls"), plain_python("%%time\nx = 1")
    ('pass\npass', 'pass\nx = 1')
    >>> plain_python('text = "a"\n')
    'text = "a"\n'
    """
    if _is_python(source):
        return source
    if _is_foreign(source):
        return "\n".join("pass" for _ in source.split("\n"))
    return "\n".join("pass" if _is_magic(line) else line for line in source.split("\n"))


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _is_foreign(source: str) -> bool:
    """Tell whether a cell begins with a magic that hands the rest to something else than Python."""
    head = source.lstrip()
    return head.startswith("%%") and head[2:].split(maxsplit=1)[:1] not in [
        [one] for one in _PYTHON
    ]


def _is_magic(line: str) -> bool:
    bare = line.rstrip()
    return bare[:1] in ("%", "!", "?") or (bare.endswith("?") and "#" not in bare)
