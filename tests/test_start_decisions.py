"""start.py: what it decides from what it finds, as plain functions, for this Python and others."""

import ast
import errno
import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def start():
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_old_pythons_can_read_it():
    # They must get as far as the sentence that says they are too old.
    ast.parse((ROOT / "start.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_before_the_sentence_only_old_modules_are_imported():
    tree = ast.parse((ROOT / "start.py").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.Import)]
    names = {alias.name for node in imports for alias in node.names}
    since_3_6 = {"dataclasses", "graphlib", "importlib.resources", "importlib.metadata", "tomllib"}
    assert not names & since_3_6
    assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names)


@pytest.mark.parametrize(("version", "old"), [((3, 6), True), ((3, 10), True), ((3, 11), False)])
def test_a_python_too_old_is_named(start, version, old):
    sentence = start.too_old(version, "/usr/bin/python3")
    assert bool(sentence) is old
    if old:
        assert f"this is Python 3.{version[1]} (/usr/bin/python3)" in sentence
        assert "start.py demo" in sentence


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ([], []),
        (["demo"], []),
        (["draw", "-m", "oracle"], []),
        (["test"], ["test tools"]),
        (["test", "-k", "oracle"], ["test tools"]),
        (["conformance", "opinfo", "--json"], ["test tools", "oracle"]),
        (["test", "-m", "oracle"], ["test tools", "oracle"]),
        (["test", "-moracle"], ["test tools", "oracle"]),
        (["test", "-m=browser"], ["test tools", "browser"]),
        (["test", "-m", "postgres"], ["test tools", "postgres"]),
        (["bench", "eager"], []),
        (["bench", "eager", "--peers"], ["oracle", "bench"]),
        (["test", "-x", "-m", "oracle or browser"], ["test tools", "oracle", "browser"]),
        (["test", "-m", "oracle and not slow"], ["test tools", "oracle"]),
        (["test", "-m", "not oracle"], ["test tools"]),
        (["test", "-m", "slow and not (oracle or browser)"], ["test tools"]),
        (["test", "-m"], ["test tools"]),
    ],
)
def test_a_command_installs_what_it_needs_and_no_more(start, words, more):
    assert start.wanted_parts(words) == ["course", "project", *more]


def test_every_part_is_made_from_files_that_exist(start):
    for part, files in start.PARTS.items():
        assert all((ROOT / name).is_file() for name in files)
        assert start.fingerprint(ROOT, part)
    tested = start.wanted_parts(["test", "-m", "oracle browser postgres"])
    assert {*tested, *start.wanted_parts(["bench", "--peers"])} == set(start.PARTS)


def test_a_changed_file_asks_for_its_parts_only(start, tmp_path):
    for name in {name for files in start.PARTS.values() for name in files}:
        shutil.copy(ROOT / name, tmp_path)
    before = {part: start.fingerprint(tmp_path, part) for part in start.PARTS}
    with (tmp_path / "pyproject.toml").open("a") as file:
        file.write("\n")
    changed = {part for part in start.PARTS if start.fingerprint(tmp_path, part) != before[part]}
    assert changed == {"project"}


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("ERROR: Could not install: [Errno 28] No space left on device", "The disk is full"),
        ("OSError: [WinError 112] There is not enough space", "The disk is full"),
        ("[Errno 122] Disk quota exceeded", "The disk is full"),
        ("NewConnectionError('<pip...>: Failed to establish')", "No package server answers"),
        ("No matching distribution: x (from versions: none)", "No package server answers"),
        ("Temporary failure in name resolution", "No package server answers"),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed", "certificate was refused"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "not the one this course was tested"),
        ("(from versions: 1.0)\nNo matching distribution found for x", "not made for this Python"),
        ("something\nunheard of", "The last lines were:\n    something\n    unheard of"),
    ],
)
def test_failures_of_pip_are_explained(start, log, said):
    assert said in start.reason(log)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "The disk is full"),
        (errno.EACCES, "Cannot write /x/.venv"),
        (errno.EROFS, "Copy this folder to a place of your own"),
        (errno.EIO, "/x/.venv: "),
    ],
)
def test_refusals_of_the_system_are_explained(start, number, said):
    assert said in start.os_reason(OSError(number, os.strerror(number), "/x/.venv"))


def test_nothing_leads_pip_out_of_the_folder(start):
    base = {
        "PATH": "/usr/bin",
        "PIP_TARGET": "/elsewhere",
        "PIP_USER": "1",
        "PYTHONPATH": "/elsewhere",
        "PYTHONHOME": "/elsewhere",
        "PIP_CERT": "/cert.pem",
        "HTTPS_PROXY": "proxy",
    }
    found = start.environment(Path("/x/.venv"), base)
    assert found["PATH"] == f"{start.scripts_of(Path('/x/.venv'))}{os.pathsep}/usr/bin"
    assert found["PIP_USER"] == "0"
    assert {"PIP_TARGET", "PYTHONPATH", "PYTHONHOME"}.isdisjoint(found)
    assert found["PIP_CERT"] == "/cert.pem"
    assert found["HTTPS_PROXY"] == "proxy"


def test_what_a_venv_is(start, tmp_path):
    venv = tmp_path / ".venv"
    assert start.survey(venv, None) == "missing"
    venv.mkdir()
    assert start.survey(venv, None) == "missing"
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
    assert start.survey(venv, None) == "foreign"
    assert start.survey(venv, {"place": "/other/.venv"}) == "moved"
    assert start.survey(venv, {"place": str(venv)}) == "half made"
    stamp = {"place": str(venv), "python": os.path.realpath(sys.executable)}
    assert start.survey(venv, stamp) == "orphaned"
    start.scripts_of(venv).mkdir()
    start.python_of(venv).symlink_to(sys.executable)
    assert start.survey(venv, stamp) == "ours"
    assert start.survey(venv, stamp | {"python": "/usr/bin/python3.99"}) == "orphaned"
