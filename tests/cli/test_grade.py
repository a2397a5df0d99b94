"""`cgkit grade`: the table, the report for programs, and a sentence for whatever is missing."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cgkit.bench.machine import usable
from cgkit.cli import grade as verb
from cgkit.cli import run
from cgkit.cli.grade import Teller, lasting
from cgkit.cli.report import Progress
from cgkit.errors import EnvironmentFault
from cgkit.grading.batch import Graded
from cgkit.grading.gradebook import Change, Recorded
from cgkit.grading.result import CellResult, Flag, Result
from cgkit.grading.sandbox import Situation
from cgkit.notebooks.build import build
from cgkit.notebooks.project import Project

ROOT = Path(__file__).resolve().parents[2]


def graded(student, points=3.0, *, new=True, known=False, changes=(), waiting=(), **more):
    result = Result(student, (CellResult("test_add", "test", points, 5.0),), **more)
    recorded = Recorded(new, changes, 0, points, 5.0)
    return Graded(student, "01_sums", result, recorded, known, new, waiting)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The tiny course with its assignment built, which takes seconds."""
    root = tmp_path_factory.mktemp("built") / "tiny course"
    shutil.copytree(ROOT / "tests" / "expected" / "tiny", root)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    build(Project(root), ["solutions"])
    return root


@pytest.fixture
def working_copy(built, tmp_path, monkeypatch):
    """A copy of it to work in."""
    root = tmp_path / "tiny course"
    shutil.copytree(built, root)
    monkeypatch.chdir(root)
    monkeypatch.delenv("CGKIT_CLASS", raising=False)
    return root


@pytest.fixture
def course(working_copy, monkeypatch):
    """The same, with a sandbox that is not asked for."""
    monkeypatch.setattr(verb, "find", lambda which=None: Situation(which or "system"))
    return working_copy


@pytest.fixture
def class_of(course, monkeypatch):
    """Let a class have been graded like this."""
    asked = []

    def install(*done):
        def fake(lesson, *, tell, **words):
            asked.append((lesson.name, words))
            for count, one in enumerate(done):
                if isinstance(one, BaseException):
                    raise one
                tell(one, count + 1, len(done))
            return list(done)

        monkeypatch.setattr(verb, "grade_class", fake)
        (course / "classes" / "submitted" / "ada" / "01_sums").mkdir(parents=True, exist_ok=True)
        return asked

    return install


def test_nothing_that_students_named_reaches_the_terminal_raw(class_of, capsys):
    class_of(graded("\x1b[31mred\n", notes=("note \x1b[2J",), failed="\x1b]0;x\x07"))
    run(["grade", "01_sums"])
    assert not {"\x1b", "\x07"} & {*capsys.readouterr().out}


def test_of_many_cells_that_wait_some_are_named(class_of, capsys):
    names = tuple("abcdefghij")
    class_of(graded("ada", waiting=names), graded("bob", waiting=names[:7]))
    run(["grade", "01_sums"])
    shown = capsys.readouterr().out
    assert "waits for a person: a, b, c, d, e, f, and 4 more" in shown
    assert "waits for a person: a, b, c, d, e, f, g\n" in shown


