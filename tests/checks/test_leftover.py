import pytest

from cgkit.checks.cases import graphs
from cgkit.checks.leftover import search_for_leftovers
from cgkit.checks.runner import Exam
from cgkit.checks.task import Task

TASK = Task("01_graphs", "count", 1, ())


def search(candidate, failure):
    """Ask for the number of nodes, twice for each graph."""
    exam = Exam(TASK, candidate, 20)

    def probe(case):
        return exam.examine((case.graph, case.output), len(case.graph))

    return failure(lambda _: search_for_leftovers(exam, graphs(), probe, 60, call="round"), None)


def test_a_value_that_was_remembered_is_named(failure):
    known = {}

    def count(graph, output):
        return known.setdefault(output, len(graph))

    failed = search(count, failure)
    assert failed.misconception == "values kept from an earlier round"
    assert "names that no graph before had" in failed.why


@pytest.mark.parametrize(
    "wrong", [lambda graph, output: len(graph) + 1, lambda graph, output: graph[len(graph)]]
)
def test_what_is_wrong_by_itself_stays_what_it_was(wrong, failure):
    assert search(wrong, failure).misconception == ""


def test_a_right_answer_passes():
    exam = Exam(TASK, lambda graph: len(graph), 20)
    search_for_leftovers(
        exam, graphs(), lambda case: exam.examine((case.graph,), len(case.graph)), 30
    )
