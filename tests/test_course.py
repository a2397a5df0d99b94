"""The course itself: its texts keep the rules; what was built of them is current and right."""

from pathlib import Path

import pytest

from cgkit.cells import read
from cgkit.notebooks.build import is_current, release_is_current
from cgkit.notebooks.outputs import LARGEST
from cgkit.notebooks.project import Project
from cgkit.notebooks.verify import verify

PROJECT = Project(Path(__file__).resolve().parent.parent)
TEXTS = {text.source: text for text in PROJECT.texts}
CHAPTERS = [source for source, text in TEXTS.items() if text.kind == "chapter"]
ASSIGNMENTS = [source for source, text in TEXTS.items() if text.kind == "assignment"]
POINTS = {
    # automatic, by hand
    "solutions/00_start.py": (100, 0),
    # two notebooks of one assignment
    "solutions/02a_dynamic.py": (55, 0),
    "solutions/02b_static.py": (35, 10),
}


def test_there_is_a_course():
    assert {"course/01_graphs.py", "solutions/00_start.py", "solutions/01_graphs.py"} <= set(TEXTS)


@pytest.mark.parametrize("source", TEXTS)
def test_what_was_built_is_current_and_small(source):
    text = TEXTS[source]
    assert is_current(text), f"run: cgkit build {source}"
    assert text.built.stat().st_size <= LARGEST
    if text.released is not None:
        assert release_is_current(text), f"run: cgkit build {source}"
        assert text.released.stat().st_size <= LARGEST


@pytest.mark.parametrize("source", CHAPTERS)
def test_a_chapter_has_more_words_than_code(source):
    kinds = [cell.kind for cell in read(TEXTS[source].path)]
    assert kinds.count("markdown") > kinds.count("code")
    assert kinds[0] == "markdown"


@pytest.mark.parametrize("source", ASSIGNMENTS)
def test_an_assignment_is_worth_a_hundred_points(source):
    cells = read(TEXTS[source].path)
    points = tuple(
        sum(cell.points for cell in cells if cell.role == role) for role in ("test", "manual")
    )
    assert points == POINTS.get(source, (90, 10))


@pytest.mark.parametrize("source", ASSIGNMENTS)
def test_an_assignment_has_a_sample_class(source):
    assert (PROJECT.classroom / TEXTS[source].name / "class.toml").is_file()


@pytest.mark.chapters
@pytest.mark.parametrize("source", TEXTS)
def test_what_was_built_is_what_a_new_run_gives(source):
    findings = verify(PROJECT, [source])
    assert findings
    assert [finding for finding in findings if finding.fault] == []
