"""The shape of the house: who may import whom, and how long a thing may be.

Imports go down only, the ones inside functions and under TYPE_CHECKING included::

    cli              sees everything below
     |
    tensor symbolic  see arithmetic, graph, ..., never each other
     |
    errors           sees nothing
"""

import ast
import graphlib
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

FLOORS = """
errors  tree  scalars  cluster  files  words
types  data
speech  kinds
node
graph
order
plan
interpret  autodiff  cost  memory
codegen
operators  device
arithmetic
writing
tensor  symbolic
control  gradient  optimizers
codec
static  passes  scheduling  fusion  onnx  scripting  nn
compiler  render
session  saved  testing  distributed
score  cells  conformance  training
checks
grading
notebooks  bench
cli
__init__
"""
HEIGHT = {name: row for row, line in enumerate(FLOORS.split("\n")) for name in line.split()}

FILE_LINES = 400
FUNCTION_LINES = 50
CELL_LINES = 25

LIBRARY = sorted((ROOT / "cgkit").rglob("*.py"))
PROGRAMS = [*LIBRARY, *sorted((ROOT / "tests").rglob("*.py")), ROOT / "start.py"]
TEXTS = sorted([*(ROOT / "course").glob("*.py"), *(ROOT / "solutions").glob("*.py")])

# cgkit/x/y.py is tested by tests/x/test_y.py; here is why a file needs no test of that name.
TESTED_ELSEWHERE: dict[str, str] = {}


def module_name(path: Path) -> str:
    """Give the dotted name under which a library file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in LIBRARY}


def imported(path: Path, modules: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """Walk over every import of one of `modules` in a file, with its line."""
    name = module_name(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(above if node.level else []), *filter(None, [node.module])])
            inside = [f"{base}.{alias.name}" for alias in node.names]
            targets = [module if module in modules else base for module in inside]
        else:
            continue
        for target in targets:
            if target.split(".")[0] == "cgkit":
                yield node.lineno, target


def unit(module: str) -> str:
    """Name the entry of the table a module belongs to; the front door is `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def complaint(importer: str, target: str) -> str | None:
    """Say what is wrong with one import, or nothing."""
    upper, lower = unit(importer), unit(target)
    if upper == lower:
        return None
    if HEIGHT[lower] == HEIGHT[upper]:
        return f"{upper} and {lower} stand on one floor"
    if HEIGHT[lower] > HEIGHT[upper]:
        return f"{upper} stands below {lower}"
    return None


def test_every_module_has_a_floor():
    homeless = {unit(module) for module in MODULES} - set(HEIGHT)
    assert not homeless, f"give these a floor in FLOORS: {sorted(homeless)}"


def test_the_table_names_each_module_once():
    names = FLOORS.split()
    assert len(names) == len(set(names))


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_go_down(module):
    path = MODULES[module]
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: imports {target}: {reason}"
        for line, target in imported(path, MODULES)
        if (reason := complaint(module, target))
    ]
    assert not wrong, "\n".join(wrong)


def test_no_circle_inside_a_package():
    graph = {
        name: {target for _, target in imported(path, MODULES)} for name, path in MODULES.items()
    }
    list(graphlib.TopologicalSorter(graph).static_order())


def test_a_wrong_import_is_seen(tmp_path, monkeypatch):
    # The test above is only worth something if it sees all the ways to write an import.
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "cgkit").mkdir()
    path = tmp_path / "cgkit" / "types.py"
    path.write_text(
        "import cgkit.graph\n"
        "from cgkit import tensor\n"
        "from . import tensor as t\n"
        "from .tensor import Tensor\n"
        "from cgkit import draw\n"
        "def f():\n"
        "    from cgkit.errors import CgkitError\n"
    )
    modules = dict.fromkeys(["cgkit.graph", "cgkit.tensor", "cgkit.types", "cgkit.errors"], path)
    found = [(line, target) for line, target in imported(path, modules)]
    assert found == [
        (1, "cgkit.graph"),
        (2, "cgkit.tensor"),
        (3, "cgkit.tensor"),
        (4, "cgkit.tensor"),
        (5, "cgkit"),
        (7, "cgkit.errors"),
    ]
    assert [complaint("cgkit.types", target) is None for _, target in found] == [False] * 5 + [True]
    assert complaint("cgkit.tensor", "cgkit.symbolic") == "tensor and symbolic stand on one floor"


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function; its docstring is free, so that nobody saves on it."""
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    free = first.end_lineno - first.lineno + 1 if documented else 0
    return function.end_lineno - function.lineno + 1 - free


def test_docstrings_are_free():
    (function,) = ast.parse('def f():\n    """A\n\n    b\n    """\n    return 1\n').body
    assert code_lines(function) == 2


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_are_short(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= FILE_LINES
    long = [
        f"{path.name}:{node.lineno}: {node.name} has {length} lines"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := code_lines(node)) > FUNCTION_LINES
    ]
    assert not long, "\n".join(long)


def code_cells(text: str) -> Iterator[tuple[int, int]]:
    """Walk over the code cells of a py:percent text: first line, number of lines."""
    lines = [*text.splitlines(), "# %%"]
    starts = [number for number, line in enumerate(lines) if line.startswith("# %%")]
    for start, end in itertools.pairwise(starts):
        if "[markdown]" not in lines[start]:
            yield start + 1, len("\n".join(lines[start + 1 : end]).strip().splitlines())


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_code_cells_are_short(path):
    long = [
        f"{path.name}:{line}: a cell of {length} lines"
        for line, length in code_cells(path.read_text(encoding="utf-8"))
        if length > CELL_LINES
    ]
    assert not long, "\n".join(long)


def test_code_cells_are_counted():
    text = "# %% [markdown]\n# a\n# b\n# %%\nx = 1\n\ny = 2\n\n# %% solution id=a\nz = 3\n"
    assert list(code_cells(text)) == [(4, 3), (9, 1)]


def test_tests_mirror_the_library():
    paths = [path.relative_to(ROOT / "cgkit") for path in LIBRARY if path.name != "__init__.py"]
    missing = [
        f"cgkit/{path.as_posix()} -> {mirror.as_posix()}"
        for path in paths
        if path.as_posix() not in TESTED_ELSEWHERE
        and not (ROOT / (mirror := Path("tests") / path.parent / f"test_{path.name}")).exists()
    ]
    assert not missing, "no test file for\n" + "\n".join(missing)


def test_exemptions_are_needed():
    for name in TESTED_ELSEWHERE:
        assert (ROOT / "cgkit" / name).exists(), f"{name} is gone: drop its exemption"
        mirror = Path(name)
        assert not (ROOT / "tests" / mirror.parent / f"test_{mirror.name}").exists()
