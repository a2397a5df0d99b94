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
from cgkit.grading import endings
from cgkit.grading.edition import Edition
from cgkit.grading.master import Master, MasterCell
from cgkit.grading.names import bound, read, tree_of
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
    findings: list[Finding] = [*_settings(master), *_secrets_in_sight(master)]
    for cell in master.cells:
        if cell.role != "test":
            continue
        tree = tree_of(cell.source)
        if tree is None or not _plain(cell.source):
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


def _plain(source: str) -> bool:
    """Tell whether a text is Python without magics, which no test cell may have."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


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
    for what in endings.faults(test.tree, test.exported, test.cell.points):
        yield test.tree.body[-1], what


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


def _offers_in_sight(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Allow what grading offers in hidden parts only: a student's notebook has none of it."""
    for node in ast.walk(tree_of(test.cell.released) or ast.Module([], [])):
        if isinstance(node, ast.Name) and node.id in OFFERED - test.own:
            yield node, f"a student's own notebook has no {node.id}; use it in a hidden part"


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
        changed = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        if not changed or _root(node) not in test.exported:  # type: ignore[arg-type]
            continue
        if isinstance(node, ast.Subscript):
            yield node, "this changes a copy of the student's; write: with patch(name, ...)"
        elif isinstance(node, ast.Name) and node.id not in _own_names(test.tree):
            yield node, f"this hides the student's {node.id}; choose another name"


def _own_names(tree: ast.Module) -> set[str]:
    """Give the names that stand for something else inside a comprehension."""
    parts = (node for node in ast.walk(tree) if isinstance(node, ast.comprehension))
    return {name for part in parts for name in _names(part.target)}


def _asks_for_classes(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Refuse isinstance of a given class: a student's subclass is no instance outside."""
    for node in ast.walk(test.tree):
        if isinstance(node, ast.Call) and _root(node.func) == "isinstance" and len(node.args) == 2:
            asked = _names(node.args[1]) & test.classes
            if asked and _names(node.args[0]) & (test.exported | _stored(test.tree)):
                yield node, f"compare attributes instead of asking for {', '.join(sorted(asked))}"
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            types = any(isinstance(side, ast.Call) and _root(side) == "type" for side in sides)
            asked = {side.id for side in sides if isinstance(side, ast.Name)}
            if types and asked & (test.classes | test.exported):
                yield node, "outside, a student's object has another type; compare attributes"


def _reads_code(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Refuse to read code through a stand-in."""
    for node in ast.walk(test.tree):
        attribute = isinstance(node, ast.Attribute) and node.attr in ("getsource", "__code__")
        if attribute or (isinstance(node, ast.Name) and node.id == "getsource"):
            yield node, "the code of an answer is not outside; write: source('name')"


def _ends_early(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Refuse to walk along a student's answer for as long as the student likes."""
    for node in ast.walk(test.tree):
        if not isinstance(node, ast.Call) or _root(node.func) != "zip" or len(node.args) < 2:
            continue
        if not any(word.arg == "strict" for word in node.keywords):
            yield node, "an empty answer passes: zip ends with the shorter one; add strict=True"


def _anywhere_in(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    return _anywhere(test.tree)


def _anywhere(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Refuse what neither a test cell nor a check may do."""
    for node in ast.walk(tree):
        what = _forbidden(node)
        if what:
            yield node, what


def _forbidden(node: ast.AST) -> str:
    if isinstance(node, ast.ExceptHandler):
        return _SWALLOWS if _swallows(node) else ""
    if isinstance(node, ast.Attribute):
        return _TIMES if node.attr in _CLOCKS and _root(node) == "time" else ""
    if isinstance(node, ast.ImportFrom) and node.module == "time":
        return _TIMES
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = {alias.name for alias in node.names} | {getattr(node, "module", "")}
        loads = names & {"pickle", "timeit", "marshal", "shelve"}
        return "neither pickles nor timing belong into a check" if loads else ""
    return _forbidden_call(node) if isinstance(node, ast.Call) else ""


def _forbidden_call(node: ast.Call) -> str:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else _root(node.func)
    if name == "suppress" and any("BaseException" in _names(one) for one in node.args):
        return _SWALLOWS
    if isinstance(node.func, ast.Name) and name in ("eval", "exec"):
        return "run nothing that may come from a student"
    opens = isinstance(node.func, ast.Name) and name == "open"
    return "no file is the same everywhere; write values into the test" if opens else ""


_SWALLOWS = "this swallows hangs and deaths of the student's code; write: except Exception"
_TIMES = "machines differ; count calls by a function you hand in instead of timing"


def _swallows(node: ast.ExceptHandler) -> bool:
    bare = node.type is None or "BaseException" in _names(node.type)
    return bare and not any(isinstance(one, ast.Raise) for one in ast.walk(node))


# what it says


def _tells_secrets(test: _Test) -> Iterator[tuple[ast.AST, str]]:
    """Refuse values of a hidden test in words that reach students."""
    visible = tree_of(test.cell.released)
    seen = _names(visible) if visible else set()
    secret = _stored(test.tree) - seen
    for node in ast.walk(test.tree):
        told = sorted(name for words in _words(node) for name in _names(words) & secret)
        if told:
            yield node, f"the words of this test would show {', '.join(told)} to students"


def _words(node: ast.AST) -> list[ast.expr]:
    """Give what a student gets to read of a statement."""
    if isinstance(node, ast.Assert):
        return [node.msg] if node.msg else []
    if isinstance(node, ast.Raise):
        return node.exc.args if isinstance(node.exc, ast.Call) else []
    prints = isinstance(node, ast.Call) and _root(node.func) == "print"
    return node.args if prints and isinstance(node, ast.Call) else []


def _secrets_in_sight(master: Master) -> Iterator[Finding]:
    """Find values of locked cells that only hidden tests read: students see those cells."""
    seen: set[str] = set()
    for cell in master.cells:
        seen |= read(cell.released)
    hidden = {name for cell in master.cells if cell.role == "test" for name in read(cell.source)}
    for cell in master.cells:
        tree = tree_of(cell.source) if cell.role == "given" else None
        for node in tree.body if tree else ():
            if isinstance(node, ast.Import | ast.ImportFrom):
                continue
            names = sorted(bound(ast.unparse(node)) & hidden - seen)
            if names:
                what = f"students see {', '.join(names)} here, which only a hidden test reads"
                yield Finding(cell.cell, node.lineno, f"{what}; move it there")


_RULES: tuple[_Rule, ...] = (
    _ending,
    _unknown_names,
    _offers_in_sight,
    _changes_students,
    _asks_for_classes,
    _reads_code,
    _ends_early,
    _anywhere_in,
    _tells_secrets,
)
