"""Building: only what changed, nothing by half, every refusal with its line."""

import json

import pytest

from cgkit.errors import NotebookError
from cgkit.notebooks.build import build, is_current, make, release_is_current
from cgkit.notebooks.compose import load
from cgkit.notebooks.project import Project

CHAPTER = "course/01_sums.py"
MADE = ["course/01_sums.ipynb"]


@pytest.fixture
def project(tiny_course):
    return Project(tiny_course)


def put(project, text, place=CHAPTER):
    (project.root / place).write_text(text, encoding="utf-8")


def test_a_chapter_is_built_once_with_its_outputs(project):
    told = []
    assert build(project, ["course"], tell=told.append) == MADE
    assert told == [CHAPTER, f"{CHAPTER}: cell 1 of 1"]
    notebook = load(project.root / MADE[0])
    assert notebook.cells[1].outputs[0].data["text/plain"] == "2"
    assert build(project, ["course"]) == []
    assert build(project, ["course"], force=True) == MADE
    # nothing but the notebook is left behind
    names = {path.name for path in (project.root / "course").iterdir()}
    assert names == {"01_sums.py", "01_sums.ipynb"}


def test_a_touched_text_is_built_again_and_an_edited_comment_too(project):
    (text,) = project.select(["course"])
    assert not is_current(text)
    build(project, ["course"])
    text.path.touch()
    assert is_current(text)
    put(project, "# A comment.\n" + text.path.read_text())
    assert not is_current(text)
    assert build(project, ["course"]) == MADE


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("1 / 0", "course/01_sums.py, cell at line 4: ZeroDivisionError: division by zero"),
        ("print('3 ms')", "cell at line 4: it shows a time, '3 ms'"),
        ("import os; print(os.getcwd())", "cell at line 4: it names a folder of this machine"),
        ("object()", "cell at line 4: it shows an object's address"),
        ("import sys; print(1, file=sys.stderr)", "cell at line 4: it writes to stderr: 1"),
        ("print('x' * 2_100_000)", "gives 2.1 MB, more than 2 MB"),
    ],
)
def test_a_chapter_that_cannot_be_stored_is_refused_and_the_old_one_stays(project, cell, words):
    place = project.root / MADE[0]
    place.write_text("old")
    put(project, f"# %% [markdown]\n# # Sums\n\n# %%\n{cell}\n")
    with pytest.raises(NotebookError) as caught:
        build(project, ["course"])
    assert words in str(caught.value)
    assert place.read_text() == "old"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("# %% solution id=a\n1\n", CHAPTER, "course/01_sums.py, line 1: a solution cell marks"),
        ("# %% readonly\n1\n", CHAPTER, "cell at line 1: readonly belongs into solutions/"),
        ("# %% volatile\n1\n", "solutions/01_sums.py", "volatile belongs into course/"),
        (
            "# %% readonly id=a\n# grading: forbit heapq\n1\n",
            "solutions/01_sums.py",
            "solutions/01_sums.py: cell a, line 1: '# grading: forbit heapq' is not understood",
        ),
    ],
)
def test_a_text_that_cannot_be_read_is_refused(project, text, place, words):
    put(project, text, place)
    (wrong,) = project.select([place])
    with pytest.raises(NotebookError) as caught:
        make(project, wrong)
    assert words in str(caught.value)


def test_a_text_that_is_not_utf8_is_refused(project):
    (project.root / CHAPTER).write_bytes(b"# %%\n'\xe9'\n")
    with pytest.raises(NotebookError, match=r"01_sums\.py, line 2: not UTF-8"):
        build(project, ["course"])


@pytest.mark.slow
def test_an_assignment_is_released_without_its_answers(project):
    made = ["solutions/01_sums/01_sums.ipynb", "assignments/01_sums/01_sums.ipynb"]
    (text,) = project.select(["solutions"])
    extra = text.built.parent / "data.csv"
    extra.parent.mkdir()
    extra.write_text("1,2\n")
    assert build(project, ["solutions"]) == made
    assert build(project, ["solutions"]) == []
    released = json.loads(text.released.read_text())
    words = json.dumps(released)
    assert "raise NotImplementedError()" in words
    assert "YOUR ANSWER HERE" in words
    for secret in ("fsum", "hidden", "BEGIN", "do not care about order"):
        assert secret not in words
    assert (text.released.parent / "data.csv").read_text() == "1,2\n"
    assert not list(project.build.iterdir())
    # a file that goes to students belongs to the release as much as the notebook
    extra.write_text("3,4\n")
    assert not release_is_current(text)
    assert build(project, ["solutions"]) == made[1:]
    assert release_is_current(text)
