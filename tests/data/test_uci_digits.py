"""The digits are the ones that were published, whole, and divided as the text beside them says."""

import hashlib
import tomllib
from pathlib import Path

import numpy as np
import pytest

from cgkit.data import digits
from cgkit.data.uci_digits import FILE, read
from cgkit.errors import FileError

ROOT = Path(__file__).parents[2]
COUNTS = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
"""How many there are of each digit, as the data set's own description says."""


def test_all_are_there():
    both = digits()
    labels = np.concatenate([both.train.labels, both.test.labels])
    assert np.bincount(labels).tolist() == COUNTS
    assert np.bincount(both.test.labels).tolist() == [36] * 10
    assert both.shape == (1, 8, 8)
    for part in (both.train, both.test):
        assert part.images.dtype == np.float32
        assert part.labels.dtype == np.int64
        assert (part.images.min(), part.images.max()) == (0.0, 1.0)
    total = both.train.images.sum(dtype="f8") + both.test.images.sum(dtype="f8")
    assert total * 16 == 561_718


def test_no_image_is_in_both_parts():
    both = digits()
    train, test = ({image.tobytes() for image in x.images} for x in (both.train, both.test))
    assert len(train) + len(test) == 1797
    assert not train & test


def test_the_file_is_the_one_that_was_described():
    with np.load(FILE) as file:
        told = hashlib.sha256(file["images"].tobytes() + file["labels"].tobytes()).hexdigest()
    assert told.startswith("87ff0c9e40dc7e2c")


def test_source_license_and_citation_lie_beside_it():
    text = FILE.with_suffix(".txt").read_text(encoding="utf-8")
    for words in ("UCI Machine Learning", "CC BY 4.0", "Alpaydin", "Kaynak", "10.24432/C50P49"):
        assert words in text
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    files = packed["tool"]["setuptools"]["package-data"]["cgkit.data"]
    assert sorted(files) == sorted(
        p.name for p in FILE.parent.iterdir() if p.is_file() and (p.suffix in (".npz", ".txt"))
    )


@pytest.mark.parametrize("data", [b"", b"PK\3\4 no", b"text", None])
def test_a_damaged_file_is_said_to_be_one(tmp_path, data):
    path = tmp_path / "digits.npz"
    path.write_bytes(FILE.read_bytes()[:20_000] if data is None else data)
    with pytest.raises(FileError, match=r"the digits of cgkit cannot be read: .*digits\.npz"):
        read(path)


def test_other_arrays_are_refused(tmp_path):
    path = tmp_path / "digits.npz"
    with pytest.raises(FileError, match="cannot be read"):
        read(path)
    np.savez(path, images=np.zeros((3, 8, 8)), labels=np.zeros(3), test=np.zeros(3, bool))
    with pytest.raises(FileError, match="its arrays have the shapes"):
        read(path)
    np.savez(path, images=np.zeros(3))
    with pytest.raises(FileError, match="labels"):
        read(path)
