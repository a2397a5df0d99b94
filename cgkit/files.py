"""Write files that are never there by half.

    write_whole(path, "grades")          .grades.csv.PID-....new ──► grades.csv
    with replaced(path) as stream: ...   the same, piece by piece

Invariants: who reads the file meanwhile finds the old one or the new one; whatever stops the
writing, the old one is still there, and nothing beside it. Texts are UTF-8, their lines end as they
do in the text.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def replaced(path: Path, *, lasting: bool = False) -> Iterator[BinaryIO]:
    """Open a file that takes the place of another when it is whole, or else is gone.

    Parameters
    ----------
    path
        Where to.
    lasting
        Whether to wait until the disk has it, so that it survives a power cut.

    Raises
    ------
    OSError
        It cannot be written; what was there before is there still.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.bin")
    ...     with replaced(path) as stream:
    ...         path.exists(), stream.write(b"12")
    ...     path.read_bytes()
    (False, 2)
    b'12'
    """
    # two that write the same file do not write into each other's
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
    try:
        with fresh.open("xb") as stream:
            yield stream
            if lasting:
                stream.flush()
                os.fsync(stream.fileno())
        fresh.replace(path)
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink()


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
    with replaced(path) as stream:
        stream.write(data)
