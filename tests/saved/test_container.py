"""The file: whole or as before, whatever happens; and nothing foreign or hostile let in."""

import contextlib
import io
import os
import pickle
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cgkit import saved
from cgkit.errors import FileError, StateError
from cgkit.saved import container

STATE = {"w": np.arange(5.0), "epoch": 3, "names": ("a", None)}


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "run.npz"
    saved.save(found, STATE)
    return found


def test_what_was_saved_is_loaded(path):
    assert repr(saved.load(path)) == repr(STATE)
    assert repr(saved.load(str(path))) == repr(STATE)


def test_equal_states_make_equal_files(path):
    data = path.read_bytes()
    saved.save(path, STATE)
    assert path.read_bytes() == data


def test_numpy_opens_it(path):
    with np.load(path) as file:
        np.testing.assert_array_equal(file["0"], STATE["w"])


def test_nothing_but_the_file_is_left(path):
    assert [found.name for found in path.parent.iterdir()] == ["run.npz"]


def test_a_state_that_cannot_be_saved_leaves_the_file(path):
    with pytest.raises(StateError):
        saved.save(path, {"w": object()})
    assert repr(saved.load(path)) == repr(STATE)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("moment", ["os.fsync", "zipfile.ZipFile.writestr", "pathlib.Path.replace"])
def test_a_save_that_fails_leaves_the_file(path, monkeypatch, error, moment):
    def fail(*args):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(moment, fail)
        with pytest.raises((FileError, KeyboardInterrupt)) as caught:
            saved.save(path, {"w": np.zeros(100)})
    if isinstance(error, OSError):
        assert "no space left on device" in str(caught.value)
    assert [found.name for found in path.parent.iterdir()] == ["run.npz"]
    assert repr(saved.load(path)) == repr(STATE)


