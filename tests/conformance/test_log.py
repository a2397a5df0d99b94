"""What is done survives an interruption, and is forgotten when anything changed."""

import pytest

from cgkit.conformance import log
from cgkit.conformance.log import Log, fingerprint
from cgkit.conformance.tally import Outcome

OUTCOMES = [Outcome("add", ("forward",), "3 ≠ 4"), Outcome("add", way="slowly")]


def fail(error):
    raise error


def begun(path, mark="one"):
    found = Log(path, mark, fail)
    found.start(found.read())
    return found


def test_a_second_run_reads_what_the_first_wrote(tmp_path):
    path = tmp_path / "deep" / "tiny.jsonl"
    first = begun(path)
    first.write("a", OUTCOMES)
    first.write("b", [])
    assert begun(path).read() == {"a": OUTCOMES, "b": []}
    assert begun(path, "two").read() == {}


def test_a_line_that_is_not_whole_is_dropped(tmp_path):
    path = tmp_path / "tiny.jsonl"
    first = begun(path)
    first.write("a", OUTCOMES)
    with path.open("a") as file:
        file.write('{"case": "b", "outco')
    second = begun(path)
    second.write("c", [])
    assert Log(path, "one", fail).read() == {"a": OUTCOMES, "c": []}


def test_what_is_no_log_is_begun_anew(tmp_path):
    path = tmp_path / "tiny.jsonl"
    for text in (b"", b"[1]\n", b"{}\n", b"\xff\xfe", b"not json"):
        path.write_bytes(text)
        assert begun(path).read() == {}
        assert path.read_text().startswith('{"fingerprint"')


@pytest.mark.parametrize("at", ["start", "write"])
def test_what_cannot_be_kept_is_told_once(tmp_path, at):
    told = []
    path = tmp_path / "tiny.jsonl"
    kept = Log(path, "one", told.append)
    if at == "start":
        (path / "below").mkdir(parents=True)
    kept.start({})
    if at == "write":
        path.unlink()
        path.mkdir()
    kept.write("a", OUTCOMES)
    kept.write("b", OUTCOMES)
    assert [type(error) for error in told] == [IsADirectoryError]
    assert kept.read() == {}


def test_a_whole_run_leaves_nothing(tmp_path):
    path = tmp_path / "tiny.jsonl"
    begun(path).end()
    assert not path.exists()
    Log(path, "one", fail).end()


def test_the_fingerprint_reads_the_library_and_the_versions(tmp_path, monkeypatch):
    assert fingerprint("torch 1") == fingerprint("torch 1") != fingerprint("torch 2")
    before = fingerprint("torch 1")
    with monkeypatch.context() as other:
        other.setattr(log.np, "__version__", "0.0")
        assert fingerprint("torch 1") != before
    package = tmp_path / "conformance"
    package.mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(log, "__file__", str(package / "log.py"))
    before = fingerprint("")
    (tmp_path / "a.py").write_text("x = 2\n")
    assert fingerprint("") != before
