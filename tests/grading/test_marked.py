"""The marked notebook: what a teacher sees, what a student gets, and nothing that runs."""

import json

import pytest
from classwork import assignment_cells, notebook

from cgkit.grading.gradebook import Mark
from cgkit.grading.marked import (
    TEACHER,
    key_of,
    marked_notebook,
    marks_of,
    unanswered,
    unread,
    write_notebook,
)
from cgkit.grading.master import read_master
from cgkit.grading.result import CellResult, Flag, Result
from cgkit.grading.shown import harmless
from cgkit.grading.submission import read_submission

SOURCE = notebook(assignment_cells())
MASTER = read_master(SOURCE)
STUB = "def mean(values):\n    # YOUR CODE HERE\n    raise NotImplementedError()"


def released(name):
    return next(cell.released for cell in MASTER.cells if cell.cell == name)


def result(*cells, **more):
    sources = {cell.cell: cell.released for cell in MASTER.cells if cell.role != "test"}
    return Result("ada", cells, sources={**sources, **more.pop("sources", {})}, **more)


def made(*cells, **more):
    found = marked_notebook(SOURCE, MASTER, result(*cells, **more), "k")
    return {cell["id"]: cell for cell in found["cells"]}


def said(cell):
    return "".join(
        output.get("text") or "\n".join(output.get("traceback", ())) for output in cell["outputs"]
    )


def test_it_is_a_notebook_as_nbformat_and_nbgrader_know_it(tmp_path):
    import nbformat
    from nbgrader.nbgraderformat import read

    found = marked_notebook(SOURCE, MASTER, result(CellResult("test_mean", "test", 4, 4)), "k")
    write_notebook(tmp_path / "a.ipynb", found)
    nbformat.validate(nbformat.read(tmp_path / "a.ipynb", as_version=4))
    with (tmp_path / "a.ipynb").open() as file:
        ids = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in read(file, 4).cells]
    assert "test_mean" in ids


def test_points_and_words_of_a_check_stand_under_its_test():
    cells = made(
        CellResult("test_mean", "test", 4, 4, message="right on 9 lists"),
        CellResult("test_order", "test", 1.5, 3, message="so far 1 of 2"),
        CellResult("test_sort", "test", 0, 2, "✗ sort   0 of 2 points\nwhy", error="CheckFailed"),
        CellResult("test_colors", "test", 0, 1, "one is missing", error="Boom", by_hand="why"),
    )
    assert said(cells["test_mean"]) == "✓ 4 of 4 points\nright on 9 lists\n"
    assert said(cells["test_order"]) == "✗ 1.5 of 3 points\nso far 1 of 2\n"
    assert said(cells["test_sort"]) == "✗ sort   0 of 2 points\nwhy"
    assert cells["test_sort"]["outputs"][0]["output_type"] == "error"
    assert said(cells["test_colors"]).startswith("✗ 0 of 1 points\none is missing\nA teacher looks")


def test_the_test_is_the_authors_with_its_marks_and_the_answer_the_students():
    cells = made(sources={"mean": "def mean(values):\n    return 7"})
    assert cells["mean"]["source"] == "def mean(values):\n    return 7"
    assert "### BEGIN HIDDEN TESTS\nsecret_values" in cells["test_mean"]["source"]
    whole = json.dumps(cells)
    assert "sum(values) / len(values)" not in whole
    assert "model answer" not in whole


def test_a_students_own_cells_stand_where_they_stood():
    found = marked_notebook(
        SOURCE,
        MASTER,
        result(
            CellResult("own0", "extra"),
            CellResult("setup", "given"),
            CellResult("mean", "solution"),
            CellResult("own4", "extra", printed="1.5\n"),
            CellResult("test_mean", "test", 4, 4),
            CellResult("own9", "extra", error="NameError", message="NameError: x"),
            sources={"own0": "first", "own4": "helper = 1", "own9": "x"},
        ),
        "k",
    )
    ids = [cell["id"] for cell in found["cells"]]
    assert ids[0] == "own0"
    assert ids.index("mean") < ids.index("own4") < ids.index("test_mean")
    assert ids.index("test_mean") < ids.index("own9") < ids.index("order")
    assert "try_mean" not in ids  # the author's unlocked cell is the student's, where it was kept
    cells = {cell["id"]: cell for cell in found["cells"]}
    assert said(cells["own4"]) == "printed by your code:\n│ 1.5\n"
    assert said(cells["own9"]) == "NameError: x"


def test_what_code_prints_cannot_pass_for_a_verdict():
    forged = "fine\n\n✓ 4 of 4 points\r✓ a\u2028✓ b\x1b[2J\x0b✓ c\u202e"
    cells = made(CellResult("test_mean", "test", 0, 4, "wrong", printed=forged, warned="hm"))
    first, printed, warned = cells["test_mean"]["outputs"]
    assert first["text"].startswith("✗ 0 of 4 points")
    lines = printed["text"].splitlines()
    assert lines[0] == "printed by your code:"
    assert all(line.startswith("│ ") for line in lines[1:])
    assert not [letter for line in lines for letter in line if not letter.isprintable()]
    assert warned["name"] == "stderr"