def test_a_table_shows_points_notes_and_flags(class_of, capsys):
    flag = Flag("uses the network", "line 1: import socket", "add")
    asked = class_of(
        graded("ada", 5.0, waiting=("why",)),
        graded("bob", 2.5, notes=("renamed",), flags=(flag,)),
        graded("cleo", 1.0, new=False, changes=(Change("test_add", 2.0, 1.0),)),
    )
    assert run(["grade"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "01_sums  points",
        "✓ ada    5 of 5   waits for a person: why",
        "· bob    2.5 of 5",
        "    note: renamed",
        "    look: add: uses the network (line 1: import socket)",
        "✓ cleo   1 of 5",
        "    was test_add: 2, now 1",
        "",
        "3 submissions: 3 graded, 0 known already",
        "1 has something for you to judge; a flag is no verdict",
        "grades    classes/grades.csv",
        "notebooks classes/autograded",
    ]
    assert asked[0][1] == {"students": (), "workers": usable(), "again": False}


def test_nothing_new_is_said_to_be_nothing_new(class_of, capsys):
    class_of(graded("ada", new=False, known=True))
    assert run(["grade", "01_sums"]) == 0
    assert "nothing has changed: 1 submission marked as before" in capsys.readouterr().out


def test_words_reach_the_engine(class_of):
    asked = class_of(graded("ada"))
    words = ["--student", "ada", "--student", "bob", "--workers", "3", "--again"]
    assert run(["grade", "solutions/01_sums/", *words]) == 0
    assert asked == [
        ("01_sums", {"students": ("ada", "bob"), "workers": 3, "again": True}),
    ]


def test_a_submission_that_could_not_be_graded_fails_the_run(class_of, capsys):
    class_of(graded("ada", failed="the judge was lost"))
    assert run(["grade"]) == 1
    out = capsys.readouterr().out
    assert "✗ ada" in out
    assert "    not graded: the judge was lost" in out
    assert "1 could not be graded" in out


def test_a_report_for_programs(class_of, capsys):
    flag = Flag("uses the network", "import socket", "add")
    changes = (Change("test_add", 2.0, 2.5),)
    more = {"notes": ("renamed",), "flags": (flag,), "label": "UNSANDBOXED"}
    class_of(graded("ada", 2.5, changes=changes, **more))
    assert run(["grade", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["schema"], report["command"], report["ok"]) == (1, "grade", True)
    (item,) = report["items"]
    assert (item["name"], item["status"], item["points"]) == ("01_sums/ada", "note", 2.5)
    assert item["detail"].startswith("2.5 of 5 points\nwas test_add: 2, now 2.5\nnote: renamed")
    assert item["changes"] == [{"cell": "test_add", "old": 2.0, "new": 2.5}]
    assert item["out_of"] == 5
    assert item["label"] == "UNSANDBOXED"
    assert item["flags"] == ["add: uses the network: import socket"]


def test_stopped_by_the_keyboard_it_says_what_stands(class_of, capsys):
    class_of(graded("ada"), graded("bob"), KeyboardInterrupt())
    assert run(["grade"]) == 130
    assert "stopped: 2 of 3 are written; the same command goes on" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["grade", "07_none"], "there is no assignment '07_none'\n  assignments here: 01_sums"),
        (["grade"], "nothing has been handed in: there is no classes/submitted"),
        (["grade", "01_sums"], "nobody has handed in 01_sums yet"),
        (["grade", "01_sums", "--student", "zoe"], "zoe did not hand in 01_sums"),
        (["grade", "--workers", "0"], "0 is not in the range"),
    ],
)
def test_what_is_missing_is_a_sentence_and_exit_2(course, capsys, words, sentence):
    assert run(words) == 2
    assert sentence in capsys.readouterr().err


def test_a_student_is_graded_in_all_that_they_handed_in(class_of, course, capsys):
    asked = class_of(graded("ada"))
    shutil.copytree(course / "solutions" / "01_sums", course / "solutions" / "02_more")
    (course / "solutions" / "02_more" / "01_sums.ipynb").rename(
        course / "solutions" / "02_more" / "02_more.ipynb"
    )
    (course / "classes" / "submitted" / "bob" / "02_more").mkdir(parents=True)
    assert run(["grade", "--student", "ada"]) == 0
    assert run(["grade", "--student", "ada", "--student", "bob"]) == 0
    students = [(name, words["students"]) for name, words in asked]
    assert students == [("01_sums", ("ada",)), ("01_sums", ("ada",)), ("02_more", ("bob",))]
    assert run(["grade", "--student", "ada", "--student", "zoe"]) == 2
    assert "zoe handed nothing in\n  in " in capsys.readouterr().err


def test_a_class_without_work_says_where_it_would_lie(course, capsys):
    (course / "classes" / "submitted" / "ada" / "other").mkdir(parents=True)
    assert run(["grade"]) == 2
    error = capsys.readouterr().err
    assert "classes/submitted holds no work" in error
    assert "classes/submitted/STUDENT/01_sums/" in error


def test_a_solution_out_of_date_is_refused(class_of, course, capsys):
    class_of(graded("ada"))
    with (course / "solutions" / "01_sums.py").open("a") as file:
        file.write("\n# %%\nmore = 1\n")
    assert run(["grade"]) == 1
    assert "cgkit build solutions/01_sums.py" in capsys.readouterr().err


