import pytest

from cgkit.checks import CheckFailed
from cgkit.grading.codec import Refused
from cgkit.grading.outcomes import Died, StudentError, TimedOut, TooLong
from cgkit.grading.testcell import ended, run_test


@pytest.mark.parametrize(
    ("source", "value"),
    [("1 + 1", 2), ("x = 3", None), ("x = 3\nx + 1", 4), ("", None), ("def f(): return 1", None)],
)
def test_a_cell_ends_with_its_last_expression(source, value):
    assert run_test(source, "<test>", {}) == value


def test_a_check_speaks_for_itself():
    failed = CheckFailed("values", got="5", expected="4", why="No.", task="f", out_of=2)
    how = ended(failed)
    assert how.words == str(failed)
    assert not how.by_hand


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TimedOut("x"), "did not come to an end"),
        (Died("the process is gone"), "the process is gone"),
        (TooLong(), "did not come to an end"),
        (Refused("too large"), "too large"),
        (MemoryError(), "memory"),
        (RecursionError(), "nested"),
        (AssertionError("3 is not 4"), "3 is not 4"),
        (AssertionError(), "not what was asked"),
        (TypeError("no +"), "TypeError: no +"),
    ],
)
def test_every_end_has_words_and_counts(error, words):
    how = ended(error)
    assert words in how.words
    assert not how.by_hand


def test_the_students_line_is_named():
    error = StudentError("bad")
    error.where = ({"cell": "mean", "line": 3, "code": "x = y"},)
    assert ended(error).words == "StudentError: bad\n  at line 3 of mean: x = y"


def test_a_fault_that_may_be_the_authors_is_for_a_person():
    assert "own fault" in ended(ZeroDivisionError("x")).by_hand


HIDDEN = "import numpy as np\ngot = np.zeros(2)\n"
SEEN = "np.testing.assert_allclose(got, [3.0, 4.5])"


def failed(source):
    try:
        run_test(source, "<test t>", {})
    except AssertionError as error:
        return error
    raise ValueError("it passed")


@pytest.mark.parametrize(
    "line",
    [
        SEEN,
        "np.testing.assert_array_equal(got, [3.0, 4.5])",
        "import unittest\nunittest.TestCase().assertEqual(got[0], 4.5)",
        "def compare():\n    np.testing.assert_equal(got, [3.0, 4.5])\ncompare()",
    ],
)
def test_what_a_library_says_of_a_hidden_line_is_not_told(line):
    error = failed(HIDDEN + line)
    assert "4.5" in str(error)
    assert ended(error, HIDDEN + line, HIDDEN).words == ended(AssertionError()).words


def test_what_a_library_says_of_a_line_in_sight_is_told():
    assert "4.5" in ended(failed(HIDDEN + SEEN), HIDDEN + SEEN, HIDDEN + SEEN).words


@pytest.mark.parametrize(
    "line", ["assert got is None, 'no list'", "raise AssertionError('no list')"]
)
def test_an_authors_own_words_are_told(line):
    assert ended(failed(HIDDEN + line), HIDDEN + line, HIDDEN).words == "no list"
