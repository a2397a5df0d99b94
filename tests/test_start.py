"""start.py: what it does in a folder of its own; what it decides is in test_start_decisions.py.

actions     a small project with an empty lock, whose `cgkit` only repeats its words
everything  a fresh install of the real lock: mark `slow`
"""

import errno
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def start():
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ECHO = """
import json, sys
def main():
    print(json.dumps(sys.argv[1:]))
    sys.exit(int(sys.argv[-1]) if sys.argv[-1].isdigit() else 0)
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A project in a folder with a space, which start.py can set up in seconds and offline."""
    here = tmp_path_factory.mktemp("with space") / "a project"
    package = here / "cgkit" / "cli"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(ECHO)
    (here / "cgkit" / "__init__.py").write_text("")
    shutil.copy(ROOT / "start.py", here)
    (here / "pyproject.toml").write_text(
        "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
        "[project]\nname = 'cgkit'\nversion = '0'\nscripts.cgkit = 'cgkit.cli:main'\n"
    )
    (here / "backend.py").write_text(BACKEND)
    for name in ("requirements.lock", "requirements-dev.lock", "requirements-oracle.txt"):
        (here / name).write_text("# nothing\n")
    return here


# The least that pip accepts as a build backend: a wheel with one .pth file and one command.
BACKEND = """
import base64, hashlib, os, zipfile
FILES = {
    "cgkit_here.pth": os.getcwd() + "\\n",
    "cgkit-0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: cgkit\\nVersion: 0\\n",
    "cgkit-0.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    "cgkit-0.dist-info/entry_points.txt": "[console_scripts]\\ncgkit = cgkit.cli:main\\n",
}
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "cgkit-0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for path, text in FILES.items():
            wheel.writestr(path, text)
        wheel.writestr("cgkit-0.dist-info/RECORD", "".join(path + ",,\\n" for path in FILES))
    return name
build_wheel = build_editable
"""


