"""Where the files of a course lie, and how they are named."""

import pytest

from cgkit.errors import EnvironmentFault, UsageFault
from cgkit.notebooks.project import Project, find_project


@pytest.fixture
def project(tmp_path):
    for name in ("course/01_a.py", "course/02_b.py", "course/helper.py", "solutions/01_a.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("# %%\n1\n")
    (tmp_path / "nbgrader_config.py").touch()
    return Project(tmp_path)


def test_texts_have_numbers_and_places(project):
    assert [text.source for text in project.texts] == [
        "course/01_a.py",
        "course/02_b.py",
        "solutions/01_a.py",
    ]
    chapter, _, assignment = project.texts
    assert (chapter.kind, chapter.released) == ("chapter", None)
    assert chapter.built == project.root / "course" / "01_a.ipynb"
    assert assignment.kind == "assignment"
    assert assignment.built == project.root / "solutions" / "01_a" / "01_a.ipynb"
    assert assignment.released == project.root / "assignments" / "01_a" / "01_a.ipynb"


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ([], ["course/01_a.py", "course/02_b.py", "solutions/01_a.py"]),
        (["01_a"], ["course/01_a.py", "solutions/01_a.py"]),
        (["course"], ["course/01_a.py", "course/02_b.py"]),
        (["./course/01_a.py"], ["course/01_a.py"]),
        (["course/01_a.ipynb"], ["course/01_a.py"]),
        (["assignments/01_a/01_a.ipynb"], ["solutions/01_a.py"]),
        (["solutions/01_a/"], ["solutions/01_a.py"]),
        (["02_b", "01_a"], ["course/01_a.py", "course/02_b.py", "solutions/01_a.py"]),
    ],
)
def test_texts_are_chosen_by_name_or_path(project, names, found):
    assert [text.source for text in project.select(names)] == found


def test_a_path_from_elsewhere_is_known_too(project, monkeypatch):
    monkeypatch.chdir(project.root / "course")
    assert [text.source for text in project.select(["02_b.py"])] == ["course/02_b.py"]


def test_an_unknown_name_is_refused_with_the_known_ones(project):
    with pytest.raises(UsageFault, match=r"no text '03_c'\n.*course/02_b\.py"):
        project.select(["01_a", "03_c"])


def test_a_course_is_found_from_below(project):
    assert find_project(project.root / "course").root == project.root


def test_elsewhere_the_course_of_cgkit_itself_is_found(tmp_path, monkeypatch):
    assert (find_project(tmp_path).root / "cgkit" / "cells.py").is_file()
    monkeypatch.setattr("cgkit.notebooks.project.MARKER", "no such file")
    with pytest.raises(EnvironmentFault, match="no course in"):
        find_project(tmp_path)


def test_names_are_relative_to_the_root(project, tmp_path_factory):
    assert project.relative(project.build / "demo") == "build/demo"
    outside = tmp_path_factory.mktemp("outside")
    assert project.relative(outside) == str(outside)


def several(project, *names):
    for name in names:
        (project.root / name).write_text("# %%\n1\n")
    return Project(project.root)


def test_an_assignment_of_several_texts_is_called_like_its_chapter(project):
    made = several(project, "solutions/02a_one.py", "solutions/02b_two.py")
    assert list(made.lessons) == ["01_a", "02_b"]
    one, two = made.lessons["02_b"]
    assert (one.name, two.name, two.assignment) == ("02a_one", "02b_two", "02_b")
    assert one.built == made.root / "solutions" / "02_b" / "02a_one.ipynb"
    assert two.released == made.root / "assignments" / "02_b" / "02b_two.ipynb"
    chosen = [text.source for text in made.select(["02_b"])]
    assert chosen == ["course/02_b.py", "solutions/02a_one.py", "solutions/02b_two.py"]
    assert [text.source for text in made.select(["02b_two"])] == ["solutions/02b_two.py"]
    assert [text.source for text in made.select(["assignments/02_b/02a_one.ipynb"])] == [
        "solutions/02a_one.py"
    ]


def test_without_a_chapter_it_is_called_like_its_parts(project):
    made = several(project, "solutions/07a_one.py", "solutions/07b_two.py")
    assert {text.assignment for text in made.select(["solutions"])} == {"01_a", "07_one_two"}


def test_a_chapter_is_its_own_name(project):
    assert project.texts[0].assignment == "01_a"
