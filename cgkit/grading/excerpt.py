"""The text of some definitions of cgkit, with what they stand on and nothing beside it.

    excerpts(("cgkit.types:TensorType",))
      ──► {"cgkit.types": "from cgkit.types.tensor_type import TensorType",
           "cgkit.types.tensor_type": "import numpy as np ... class TensorType: ..."}

- What a definition needs to come into being goes with it: its bases, its decorators.
- Helpers with an underscore, constants and kinds of errors go with it, too.
- Whatever else of cgkit its methods call stays out, and says so when it is called.
"""

from __future__ import annotations

import ast
import importlib.resources
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable

from cgkit.errors import UsageFault

_ERRORS = "cgkit.errors"
_MARKS = {"annotations", "ClassVar", "InitVar"}
"""Imports that change what a definition means without being read by it."""
_LEFT_OUT = '{name} = __import__("sys").modules["cgkit"].left_out({module!r}, {name!r})'
TAIL = """def __getattr__(name):
    import sys

    return sys.modules["cgkit"].left_out(__name__, name)
"""


@dataclass(frozen=True)
class _Module:
    """One module of cgkit, read."""

    name: str
    source: str
    body: tuple[ast.stmt, ...]
    defined: dict[str, ast.stmt]
    """Its own definitions."""
    taken: dict[str, tuple[str, str]]
    """For each name that it takes from elsewhere in cgkit, where from."""

    def text(self, node: ast.stmt) -> str:
        """Give the text of a statement, decorators included."""
        first = min(
            [node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))], default=1
        )
        return "\n".join(self.source.split("\n")[first - 1 : node.end_lineno])


@dataclass
class _Wanted:
    """What is to be written of one module."""

    own: set[str] = field(default_factory=set)
    taken: dict[str, tuple[str, str]] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    """Names that are left out, with the module they would come from."""


def excerpts(names: Iterable[str]) -> dict[str, str]:
    """Give the modules of a student edition, as text.

    Parameters
    ----------
    names
        Each is ``"module:name"``; where a package passes a name on, the package may be named.

    Raises
    ------
    UsageFault
        A name is not there.

    Examples
    --------
    >>> sorted(excerpts(["cgkit.errors:CgkitError"]))
    ['cgkit.errors']
    """
    reader = _Reader()
    for name in names:
        module, colon, definition = name.partition(":")
        if not colon or not definition:
            raise UsageFault(
                f"{name!r} names no definition", attempt="module:name, such as cgkit.errors:NAME"
            )
        reader.want(module, definition)
    return {module: reader.text(module) for module in sorted(reader.wanted)}


class _Reader:
    """Follows definitions to what they stand on."""

    def __init__(self) -> None:
        self.wanted: dict[str, _Wanted] = {}
        self._modules: dict[str, _Module] = {}

    def module(self, name: str) -> _Module:
        """Read a module, once."""
        if name not in self._modules:
            self._modules[name] = _read(name)
        return self._modules[name]

    def want(self, module: str, name: str) -> None:
        """Ask for a definition, and for what it stands on."""
        waiting = [(module, name)]
        while waiting:
            place, one = waiting.pop()
            found, asked = self.module(place), self.wanted.setdefault(place, _Wanted())
            asked.left.pop(one, None)
            if one in asked.own or one in asked.taken:
                continue
            if one in found.taken:
                asked.taken[one] = found.taken[one]
                waiting.append(found.taken[one])
            elif one in found.defined:
                asked.own.add(one)
                waiting += self._needs(found, found.defined[one])
            else:
                raise UsageFault(f"{place}:{one} is not defined in cgkit")

    def _needs(self, module: _Module, node: ast.stmt) -> Iterator[tuple[str, str]]:
        """Give what must come with a definition; note what its methods will miss."""
        at_once = set(_read_at_once(node))
        asked = self.wanted[module.name]
        for name in sorted(_names(node) & (module.defined.keys() | module.taken.keys())):
            source = module.taken.get(name, (module.name, name))[0]
            own = module.defined.get(name)
            helper = own is not None and (name.startswith("_") or _is_constant(own))
            if name in at_once or helper or source == _ERRORS:
                yield module.name, name
            elif name not in asked.own and name not in asked.taken:
                asked.left[name] = source

    def text(self, name: str) -> str:
        """Write what was asked for of a module."""
        module, asked = self.module(name), self.wanted[name]
        own = [node for node in module.body if asked.own & set(_defined(node))]
        used = {one for node in own for one in _names(node)} | _MARKS
        kept = [
            module.text(node)
            for node in module.body
            if node in own or (_is_foreign(node) and used & _bound(node))
        ]
        future = [text for text in kept if text.startswith("from __future__")]
        rest = [text for text in kept if text not in future]
        taken = [
            f"from {place} import {one if one == called else f'{one} as {called}'}"
            for called, (place, one) in sorted(asked.taken.items())
        ]
        left = [
            _LEFT_OUT.format(name=one, module=place) for one, place in sorted(asked.left.items())
        ]
        return "\n\n\n".join([*future, *taken, *left, *rest, TAIL])


