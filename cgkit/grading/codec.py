"""Plain values as JSON and raw bytes, and back; nothing that is executed on arrival.

    encode((1, array))  ──►  {"tuple": [1, {"array": ["<f8", [2], 0, 16]}]}  +  16 raw bytes
    decode(those)       ──►  (1, array)

Exact built-in types, NumPy's own types and the kinds of `cgkit.grading.kinds` cross as they are.
Everything else is decided by the caller's `other`, which gives a mark in its place or refuses.

- No pickle and no object arrays, ever. A mark that is not known is refused with a sentence.
- Depth, number of items and bytes are bounded on both sides; a value that refers to itself ends at
  the depth.
- A list, dict, set or array that came as an argument and is given back is given back *as that*.
"""

from __future__ import annotations

import collections
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from cgkit.errors import CgkitError
from cgkit.grading.kinds import BY_MARK, BY_TYPE

Mark: TypeAlias = Any
"""What JSON can hold: a plain value, a list, or a dict with one key, which says how to read it."""

DEEPEST = 60
"""Levels of nesting that may cross."""
MOST_ITEMS = 3_000_000
"""Items of one value that may cross, counted at every level."""
MOST_BYTES = 64 << 20
"""Bytes of arrays and byte strings in one value."""
WIDEST = 1 << 20
"""Bits of one whole number."""
DTYPES = "biufcUS"
"""Kinds of arrays that may cross: numbers, truth values and texts."""

_TABLE = 100
_BREAK, _NEXT = "\x1e", "\x1f"  # what ASCII has for between records, and between their parts
_UTF = ("utf-8", "surrogatepass")
_AS_IT_IS = frozenset({str, bool, type(None)})
_MARKED = frozenset({dict, list})
_ALIASED = (list, dict, set, bytearray, np.ndarray)
_SIZED = frozenset({list, tuple, dict, set, frozenset, collections.deque})
_NAMED = {
    "OrderedDict": collections.OrderedDict,
    "Counter": collections.Counter,
    "deque": collections.deque,
}


class Refused(CgkitError, ValueError):
    """A value that cannot cross; the message says which, for a student to read."""


def refuse(mark: object) -> Any:
    """Refuse everything that is not plain; the `other` of a codec that knows only data."""
    raise Refused(f"this is no plain data: {str(mark)[:80]}")


class Encoder:
    """Turns values into marks; one encoder for the values of one message.

    Parameters
    ----------
    other
        Given what is not plain, gives a mark or raises `Refused`.
    arguments
        Values the other side holds already; given back, they cross by their number.

    Examples
    --------
    >>> encoder = Encoder(refuse)
    >>> encoder((1, {2, 3}, float("inf")))
    {'tuple': [1, {'set': [2, 3]}, {'float': 'inf'}]}
    """

    def __init__(self, other: Callable[[object], Mark], arguments: Sequence[object] = ()) -> None:
        self._other = other
        self._items = 0
        self.raw = bytearray()
        self.told = set[int]()
        """Numbers of the arguments that crossed by their number."""
        self._known = {
            id(value): number for number, value in enumerate(arguments) if type(value) in _ALIASED
        }

    def __call__(self, value: Any, depth: int = 0) -> Mark:
        """Give the mark of one value."""
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return _whole(value)
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if depth > DEEPEST:
            raise Refused(f"a value nested deeper than {DEEPEST} levels, or one that holds itself")
        if id(value) in self._known:
            self.told.add(self._known[id(value)])
            return {"argument": self._known[id(value)]}
        write = _WRITERS.get(kind)
        if write is not None:
            self.count(len(value) if kind in _SIZED else 1)
            return write(self, value, depth + 1)
        if kind in BY_TYPE:
            found = BY_TYPE[kind]
            return {found.mark: self(found.write(value), depth + 1)}
        if kind.__module__ == "numpy" and isinstance(value, np.generic):
            return self._scalar(value)
        return self._other(value)

    def count(self, items: int) -> None:
        """Add to the items of this value, and refuse it when they are too many."""
        self._items += 1 + items
        if self._items > MOST_ITEMS:
            raise Refused(f"a value of more than {MOST_ITEMS:,} items")

    def many(self, values: Any, depth: int) -> list[Mark]:
        """Give the marks of several values."""
        return [value if type(value) in _AS_IT_IS else self(value, depth) for value in values]

    def bytes(self, data: bytes) -> list[int]:
        """Store raw bytes; give where they lie."""
        start = len(self.raw)
        if start + len(data) > MOST_BYTES:
            raise Refused(f"more than {MOST_BYTES >> 20} MB of data")
        self.raw += data
        return [start, len(data)]

    def array(self, value: np.ndarray) -> Mark:
        """Give the mark of an array; its size is the one it would have when written out."""
        if value.dtype.kind not in DTYPES:
            raise Refused(f"an array of {value.dtype}; numbers, truth values and texts can cross")
        if value.nbytes > MOST_BYTES:
            raise Refused(f"an array of {value.nbytes >> 20} MB, shape {value.shape}")
        data = np.ascontiguousarray(value).tobytes()
        return {"array": [value.dtype.str, list(value.shape), *self.bytes(data)]}

    def _scalar(self, value: np.generic) -> Mark:
        if value.dtype.kind not in DTYPES:
            raise Refused(f"a NumPy value of {value.dtype}")
        whole = np.asarray(value)  # an empty text takes no bytes as a scalar, and some as an array
        return {"scalar": [whole.dtype.str, *self.bytes(whole.tobytes())]}


