"""The source distribution: only its tests are unpacked, and only of the version asked for."""

import io
import subprocess
import tarfile

import pytest

from cgkit.conformance.hips import source
from cgkit.errors import EnvironmentFault


def archive(path, version=source.VERSION, name=source.NAME, info=None):
    files = {
        "PKG-INFO": f"Metadata-Version: 2.3\nName: {name}\nVersion: {version}\n\ntext",
        "tests/test_a.py": "def test_a(): pass\n",
        "tests/data.bin": "x",
        "autograd/__init__.py": "raise SystemExit\n",
    }
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for inside, text in files.items():
            if info is None or inside != "PKG-INFO":
                entry = tarfile.TarInfo(f"{source.WHOLE}/{inside}")
                entry.size = len(text)
                tar.addfile(entry, io.BytesIO(text.encode()))
    return path


def test_the_tests_alone_are_unpacked(tmp_path):
    archive(source.archive_in(tmp_path))
    folder = source.unpacked(tmp_path)
    assert [path.name for path in folder.iterdir()] == ["test_a.py"]
    assert not (tmp_path / source.WHOLE / "autograd").exists()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"version": "1.8.0"}, "says it is version 1.8.0"),
        ({"name": "autograde"}, "does not say what it is"),
        ({"info": "none"}, "does not say what it is"),
    ],
)
def test_another_version_is_refused(tmp_path, settings, why):
    archive(source.archive_in(tmp_path), **settings)
    with pytest.raises(EnvironmentFault, match=why):
        source.unpacked(tmp_path)


def test_what_is_no_archive_is_refused(tmp_path):
    source.archive_in(tmp_path).write_bytes(b"not one")
    with pytest.raises(EnvironmentFault, match="does not say what it is"):
        source.unpacked(tmp_path)


def test_what_was_not_fetched_is_named_with_its_cure(tmp_path):
    with pytest.raises(EnvironmentFault) as caught:
        source.unpacked(tmp_path)
    assert "the tests of autograd 1.9.1 are not here" in str(caught.value)
    assert "python start.py conformance autograd --fetch" in str(caught.value)


def pip(monkeypatch, brings):
    calls = []

    def run(words, **settings):
        calls.append(words)
        return brings(words[words.index("--dest") + 1], words)

    monkeypatch.setattr(source.subprocess, "run", run)
    return calls


def test_it_is_fetched_once_by_name_and_version(tmp_path, monkeypatch):
    def brings(place, words):
        archive(tmp_path / "there" / "x.tar.gz").rename(f"{place}/{source.WHOLE}.tar.gz")
        return subprocess.CompletedProcess(words, 0, "", "")

    calls = pip(monkeypatch, brings)
    folder = tmp_path / "build"
    source.fetch(folder)
    source.fetch(folder)
    assert len(calls) == 1
    assert calls[0][-1] == "autograd==1.9.1"
    assert [path.name for path in folder.iterdir()] == ["autograd-1.9.1.tar.gz"]


def test_a_server_that_does_not_answer(tmp_path, monkeypatch):
    def brings(place, words):
        return subprocess.CompletedProcess(words, 1, "", "warning\nERROR: no answer\n")

    pip(monkeypatch, brings)
    with pytest.raises(EnvironmentFault, match=r"cannot be fetched\n  ERROR: no answer"):
        source.fetch(tmp_path)
    assert not list(tmp_path.iterdir())
