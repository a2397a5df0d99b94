"""What is out of date, wrong, or gives an answer away is named, with what to run."""

import json
import shutil

import pytest

from cgkit.notebooks import release
from cgkit.notebooks import verify as verification
from cgkit.notebooks.build import build
from cgkit.notebooks.compose import fingerprint_of
from cgkit.notebooks.project import Project
from cgkit.notebooks.tasks import Report
from cgkit.notebooks.verify import verify

CHAPTER = "course/01_sums.ipynb"
SOLUTION = "solutions/01_sums/01_sums.ipynb"
RELEASE = "assignments/01_sums/01_sums.ipynb"


@pytest.fixture
def project(tiny_course):
    return Project(tiny_course)


def faults(project, *names):
    return {finding.name: finding.fault for finding in verify(project, names) if finding.fault}


def change(project, place, old, new):
    path = project.root / place
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_chapter_is_current_until_its_text_or_its_outputs_change(project):
    assert faults(project, "course") == {
        CHAPTER: "not built yet; run: cgkit build course/01_sums.py"
    }
    build(project, ["course"])
    assert faults(project, "course") == {}
    change(project, CHAPTER, '"2"', '"3"')
    assert faults(project, "course") == {
        CHAPTER: "stored outputs differ from those of a new run"
        " (course/01_sums.py, cell at line 4); run: cgkit build --force course/01_sums.py"
    }
    change(project, "course/01_sums.py", "# # Sums", "# # Sums of numbers")
    assert faults(project, "course") == {
        CHAPTER: "older than course/01_sums.py; run: cgkit build course/01_sums.py"
    }


def test_a_check_that_would_judge_unfairly_is_named(project, monkeypatch):
    change(
        project, "solutions/01_sums.py", "int(add(1, 1) == 2) + int(add(2, 3) == 5)", "add(1, 1)"
    )
    build(project, ["solutions"])
    monkeypatch.setattr(verification, "report", lambda notebook: Report((), ()))
    monkeypatch.setattr(verification, "run", lambda *_: None)
    monkeypatch.setattr(verification, "grade_answers", lambda *_: None)
    monkeypatch.setattr(verification, "_release_faults", lambda *_: ())
    (fault,) = faults(project, "solutions").values()
    assert fault.startswith("solutions/01_sums.py, cell at line ")
    assert "line 2 of test_more: it ends with what add gives" in fault


def test_a_broken_text_is_a_finding_and_not_the_end(project):
    (project.root / "course" / "02_more.py").write_text("# %% frob\n1\n")
    (project.root / "course" / "02_more.ipynb").write_text("{}")
    found = faults(project, "course")
    assert list(found) == [CHAPTER, "course/02_more.ipynb"]
    assert "02_more.py, line 1: unknown word 'frob'" in found["course/02_more.ipynb"]


@pytest.fixture
def built(project, monkeypatch):
    """Build the assignment with what stands in for nbgrader, which takes seconds."""

    def generate(folder):
        shutil.copytree(folder / "source", folder / "release")
        for path in (folder / "release").rglob("*.ipynb"):
            data = json.loads(path.read_text())
            for cell in data["cells"]:
                cell["source"] = list(_cleared(cell))
            path.write_text(json.dumps(data))

    monkeypatch.setattr(release, "_generate", generate)
    build(project, ["solutions"])
    return project


def _cleared(cell):
    inside = False
    for line in cell["source"]:
        if "### BEGIN" in line:
            inside = True
            if "SOLUTION" in line:
                yield "    raise NotImplementedError()\n"
        elif "### END" in line:
            inside = False
        elif not inside:
            yield line


@pytest.fixture
def idle(monkeypatch):
    """Run nothing: what tests without it look at is what a run would find."""
    monkeypatch.setattr("cgkit.notebooks.verify.run", lambda notebook, *more: notebook)
    monkeypatch.setattr("cgkit.notebooks.verify.report", lambda notebook: Report((), ()))
    monkeypatch.setattr("cgkit.notebooks.verify.grade_answers", lambda *_: None)


def test_a_good_assignment_has_no_faults(built):
    assert faults(built, "solutions") == {}
    names = [finding.name for finding in verify(built, ["solutions"])]
    assert names == [SOLUTION, RELEASE]


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(
    ("place", "fault"),
    [
        (SOLUTION, "not what its text gives; was it edited"),
        (RELEASE, "01_sums.ipynb is not what its solution gives"),
    ],
)
def test_an_edited_notebook_is_seen(built, place, fault):
    change(built, place, "import math", "import cmath")
    found = faults(built, "solutions")
    assert fault in found[place]
    assert "run: cgkit build --force solutions/01_sums.py" in found[place]


@pytest.mark.usefixtures("idle")
def test_extra_and_missing_files_of_a_release_are_seen(built):
    (built.root / RELEASE).with_name("notes.txt").write_text("x")
    assert "notes.txt does not belong there" in faults(built, "solutions")[RELEASE]
    (built.root / SOLUTION).with_name("data.csv").write_text("1")
    found = [finding.fault for finding in verify(built, ["solutions"])]
    assert any("data.csv is missing" in fault for fault in found)


@pytest.mark.usefixtures("idle")
def test_a_release_older_than_its_text_is_seen(built):
    change(built, "solutions/01_sums.py", "# # Add", "# # Sum")
    assert faults(built, "solutions") == {
        SOLUTION: "older than solutions/01_sums.py; run: cgkit build solutions/01_sums.py"
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "name", "fault"),
    [
        ("return math.fsum([a, b])", "return a - b", SOLUTION, "gives 0 of 3 points to the right"),
        (
            "assert add(2, 2) == 4\n",
            "import types\nassert add(2, 2) == 4 and type(add) is types.FunctionType\n",
            SOLUTION,
            "would be graded unfairly: not even its own answers pass",
        ),
        (
            "int(add(1, 1) == 2) + int(add(2, 3) == 5)",
            "int(1)",
            SOLUTION,
            "gives 1 of 2 points to the right answer",
        ),
        ("import math", "import math\n1 / 0", SOLUTION, "ZeroDivisionError"),
        (
            "assert add(2, 2) == 4\nint(add(1, 1) == 2) + int(add(2, 3) == 5)",
            "2",
            RELEASE,
            "gives 2 points for nothing",
        ),
        ("assert add(2, 2) == 4", "assert adds(2, 2) == 4", RELEASE, "fails with NameError"),
    ],
)
def test_a_check_that_is_too_strict_or_too_mild_is_seen(built, old, new, name, fault):
    change(built, "solutions/01_sums.py", old, new)
    build(built, ["solutions"])
    assert any(
        finding.name == name and fault in finding.fault for finding in verify(built, ["solutions"])
    )


@pytest.mark.usefixtures("idle")
def test_an_answer_in_what_students_receive_is_seen(built):
    change(built, RELEASE, "import math", "return math.fsum([a, b])")
    (built.root / "course" / "notes.py").write_text("nothing here\n")
    found = [finding.fault for finding in verify(built, ["solutions"])]
    assert (
        f"{RELEASE} holds a hidden line of solutions/01_sums.py: return math.fsum([a, b])" in found
    )


@pytest.mark.slow
def test_what_nbgrader_makes_has_no_faults(project):
    build(project)
    before = fingerprint_of(project.root / RELEASE)
    assert faults(project) == {}
    assert fingerprint_of(project.root / RELEASE) == before