def _whole(value: Any) -> Mark:
    if -(2**63) <= value < 2**63:
        return value
    if value.bit_length() > WIDEST:
        raise Refused(f"a whole number of {value.bit_length():,} bits")
    return {"int": hex(value)}


def _dict(encoder: Encoder, value: Any, depth: int) -> Mark:
    if all(type(key) is str for key in value):
        if value and all(type(item) is tuple for item in value.values()):
            return _rows(encoder, value, depth + 1)
        return {"names": dict(zip(value, encoder.many(value.values(), depth), strict=True))}
    keys, items = encoder.many(value, depth), encoder.many(value.values(), depth)
    return {"dict": [[key, item] for key, item in zip(keys, items, strict=True)]}


def _rows(encoder: Encoder, value: Any, depth: int) -> Mark:
    """Give the mark of a dict of tuples, such as a graph: half the work of one mark for each.

    A large one that holds nothing but texts crosses as two texts, at a quarter of the work.
    """
    encoder.count(sum(map(len, value.values())) + len(value))
    if len(value) >= _TABLE:
        columns = _texts([*value]), _texts([_texts(row, _NEXT) for row in value.values()])
        if None not in columns:
            return {"table": [encoder.bytes(str(text).encode(*_UTF)) for text in columns]}
    return {"rows": {name: encoder.many(row, depth) for name, row in value.items()}}


def _texts(texts: Sequence[Any], mark: str = _BREAK) -> str | None:
    """Join texts with a mark between, or give None where they would not come apart again."""
    if not texts or any(type(text) is not str for text in texts):
        return None
    joined = mark.join(texts)
    inside = _BREAK if mark == _NEXT else ""
    whole = joined.count(mark) == len(texts) - 1 and not (inside and inside in joined)
    return joined if whole else None


def _named(encoder: Encoder, value: Any, depth: int) -> Mark:
    inner = list(value) if type(value) is collections.deque else dict(value)
    return {"named": [type(value).__name__, encoder(inner, depth)]}


def _complex(encoder: Encoder, value: Any, depth: int) -> Mark:
    return {"complex": [repr(value.real), repr(value.imag)]}


_WRITERS: dict[type, Callable[[Encoder, Any, int], Mark]] = {
    list: lambda encoder, value, depth: encoder.many(value, depth),
    tuple: lambda encoder, value, depth: {"tuple": encoder.many(value, depth)},
    dict: _dict,
    collections.OrderedDict: _named,
    collections.Counter: _named,
    collections.deque: _named,
    collections.defaultdict: lambda encoder, value, depth: encoder(dict(value), depth),
    set: lambda encoder, value, depth: {"set": encoder.many(value, depth)},
    frozenset: lambda encoder, value, depth: {"frozenset": encoder.many(value, depth)},
    complex: _complex,
    bytes: lambda encoder, value, depth: {"bytes": encoder.bytes(value)},
    bytearray: lambda encoder, value, depth: {"bytearray": encoder.bytes(bytes(value))},
    range: lambda encoder, value, depth: {
        "range": encoder.many((value.start, value.stop, value.step), depth)
    },
    slice: lambda encoder, value, depth: {
        "slice": encoder.many((value.start, value.stop, value.step), depth)
    },
    np.ndarray: lambda encoder, value, depth: encoder.array(value),
}


