"""The row about imports: a fresh process each time, which tells its own seconds."""

import tempfile
from pathlib import Path

import pytest

from cgkit.bench.rows import importing

(ROW,) = importing.ROWS


@pytest.fixture(autouse=True)
def scratch(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("peer", ROW.peers, ids=lambda peer: peer.name)
def test_a_fresh_process_imports_and_tells_seconds(peer):
    work = peer.allocating()
    found = work.run()
    assert work.read(found) == {"sum": 3.0}
    assert 0 < work.seconds(found) < 60


def test_bytecode_is_kept_even_where_writing_it_is_forbidden(monkeypatch, tmp_path):
    # Else every import would compile, and that is not what is measured.
    seen = []

    def note(words, env, **options):
        seen.append(env)
        return importing.subprocess.CompletedProcess(words, 0, "[0.5, 3.0]", "")

    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(importing.subprocess, "run", note)
    work = importing.import_numpy()
    work.run()
    (env,) = seen
    assert "PYTHONDONTWRITEBYTECODE" not in env
    assert Path(env["PYTHONPYCACHEPREFIX"]).parent == tmp_path


def test_an_import_that_fails_is_told_in_its_own_words(monkeypatch, tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('no numbers today')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    work = importing.import_numpy()
    with pytest.raises(RuntimeError, match="imports numpy ends: ImportError: no numbers today"):
        work.run()


def test_what_is_added_to_numpy_is_said():
    assert ROW.remark({"cgkit": 0.1, "numpy": 0.08}) == "cgkit adds 20 ms to numpy"
    assert ROW.remark({"cgkit": 0.1}) == ""
