"""autograd's own tests: the figures are lower bounds; small files show how each end is counted."""

from pathlib import Path

import pytest

from cgkit.conformance.hips import source
from cgkit.conformance.hips.suite import (
    AUTOGRAD,
    FILES,
    READINGS,
    WANTED,
    prepare,
    read_report,
    run_file,
)
from cgkit.conformance.suite import run_cases
from cgkit.conformance.tally import NOT_TRIED, Tally

BUILD = Path(__file__).resolve().parents[3] / "build" / "conformance"

TESTS = """
import pytest
import autograd.numpy as np
from autograd import grad

def test_right():
    assert grad(lambda x: np.sum(np.sin(x)))(0.0) == 1.0

def test_wrong():
    assert grad(lambda x: np.sum(np.sin(x)))(0.0) == 2.0

@pytest.mark.skip
def test_skipped():
    pass

@pytest.fixture
def broken():
    raise ValueError("no fixture")

def test_in_error(broken):
    pass
"""


def test_the_denominator_is_what_autograd_passes():
    assert sum(FILES.values()) == 618
    assert WANTED == 350
    assert round(AUTOGRAD.wanted, 1) == 56.6
    assert AUTOGRAD.fetch is source.fetch


def test_each_end_of_a_test_is_counted(tmp_path):
    path = tmp_path / "test_small.py"
    path.write_text(TESTS)
    found = run_file(path, "small", 5)
    assert [bool(x.failed) for x in found] == [False, True, True, True, True]
    assert found[1].reason.startswith("assert") or "assert" in found[1].reason
    assert "no fixture" in found[2].reason
    assert all(x.reason.startswith(NOT_TRIED) for x in found[3:])


@pytest.mark.parametrize("name", ["PYTHONOPTIMIZE", "PYTEST_ADDOPTS"])
def test_a_variable_does_not_change_what_passes(tmp_path, monkeypatch, name):
    # without asserts, every test that runs to its end would pass
    monkeypatch.setenv(name, {"PYTHONOPTIMIZE": "1", "PYTEST_ADDOPTS": "-k right"}[name])
    path = tmp_path / "test_small.py"
    path.write_text(TESTS)
    assert [bool(x.failed) for x in run_file(path, "small", 3)] == [False, True, True]


def test_a_file_that_cannot_be_read(tmp_path):
    path = tmp_path / "test_small.py"
    path.write_text("from autograd import no_such_thing\n")
    found = run_file(path, "small", 2)
    assert len(found) == 2
    assert "cannot import name 'no_such_thing'" in found[0].reason


def test_no_report_is_no_test():
    assert read_report("<none/>", "a") == ([], "")


@pytest.mark.oracle
def test_figures():
    source.fetch(BUILD)
    found = run_cases(prepare(BUILD), READINGS, {}, lambda case, outcomes: None)
    tally = Tally(READINGS, found)
    total = tally.total()
    assert total.tried == 618
    assert total.passed >= 366, total.reasons
    whole = ("binary_ops", "core", "dict", "jacobian", "list", "scalar_ops", "tests", "tuple")
    assert {name: tally.rows[name].share() for name in whole} == dict.fromkeys(whole, 100.0)
    assert tally.rows["numpy"].passed >= 104
