"""From cells to a notebook: metadata, ids, bytes; and back from files that may be broken."""

import json
from pathlib import Path

import pytest

from cgkit.cells import parse
from cgkit.errors import NotebookError
from cgkit.notebooks.compose import compose, digest, dump, fingerprint_of, load

EXPECTED = Path(__file__).resolve().parents[1] / "expected"

TEXT = """\
# %% [markdown] readonly
# # Add

# %%
1

# %%
1

# %% volatile
2

# %% solution id=add
### BEGIN SOLUTION
add = sum
### END SOLUTION

# %% test points=3 id=test_add
assert add([1])

# %% [markdown] manual points=10 id=why
# Why? 为什么?
"""


def made(text=TEXT):
    return compose(parse(text), source="solutions/01_add.py", fingerprint=digest(text))


def test_a_notebook_is_the_expected_text():
    # The golden shows what every kind of cell becomes; nbgrader's table is in it.
    assert dump(made()) == (EXPECTED / "01_add.ipynb.txt").read_text(encoding="utf-8")


def test_a_notebook_is_valid_and_the_same_each_time():
    assert dump(made()) == dump(made())
    assert dump(made()).endswith("}\n")


def test_flags_are_those_of_nbgraders_table():
    cells = [cell for cell in made().cells if "nbgrader" in cell.metadata]
    names = ("grade", "solution", "locked")
    flags = [tuple(cell.metadata.nbgrader[name] for name in names) for cell in cells]
    assert dict(zip([cell.id for cell in cells], flags, strict=True)) == {
        cells[0].id: (False, False, True),
        "add": (False, True, False),
        "test_add": (True, False, True),
        "why": (True, True, False),
    }


def test_ids_do_not_change_when_another_cell_does():
    before = [cell.id for cell in made().cells]
    after = [cell.id for cell in made(TEXT.replace("# # Add", "# # Sum")).cells]
    assert before[0] != after[0]
    assert before[1:] == after[1:]
    assert before[1] + "-2" == before[2]


def test_a_stretch_task_keeps_its_zero_points():
    (cell,) = made("# %% test points=0 id=more\n1\n").cells
    assert cell.metadata.nbgrader.points == 0


def test_the_digest_sees_words_and_not_line_ends():
    assert digest("# %%\n1\n") == digest("\ufeff# %%\r\n1\r\n")
    assert digest("# %%\n1\n") != digest("# %%\n2\n")


def test_a_written_notebook_tells_its_text(tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text(dump(made()), encoding="utf-8")
    assert fingerprint_of(path) == digest(TEXT)
    assert load(path) == made()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff", b'{"metadata": {}}'])
def test_what_is_no_notebook_has_no_fingerprint(tmp_path, content):
    path = tmp_path / "a.ipynb"
    path.write_bytes(content)
    assert fingerprint_of(path) == ""
    assert fingerprint_of(tmp_path / "none.ipynb") == ""


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b'{\n"cells": [', "damaged at line 2"),
        (b"hello", "damaged at line 1"),
        (b"\xff\xfe{}", "not text in UTF-8"),
        (b"[1]", "not a notebook"),
        (b'{"nbformat": "4"}', "not a notebook"),
        (b'{"nbformat": 3, "worksheets": []}', "format 3"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "do not fit together"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 3}', "do not fit"),
        (
            json.dumps(
                {
                    "nbformat": 4,
                    "nbformat_minor": 5,
                    "metadata": {},
                    "cells": [{"cell_type": "code", "source": 7}],
                }
            ).encode(),
            "do not fit",
        ),
    ],
)
def test_a_broken_file_is_one_clear_error(tmp_path, content, reason):
    path = tmp_path / "broken.ipynb"
    path.write_bytes(content)
    with pytest.raises(NotebookError) as caught:
        load(path)
    assert reason in str(caught.value)
    assert "broken.ipynb is not a notebook" in str(caught.value)


@pytest.mark.parametrize("ids", [["a", "a"], [None, None], ["not an id!", "b"]])
def test_odd_ids_are_no_matter_and_make_no_noise(tmp_path, ids, capsys):
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "x"} | ({"id": name} if name else {})
        for name in ids
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    assert [cell.source for cell in load(path).cells] == ["x", "x"]
    assert capsys.readouterr() == ("", "")


def test_a_folder_is_no_notebook(tmp_path):
    with pytest.raises(NotebookError, match="is a folder"):
        load(tmp_path)


def test_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text("\ufeff" + dump(made()), encoding="utf-8")
    assert len(load(path).cells) == len(made().cells)
