"""Bounds on what all processes of a sandbox use together.

    group = make_group(memory, processes)     a cgroup, where one can be made
    weight(pid)                               else: looked at a few times a second

A limit per process does not bound sixteen processes. The kernel's groups do; where none can be
written, the one who waits for an answer looks at the whole family of processes and ends it.

Invariant: a group is removed when its sandbox has ended; nothing outside its own folder is written.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True)
class Group:
    """Folders of the kernel's groups that a sandbox joins."""

    folders: tuple[Path, ...]

    def join(self) -> None:
        """Put the calling process into the group."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self) -> None:
        """Remove the group once its processes are gone."""
        for folder in self.folders:
            for _ in range(50):
                with contextlib.suppress(OSError):
                    folder.rmdir()
                if not folder.exists():
                    break
                time.sleep(0.02)


def make_group(memory: int, processes: int, root: Path = ROOT) -> Group | None:
    """Make a group with limits, or give None where that cannot be done.

    Parameters
    ----------
    memory
        Bytes for all processes together.
    processes
        How many there may be.
    root
        Where the kernel shows its groups.
    """
    name = f"cgkit-{uuid.uuid4().hex[:12]}"
    for make in (_second_version, _first_version):
        folders: list[Path] = []
        try:
            if make(root, name, memory, processes, folders):
                return Group(tuple(folders))
        except OSError:
            pass
        Group(tuple(folders)).remove()
    return None


def _limit(folder: Path, file: str, value: int) -> None:
    (folder / file).write_text(str(value))


def _first_version(root: Path, name: str, memory: int, processes: int, made: list[Path]) -> bool:
    """Make a folder in each of two hierarchies."""
    for kind, file, value in (
        ("memory", "memory.limit_in_bytes", memory),
        ("pids", "pids.max", processes),
    ):
        parent = root / kind
        if not (parent / "cgroup.procs").is_file():
            return False
        folder = parent / name
        folder.mkdir()
        made.append(folder)
        _limit(folder, file, value)
    return True


def _second_version(root: Path, name: str, memory: int, processes: int, made: list[Path]) -> bool:
    """Make a folder below the group of this process, if its limits can be set there."""
    own = next(
        (line[3:] for line in _lines(Path("/proc/self/cgroup")) if line.startswith("0::")), None
    )
    if own is None or not (root / "cgroup.controllers").is_file():
        return False
    folder = root / own.strip("/") / name
    folder.mkdir()
    made.append(folder)
    if not (folder / "memory.max").is_file() or not (folder / "pids.max").is_file():
        return False
    _limit(folder, "memory.max", memory)
    _limit(folder, "pids.max", processes)
    with contextlib.suppress(OSError):
        _limit(folder, "memory.swap.max", 0)
    return True


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def weight(pid: int) -> int:
    """Give the bytes that a process and all below it hold, as far as they can be read."""
    return sum(_resident(one) for one in family(pid))


def family(pid: int) -> Iterator[int]:
    """Walk over a process and everything it has started, directly or not."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                parents.setdefault(parent, []).append(int(entry.name))
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += parents.get(one, [])


def _resident(pid: int) -> int:
    """Give the private bytes of a process, roughly: resident without shared files."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path("/proc", str(pid), "statm").read_text().split()
        return (int(fields[1]) - int(fields[2])) * _PAGE
    return 0
