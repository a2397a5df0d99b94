"""Pictures in files."""

import sys
from pathlib import Path

import graphviz
import pytest

from cgkit.errors import RenderError
from cgkit.render import save


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.svg", b"<?xml"),
        ("a.PNG", b"\x89PNG"),
        ("a b.pdf", b"%PDF"),
        ("图.dot", b"// Computational"),
        ("a.gv", b"// Computational"),
    ],
)
def test_each_suffix_twice(tmp_path, diamond, name, start):
    file = save(diamond, tmp_path / name, engine="bundled")
    first = file.read_bytes()
    assert first.startswith(start)
    assert save(diamond, str(file), engine="bundled").read_bytes() == first


def test_a_graph_of_a_student(tmp_path):
    drawn = graphviz.Graph(engine="circo", body=["a -- b\n"])
    assert b"<title>a</title>" in save(drawn, tmp_path / "a.svg", engine="bundled").read_bytes()
    assert save(drawn, tmp_path / "a.dot").read_text().startswith("graph {")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.jpg", "the suffix '.jpg' is no format"),
        ("a", "no suffix"),
        ("nowhere/a.svg", "there is no folder"),
        ("folder.svg", "cannot be written"),
    ],
)
def test_places_that_are_none(tmp_path, diamond, name, message):
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(RenderError, match=message):
        save(diamond, tmp_path / name, engine="bundled")


def test_what_was_there_stays_until_the_picture_is_whole(tmp_path, diamond, monkeypatch):
    file, link = tmp_path / "a.dot", tmp_path / "link.dot"
    file.write_bytes(b"the former picture")
    link.symlink_to(file)

    def full(path, target):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(RenderError, match="No space left"):
            save(diamond, link)
    assert file.read_bytes() == b"the former picture"
    assert {path.name for path in tmp_path.iterdir()} == {"a.dot", "link.dot"}
    save(diamond, link)
    assert link.is_symlink()
    assert file.read_bytes().startswith(b"// Computational")


def test_nothing_is_left_of_a_picture_that_failed(tmp_path):
    with pytest.raises(RenderError):
        save(graphviz.Source("digraph {"), tmp_path / "a.svg", engine="bundled")
    assert list(tmp_path.iterdir()) == []


def test_importing_pictures_is_cheap():
    """The command `cgkit` starts quickly only if nothing heavy is imported."""
    import subprocess

    code = "import sys, cgkit.render; print([m for m in sys.modules if m in sys.argv[1:]])"
    heavy = ["graphviz", "pygraphviz", "matplotlib", "IPython", "PIL"]
    done = subprocess.run(
        [sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
