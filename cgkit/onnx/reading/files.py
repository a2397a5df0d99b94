"""Read files that a stranger wrote: how much, and from where.

model.onnx                      any path that the caller names, up to a limit
└─ location "weights/w.bin"     a path that the *model* names: only a plain file below the
                                model's own folder, not by "..", not by a link out of it
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO

from cgkit.errors import OnnxError


def read_file(path: Path, most: int) -> bytes:
    """Read a file that the caller names.

    Raises
    ------
    OnnxError
        It is not there, no plain file, or larger than `most` bytes.
    """
    try:
        with _open_plain(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise OnnxError(f"{path} has {size:,} bytes; limits allow {most:,}")
            return file.read(most + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, OnnxError):
            raise
        raise OnnxError(f"cannot read {path}", why=_said(error)) from None


def read_external(folder: Path | None, location: str, offset: int, length: int) -> bytes:
    """Read a part of a file that a model names.

    Parameters
    ----------
    folder
        Where the model lies; None where it came without a place.
    location
        What the model says: a path below that folder.
    offset, length
        Which bytes; all of these must be there.

    Raises
    ------
    OnnxError
        The path leads out of the folder, or there are not that many bytes in a plain file.
    """
    path = _inside(folder, location)
    try:
        with _open_plain(path) as file:
            size = os.fstat(file.fileno()).st_size
            if offset < 0 or length < 0 or offset + length > size:
                raise OnnxError(
                    f"external data {location!r} has {size:,} bytes",
                    why=f"the model asks for {length:,} from place {offset:,}",
                )
            file.seek(offset)
            return file.read(length)
    except (OSError, ValueError) as error:
        if isinstance(error, OnnxError):
            raise
        raise OnnxError(f"cannot read external data {location!r}", why=_said(error)) from None


def _inside(folder: Path | None, location: str) -> Path:
    """Give the path that a model names, if it stays below the model's folder."""
    refused = OnnxError(
        f"external data {location!r} is not read",
        why="a model may name files of its own folder only",
    )
    if folder is None:
        raise OnnxError(
            f"this model keeps data in another file, {location!r}",
            attempt="giving the path of the model's file, so that its folder is known",
        )
    parts = PurePosixPath(location).parts
    windows = PureWindowsPath(location)
    if not parts or "\0" in location or PurePosixPath(location).is_absolute() or windows.anchor:
        raise refused
    if ".." in parts or ".." in windows.parts:
        raise refused
    home = folder.resolve()
    path = home.joinpath(*parts)
    if not path.resolve().is_relative_to(home):
        raise refused
    return path.resolve()


def _open_plain(path: Path) -> BinaryIO:
    """Open a file, but no device, pipe or folder: reading these may never end."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OnnxError(f"cannot read {path}", why="it is no plain file")
    return file


def _said(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
