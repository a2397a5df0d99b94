"""Which files of cgkit a module stands on, found by its imports; nothing is imported.

    reached(["cgkit.checks.graphs"])  ──►  checks/graphs/__init__.py, checks/task.py, score.py, ...

- Imports inside functions count, and those that only type checkers see.
- The front door, cgkit/__init__.py, imports the whole framework whenever anything of cgkit is
  imported. It counts only for those who take a name from it.
- An import by a name that is made at run time is not seen; tests know the few there are.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from pathlib import Path

from cgkit.grading.names import tree_of

TOP = Path(__file__).resolve().parents[2]
"""The folder that holds cgkit/."""


def reached(modules: Iterable[str], top: Path = TOP) -> tuple[Path, ...]:
    """Find the files that some modules reach by their imports, their own among them.

    Parameters
    ----------
    modules
        Dotted names; those outside cgkit are passed over.
    top
        The folder that holds cgkit/.

    Examples
    --------
    >>> [path.name for path in reached(["cgkit.cells"])]
    ['cells.py', 'errors.py']
    """
    found: set[Path] = set()
    waiting, seen = [*modules], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name.partition(".")[0] != "cgkit":
            continue
        seen.add(name)
        path = file_of(name, top)
        package = name.rpartition(".")[0]
        if path is None or package not in ("", "cgkit"):
            waiting.append(package)
        if path is not None:
            found.add(path)
            status = path.stat()
            waiting += _imports(path, status.st_mtime_ns, status.st_size)
    return tuple(sorted(found))


def file_of(name: str, top: Path = TOP) -> Path | None:
    """Give the file of a module, or None."""
    place = top.joinpath(*name.split("."))
    choices = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in choices if path.is_file()), None)


@functools.lru_cache(maxsize=1024)
def _imports(path: Path, changed: int, size: int) -> frozenset[str]:
    return imports_of(path.read_text(encoding="utf-8"))


def imports_in(cell: str) -> frozenset[str]:
    """Name all that a cell of a notebook may import; nothing where it is no Python."""
    tree = tree_of(cell)
    return frozenset() if tree is None else _imports_of(tree)


def imports_of(source: str) -> frozenset[str]:
    """Name all that a text may import: modules, and names of packages that may be modules.

    Examples
    --------
    >>> sorted(imports_of("from cgkit.checks import graphs as check"))
    ['cgkit.checks', 'cgkit.checks.graphs']
    >>> sorted(imports_of("from cgkit import render"))
    ['cgkit.render']
    """
    return _imports_of(ast.parse(source))


def _imports_of(tree: ast.Module) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {node.module} - {"cgkit"}
    return frozenset(names)
