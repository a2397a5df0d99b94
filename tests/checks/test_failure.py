import pickle

import pytest
from IPython.core.interactiveshell import InteractiveShell

from cgkit.checks.failure import STAGES, WIDTH, CheckFailed, NotAnswered
from cgkit.errors import CgkitError

EXAMPLE = {
    "called": "backward(c)   on the graph",
    "got": "gradient of x = 2.0",
    "expected": "gradient of x = 4.0",
    "why": "b has two readers, and only one of them was heard: its gradient was replaced, not "
    "added to.",
    "misconception": "missing accumulation",
    "hints": ("what should happen the second time?", "more"),
    "drawing": "x ──► b ──► c\n└────►┘ └──►┘",
    "task": "backward",
    "assignment": "02_static_dynamic",
    "out_of": 4,
}
BLOCK = """\
✗ backward                                                            0 of 4 points

called     backward(c)   on the graph
got        gradient of x = 2.0
expected   gradient of x = 4.0
why        b has two readers, and only one of them was heard: its gradient was
           replaced, not added to.
looks like "missing accumulation"

drawing    x ──► b ──► c
           └────►┘ └──►┘

hint 1 of 2: what should happen the second time?   (more: cgkit hint 02 backward 2)"""


def test_the_block():
    failed = CheckFailed("values", **EXAMPLE)
    assert str(failed) == BLOCK
    assert failed._render_traceback_() == BLOCK.splitlines()
    assert isinstance(failed, CgkitError)


def test_ipython_shows_the_block_and_nothing_else(capsys):
    shell = InteractiveShell()
    shell.push({"failed": CheckFailed("values", **EXAMPLE)})
    shell.run_cell("raise failed")
    shown = capsys.readouterr().out
    assert BLOCK in shown
    assert "Traceback" not in shown
    assert "File" not in shown


def test_no_line_is_wider_than_nbgrader_shows():
    long = dict.fromkeys(("called", "got", "expected", "why"), "word " * 300)
    wide = CheckFailed("values", **{**EXAMPLE, **long, "drawing": "x" * 300, "task": "t" * 20})
    lines = str(wide).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) < 45
    assert "..." in str(wide)
    assert "…" in str(wide)


def test_text_without_spaces_is_broken():
    assert max(map(len, str(CheckFailed("values", got="1" * 500)).splitlines())) <= WIDTH


class Broken:
    def __str__(self):
        raise ValueError("no")


def test_rendering_never_raises():
    failed = CheckFailed("values", got=Broken(), why="because")
    assert "because" in str(failed)


def test_parts_that_are_not_there_take_no_line():
    assert str(CheckFailed("type", why="w", task="t", out_of=1)).splitlines()[2:] == [
        "why        w"
    ]


def test_one_hint_promises_no_more():
    assert "more:" not in str(CheckFailed("values", hints=("why?",), assignment="01_graphs"))


def test_not_answered_is_both():
    with pytest.raises(NotImplementedError):
        raise NotAnswered("type", why="w")
    assert issubclass(NotAnswered, CheckFailed)


def test_stages_are_in_order():
    assert STAGES == ("type", "shape", "values", "invariants", "cost")
    with pytest.raises(ValueError, match="stage"):
        CheckFailed("speed")


def test_what_it_carries():
    failed = CheckFailed("values", error=KeyError("x"), **EXAMPLE)
    assert isinstance(failed.error, KeyError)
    assert failed.hints == EXAMPLE["hints"]
    assert pickle.loads(pickle.dumps(str(failed))) == BLOCK