def _read(name: str) -> _Module:
    if name.partition(".")[0] != "cgkit":
        raise UsageFault(f"{name} is not part of cgkit; only definitions of cgkit can be given")
    place = _place(name)
    if place is None:
        raise UsageFault(f"there is no module {name}")
    source = place.read_text(encoding="utf-8")
    body = tuple(ast.parse(source).body)
    defined = {one: node for node in body for one in _defined(node)}
    taken = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in body
        if isinstance(node, ast.ImportFrom) and node.module and _of_cgkit(node)
        for alias in node.names
    }
    return _Module(name, source, body, defined, taken)


def _place(module: str) -> Traversable | None:
    place: Traversable = importlib.resources.files("cgkit")
    for part in module.split(".")[1:-1]:
        place = place / part
    last = module.rpartition(".")[2] if "." in module else ""
    choices = (place / f"{last}.py", place / last / "__init__.py", place / "__init__.py")
    return next((file for file in choices[: 2 if last else 3] if file.is_file()), None)


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


def _bound(node: ast.stmt) -> set[str]:
    return {(alias.asname or alias.name).partition(".")[0] for alias in getattr(node, "names", ())}


def _is_constant(node: ast.stmt) -> bool:
    """Tell whether a statement gives a name to a value that is written out."""
    value = getattr(node, "value", None)
    if not isinstance(node, ast.Assign | ast.AnnAssign) or value is None:
        return False
    return not any(isinstance(one, ast.Name | ast.Call | ast.Lambda) for one in ast.walk(value))


def _is_foreign(node: ast.stmt) -> bool:
    """Tell whether a statement imports from outside cgkit."""
    return isinstance(node, ast.Import | ast.ImportFrom) and not _of_cgkit(node)


def _names(node: ast.AST) -> set[str]:
    """Give the names that a definition reads; annotations are texts here, and read nothing."""
    return {one.id for one in _walk(node) if isinstance(one, ast.Name)}


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        for name, value in ast.iter_fields(one):
            if name not in ("annotation", "returns"):
                parts = value if isinstance(value, list) else [value]
                waiting += [part for part in parts if isinstance(part, ast.AST)]


def _read_at_once(node: ast.AST) -> Iterator[str]:
    """Give the names that are read when a definition is made, not when it is used."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Name):
            yield one.id
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += getattr(one, "decorator_list", [])
            waiting += [*one.args.defaults, *(d for d in one.args.kw_defaults if d)]
        else:
            waiting += [
                part
                for name, value in ast.iter_fields(one)
                if name not in ("annotation", "returns")
                for part in (value if isinstance(value, list) else [value])
                if isinstance(part, ast.AST)
            ]
