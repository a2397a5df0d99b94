import ast
import json
from pathlib import Path

import pytest

from cgkit.grading.edition import GUEST
from cgkit.grading.kept import GRADING, modules_of
from cgkit.grading.master import read_master
from cgkit.grading.reach import TOP, file_of, imports_in, imports_of, reached

FILES = {
    "__init__": "from cgkit.tensor import Tensor",
    "a": "def f():\n    import cgkit.b.c\n",
    "b/__init__": "from cgkit.d import x",
    "b/c": "if TYPE_CHECKING:\n    from cgkit import e\n",
    "d": "import json",
    "e": "import json",
    "front": "from cgkit import Tensor",
    "tensor": "",
    "unused": "import cgkit.a",
}


@pytest.fixture
def top(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "cgkit" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def names(top, *modules):
    return [path.relative_to(top / "cgkit").as_posix() for path in reached(modules, top)]


def test_imports_are_followed_wherever_they_stand(top):
    assert names(top, "cgkit.a") == ["a.py", "b/__init__.py", "b/c.py", "d.py", "e.py"]


def test_the_front_door_counts_for_those_who_take_from_it(top):
    assert names(top, "cgkit.front") == ["__init__.py", "front.py", "tensor.py"]
    assert names(top, "cgkit.Tensor") == ["__init__.py", "tensor.py"]


def test_what_is_not_there_or_not_ours_is_passed_over(top):
    assert names(top, "json", "cgkit.b.nothing") == ["b/__init__.py", "d.py"]


def test_a_changed_file_is_read_again(top):
    assert "tensor.py" not in names(top, "cgkit.d")
    (top / "cgkit" / "d.py").write_text("import cgkit.tensor\n")
    assert "tensor.py" in names(top, "cgkit.d")


def test_a_cell_that_is_no_python_imports_nothing():
    assert imports_in("import cgkit.(") == frozenset()
    assert imports_in("%magic\nimport cgkit.score") == {"cgkit.score"}
    assert imports_of("from . import x") == frozenset()


@pytest.fixture(scope="module")
def decides():
    """The files that decide a mark of assignment 01."""
    notebook = (TOP / "solutions" / "01_graphs" / "01_graphs.ipynb").read_text(encoding="utf-8")
    modules = modules_of(read_master(json.loads(notebook)))
    inside = [f"cgkit.{name.removesuffix('.py').replace('/', '.')}" for name in GUEST]
    return reached([*GRADING, *inside, *modules])


def test_what_decides_a_mark_is_reached_and_what_shows_it_is_not(decides):
    found = {path.relative_to(TOP / "cgkit").as_posix() for path in decides}
    assert {
        f"grading/{name}.py" for name in ("judge", "strict", "codec", "lane", "rebuild")
    } <= found
    assert {name for name in GUEST if not name.endswith("__init__.py")} <= found
    assert {"score.py", "checks/runner.py", "checks/graphs/evaluation.py"} <= found
    units = {name.partition("/")[0] for name in found}
    assert not units & {"render", "cli", "notebooks", "operators", "tensor"}


KNOWN = {
    "checks/__init__.py": "names of tasks, for hints",
    "grading/settings.py": "names that an author forbids, to see that they are there",
    "grading/excerpt.py": "part of a text",
    "grading/inside/bars.py": "names that an author forbids",
    "grading/inside/zygote.py": "packages that an author allows",
    "grading/inside/standins.py": "modules that do nothing",
}


def test_imports_by_names_made_at_run_time_are_the_known_ones(decides):
    for path in decides:
        name = path.relative_to(TOP / "cgkit").as_posix()
        for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
            called = getattr(node, "func", None) if isinstance(node, ast.Call) else None
            words = {getattr(called, "attr", ""), getattr(called, "id", "")}
            assert not words & {"import_module", "__import__"} or name in KNOWN, name


def test_modules_have_files():
    assert file_of("cgkit.grading").name == "__init__.py"
    assert file_of("cgkit.nothing") is None
