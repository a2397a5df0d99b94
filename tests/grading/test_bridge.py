"""nbgrader's own commands and its button grade by the engine, whatever was handed in."""

import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from classwork import assignment_cells, cell, notebook, written

ROOT = Path(__file__).resolve().parents[2]
LOUD = (
    "import socket\nprint('5 of 5 points')\ndef mean(values):\n    return sum(values) / len(values)"
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("situation")]


class Course:
    """A course in a folder, with nbgrader's own command line."""

    def __init__(self, root):
        self.root = root
        self.home = root / "classes"
        shutil.copy(ROOT / "nbgrader_config.py", root)
        source = root / "solutions" / "small" / "small.ipynb"
        source.parent.mkdir(parents=True)
        cells = [*assignment_cells(), cell("words", "Say it.", "manual", 2, "markdown")]
        source.write_text(json.dumps(notebook(cells)))
        (source.parent / "data.csv").write_text("1,2\n")

    def run(self, *words):
        environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(self.root / "none")}
        environment.pop("CGKIT_CLASS", None)
        return subprocess.run(
            [sys.executable, "-W", "ignore", *words],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def nbgrader(self, *words):
        return self.run("-m", "nbgrader", *words)

    def hand_in(self, student, made, name="small.ipynb"):
        folder = self.home / "submitted" / student / "small"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_bytes(made if isinstance(made, bytes) else json.dumps(made).encode())
        return path

    def marks(self):
        query = """
            select s.student_id, c.name, g.auto_score, g.needs_manual_grade from grade g
            join base_cell c on c.id = g.cell_id join submitted_notebook n on n.id = g.notebook_id
            join submitted_assignment s on s.id = n.assignment_id
        """
        connection = sqlite3.connect(self.home / "gradebook.db")
        found = {}
        for student, name, score, _ in connection.execute(query):
            found.setdefault(student, {})[name] = score
        connection.close()
        return found

    def marked(self, student):
        path = self.home / "autograded" / student / "small"
        return {one.relative_to(path).as_posix() for one in path.rglob("*")}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class with every kind of file, graded by `nbgrader autograde`."""
    made = Course(tmp_path_factory.mktemp("a course"))
    made.hand_in("ada", written({"mean": LOUD}))
    made.hand_in("bob", written(), "图 (1).ipynb")
    made.hand_in("cleo", b"{ broken")
    made.hand_in("dan", b"")
    os.truncate(made.hand_in("eve", b""), 200_000_000)
    made.hand_in("fay", written({"mean": "def mean(values):\n    while True: pass"}))
    made.hand_in("gil", written())
    (made.home / "submitted" / "gil" / "small" / "passwords").symlink_to("/etc/passwd")
    (made.home / "submitted" / "gil" / "small" / "timestamp.txt").symlink_to("/etc/passwd")
    made.hand_in("gil", b"beside", "cgkit.py")
    (made.home / "submitted" / "hana" / "small").mkdir(parents=True)
    os.mkfifo(made.home / "submitted" / "hana" / "small" / "pipe")
    made.hand_in("iris [2]", written())
    made.done = made.nbgrader("autograde", "small")
    return made


def test_nobodys_file_stops_the_class(course):
    assert course.done.returncode == 0, course.done.stderr[-3000:]
    totals = {name: sum(filter(None, marks.values())) for name, marks in course.marks().items()}
    assert totals == {
        "ada": 10, "bob": 10, "cleo": 0, "dan": 0, "eve": 0, "fay": 6, "gil": 10, "hana": 0,
        "iris [2]": 10,
    }  # fmt: skip
    assert "handed in as '图 (1).ipynb'" in course.done.stderr
    assert "uses the network" in course.done.stderr
    assert "Traceback" not in course.done.stderr


def test_nothing_beside_a_notebook_is_copied_and_no_link_followed(course):
    assert course.marked("gil") == {"small.ipynb"}
    assert course.marked("hana") == {"small.ipynb"}
    assert course.marked("iris [2]") == {"small.ipynb"}


def test_the_engine_of_cgkit_grade_finds_nothing_to_change(course):
    before = (course.home / "autograded" / "ada" / "small" / "small.ipynb").read_bytes()
    program = "from cgkit.cli import run; raise SystemExit(run(['grade', 'small', '--json']))"
    done = course.run("-c", program)
    items = json.loads(done.stdout)["items"]
    assert [item["name"] for item in items if item["changed"]] == []
    assert len(items) == 9
    assert (course.home / "autograded" / "ada" / "small" / "small.ipynb").read_bytes() == before


def test_the_button_grades_one_student_anew(course):
    course.hand_in("ada", written({"mean": "def mean(values):\n    return 2"}))
    program = (
        "from nbgrader.apps import NbGraderAPI\n"
        "from nbgrader.apps.baseapp import NbGrader\n"
        "app = NbGrader(); app.load_config_file()\n"
        "api = NbGraderAPI(config=app.config)\n"
        "for student in ('ada', 'hana'):\n"
        "    print(api.autograde('small', student))\n"
    )
    done = course.run("-c", program)
    assert "'success': True" in done.stdout.splitlines()[0], done.stdout
    assert "was test_mean: 4, now 0" in done.stdout
    assert course.marks()["ada"]["test_mean"] == 0
    # a folder without a notebook is no error: that student, too, has a row and a note
    assert "'success': True" in done.stdout.splitlines()[1], done.stdout
    assert "hana: note: " in done.stdout.splitlines()[1]
    course.hand_in("ada", written({"mean": LOUD}))
    assert course.nbgrader("autograde", "small", "--student", "ada", "--force").returncode == 0
    assert course.marks()["ada"]["test_mean"] == 4


def test_feedback_shows_points_and_no_hidden_test(course):
    done = course.nbgrader("generate_feedback", "small")
    assert done.returncode == 0, done.stderr[-2000:]
    pages = {
        path.parent.parent.name: path.read_text(encoding="utf-8")
        for path in (course.home / "feedback").rglob("*.html")
    }
    assert set(pages) == set(course.marks())
    for student, page in pages.items():
        secrets = ["secret_values", "HIDDEN TESTS"]
        if student in ("cleo", "dan", "eve", "hana"):  # the others wrote these words themselves
            secrets.append("model answer")
        for secret in secrets:
            assert secret not in page.replace("<span", "").replace("</span>", ""), secret
        assert "For the teacher" not in page
        assert "uses the network" not in page
    assert "✓ 4 of 4 points" in pages["ada"]
    assert "│ 5 of 5 points" in pages["ada"]
    assert "handed in as" in pages["bob"]
    assert "what a teacher" not in pages["ada"]


def test_the_table_is_quoted_and_runs_nothing(course):
    connection = sqlite3.connect(course.home / "gradebook.db")
    connection.execute("update student set last_name = '=1+1, or so' where id = 'ada'")
    connection.commit()
    connection.close()
    done = course.nbgrader("export", "--to", "out.csv")
    assert done.returncode == 0, done.stderr[-2000:]
    with (course.root / "out.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert rows["ada"]["last_name"] == "'=1+1, or so"
    assert rows["bob"]["score"] == "10.0"


def test_formgraders_page_shows_both_sides_to_a_teacher(course):
    page = (course.home / "autograded" / "ada" / "small" / "small.ipynb").read_text()
    assert "secret_values" in page
    assert "uses the network" in page


def test_without_a_sandbox_it_refuses_unless_asked_in_so_many_words(course):
    environment = (
        "import cgkit.grading.sandbox as s\n"
        "s.shutil.which = lambda name: None\n"
        "s.bundled = lambda: None\n"
        "import sys\n"
        "from nbgrader.apps.nbgraderapp import NbGraderApp\n"
        "sys.argv = ['nbgrader', 'autograde', 'small', '--student', 'bob', '--force', *{more}]\n"
        "NbGraderApp.launch_instance()\n"
    )
    refused = course.run("-c", environment.replace("{more}", "[]"))
    assert refused.returncode == 1
    assert "no sandbox on this machine" in refused.stderr
    assert "c.GradingExporter.unsandboxed = True" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert course.marks()["bob"]["test_mean"] == 4
    asked = course.run(
        "-c", environment.replace("{more}", "['--GradingExporter.unsandboxed=True']")
    )
    assert asked.returncode == 0, asked.stderr[-2000:]
    page = (course.home / "autograded" / "bob" / "small" / "small.ipynb").read_text()
    assert "UNSANDBOXED" in page
    assert course.marks()["bob"]["test_mean"] == 4


def test_newer_work_is_graded_again_and_feedback_finds_its_way_back(course):
    folder = course.hand_in("kim", written({"mean": "def mean(values):\n    return 2"})).parent
    (folder / "submission_secret.txt").write_text("0af3")
    for second, score in ((1, 0), (2, 4)):
        (folder / "timestamp.txt").write_text(f"2030-02-01 12:30:0{second}.000000 UTC")
        done = course.nbgrader("autograde", "small", "--student", "kim")
        assert done.returncode == 0, done.stderr[-2000:]
        assert course.marks()["kim"]["test_mean"] == score
        course.hand_in("kim", written())
    for verb in ("generate_feedback", "release_feedback"):
        done = course.nbgrader(verb, "small", "--student", "kim")
        assert done.returncode == 0, done.stderr[-2000:]
    assert len(list((course.home / "exchange" / "cgkit" / "feedback").glob("*.html"))) == 1


def test_an_assignment_that_is_not_there_is_a_sentence(course):
    (course.home / "submitted" / "ada" / "big").mkdir()
    (course.home / "submitted" / "ada" / "big" / "big.ipynb").write_text("{}")
    done = course.nbgrader("autograde", "big")
    assert done.returncode == 1
    assert "there is no assignment 'big'" in done.stderr
    shutil.rmtree(course.home / "submitted" / "ada" / "big")
