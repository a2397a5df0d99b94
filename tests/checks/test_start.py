"""The checks of assignment 00_start: each by itself, and all of them for 100 points or none."""

import json
import subprocess
import sys

import graphviz
import numpy as np
import pytest

from cgkit.checks import NotAnswered, start


def times_table(n):
    return np.outer(np.arange(1, n + 1), np.arange(1, n + 1))


def center(a):
    return a - np.mean(a, axis=0)


def scale(a):
    return (a.T / a.sum(axis=1)).T


STRIDES = {"a": (32, 8), "a.T": (8, 32), "a[:, ::2]": (32, 16), "a[::-1]": (-32, 8)}
DRAWING = 'digraph { x -> "+"; y -> "+" }'
ALL = (times_table, center, STRIDES, scale, DRAWING)


def test_strides_are_those_of_numpy():
    a = np.zeros((3, 4))
    views = {"a": a, "a.T": a.T, "a[:, ::2]": a[:, ::2], "a[::-1]": a[::-1]}
    assert {name: view.strides for name, view in views.items()} == STRIDES
    assert start.strides(STRIDES).sentence


def test_everything_is_worth_a_hundred():
    assert start.everything(*ALL).points == 100
    assert start.everything(*ALL, seed=5).out_of == 100


@pytest.mark.parametrize("place", range(5))
def test_one_thing_missing_is_worth_nothing(place, failure):
    answers = list(ALL)
    answers[place] = None
    failed = failure(start.everything, *answers)
    assert isinstance(failed, NotAnswered)
    assert failed.out_of == 100
    assert str(failed).startswith("✗ everything")
    assert "0 of 100 points" in str(failed).splitlines()[0]
    assert "cgkit hint 00 everything 2" in str(failed)


@pytest.mark.parametrize(
    ("check", "answer", "name"),
    [
        (start.times_table, lambda n: np.arange(n)[:, None] * np.arange(n), "counted from 0"),
        (start.times_table, lambda n: np.arange(1, n + 1) ** 2, "no column"),
        (start.center, lambda a: a - a.mean(axis=1, keepdims=True), "rows centered"),
        (start.center, lambda a: a - a.mean(), "one mean for all"),
        (start.scale, lambda a: a / a.sum(axis=1), "the sums meet the wrong axis"),
        (start.scale, lambda a: a / a.sum(axis=0), "columns scaled"),
    ],
)
def test_mistakes_have_names(check, answer, name, failure):
    assert failure(check, answer).misconception == name


def test_a_changed_array_is_a_fault(failure):
    def careless(a):
        a -= a.mean(axis=0)
        return a

    assert failure(start.center, careless).stage == "invariants"


def test_floats_in_a_table_of_integers(failure):
    assert "float64" in failure(start.times_table, lambda n: 1.0 * times_table(n)).why


@pytest.mark.parametrize("name", STRIDES)
def test_each_stride_is_asked(name, failure):
    failed = failure(start.strides, {**STRIDES, name: (8, 8)})
    assert repr(name) in failed.called
    assert str(STRIDES[name]) not in str(failed)


def test_strides_that_are_not_there(failure):
    for nothing in (None, {}, dict.fromkeys(STRIDES)):
        assert failure(start.strides, nothing).got == "nothing yet"
    assert failure(start.strides, 3).got == "3"
    assert failure(start.strides, {"a": (32, 8)}).got == "nothing yet"


def test_strides_in_other_words_are_named(failure):
    in_numbers = failure(start.strides, {**STRIDES, "a": (4, 1)})
    assert in_numbers.misconception == "counted in numbers, not in bytes"
    assert failure(start.strides, {**STRIDES, "a": (8, 32)}).misconception == "the axes exchanged"
    assert "round brackets" in failure(start.strides, {**STRIDES, "a": [32, 8]}).why


def test_what_counts_for_the_hundred_says_so(failure):
    for check, answer in ((start.center, center), (start.scale, scale), (start.strides, STRIDES)):
        assert check(answer).heading.endswith("counts for the 100")
        assert "counts for the 100" in str(failure(check, None))


def test_drawings(failure):
    assert start.first_drawing(graphviz.Source(DRAWING)).sentence
    assert (
        "an arrow is missing" in failure(start.first_drawing, 'digraph { x -> "+"; y }').why.lower()
    )
    assert isinstance(failure(start.first_drawing, None), NotAnswered)


def test_look_never_fails():
    assert "looks like" in start.look(start.scale, lambda a: a / a.sum(axis=1)).text
    assert repr(start.look(start.scale, scale)).startswith("✓ scale")


def pretend(monkeypatch, stdout, stderr=""):
    def run(command, **_):
        assert command[0] == sys.executable
        return subprocess.CompletedProcess(command, 0, stdout, stderr)

    monkeypatch.setattr(subprocess, "run", run)


def test_doctor(monkeypatch, failure):
    items = [{"name": "python", "status": "ok", "detail": "3.11"}]
    pretend(monkeypatch, json.dumps({"schema": 1, "ok": True, "items": items}))
    assert "1 thing" in start.doctor().sentence
    items.append({"name": "kernel", "status": "failed", "detail": "run: python start.py"})
    pretend(monkeypatch, json.dumps({"schema": 1, "ok": False, "items": items}))
    assert "kernel: run: python start.py" in failure(start.doctor).got
    pretend(monkeypatch, "", "no such thing")
    assert "no such thing" in failure(start.doctor).got
