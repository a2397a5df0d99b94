"""Results are found again under the same key, and under no other."""

import pytest

from cgkit.grading.kept import Kept, Learned, digest, environment, learned_body, learned_from
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
