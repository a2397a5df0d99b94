"""Folders and groups of sandboxes whose process was killed: found and removed by the next one.

    folder = claim()          /tmp/cgkit-grading-k3x9, held by this process for as long as it lives
    folder.note(groups)       what else must go with it
    folder.remove()
    sweep()                   those that nobody holds any more

A process that is killed cannot clean up. The kernel lets go of its lock, though, and whoever comes
next can see that.

Invariant: only what this user made is touched, and only when its maker is gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PREFIX = "cgkit-grading-"
_HELD = "held"
_MOST = 20
_YOUNG = 30.0
"""Seconds after which a folder surely has a lock, if ever."""


@dataclass
class Folder:
    """A folder that this process holds."""

    path: Path
    held: int
    """The open file that carries the lock."""

    def note(self, groups: Iterable[Path]) -> None:
        """Write down folders of the kernel's groups that must go with this one."""
        known = _groups(self.held)
        data = json.dumps([*known[-_MOST:], *map(str, groups)]).encode()
        os.ftruncate(self.held, 0)
        os.pwrite(self.held, data, 0)

    def remove(self) -> None:
        """Remove it with all that it holds."""
        shutil.rmtree(self.path, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.close(self.held)


def claim() -> Folder:
    """Make a folder that others can see to be in use; remove what was left by others before."""
    sweep()
    path = Path(tempfile.mkdtemp(prefix=PREFIX))
    held = os.open(path / _HELD, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    _lock(held)
    return Folder(path, held)


def sweep(top: Path | None = None, young: float = _YOUNG) -> None:
    """Remove the folders of this user that nobody holds.

    Parameters
    ----------
    top
        Where they lie; where temporary files lie when left out.
    young
        Seconds; what is younger stays, since its maker may be about to lock it.
    """
    for path in _found(top or Path(tempfile.gettempdir()), young):
        with contextlib.suppress(OSError, ValueError):
            handle = os.open(path / _HELD, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _lock(handle):
                    for group in _groups(handle):
                        with contextlib.suppress(OSError):
                            Path(group).rmdir()
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(handle)


def _found(top: Path, young: float) -> Iterator[Path]:
    """Walk over the folders that this user made some time ago."""
    for path in top.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            state = path.lstat()
            mine = state.st_uid == os.getuid() and path.is_dir() and not path.is_symlink()
            if mine and time.time() - state.st_mtime >= young:
                yield path


def _groups(handle: int) -> list[str]:
    found: list[str] = json.loads(os.pread(handle, 1 << 16, 0) or b"[]")
    return found


def _lock(handle: int) -> bool:
    """Take a lock; tell whether nobody else has it."""
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
