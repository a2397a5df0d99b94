"""Results are found again under the same key, and under no other."""

import pytest
from classwork import cell, notebook

from cgkit.grading import kept as store
from cgkit.grading.kept import (
    Kept,
    Learned,
    digest,
    environment,
    learned_body,
    learned_from,
    modules_of,
)
from cgkit.grading.master import read_master
from cgkit.grading.policy import Behavior, Policy
from cgkit.grading.result import CellResult, Flag, Result

RESULT = Result(
    "ada",
    (CellResult("test_mean", "test", 3.0, 4.0, message="so far"),),
    notes=("renamed",),
    flags=(Flag("reads files", "open", "mean"),),
    sources={"mean": "def mean(): ..."},
)


def test_a_result_comes_back_as_it_was(tmp_path):
    kept = Kept(tmp_path / "made" / "later")
    assert kept.get("ada", "01", "k") is None
    kept.put("ada", "01", "k", RESULT)
    assert kept.get("ada", "01", "k") == RESULT
    assert kept.get("ada", "01", "other") is None
    assert kept.get("bob", "01", "k") is None
    assert kept.get("ada", "02", "k") is None


def test_the_newest_takes_the_place_of_the_last(tmp_path):
    kept = Kept(tmp_path)
    kept.put("ada", "01", "old", RESULT)
    kept.put("ada", "01", "new", RESULT)
    assert kept.get("ada", "01", "old") is None
    assert len(list((tmp_path / "01").iterdir())) == 1


@pytest.mark.parametrize("name", ["..", "a/b", "x" * 300, "a\x00b", "李雷"])
def test_no_name_leads_out_of_the_folder(tmp_path, name):
    kept = Kept(tmp_path / "kept")
    kept.put(name, "01", "k", RESULT)
    assert kept.get(name, "01", "k") == RESULT
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"key": "k"}', b'{"key": "k", "result": 3}']
)
def test_a_damaged_file_counts_as_none(tmp_path, damage):
    kept = Kept(tmp_path)
    kept.put("ada", "01", "k", RESULT)
    (path,) = (tmp_path / "01").iterdir()
    path.write_bytes(damage)
    assert kept.get("ada", "01", "k") is None


def test_what_was_learned_comes_back(tmp_path):
    policy = Policy({"f": Behavior(frozenset({"object"}), frozenset({0}))}, {"test": 0.5})
    learned = Learned(policy, RESULT)
    assert learned_from(learned_body(learned)) == learned
    kept = Kept(tmp_path)
    kept.put_learned("01", "k", learned)
    assert kept.learned("01", "k") == learned
    assert kept.learned("01", "other") is None


def test_every_part_of_a_key_matters():
    assert digest("a", "b") != digest("b", "a")
    assert digest("ab") != digest("a", "b")
    assert digest(b"a") == digest("a")


def test_the_environment_is_summed_up_the_same_twice():
    assert environment() == environment()


def test_the_environment_changes_with_what_an_assignment_stands_on(monkeypatch, tmp_path):
    mine, theirs, lock = (
        tmp_path / "mine.py",
        tmp_path / "theirs.py",
        tmp_path / "requirements.lock",
    )
    for path in (mine, theirs, lock):
        path.write_text("1")
    monkeypatch.setattr(store, "TOP", tmp_path)
    monkeypatch.setattr(store, "reached", lambda names: [mine if "cgkit.mine" in names else theirs])
    before, other = environment(["cgkit.mine"]), environment()
    assert before != other
    theirs.write_text("2")
    assert environment(["cgkit.mine"]) == before
    assert environment() != other
    mine.write_text("2")
    changed = environment(["cgkit.mine"])
    assert changed != before
    lock.write_text("numpy==9")
    assert environment(["cgkit.mine"]) != changed


GIVEN = "import numpy\nfrom cgkit import render\nfrom cgkit.checks import graphs as check"
SOLUTION = "### BEGIN SOLUTION\ndef f(x):\n    return x\n### END SOLUTION"


@pytest.mark.parametrize(
    ("given", "test", "modules"),
    [
        (GIVEN, "check.f(f)", {"numpy", "cgkit.checks", "cgkit.checks.graphs"}),
        (GIVEN, "render.look(f)", {"numpy", "cgkit.render", "cgkit.checks", "cgkit.checks.graphs"}),
        ("1", "from cgkit.render import text\ntext(f)", {"cgkit.render", "cgkit.render.text"}),
        ("# grading: give cgkit.types:TensorType", "f(1)", {"cgkit.types"}),
    ],
)
def test_modules_of_an_assignment_are_those_of_its_cells(given, test, modules):
    cells = [cell("s", given, "given"), cell("f", SOLUTION, "solution"), cell("t", test, "test", 1)]
    assert modules_of(read_master(notebook(cells))) == modules
