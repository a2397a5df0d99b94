"""What is done survives an interruption, and is forgotten when anything changed."""

from cgkit.conformance import log
from cgkit.conformance.log import Log, fingerprint
from cgkit.conformance.tally import Outcome

OUTCOMES = [Outcome("add", ("forward",), "3 ≠ 4"), Outcome("add", way="slowly")]


def begun(path, mark="one"):
    found = Log(path, mark)
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
    assert Log(path, "one").read() == {"a": OUTCOMES, "c": []}


def test_what_is_no_log_is_begun_anew(tmp_path):
    path = tmp_path / "tiny.jsonl"
    for text in (b"", b"[1]\n", b"{}\n", b"\xff\xfe", b"not json"):
        path.write_bytes(text)
        assert begun(path).read() == {}
        assert path.read_text().startswith('{"fingerprint"')


def test_a_whole_run_leaves_nothing(tmp_path):
    path = tmp_path / "tiny.jsonl"
    begun(path).end()
    assert not path.exists()
    Log(path, "one").end()


def test_the_fingerprint_reads_the_library_and_the_versions(tmp_path, monkeypatch):
    assert fingerprint("torch 1") == fingerprint("torch 1") != fingerprint("torch 2")
    package = tmp_path / "conformance"
    package.mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(log, "__file__", str(package / "log.py"))
    before = fingerprint("")
    (tmp_path / "a.py").write_text("x = 2\n")
    assert fingerprint("") != before
