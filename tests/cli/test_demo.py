"""`cgkit demo`: the table of marks, and its exit code."""

import json
from pathlib import Path

import pytest

from cgkit.cli import demo as verb
from cgkit.cli import run
from cgkit.grading.sandbox import Situation
from cgkit.notebooks.classroom import Student
from cgkit.notebooks.demo import SKIPPED, Mark, Outcome

ROOT = Path(__file__).resolve().parents[2]


def mark(name, expected, given, *, about="", assignment="01_sums", wanted=(), **more):
    student = Student(name, assignment, f"{assignment}.ipynb", about=about, notes=wanted)
    return Mark(student, expected, given, **more)


@pytest.fixture
def graded(tiny_course, monkeypatch):
    """Let the class have been graded with these marks."""

    def install(*marks, which="system"):
        home = tiny_course / "build" / "demo"
        lost = ("students' code runs with your rights",) if which == "none" else ()
        situation = Situation(which, lost=lost)
        outcome = Outcome(marks, home, home / "grades.csv", situation)
        monkeypatch.setattr(verb, "demo", lambda project, tell: outcome)
        monkeypatch.setattr(verb, "steps", lambda project: 3)

    return install


RIGHT = mark("ada", {"a": 3, "b": 2.5}, {"a": 3, "b": 2.5}, about="everything right")
NOTE = "handed in as 'x.ipynb'"
RENAMED = mark("fay", {"a": 3}, {"a": 3}, about="renamed", wanted=("x.ipynb",), notes=(NOTE,))
LEFT_OUT = mark("hal", {"a": 0}, None, about="harm", why=SKIPPED)
WRONG = mark("bo", {"a": 3}, {"a": 0}, assignment="02_more")


def test_a_table_shows_expected_and_given(graded, capsys):
    graded(RIGHT, RENAMED)
    assert run(["demo"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "01_sums  expected   given",
        "✓ ada         5.5     5.5   everything right",
        "✓ fay           3       3   renamed",
        "    note: handed in as 'x.ipynb'",
        "",
        "2 of 2 marks as expected",
        "grades    build/demo/grades.csv",
        "feedback  build/demo/feedback",
    ]


def test_without_a_sandbox_it_says_so_and_what_it_left_out(graded, capsys):
    graded(mark("ada", {"a": 3}, {"a": 3}, label="UNSANDBOXED"), LEFT_OUT, which="none")
    assert run(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "UNSANDBOXED: students' code runs with your rights"
    assert "✓ ada           3       3   UNSANDBOXED" in lines
    assert f"- hal           0       -   harm; {SKIPPED}" in lines
    assert "1 of 1 marks as expected; 1 skipped, which need a sandbox" in lines


def test_a_mark_that_differs_fails_the_demo(graded, capsys):
    graded(RIGHT, WRONG)
    assert run(["demo"]) == 1
    lines = capsys.readouterr().out.splitlines()
    row = next(index for index, line in enumerate(lines) if line.startswith("✗ bo"))
    assert lines[row].split() == ["✗", "bo", "3", "0"]
    assert lines[row + 1] == "    a: expected 3, given 0"
    assert "1 of 2 marks not as expected" in lines


def test_marks_can_be_json(graded, capsys):
    graded(RIGHT, WRONG)
    assert run(["demo", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert report["items"] == [
        {
            "name": "01_sums/ada",
            "status": "ok",
            "detail": "expected 5.5, given 5.5\neverything right",
        },
        {
            "name": "02_more/bo",
            "status": "failed",
            "detail": "expected 3, given 0\na: expected 3, given 0",
        },
    ]


def test_a_course_without_a_class_is_one_sentence(tiny_course, capsys):
    assert run(["demo"]) == 1
    assert capsys.readouterr().err.startswith("no sample class\n")


@pytest.mark.slow
def test_the_sample_class_of_the_course_gets_the_marks_it_deserves(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert run(["demo"]) == 0
    assert "marks as expected" in capsys.readouterr().out
