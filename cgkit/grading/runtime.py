"""The files that a sandboxed Python needs, found from the Python that is running now.

    needed(packages=("numpy", "graphviz")) ──► Runtime(python, stdlib, libraries, packages)

Folders are never guessed: the standard library comes from `sysconfig`, shared libraries from the
dynamic linker of a child that has loaded every extension module, packages from their own place.

Invariants: nothing of site-packages is included but the packages asked for; what is masked is
masked with its compiled twin.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cgkit.errors import EnvironmentFault

_UNNEEDED = ("_tkinter", "_test", "_xx", "xx", "_curses", "readline", "_gdbm", "_dbm")

# loads all extension modules and tells which files the linker has opened for them, by the names
# under which it looked for them
_LINKER = """
import ctypes, glob, json, sys
for path in json.loads(sys.argv[1]):
    try:
        ctypes.CDLL(path, mode=1)
    except OSError:
        pass
class Info(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]
names = []
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)
def note(info, size, data):
    names.append((info.contents.name or b"").decode())
    return 0
ctypes.CDLL(None).dl_iterate_phdr(kind(note), None)
print(json.dumps(names))
"""


@dataclass(frozen=True)
class Runtime:
    """Where the parts of a Python lie."""

    python: Path
    """The interpreter itself, no link."""
    stdlib: tuple[Path, ...]
    """Folders of the standard library."""
    libraries: tuple[str, ...]
    """Shared libraries outside those folders, as the linker names them."""
    packages: tuple[Path, ...]
    """Folders of the packages, with the libraries that came with them."""

    def masked(self, modules: Iterable[str]) -> Iterator[Path]:
        """Give the files of the standard library that hold some modules, compiled ones too.

        Parameters
        ----------
        modules
            Top-level names; those not in the standard library are passed over, and so are those
            without which the Python inside does not start.
        """
        hidden = [name for name in modules if name in sys.stdlib_module_names]
        if len(hidden) > 1 or hidden[:1] not in ([], ["graphlib"]):
            hidden = [name for name in hidden if name not in loaded()]
        for folder in self.stdlib:
            for name in hidden:
                yield from folder.glob(f"{name}.py")
                yield from folder.glob(f"__pycache__/{name}.*.pyc")
                yield from (folder / "lib-dynload").glob(f"{name}.*.so")
                yield from (folder / name).rglob("*.py*")


def needed(packages: Iterable[str] = ("numpy", "graphviz"), *, linked: bool = True) -> Runtime:
    """Find what a sandboxed Python with some packages needs.

    Parameters
    ----------
    packages
        Their names.
    linked
        Whether shared libraries are looked for, too; without a fence they are where they are.

    Raises
    ------
    EnvironmentFault
        A package or the standard library cannot be found.
    """
    return _needed(tuple(packages), linked)


@functools.cache
def _needed(names: tuple[str, ...], linked: bool) -> Runtime:
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    places = (sysconfig.get_path(key, vars=base) for key in ("stdlib", "platstdlib"))
    stdlib = {Path(place).resolve() for place in places}
    folders = tuple(folder for name in names for folder in _package(name))
    objects = [
        str(path)
        for folder in stdlib
        for path in (folder / "lib-dynload").glob("*.so")
        if not path.name.startswith(_UNNEEDED)
    ]
    objects += [str(path) for folder in folders for path in folder.rglob("*.so")]
    homes = tuple(f"{folder}/" for folder in (*stdlib, *folders))
    found = _linked(objects) if linked else []
    libraries = [name for name in found if not name.startswith(homes)]
    return Runtime(Path(sys.executable).resolve(), tuple(stdlib), tuple(libraries), folders)


@functools.cache
def loaded() -> frozenset[str]:
    """Name the modules that the Python inside loads as it starts; graphlib is never among them.

    Examples
    --------
    >>> "functools" in loaded(), "graphlib" in loaded()
    (True, False)
    """
    words = "import json, sys, graphviz, cgkit.grading.inside.zygote as _\n"
    words += "print(json.dumps([*sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", words], capture_output=True, text=True, check=False, timeout=60
    )
    try:
        return frozenset(json.loads(done.stdout))
    except ValueError:
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        raise EnvironmentFault("Python cannot be started", why=reason) from None


def _package(name: str) -> list[Path]:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise EnvironmentFault(f"the package {name} is missing", attempt="python start.py")
    folder = Path(spec.origin).parent
    return [path for path in (folder, folder.with_name(f"{name}.libs")) if path.is_dir()]


def _linked(objects: list[str]) -> list[str]:
    command = [sys.executable, "-I", "-c", _LINKER, json.dumps(objects)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    try:
        names = json.loads(done.stdout)
    except ValueError:
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        what = "the shared libraries of Python cannot be listed"
        raise EnvironmentFault(what, why=reason) from None
    return sorted({name for name in names if name.startswith("/") and Path(name).is_file()})
