"""Notes of what no answer needs: files, network, programs, other processes.

    install(note, own) ──► note("file read", "/etc/passwd")     by Python's audit hooks

A student can run around this. It is evidence for a teacher, never a fence.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_EVENTS = {
    "socket.connect": "network",
    "socket.getaddrinfo": "network",
    "socket.bind": "network",
    "subprocess.Popen": "program started",
    "os.system": "program started",
    "os.exec": "program started",
    "os.posix_spawn": "program started",
    "os.fork": "process forked",
    "os.forkpty": "process forked",
    "os.kill": "signal sent",
    "os.listdir": "folder listed",
    "os.scandir": "folder listed",
    "ctypes.dlopen": "library loaded",
    "gc.get_objects": "memory searched",
    "gc.get_referrers": "memory searched",
    "gc.get_referents": "memory searched",
    "pickle.find_class": "pickle read",
    "sys._current_frames": "frames searched",
}
_FOLDERS = ("os.listdir", "os.scandir")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def _whole(path: str) -> str:
    """Give a relative path as a whole one."""
    try:
        return str(Path(path).resolve())
    except OSError:
        return path


def install(note: Callable[[str, str], None], own: Iterable[str]) -> None:
    """Begin to note; cannot be undone.

    Parameters
    ----------
    note
        Told (what, which).
    own
        Folders whose files may be read without a word, beside Python's.
    """
    known = (*own, sys.prefix, sys.base_prefix, "/dev/null", "<")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            writing = isinstance(flags, int) and bool(flags & _WRITING)
            if isinstance(path, str | bytes) and (writing or not ordinary(path)):
                note("file written" if writing else "file read", os.fsdecode(path)[:200])
        elif event == "pickle.find_class" and ordinary(sys._getframe(1).f_code.co_filename):
            pass  # a library's own way of copying, not a student's call
        elif event in _EVENTS and not (event in _FOLDERS and ordinary(arguments[0])):
            note(_EVENTS[event], str(arguments[:1])[:120])

    def ordinary(path: object) -> bool:
        if not isinstance(path, str | bytes):
            return False
        name = os.fsdecode(path)
        return name.startswith(known) or (name[:1] == "." and _whole(name).startswith(known))

    sys.addaudithook(hook)