def test_without_a_sandbox_it_refuses_and_says_how_to_go_on(class_of, monkeypatch, capsys):
    class_of(graded("ada", label="UNSANDBOXED"))

    def find(which=None):
        if which == "none":
            return Situation("none", lost=("students' code runs with your rights",))
        raise EnvironmentFault("no sandbox on this machine", why="system: no bwrap")

    monkeypatch.setattr(verb, "find", find)
    assert run(["grade"]) == 3
    error = capsys.readouterr().err
    assert "no sandbox on this machine\n  system: no bwrap" in error
    assert "--unsandboxed" in error
    assert run(["grade", "--unsandboxed"]) == 0
    said = capsys.readouterr()
    assert "UNSANDBOXED: students' code runs with your rights" in said.err
    assert "ada    3 of 5   UNSANDBOXED" in said.out


def test_progress_names_the_student_and_the_time_that_is_left(monkeypatch):
    progress, steps = Progress("01_sums"), []
    clock = iter([0.0, 2.0, 4.0])
    monkeypatch.setattr(verb.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(progress, "step", steps.append)
    teller = Teller(progress)
    teller(graded("ada", known=True), 1, 100)
    teller(graded("bob"), 2, 100)
    teller(graded("cleo"), 3, 100)
    assert steps == ["ada", "bob  about 3 min left", "cleo  about 3 min left"]
    assert lasting(61) == "61 s"


# the whole of it

ANSWER = "def add(a, b):\n    return a + b"


def hand_in(course, student, answer=ANSWER):
    released = json.loads((course / "assignments" / "01_sums" / "01_sums.ipynb").read_text())
    for cell in released["cells"]:
        if cell["id"] == "add":
            cell["source"] = answer
    path = course / "classes" / "submitted" / student / "01_sums" / "01_sums.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(released))


def command(*words):
    program = f"from cgkit.cli import run; raise SystemExit(run({['grade', *words]!r}))"
    return [sys.executable, "-c", program]


@pytest.mark.slow
def test_kill_it_anywhere_and_a_second_run_goes_on(working_copy):
    names = [f"s{number:02}" for number in range(12)]
    for name in names:
        hand_in(working_copy, name, f"import time\ntime.sleep(0.2)  # {name}\n{ANSWER}")
    marked = working_copy / "classes" / "autograded"
    for wanted in (1, 4, 8):
        with subprocess.Popen(
            command("--workers", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            end = time.monotonic() + 90
            while len(list(marked.glob("*/*/*.ipynb"))) < wanted and process.poll() is None:
                assert time.monotonic() < end
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
        for path in marked.glob("*/*/*.ipynb"):
            json.loads(path.read_text())
    written = len(list(marked.glob("*/*/*.ipynb")))
    assert written < len(names)
    done = subprocess.run(command("--json"), capture_output=True, text=True, check=True)
    items = {item["name"]: item for item in json.loads(done.stdout)["items"]}
    assert {item["points"] for item in items.values()} == {5.0}
    assert sum(item["known"] for item in items.values()) >= written
    again = subprocess.run(command(), capture_output=True, text=True, check=True)
    assert "nothing has changed: 12 submissions" in again.stdout


@pytest.mark.slow
def test_ctrl_c_ends_all_processes_and_says_what_stands(working_copy):
    for number in range(6):
        hand_in(working_copy, f"s{number}", f"import time\ntime.sleep(0.5)  # {number}\n{ANSWER}")
    marked = working_copy / "classes" / "autograded"
    with subprocess.Popen(
        command("--workers", "2"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        end = time.monotonic() + 90
        while not list(marked.glob("*/*/*.ipynb")) and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "are written; the same command goes on from here" in error
    assert "Traceback" not in error
    done = subprocess.run(command(), capture_output=True, text=True, check=True)
    assert "known already" in done.stdout


def left_by(folder):
    """Name the processes that work in a folder of temporary files, and what lies there."""
    found = list(folder.iterdir())
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            told = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            if str(folder).encode() in told:
                found.append(process)
    return found


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are seen on Linux")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_however_it_ends_nothing_is_left(working_copy, tmp_path, how):
    for number in range(8):
        hand_in(working_copy, f"s{number}", f"import time\ntime.sleep(0.3)  # {number}\n{ANSWER}")
    marked = working_copy / "classes" / "autograded"
    folder = tmp_path / "temporary"
    folder.mkdir()
    with subprocess.Popen(
        command("--workers", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
    ) as process:  # fmt: skip
        end = time.monotonic() + 90
        while not list(marked.glob("*/*/*.ipynb")) and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert left_by(folder)
        process.send_signal(how)
    end = time.monotonic() + 20
    while left_by(folder) and time.monotonic() < end:
        time.sleep(0.1)
    assert left_by(folder) == []
