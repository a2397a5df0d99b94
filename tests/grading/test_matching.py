"""Each answer is found in the best place; how is noted."""

from classwork import assignment_cells, notebook

from cgkit.grading.master import read_master
from cgkit.grading.matching import match
from cgkit.grading.submission import SubmittedCell

MASTER = read_master(notebook(assignment_cells()))
MEAN = "def mean(values):\n    return 2"


def cells(*parts):
    return [SubmittedCell(number, "code", *part) for number, part in enumerate(parts)]


def found(*parts):
    made = match(MASTER, cells(*parts))
    cell = made.found.get("mean")
    notes = [note for note in made.notes if note.startswith("mean:")]
    return (cell.number if cell else None), notes


def test_by_name_without_a_note():
    assert found((MEAN, "mean", "z")) == (0, [])


def test_by_the_id_of_the_cell():
    number, notes = found(("x = 1", "", "q"), (MEAN, "", "mean"))
    assert number == 1
    assert "by the id" in notes[0]


def test_by_what_it_defines():
    number, notes = found(("x = 1", "", "q"), (MEAN, "", "r"))
    assert number == 1
    assert "names it defines" in notes[0]


def test_of_several_copies_the_last_that_is_written():
    stub = "def mean(values):\n    raise NotImplementedError()"
    assert found((stub, "mean", ""), (MEAN, "mean", ""), (stub, "mean", ""))[0] == 1


def test_nobody_elses_answer_is_taken():
    assert found((MEAN, "order", "order"))[0] is None


def test_nothing_is_found_in_nothing():
    made = match(MASTER, [])
    assert not made.found
    assert "mean: no answer was found" in made.notes
