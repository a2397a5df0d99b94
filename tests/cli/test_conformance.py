"""`cgkit conformance` on four samples: lines, JSON, exit codes, stopping and going on."""

import json
from dataclasses import replace

import pytest

from cgkit.cli import conformance, run
from cgkit.conformance import suites
from cgkit.conformance.suite import Case, Suite
from cgkit.conformance.tally import Outcome

READINGS = ("forward", "gradient")
RIGHT = {"a": "", "b": "gradient at (0,): 1.0 is not 2.0", "c": "", "d": ""}


def suite_of(results, ran=None, **settings):
    def run_one(name):
        if ran is not None:
            ran.append(name)
        if isinstance(results[name], BaseException):
            raise results[name]
        why = results[name]
        return [Outcome(group_of(name), ("gradient",) if why else (), why)]

    def group_of(name):
        return "add" if name in "ab" else "mul"

    cases = [Case(name, group_of(name), lambda name=name: run_one(name)) for name in results]
    return Suite("tiny", "four samples", lambda folder: cases, READINGS, **settings)


@pytest.fixture
def use(monkeypatch, tiny_course):
    def install(*those):
        table = {suite.name: suite for suite in those}
        monkeypatch.setattr(suites, "SUITES", table)
        monkeypatch.setattr(conformance, "SUITES", table)

    install.root = tiny_course
    return install


def test_a_line_for_each_group_and_one_for_the_suite(use, capsys):
    use(suite_of(RIGHT, wanted=50.0, wanted_each=50.0))
    assert run(["conformance", "tiny"]) == 0
    out, progress = capsys.readouterr()
    assert out == (
        "· tiny  add  1 of 2, forward 2\n"
        "             1 x gradient at (#): # is not #\n"
        "✓ tiny  mul  2 of 2\n"
        "✓ tiny       3 of 4, 75.0%, 50% wanted, 50% of each, forward 4, gradient 3\n"
        "             1 x gradient at (#): # is not #\n"
    )
    assert progress == "tiny: four samples\n"
    assert not list((use.root / "build" / "conformance").iterdir())


