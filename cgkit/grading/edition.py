"""What a student's code can import while it is graded: the student edition of cgkit, and stand-ins.

    Edition(names=("cgkit.errors:CycleError",), missing=("networkx", "graphlib"))
      write_edition(edition, folder)   ──►  folder/cgkit/errors.py holds that class and its bases
      write_guest(folder)              ──►  the code that serves the student's, and nothing else

- Names are copied, never modules: what is not named is not there to be read.
- No checks, no answers, no caches of compiled code.
- Whatever else of cgkit is imported says why it is left out when it is used.
- What an author says about one assignment is read by `cgkit.grading.settings`.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cgkit.grading.excerpt import TAIL, excerpts

INERT = (
    "cgkit.checks",
    "cgkit.render",
    "IPython",
    "ipywidgets",
    "matplotlib",
    "seaborn",
    "tqdm",
)
"""Modules that show things; imports and calls of them do nothing."""

READY_MADE = (
    "graphlib",
    "jax",
    "networkx",
    "numba",
    "onnx",
    "pandas",
    "pygraphviz",
    "scipy",
    "sklearn",
    "sympy",
    "tensorflow",
    "torch",
)
"""Packages that hold ready-made answers or that the course does not install."""

GUEST = (
    "errors.py",
    "grading/classes.py",
    "grading/codec.py",
    "grading/kinds.py",
    "grading/parcels.py",
    "grading/frames.py",
    "grading/memory.py",
    "grading/inside/__init__.py",
    "grading/inside/bars.py",
    "grading/inside/capture.py",
    "grading/inside/complaint.py",
    "grading/inside/fence.py",
    "grading/inside/handles.py",
    "grading/inside/magics.py",
    "grading/inside/seccomp.py",
    "grading/inside/standins.py",
    "grading/inside/start.py",
    "grading/inside/watch.py",
    "grading/inside/worker.py",
    "grading/inside/zygote.py",
)
"""Files of cgkit that go into the sandbox, whatever the assignment."""

_FUTURE = "from __future__ import annotations"
_FRONT = '''"""cgkit, as far as it is there while work is graded."""


def left_out(module, name):
    import sys

    if name.startswith("__"):
        raise AttributeError(name)
    for finder in sys.meta_path:
        if hasattr(finder, "missing_name"):
            return finder.missing_name(f"{module}.{name}")
    raise AttributeError(name)


def __getattr__(name):
    return left_out(__name__, name)
'''


@dataclass(frozen=True)
class Package:
    """A package that can be there beside NumPy, for assignments that ask for it."""

    folders: tuple[str, ...]
    """What it consists of."""
    environment: Mapping[str, str]
    """What it is told before it is loaded."""
    memory: int
    """Bytes of memory that a process with it may use."""


PACKAGES: Mapping[str, Package] = {
    "numba": Package(
        folders=("numba", "llvmlite"),
        environment={"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_NUM_THREADS": "1"},
        memory=2 << 30,
    ),
}
"""Those that the engine knows how to show."""


@dataclass(frozen=True)
class Edition:
    """What one assignment lets a student import."""

    names: tuple[str, ...] = ()
    """Definitions of cgkit that are copied, as ``"module:name"``."""
    inert: tuple[str, ...] = INERT
    """Modules that do nothing."""
    missing: tuple[str, ...] = READY_MADE
    """Modules that are left out; the standard library's are hidden as files, too."""
    barred: tuple[str, ...] = ()
    """Functions and classes of modules that must stay, as ``"module:name"``; they refuse."""
    packages: tuple[str, ...] = ()
    """Packages that are there beside NumPy and graphviz; keys of `PACKAGES`."""
    warm: tuple[str, ...] = ()
    """Texts of given cells that are run once before all students."""

    @property
    def folders(self) -> tuple[str, ...]:
        """Every package that is there, with those that it needs."""
        more = (one for name in self.packages for one in PACKAGES[name].folders)
        return ("numpy", "graphviz", *more)

    @property
    def environment(self) -> dict[str, str]:
        """What packages are told before they are loaded."""
        return {
            key: value
            for name in self.packages
            for key, value in PACKAGES[name].environment.items()
        }

    @property
    def memory(self) -> int:
        """Bytes that a process needs for the packages; 0 when there are none."""
        return max((PACKAGES[name].memory for name in self.packages), default=0)


def write_guest(folder: Path) -> None:
    """Write the code that runs inside beside the student's.

    Parameters
    ----------
    folder
        Made if it is not there.
    """
    top = importlib.resources.files("cgkit")
    for name in GUEST:
        _write(folder / "cgkit" / name, (top / name).read_text(encoding="utf-8"))
    for package in ("cgkit", "cgkit/grading"):
        _write(folder / package / "__init__.py", "")


def write_edition(edition: Edition, folder: Path) -> None:
    """Write the student edition of cgkit.

    Parameters
    ----------
    edition
        What it holds.
    folder
        Made if it is not there.

    Raises
    ------
    UsageFault
        The edition names something that cgkit does not define.
    """
    texts = excerpts(edition.names)
    front = texts.pop("cgkit", "").removesuffix(TAIL).removeprefix(_FUTURE)
    _write(folder / "cgkit" / "__init__.py", f"{_FRONT}\n\n{front}".rstrip() + "\n")
    packages = {one.rpartition(".")[0] for one in texts} - {"cgkit"}
    for module in packages | texts.keys():
        place = folder.joinpath(*module.split("."))
        place = place / "__init__.py" if module in packages else place.with_suffix(".py")
        _write(place, texts.get(module, TAIL))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
