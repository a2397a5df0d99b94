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
        ((1, 3), (1, 2), "values", "Item 2 is 3; it should be 2."),
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
    assert fault((2.0,), (2,), tolerance=0).why == "Item 1 should be an int, and it is a float."


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


def test_a_size_is_called_a_size():
    found = judge(Returned((3, 3)), (3, 2), "conv_shape", 0)
    assert found.why == "Size 2 is 3; it should be 2."


def test_items_are_compared_as_closely_as_the_whole():
    assert "Item 2 is 2.5" in fault([1.0, 2.5], [1.0 + 1e-12, 2.0]).why


def test_one_thing_is_not_several():
    assert fault((1,), (1, 2)).why == "There is 1 item in it; there should be 2."


def refuses(error):
    raise error


def refusal(error, expected):
    with pytest.raises(type(error)) as caught:
        refuses(error)
    return judge(caught.value, expected, "f", 0).why


def test_refusals_that_are_wrong_are_called_refusals():
    wanted = Raises(ValueError)
    assert refusal(TypeError("no"), wanted) == (
        "It refused, but with TypeError; the task asks for ValueError."
    )
    assert refusal(ValueError("no"), (2,)) == "f refused, and these arguments are fine."
    assert "stopped with an error" in refusal(TypeError("no"), (2,))
    assert judge(IndexError("i"), wanted, "f", 0).why == (
        "It should refuse, and it stopped with IndexError; the task asks for ValueError."
    )
    assert "stopped with an error" in judge(ValueError("zip()"), (2,), "f", 0).why


def test_only_a_stub_is_not_written_yet():
    class StdinNotImplementedError(NotImplementedError):
        pass

    for error in (StdinNotImplementedError("no"), EOFError()):
        found = exception_fault(error, "f")
        assert "input()" in found.why
        assert not found.unanswered
    # the class that stands for it, when it was raised in another process
    found = exception_fault(type("NotImplementedError", (NotImplementedError,), {})(), "f")
    assert found.unanswered


def test_a_line_in_a_comprehension_belongs_to_its_function():
    def halves(numbers):
        return [1 / number for number in numbers]

    with pytest.raises(ZeroDivisionError) as caught:
        halves([0])
    assert "of halves: return [1 / number" in place(caught.value)


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
