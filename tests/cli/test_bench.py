"""`cgkit bench`: rows by name, items with ratios, what is missing, and stopping."""

import json

import pytest

from cgkit.bench.measure import Measured, Outcome
from cgkit.bench.row import Peer, Row, Work
from cgkit.bench.timing import Timing
from cgkit.cli import bench, run


def set_up():
    return Work(lambda: 1, lambda result: {"y": result})


def row_of(name, **changes):
    peers = (
        Peer("cgkit", set_up),
        Peer("other", set_up),
        Peer("gone", set_up, package="no_such_package"),
    )
    settings = {"threads": (1,), **changes}
    return Row(name, f"what {name} is", peers, {"small": {}}, lambda *_: "", **settings)


def outcome_of(case, **changes):
    times = (
        Measured("cgkit", "allocating", 7, Timing((2.0, 1.0, 3.0))),
        Measured("other", "allocating", 5, Timing((8.0, 6.0, 7.0))),
    )
    return Outcome(case, times, {"gone": "no_such_package"}, **changes)


@pytest.fixture
def measured(monkeypatch):
    """Put rows of a test's own in place, and note what would be measured."""
    calls = []

    def measure(case, settings):
        calls.append((case.row.name, case.size, case.threads, settings.seconds))
        return measure.outcome(case)

    measure.outcome = outcome_of
    measure.calls = calls
    rows = (row_of("first-a"), row_of("first-b"), row_of("second", threads=(2, 1)))
    monkeypatch.setattr(bench, "ROWS", rows)
    monkeypatch.setattr(bench, "measure", measure)
    monkeypatch.setattr(bench, "usable", lambda: 2)
    return measure


def report(capsys):
    return json.loads(capsys.readouterr().out)


def test_items_carry_ratios_and_times(measured, capsys):
    assert run(["bench", "first-a", "--json"]) == 0
    found = report(capsys)
    assert (found["schema"], found["command"], found["ok"]) == (1, "bench", True)
    machine, item = found["items"]
    assert (machine["name"], machine["status"], machine["ratios"]) == ("machine", "note", {})
    assert "numpy" in machine["detail"]
    assert (item["name"], item["status"]) == ("first-a: small", "ok")
    assert item["ratios"] == {"other": 3.5}
    assert item["ratios_of_minima"] == {"other": 6.0}
    assert item["absent"] == ["gone"]
    assert (item["row"], item["size"], item["threads"]) == ("first-a", "small", 1)
    assert item["times"][0] == {
        "peer": "cgkit", "form": "allocating", "minimum": 1.0, "median": 2.0, "rounds": 3,
        "calls": 7,
    }  # fmt: skip
    assert item["detail"] == (
        "cgkit 2.00 s, other 3.5 times that, gone not installed (python start.py bench --peers)"
    )


def test_the_table_and_the_command_that_brings_who_is_missing(measured, capsys):
    assert run(["bench", "first"]) == 0
    out = capsys.readouterr().out
    assert out.count("what first-a is") == 1
    assert "what second is" not in out
    lines = out.splitlines()
    figures = [" ".join(line.split()) for line in lines]
    assert "other 6.00 s 7.00 s 3.5 6.0 3" in figures
    assert lines[-1] == "not installed: gone; python start.py bench --peers installs them"


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ([], ["first-a", "first-b", "second", "second"]),
        (["first"], ["first-a", "first-b"]),
        (["second", "first-a"], ["first-a", "second", "second"]),
        (["--threads", "2"], ["second"]),
    ],
)
def test_rows_are_chosen_by_how_their_names_begin(measured, words, rows):
    assert run(["bench", "--seconds", "2", *words]) == 0
    assert [name for name, *_ in measured.calls] == rows
    assert {seconds for *_, seconds in measured.calls} == {2.0}


def test_a_row_that_there_is_not_gets_a_guess(measured, capsys):
    assert run(["bench", "frist-a"]) == 2
    error = capsys.readouterr().err
    assert "there is no row 'frist-a'" in error
    assert "'first-a'" in error
    assert run(["bench", "qqq"]) == 2
    assert "first-a, first-b, second" in capsys.readouterr().err
    assert measured.calls == []


def test_threads_that_no_row_has_are_refused(measured, capsys):
    assert run(["bench", "first", "--threads", "2"]) == 2
    assert "no row is measured with 2 threads" in capsys.readouterr().err


def test_too_few_processors_are_told_and_nothing_is_measured_with_them(
    measured, monkeypatch, capsys
):
    monkeypatch.setattr(bench, "usable", lambda: 1)
    assert run(["bench", "second", "--json"]) == 0
    _, two, one = report(capsys)["items"]
    assert (two["status"], two["detail"]) == (
        "skipped",
        "2 threads need 2 processors; 1 can be used",
    )
    assert one["threads"] == 1
    assert [threads for _, _, threads, _ in measured.calls] == [1]


def test_a_fault_fails(measured, capsys):
    measured.outcome = lambda case: Outcome(case, faults=("other differs",))
    assert run(["bench", "first-a", "--json"]) == 1
    _, item = report(capsys)["items"]
    assert (item["status"], item["detail"], item["ratios"]) == ("failed", "other differs", {})
    assert run(["bench", "first-a"]) == 1
    assert "    other differs" in capsys.readouterr().out


def test_with_peers_all_must_be_there(measured, capsys):
    assert run(["bench", "--peers"]) == 3
    error = capsys.readouterr().err
    assert "not installed: gone" in error
    assert "python start.py bench --peers" in error
    assert measured.calls == []


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_what_was_measured_before_a_stop_is_told(measured, capsys, words):
    def stop(case):
        if case.row.name == "first-b":
            raise KeyboardInterrupt
        return outcome_of(case)

    measured.outcome = stop
    assert run(["bench", *words]) == 130
    out, err = capsys.readouterr()
    assert err == "stopped after 1 of 4\n"
    assert "first-a" in out
    if words:
        report = json.loads(out)
        names = [item["name"] for item in report["items"]]
        assert names == ["machine", "first-a: small", "stopped"]
        assert (report["ok"], report["items"][-1]["detail"]) == (False, "after 1 of 4")


def test_rows_are_listed_without_measuring(measured, capsys):
    assert run(["bench", "--list"]) == 0
    out = capsys.readouterr().out
    assert "first-b" in out
    assert "what first-b is\n" in out
    assert "beside other, gone\n" in out
    assert measured.calls == []


def test_the_whole_way_with_processes(capsys):
    # The real rows, the shortest way: one round of fresh processes.
    assert run(["bench", "import", "--seconds", "0", "--json"]) == 0
    _, item = report(capsys)["items"]
    assert item["status"] == "ok"
    assert list(item["ratios"]) == ["numpy"]
    assert {entry["rounds"] for entry in item["times"]} == {1}