def call(here: Path, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", **variables}
    return subprocess.run(
        [sys.executable, str(here / "start.py"), *words],
        env=environment,
        cwd=here.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def test_words_and_exit_code_pass_through_and_a_second_call_is_silent(small):
    first = call(small, "check", "a b.ipynb", "--json", "7")
    assert first.returncode == 7
    assert json.loads(first.stdout) == ["check", "a b.ipynb", "--json", "7"]
    assert "Making .venv" in first.stderr
    second = call(small, "check", "0")
    assert (second.returncode, second.stderr) == (0, "")


def test_an_install_that_was_cut_off_is_mended(small):
    call(small, "check")
    venv = small / ".venv"
    (info,) = venv.glob("lib/python*/site-packages/cgkit-0.dist-info")
    (info / "RECORD").unlink()
    stamp = json.loads((venv / "made-by-cgkit.json").read_text())
    del stamp["project"]
    (venv / "made-by-cgkit.json").write_text(json.dumps(stamp))
    again = call(small, "check", "0")
    assert again.returncode == 0
    assert "Making .venv" not in again.stderr
    assert (info / "RECORD").exists()


@pytest.mark.slow
def test_a_moved_and_a_half_made_venv_are_made_anew(small, tmp_path):
    here = tmp_path / "moved"
    call(small, "check")
    shutil.copytree(small, here, symlinks=True)
    moved = call(here, "check", "0")
    assert moved.returncode == 0
    assert "The old .venv is moved: making it anew." in moved.stderr
    stamp = here / ".venv" / "made-by-cgkit.json"
    stamp.write_text(json.dumps({"place": str(here / ".venv")}))
    shutil.rmtree(here / ".venv" / "lib")
    half = call(here, "check", "0")
    assert half.returncode == 0
    assert "The old .venv is half made: making it anew." in half.stderr


@pytest.mark.parametrize("state", ["moved", "half made", "orphaned"])
def test_what_we_made_and_cannot_use_is_made_anew(start, tmp_path, monkeypatch, capsys, state):
    made = []
    monkeypatch.setattr(start, "HERE", tmp_path)
    monkeypatch.setattr(start, "survey", lambda venv, stamp: state)
    monkeypatch.setattr(start, "make_venv", made.append)
    (tmp_path / ".venv").mkdir()
    stamp = start.ready_venv(tmp_path / ".venv")
    assert made == [tmp_path / ".venv"]
    assert capsys.readouterr().err == f"The old .venv is {state}: making it anew.\n"
    assert set(stamp) == {"place", "python"}, "nothing counts as installed any more"


def test_making_anew_leaves_nothing_of_the_old(start, tmp_path, monkeypatch):
    venv = tmp_path / ".venv"
    (venv / "lib" / "old").mkdir(parents=True)
    (venv / "bin").symlink_to(venv / "lib")
    (venv / "old.cfg").write_text("")
    done = subprocess.CompletedProcess([], 0, "", "")
    monkeypatch.setattr(start.subprocess, "run", lambda *_, **__: done)
    start.make_venv(venv)
    assert [path.name for path in venv.iterdir()] == [start.STAMP]
    assert start.survey(venv, start.read_stamp(venv)) == "half made"


def test_a_foreign_venv_is_left_alone(small, tmp_path):
    shutil.copy(small / "start.py", tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    done = call(tmp_path, "check")
    assert done.returncode == 3
    assert "that start.py did not make, so it is left alone" in done.stderr
    assert [path.name for path in (tmp_path / ".venv").iterdir()] == ["pyvenv.cfg"]


def test_without_a_network_the_sentence_says_so_and_the_next_call_goes_on(small):
    call(small, "check")
    lock = small / "requirements.lock"
    before = lock.read_text()
    lock.write_text(f"nothing==1.0 --hash=sha256:{'0' * 64}\n")
    done = call(small, "check")
    assert done.returncode == 3
    assert "No package server answers." in done.stderr
    assert "Traceback" not in done.stderr
    lock.write_text(before)
    again = call(small, "check", "0")
    assert again.returncode == 0
    assert "Making .venv" not in again.stderr


def test_a_folder_that_cannot_be_written_is_explained(start, tmp_path, monkeypatch, capsys):
    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied", "/x/.venv")

    monkeypatch.setattr(start, "HERE", tmp_path)
    monkeypatch.setattr(start, "ready_venv", refuse)
    assert start.main(["check"]) == 3
    assert capsys.readouterr().err.startswith("Cannot write /x/.venv.\n")


def test_a_full_disk_is_seen_before_anything_is_made(start, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(start, "HERE", tmp_path)
    monkeypatch.setattr(start.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9, 8, 1))
    assert start.main(["check"]) == 3
    assert "The disk is full: 0 MB are free" in capsys.readouterr().err
    assert not (tmp_path / ".venv").exists()


def test_stopping_is_no_traceback(start, monkeypatch, capsys):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "lacking", stop)
    assert start.main(["check"]) == 130
    assert capsys.readouterr().err == "Stopped. The next call goes on from here.\n"


@pytest.mark.parametrize("word", ["--help", "-h"])
@pytest.mark.parametrize("half_made", [False, True])
def test_help_needs_no_installation(small, tmp_path, word, half_made):
    shutil.copy(small / "start.py", tmp_path)
    venv = tmp_path / ".venv"
    if half_made:
        venv.mkdir()
        (venv / "made-by-cgkit.json").write_text(json.dumps({"place": str(venv)}))
    done = call(tmp_path, word)
    assert (done.returncode, done.stderr) == (0, "")
    assert "python start.py demo" in done.stdout
    assert "python start.py test" in done.stdout
    assert not (venv / "pyvenv.cfg").exists()


def test_a_venv_that_leads_nowhere_is_named_with_its_cure(small, tmp_path):
    shutil.copy(small / "start.py", tmp_path)
    (tmp_path / ".venv").symlink_to(tmp_path / "gone")
    done = call(tmp_path, "check")
    assert done.returncode == 3
    assert done.stderr.splitlines() == [
        f"There is a {tmp_path / '.venv'} that leads nowhere.",
        "Rename or remove it, and try again.",
    ]
    assert not (tmp_path / ".venv.lock").exists()


def test_two_at_once_install_one_after_the_other(small, tmp_path):
    here = tmp_path / "both"
    shutil.copytree(small, here, symlinks=True, ignore=shutil.ignore_patterns(".venv*"))
    words = [sys.executable, str(here / "start.py"), "check", "0"]
    environment = {**os.environ, "PIP_NO_INDEX": "1"}
    both = [
        subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted("waiting" in text for text in said) == [False, True]
    assert sorted("Making .venv" in text for text in said) == [False, True]
    assert not (here / ".venv.lock").exists()


@pytest.mark.parametrize("left", ["dead", "old", "empty"])
def test_a_lock_left_behind_does_not_stop_anyone(start, tmp_path, left):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    lock = tmp_path / ".venv.lock"
    lock.write_text({"dead": str(ended.pid), "old": str(os.getpid()), "empty": ""}[left])
    if left != "dead":
        os.utime(lock, (0, 0))
    with start.alone(lock):
        assert lock.read_text() == str(os.getpid())
        assert not start.take(lock)
    assert not lock.exists()


def test_cgkit_is_told_how_it_was_called(start, monkeypatch, tmp_path):
    seen = []

    def look(words, env):
        seen.append(env["CGKIT_CALLED"])
        return subprocess.Popen([sys.executable, "-c", ""])

    monkeypatch.setattr(start.sys, "argv", ["start.py"])
    monkeypatch.setattr(start, "subprocess", SimpleNamespace(Popen=look))
    assert start.hand_over(tmp_path, ["check"]) == 0
    assert seen == [f"{Path(sys.executable).stem} start.py"]


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT to send")
def test_ctrl_c_waits_until_cgkit_is_loaded(start, monkeypatch, tmp_path, capfd):
    text = (
        "import os, signal, sys; os.kill(os.getpid(), signal.SIGINT);"
        "from cgkit.cli import run; sys.exit(run(['doctor']))"
    )
    begun = SimpleNamespace(Popen=lambda words, env: subprocess.Popen([sys.executable, "-c", text]))
    monkeypatch.setattr(start, "subprocess", begun)
    assert start.hand_over(tmp_path, ["doctor"]) == 130
    assert capfd.readouterr().err == "stopped\n"
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()


@pytest.mark.slow
def test_a_fresh_install_of_the_real_thing(tmp_path):
    here = tmp_path / "a fresh clone"
    here.mkdir()
    for name in ("cgkit", "course", "solutions", "assignments"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, here / name)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, here)
    home = tmp_path / "home"
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "start.py", "doctor", "--json"],
        cwd=here,
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["ok"] is True
