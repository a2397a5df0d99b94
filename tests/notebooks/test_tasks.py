"""How a task stands, read from outputs; and a whole notebook, run."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from cgkit.errors import NotebookError, UsageFault
from cgkit.notebooks.compose import dump
from cgkit.notebooks.run import Limits
from cgkit.notebooks.tasks import inspect_notebook, report
from cgkit.score import Score


def graded(*outputs, points=5, source="check()", count=3):
    nbgrader = {"grade": True, "solution": False, "grade_id": "test_sum", "points": points}
    return new_code_cell(
        source, outputs=list(outputs), execution_count=count, metadata={"nbgrader": nbgrader}
    )


def answer(*outputs, count=2, **more):
    nbgrader = {"grade": False, "solution": True, "grade_id": "sum"} | more
    return new_code_cell(
        "s", outputs=list(outputs), execution_count=count, metadata={"nbgrader": nbgrader}
    )


def value(plain, **more):
    return new_output("execute_result", data={"text/plain": plain, **more}, execution_count=1)


def error(name, message, *lines):
    return new_output("error", ename=name, evalue=message, traceback=list(lines))


def task(*cells):
    (found,) = report(new_notebook(cells=list(cells))).tasks
    return found


@pytest.mark.parametrize(
    ("outputs", "given"),
    [
        ([], 5),
        ([value("5")], 5),
        ([value("2.5")], 2.5),
        ([value("0")], 0),
        ([new_output("stream", name="stdout", text="4"), value("3")], 3),
    ],
)
def test_points_are_those_the_check_gave(outputs, given):
    found = task(graded(*outputs))
    assert (found.name, found.given, found.out_of, found.error) == ("test_sum", given, 5, "")
    assert found.passed == (given == 5)


@pytest.mark.parametrize(("plain", "given"), [("(2.5, 'half of it')", 2.5), ("(0, 'none')", 0)])
def test_points_may_come_with_words(plain, given):
    found = task(graded(value(plain)))
    assert (found.given, found.error) == (given, "")
    assert found.message in ("half of it", "none")


@pytest.mark.parametrize(
    "plain",
    [
        "-1", "nan", "inf", "6", "True", "np.float64(1.0)", "", "'5'", "(True, 'all')",
        "(6, 'more')", "(1, 2)", "(1, 'a', 'b')", "[1, 'a']", "(1, 'a'", "(" * 999,
    ],
)  # fmt: skip
def test_what_is_no_number_of_points_gives_none(plain):
    found = task(graded(value(plain)))
    assert (found.given, found.error) == (0, "NoPoints")
    assert f"gave {plain}, which" in found.message


def test_a_warning_costs_the_points_and_says_so():
    found = task(graded(new_output("stream", name="stderr", text="careful\n"), value("5")))
    assert (found.given, found.message.splitlines()[0][-7:]) == (0, "careful")
    assert not found.passed


def test_a_stretch_task_passes_without_points():
    assert task(graded(value("0"), points=0)).passed
    failed = task(graded(error("CheckFailed", "no", "✗ sum"), points=0))
    assert not failed.passed


def shown(score):
    return value(repr(score), **{"text/html": score._repr_html_()})


@pytest.mark.parametrize(
    "score",
    [
        Score(5, 5, "right on 5 graphs < 40 nodes", task="sum"),
        Score(2, 5, "right on 2 of 5 graphs", task="sum", missing="got   <1>\n    2\n\nhint"),
        Score(5, 5, "right on a long list of things " * 6, task="sum"),
        Score(0, 0, "right", task="sum", worth="counts for the 100"),
    ],
)
def test_a_score_says_in_a_terminal_what_it_says_by_itself(score):
    assert task(graded(shown(score), points=score.out_of)).message == score.text()


def test_other_html_is_taken_as_words():
    assert task(graded(value("5", **{"text/html": "<p>so it is</p>"}))).message == "so it is"


def test_the_block_of_a_check_is_shown_whole_and_plain():
    block = ["\x1b[31m✗ sum\x1b[0m        0 of 5 points", "", "got  1"]
    found = task(graded(error("CheckFailed", "...", *block)))
    assert found.message == "✗ sum        0 of 5 points\n\ngot  1"
    assert (found.given, found.error) == (0, "CheckFailed")


def test_a_traceback_is_told_in_a_line_with_its_place():
    traceback = [
        "\x1b[31m" + "-" * 75,
        "NameError           Traceback (most recent call last)",
        "Cell \x1b[32mIn[3]\x1b[39m, line 1\n----> 1 check()",
        "Cell In[2], line 7, in s()\n----> 7 y",
        "NameError: name 'y' is not defined",
    ]
    failed = error("NameError", "name 'y' is not defined", *traceback)
    found = task(answer(), graded(failed))
    assert found.message == "NameError: name 'y' is not defined\n  at line 7 of the cell sum"


def missing(name, count):
    places = [
        f"Cell In[{count}], line 1",
        "----> 1 check",
        f"NameError: name '{name}' is not defined",
    ]
    lines = ["-" * 75, "NameError     Traceback (most recent call last)", *places]
    return graded(error("NameError", f"name '{name}' is not defined", *lines), count=count)


def test_a_missing_name_is_explained_once():
    cells = [missing("check", count) for count in (3, 4, 5)]
    for place, cell in enumerate(cells):
        cell.metadata["nbgrader"]["grade_id"] = f"test_{place}"
    said = [found.message for found in report(new_notebook(cells=cells)).tasks]
    assert said[0] == "check is not there: the cell that makes it does not run, or is missing"
    assert said[1:] == ["check is missing here too, as in test_0"] * 2


def test_a_taken_name_is_explained_once():
    cells = []
    for count, name in enumerate(("sum", "mean"), start=3):
        lines = ["-" * 75, "AttributeError     Traceback (most recent call last)"]
        said = f"'int' object has no attribute '{name}'"
        cell = graded(
            error("AttributeError", said, *lines, f"Cell In[{count}], line 1"), count=count
        )
        cell.metadata["nbgrader"]["grade_id"] = f"test_{name}"
        cells.append(cell)
    said = [found.message for found in report(new_notebook(cells=cells)).tasks]
    assert said[0].startswith("check is no longer what it was: a cell above gives another value")
    assert said[1] == "check is missing here too, as in test_sum"


def test_cells_that_lack_the_same_name_are_told_once():
    failed = [error("NameError", f"name '{name}' is not defined") for name in ("f", "f", "g")]
    cells = [new_code_cell(f"{place}", outputs=[one]) for place, one in enumerate(failed)]
    found = report(new_notebook(cells=[*cells, graded()])).broken
    assert [broken.name for broken in found] == ['"0"', '"2"']


def test_an_error_without_a_message_is_no_bare_colon():
    lines = ["-" * 75, "AssertionError   Traceback (most recent call last)", "Cell In[3], line 1"]
    found = task(graded(error("AssertionError", "", *lines)))
    assert found.message == "AssertionError\n  at line 1 of the cell test_sum"


def test_a_cell_without_a_name_is_called_by_its_first_line():
    lines = [
        "-" * 75,
        "ZeroDivisionError   Traceback (most recent call last)",
        "Cell In[7], line 2",
    ]
    cell = new_code_cell(
        "\nx = 1\nx / 0",
        outputs=[error("ZeroDivisionError", "division by zero", *lines)],
        execution_count=7,
    )
    (broken,) = report(new_notebook(cells=[cell, graded()])).broken
    assert broken.name == '"x = 1..."'
    assert broken.message.endswith('at line 2 of the cell "x = 1..."')


def test_a_stub_below_a_right_answer_is_told():
    stub = error("NotImplementedError", "", "-" * 75, "Cell In[2], line 4\n")
    done, nothing = (
        report(new_notebook(cells=[answer(stub), cell]))
        for cell in (graded(value("5")), graded(stub))
    )
    assert done.notes[0].startswith("sum: raise NotImplementedError() still stands below")
    assert nothing.notes == ()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("YOUR ANSWER HERE", "not answered yet"),
        (" ", "not answered yet"),
        ("So.", "read by a person"),
    ],
)
def test_a_written_answer_that_nobody_began_says_so(source, words):
    nbgrader = {"grade": True, "solution": True, "grade_id": "why", "points": 10}
    assert task(new_markdown_cell(source, metadata={"nbgrader": nbgrader})).message == words


def test_an_unwritten_task_is_no_broken_cell():
    missing = error("NotImplementedError", "", "-" * 75, "Cell In[2], line 4\n", "Not...")
    result = report(new_notebook(cells=[answer(missing), graded(missing)]))
    assert result.broken == ()
    assert result.tasks[0].message == "not written yet\n  at line 4 of the cell sum"


def test_a_syntax_error_is_shown_with_its_line():
    lines = ["  Cell In[2], line 1\n    def f(a)\n            ^", "SyntaxError: expected ':'"]
    result = report(new_notebook(cells=[answer(error("SyntaxError", "x", *lines))]))
    (broken,) = result.broken
    assert broken.name == "sum"
    assert broken.message.splitlines()[0] == "  line 1"
    assert broken.message.splitlines()[-1] == "SyntaxError: expected ':'"


def test_a_cell_that_never_ran_gives_nothing():
    found = task(graded(count=None))
    assert (found.given, found.error) == (0, "NotRun")


def test_a_wholly_hidden_check_comes_later():
    found = task(graded(source="", count=None))
    assert (found.by_hand, found.message) == (True, "checked after you hand it in")


def test_written_answers_wait_for_a_person_and_are_not_summed():
    written = new_markdown_cell(
        "Why?",
        metadata={"nbgrader": {"grade": True, "solution": True, "grade_id": "w", "points": 10}},
    )
    result = report(new_notebook(cells=[written, graded(value("3"))]))
    assert [found.by_hand for found in result.tasks] == [True, False]
    assert (result.given, result.out_of) == (3, 5)


@pytest.mark.parametrize("points", [None, "5", float("nan")])
def test_damaged_points_count_as_none(points):
    assert task(graded(value("0"), points=points)).out_of == 0


def test_a_notebook_is_run_and_not_written_to(tmp_path):
    path = tmp_path / "a.ipynb"
    cells = [
        new_code_cell("import os\nopen('ran', 'w').close()"),
        answer(),
        graded(source="2"),
        new_code_cell("1 / 0"),
    ]
    cells[1].source = "while True: pass"
    path.write_text(dump(new_notebook(cells=cells)), encoding="utf-8")
    before = path.read_bytes()
    result = inspect_notebook(path, Limits(cell=1))
    assert path.read_bytes() == before
    assert (tmp_path / "ran").exists()
    assert [found.given for found in result.tasks] == [2]
    assert [(found.name, found.error) for found in result.broken] == [
        ("sum", "TimeLimit"),
        ('"1 / 0"', "ZeroDivisionError"),
    ]


def test_a_missing_file_and_a_chapter_are_refused(tmp_path):
    with pytest.raises(UsageFault, match="there is no file"):
        inspect_notebook(tmp_path / "none.ipynb")
    path = tmp_path / "chapter.ipynb"
    path.write_text(dump(new_notebook(cells=[new_code_cell("1")])), encoding="utf-8")
    with pytest.raises(NotebookError, match="no task in"):
        inspect_notebook(path)
