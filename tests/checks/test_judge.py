import numpy as np
import pytest

from cgkit.checks.judge import Raises, Returned, compare, exception_fault, judge, place


def fault(value, expected, tolerance=1e-9, **settings):
    return judge(Returned(value, **settings), expected, "f", tolerance)


@pytest.mark.parametrize(
    ("value", "expected", "stage", "word"),
    [
        ("a", 1, "type", "a number"),
        ([1], (1,), "type", "gave a list"),
        ((1, 2), (1,), "shape", "2 items"),
        ((1, "a"), (1, 2), "type", "a text"),
        ((1, 3), (1, 2), "values", "another one"),
        ({"a": 1}, {"a": 1, "b": 2}, "shape", "missing: b"),
        ({"a": 1, "c": 0}, {"a": 1}, "shape", "too many: c"),
        ({"a": 1}, {"a": 2}, "values", "another value"),
        (np.zeros(2), np.zeros((2, 1)), "shape", "(2,)"),
        (np.zeros(2, int), np.zeros(2), "type", "int64"),
        (np.zeros(2), np.ones(2), "values", "shape is right"),
        (None, 1, "type", "Is there a return"),
    ],
)
def test_stages(value, expected, stage, word):
    found = fault(value, expected)
    assert found.stage == stage
    assert word in found.why


def test_right_values_have_no_fault():
    for value in (1, (1, 2), {"a": [1]}, None, np.ones(3)):
        assert fault(value, value) is None


def test_exact_sizes():
    assert fault((2.0,), (2,), tolerance=0).why == "An item should be an int, and it is a float."


def test_odd_and_changed():
    assert "class X" in fault(None, 1, odd="an object of class X").why
    found = fault(1, 1, changed="argument 2")
    assert (found.stage, found.got) == ("invariants", "1, and argument 2 was changed")


def test_expected_refusals():
    refusal = Raises(ValueError, "2 meets 3.")
    assert judge(ValueError("no"), refusal, "f", 0) is None
    assert judge(UnicodeError("no"), refusal, "f", 0) is None
    assert judge(Returned((2,)), refusal, "f", 0).why == "2 meets 3."
    assert judge(KeyError("k"), refusal, "f", 0).expected == "raise ValueError"


def helper():
    return {}["missing"]


def student():
    return helper()


def test_the_students_line_is_named():
    with pytest.raises(KeyError) as caught:
        student()
    found = exception_fault(caught.value, "student")
    assert 'return {}["missing"]' in found.got
    assert "of helper" in found.got


def test_a_line_inside_a_library_is_not_the_students():
    with pytest.raises(ValueError, match="shape") as caught:
        np.zeros(3).reshape(2)
    assert "np.zeros(3)" in place(caught.value)


def test_places_carried_over_from_another_process():
    error = ValueError("no")
    error.where = [{"cell": "evaluate", "line": 3, "code": "  return 1/0  "}]
    assert place(error) == "line 3: return 1/0"
    error.where = "nonsense"
    assert place(error) == ""


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (NotImplementedError(), "not written yet"),
        (RecursionError(), "calls itself"),
        (SystemExit(1), "ended the program"),
        (TypeError("f() takes 0 positional arguments but 1 was given"), "does not take them"),
        (KeyError("x"), "does not hold"),
        (ZeroDivisionError("by zero"), "stopped with an error"),
    ],
)
def test_sentences_for_errors(error, word):
    assert word in exception_fault(error, "f").why


def test_compare_gives_nothing_for_equal_values():
    assert compare(1, 1.0, "f", 1e-9) is None
