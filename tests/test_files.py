import os
from pathlib import Path

import pytest

from cgkit.files import replaced, write_whole


def names(folder):
    return [path.name for path in folder.iterdir()]


def test_a_file_is_written_as_it_is_told(tmp_path):
    path = tmp_path / "below" / "a.txt"
    write_whole(path, "one\r\ntwo\nλ")
    assert path.read_bytes() == b"one\r\ntwo\n\xce\xbb"
    write_whole(path, b"\xff\x00")
    assert path.read_bytes() == b"\xff\x00"
    assert names(path.parent) == ["a.txt"]


def test_what_stops_the_writing_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "half \ud800")

    def half(stop):
        with replaced(path, lasting=True) as stream:
            stream.write(b"half")
            stop()

    def full(*_):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        half(full)
    for target, step in ((Path, "replace"), (os, "fsync")):
        with monkeypatch.context() as patched:
            patched.setattr(target, step, full)
            with pytest.raises(OSError, match="No space"):
                half(lambda: None)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_readers_in_between_never_see_half(tmp_path):
    path = tmp_path / "a.txt"
    write_whole(path, "old")
    with replaced(path) as stream:
        stream.write(b"ne")
        stream.flush()
        assert path.read_text() == "old"
        stream.write(b"w")
    assert path.read_text() == "new"


def test_two_that_write_at_once_do_not_meet(tmp_path):
    path = tmp_path / "a.txt"
    with replaced(path) as first, replaced(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_text() == "first"  # it ended last
    assert names(tmp_path) == ["a.txt"]
