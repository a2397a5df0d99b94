"""The second fence, put up in a forked process before it runs one student's code.

    enter(limits) ──► pid of the fenced process (in its keeper), 0 (inside the fence)

Inside: namespaces of its own (user, processes, mounts, ipc, network), a fresh /proc, one scratch
space of bounded size that serves as home, /tmp and /dev/shm, no capabilities, no further
namespaces, limits on memory, files and processes, and a filter of system calls.

    restrict(limits)     the same limits and filter, where there is no such fence
    crowd(16)            few processes there, too

Invariant: whatever cannot be put up raises; a process never goes on behind half a fence. Only off
Linux, where there is no fence to be half of, limits are those that the system takes.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cgkit.grading.inside import seccomp

SCRATCH = "/scratch"

_USER, _PROCESSES, _MOUNTS, _IPC, _NET = 0x10000000, 0x20000000, 0x00020000, 0x08000000, 0x40000000
_PRIVATE, _BIND = 0x40000 | 0x4000, 0x1000
_NOSUID_NODEV, _NOSUID_NODEV_NOEXEC = 6, 14
_DEATH_SIGNAL, _DUMPABLE, _BOUNDING, _ADOPTING, _NO_NEW_PRIVILEGES = 1, 4, 24, 36, 38
_KILL = 9
_CAPABILITY_VERSION = 0x20080522
_LAST_CAPABILITY = 40
_TRUSTED = 4
_MOST_FILES = 4096
"""Files, folders and links in the scratch space; their kilobyte each is not part of its size."""

libc = ctypes.CDLL(None, use_errno=True)


def _done(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _control(what: int, value: int) -> None:
    """Change something about this process where the system has such a switch."""
    if hasattr(libc, "prctl"):
        libc.prctl(what, value, 0, 0, 0)


def dumpable(yes: bool) -> None:
    """Allow or forbid others of the same user to look into this process."""
    _control(_DUMPABLE, int(yes))


def adopt() -> None:
    """Become the parent of all orphans below this process."""
    _control(_ADOPTING, 1)


def die_with_parent() -> None:
    """End when the process that made this one ends."""
    _control(_DEATH_SIGNAL, _KILL)


def enter(limits: Mapping[str, Any], cover: Iterable[str]) -> int:
    """Fork into a fence of its own.

    Parameters
    ----------
    limits
        ``processes``, ``scratch`` (bytes), and those of `restrict`.
    cover
        Folders that the scratch space covers.

    Returns
    -------
    int
        In the keeper the pid of the fenced process; in the fenced process 0.

    Raises
    ------
    OSError
        A part of the fence cannot be put up.
    """
    user, group = os.getuid(), os.getgid()
    _done(libc.unshare(_USER | _PROCESSES | _MOUNTS | _IPC | _NET), "no namespaces")
    child = os.fork()
    if child:
        return child
    dumpable(True)  # else the maps below belong to root
    _identity(user, group)
    _mounts(int(limits["scratch"]), cover)
    Path("/proc/sys/user/max_user_namespaces").write_text("0")
    # only now: set outside, it would count the processes of all lanes together
    resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"], limits["processes"]))
    restrict(limits)
    return 0


def _identity(user: int, group: int) -> None:
    here = Path("/proc/self")
    (here / "setgroups").write_text("deny")
    (here / "uid_map").write_text(f"{user} {user} 1")
    (here / "gid_map").write_text(f"{group} {group} 1")


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    words = [word.encode() for word in (source, target, kind)]
    _done(libc.mount(*words, ctypes.c_ulong(flags), options.encode()), f"cannot mount {target}")


def _mounts(size: int, cover: Iterable[str]) -> None:
    _mount("none", "/", "none", _PRIVATE)
    _mount(
        "tmpfs", SCRATCH, "tmpfs", _NOSUID_NODEV, f"size={size},nr_inodes={_MOST_FILES},mode=0777"
    )
    _mount("proc", "/proc", "proc", _NOSUID_NODEV_NOEXEC)
    for place in cover:
        _mount(SCRATCH, place, "none", _BIND)


def whole_proc() -> None:
    """Mount a /proc without covered places; the kernel lets a fence mount its own only then."""
    with contextlib.suppress(OSError):
        _mount("proc", "/proc", "proc", _NOSUID_NODEV_NOEXEC)


def restrict(limits: Mapping[str, Any]) -> None:
    """Give up capabilities, bound resources and filter system calls; cannot be undone.

    Parameters
    ----------
    limits
        ``memory``, ``file``, ``stack`` (bytes), ``files`` (open ones), ``seconds`` (of processor).
    """
    if hasattr(libc, "prctl"):
        _control(_NO_NEW_PRIVILEGES, 1)
        for capability in range(_LAST_CAPABILITY + 1):
            _control(_BOUNDING, capability)
        header, none = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
        libc.capset(header, none)
    bound(limits)
    if hasattr(libc, "prctl"):
        seccomp.load(libc)


def crowd(most: int, alone: bool) -> None:
    """Let this user have so many processes more than now, where they can be counted.

    The kernel counts those of one user together, and counts none of root's.

    Parameters
    ----------
    most
        How many.
    alone
        Whether this user has processes in this fence only.
    """
    there = [] if alone else _entries(Path("/proc"))
    now = _TRUSTED if alone else sum(_threads(one) for one in there if one.name.isdigit())
    if now:
        _lower("RLIMIT_NPROC", now + most)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _threads(process: Path) -> int:
    """Count the threads of a process if it is of this user."""
    with contextlib.suppress(OSError, ValueError, KeyError):  # it has ended meanwhile
        lines = (process / "status").read_text().splitlines()
        told = dict(line.split(":", 1) for line in lines if ":" in line)
        if int(told["Uid"].split()[0]) == os.getuid():
            return int(told["Threads"])
    return 0


def bound(limits: Mapping[str, Any]) -> None:
    """Bound what this process and its children may use."""
    for name, value in (
        ("RLIMIT_CORE", 0),
        ("RLIMIT_AS", limits["memory"]),
        ("RLIMIT_FSIZE", limits["file"]),
        ("RLIMIT_NOFILE", limits["files"]),
        ("RLIMIT_STACK", limits["stack"]),
        ("RLIMIT_CPU", limits["seconds"]),
    ):
        try:
            _lower(name, int(value))
        except (OSError, ValueError):
            if sys.platform.startswith("linux"):
                raise


def _lower(name: str, value: int) -> None:
    """Set both limits of a resource, never above what the system allows."""
    number = getattr(resource, name, None)
    if number is not None:
        hard = resource.getrlimit(number)[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (most, most))
