"""What a test does in a kernel and when work is graded is one thing, or it is named."""

import json

import nbformat
import pytest

from cgkit.errors import NotebookError
from cgkit.grading.master import read_master
from cgkit.notebooks.run import Limits, run
from cgkit.notebooks.tasks import report
from cgkit.notebooks.trial import grade_answers, with_offers


def cell(name, source, **roles):
    nbgrader = {"grade_id": name, "schema_version": 3, "solution": False, "grade": False} | roles
    metadata = {"nbgrader": nbgrader}
    more = {"outputs": [], "execution_count": None}
    return {"cell_type": "code", "id": name, "metadata": metadata, "source": source, **more}


def assignment(test):
    cells = [
        cell("answer", "table = {'a': 1}\ndef first():\n    return table['a']", solution=True),
        cell("test_first", test, grade=True, points=2),
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def written(tmp_path, test):
    path = tmp_path / "small.ipynb"
    path.write_text(json.dumps(assignment(test)))
    return path


OFFERS = """
assert source("first").startswith("def first():") and source("nothing") == ""
with patch("table", {"a": 5}):
    assert first() == 5
assert first() == 1
"""


@pytest.mark.slow
def test_what_grading_offers_is_there_in_a_kernel_and_when_graded(tmp_path):
    made = nbformat.from_dict(assignment(OFFERS))
    offered = with_offers(made, read_master(made))
    assert len(made.cells) == 2
    (task,) = report(run(offered, tmp_path, Limits())).tasks
    assert (task.given, task.message) == (2, "")
    grade_answers("small", written(tmp_path, OFFERS))


@pytest.mark.slow
def test_what_passes_in_a_kernel_only_is_refused(tmp_path):
    test = "import types\nassert type(first) is types.FunctionType, 'no function'"
    made = nbformat.from_dict(assignment(test))
    (task,) = report(run(with_offers(made, read_master(made)), tmp_path, Limits())).tasks
    assert task.passed
    with pytest.raises(NotebookError, match="small would be graded unfairly") as caught:
        grade_answers("small", written(tmp_path, test))
    assert caught.value.why == "test_first gives 0 of 2: no function"


def test_where_nothing_can_be_graded_nothing_is_said(tmp_path, monkeypatch):
    monkeypatch.delattr("os.fork")
    grade_answers("small", tmp_path / "not there.ipynb")