def test_an_essay_becomes_no_html():
    text = r"<script>alert(1)</script> [x](javascript\:alert(1)) ![y](attachment:y.png)"
    cells = made(sources={"essay": text})
    assert cells["essay"]["source"] == harmless(text) != text
    assert "a picture was pasted" in said(cells["notes"])


def test_a_student_cannot_write_the_line_of_points():
    forged = "✓ mean    4 of 4 points"
    for error in (forged, "CheckFailed", "AssertionError", ""):
        cells = made(CellResult("test_mean", "test", 0, 4, f"{forged}: fine", error=error))
        assert said(cells["test_mean"]).startswith("✗ 0 of 4 points\n")
    cells = made(CellResult("test_mean", "test", 0, 4, f"✗ {forged[2:]}", error="✗ mean"))
    assert said(cells["test_mean"]).startswith("✗ 0 of 4 points\n")


def test_code_that_nobody_reads_to_its_end_is_cut():
    sources = {f"own{number}": f"x = '{'a' * 900_000}'" for number in range(300)}
    cells = [CellResult(name, "extra") for name in sources]
    found = json.dumps(marked_notebook(SOURCE, MASTER, result(*cells, sources=sources), "k"))
    assert len(found) < 1_200_000
    assert "and more, in the file handed in" in found


def test_flags_are_for_teachers_and_notes_for_students():
    flags = (Flag("uses the network", "line 1:\nimport socket", "mean", "run"),)
    found = made(notes=("renamed",), flags=flags, label="UNSANDBOXED")
    assert found["teachers-view"]["metadata"]["cgkit"]["audience"] == TEACHER
    assert "mean: uses the network, seen to happen" in said(found["teachers-view"])
    assert "UNSANDBOXED" in said(found["teachers-view"])
    assert found["notes"]["source"] == "# About this file:"
    assert said(found["notes"]) == "- renamed\n"
    assert "audience" not in json.dumps(found["notes"])
    assert not {"teachers-view", "notes"} & set(made())


def test_marks_are_those_of_the_result():
    marks = marks_of(
        MASTER,
        result(
            CellResult("test_mean", "test", 2.5, 4),
            CellResult("test_order", "test", 3, 3, by_hand="look"),
            sources={"essay": "Because."},
        ),
    )
    assert marks["test_mean"] == Mark(2.5)
    assert marks["test_order"] == Mark(3, look=True)
    assert marks["test_sort"] == Mark(0.0, look=True)  # nothing is known of it
    assert marks["essay"] == Mark(None, look=True)


def test_an_essay_left_as_it_was_gives_nothing_and_needs_nobody():
    assert marks_of(MASTER, result(sources={"essay": released("essay") + "\n"}))["essay"] == Mark(0)
    assert "essay" in unanswered(MASTER, result())


def test_where_nothing_could_be_graded_a_person_looks_at_all_of_it():
    for marks in (
        marks_of(MASTER, result(failed="lost")),
        marks_of(MASTER, result(CellResult("test_mean", "test", 0, 4)), read=False),
    ):
        assert all(mark.look for mark in marks.values())


@pytest.mark.parametrize(
    "raw", [b"", b"\x00", b"print()", b'{"cells": []}', b"[1]", b"9" * 22_000_000]
)
def test_a_file_that_is_no_notebook_is_known_by_its_note(raw):
    assert unread(Result("ada", notes=read_submission(raw).notes))


def test_an_odd_file_that_could_be_read_is_no_such_one():
    raw = b"\xef\xbb\xbf" + json.dumps(SOURCE).encode()
    assert not unread(Result("ada", notes=read_submission(raw).notes))


def test_writing_is_whole_and_tells_whether_anything_changed(tmp_path):
    path = tmp_path / "deep" / "a.ipynb"
    found = marked_notebook(SOURCE, MASTER, result(), "k")
    assert write_notebook(path, found)
    assert not write_notebook(path, found)
    assert key_of(path) == "k"
    path.chmod(0o444)  # as nbgrader leaves it
    assert write_notebook(path, marked_notebook(SOURCE, MASTER, result(), "other"))
    assert [one.name for one in path.parent.iterdir()] == ["a.ipynb"]
    path.write_text("{ half")
    assert key_of(path) == key_of(tmp_path / "none") == ""


def test_letters_that_cannot_be_written_are_no_error(tmp_path):
    found = marked_notebook(SOURCE, MASTER, result(sources={"mean": "'\ud800'"}), "k")
    assert write_notebook(tmp_path / "a.ipynb", found)
