import ast
import importlib.resources
import subprocess
import sys

import pytest

from cgkit.errors import UsageFault
from cgkit.grading.edition import GUEST, Edition, write_edition, write_guest

FINDER = """
class Finder:
    def find_spec(self, *_): return None
    def missing_name(self, name): return f"left out: {name}"
sys.meta_path.insert(0, Finder())
"""


def imported(folder, code):
    start = f"import sys\nsys.path.insert(0, {str(folder)!r})\n{FINDER}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", start + code],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_named_definitions_are_there_and_no_others(tmp_path):
    write_edition(Edition(names=("cgkit.score:Score", "cgkit.score:_finite")), tmp_path)
    text = (tmp_path / "cgkit" / "score.py").read_text()
    names = {node.name for node in ast.parse(text).body if hasattr(node, "name")}
    assert {"Score", "_finite"} <= names
    assert "points_of" not in names
    made = imported(tmp_path, "from cgkit.score import Score\nprint(type(Score).__name__)")
    assert made == "type"


def test_an_empty_edition_holds_the_front_only(tmp_path):
    write_edition(Edition(), tmp_path)
    assert [path.name for path in tmp_path.rglob("*.py")] == ["__init__.py"]


def test_names_that_are_not_defined_are_refused(tmp_path):
    with pytest.raises(UsageFault, match=r"cgkit\.score:Nothing"):
        write_edition(Edition(names=("cgkit.score:Nothing",)), tmp_path)


def test_the_guest_holds_no_check_no_test_no_cache(tmp_path):
    write_guest(tmp_path)
    files = sorted(
        path.relative_to(tmp_path / "cgkit").as_posix() for path in tmp_path.rglob("*.*")
    )
    assert files == sorted([*GUEST, "__init__.py", "grading/__init__.py"])
    text = "".join(path.read_text() for path in tmp_path.rglob("*.py"))
    assert "judge" not in text
    assert "import checks" not in text


def test_the_guest_names_every_file_that_runs_inside():
    inside = importlib.resources.files("cgkit") / "grading" / "inside"
    names = {f"grading/inside/{file.name}" for file in inside.iterdir() if file.is_file()}
    assert names <= set(GUEST)


@pytest.mark.parametrize("name", GUEST)
def test_the_guest_imports_only_what_is_inside(name):
    text = (importlib.resources.files("cgkit") / name).read_text()
    known = {"cgkit." + one.removesuffix(".py").replace("/", ".") for one in GUEST}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("cgkit"):
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            assert node.module in known or inner <= known, (name, node.module)


def test_what_a_name_stands_on_comes_with_it_and_what_it_calls_does_not(tmp_path):
    write_edition(Edition(names=("cgkit.types:TensorType", "cgkit:CycleError")), tmp_path)
    code = (
        "import sys, types\n"
        "numpy = types.ModuleType('numpy'); numpy.dtype = str; sys.modules['numpy'] = numpy\n"
        "from cgkit.types import TensorType\n"
        "from cgkit import CycleError\n"
        "print(TensorType((2,), 'int8').shape, CycleError.__mro__[1].__name__)\n"
    )
    made = imported(tmp_path, code)
    assert made == "(2,) GraphError"
    text = (tmp_path / "cgkit" / "types" / "tensor_type.py").read_text()
    assert "count = " in text
    assert "def promote" not in text
    assert not (tmp_path / "cgkit" / "types" / "shapes.py").exists()


def test_packages_bring_what_they_need():
    edition = Edition(packages=("numba",))
    assert edition.folders == ("numpy", "graphviz", "numba", "llvmlite")
    assert edition.environment["NUMBA_ENABLE_CUDASIM"] == "1"
    assert edition.memory > Edition().memory == 0
