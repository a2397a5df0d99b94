"""Whatever lies in a folder, something comes out: a notebook or none, and what was odd."""

import datetime
import os
import socket

import pytest

from cgkit.grading import intake
from cgkit.grading.intake import read_plain, take_in

GOOD = b'{"cells": [{"id": "mean"}, {"id": "order"}]}'
POOR = b'{"cells": []}'


@pytest.fixture
def folder(tmp_path):
    """The folder of one student."""
    made = tmp_path / "submitted" / "ada" / "small"
    made.mkdir(parents=True)
    return made


def put(folder, **files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def taken(folder):
    return take_in(folder, "ada", "small", ["mean", "order"])


def test_a_notebook_of_the_right_name_is_taken_without_a_word(folder):
    put(folder, **{"small.ipynb": GOOD, "timestamp.txt": b"2030-01-02 03:04:05 UTC\n"})
    found = taken(folder)
    assert (found.raw, found.name, found.notes, found.files) == (GOOD, "small.ipynb", (), ())
    assert found.when == datetime.datetime(2030, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    "name",
    [
        "my small (2).ipynb",
        "图 计算.ipynb",
        "small.IPYNB",
        "small.ipynb.txt",
        "deep/er/small.ipynb",
    ],
)
def test_another_name_is_taken_and_noted(folder, name):
    put(folder, **{name: GOOD})
    found = taken(folder)
    assert (found.raw, found.name) == (GOOD, name)
    assert found.notes == (f"handed in as '{name}', not as small.ipynb",)


def test_accents_written_apart_are_the_same_name(folder):
    put(folder, **{"u\u0308bung.ipynb": GOOD})
    found = take_in(folder, "ada", "\u00fcbung")
    assert (found.raw, found.notes) == (GOOD, ())


def test_of_several_the_one_with_most_of_the_assignment_is_taken(folder):
    put(folder, **{"small copy.ipynb": POOR, "untitled.ipynb": GOOD})
    found = taken(folder)
    assert found.name == "untitled.ipynb"
    assert found.notes[1] == "'small copy.ipynb' lies beside the notebook; not used"


def test_the_right_name_wins_over_others(folder):
    put(folder, **{"small.ipynb": POOR, "untitled.ipynb": GOOD})
    assert taken(folder).raw == POOR


def test_many_large_notebooks_cost_no_more_than_a_few(folder, monkeypatch):
    """A hundred empty files of 20 MB take no room in an archive, and took two gigabytes here."""
    monkeypatch.setattr(intake, "LARGEST", 1_000)
    monkeypatch.setattr(intake, "MOST_READ", 3_000)
    put(folder, **{f"work {number}.ipynb": b" " * 900 for number in range(50)})
    put(folder, **{"smal.ipynb": GOOD})
    read = []
    monkeypatch.setattr(
        intake, "read_plain", lambda path, most: read.append(path) or read_plain(path, most)
    )
    found = taken(folder)
    assert found.raw == GOOD
    assert found.notes[0] == "47 of 51 notebooks were not read"
    assert len([path for path in read if path.suffix == ".ipynb"]) == 4


def test_many_notebooks_that_cannot_be_read_are_counted(folder):
    for number in range(40):
        (folder / f"{number}.ipynb").symlink_to("/etc/passwd")
    found = taken(folder)
    assert found.raw is None
    assert len(found.notes) == intake.MOST_NAMED + 1
    assert found.notes[-1] == "35 more notebooks cannot be read"


def test_files_beside_are_named_and_not_used(folder):
    names = [f"file {number}.csv" for number in range(8)]
    put(folder, **{"small.ipynb": GOOD, **dict.fromkeys(names, b"1")})
    found = taken(folder)
    assert found.files == tuple(names)
    assert found.notes == (
        "'file 0.csv', 'file 1.csv', 'file 2.csv', 'file 3.csv', 'file 4.csv' and 3 more "
        "lie beside the notebook; not used",
    )


def test_what_systems_leave_behind_is_passed_over(folder):
    put(folder, **{"small.ipynb": GOOD, ".ipynb_checkpoints/small.ipynb": POOR, ".DS_Store": b"1"})
    assert taken(folder).notes == ()


def test_a_link_is_never_followed(folder, tmp_path):
    secret = tmp_path / "gradebook.db"
    secret.write_bytes(GOOD)
    (folder / "small.ipynb").symlink_to(secret)
    found = taken(folder)
    assert found.raw is None
    assert found.notes == ("'small.ipynb' is a link, and links are not followed",)
    put(folder, **{"mine.ipynb": POOR})
    assert taken(folder).raw == POOR


def test_a_folder_that_is_a_link_is_not_looked_into(tmp_path):
    other = tmp_path / "submitted" / "bob" / "small"
    put(other, **{"small.ipynb": GOOD})
    (tmp_path / "submitted" / "ada").mkdir()
    (tmp_path / "submitted" / "ada" / "small").symlink_to(other)
    (tmp_path / "submitted" / "eve").symlink_to(tmp_path / "submitted" / "bob")
    for student in ("ada", "eve"):
        found = take_in(tmp_path / "submitted" / student / "small", student, "small")
        assert found.raw is None
        assert found.notes == ("the folder handed in is a link, and links are not followed",)


def test_a_link_upward_is_no_way_out(folder, tmp_path):
    put(tmp_path, **{"stolen.ipynb": GOOD})
    (folder / "up").symlink_to("../../..")
    assert taken(folder).raw is None


def test_a_huge_file_is_not_read(folder, monkeypatch):
    put(folder, **{"small.ipynb": b""})
    os.truncate(folder / "small.ipynb", 200_000_000)
    monkeypatch.setattr(intake.os, "fdopen", _Small)
    found = taken(folder)
    assert found.raw is None
    assert found.notes == ("'small.ipynb' has 200 MB, and at most 20 are read",)


class _Small:
    """An open file that must not be read."""

    def __init__(self, handle, mode):
        self.handle = handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.handle)

    def read(self, size):
        raise AssertionError("it was read")


