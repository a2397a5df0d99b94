"""`cgkit hint`: one question at a time."""

import json

import pytest

from cgkit.checks import hints, tasks
from cgkit.cli import run
from cgkit.score import WIDTH

ALL = hints("01_graphs", "evaluate")


@pytest.mark.parametrize("assignment", ["01_graphs", "01", "1", "graphs"])
@pytest.mark.parametrize("task", ["evaluate", "test_evaluate"])
def test_the_first_hint_is_given_and_the_next_one_named(assignment, task, capsys):
    assert run(["hint", assignment, task]) == 0
    out = capsys.readouterr().out
    assert " ".join(out.split()).startswith(f"· hint 1 of {len(ALL)} {ALL[0]} (more")
    assert out.endswith(f"(more: cgkit hint {assignment} {task} 2)\n")


@pytest.mark.parametrize("assignment", ["02", "02a", "02a_dynamic", "02_static_dynamic"])
def test_an_assignment_of_two_notebooks_is_found_by_either_name(assignment, capsys):
    assert run(["hint", assignment, "unbroadcast"]) == 0
    first = hints("02a", "unbroadcast")[0]
    assert first in " ".join(capsys.readouterr().out.split())


def test_the_last_hint_names_no_further_one(capsys):
    assert run(["hint", "01", "evaluate", str(len(ALL))]) == 0
    said = capsys.readouterr().out
    assert " ".join(said.split()) == f"· hint {len(ALL)} of {len(ALL)} {ALL[-1]}"
    assert max(map(len, said.splitlines())) <= WIDTH


def test_a_hint_can_be_json(capsys):
    assert run(["hint", "01", "evaluate", "2", "--json"]) == 0
    (item,) = json.loads(capsys.readouterr().out)["items"]
    assert item == {"name": f"hint 2 of {len(ALL)}", "status": "note", "detail": ALL[1]}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["01", "evaluate", "99"], f"evaluate has only {len(ALL)} hints; there is no hint 99"),
        (["01", "evaluate", "0"], "Invalid value for '[STEP]'"),
        (["01", "evaluate", "next"], "Invalid value for '[STEP]'"),
        (["01", "juggle"], "has no task 'juggle'"),
        (["01"], f"a hint for which task?\n  try      one of {tasks('01')[0].name}, "),
        (["99", "evaluate"], "there is no assignment '99'"),
        ([], "Missing argument 'ASSIGNMENT'"),
    ],
)
def test_wrong_words_are_usage_faults(words, sentence, capsys):
    assert run(["hint", *words]) == 2
    assert sentence in capsys.readouterr().err
