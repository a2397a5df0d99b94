"""Write files that are never there by half.

    write_whole(path, "grades")  ──►  .grades.csv.PID.new  ──►  grades.csv

Invariants: who reads the file meanwhile finds the old one or the new one; whatever stops the
writing, the old one is still there. Texts are UTF-8, their lines end as they do in the text.
"""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, and its folder where there is none.

    Parameters
    ----------
    path
        Where to.
    content
        All that it shall hold.

    Raises
    ------
    OSError
        It cannot be written; what was there before is there still.
    UnicodeEncodeError
        The text holds half a letter.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "class", "grades.csv")
    ...     write_whole(path, "ada,7")
    ...     [file.name for file in path.parent.iterdir()], path.read_text()
    (['grades.csv'], 'ada,7')
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    # named by the process: two that write the same file do not write into each other's
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(data)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
