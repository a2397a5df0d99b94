"""Each rule finds what it is for; the assignments and checks of the course break none."""

import json
from pathlib import Path

import pytest
from classwork import assignment_cells, cell, notebook

from cgkit.grading.lint import lint, lint_checks
from cgkit.grading.master import read_master

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "solutions").glob("*/*.ipynb"))


def findings(text, extra=()):
    cells = [*assignment_cells(), *extra, cell("test_more", text, "test", 1)]
    found = lint(read_master(notebook(cells)))
    assert {one.where for one in found} <= {"test_more"}
    return [one.what for one in found]


GIVEN = [cell("shape", "class Shape:\n    pass", "given"), cell("toy", "toy = 3")]

WRONG = {
    "mean([1])": "what mean gives",
    "colors['red'][0]": "what colors gives",
    "mean([1]) == 1": "yes or no",
    "'done'": "no number of points",
    "assert mean([1]) == helper": "no given cell and no answer binds helper",
    "assert mean([toy]) == 3": "unlocked cell",
    "colors['red'] = 5": "with patch",
    "found = mean([1])\nassert isinstance(found, Shape)": "compare attributes",
    "import inspect\nassert 'for' in inspect.getsource(mean)": "source('name')",
    "try:\n    mean([])\nexcept:\n    pass": "except Exception",
    "try:\n    mean([])\nexcept BaseException:\n    pass": "except Exception",
    "import time\nstart = time.time()": "instead of timing",
    "assert eval(str(mean([1])))": "may come from a student",
    "import pickle": "neither pickles",
    "assert all(a == b for a, b in zip(order({}), [1, 2]))": "an empty answer passes",
    "### BEGIN HIDDEN TESTS\nk = 7\nassert mean([k]) == 7, f'not {k}'\n### END HIDDEN TESTS": (
        "would show k"
    ),
    "def f(:": "no Python",
    "!ls": "no Python",
    "points = mean([1])\npoints": "what mean gives",
    "5": "it ends with 5",
    "assert 'while' not in source('mean')": "has no source; use it in a hidden part",
    "del colors['red']": "with patch",
    "colors = {}": "this hides the student's colors",
    "assert type(mean) is Shape": "compare attributes",
    "from inspect import getsource\nassert 'for' in getsource(mean)": "source('name')",
    "try:\n    mean([])\nexcept (ValueError, BaseException):\n    pass": "except Exception",
    "import contextlib\nwith contextlib.suppress(BaseException):\n    mean([])": "except Exception",
    "from time import perf_counter\nstart = perf_counter()": "instead of timing",
    "assert open('answers.json').read() == mean([1])": "no file",
    "### BEGIN HIDDEN TESTS\nk = 7\nif mean([k]) != 7:\n    raise AssertionError(f'not {k}')\n"
    "### END HIDDEN TESTS": "would show k",
    "### BEGIN HIDDEN TESTS\nk = 7\nprint(k)\nassert mean([k]) == 7\n### END HIDDEN TESTS": (
        "would show k"
    ),
}


@pytest.mark.parametrize("text", WRONG)
def test_each_rule_finds_what_it_is_for(text):
    found = findings(text, GIVEN)
    assert len(found) == 1, found
    assert WRONG[text] in found[0]


@pytest.mark.parametrize(
    "text",
    [
        "assert mean([1]) == 1, 'the mean of one number is that number'",
        "1",
        "right = sum(mean([n]) == n for n in range(3))\n(right / 3, f'{right} of 3 are right')",
        "check.evaluate(mean)",
        "try:\n    mean([])\nexcept ZeroDivisionError:\n    pass\nelse:\n    assert False",
        "calls = []\ndef count(x):\n    calls.append(x)\n    return x\nmean([count(1)])\n1",
        "### BEGIN HIDDEN TESTS\nwith patch('colors', {}):\n    assert colors == {}\n"
        "assert 'while' not in source('mean')\n### END HIDDEN TESTS",
        "def source(name):\n    return name\nassert source('mean')",
        "assert isinstance(mean([1]), float) and type(mean([1])) is float",
        "try:\n    mean([])\nexcept BaseException:\n    raise",
        "assert [mean for mean in (1, 2)] == [1, 2]",
    ],
)
def test_good_tests_are_left_alone(text):
    assert findings(text, GIVEN) == []


def test_a_locked_cell_that_holds_a_secret_is_found():
    text = "import math\nhidden_one = {'a': []}\nexample = 3\ndef reference(g): return [*g]"
    hidden = "assert order(hidden_one) == reference(hidden_one) and math.pi and example"
    cells = [
        *assignment_cells(),
        cell("given", text, "given"),
        cell("shown", "example + 1", "given"),
        cell("t", f"### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS", "test", 1),
    ]
    found = lint(read_master(notebook(cells)))
    assert [(one.where, one.line) for one in found] == [("given", 2), ("given", 4)]
    assert "students see hidden_one here, which only a hidden test reads" in found[0].what


def test_slow_cells_say_how_long_they_may_take():
    master = read_master(notebook(assignment_cells()))
    (found,) = lint(master, {"test_mean": 3.0})
    assert "# limit: N seconds" in found.what
    cells = assignment_cells()
    cells[4]["source"] = "# limit: 30 seconds\n" + cells[4]["source"]
    assert lint(read_master(notebook(cells)), {"test_mean": 3.0}) == ()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_assignments_of_the_course_break_no_rule(path):
    assert lint(read_master(json.loads(path.read_text(encoding="utf-8")))) == ()


def test_there_are_assignments():
    assert NOTEBOOKS


def test_the_checks_of_the_course_break_no_rule():
    paths = sorted((ROOT / "cgkit" / "checks").rglob("*.py"))
    assert paths
    assert lint_checks(paths) == ()


def test_a_check_that_times_is_found(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text("import time\n\n\ndef check(f):\n    return time.perf_counter()\n")
    (found,) = lint_checks([path])
    assert (found.where, found.line) == ("slow.py", 5)
