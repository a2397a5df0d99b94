"""Orders to nbgrader: answers, refusals, and a process that ends."""

import json

import pytest

from cgkit.errors import NotebookError
from cgkit.notebooks.clerk import Clerk, serve


class Interface:
    """What stands in for nbgrader's own interface."""

    def generate_feedback(self, assignment):
        if assignment == "02_none":
            raise RuntimeError("nothing there")
        if assignment == "03_bad":
            log = "[INFO] reading\n[ERROR] no notebook of bob\n[ERROR] see above\n"
            return {"success": False, "log": log, "error": "Traceback ...\nNbGraderException: x"}
        return {"success": True}

    def generate_assignment(self, assignment):
        return {"success": False, "error": "Traceback ...\nNbGraderException: all wrong"}


def answers(*orders):
    return list(serve([json.dumps(order) for order in orders], Interface()))


def test_each_order_has_an_answer_and_a_failure_stops_nobody():
    assert answers(
        {"do": "feedback", "assignment": "03_bad"},
        {"do": "feedback", "assignment": "02_none"},
        {"do": "release", "assignment": "01_sums"},
        {"do": "dance"},
        {"do": "feedback", "assignment": "01_sums"},
    ) == [
        {"ok": False, "why": "no notebook of bob"},
        {"ok": False, "why": "RuntimeError: nothing there"},
        {"ok": False, "why": "NbGraderException: all wrong"},
        {"ok": False, "why": "KeyError: 'dance'"},
        {"ok": True},
    ]


@pytest.mark.slow
def test_a_clerk_that_cannot_work_says_its_last_words(tmp_path):
    # No nbgrader_config.py that can be read: the process ends at once.
    (tmp_path / "nbgrader_config.py").write_text("raise SystemExit('no config today')\n")
    with (
        pytest.raises(NotebookError, match=r"nbgrader stopped during release[\s\S]*no config"),
        Clerk(tmp_path, tmp_path / "class") as clerk,
    ):
        clerk.do("release", assignment="01_sums")
