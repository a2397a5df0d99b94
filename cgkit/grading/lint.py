"""What authors of test cells and checks are warned of: what would judge unfairly, or tell secrets.

    lint(master) ──► Finding("test_mean", 3, "the cell ends with a student's expression ...")

Each rule is one small function over the syntax of a test cell. They stand in the order in which a
guide would give them: what a cell ends with, what it reads, what it must not do, what it says.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from cgkit.errors import NotebookError
from cgkit.grading.edition import Edition
from cgkit.grading.master import Master, MasterCell
from cgkit.grading.names import bound, tree_of
from cgkit.grading.settings import edition_of

OFFERED = frozenset({"source", "patch"})
"""Names that every test cell can use."""
SLOW = 2.0
"""Seconds from which on a cell says how long it may take."""

_CLOCKS = {"time", "perf_counter", "monotonic", "process_time", "timeit", "sleep"}


@dataclass(frozen=True)
class Finding:
    """One thing to change."""

    where: str
    """The cell, or the file."""
    line: int
    what: str
    """What is wrong, and what to write instead."""


@dataclass(frozen=True)
class _Test:
    """A test cell and what surrounds it."""

    cell: MasterCell
    tree: ast.Module
    exported: frozenset[str]
    own: frozenset[str]
    """Names that cells run outside bind."""
    loose: frozenset[str]
    """Names that only unlocked cells bind."""
    classes: frozenset[str]
    """Classes that given cells define, and whose objects stay inside."""


_CROSSING = {"dataclass", "NamedTuple", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}

_Rule: TypeAlias = Callable[[_Test], Iterator[tuple[ast.AST, str]]]


def lint(master: Master, seconds: Mapping[str, float] | None = None) -> tuple[Finding, ...]:
    """Look through the test cells of an assignment.

    Parameters
    ----------
    master
        The assignment.
    seconds
        What each cell took in the reference run, if it is known.

    Returns
    -------
    tuple of Finding
        In the order of the cells; empty when all is well.
    """
    outside = [cell for cell in master.cells if cell.role in ("given", "test")]
    own = frozenset(name for cell in outside for name in bound(cell.source))
    plain = [cell for cell in master.cells if cell.role == "plain"]
    loose = frozenset(name for cell in plain for name in bound(cell.source))
    classes = frozenset(
        node.name
        for cell in outside
        for node in getattr(tree_of(cell.source), "body", ())
        if isinstance(node, ast.ClassDef) and not _crosses(node)
    )
    findings: list[Finding] = [*_settings(master)]
    for cell in master.cells:
        if cell.role != "test":
            continue
        tree = tree_of(cell.source)
        if tree is None:
            findings.append(Finding(cell.cell, 1, "this test cell is no Python"))
            continue
        test = _Test(cell, tree, master.exported, own, loose, classes)
        findings += [
            Finding(cell.cell, getattr(node, "lineno", 1), what)
            for rule in _RULES
            for node, what in rule(test)
        ]
        findings += _slow(cell, (seconds or {}).get(cell.cell, 0.0))
    return tuple(findings)


def lint_checks(paths: Iterable[Path]) -> tuple[Finding, ...]:
    """Look through files of checks for what no check may do.

    Parameters
    ----------
    paths
        Python files, such as those of cgkit/checks.
    """
    return tuple(
        Finding(path.name, getattr(node, "lineno", 1), what)
        for path in paths
        for node, what in _anywhere(ast.parse(path.read_text(encoding="utf-8")))
    )


def _settings(master: Master) -> Iterator[Finding]:
    """Check lines such as ``# grading: forbid heapq``, and given imports against them."""
    try:
        edition = edition_of(master)
    except NotebookError as error:
        yield Finding("settings", 1, str(error))
        return
    for cell in master.cells:
        if cell.role == "given":
            for node in ast.walk(tree_of(cell.source) or ast.Module([], [])):
                for name in _not_inside(node, edition):
                    what = f"students can use {name} in their notebook, and not when it is graded"
                    attempt = "import it in test cells only, or give or allow it"
                    yield Finding(cell.cell, getattr(node, "lineno", 1), f"{what}; {attempt}")


