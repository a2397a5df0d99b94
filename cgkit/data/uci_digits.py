"""Handwritten digits, small enough to be part of cgkit.

    digits.npz  ─ digits() ─>  1,437 images to train, 360 to test, each 1 x 8 x 8

From E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning
Repository, 1998, https://doi.org/10.24432/C50P49, under CC BY 4.0. `digits.txt` beside the file
says where it is from, what was changed, and how to cite it.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import numpy as np

from cgkit.data.dataset import Dataset, Examples
from cgkit.errors import FileError

FILE = Path(__file__).with_name("digits.npz")
NUMBER = 1797
BRIGHTEST = 16
"""What a white pixel is in the file; here it is 1."""


def digits() -> Dataset:
    """Give 1,797 images of handwritten digits, 8 by 8 pixels.

    Returns
    -------
    Dataset
        1,437 images to train and 360 to test, 36 of each digit; the parts are always the same.

    Raises
    ------
    FileError
        The file is missing or damaged.

    Examples
    --------
    >>> two = digits().train.images[2, 0]
    >>> for row in two:
    ...     print("|" + "".join(" :-+#"[int(4 * pixel)] for pixel in row) + "|")
    |   :++  |
    |   #++  |
    |  -+-#  |
    |   :+-  |
    |  -++   |
    | -##:   |
    |  +##-: |
    |    -#- |

    References
    ----------
    E. Alpaydin, C. Kaynak, "Cascading classifiers", Kybernetika 34, 1998.
    """
    return read(FILE)


def read(path: Path) -> Dataset:
    """Read the file of digits.

    Raises
    ------
    FileError
        It is missing or damaged.
    """
    try:
        with path.open("rb") as source, np.load(source, allow_pickle=False) as file:
            images, labels, test = (file[name] for name in ("images", "labels", "test"))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise _damaged(path, str(error)) from None
    shapes = images.shape, labels.shape, test.shape
    if shapes != ((NUMBER, 8, 8), (NUMBER,), (NUMBER,)) or test.dtype != np.bool_:
        raise _damaged(path, f"its arrays have the shapes {shapes}")
    scaled = np.divide(images, BRIGHTEST, dtype="float32").reshape(NUMBER, 1, 8, 8)
    known = labels.astype("int64")
    return Dataset(
        "digits", Examples(scaled[~test], known[~test]), Examples(scaled[test], known[test])
    )


def _damaged(path: Path, why: str) -> FileError:
    return FileError(
        f"the digits of cgkit cannot be read: {path}",
        why=why,
        attempt="installing cgkit again, which brings the file",
    )
