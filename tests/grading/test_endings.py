"""Points that a student would set are found, however they are dressed."""

import ast

import pytest

from cgkit.grading.endings import faults

EXPORTED = frozenset({"mean", "table", "Stack"})


def found(text, points=4):
    return list(faults(ast.parse(text), EXPORTED, points))


@pytest.mark.parametrize(
    "text",
    [
        "mean([1])",
        "table['a'][0]",
        "float(mean([1]))",
        "max(0, min(4, round(mean([1]))))",
        "mean([1]) if True else 0",
        "2 * mean([1]) + 1",
        "-mean([1])",
        "(mean([1]), 'words')",
        "points = mean([1])\npoints",
        "a, b = mean([1]), 2\na",
        "points = 0\nfor x in [1, 2]:\n    points += mean([x])\npoints",
        "s = Stack()\nn = s.pop()\nn",
        "sum(x for x in mean([1]))",
        "sum(mean([x]) for x in [1])",
        "with Stack() as s:\n    pass\ns.points",
        "len(mean([1]))",
        "(points := mean([1]))",
    ],
)
def test_what_a_student_would_set(text):
    assert any("a student would set the points" in one for one in found(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "assert mean([1]) == 1",
        "3",
        "2.5",
        "(3, 'well done')",
        "check.mean(mean)",
        "Score(3, 4, 'words')",
        "right = sum(mean([n]) == n for n in range(3))\n(right, f'{right} of 3')",
        "points = 0\nfor x in [1, 2]:\n    points += int(mean([x]) == x)\npoints",
        "calls = []\nmean([calls.append(1)])\nlen(calls)",
        "points = mean([1])\npoints = 3\npoints",
        "np.isclose(mean([1]), 1).sum()",
        "def helper():\n    points = mean([1])\npoints = 1\npoints",
        "3 if mean([1]) == 1 else 0",
    ],
)
def test_what_is_the_authors_own(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mean([1]) == 1", "yes or no"),
        ("not mean([1])", "yes or no"),
        ("True", "no number of points"),
        ("'done'", "no number of points"),
        ("(True, 'all')", "no number of points"),
        ("-1", "it ends with -1, and the cell gives 0 to 4 points"),
        ("5", "it ends with 5, and the cell gives 0 to 4 points"),
        ("(9, 'more')", "it ends with 9"),
    ],
)
def test_what_is_no_number_of_points(text, words):
    (one,) = found(text)
    assert words in one
