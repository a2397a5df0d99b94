"""What a teacher should look at: the lines that reach for marks, and what was seen to happen.

    "np.allclose = lambda *a: True"  ──►  Flag("patches a library", "np.allclose = ...", "mean")

A flag is no mark and no verdict. The answer behind it is already judged from outside, by what it
gives; the flag says where to look. Two sources: the text (`text`), and the hooks inside (`run`).
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from cgkit.grading.edition import Edition
from cgkit.grading.names import bound, tree_of
from cgkit.grading.rebuild import Plan
from cgkit.grading.result import Flag

READY_MADE = "uses a ready-made answer"
REFERENCE = "reaches for the reference"
PATCHES = "patches a library"
ALWAYS_EQUAL = "an object that is equal to everything"
NOTEBOOK = "changes how the notebook runs or shows cells"
FRAMES = "searches memory or frames"
FILES = "reads or writes files"
NETWORK = "uses the network"
PROGRAMS = "starts programs or processes"
PICKLES = "uses pickles"
NATIVE = "calls native code"
TEXT = "runs a text as code"
TESTS = "a test is not as it was handed out"
RESET = "resets the notebook"
MORE = "and more"

MOST_ALIKE = 5
"""Flags of one kind in one cell that are listed."""
MOST_FLAGS = 100
"""Flags of one submission that are listed."""

_MODULES = {
    "socket": NETWORK,
    "urllib": NETWORK,
    "requests": NETWORK,
    "http": NETWORK,
    "ftplib": NETWORK,
    "subprocess": PROGRAMS,
    "multiprocessing": PROGRAMS,
    "pickle": PICKLES,
    "dill": PICKLES,
    "joblib": PICKLES,
    "shelve": PICKLES,
    "ctypes": NATIVE,
    "cffi": NATIVE,
    "nbgrader": REFERENCE,
    "atexit": PROGRAMS,
    "signal": PROGRAMS,
}
_CALLS = {
    "get_ipython": NOTEBOOK,
    "__import__": REFERENCE,
    "import_module": REFERENCE,
    "_getframe": FRAMES,
    "get_objects": FRAMES,
    "get_referrers": FRAMES,
    "get_referents": FRAMES,
    "set_custom_exc": NOTEBOOK,
    "popen": PROGRAMS,
    "listdir": FILES,
    "scandir": FILES,
    "rglob": FILES,
    "read_text": FILES,
    "write_text": FILES,
}
"""Calls that tell, whoever is asked."""
_CALLS_OF_MODULES = {
    "open": FILES,
    "currentframe": FRAMES,
    "stack": FRAMES,
    "getouterframes": FRAMES,
    "system": PROGRAMS,
    "fork": PROGRAMS,
    "kill": PROGRAMS,
    "_exit": PROGRAMS,
    "walk": FILES,
    "glob": FILES,
    "loads": PICKLES,
    "exec": TEXT,
    "eval": TEXT,
}
"""Calls that tell when a module or Python itself is asked: a student's own walk walks a graph."""
_DESCRIPTORS = ("os.read", "os.write", "os.dup", "os.dup2", "os.fdopen", "os.closerange")
_NO_PICKLES = ("json", "tomllib")
_NOTEBOOK_WORDS = (
    "input_transformer", "ast_transformers", "displayhook", "mimebundle_formatter",
    "display_formatter", "run_cell",
)  # fmt: skip
_MAGIC = re.compile(r"\s*%+\s*(reset|run|load|bash|sh|script|system|sx|writefile|file)\b|\s*!")
_TELLING = re.compile(
    r"gradebook|nbgrader|\.\./|/etc/|solutions/|submitted/|autograded|hidden.?test|/root|/home/",
    re.IGNORECASE,
)
_SEEN = {
    "left out": REFERENCE,
    "imported": READY_MADE,
    "barred": READY_MADE,
    "network": NETWORK,
    "program started": PROGRAMS,
    "process forked": PROGRAMS,
    "signal sent": PROGRAMS,
    "file read": FILES,
    "file written": FILES,
    "folder listed": FILES,
    "library loaded": NATIVE,
    "memory searched": FRAMES,
    "frames searched": FRAMES,
    "pickle read": PICKLES,
}
_BY_CHANCE = re.compile(r"^(/scratch|/tmp)/(?:tmp)?[a-z0-9_]{8}(?![\w.])")
"""A file that Python's tempfile names."""
_TABLES = {"modules", "__builtins__", "vars"}
_EQUALITY = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__array__")
_SHOWN = ("cgkit.checks", "cgkit.render")
_LONGEST = 160


