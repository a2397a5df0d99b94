"""`cgkit student-copy`: what it says, and when it refuses."""

import json
from pathlib import Path

import pytest

from cgkit.cli import run
from cgkit.cli import student_copy as verb


@pytest.fixture
def written(tiny_course, monkeypatch):
    """Let a copy have been written."""
    names = ["course/01_tiny.ipynb", "course/01_tiny.py", "assignments/01_sums/01_sums.ipynb"]
    monkeypatch.setattr(verb, "copy_for_students", lambda project, folder: [*map(Path, names)])


@pytest.mark.usefixtures("written")
def test_it_says_what_it_wrote(capsys):
    assert run(["student-copy", "out"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "✓ folder       out: 3 files"
    assert lines[1] == "✓ chapters     01_tiny"
    assert lines[2] == "✓ assignments  01_sums"


@pytest.mark.usefixtures("written")
def test_it_can_be_json(capsys):
    assert run(["student-copy", "out", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["command"], report["ok"]) == ("student-copy", True)


def test_a_folder_in_use_is_refused_in_one_sentence(tiny_course, capsys):
    assert run(["student-copy", "."]) == 2
    assert "is not empty" in capsys.readouterr().err
