"""`cgkit test`: words reach pytest, and its exit codes become ours."""

import json
import subprocess
import sys

import pytest

from cgkit.cli import run, test
from cgkit.cli.report import Item


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
    ("words", "cores", "processes"),
    [
        ([], 1, None),
        ([], 2, 2),
        (["-m", "oracle"], 64, 4),
        (["tests/test_tree.py", "-k", "a and b"], 2, None),
        (["tests/test_tree.py::test_leaves"], 2, None),
        (["-x", "--lf"], 2, None),
        (["-n0"], 2, None),
    ],
)
def test_words_reach_pytest(pytest_run, monkeypatch, words, cores, processes):
    monkeypatch.setattr(test, "usable", lambda: cores)
    assert run(["test", *words]) == 0
    ((called, options),) = pytest_run.calls
    shared = [f"--numprocesses={processes}", "--dist=worksteal"] if processes else []
    assert called == [sys.executable, "-m", "pytest", *shared, *words]
    assert (options["cwd"] / "nbgrader_config.py").is_file()


@pytest.mark.parametrize(("theirs", "ours"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (-2, 130)])
def test_exit_codes(pytest_run, theirs, ours):
    pytest_run.code = theirs
    assert run(["test"]) == ours


def test_missing_tools_are_named_with_the_command_that_brings_them(monkeypatch, capsys):
    monkeypatch.setattr(test.importlib.util, "find_spec", lambda name: None)
    assert run(["test"]) == 3
    assert "python start.py test" in capsys.readouterr().err


REPORT = """<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite>
<testcase classname="tests.test_tree" name="test_a"/>
<testcase classname="tests.test_tree" name="test_b"><failure message="1 is not 2"/></testcase>
<testcase classname="tests.test_tree" name="test_c"><skipped message="no torch"/></testcase>
<testcase classname="tests.test_tree" name="test_d"><error message="no fixture"/></testcase>
</testsuite></testsuites>"""


def test_each_test_is_an_item():
    assert list(test.items_of(REPORT)) == [
        Item("tests.test_tree::test_a", "ok"),
        Item("tests.test_tree::test_b", "failed", "1 is not 2"),
        Item("tests.test_tree::test_c", "skipped", "no torch"),
        Item("tests.test_tree::test_d", "failed", "no fixture"),
    ]


def test_json_is_all_that_standard_output_holds(capfd):
    here = "tests/cli/test_test.py::test_each_test_is_an_item"
    assert run(["test", "--json", "-q", "-p", "no:cacheprovider", here]) == 0
    report = json.loads(capfd.readouterr().out)
    assert report["ok"] is True
    assert [item["name"] for item in report["items"]] == [
        "tests.cli.test_test::test_each_test_is_an_item"
    ]


def test_json_says_so_when_no_test_fits(pytest_run, capfd):
    pytest_run.code = 5
    assert run(["test", "--json"]) == 2
    assert json.loads(capfd.readouterr().out)["items"] == [
        {"name": "pytest", "status": "failed", "detail": "exit code 5"}
    ]