WRITER = """
import itertools, sys
import numpy as np
from cgkit import saved
for i in itertools.count():
    saved.save(sys.argv[1], {"i": i, "w": np.full(200_000, float(i))})
    print(i, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_writer_that_is_killed_leaves_a_whole_file(tmp_path):
    path = tmp_path / "run.npz"
    for moment in np.random.default_rng(0).uniform(0, 0.02, 6):
        command = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            told = [int(writer.stdout.readline()) for _ in range(3)]
            time.sleep(moment)
            writer.send_signal(signal.SIGKILL)
            told += map(int, writer.stdout.read().split())
        state = saved.load(path)
        assert state["i"] - told[-1] in (0, 1)
        assert (state["w"] == state["i"]).all()


def test_what_killed_writers_left_is_cleared_away_in_time(path):
    old, new = (path.with_name(f".run.npz.{i}-abc.new") for i in (1, 2))
    other = path.with_name(".other.npz.1-abc.new")
    for file in (old, new, other):
        file.write_bytes(b"half")
    for file in (old, other):
        os.utime(file, (time.time() - 2 * container.STALE,) * 2)
    saved.save(path, STATE)
    assert not old.exists()
    assert new.exists()
    assert other.exists()


def test_a_link_stays_a_link(path, tmp_path):
    link = tmp_path / "link.npz"
    link.symlink_to(path)
    saved.save(link, {"i": 1})
    assert link.is_symlink()
    assert saved.load(path) == {"i": 1}


def test_odd_names_are_names(tmp_path):
    for name in ("a b.npz", "[x]*.npz", "ünï.npz", "-rf", ".hidden"):
        saved.save(tmp_path / name, {"i": 1})
        assert saved.load(tmp_path / name) == {"i": 1}


def test_places_where_nothing_can_be_written(tmp_path):
    with pytest.raises(FileError, match="there is no folder"):
        saved.save(tmp_path / "no" / "run.npz", STATE)
    with pytest.raises(FileError, match="it is a folder"):
        saved.save(tmp_path, STATE)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="it is no plain file"):
        saved.save(tmp_path / "pipe", STATE)
    assert (tmp_path / "pipe").is_fifo()  # as /dev/null would be still what it is
    with pytest.raises(FileError, match="cannot write"):
        saved.save(tmp_path / ("x" * 300), STATE)
    with pytest.raises(FileError, match="embedded null byte"):
        saved.save("a\0b", STATE)
    with pytest.raises(FileError, match="cannot write"):
        saved.save(tmp_path / "run.npz" / "below", saved.save(tmp_path / "run.npz", STATE))
    assert {found.name for found in tmp_path.iterdir()} == {"pipe", "run.npz"}


def test_places_where_nothing_can_be_read(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        saved.load(tmp_path / "no.npz")
    with pytest.raises(FileError, match="it is no file"):
        saved.load(tmp_path)
    with pytest.raises(FileError, match="cannot read"):
        saved.load("x" * 300)


def zipped(members, **how):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **how) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


def numpy_file():
    file = io.BytesIO()
    np.savez(file, a=np.ones(2))
    return file.getvalue()


FOREIGN = {
    "empty": (b"", "it is empty"),
    "pickle": (pickle.dumps(STATE), "it is a pickle, which could run any program"),
    "array": (b"\x93NUMPY\x01\x00rest", "it is one array of NumPy's"),
    "gzip": (b"\x1f\x8b\x08rest", "it is packed by gzip"),
    "text": (b"hello world", "it begins with 68 65 6c 6c 6f"),
    "numpy": (numpy_file(), "it is a file of np.savez"),
    "torch": (zipped([("m/data.pkl", b"x"), ("m/data/0", b"y")]), "it holds a pickle, as files of"),
    "zip": (zipped([("readme.md", b"hello")]), "it is a zip that holds 'readme.md'"),
    "names": (
        zipped([("state.json", b"{}"), ("../../evil.npy", b"")]),
        r"it holds '\.\./\.\./evil\.npy'",
    ),
    "absolute": (zipped([("state.json", b"{}"), ("/0.npy", b"")]), "it holds '/0.npy'"),
    "leading zero": (zipped([("state.json", b"{}"), ("00.npy", b"")]), "it holds '00.npy'"),
    "other digits": (zipped([("state.json", b"{}"), ("٣.npy", b"")]), "it holds '٣.npy'"),
    "bomb": (
        zipped([("state.json", bytes(10_000_000))], compression=zipfile.ZIP_DEFLATED),
        "state.json is packed, and could swell",
    ),
    "cut": (None, "is damaged or was cut off"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "said"), FOREIGN.values(), ids=FOREIGN.keys())
def test_foreign_files_are_refused(path, data, said):
    path.write_bytes(path.read_bytes()[:-30] if data is None else data)
    with pytest.raises(FileError, match=said) as caught:
        saved.load(path)
    assert str(path) in str(caught.value)


def test_a_name_that_stands_twice_is_refused(path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path.write_bytes(zipped([("state.json", b"{}"), ("state.json", b"{}")]))
    with pytest.raises(FileError, match="holds a name twice"):
        saved.load(path)


def test_parts_that_lie_over_each_other_are_refused(path):
    # many entries that all stand for the same bytes: a bomb without compression
    one = zipped([("0.npy", bytes(1000)), ("state.json", b"{}")])
    with zipfile.ZipFile(io.BytesIO(one)) as archive:
        first = archive.infolist()[0]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("state.json", b"{}")
        archive.writestr("0.npy", bytes(1000))
        for i in range(1, 50):
            copy = zipfile.ZipInfo(f"{i}.npy")
            copy.file_size = copy.compress_size = 1000
            copy.CRC, copy.header_offset = first.CRC, archive.infolist()[1].header_offset
            archive.filelist.append(copy)
            archive._didModify = True
    path.write_bytes(file.getvalue())
    with pytest.raises(FileError, match="its parts are larger than the whole"):
        saved.load(path)


def test_a_header_that_claims_more_than_there_is_is_refused(path):
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02") + 20
    data[at : at + 8] = b"\xf0\xff\xff\xff" * 2
    path.write_bytes(data)
    with pytest.raises(FileError, match="its parts are larger than the whole"):
        saved.load(path)


def test_a_table_of_contents_that_leads_nowhere_is_damage(path):
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x05\x06") + 12  # how long the table is said to be
    data[at : at + 4] = b"\xff\xff\xff\x0f"
    path.write_bytes(data)
    with pytest.raises(FileError, match="is damaged or was cut off"):
        saved.load(path)


def test_an_encrypted_part_is_refused(path):
    data = bytearray(path.read_bytes())
    for sign, at in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.index(sign) + at] |= 1
    path.write_bytes(data)
    with pytest.raises(FileError, match="encrypted"):
        saved.load(path)


def test_a_changed_byte_is_noticed(path):
    data = bytearray(path.read_bytes())
    at = data.index(np.float64(4.0).tobytes())
    data[at + 6] ^= 1
    path.write_bytes(data)
    with pytest.raises(FileError, match="Bad CRC-32"):
        saved.load(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(data=st.data())
def test_no_change_does_any_harm(path, data):
    saved.save(path, STATE)
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole)), "at")
    noise = data.draw(st.binary(max_size=4), "noise")
    left_out = data.draw(st.integers(0, 4) | st.just(len(whole)), "left out")
    path.write_bytes(whole[:at] + noise + whole[at + left_out :])
    with contextlib.suppress(FileError):
        assert repr(saved.load(path)) == repr(STATE)  # what changed was no part of the state


def test_a_pickle_inside_is_not_opened(path, tmp_path):
    class Evil:
        def __reduce__(self):
            return Path.touch, (tmp_path / "ran",)

    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([Evil()]), allow_pickle=True)
    manifest = b'{"format": "cgkit state", "version": 1, "state": {"array": 0}}'
    path.write_bytes(zipped([("state.json", manifest), ("0.npy", file.getvalue())]))
    with pytest.raises(FileError, match=r"0\.npy .* cannot be read"):
        saved.load(path)
    assert not (tmp_path / "ran").exists()
