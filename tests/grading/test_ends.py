"""A hang or a death within a check's own search is said as what it is, and costs its task only."""

import json
from pathlib import Path

import pytest
from classwork import raw

from cgkit.grading.judge import Times
from cgkit.grading.lane import Lane, read_assignment
from cgkit.grading.master import answered

ROOT = Path(__file__).resolve().parents[2]
ENDS = {
    "hang": ("    while True:\n        pass", "did not come to an end"),
    "death": ("    import os\n    os._exit(3)", "the process running your code ended"),
    "late death": (
        "    seen.append(1)\n    if len(seen) == 9:\n        import os\n        os._exit(3)\n"
        "    return mine(*given, **named)",
        "the process running your code ended",
    ),
    "late hang": (
        "    seen.append(1)\n    while len(seen) == 9:\n        pass\n"
        "    return mine(*given, **named)",
        "did not come to an end",
    ),
}
TASKS = {
    "reduce_shape": {"test_reduce_shape"},
    "matmul_flops": {"test_matmul_flops"},
    "evaluate": {"test_evaluate", "test_evaluate_once", "test_evaluate_deep"},
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def graded(situation):
    path = ROOT / "solutions" / "01_graphs" / "01_graphs.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    lesson = read_assignment("01_graphs", notebook, times=Times(cell=1.5, total=60))
    right = answered(lesson.master)

    def grade(task, end):
        cells = [
            {**one, "source": f"{one['source']}\nmine, seen = {task}, []\n"
             f"def {task}(*given, **named):\n{end}"} if one["id"] == task else one
            for one in right["cells"]
        ]  # fmt: skip
        return lane.grade("ada", raw({**right, "cells": cells}))

    with Lane(lesson, situation) as lane:
        yield grade


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("end", ENDS)
def test_it_is_said_as_what_it_is_and_costs_its_task_only(graded, task, end):
    code, words = ENDS[end]
    result = graded(task, code)
    lost = [one for one in result.cells if one.kind == "test" and one.score < one.out_of]
    assert {one.cell for one in lost} <= TASKS[task]
    first = next(one for one in lost if one.cell == f"test_{task}")
    assert first.score == 0
    assert words in " ".join(first.message.split())
    assert "expected" not in first.message or end.endswith("hang")
    assert not first.by_hand
