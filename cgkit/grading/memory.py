"""Bounds on what all processes of a sandbox use together.

    group = make_group(memory, processes)     a cgroup, where one can be made
    weigh(pid) ──► Load(memory, processes)    else: looked at a few times a second

A limit per process does not bound sixteen processes. The kernel's groups do; where none can be
written, the one who waits for an answer looks at the whole family of processes and ends it. That
sees what processes hold as their own, what they share among them, and their page tables; what the
kernel holds for them (pipes, sockets, names of files) is bounded by the fences.

Invariant: a group is removed when its sandbox has ended; nothing outside its own folder is written.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
_OWN_MEMORY = ("RssAnon", "RssShmem", "VmPTE")


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


def make_group(memory: int, processes: int, root: Path = ROOT, own: Path = OWN) -> Group | None:
    """Make a group with limits, or give None where that cannot be done.

    Parameters
    ----------
    memory
        Bytes for all processes together.
    processes
        How many there may be.
    root
        Where the kernel shows its groups.
    own
        The file in which it names those of this process.
    """
    name = f"cgkit-{uuid.uuid4().hex[:12]}"
    limits = {"memory": memory, "pids": processes}
    ways: list[Callable[..., bool]] = [
        functools.partial(_second_version, folder) for folder in _above(root, _lines(own))
    ]
    for make in (*ways, _first_version):
        folders: list[Path] = []
        try:
            if make(root, name, limits, folders):
                return Group(tuple(folders))
        except OSError:
            pass
        Group(tuple(folders)).remove()
    return None


def _limit(folder: Path, file: str, value: int) -> None:
    (folder / file).write_text(str(value))


def _first_version(root: Path, name: str, limits: Mapping[str, int], made: list[Path]) -> bool:
    """Make a folder in each of two hierarchies."""
    files = {"memory": "memory.limit_in_bytes", "pids": "pids.max"}
    for kind, file in files.items():
        parent = root / kind
        if not (parent / "cgroup.procs").is_file():
            return False
        folder = parent / name
        folder.mkdir()
        made.append(folder)
        _limit(folder, file, limits[kind])
    with contextlib.suppress(OSError):  # no swap, or not counted
        _limit(made[0], "memory.memsw.limit_in_bytes", limits["memory"])
    return True


def _above(root: Path, lines: Iterable[str]) -> list[Path]:
    """Name the groups in which this process may make another: its own, then those above it.

    A group that holds processes cannot bound others below it, so that it is mostly the one above,
    a user's own slice. Who moves a process must be allowed to write in what both have in common.
    """
    own = next((line[3:].strip("/") for line in lines if line.startswith("0::")), None)
    if own is None or ".." in own or not (root / "cgroup.controllers").is_file():
        return []
    folders = [root / own, *(root / own).parents]
    inside = [folder for folder in folders if folder == root or root in folder.parents]
    return [folder for folder in inside if os.access(folder / "cgroup.procs", os.W_OK)]


def _second_version(
    parent: Path, root: Path, name: str, limits: Mapping[str, int], made: list[Path]
) -> bool:
    """Make a folder below another, if its limits can be set there."""
    folder = parent / name
    folder.mkdir()
    made.append(folder)
    if not all((folder / f"{kind}.max").is_file() for kind in limits):
        return False
    for kind, value in limits.items():
        _limit(folder, f"{kind}.max", value)
    with contextlib.suppress(OSError):
        _limit(folder, "memory.swap.max", 0)
    return True


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


@dataclass(frozen=True)
class Load:
    """What a process and all below it use."""

    memory: int
    """Bytes, as far as they can be read; what several share counts for each of them."""
    processes: int
    """How many there are."""


def weigh(pid: int) -> Load:
    """Tell what a process and all below it use."""
    members = list(family(pid))
    return Load(sum(map(_held, members)), len(members))


def family(pid: int) -> Iterator[int]:
    """Walk over a process and everything it has started, directly or not."""
    parents: dict[int, list[int]] = {}
    proc = Path("/proc")
    for entry in proc.iterdir() if proc.is_dir() else ():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                parents.setdefault(parent, []).append(int(entry.name))
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += parents.get(one, [])


def _held(pid: int) -> int:
    """Give the bytes of a process: those of its own, those it shares, and its page tables."""
    try:
        lines = Path("/proc", str(pid), "status").read_text().splitlines()
        told = dict(line.split(":", 1) for line in lines if ":" in line)
        names = _OWN_MEMORY if "RssAnon" in told else ("VmRSS", "VmPTE")
        return sum(int(told[name].split()[0]) << 10 for name in names if name in told)
    except (OSError, ValueError, IndexError):  # it has ended meanwhile
        return 0
