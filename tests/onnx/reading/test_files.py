"""A model may name files of its own folder, and nothing else."""

import os

import pytest

from cgkit.errors import OnnxError
from cgkit.onnx.reading.files import read_external, read_file


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "model"
    (home / "weights").mkdir(parents=True)
    (home / "w.bin").write_bytes(bytes(range(10)))
    (home / "weights" / "w.bin").write_bytes(b"deeper")
    (tmp_path / "secret").write_bytes(b"secret")
    return home


def test_a_part_of_a_file_is_read(folder):
    assert read_external(folder, "w.bin", 2, 3) == bytes([2, 3, 4])
    assert read_external(folder, "weights/w.bin", 0, 6) == b"deeper"
    assert read_external(folder, "./w.bin", 10, 0) == b""


@pytest.mark.parametrize(
    "location",
    [
        "../secret", "weights/../../secret", "/etc/hostname", "", ".", "C:\\secret", "..\\secret",
        "w.bin\0", "\\\\host\\share",
    ],
)  # fmt: skip
def test_a_path_that_leads_out_is_refused(folder, location):
    with pytest.raises(OnnxError):
        read_external(folder, location, 0, 1)


@pytest.mark.parametrize("link", ["link", "linked/secret"])
def test_a_link_that_leads_out_is_refused(folder, link):
    (folder / "link").symlink_to(folder.parent / "secret")
    (folder / "linked").symlink_to(folder.parent)
    with pytest.raises(OnnxError, match="own folder"):
        read_external(folder, link, 0, 1)


def test_a_link_that_stays_inside_is_followed(folder):
    (folder / "alias").symlink_to(folder / "w.bin")
    assert read_external(folder, "alias", 0, 1) == b"\0"


@pytest.mark.parametrize(("offset", "length"), [(0, 11), (10, 1), (2**63, 1), (0, 2**63), (-1, 1)])
def test_bytes_that_are_not_there_are_refused(folder, offset, length):
    with pytest.raises(OnnxError, match="has 10 bytes"):
        read_external(folder, "w.bin", offset, length)


def test_a_model_without_a_folder_has_no_other_files():
    with pytest.raises(OnnxError, match="path of the model"):
        read_external(None, "w.bin", 0, 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_what_is_no_plain_file_is_refused_at_once(folder):
    os.mkfifo(folder / "pipe")
    for path in ("pipe", "weights"):
        with pytest.raises(OnnxError, match=r"plain file|directory"):
            read_external(folder, path, 0, 1)
        with pytest.raises(OnnxError, match=r"plain file|directory"):
            read_file(folder / path, 10)


def test_a_file_of_the_caller_has_a_limit(folder):
    assert read_file(folder / "w.bin", 10) == bytes(range(10))
    with pytest.raises(OnnxError, match="10 bytes; limits allow 9"):
        read_file(folder / "w.bin", 9)


def test_a_file_that_is_not_there_is_named(folder):
    with pytest.raises(OnnxError, match=r"none\.onnx"):
        read_file(folder / "none.onnx", 10)