class Decoder:
    """Turns marks back into values; one decoder for the values of one message.

    Parameters
    ----------
    raw
        The bytes that came with the message.
    other
        Given a mark that is not plain, as (name, body), gives its value or raises `Refused`.
    arguments
        What `argument` marks stand for.

    Examples
    --------
    >>> decoder = Decoder(b"", refuse_mark)
    >>> decoder({"tuple": [1, {"set": [2, 3]}]})
    (1, {2, 3})
    >>> decoder({"pickle": "..."})
    Traceback (most recent call last):
        ...
    cgkit.grading.codec.Refused: this is no plain data: pickle
    """

    def __init__(
        self,
        raw: bytes,
        other: Callable[[str, Any], Any],
        arguments: Sequence[object] = (),
    ) -> None:
        self._raw = raw
        self._other = other
        self._arguments = arguments

    def __call__(self, mark: Mark, depth: int = 0) -> Any:
        """Give the value of one mark."""
        if type(mark) is list:
            return self.many(mark, depth)
        if type(mark) is not dict:
            return mark
        if depth > 2 * DEEPEST:
            raise Refused("marks nested too deeply")
        try:
            ((name, body),) = mark.items()
            return self._marked(name, body, depth + 1)
        except Refused:
            raise
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as e:
            raise Refused(f"a malformed value ({type(e).__name__})") from None

    def _marked(self, name: str, body: Any, depth: int) -> Any:
        read = _READERS.get(name)
        if read is not None:
            return read(self, body, depth)
        if name in BY_MARK:
            return BY_MARK[name].read(self(body, depth))
        if name == "argument":
            return self._arguments[_natural(body)]
        return self._other(name, body)

    def many(self, marks: list[Mark], depth: int) -> list[Any]:
        """Give the values of several marks."""
        if depth > 2 * DEEPEST:
            raise Refused("marks nested too deeply")
        return [self(mark, depth + 1) if type(mark) in _MARKED else mark for mark in marks]

    def bytes(self, start: Any, length: Any) -> bytes:
        """Give raw bytes by where they lie."""
        first, count = _natural(start), _natural(length)
        if first + count > len(self._raw):
            raise ValueError("bytes that did not come")
        return self._raw[first : first + count]

    def array(self, dtype: Any, shape: Any, start: Any, length: Any) -> np.ndarray:
        """Give an array of its own."""
        sizes = [_natural(size) for size in shape]
        found, data = _dtype(dtype), self.bytes(start, length)
        if math.prod(sizes) * found.itemsize != len(data):
            raise ValueError("not the bytes of this shape")
        if found.kind == "U" and _beyond(data, found):
            raise ValueError("no text")
        return np.ndarray(sizes, found, buffer=data).copy()


def refuse_mark(name: str, body: object) -> Any:
    """Refuse every mark that is not plain; the `other` of a decoder that knows only data."""
    raise Refused(f"this is no plain data: {str(name)[:80]}")


def _beyond(data: bytes, dtype: np.dtype[Any]) -> bool:
    """Tell whether some letter of a text is none: NumPy finds out when somebody looks at it."""
    letters = np.frombuffer(data, np.dtype(np.uint32).newbyteorder(dtype.byteorder))
    return bool((letters > sys.maxunicode).any())


def _natural(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("no whole number from 0 on")
    return value


def _dtype(text: Any) -> np.dtype:
    found = np.dtype(str(text))
    if found.kind not in DTYPES:
        raise ValueError("no such dtype")
    return found


def _read_scalar(decoder: Decoder, body: Any, depth: int) -> Any:
    dtype, start, length = body
    return decoder.array(dtype, (), start, length)[()]


def _read_int(decoder: Decoder, body: Any, depth: int) -> int:
    if type(body) is not str or len(body) > WIDEST // 4 + 4:
        raise ValueError("no hexadecimal number")
    return int(body, 16)


def _read_pairs(decoder: Decoder, body: Any, depth: int) -> dict[Any, Any]:
    return {decoder(key, depth): decoder(item, depth) for key, item in body}


def _read_names(decoder: Decoder, body: Any, depth: int) -> dict[Any, Any]:
    return dict(zip(body, decoder.many(list(body.values()), depth), strict=True))


def _read_rows(decoder: Decoder, body: Any, depth: int) -> dict[Any, Any]:
    return {name: tuple(decoder.many(row, depth)) for name, row in body.items()}


def _read_table(decoder: Decoder, body: Any, depth: int) -> dict[Any, Any]:
    names, rows = (decoder.bytes(*place).decode(*_UTF) for place in body)
    if sum(text.count(mark) for text in (names, rows) for mark in (_BREAK, _NEXT)) > MOST_ITEMS:
        raise ValueError("too many items")
    found = [tuple(row.split(_NEXT)) for row in rows.split(_BREAK)]
    return dict(zip(names.split(_BREAK), found, strict=True))


def _read_named(decoder: Decoder, body: Any, depth: int) -> Any:
    name, inner = body
    return _NAMED[name](decoder(inner, depth))


_READERS: dict[str, Callable[[Decoder, Any, int], Any]] = {
    "tuple": lambda decoder, body, depth: tuple(decoder.many(body, depth)),
    "names": _read_names,
    "rows": _read_rows,
    "table": _read_table,
    "dict": _read_pairs,
    "named": _read_named,
    "set": lambda decoder, body, depth: set(decoder.many(body, depth)),
    "frozenset": lambda decoder, body, depth: frozenset(decoder.many(body, depth)),
    "int": _read_int,
    "float": lambda decoder, body, depth: float(body),
    "complex": lambda decoder, body, depth: complex(float(body[0]), float(body[1])),
    "bytes": lambda decoder, body, depth: decoder.bytes(*body),
    "bytearray": lambda decoder, body, depth: bytearray(decoder.bytes(*body)),
    "range": lambda decoder, body, depth: range(*decoder.many(body, depth)),
    "slice": lambda decoder, body, depth: slice(*decoder.many(body, depth)),
    "array": lambda decoder, body, depth: decoder.array(*body),
    "scalar": _read_scalar,
}