def test_a_pipe_does_not_hold_it_up(folder):
    os.mkfifo(folder / "small.ipynb")
    found = taken(folder)
    assert (found.raw, found.notes) == (None, ("'small.ipynb' is no file",))


def test_a_socket_and_a_folder_of_that_name_are_no_notebooks(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("small.ipynb")
        assert taken(folder).notes == ("'small.ipynb' is no file",)
    (folder / "small.ipynb").unlink()
    put(folder, **{"small.ipynb/inner.ipynb": GOOD})
    assert taken(folder).notes == ("handed in as 'small.ipynb/inner.ipynb', not as small.ipynb",)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_noted(folder):
    put(folder, **{"small.ipynb": GOOD})
    (folder / "small.ipynb").chmod(0)
    assert taken(folder).notes == ("'small.ipynb' cannot be read: permission denied",)


def test_no_notebook_is_no_error(folder):
    assert taken(folder).notes == ("no notebook was handed in",)
    put(folder, **{"report.txt": b"cloud"})
    assert taken(folder).notes == ("no notebook was handed in; there is 'report.txt'",)
    gone = take_in(folder.with_name("other"), "ada", "other")
    assert (gone.raw, gone.notes) == (None, ("nothing was handed in",))


def test_a_file_in_place_of_the_folder_is_no_error(tmp_path):
    put(tmp_path, **{"ada/small": GOOD})
    found = take_in(tmp_path / "ada" / "small", "ada", "small")
    assert found.notes == ("a file lies where a folder with a notebook should be",)


def test_a_name_that_no_system_has_is_no_error(tmp_path):
    assert take_in(tmp_path / ("x" * 300), "ada", "small").raw is None
    assert take_in(tmp_path / "a\0b", "ada", "small").raw is None


def test_names_cannot_pass_for_words_of_ours(folder):
    bad = os.fsencode("5 of 5 points\n\x1b[31m") + b"\xff.ipynb"
    (folder / os.fsdecode(bad)).write_bytes(GOOD)
    (note,) = taken(folder).notes
    assert note == "handed in as '5 of 5 points??[31m?.ipynb', not as small.ipynb"
    note.encode("utf-8")


def test_a_thousand_files_are_not_all_looked_at(folder, monkeypatch):
    monkeypatch.setattr(intake, "MOST_ENTRIES", 5)
    put(folder, **{f"{number}.txt": b"" for number in range(9)})
    assert "only the first 5 files were looked at" in taken(folder).notes


def test_a_timestamp_that_is_none_counts_as_none(folder):
    put(folder, **{"small.ipynb": GOOD, "timestamp.txt": b"\xff\xfe now"})
    assert taken(folder).when is None


def test_reading_says_what_is_wrong(tmp_path):
    put(tmp_path, **{"a": b"12345"})
    assert read_plain(tmp_path / "a", 5) == b"12345"
    with pytest.raises(OSError, match="at most"):
        read_plain(tmp_path / "a", 4)


def test_a_folder_that_has_another_name_in_the_gradebook_says_so(folder):
    put(folder, **{"small.ipynb": GOOD})
    found = take_in(folder, "ada\x1b[31m", "small")
    assert found.raw == GOOD
    assert found.notes[0].startswith("the folder 'ada?[31m' has a name to avoid; here it is ")


# several notebooks

ONE = b'{"cells": [{"id": "mean"}, {"id": "order"}, {"id": "setup"}]}'
TWO = b'{"cells": [{"id": "sort"}, {"id": "setup"}]}'


def both(folder):
    cells = {"one": ["setup", "mean", "order"], "two": ["setup", "sort"]}
    found = {
        name: take_in(folder, "ada", name, own, {n: c for n, c in cells.items() if n != name})
        for name, own in cells.items()
    }
    return found["one"], found["two"]


@pytest.mark.parametrize(
    "names",
    [("one.ipynb", "two.ipynb"), ("two.ipynb", "one.ipynb"), ("a.ipynb", "b.ipynb")],
    ids=["as asked", "exchanged", "renamed"],
)
def test_each_of_several_notebooks_is_found_by_what_it_holds(folder, names):
    put(folder, **dict(zip(names, (ONE, TWO), strict=True)))
    one, two = both(folder)
    assert (one.raw, two.raw) == (ONE, TWO)
    assert (one.files, two.files) == ((), ())
    renamed = names != ("one.ipynb", "two.ipynb")
    assert [len(found.notes) for found in (one, two)] == [renamed, renamed]


def test_one_of_several_notebooks_that_is_missing_is_named(folder):
    put(folder, **{"two.ipynb": TWO, "notes.txt": b"x"})
    one, two = both(folder)
    assert one.raw is None
    assert one.notes == ("one.ipynb was not handed in; there is 'notes.txt'",)
    assert two.raw == TWO
    assert two.files == ("notes.txt",)


def test_broken_files_go_by_their_names(folder):
    put(folder, **{"one.ipynb": b"no", "two.ipynb": b"{"})
    one, two = both(folder)
    assert (one.raw, two.raw) == (b"no", b"{")


def test_only_some_notebooks_are_compared(folder, monkeypatch):
    monkeypatch.setattr(intake, "MOST_COMPARED", 2)
    put(folder, **{f"n{number}.ipynb": TWO for number in range(5)})
    one, two = both(folder)
    assert two.raw == TWO
    assert one.name == "n2.ipynb"  # not compared any more


BARE = b'{"nbformat": 4, "cells": [{"id": "mean"}, {"id": "order"}]}'


@pytest.mark.parametrize("name", ["small.json", "small", "small.txt", "work/Graphs.JSON"])
def test_a_notebook_without_its_ending_is_taken(folder, name):
    put(folder, **{name: BARE, "data.json": b'{"cells": 3}', "timestamp.txt": b"now"})
    found = taken(folder)
    assert found.raw == BARE
    assert f"handed in as '{name}', not as small.ipynb" in found.notes


@pytest.mark.parametrize(
    "files",
    [
        {"small.json": BARE, "small": BARE},  # whoever chooses may choose wrong
        {"small.json": b'{"cells": []}'},
        {"small.csv": BARE},
    ],
)
def test_without_an_ending_nothing_is_guessed(folder, files):
    put(folder, **files)
    assert taken(folder).raw is None


def test_a_file_without_its_ending_does_not_stand_for_a_notebook(folder):
    put(folder, **{"small.ipynb": POOR, "small.json": BARE})
    assert taken(folder).raw == POOR


def test_without_its_ending_a_notebook_goes_where_its_cells_are(folder):
    put(folder, **{"work": BARE})
    for cells, other, found in ((["mean"], ["sort"], BARE), (["sort"], ["mean"], None)):
        handed = take_in(folder, "ada", "small", cells, {"other": other})
        assert handed.raw == found
        assert "not used" not in " ".join(handed.notes)


def test_a_link_without_an_ending_is_not_followed(folder, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(BARE)
    (folder / "small").symlink_to(secret)
    assert taken(folder).raw is None
