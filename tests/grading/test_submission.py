"""Any bytes are read, and none raise."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit.grading.submission import LARGEST, LONGEST, MOST_CELLS, read_submission

CELL = {"cell_type": "code", "id": "a", "metadata": {}, "source": "x = 1"}


def read(made):
    return read_submission(json.dumps(made).encode())


def sources(submission):
    return [cell.source for cell in submission.cells]


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data):
    submission = read_submission(data)
    assert submission.cells or submission.notes


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "worksheets", "metadata", "nbgrader", "grade_id", "source", "input",
                 "cell_type", "id", "points", "nbformat", "schema_version"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=200)
@given(JSON)
def test_any_json_is_read(made):
    for cell in read(made).cells:
        assert isinstance(cell.source, str)
        assert "\x00" not in cell.source
        cell.source.encode()


@given(st.integers(0, 300))
def test_a_file_that_breaks_off_is_noted(size):
    data = json.dumps({"cells": [CELL] * 9, "nbformat": 4}).encode()
    submission = read_submission(data[:size])
    assert not submission.cells
    assert "no notebook" in submission.notes[0] or "empty" in submission.notes[0]


def test_a_byte_order_mark_is_passed_over():
    data = b"\xef\xbb\xbf" + json.dumps({"cells": [CELL]}).encode()
    submission = read_submission(data)
    assert sources(submission) == ["x = 1"]
    assert submission.notes == ("the file begins with a byte order mark",)


def test_other_encodings_are_read():
    text = json.dumps({"cells": [{**CELL, "source": "größe = 1"}]}, ensure_ascii=False)
    assert sources(read_submission(text.encode("utf-16"))) == ["größe = 1"]
    (source,) = sources(read_submission(text.encode("latin-1")))
    assert source.endswith("= 1")


def test_format_3_is_read():
    old = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["a\n", "b"]}]}]}
    submission = read(old)
    assert sources(submission) == ["a\nb"]
    assert submission.notes == ("the notebook has format 3",)


def test_metadata_may_be_gone_or_odd():
    bare = {"source": "x"}
    odd = {"source": "y", "metadata": {"nbgrader": {"grade_id": 5, "schema_version": 2}}}
    worse = {"source": "z", "metadata": [], "cell_type": 3, "id": None}
    submission = read({"cells": [bare, odd, worse, "no cell"]})
    assert sources(submission) == ["x", "y", "z"]
    assert {cell.grade_id for cell in submission.cells} == {""}
    assert submission.notes == ("some cells carry nbgrader metadata of another version",)


def test_null_characters_and_lone_surrogates_are_left_out():
    submission = read({"cells": [{**CELL, "source": "a\x00b = '\ud800'"}]})
    assert sources(submission) == ["ab = '?'"]
    assert "null" in submission.notes[0]


def test_raw_null_bytes_are_read():
    data = json.dumps({"cells": [CELL]}).encode().replace(b"x = 1", b"x = \x001")
    assert sources(read_submission(data)) == ["x = 1"]


def test_ids_that_stand_twice_are_noted():
    assert "same id" in read({"cells": [CELL, CELL]}).notes[0]


@pytest.mark.parametrize("data", [b"", b"  \n", b"\xef\xbb\xbf", b"\x00\x00"])
def test_empty_files_say_so(data):
    assert read_submission(data).notes == ("the file is empty",)


def test_sizes_are_bounded():
    assert "larger" in read_submission(b" " * (LARGEST + 1)).notes[0]
    many = read({"cells": [{"source": ""}] * (MOST_CELLS + 5)})
    assert len(many.cells) == MOST_CELLS
    long = read({"cells": [{"source": "x" * (LONGEST + 9)}]})
    assert len(long.cells[0].source) == LONGEST


def test_deep_json_is_no_notebook():
    assert "no notebook" in read_submission(b"[" * 200_000).notes[0]


def released():
    """The notebook that students of the course receive, with nbgrader's checksums in it."""
    root = Path(__file__).resolve().parents[2]
    return json.loads((root / "assignments" / "00_start" / "00_start.ipynb").read_bytes())


def intact(made):
    return {cell.grade_id: cell.intact for cell in read(made).cells if cell.grade_id}


def test_cells_as_nbgrader_handed_them_out_are_known_by_their_checksum():
    made = released()
    locked = {
        cell["metadata"]["nbgrader"]["grade_id"]
        for cell in made["cells"]
        if cell["metadata"].get("nbgrader", {}).get("locked")
    }
    assert {name for name, whole in intact(made).items() if whole} == locked


@pytest.mark.parametrize(
    "change",
    [
        lambda cell: cell["source"].append("\n100"),
        lambda cell: cell["metadata"]["nbgrader"].update(points=1000),
        lambda cell: cell["metadata"]["nbgrader"].update(points=10**999),
        lambda cell: cell["metadata"]["nbgrader"].update(points=None),
        lambda cell: cell["metadata"]["nbgrader"].update(points="100"),
        lambda cell: cell["metadata"]["nbgrader"].update(grade_id="test_scale"),
        lambda cell: cell["metadata"]["nbgrader"].pop("checksum"),
        lambda cell: cell["metadata"]["nbgrader"].update(checksum=["a"]),
        lambda cell: cell.update(cell_type="markdown"),
    ],
)
def test_cells_that_were_changed_do_not_fit_their_checksum(change):
    made = released()
    (test,) = (
        cell
        for cell in made["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "test_everything"
    )
    change(test)
    cells = read(made).cells
    (found,) = (cell for cell in cells if cell.source.startswith("check.everything"))
    assert not found.intact


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_wide_characters_are_read_with_a_mark_and_without(encoding):
    submission = read_submission(json.dumps({"cells": [CELL]}).encode(encoding))
    assert sources(submission) == ["x = 1"]
    assert submission.notes == (f"the file is written in {encoding[:6].upper()}",)


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"[" * 200_000, "nested too deeply"), (b'{"cells": ' + b"9" * 9_000, "a number")],
)
def test_what_json_cannot_hold_is_said_in_words(data, why):
    assert why in read_submission(data).notes[0]


def test_old_formats_are_named():
    for form, name in ((2, "2"), (3, "3"), ("x", "3")):
        submission = read({"nbformat": form, "worksheets": [{"cells": [CELL]}]})
        assert f"the notebook has format {name}" in submission.notes
