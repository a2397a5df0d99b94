"""The file itself: a zip without compression, written whole or not at all, read with suspicion.

    write: members ─> .run.npz.PID-....new ─ on the disk ─> rename over run.npz
    read:  run.npz ─> is it ours? ─> members, none packed, together no longer than the file

A rename either happens or does not, so whoever reads finds the old file or the new one, even if the
writer is killed or the power fails. Since no member is compressed, a small file cannot swell.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import re
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from cgkit.errors import FileError
from cgkit.files import replaced
from cgkit.saved.nesting import MANIFEST

NAME = re.compile(r"state\.json|(0|[1-9]\d{0,8})\.npy", re.ASCII)
STALE = 3600.0
"""Seconds after which an unfinished file is thought to have no writer any more."""
BEGINNINGS = {
    b"": "it is empty",
    b"\x80": "it is a pickle, which could run any program when opened, so cgkit opens none",
    b"\x93NUMPY": "it is one array of NumPy's, which np.load opens",
    b"\x1f\x8b": "it is packed by gzip",
    b"\x89HDF": "it is a file of HDF5",
    b"\x08": "it looks like a model in ONNX's format",
}
"""How files begin that one may take for one of ours."""


def write_members(path: Path, members: Mapping[str, bytes]) -> None:
    """Write a file of members in place of what there was.

    Raises
    ------
    FileError
        It cannot be written; what was there before is there still.
    """
    try:
        path = Path(os.path.realpath(path))  # a link stays a link: what it leads to is written
        if path.exists() and not path.is_file():  # a device would be gone for everybody
            what = "a folder" if path.is_dir() else "no plain file"
            raise FileError(f"cannot write {path}: it is {what}")
        with replaced(path, lasting=True) as file:
            _write_zip(file, members)
        _settle(path)
    except FileNotFoundError:
        raise FileError(f"cannot write {path}", why=f"there is no folder {path.parent}") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise FileError(f"cannot write {path}", why=why) from None
    except ValueError as error:  # a name with a zero in it
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot write {str(path)!r}", why=str(error)) from None


def _write_zip(file: IO[bytes], members: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            # no time of writing: equal states make equal files
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)


def _settle(path: Path) -> None:
    """Make the rename last, and clear away what killed writers left."""
    with contextlib.suppress(OSError):  # not every system can do this with a folder
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    for old in path.parent.glob(f".{glob.escape(path.name)}.*-*.new"):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > STALE:
                old.unlink()


def read_members(path: Path) -> dict[str, bytes]:
    """Read all members of a file that `write_members` wrote.

    Raises
    ------
    FileError
        It is missing, damaged or of another kind.
    """
    try:
        if not path.is_file():
            what = "it is no file" if path.exists() else "there is no such file"
            raise FileError(f"cannot read {path}: {what}")
        with path.open("rb") as file:
            _expect_zip(file, path)
            size = os.fstat(file.fileno()).st_size
            with zipfile.ZipFile(file) as archive:
                _check(archive.infolist(), size, path)
                return {info.filename: archive.read(info) for info in archive.infolist()}
    except FileError:
        raise
    except OSError as error:
        if error.errno == errno.EINVAL:  # a table of contents that points before the beginning
            raise _damaged(path, "its table of contents leads nowhere") from None
        why = (error.strerror or str(error)).lower()
        raise FileError(f"cannot read {path}", why=why) from None
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise _damaged(path, str(error)) from None


def _damaged(path: Path, why: str) -> FileError:
    what = f"{path} is damaged or was cut off"
    return FileError(what, why=why, attempt="an earlier copy of it")


def _expect_zip(file: IO[bytes], path: Path) -> None:
    """Demand that a file begins as a zip does, or say what it is."""
    start = file.read(8)
    file.seek(0)
    if start.startswith(b"PK\3\4"):
        return
    known = [why for sign, why in BEGINNINGS.items() if sign and start.startswith(sign)]
    why = BEGINNINGS[b""] if not start else f"it begins with {start.hex(' ')}"
    raise FileError(f"{path} is no saved state of cgkit", why=known[0] if known else why)


def _check(members: list[zipfile.ZipInfo], size: int, path: Path) -> None:
    """Demand that members are ours, each once, none packed, all within the file."""
    names = [member.filename for member in members]
    if MANIFEST not in names:
        raise FileError(f"{path} is no saved state of cgkit", why=_foreign(names))
    for member in members:
        if NAME.fullmatch(member.filename) is None:
            raise FileError(
                f"{path} is not as cgkit writes it", why=f"it holds {member.filename!r:.60}"
            )
        if member.compress_type != zipfile.ZIP_STORED or member.compress_size != member.file_size:
            raise FileError(
                f"{path} is not as cgkit writes it",
                why=f"{member.filename} is packed, and could swell to any size",
            )
    if len(set(names)) < len(names):
        raise FileError(f"{path} is not as cgkit writes it", why="it holds a name twice")
    if sum(member.file_size for member in members) > size:
        raise FileError(
            f"{path} is not as cgkit writes it", why="its parts are larger than the whole"
        )


def _foreign(names: list[str]) -> str:
    """Say what a zip is that is none of ours."""
    if any(name.endswith(".pkl") for name in names):
        return "it holds a pickle, as files of torch do, and cgkit opens none"
    if names and all(name.endswith(".npy") for name in names):
        return "it is a file of np.savez, which np.load opens"
    shown = ", ".join(f"{name!r:.40}" for name in names[:3]) or "nothing"
    return f"it is a zip that holds {shown}"
