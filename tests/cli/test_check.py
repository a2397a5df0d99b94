"""`cgkit check`, as a student types it: right, wrong, broken and missing notebooks."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cgkit.cells import parse
from cgkit.cli import run
from cgkit.notebooks.compose import compose, dump
from cgkit.score import heading

TEXT = """\
# %% solution id=add
{answer}
### BEGIN SOLUTION
### END SOLUTION

# %% test points=3 id=test_add
assert add(1, 2) == 3

# %% test points=2 id=test_more
from cgkit.score import Score
Score(add(1, 0), 2, "half of it")

# %% [markdown] manual points=10 id=why
# Why?
"""
CHECKED = """\
# %% test points=2 id=test_deep
from cgkit.checks import CheckFailed
raise CheckFailed("values", called="deep(3)", got="1", expected="3", why="so it is", task="deep",
                  out_of=2)
"""


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """Write a notebook of an assignment and change into its folder."""
    monkeypatch.chdir(tmp_path)

    def write(answer, name="a.ipynb", text=TEXT):
        made = compose(parse(text.replace("{answer}", answer)), source="", fingerprint="")
        Path(name).write_text(dump(made), encoding="utf-8")
        return name

    return write


def test_a_right_notebook_passes_and_stays_as_it_is(notebook, capsys):
    name = notebook("add = lambda a, b: a + b + (b == 0)")
    before = Path(name).read_bytes()
    assert run(["check", name]) == 0
    assert capsys.readouterr() == (
        f"{heading('✓', 'add', '3 of 3 points')}\n"
        f"{heading('✓', 'check', '2 of 2 points')}\n"
        "   half of it\n"
        "\n"
        "· why  10 points, read by a person\n"
        "· sum  5 of 5 points; 10 more are given later\n",
        "",
    )
    assert Path(name).read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == ["a.ipynb"]


def test_a_syntax_error_is_shown_at_its_line_and_what_follows_from_it_too(notebook, capsys):
    assert run(["check", notebook("def add(a, b)\n    return a + b")]) == 1
    out = capsys.readouterr().out
    assert out.startswith("✗ add  this cell does not run\n")
    assert "line 1\n" in out
    assert "SyntaxError: expected ':'" in out
    assert f"{heading('✗', 'add', '0 of 3 points')}\n   add is not there: the cell that" in out
    assert "add is missing here too, as in test_add" in out
    assert "Traceback" not in out


def test_a_loop_without_end_costs_its_limit(notebook, capsys):
    name = notebook("def add(a, b):\n    while True:\n        pass")
    assert run(["check", name, "--seconds", "1", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["ok"], report["command"]) == (False, "check")
    statuses = [(item["name"], item["status"]) for item in report["items"]]
    assert statuses == [
        ("test_add", "failed"),
        ("test_more", "failed"),
        ("why", "note"),
        ("sum", "note"),
    ]
    assert "stopped after 1 seconds" in report["items"][0]["detail"]


def test_the_block_of_a_check_keeps_its_shape(notebook, capsys):
    assert run(["check", notebook("", text=CHECKED)]) == 1
    first, _, *rows = capsys.readouterr().out.splitlines()
    assert first.startswith("✗ deep")
    assert first.endswith("0 of 2 points")
    assert rows[:4] == [
        "called     deep(3)",
        "got        1",
        "expected   3",
        "why        so it is",
    ]


def test_broken_files_are_told_one_by_one_and_the_rest_is_checked(notebook, capsys):
    Path("empty.ipynb").touch()
    Path("half.ipynb").write_text('{"cells": [')
    Path("list.ipynb").write_text("[]")
    good = notebook("", text="# %% test points=1 id=t\n1\n")
    assert run(["check", "empty.ipynb", "half.ipynb", "list.ipynb", good]) == 1
    out, err = capsys.readouterr()
    for name, reason in (
        ("empty", "it is empty"),
        ("half", "damaged at line 1"),
        ("list", "not a notebook"),
    ):
        assert f"{name}.ipynb is not a notebook that can be opened\n     " in out
        assert reason in out
    assert f"a.ipynb\n{heading('✓', 't', '1 of 1 points')}\n" in out
    assert err == ""


def test_a_folder_stands_for_its_notebooks(notebook, capsys):
    for name in ("a.ipynb", "b.ipynb"):
        notebook("", name=name, text="# %% test points=1 id=t\n1\n")
    assert run(["check", ".", "--json"]) == 0
    names = [item["name"] for item in json.loads(capsys.readouterr().out)["items"]]
    assert names == ["a.ipynb: t", "a.ipynb: sum", "b.ipynb: t", "b.ipynb: sum"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["none.ipynb"], "there is no file none.ipynb\n  try      a.ipynb\n"),
        (["deep/none.ipynb"], "there is no file deep/none.ipynb\n  try      cgkit check"),
        (["folder"], "no notebook in the folder folder"),
        ([], "Missing argument 'PATH...'"),
        (["a.ipynb", "--seconds", "0"], "Invalid value for '--seconds'"),
    ],
)
def test_wrong_words_are_usage_faults(notebook, capsys, words, sentence):
    notebook("")
    Path("folder").mkdir()
    assert run(["check", *words]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="no such signal there")
def test_ctrl_c_ends_it_at_once_with_its_kernel(notebook):
    wait = "import os, time\nopen('kernel', 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
    name = notebook("", text=f"# %%\n{wait}\n# %% test points=1 id=t\n1\n")
    words = [sys.executable, "-c", "from cgkit.cli import main; main()", "check", name]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, start_new_session=True)
    try:
        started = time.monotonic()
        while not Path("kernel").exists() or not Path("kernel").read_text():
            assert time.monotonic() < started + 30
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, said.split()) == (130, [b"stopped"])
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("kernel").read_text()), 0)
