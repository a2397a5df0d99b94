"""How verbs speak: text for people, one object for programs, progress only on a terminal."""

import io
import json
import os

import click
import pytest

from cgkit.cli.report import Item, Progress, colors_wanted, emit, explain, fail, finish, spoken
from cgkit.errors import CgkitError

ITEMS = [Item("numpy", "ok", "2.4.6"), Item("disk", "failed", "full\ncure: free some")]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_text_lines_up_and_indents_further_lines(capsys):
    assert emit("doctor", ITEMS) is False
    assert capsys.readouterr().out == (
        "✓ numpy  2.4.6\n"
        "✗ disk   full\n"
        "         cure: free some\n"
    )  # fmt: skip


def test_json_is_one_object_and_nothing_else(capsys):
    assert emit("doctor", ITEMS[:1], as_json=True) is True
    assert json.loads(capsys.readouterr().out) == {
        "schema": 1,
        "command": "doctor",
        "ok": True,
        "items": [{"name": "numpy", "status": "ok", "detail": "2.4.6"}],
    }


def test_an_empty_report_is_good(capsys):
    assert emit("check", []) is True
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("items", "code"), [(ITEMS, 3), (ITEMS[:1], 0)])
def test_finish_leaves_with_the_code(items, code):
    with pytest.raises(SystemExit) as left:
        finish("doctor", items, code=3)
    assert left.value.code == code


def test_fail_speaks_on_standard_error(capsys):
    with pytest.raises(SystemExit) as left:
        fail("no", 2)
    assert left.value.code == 2
    assert capsys.readouterr() == ("", "no\n")


@pytest.mark.parametrize(
    ("terminal", "no_color", "wanted"),
    [(True, "", True), (True, "1", False), (False, "", False)],
)
def test_colors_only_on_a_terminal_without_no_color(monkeypatch, terminal, no_color, wanted):
    monkeypatch.setattr("sys.stdout", Terminal() if terminal else io.StringIO())
    monkeypatch.setenv("NO_COLOR", no_color)
    assert colors_wanted() is wanted


@pytest.mark.parametrize("no_color", ["", "1"])
def test_color_is_on_the_sign_only(monkeypatch, no_color):
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("NO_COLOR", no_color)
    emit("doctor", ITEMS[:1])
    plain = "✓ numpy  2.4.6\n"
    assert screen.getvalue() == (plain if no_color else f"\x1b[32m✓\x1b[0m{plain[1:]}")


def test_progress_counts_and_clears_its_line():
    screen = Terminal()
    with Progress("building", total=2, stream=screen) as progress:
        progress.step("00_start")
        progress.step("01_graphs")
    shown = [text.strip() for text in screen.getvalue().split("\r") if text.strip()]
    assert shown == [
        "building ...",
        "building: 1 of 2  00_start",
        "building: 2 of 2  01_graphs",
    ]
    assert screen.getvalue().split("\r")[-2].strip() == ""


def test_progress_makes_room_for_what_is_to_stay():
    screen = Terminal()
    progress = Progress("building", stream=screen)
    progress.step("00_start")
    progress.clear()
    screen.write("00_start is built\n")
    assert screen.getvalue().split("\r")[-2:] == [" " * 79, "00_start is built\n"]


@pytest.mark.parametrize(("columns", "room"), [(40, 39), (200, 79), (0, 79)])
def test_progress_stays_on_one_line_of_the_terminal(monkeypatch, columns, room):
    size = os.terminal_size((columns, 24))
    monkeypatch.setattr("cgkit.cli.report.os.get_terminal_size", lambda descriptor: size)
    screen = Terminal()
    screen.fileno = lambda: 2
    with Progress("building", stream=screen) as progress:
        progress.step("a" * 300)
    assert max(map(len, screen.getvalue().split("\r"))) == room


def test_progress_is_silent_off_a_terminal():
    file = io.StringIO()
    with Progress("building", stream=file) as progress:
        progress.step("00_start")
    assert file.getvalue() == ""


def test_progress_lets_errors_through():
    with pytest.raises(ValueError, match="no"), Progress("building", stream=io.StringIO()):
        raise ValueError("no")


def test_errors_read_as_sentences():
    error = CgkitError("a cannot meet b")
    error.add_note("  at node  y")
    assert explain(error) == "a cannot meet b\n  at node  y"
    assert explain(PermissionError(13, "Permission denied", "/x")) == "/x: permission denied"
    assert explain(OSError(28, "No space left on device")) == "no space left on device"
    assert explain(click.UsageError("there is no -x")) == "there is no -x"
    assert explain(ValueError("odd")) == "odd"


def test_commands_are_named_as_they_are_called(monkeypatch):
    assert spoken("check") == "cgkit check"
    monkeypatch.setenv("CGKIT_CALLED", "python start.py")
    assert spoken("check") == "python start.py check"


def test_progress_says_how_long_it_will_take(monkeypatch):
    now = iter([0.0, 1.0, 10.0, 4000.0])
    monkeypatch.setattr("cgkit.cli.report.time.monotonic", lambda: next(now))
    screen = Terminal()
    with Progress("testing", total=1000, stream=screen) as progress:
        for name in ("a", "b", "c"):
            progress.step(name)
    shown = [text.strip() for text in screen.getvalue().split("\r") if text.strip()]
    assert shown[1:] == [
        "testing: 1 of 1,000  a",
        "testing: 2 of 1,000, about 166 min left  b",
        "testing: 3 of 1,000, about 33266 min left  c",
    ]
