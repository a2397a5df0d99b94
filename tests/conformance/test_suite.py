"""Suites: what breaks is counted, what is done is not run again, what is missing is named."""

import pytest

from cgkit.conformance.suite import Case, Suite, outcomes_of, run_cases, said
from cgkit.conformance.tally import Outcome, Row
from cgkit.errors import EnvironmentFault, ShapeError

READINGS = ("forward",)


def breaks():
    raise ShapeError("3 is not 4", why="they differ")


def test_a_case_that_breaks_is_counted():
    case = Case("a", "add", breaks, size=2)
    assert outcomes_of(case, READINGS) == [Outcome("add", READINGS, "ShapeError: 3 is not 4")] * 2


def test_a_case_that_gives_too_little_is_filled_up():
    case = Case("a", "add", lambda: [Outcome("add")], size=3)
    found = outcomes_of(case, READINGS)
    assert [x.failed for x in found] == [(), READINGS, READINGS]
    assert found[-1].reason == "not tried"


def test_an_interruption_is_no_outcome():
    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outcomes_of(Case("a", "add", stopped), READINGS)


def test_what_is_done_is_not_run_again():
    ran, told = [], []

    def run(name):
        return lambda: ran.append(name) or [Outcome(name)]

    cases = [Case(name, name, run(name)) for name in "abc"]
    done = {"b": [Outcome("b", READINGS, "as before")]}
    found = list(run_cases(cases, READINGS, done, lambda case, outcomes: told.append(case.name)))
    assert ran == told == ["a", "c"]
    assert [x.reason for x in found] == ["", "as before", ""]


def test_a_missing_package_is_named_with_its_cure():
    suite = Suite("tiny", "nothing", lambda folder: [], READINGS, needs=("json", "no_such_package"))
    with pytest.raises(EnvironmentFault) as caught:
        suite.require()
    assert "'tiny' needs no_such_package" in str(caught.value)
    assert "python start.py conformance tiny" in str(caught.value)
    Suite("tiny", "nothing", lambda folder: [], READINGS, needs=("json",)).require()


def test_a_package_that_is_broken_is_told_with_its_cure(tmp_path):
    def broken(folder):
        raise ImportError("libtorch.so: no such file\nand more")

    suite = Suite("tiny", "nothing", broken, READINGS)
    with pytest.raises(EnvironmentFault, match="'tiny' cannot be made ready") as caught:
        suite.ready(tmp_path)
    assert caught.value.why == "ImportError: libtorch.so: no such file"
    assert Suite("tiny", "nothing", lambda folder: [], READINGS).ready(tmp_path) == ([], "")


def test_of_nothing_not_enough_passed():
    suite = Suite("tiny", "nothing", lambda folder: [], READINGS, wanted=0.0, wanted_each=0.0)
    assert not suite.good(Row(), {})


@pytest.mark.parametrize(
    ("passed", "good"), [((10, 10), True), ((9, 10), True), ((8, 10), False), ((9, 9), False)]
)
def test_good_is_enough_of_all_and_of_each(passed, good):
    suite = Suite("tiny", "nothing", lambda folder: [], READINGS, wanted=95.0, wanted_each=90.0)
    first, second = passed
    rows = {"a": Row(first, 10), "b": Row(second, 10)}
    assert suite.good(Row(first + second, 20), rows) is good


def test_errors_without_words_have_a_name():
    assert said(KeyError()) == "KeyError"
    assert said(ValueError("\n no \n why")) == "ValueError: no"
