"""`cgkit test`: words reach pytest, and its exit codes become ours."""

import subprocess
import sys

import pytest

from cgkit.cli import run, test


@pytest.fixture
def pytest_run(monkeypatch):
    """Note what would be run, and give the exit code that is asked for."""
    calls = []

    def fake(words, **options):
        calls.append((words, options))
        return subprocess.CompletedProcess(words, fake.code)

    fake.code = 0
    fake.calls = calls
    monkeypatch.setattr(test.subprocess, "run", fake)
    return fake


@pytest.mark.parametrize(
    "words", [[], ["-m", "oracle"], ["tests/test_tree.py", "-k", "a and b"], ["-x", "--lf"]]
)
def test_words_reach_pytest(pytest_run, words):
    assert run(["test", *words]) == 0
    ((called, options),) = pytest_run.calls
    assert called == [sys.executable, "-m", "pytest", *words]
    assert (options["cwd"] / "nbgrader_config.py").is_file()


@pytest.mark.parametrize(("theirs", "ours"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (-2, 130)])
def test_exit_codes(pytest_run, theirs, ours):
    pytest_run.code = theirs
    assert run(["test"]) == ours


def test_missing_tools_are_named_with_the_command_that_brings_them(monkeypatch, capsys):
    monkeypatch.setattr(test.importlib.util, "find_spec", lambda name: None)
    assert run(["test"]) == 3
    assert "python start.py test" in capsys.readouterr().err
