import copy

import pytest
from classwork import assignment_cells, notebook, raw, written

from cgkit.grading.differences import (
    ADDED,
    AS_TEXT,
    CHANGED,
    COPIED,
    DELETED,
    HIDDEN,
    POINTS,
    SPLIT,
    Difference,
    differences,
    told,
)
from cgkit.grading.master import read_master
from cgkit.grading.submission import read_submission

MASTER = read_master(notebook(assignment_cells()))
ORDER = """hidden_graph = {"c": ["a", "b"], "b": ["a"], "a": []}
found = order(hidden_graph)
right = sum(found.index(one) < found.index(node)
            for node, reads in hidden_graph.items() for one in reads)
(right, f"{right} of 3 edges point forward")"""
FIRST, REST = ORDER.split("\n", 1)


def found(change):
    made = written()
    cells = made["cells"]
    test = next(cell for cell in cells if cell["id"] == "test_order")
    change(cells, test)
    return list(differences(MASTER, read_submission(raw(made)).cells))


def another(cells, test, **changes):
    cells.insert(cells.index(test) + 1, {**copy.deepcopy(test), "id": "x", **changes})


def nameless(cells, test, text):
    another(cells, test, metadata={}, source=text)


HONEST = {
    "as it was": (lambda cells, test: None, []),
    "laid out in another way": (
        lambda cells, test: test.update(source=ORDER.replace("(one) <", "(one)\\\n   <")),
        [],
    ),
    "a comment more": (lambda cells, test: test.update(source=f"# mine\n{ORDER}"), []),
    "a copy": (lambda cells, test: another(cells, test), [COPIED]),
    "a copy of a half": (lambda cells, test: another(cells, test, source=FIRST), [COPIED]),
    "split, both halves named": (
        lambda cells, test: (test.update(source=FIRST), another(cells, test, source=REST)),
        [SPLIT],
    ),
    "split, one half nameless": (
        lambda cells, test: (test.update(source=FIRST), nameless(cells, test, REST)),
        [SPLIT],
    ),
    "split in the middle of a line": (
        lambda cells, test: (test.update(source=ORDER[:9]), nameless(cells, test, ORDER[9:])),
        [SPLIT],
    ),
    "a look at a value": (
        lambda cells, test: test.update(source=f"print(order({{}}))\n{ORDER}"),
        [ADDED],
    ),
    "a look from a copy": (
        lambda cells, test: another(cells, test, source=f"{ORDER}\nprint(found)"),
        [COPIED, ADDED],
    ),
    "as text": (lambda cells, test: test.update(cell_type="markdown"), [AS_TEXT]),
    "deleted": (lambda cells, test: cells.remove(test), [DELETED]),
    "deleted, its text kept": (lambda cells, test: test.update(metadata={}), []),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_honest_students_do_is_said_and_tells_nothing(name):
    change, whats = HONEST[name]
    made = found(change)
    assert [one.what for one in made] == whats
    assert {one.cell for one in made} <= {"test_order"}
    assert not any(one.telling for one in made)


TELLING = {
    "another text": (lambda cells, test: test.update(source="3"), CHANGED, "hidden_graph ="),
    "a line gone": (lambda cells, test: test.update(source=FIRST), CHANGED, "found = order"),
    "a line made a comment": (
        lambda cells, test: test.update(source=ORDER.replace("found =", "# found =")),
        CHANGED,
        "not there: found = order(hidden_graph)",
    ),
    "the answer set anew": (
        lambda cells, test: test.update(source=f"order = lambda graph: list('abc')\n{ORDER}"),
        CHANGED,
        "added: order = lambda",
    ),
    "what it reads set anew": (
        lambda cells, test: test.update(source=f"{FIRST}\nsum = lambda _: 3\n{REST}"),
        CHANGED,
        "added: sum = lambda",
    ),
    "points": (
        lambda cells, test: test["metadata"]["nbgrader"].update(points=400),
        POINTS,
        "400 instead of 3",
    ),
}


@pytest.mark.parametrize("name", TELLING)
def test_a_changed_test_is_said_with_what_is_different(name):
    change, what, words = TELLING[name]
    (one,) = found(change)
    assert (one.cell, one.what, one.telling) == ("test_order", what, True)
    assert words in one.evidence


def test_the_hidden_part_in_a_students_cell_is_told_without_its_text():
    (test,) = (cell for cell in MASTER.cells if cell.cell == "test_mean")
    made = written()
    (cell,) = (cell for cell in made["cells"] if cell["id"] == "test_mean")
    cell["source"] = test.source
    (one,) = differences(MASTER, read_submission(raw(made)).cells)
    assert (one.cell, one.what, one.telling) == ("test_mean", HIDDEN, True)
    hidden = [line for line in test.source.splitlines() if line not in test.released]
    assert hidden
    assert not any(line.strip() in one.evidence for line in hidden)
    cell["source"] = test.released + "\nprint(1)"
    (one,) = differences(MASTER, read_submission(raw(made)).cells)
    assert one.what == ADDED


def test_notes_inform_and_blame_nobody():
    (note,) = told([Difference("t", CHANGED)])
    assert note == (
        "t: the test cell is not as it was handed out; the assignment's own text was used"
    )