def _not_inside(node: ast.AST, edition: Edition) -> Iterator[str]:
    """Name what an import brings that is left out inside."""
    if isinstance(node, ast.Import):
        names = [(alias.name, "") for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [(node.module or "", alias.name) for alias in node.names]
    else:
        return
    for module, name in names:
        top, full = module.partition(".")[0], f"{module}:{name}"
        shown = module.startswith(edition.inert) or f"{module}.{name}".startswith(edition.inert)
        if shown or full in edition.names:
            continue
        if top in ("cgkit", *edition.missing) or full in edition.barred:
            yield f"{module}.{name}".rstrip(".")


def _crosses(node: ast.ClassDef) -> bool:
    """Tell whether objects of a given class come out as what they are."""
    marks = [*node.decorator_list, *node.bases]
    names = {one.id for mark in marks for one in ast.walk(mark) if isinstance(one, ast.Name)}
    parts = {one.attr for mark in marks for one in ast.walk(mark) if isinstance(one, ast.Attribute)}
    return bool((names | parts) & _CROSSING)


def _slow(cell: MasterCell, seconds: float) -> list[Finding]:
    if seconds < SLOW or cell.limit:
        return []
    what = f"the reference needs {seconds:.1f} s here; say how long it may take: # limit: N seconds"
    return [Finding(cell.cell, 1, what)]


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


# what a cell ends with


def _ending(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Allow nothing, a number, (number, words) or a Score."""
    last = test.tree.body[-1] if test.tree.body else None
    if not isinstance(last, ast.Expr):
        return
    value = last.value
    if isinstance(value, ast.Compare | ast.BoolOp):
        yield last, "it ends with yes or no; write: assert ..., or give a number of points"
    elif isinstance(value, ast.Constant) and type(value.value) not in (int, float):
        yield last, "it ends with a constant that is no number of points"
    elif _root(value) in test.exported:
        yield last, f"it ends with what {_root(value)} gives; a student would set the points"


def _root(node: ast.expr) -> str:
    """Name what a call, an attribute or an item starts from."""
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        else:
            return node.id if isinstance(node, ast.Name) else ""


# what it reads


def _unknown_names(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Allow names that given cells, tests and answers of the author bind, and no others."""
    known = test.own | test.exported | OFFERED | vars(builtins).keys() | {"__name__"}
    inner = {node.arg for node in ast.walk(test.tree) if isinstance(node, ast.arg)} | _stored(
        test.tree
    )
    for node in ast.walk(test.tree):
        if not isinstance(node, ast.Name) or node.id in known | inner:
            continue
        if node.id in test.loose:
            yield node, f"{node.id} is bound in an unlocked cell; a student can change or delete it"
        else:
            yield node, f"no given cell and no answer binds {node.id}"


def _stored(tree: ast.AST) -> set[str]:
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


# what it must not do


def _changes_students(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Refuse changes of what was read: it is a snapshot, and nothing changes inside."""
    for node in ast.walk(test.tree):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Subscript) and _root(target) in test.exported:
                    yield node, "this changes a copy of the student's; write: with patch(name, ...)"


def _asks_for_classes(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Refuse isinstance of a given class: a student's subclass is no instance outside."""
    for node in ast.walk(test.tree):
        if isinstance(node, ast.Call) and _root(node.func) == "isinstance" and len(node.args) == 2:
            asked = _names(node.args[1]) & test.classes
            if asked and _names(node.args[0]) & (test.exported | _stored(test.tree)):
                yield node, f"compare attributes instead of asking for {', '.join(sorted(asked))}"


def _reads_code(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Refuse to read code through a stand-in."""
    for node in ast.walk(test.tree):
        if isinstance(node, ast.Attribute) and node.attr in ("getsource", "__code__"):
            yield node, "the code of an answer is not outside; write: source('name')"


def _anywhere_in(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    return _anywhere(test.tree)


def _anywhere(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Refuse what neither a test cell nor a check may do."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and _swallows(node):
            yield (
                node,
                "this swallows hangs and deaths of the student's code; write: except Exception",
            )
        elif isinstance(node, ast.Attribute) and node.attr in _CLOCKS and _root(node) == "time":
            yield node, "machines differ; count calls by a function you hand in instead of timing"
        elif isinstance(node, ast.Call) and _root(node.func) in ("eval", "exec"):
            yield node, "run nothing that may come from a student"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names} | {getattr(node, "module", "")}
            if names & {"pickle", "timeit", "marshal", "shelve"}:
                yield node, "neither pickles nor timing belong into a check"


def _swallows(node: ast.ExceptHandler) -> bool:
    bare = node.type is None or (
        isinstance(node.type, ast.Name) and node.type.id == "BaseException"
    )
    return bare and not any(isinstance(one, ast.Raise) for one in ast.walk(node))


# what it says


def _tells_secrets(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Refuse values of a hidden test in words that reach students."""
    visible = tree_of(test.cell.released)
    seen = _names(visible) if visible else set()
    secret = _stored(test.tree) - seen
    for node in ast.walk(test.tree):
        words = node.msg if isinstance(node, ast.Assert) else None
        told = sorted(_names(words) & secret) if words else []
        if told:
            yield node, f"the words of this test would show {', '.join(told)} to students"


_RULES: tuple[_Rule, ...] = (
    _ending,
    _unknown_names,
    _changes_students,
    _asks_for_classes,
    _reads_code,
    _anywhere_in,
    _tells_secrets,
)
