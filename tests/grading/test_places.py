"""Where a class lies is read from nbgrader's own file, and its secret is made once."""

import stat

import pytest

from cgkit.errors import EnvironmentFault
from cgkit.grading.places import Places, read_places, safe_id


def test_the_file_of_the_course_is_understood(tiny_course, monkeypatch):
    monkeypatch.delenv("CGKIT_CLASS", raising=False)
    places = read_places(tiny_course)
    assert places.solutions == tiny_course / "solutions"
    assert places.handed_in("ada", "01") == tiny_course / "classes" / "submitted" / "ada" / "01"
    assert places.marked("ada", "01").name == "01.ipynb"
    assert places.gradebook == f"sqlite:///{tiny_course / 'classes' / 'gradebook.db'}"
    assert places.course == "cgkit"
    assert places.grades == tiny_course / "classes" / "grades.csv"


def test_a_class_elsewhere_is_found(tiny_course, monkeypatch):
    monkeypatch.setenv("CGKIT_CLASS", "build/other")
    assert read_places(tiny_course).home == tiny_course / "build" / "other"


def test_a_gradebook_on_a_server_is_found(tiny_course):
    with (tiny_course / "nbgrader_config.py").open("a") as file:
        file.write('\nc.CourseDirectory.db_url = "postgresql://host/marks"\n')
    assert read_places(tiny_course).gradebook == "postgresql://host/marks"


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path):
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        read_places(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text("1 / 0\n")
    with pytest.raises(EnvironmentFault, match="ZeroDivisionError"):
        read_places(tmp_path)


@pytest.fixture
def places(tmp_path):
    """The places of an empty class."""
    folders = {name: tmp_path / name for name in ("solutions", "submitted", "autograded")}
    return Places(root=tmp_path, gradebook="sqlite://", **folders)


def test_students_are_those_with_a_folder_for_it_even_an_odd_one(places):
    assert places.students("01") == ()
    for name in ("zoe", "ada", ".git"):
        (places.submitted / name / "01").mkdir(parents=True)
    (places.submitted / "bob" / "02").mkdir(parents=True)
    (places.submitted / "eve").mkdir()
    (places.submitted / "eve" / "01").symlink_to("nowhere")
    (places.submitted / "notes.txt").write_text("")
    assert places.students("01") == ("ada", "eve", "zoe")


def test_assignments_are_folders_with_notebooks(places):
    for name in ("01/01", "01/data", "02/02a", "02/02b", "03/03"):
        path = places.solutions / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    (places.solutions / "04").mkdir()
    assert places.assignments() == ("01", "02", "03")
    # the one that is called like the assignment is the assignment
    assert places.notebooks("01") == ("01",)
    assert places.notebooks("02") == ("02a", "02b")
    assert places.notebooks("04") == ()
    assert places.source("02", "02a").name == "02a.ipynb"
    assert places.marked("ada", "02", "02a").relative_to(places.autograded).as_posix() == (
        "ada/02/02a.ipynb"
    )


def test_the_secret_is_made_once_and_is_for_its_owner_only(places):
    secret = places.secret()
    assert len(secret) == 64
    assert places.secret() == secret
    mode = (places.kept / "secret").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    assert [path.name for path in places.kept.iterdir()] == ["secret"]


@pytest.mark.parametrize(
    "name", ["ada", "李雷 b", "o'neil, a", "zoë", "a+b", "ok ", "🙂", "-dash", "a[1]"]
)
def test_a_name_that_nbgrader_takes_stays(name):
    assert safe_id(name) == name


ODD = ["a\udce9", "a\udcff", "new\nline", "\x1b[31mred", "tab\t", "\udcff" * 200]


def test_names_that_nothing_can_take_are_made_safe_and_stay_apart(tiny_course):
    """A folder with a line break stopped the feedback of a whole class, and two became one."""
    safe = [safe_id(name) for name in ODD]
    assert len({*safe}) == len(ODD)
    assert all(one.isprintable() and len(one) < 120 for one in safe)
    places = read_places(tiny_course)
    assert places.marked(ODD[0], "01").parent.parent.name == safe[0]