def test_the_last_line_says_how_it_was_done(use, capsys):
    cases = [Case("a", "add", lambda: [Outcome("add", way="as one graph")])]
    use(Suite("tiny", "one sample", lambda folder: cases, READINGS))
    assert run(["conformance", "tiny", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"][-1]["ways"] == {"as one graph": 1}
    assert run(["conformance", "tiny"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("gradient 1, 1 as one graph")


def test_too_little_is_a_failure(use, capsys):
    use(suite_of(RIGHT, wanted=70.0, wanted_each=60.0))
    assert run(["conformance"]) == 1
    assert capsys.readouterr().out.startswith("✗ tiny  add  1 of 2")
    use(suite_of(RIGHT, wanted=80.0, wanted_each=50.0))
    assert run(["conformance"]) == 1


def test_json_carries_the_counts(use, capsys):
    use(suite_of(RIGHT, wanted=50.0, wanted_each=50.0))
    assert run(["conformance", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["schema"], report["command"], report["ok"]) == (1, "conformance", True)
    add, mul, total = report["items"]
    assert (add["name"], add["status"], add["passed"], add["tried"]) == ("tiny  add", "note", 1, 2)
    assert add["readings"] == {"forward": 2, "gradient": 1}
    assert add["reasons"] == {"gradient at (#): # is not #": 1}
    assert (mul["status"], mul["passed"], mul["reasons"]) == ("ok", 2, {})
    assert (total["name"], total["passed"], total["tried"]) == ("tiny", 3, 4)


def test_what_is_stopped_goes_on(use, capsys):
    ran = []
    use(suite_of({**RIGHT, "c": KeyboardInterrupt()}, ran))
    assert run(["conformance", "tiny"]) == 130
    said = "✗ tiny  stopped; 2 done and kept: cgkit conformance tiny goes on from here\n"
    assert capsys.readouterr().out == said
    use(suite_of({**RIGHT, "a": ValueError("not run again")}, ran, wanted=50.0, wanted_each=50.0))
    assert run(["conformance", "tiny"]) == 0
    assert ran == ["a", "b", "c", "c", "d"]
    out, err = capsys.readouterr()
    assert "3 of 4" in out
    assert "going on after 2 of 4" in err


def test_whole_suites_are_told_and_kept_when_a_later_one_is_stopped(use, capsys):
    ran = []
    first = replace(suite_of(dict.fromkeys("ab", ""), ran), name="first")
    use(first, suite_of({"c": KeyboardInterrupt()}, ran))
    assert run(["conformance", "--json"]) == 130
    report = json.loads(capsys.readouterr().out)
    assert [item["name"] for item in report["items"]] == ["first  add", "first", "tiny"]
    assert not report["ok"]
    assert "stopped; 2 done and kept: cgkit conformance goes on" in report["items"][-1]["detail"]
    use(first, suite_of({"c": ""}, ran))
    assert run(["conformance"]) == 0
    assert ran == ["a", "b", "c", "c"]
    assert "going on after 2 of 2" in capsys.readouterr().err
    assert not list((use.root / "build" / "conformance").iterdir())


def test_a_suite_that_is_stopped_while_it_is_made_ready(use, capsys):
    def prepare(folder):
        raise KeyboardInterrupt

    use(replace(suite_of(RIGHT), prepare=prepare))
    assert run(["conformance"]) == 130
    assert "stopped; 0 done and kept: cgkit conformance goes on" in capsys.readouterr().out


def test_a_suite_that_breaks_while_it_is_made_ready_fails_alone(use, capsys):
    def prepare(folder):
        raise ImportError("libtorch.so: no such file")

    use(
        replace(suite_of(RIGHT), prepare=prepare, name="broken"),
        suite_of(dict.fromkeys("abcd", "")),
    )
    assert run(["conformance"]) == 3
    out = capsys.readouterr().out
    assert "✗ broken     the suite 'broken' cannot be made ready\n" in out
    assert "ImportError: libtorch.so: no such file" in out
    assert "✓ tiny       4 of 4" in out


def test_a_folder_that_cannot_be_written_costs_no_result(use, capsys):
    (use.root / "build").write_text("no folder")
    use(suite_of(dict.fromkeys("abcd", "")))
    assert run(["conformance"]) == 0
    out, err = capsys.readouterr()
    assert "✓ tiny       4 of 4" in out
    assert err.count("what is done cannot be kept: ") == 1


def test_a_suite_that_is_named_twice_runs_once(use, capsys):
    ran = []
    use(suite_of(dict.fromkeys("ab", ""), ran))
    assert run(["conformance", "tiny", "tiny"]) == 0
    assert ran == ["a", "b"]


def test_another_version_begins_anew(use, capsys):
    ran = []
    use(suite_of({**RIGHT, "c": KeyboardInterrupt()}, ran, versions=lambda: "1"))
    run(["conformance"])
    use(suite_of(RIGHT, ran, versions=lambda: "2"))
    run(["conformance"])
    assert ran == ["a", "b", "c", "a", "b", "c", "d"]


def test_a_missing_package_fails_alone(use, capsys):
    use(
        Suite("bare", "nothing", lambda folder: [], READINGS, needs=("no_such_package",)),
        suite_of(dict.fromkeys("abcd", "")),
    )
    assert run(["conformance"]) == 3
    out = capsys.readouterr().out
    assert out.splitlines()[0] == (
        "✗ bare       the suite 'bare' needs no_such_package, not installed here"
    )
    assert "python start.py conformance bare" in out
    assert "✓ tiny       4 of 4" in out


def test_unknown_suites_are_refused(use, capsys):
    use(suite_of(RIGHT))
    assert run(["conformance", "tine"]) == 2
    assert "no suite 'tine'" in capsys.readouterr().err


def test_rare_reasons_are_summed_up(use, capsys):
    letters = "abcdefgh"
    outcomes = [Outcome("add", ("forward",), f"reason {letter}") for letter in letters]
    case = Case("all", "add", lambda: [*outcomes, outcomes[0]])
    use(Suite("tiny", "many", lambda folder: [case], READINGS))
    assert run(["conformance"]) == 1
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()[:6]]
    assert lines[1:] == [
        "2 x reason a", "1 x reason b", "1 x reason c", "1 x reason d", "4 x 4 other reasons"
    ]  # fmt: skip


def test_only_fetch_fetches(use, capsys):
    fetched = []
    use(suite_of(dict.fromkeys("ab", ""), fetch=fetched.append))
    assert run(["conformance"]) == 0
    assert fetched == []
    assert run(["conformance", "--fetch"]) == 0
    assert fetched == [use.root / "build" / "conformance"]
