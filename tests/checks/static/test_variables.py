import pytest

from cgkit.checks import search
from cgkit.checks.cases import OPERATORS
from cgkit.checks.static import variables

COUNT = {
    "count": ("variable",),
    "one": ("constant", 1),
    "next": ("add", "count", "one"),
    "set_count": ("assign", "count", "next"),
    "after": ("add", "set_count", "count"),
}


@pytest.mark.parametrize(
    ("fetches", "results", "after"),
    [
        (["count"], [3], 3),
        (["set_count", "count"], [4, 3], 4),
        (["count", "set_count"], [3, 4], 4),
        (["after"], [7], 4),
        (["next"], [4], 3),
        ([], [], 3),
    ],
)
def test_our_steps_by_hand(fetches, results, after):
    found = variables.right_step(COUNT, fetches, {}, {"count": 3, "w": 9}, OPERATORS)
    assert found == (results, {"count": after, "w": 9})


@pytest.mark.parametrize("mistake", variables.STEP.mistakes, ids=lambda mistake: mistake.name)
def test_mistakes_recognize_themselves(mistake, failure):
    failed = failure(variables.step, mistake.algorithm)
    assert failed.misconception == mistake.name
    assert "holds" in failed.drawing


def test_what_is_given_stays(wrong_02b, failure):
    failed = failure(variables.step, wrong_02b.changes_variables)
    assert failed.stage == "invariants"
    assert "argument 4 was changed" in failed.got


def test_cases_hold_all_that_tells_mistakes_apart():
    found = []
    search.smallest(
        variables.step_cases(), lambda case: bool(found.append(case)), seed=2, tries=150
    )
    written = [variables._run(c.graph, c.fetches, c.feeds, c.variables)[1] for c in found]
    fetched = [any(name.startswith("set_") for name in case.fetches) for case in found]
    only_read = [
        any(name not in case.fetches for name in names)
        for case, names in zip(found, written, strict=True)
    ]
    idle = [
        any(node[0] == "assign" and name not in names for name, node in case.graph.items())
        for case, names in zip(found, written, strict=True)
    ]
    assert min(map(sum, (fetched, only_read, idle))) > 15


def test_a_step_after_a_step(failure):
    def remembers(graph, fetches, feeds, held, operators):
        results, after = variables.right_step(graph, fetches, feeds, held, operators)
        if "set_count" in graph and len(fetches) == 2:
            after = {"count": 4}
        return results, after

    assert "{'count': 4}" in failure(variables.step, remembers).called
