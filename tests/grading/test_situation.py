"""Each situation as teachers meet it: `cgkit grade`, `cgkit demo`, nbgrader's own command.

What a machine offers is really taken away (confined.py), and never only said to be.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cgkit.grading.bubblewrap import bundled
from cgkit.grading.situation import MEANINGS, ONE_FENCE, UNSANDBOXED, Situation
from cgkit.notebooks.build import build
from cgkit.notebooks.project import Project

ROOT = Path(__file__).resolve().parents[2]
CONFINED = Path(__file__).with_name("confined.py")
RIGHTS = "UNSANDBOXED: students' code runs with your rights"
LINUX = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"),
    reason="takes away what only Linux has",
)
AS_ROOT = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="one fence without the other: as root"
)
FIND = """
import json
from cgkit.errors import EnvironmentFault
from cgkit.grading.sandbox import find
try:
    found = find()
    print(json.dumps([found.label, found.proc, found.lost]))
except EnvironmentFault as fault:
    print(json.dumps([fault.what, fault.why]))
"""
CLASS = """
[ada]
about = "everything right"

[hal]
about = "reads what is not his"
hostile = true
flags = ["reads or writes files"]
"""
READS = "open('/etc/passwd').read()\ndef add(a, b):\n    return a + b"
HAL = "# %% id=add\ndef add(a, b):\n    return a + b\n# %%\nopen('/etc/passwd')\n"


def test_what_is_lost_is_told_under_a_label():
    assert Situation("system").told == ()
    assert Situation("none", lost=("a", "b")).told == ("UNSANDBOXED: a", "UNSANDBOXED: b")
    assert Situation("system", inner=False, lost=("a",)).told == ("ONE FENCE: a",)
    assert Situation("system", lost=("a",)).told == ("sandbox: a",)
    assert set(MEANINGS) == {UNSANDBOXED, ONE_FENCE}


def confined(less, *words, cwd=None, path=None):
    """Run a program where something is missing; `less` is "" for nothing."""
    start = [sys.executable, str(CONFINED), less] if less else []
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(Path(cwd or ".") / "none")}
    environment.pop("CGKIT_CLASS", None)
    if path is not None:
        environment["PATH"] = path
    done = subprocess.run(
        [*start, sys.executable, "-W", "ignore", *words],
        cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    if "confined:" in done.stderr:
        pytest.skip(f"nothing can be taken away here: {done.stderr.strip()}")
    return done


@LINUX
def test_without_namespaces_there_is_no_sandbox_and_a_reason():
    what, why = json.loads(confined("none", "-c", FIND).stdout)
    assert what == "no sandbox on this machine"
    assert "namespace" in why


@LINUX
@AS_ROOT
def test_without_namespaces_inside_there_is_one_fence(situation):
    label, proc, lost = json.loads(confined("nested", "-c", FIND).stdout)
    assert (label, proc, len(lost)) == (ONE_FENCE, True, 1)
    assert "each submission starts one of its own" in lost[0]


@LINUX
def test_where_proc_is_covered_and_root_is_alone_there_is_one_fence(situation):
    label, proc, lost = json.loads(confined("covered", "-c", FIND).stdout)
    assert (label, proc) == (ONE_FENCE, False)
    assert "no /proc inside" in lost[1]


# through the commands


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The tiny course, with a class handed in and a sample class written down."""
    root = tmp_path_factory.mktemp("built") / "tiny course"
    shutil.copytree(ROOT / "tests" / "expected" / "tiny", root)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    project = Project(root)
    folder = project.classroom / "01_sums"
    folder.mkdir(parents=True)
    (folder / "class.toml").write_text(CLASS)
    (folder / "hal.txt").write_text(HAL)
    build(project, ["solutions"])
    released = json.loads((root / "assignments" / "01_sums" / "01_sums.ipynb").read_text())
    for student, answer in (("ada", "def add(a, b):\n    return a + b"), ("hal", READS)):
        for cell in released["cells"]:
            if cell["id"] == "add":
                cell["source"] = answer
        path = root / "classes" / "submitted" / student / "01_sums" / "01_sums.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(released))
    return root


@pytest.fixture
def course(built, tmp_path):
    """A copy of it to work in."""
    return Path(shutil.copytree(built, tmp_path / "tiny course"))


def cgkit(less, course, *words, path=None):
    program = f"from cgkit.cli import run; raise SystemExit(run({list(words)!r}))"
    return confined(less, "-c", program, cwd=course, path=path)


def autograde(less, course, path=None):
    words = ("-m", "nbgrader", "autograde", "01_sums", "--force")
    return confined(less, *words, cwd=course, path=path)


