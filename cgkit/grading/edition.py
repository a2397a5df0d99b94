"""What a student's code can import while it is graded: the student edition of cgkit, and stand-ins.

    Edition(names=("cgkit.errors:CycleError",), missing=("networkx", "graphlib"))
      write_edition(edition, folder)   ──►  folder/cgkit/errors.py holds that one class
      write_guest(folder)              ──►  the code that serves the student's, and nothing else

- Names are copied, never modules: what is not named is not there to be read.
- No checks, no answers, no caches of compiled code.
- Whatever else of cgkit is imported says why it is left out when it is used.
"""

from __future__ import annotations

import ast
import importlib.resources
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from cgkit.errors import UsageFault

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
    "grading/codec.py",
    "grading/kinds.py",
    "grading/frames.py",
    "grading/inside/__init__.py",
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

_MISSING = '''"""Left out when work is graded."""


def __getattr__(name):
    import sys

    return sys.modules["cgkit"].left_out(__name__, name)
'''
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
class Edition:
    """What one assignment lets a student import."""

    names: tuple[str, ...] = ()
    """Definitions of cgkit that are copied, as ``"module:name"``."""
    inert: tuple[str, ...] = INERT
    """Modules that do nothing."""
    missing: tuple[str, ...] = READY_MADE
    """Modules that are left out; the standard library's are hidden as files, too."""


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
    _write(folder / "cgkit" / "__init__.py", _FRONT)
    modules: dict[str, list[str]] = {}
    for name in edition.names:
        module, _, definition = name.partition(":")
        modules.setdefault(module, []).append(definition)
    for module, definitions in modules.items():
        path = folder.joinpath(*module.split(".")).with_suffix(".py")
        _write(path, _copied(module, definitions))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copied(module: str, names: list[str]) -> str:
    """Give the text of some definitions of a module, with the imports they can stand on."""
    source = _source(module).read_text(encoding="utf-8")
    body = ast.parse(source).body
    found = {name: node for node in body for name in _defined(node)}
    for name in names:
        if name not in found:
            raise UsageFault(f"the student edition names {module}:{name}, which is not defined")
    kept = [
        node
        for node in body
        if (isinstance(node, ast.Import | ast.ImportFrom) and not _of_cgkit(node))
        or any(found.get(name) is node for name in names)
    ]
    parts = [ast.get_source_segment(source, node, padded=False) or "" for node in kept]
    return "\n\n\n".join([*parts, _MISSING.split("\n\n\n", 1)[1]])


def _source(module: str) -> Traversable:
    place: Traversable = importlib.resources.files("cgkit")
    *packages, last = module.split(".")[1:]
    for package in packages:
        place = place / package
    file = place / f"{last}.py"
    return file if file.is_file() else place / last / "__init__.py"


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _of_cgkit(node: ast.Import | ast.ImportFrom) -> bool:
    names: Iterable[str] = (
        [alias.name for alias in node.names]
        if isinstance(node, ast.Import)
        else [node.module or "cgkit"]
    )
    return any(name.partition(".")[0] == "cgkit" for name in names)
