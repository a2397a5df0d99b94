"""Arrays as bytes, in NumPy's own format .npy, read without believing what the header says.

    93 NUMPY 01 00   76 00   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   elements

Only plain numbers of fixed size are written and read. The order of the axes in memory is kept,
since it may decide the last bit of a matrix product.
"""

from __future__ import annotations

import math
import re
import struct
from pathlib import Path

import numpy as np

from cgkit.errors import FileError, StateError

MAGIC = b"\x93NUMPY\x01\x00"
ALIGNED = 64
"""The elements begin at a multiple of so many bytes."""
KINDS = frozenset(["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"])
"""The dtypes that are saved: kind and bytes."""
_HEADER = re.compile(
    r"\{'descr': '[<|]([a-z]\d+)', 'fortran_order': (True|False), "
    r"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n",
    re.ASCII,
)


def to_npy(array: np.ndarray) -> bytes:
    r"""Write an array as the bytes of a .npy file.

    Raises
    ------
    StateError
        Its elements are no plain numbers.

    Examples
    --------
    >>> data = to_npy(np.array([1.5, 2.5], "float32"))
    >>> data[10:].split(b"}")[0], data[-8:]
    (b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), ", b'\x00\x00\xc0?\x00\x00 @')
    """
    kind = f"{array.dtype.kind}{array.dtype.itemsize}"
    if kind not in KINDS:
        raise StateError(
            f"an array of {array.dtype} cannot be saved",
            why="only arrays of truth values, whole numbers and real numbers are",
        )
    column_wise = array.flags.f_contiguous and not array.flags.c_contiguous
    sign = "|" if array.dtype.itemsize == 1 else "<"
    sizes = ", ".join(map(str, array.shape)) + "," * (array.ndim == 1)
    text = f"{{'descr': '{sign}{kind}', 'fortran_order': {column_wise}, 'shape': ({sizes}), }}"
    room = -(len(MAGIC) + 2 + len(text) + 1) % ALIGNED
    header = text.encode() + b" " * room + b"\n"
    elements = array.astype(array.dtype.newbyteorder("<"), copy=False)
    laid = elements.tobytes("F" if column_wise else "C")
    return MAGIC + struct.pack("<H", len(header)) + header + laid


def from_npy(data: bytes, name: str, path: str | Path) -> np.ndarray:
    """Read an array from the bytes of a .npy file.

    Parameters
    ----------
    data
        The bytes.
    name, path
        What to call it in an error, and the file that holds it.

    Raises
    ------
    FileError
        It is no such array, or its length is not what its header says.

    Examples
    --------
    >>> from_npy(to_npy(np.array([[1, 2]])), "0.npy", "run.npz")
    array([[1, 2]])
    """
    kind, column_wise, shape, start = _header(data, name, path)
    dtype = np.dtype("bool" if kind == "b1" else f"<{kind}")
    told, there = math.prod(shape) * dtype.itemsize, len(data) - start
    if told != there:
        raise _odd(
            name, path, f"its header says {shape} of {dtype}, {told:,} bytes, but {there:,} follow"
        )
    if kind == "b1" and (np.frombuffer(data, np.uint8, offset=start) > 1).any():
        raise _odd(name, path, "its truth values are neither 0 nor 1")
    try:
        flat = np.frombuffer(data, dtype, offset=start)
        array = flat.reshape(shape, order="F" if column_wise else "C")
    except ValueError as error:
        raise _odd(name, path, f"its shape is {shape}: {error}") from None
    return array.astype(dtype.newbyteorder("="), order="K")


def _header(data: bytes, name: str, path: str | Path) -> tuple[str, bool, tuple[int, ...], int]:
    """Give kind, order, shape, and where the elements begin."""
    start = len(MAGIC) + 2
    if not data.startswith(MAGIC) or len(data) < start:
        raise _odd(name, path, f"it begins with {data[:8].hex(' ') or 'nothing'}")
    end = start + int.from_bytes(data[start - 2 : start], "little")
    text = data[start:end].decode("latin-1")
    found = _HEADER.fullmatch(text)
    if found is None:
        raise _odd(name, path, f"its header is {text.strip()[:80]!r}")
    kind, column_wise, sizes = found.groups()
    if kind not in KINDS:
        raise _odd(name, path, f"its elements are {kind!r}, which are no plain numbers")
    shape = tuple(int(size) for size in sizes.replace(",", " ").split())
    return kind, column_wise == "True", shape, end


def _odd(name: str, path: str | Path, why: str) -> FileError:
    return FileError(f"the array {name} in {path} cannot be read", why=why)
