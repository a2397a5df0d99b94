from pathlib import Path

import pytest

from cgkit.files import write_whole


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
    write = Path.write_bytes

    def half(file, data):
        write(file, data[:2])
        raise KeyboardInterrupt

    def stopped(file, target):
        raise KeyboardInterrupt

    for step, stop in (("write_bytes", half), ("replace", stopped)):
        with monkeypatch.context() as patched:
            patched.setattr(Path, step, stop)
            with pytest.raises(KeyboardInterrupt):
                write_whole(path, "new")
        assert path.read_text() == "old"
        assert names(tmp_path) == ["a.txt"]


def test_readers_in_between_never_see_half(tmp_path, monkeypatch):
    path, seen = tmp_path / "a.txt", []
    write_whole(path, "old")
    real = Path.replace

    def watched(file, target):
        seen.append(path.read_text())
        real(file, target)
        seen.append(path.read_text())

    monkeypatch.setattr(Path, "replace", watched)
    write_whole(path, "new")
    assert seen == ["old", "new"]
