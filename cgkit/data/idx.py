"""The format of the MNIST files: what the bytes mean, and what may be wrong with them.

    00 00  08     03       00 00 ea 60  00 00 00 1c  00 00 00 1c    ff 00 3e ...
    zeros  uint8  3 axes   60,000       28           28             the elements, row by row

Nothing that a file says of itself is believed before its length bears it out.
"""

from __future__ import annotations

import math
import struct

import numpy as np

from cgkit.errors import FileError

BYTES = 0x08
"""The code of uint8, the only type that MNIST has."""
PACKED = (b"\x1f\x8b", b"PK", b"BZh", b"\xfd7zXZ")
"""How packed files begin."""


def read_idx(data: bytes, name: str, axes: int) -> np.ndarray:
    r"""Read the bytes of an IDX file.

    Parameters
    ----------
    data
        All of the file.
    name
        What to call it in an error.
    axes
        How many axes it should have: 3 for images, 1 for labels.

    Returns
    -------
    numpy.ndarray
        The elements, uint8; the array cannot be written to.

    Raises
    ------
    FileError
        It is no IDX file, or of another sort, or its length is not what it says.

    Examples
    --------
    >>> read_idx(b"\0\0\x08\x01\0\0\0\x03\x05\0\x04", "labels", 1)
    array([5, 0, 4], dtype=uint8)
    """
    _check_magic(data, name, axes)
    start = 4 + 4 * axes
    if len(data) < start:
        raise _broken(name, f"it ends after {len(data)} bytes, within its header of {start}")
    sizes = struct.unpack(f">{axes}I", data[4:start])
    told, there = math.prod(sizes), len(data) - start
    if told != there:
        size = " x ".join(f"{size:,}" for size in sizes)
        short = "it was cut off" if there < told else "something was put behind its end"
        raise _broken(
            name, f"its header says {size} = {told:,} bytes, and {there:,} follow: {short}"
        )
    return np.frombuffer(data, np.uint8, offset=start).reshape(sizes)


def _check_magic(data: bytes, name: str, axes: int) -> None:
    """Demand that a file begins as one of uint8 with so many axes."""
    if data.startswith(PACKED):
        raise _broken(name, "it is a packed file", attempt="unpacking it first")
    if len(data) < 4 or data[:2] != b"\0\0":
        start = data[:4].hex(" ") or "nothing"
        raise _broken(name, f"it begins with {start}, where an IDX file has 00 00 08 {axes:02x}")
    kind, found = data[2], data[3]
    if kind != BYTES:
        raise _broken(name, f"its elements have the type {kind:#04x}, not {BYTES:#04x}, uint8")
    if found != axes:
        sorts = {1: "labels", 3: "images"}
        sort = f" (those of {sorts[found]})" if found in sorts else ""
        raise _broken(name, f"it has {found} axes{sort}, not the {axes} of {sorts.get(axes, 'it')}")


def _broken(name: str, why: str, attempt: str = "fetching it again") -> FileError:
    return FileError(f"{name} is no IDX file that can be read", why=why, attempt=attempt)
