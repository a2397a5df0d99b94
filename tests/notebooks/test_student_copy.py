"""What students get: all they need, and nothing that tells answers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cgkit.cells import hidden_lines, read
from cgkit.errors import NotebookError, UsageFault
from cgkit.notebooks.project import Project
from cgkit.notebooks.student_copy import copy_for_students, for_students, reached, sealed

ROOT = Path(__file__).resolve().parents[2]
PROJECT = Project(ROOT)
PICTURES = {".npz"}
"""What is no text: the images of digits."""
SHORT = 12
"""Lines up to this length, such as `return x`, stand anywhere."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Write a copy of this course."""
    folder = tmp_path_factory.mktemp("out") / "for students"
    copy_for_students(PROJECT, folder)
    return folder


def texts(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in PICTURES:
            yield path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")


def in_the_open(folder):
    """Give every line that a student can read, as it stands and as JSON writes it."""
    return {name: {line.strip() for line in text.splitlines()} for name, text in texts(folder)}


def python(folder, *lines):
    """Run lines in the copy, with its own cgkit."""
    return subprocess.run(
        [sys.executable, "-P", "-c", "\n".join(lines)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_only_what_is_for_students_goes(copy):
    names = {path.name for path in copy.iterdir()}
    assert {"start.py", "README.md", "course", "assignments", "cgkit", "requirements.lock"} <= names
    assert not names & {"solutions", "tests", "classes", ".git", "build", "CONTRIBUTING.md", ".ci"}
    inside = {path.name for path in (copy / "cgkit").iterdir()}
    assert "grading" not in inside
    assert {"checks", "render", "operators", "tensor", "score.py"} <= inside
    verbs = {path.stem for path in (copy / "cgkit" / "cli").glob("*.py")}
    assert not verbs & {"grade", "student_copy", "demo", "build", "test"}
    assert not list(copy.rglob("__pycache__"))
    assert not list(copy.parent.glob(".student-copy-*"))


def test_no_line_of_a_solution_or_of_a_hidden_test_stands_in_it(copy):
    lines = in_the_open(copy)
    framework = {name: found for name, found in lines.items() if name.startswith("cgkit/")}
    texts = [read(x.path, x.source) for x in PROJECT.texts if x.kind == "assignment"]
    shown = set()  # a line may be hidden in one cell and handed out in another
    for cell in (cell for cells in texts for cell in cells):
        shown |= {line.strip() for line in cell.text.splitlines()} - {*hidden_lines(cell)}
    for cells in texts:
        for cell in cells:
            hidden = [line for line in hidden_lines(cell) if len(line) >= SHORT]
            told = {line for line in hidden if line not in shown}
            for name, found in lines.items():
                if not name.startswith("cgkit/"):
                    assert not told & found, name
                as_json = (copy / name).read_text(encoding="utf-8")
                if name.endswith(".ipynb") and name.startswith("assignments/"):
                    assert not [line for line in told if line in as_json], name
            # a file of the framework may have a line in common by chance, and no answer; two
            # words, such as `while waiting:`, are nobody's answer
            for name, found in framework.items():
                common = {line for line in hidden if len(line.split()) > 2} & found
                assert len(common) <= 1, (cell.grade_id, name, common)


def test_an_answer_that_slipped_in_is_refused(tmp_path):
    shutil.copytree(ROOT / "tests" / "expected" / "tiny", tmp_path / "course")
    root = tmp_path / "course"
    (root / "README.md").write_text(_README)
    project = Project(root)
    from cgkit.notebooks.build import build

    shutil.copy(ROOT / "nbgrader_config.py", root)
    build(project, [])
    copy_for_students(project, tmp_path / "good")
    (text,) = (one for one in project.texts if one.kind == "assignment")
    hidden = max((line for cell in read(text.path) for line in hidden_lines(cell)), key=len)
    notebook = text.released.read_text().replace('"source": [', f'"source": [\n"{hidden}\\n",', 1)
    assert notebook != text.released.read_text()
    text.released.write_text(notebook)
    with pytest.raises(NotebookError, match=r"would give away an answer[\s\S]*holds the line"):
        copy_for_students(project, tmp_path / "bad")
    assert not (tmp_path / "bad").exists()


_README = (
    "# A\n\n## Begin\nb\n\n## If you are a student\ns\n\n## If you teach\nt\n\n## With conda\nc\n"
)
_README += "\n## License\nl\n"


def test_the_readme_is_cut_for_students():
    assert "teach" not in for_students(_README)
    assert "## With conda\nc" in for_students(_README)
    with pytest.raises(NotebookError, match="no part named License"):
        for_students(_README.replace("License", "Lizenz"))


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageFault, match="is not empty"):
        copy_for_students(PROJECT, tmp_path)
    with pytest.raises(UsageFault, match="among the assignments"):
        copy_for_students(PROJECT, PROJECT.assignments / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_sealed_file_does_the_same_and_shows_nothing():
    text = '"""Words."""\n\n\ndef secret_answer(a):\n    return a + 41\n'
    names = {"__name__": "sealed", "__file__": "sealed.py"}
    exec(sealed(text), names)
    assert names["secret_answer"](1) == 42
    assert "secret_answer" not in sealed(text)
    assert max(map(len, sealed(text).splitlines())) <= 100


def test_imports_in_functions_are_reached(tmp_path):
    for name, text in {
        "cgkit/__init__.py": "",
        "cgkit/a.py": "def f():\n    from cgkit.b import c\n",
        "cgkit/b/__init__.py": "",
        "cgkit/b/c.py": "import numpy",
        "cgkit/d.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {path.relative_to(tmp_path).as_posix() for path in reached(tmp_path, ["cgkit.a"])}
    assert found == {"cgkit/__init__.py", "cgkit/a.py", "cgkit/b/__init__.py", "cgkit/b/c.py"}


@pytest.mark.slow
def test_a_students_commands_work_in_it(copy):
    done = python(
        copy,
        "import cgkit, pathlib",
        "assert pathlib.Path(cgkit.__file__).is_relative_to(pathlib.Path.cwd()), cgkit.__file__",
        "from cgkit.cli import run",
        "assert run(['doctor']) == 0",
        "assert run(['hint', '01', 'backward']) == 0",
        "assert run(['check', 'assignments/00_start']) == 1",
        "assert run(['grade']) == 2",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "times_table is not written yet" in done.stdout
    assert "There is no verb 'grade'. Verbs: doctor, lab, check, hint, draw, run." in done.stderr


@pytest.mark.slow
def test_every_module_of_it_can_be_imported(copy):
    names = [
        ".".join(path.relative_to(copy).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted((copy / "cgkit").rglob("*.py"))
    ]
    done = python(copy, "import importlib", f"for name in {names!r}: importlib.import_module(name)")
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_student_can_train_a_network(copy, tmp_path):
    words = ["run", "digits", "--model", "mlp", "--epochs", "1"]
    words += ["--checkpoint", str(tmp_path / "run.npz")]
    done = python(copy, "import sys", "from cgkit.cli import run", f"sys.exit(run({words!r}))")
    assert done.returncode == 0, done.stderr
    assert "epoch 1 of 1" in done.stdout
    assert (tmp_path / "run.npz").is_file()