def flags_of(
    plan: Plan, edition: Edition, seen: Iterable[tuple[str, str, str]] = ()
) -> tuple[Flag, ...]:
    """Collect everything worth a look in one submission.

    Parameters
    ----------
    plan
        The submission as it was run.
    edition
        Says which modules hold ready-made answers.
    seen
        (cell, what, which) as noted inside.
    """
    given = {cell.cell for cell in plan.cells if cell.kind == "given"}
    known = called_as(cell.source for cell in plan.cells if cell.kind != "test")
    found = [
        flag
        for cell in plan.cells
        if cell.kind in ("solution", "extra")
        for flag in flags_in(cell.source, cell.cell, edition, known)
    ]
    found += [Flag(TESTS, one.evidence, one.cell) for one in plan.edited if one.telling]
    found += [
        Flag(_kind_of(what, which, edition), _seen_words(what, which), cell, "run")
        for cell, what, which in seen
        if cell not in given and what in _SEEN
    ]
    return tuple(_few(dict.fromkeys(found)))


def _seen_words(what: str, which: str) -> str:
    """Put into words what was seen, the same in each run: some names are drawn by chance."""
    which = _BY_CHANCE.sub(r"\1/...", which)
    return what if which in ("", "()") else f"{what}: {which}"


def _few(flags: Iterable[Flag]) -> Iterator[Flag]:
    """Give some of each kind in each cell: enough to look at, however many there are."""
    counts: Counter[tuple[str, str]] = Counter()
    given = 0
    for flag in flags:
        counts[flag.where, flag.what] += 1
        if counts[flag.where, flag.what] <= MOST_ALIKE and given < MOST_FLAGS:
            given += 1
            yield flag
    if counts.total() > given:
        yield Flag(MORE, f"{counts.total() - given:,} more like these")


def _kind_of(what: str, which: str, edition: Edition) -> str:
    if what == "imported" and which.partition(".")[0] == "cgkit":
        return REFERENCE
    if what == "left out" and which.partition(".")[0] in edition.missing:
        return READY_MADE
    return _SEEN[what]


def called_as(sources: Iterable[str]) -> dict[str, str]:
    """Say for each name that imports bind what it stands for.

    Examples
    --------
    >>> called_as(["import numpy as np", "from numpy.linalg import lstsq as solve"])
    {'np': 'numpy', 'solve': 'numpy.linalg.lstsq'}
    """
    known: dict[str, str] = {}
    for source in sources:
        for node in ast.walk(tree_of(source) or ast.Module([], [])):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    known[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return known


def flags_in(
    source: str, cell: str, edition: Edition, known: Mapping[str, str] | None = None
) -> Iterator[Flag]:
    """Find the telling lines of one cell.

    Parameters
    ----------
    source, cell
        Its text and its name.
    edition
        Says what holds ready-made answers.
    known
        What imports elsewhere in the notebook bind, from `called_as`.

    Examples
    --------
    >>> [flag.what for flag in flags_in("import networkx as nx", "a", Edition())]
    ['uses a ready-made answer']
    >>> [flag.evidence for flag in flags_in("sorted(x)", "a", Edition(barred=("builtins:sorted",)))]
    ['line 1: sorted(x)']
    """
    lines = source.split("\n")
    for line in lines:
        if _MAGIC.match(line):
            what = RESET if "reset" in line else PROGRAMS
            yield Flag(what, line.strip()[:_LONGEST], cell)
    tree = tree_of(source)
    if tree is None:
        return
    own = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and _is_stored(one)}
    names = {name: what for name, what in (known or {}).items() if name not in own}
    reader = _Reader(lines, cell, edition, {**names, **called_as([source])}, own | bound(source))
    for node in ast.walk(tree):
        yield from reader.flags(node)


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


