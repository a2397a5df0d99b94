import pytest

from cgkit.grading.outcomes import (
    Died,
    StudentError,
    TimedOut,
    TooLong,
    builtin_base,
    error_class,
    error_of,
)


def test_an_error_is_one_of_its_built_in_kind():
    error = error_of({"type": "Mine", "bases": ["Mine", "KeyError"], "text": "k"}, None)
    assert isinstance(error, KeyError)
    assert isinstance(error, StudentError)
    assert type(error).__name__ == "Mine"


@pytest.mark.parametrize("name", ["SystemExit", "OSError", "StopIteration", "SyntaxError"])
def test_kinds_with_a_layout_of_their_own(name):
    error = error_of({"type": name, "bases": [name], "text": "x"}, None)
    assert isinstance(error, StudentError)


@pytest.mark.parametrize("name", ["StopIteration", "StopAsyncIteration"])
def test_no_error_ends_a_walk_of_the_test(name):
    error = error_of({"type": name, "bases": [name, "Exception"], "text": "x"}, None)
    assert type(error).__name__ == name
    assert not isinstance(error, StopIteration | StopAsyncIteration)


def test_an_error_that_wants_more_than_a_text():
    error = error_of({"type": "U", "bases": ["UnicodeDecodeError"], "text": "x"}, None)
    assert "x" in str(error)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"bases": 5, "text": None, "where": 3},
        {"type": "", "bases": [5, "eval", "__import__"]},
        {"where": [1, {"line": 2}]},
        {"bases": ["KeyboardInterrupt", "GeneratorExit"]},
    ],
    ids=str,
)
def test_nonsense_still_is_an_error(body):
    error = error_of(body, None)
    assert isinstance(error, StudentError)
    assert not isinstance(error, KeyboardInterrupt)
    error.place()


def test_the_place_is_the_students_last_line():
    body = {
        "where": [{"cell": "a", "line": 1, "code": "f()"}, {"cell": "b", "line": 2, "code": "g"}]
    }
    assert error_of(body, None).place() == "line 2 of b: g"


def test_only_exceptions_are_bases():
    assert builtin_base(["print", "int"]) is None
    assert error_class("x" * 500, None).__name__ == "x" * 80


def test_a_test_that_catches_exceptions_does_not_swallow_an_end():
    for kind in (TimedOut, Died, TooLong):
        assert not issubclass(kind, Exception)
    assert issubclass(TimedOut, KeyboardInterrupt)  # checks take it for a stopped kernel