def graded(done):
    assert done.returncode == 0, done.stderr
    return {
        item["name"].partition("/")[2]: (item["points"], item["label"])
        for item in json.loads(done.stdout)["items"]
    }


@pytest.fixture(params=["system", "bundled"])
def path_to(request, tmp_path):
    """A PATH on which a bwrap says that it was called, and is the system's or does not work."""
    system = shutil.which("bwrap")
    if request.param == "system" and system is None:
        pytest.skip("no system bwrap on this machine")
    if request.param == "bundled" and bundled() is None:
        pytest.skip("no bundled bwrap on this machine")
    called, shim = tmp_path / "called", tmp_path / "bin" / "bwrap"
    shim.parent.mkdir()
    end = f'exec "{system}" "$@"' if request.param == "system" else "exit 1"
    shim.write_text(f'#!/bin/sh\necho >> "{called}"\n{end}\n')
    shim.chmod(0o755)
    yield f"{shim.parent}{os.pathsep}{os.environ['PATH']}"
    lines = called.read_text().count("\n")  # a sandbox for each command, at the least
    assert lines > 4 if request.param == "system" else lines


@LINUX
@pytest.mark.slow
def test_either_bwrap_serves_all_three_commands(course, path_to, situation):
    both = {"ada": (5.0, situation.label), "hal": (0.0, situation.label)}
    assert graded(cgkit("", course, "grade", "--json", path=path_to)) == both
    done = autograde("", course, path_to)
    assert done.returncode == 0, done.stderr
    assert "UNSANDBOXED" not in done.stderr
    demo = cgkit("", course, "demo", path=path_to)
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert "2 of 2 marks as expected" in demo.stdout
    assert "UNSANDBOXED" not in demo.stdout


@LINUX
@pytest.mark.slow
def test_without_namespaces_grading_refuses_and_says_how_to_go_on(course):
    done = cgkit("none", course, "grade")
    assert (done.returncode, done.stdout) == (3, "")
    assert "no sandbox on this machine" in done.stderr
    assert "--unsandboxed" in done.stderr
    done = autograde("none", course)
    assert done.returncode != 0
    assert "c.GradingExporter.unsandboxed = True" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((course / "classes").glob("autograded/*/*/*"))


@LINUX
@pytest.mark.slow
def test_asked_for_in_so_many_words_it_grades_and_every_output_says_so(course):
    done = cgkit("none", course, "grade", "--unsandboxed")
    assert done.returncode == 0, done.stderr
    assert RIGHTS in done.stderr
    assert done.stdout.count("5 of 15   UNSANDBOXED") == 2  # hal reads the file, and may
    assert f"2 UNSANDBOXED: {MEANINGS[UNSANDBOXED]}" in done.stdout
    again = graded(cgkit("none", course, "grade", "--unsandboxed", "--json"))
    assert again == {"ada": (5.0, UNSANDBOXED), "hal": (5.0, UNSANDBOXED)}
    with (course / "nbgrader_config.py").open("a") as file:
        file.write("\nc.GradingExporter.unsandboxed = True\n")
    done = autograde("none", course)
    assert done.returncode == 0, done.stderr
    assert RIGHTS in done.stderr
    marked = (course / "classes" / "autograded" / "ada" / "01_sums" / "01_sums.ipynb").read_text()
    assert "UNSANDBOXED" in marked


@LINUX
@pytest.mark.slow
def test_without_namespaces_the_demo_runs_and_leaves_out_what_does_harm(course):
    done = cgkit("none", course, "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == RIGHTS
    (hal,) = (line for line in lines if line.startswith("- hal"))
    assert "skipped: there is no sandbox here" in hal
    assert any(line.startswith("✓ ada") and "UNSANDBOXED" in line for line in lines)
    assert "1 of 1 marks as expected; 1 skipped, which need a sandbox" in lines
    report = json.loads(cgkit("none", course, "demo", "--json").stdout)
    assert [item["status"] for item in report["items"]] == ["ok", "skipped"]
    assert "UNSANDBOXED" in report["items"][0]["detail"]


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("less", [pytest.param("nested", marks=AS_ROOT), "covered"])
def test_behind_one_fence_all_three_commands_work_and_say_so(course, situation, less):
    both = {"ada": (5.0, ONE_FENCE), "hal": (0.0, ONE_FENCE)}
    done = cgkit(less, course, "grade", "--json")
    assert graded(done) == both
    assert "ONE FENCE: no namespaces inside the sandbox" in done.stderr
    done = autograde(less, course)
    assert done.returncode == 0, done.stderr
    assert "ONE FENCE: no namespaces inside the sandbox" in done.stderr
    done = cgkit(less, course, "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 marks as expected" in done.stdout