@dataclass
class _Reader:
    """Looks at one node after the other; remembers under which names modules are known."""

    lines: Sequence[str]
    cell: str
    edition: Edition
    known: Mapping[str, str]
    own: Set[str]
    """Names that the cell binds itself."""

    def __post_init__(self) -> None:
        self.modules: set[str] = {"np", "numpy", "check", "builtins", "cgkit", "graphviz", "math"}
        self.barred = {name.replace(":", ".") for name in self.edition.barred}

    def flags(self, node: ast.AST) -> Iterator[Flag]:
        """Give the flags of one node."""
        if self.barred and self._stands_for(node) in self.barred:
            yield self._flag(READY_MADE, node)
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from self._imported(node, alias.name, alias.asname or alias.name)
        elif isinstance(node, ast.ImportFrom):
            yield from self._imported(node, node.module or "", "")
            yield from self._names_from(node)
        elif isinstance(node, ast.Call):
            yield from self._called(node)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            yield from self._assigned(node)
        elif isinstance(node, ast.FunctionDef):
            yield from self._defined(node)
        elif isinstance(node, ast.Attribute):
            yield from self._attribute(node)
        elif isinstance(node, ast.Constant) and _is_telling(node.value):
            yield self._flag(FILES, node)

    def _stands_for(self, node: ast.AST) -> str:
        """Name what a name or an attribute is, as far as imports tell."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        first = self.known.get(node.id, "")
        if not first and not parts and node.id not in self.own:
            first = f"builtins.{node.id}"
        return ".".join([first, *reversed(parts)])

    def _flag(self, what: str, node: ast.AST) -> Flag:
        number = getattr(node, "lineno", 1)
        line = self.lines[number - 1].strip() if number <= len(self.lines) else ""
        return Flag(what, f"line {number}: {line}"[:_LONGEST], self.cell)

    def _imported(self, node: ast.AST, module: str, name: str) -> Iterator[Flag]:
        top = module.partition(".")[0]
        self.modules.add(name.partition(".")[0] or top)
        if {top, top.removeprefix("_")} & {*self.edition.missing}:
            yield self._flag(READY_MADE, node)
        elif top == "cgkit" and (module != "cgkit" or name) and not module.startswith(_SHOWN):
            if not name:
                return  # what is taken from it decides
            yield self._flag(REFERENCE, node)
        elif top in _MODULES:
            yield self._flag(_MODULES[top], node)

    def _names_from(self, node: ast.ImportFrom) -> Iterator[Flag]:
        module = node.module or ""
        if module.partition(".")[0] != "cgkit" or module.startswith(_SHOWN):
            return
        given = {*self.edition.names, "cgkit:render", "cgkit:checks"}
        if any(f"{module}:{alias.name}" not in given for alias in node.names):
            yield self._flag(REFERENCE, node)

    def _called(self, node: ast.Call) -> Iterator[Flag]:
        function = node.func
        name = function.id if isinstance(function, ast.Name) else ""
        name = function.attr if isinstance(function, ast.Attribute) else name
        if name in ("setattr", "delattr") and node.args and self._is_module(node.args[0]):
            yield self._flag(PATCHES, node)
        elif name in _CALLS and name not in self.own:
            yield self._flag(_CALLS[name], node)
        elif self._stands_for(function) in _DESCRIPTORS:
            yield self._flag(FILES, node)
        elif name in _CALLS_OF_MODULES:
            home, _, rest = self._stands_for(function).partition(".")
            if home == "builtins" and not hasattr(builtins, rest):
                return  # a helper of another cell
            if home and home not in _NO_PICKLES:
                yield self._flag(_CALLS_OF_MODULES[name], node)

    def _assigned(self, node: ast.AST) -> Iterator[Flag]:
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, ast.Attribute) and self._is_module(target.value):
                yield self._flag(PATCHES, node)
            if isinstance(target, ast.Subscript) and _names(target) & _TABLES:
                yield self._flag(PATCHES, node)
            if isinstance(target, ast.Attribute) and target.attr == "displayhook":
                yield self._flag(NOTEBOOK, node)

    def _is_module(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.modules

    def _defined(self, node: ast.FunctionDef) -> Iterator[Flag]:
        if node.name not in _EQUALITY:
            return
        body = [one for one in node.body if not isinstance(one, ast.Expr)]
        fixed = len(body) == 1 and isinstance(body[0], ast.Return)
        if fixed and isinstance(body[0].value, ast.Constant):  # type: ignore[attr-defined]
            yield self._flag(ALWAYS_EQUAL, node)

    def _attribute(self, node: ast.Attribute) -> Iterator[Flag]:
        if node.attr in _NOTEBOOK_WORDS:
            yield self._flag(NOTEBOOK, node)
        elif node.attr in ("__subclasses__", "__globals__", "f_back", "gi_frame", "f_globals"):
            yield self._flag(FRAMES, node)
        elif node.attr in ("modules", "meta_path", "path_hooks") and _names(node) & {"sys"}:
            yield self._flag(PATCHES, node)


def _is_telling(value: object) -> bool:
    """Tell whether a text is the name of a place where marks or answers lie; no sentence is."""
    name = isinstance(value, str) and len(value) < 300 and len(value.split()) == 1
    return name and _TELLING.search(str(value)) is not None


def _names(node: ast.AST) -> set[str]:
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return names | {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def flags_of_files(names: Iterable[str]) -> tuple[Flag, ...]:
    """Find files in a submission that could stand in for an installed module.

    Examples
    --------
    >>> [flag.evidence for flag in flags_of_files(["01_graphs.ipynb", "cgkit.py", "notes.txt"])]
    ['cgkit.py']
    """
    return tuple(
        Flag("a file that hides an installed module", name)
        for name in names
        if re.match(r"(cgkit|numpy|graphviz|checks?|checker|nbgrader|IPython)\b.*(\.pyc?|/)$", name)
    )
