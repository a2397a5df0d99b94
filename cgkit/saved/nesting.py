"""How a state is nested, as JSON; arrays stand in it by number.

    {"w": [x, 3], 7: (nan, None)}
      ─>  {"dict": [["w", {"list": [{"array": 0}, 3]}],
                    [7, {"tuple": [{"float": "nan"}, null]}]]}

What is no object of JSON stands for itself, so a loaded state has the types of the saved one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cgkit.errors import CgkitError, FileError, StateError
from cgkit.tensor import Tensor

MANIFEST = "state.json"
FORMAT = "cgkit state"
VERSION = 1
DEEPEST = 100
"""How deep a state may be nested."""
LONGEST = 8 << 20
"""Bytes that the JSON may have."""
PLAIN = (type(None), bool, int, float, str)


def encode(state: Any) -> tuple[bytes, list[np.ndarray]]:
    """Write the nesting of a state as JSON, and collect its arrays.

    Raises
    ------
    StateError
        Something in it cannot be saved; the message says where.

    Examples
    --------
    >>> text, arrays = encode({"w": np.ones(2), "epoch": 3})
    >>> json.loads(text)["state"], arrays
    ({'dict': [['w', {'array': 0}], ['epoch', 3]]}, [array([1., 1.])])
    """
    arrays: list[np.ndarray] = []
    body = {"format": FORMAT, "version": VERSION, "state": _encode(state, "", 0, arrays)}
    text = json.dumps(body, allow_nan=False).encode()
    if len(text) > LONGEST:
        raise StateError(
            f"the state has {len(text):,} bytes of plain values, more than {LONGEST:,}",
            attempt="arrays in place of long lists",
        )
    return text, arrays


def _encode(value: Any, place: str, depth: int, arrays: list[np.ndarray]) -> Any:
    if depth > DEEPEST:
        raise StateError(f"the state is nested deeper than {DEEPEST}", why="does it hold itself?")
    if isinstance(value, dict):
        return {"dict": [
            [_key(key, place), _encode(part, f"{place}[{key!r}]", depth + 1, arrays)]
            for key, part in value.items()
        ]}  # fmt: skip
    if type(value) in (list, tuple):
        parts = [_encode(x, f"{place}[{i}]", depth + 1, arrays) for i, x in enumerate(value)]
        return {type(value).__name__: parts}
    if type(value) in PLAIN:
        return _plain(value, place)
    try:
        return _array(value, arrays)
    except CgkitError as error:
        error.add_note(f"  at  state{place}")
        raise


def _key(key: Any, place: str) -> Any:
    if type(key) in (str, int, bool, type(None)):
        return key
    raise StateError(
        f"the key {key!r:.60} of state{place} cannot be saved",
        why=f"it is of type {type(key).__name__}",
        attempt="keys that are texts or whole numbers",
    )


def _plain(value: Any, place: str) -> Any:
    if type(value) is float and not math.isfinite(value):
        return {"float": repr(value)}
    if type(value) is int and value.bit_length() > 4096:
        raise StateError(
            f"a whole number of {value.bit_length():,} binary digits cannot be saved",
            why=f"it stands at state{place}",
        )
    return value


def _array(value: Any, arrays: list[np.ndarray]) -> dict[str, Any]:
    """Put an array aside and give what stands for it."""
    if isinstance(value, Tensor):
        arrays.append(value.detach().to("cpu").data)
        return {"tensor": len(arrays) - 1, "requires_grad": value.is_leaf and value.requires_grad}
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        arrays.append(np.asarray(value))
        return {"number": len(arrays) - 1}
    if type(value) is np.ndarray:
        arrays.append(value)
        return {"array": len(arrays) - 1}
    attempt = "tuple(x) or x._asdict()" if hasattr(value, "_asdict") else "arrays and plain values"
    raise StateError(
        f"a value of type {type(value).__name__} cannot be saved: {value!r:.60}", attempt=attempt
    )


def decode(text: bytes, parts: Mapping[str, np.ndarray], path: str | Path) -> Any:
    """Read a state from its JSON and its arrays.

    Parameters
    ----------
    text
        What `encode` wrote.
    parts
        The arrays, called "0.npy", "1.npy" and so on; each must be used once.
    path
        The file, for errors.

    Raises
    ------
    FileError
        The text is not what `encode` writes.

    Examples
    --------
    >>> text, (array,) = encode([np.ones(2), (None, float("inf"))])
    >>> decode(text, {"0.npy": array}, "run.npz")
    [array([1., 1.]), (None, inf)]
    """
    if len(text) > LONGEST:
        raise _odd(path, f"it has {len(text):,} bytes, more than {LONGEST:,}")
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _odd(path, f"{type(error).__name__}: {error}") from None
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise _odd(path, f"it does not say that it is a {FORMAT}")
    if body.get("version") != VERSION:
        raise FileError(
            f"{path} is in version {body.get('version')!r:.20} of its format; this cgkit reads "
            f"version {VERSION}",
            attempt="the cgkit that wrote it, or a newer one",
        )
    return _Decoder(parts, path).whole(body.get("state"))


class _Decoder:
    """Reads one state; each array may be taken once."""

    def __init__(self, parts: Mapping[str, np.ndarray], path: str | Path) -> None:
        self.left = dict(parts)
        self.path = path
        self.readers: dict[tuple[str, ...], Callable[[Any, int], Any]] = {
            ("list",): lambda node, depth: [*self.members(node["list"], depth)],
            ("tuple",): lambda node, depth: (*self.members(node["tuple"], depth),),
            ("dict",): lambda node, depth: self.dictionary(node["dict"], depth),
            ("array",): lambda node, depth: self.take(node["array"]),
            ("number",): lambda node, depth: self.number(node["number"]),
            ("float",): lambda node, depth: self.unusual(node["float"]),
            ("requires_grad", "tensor"): lambda node, depth: self.tensor(node),
        }

    def whole(self, node: Any) -> Any:
        """Read all of it, and see that nothing is left."""
        state = self.value(node, 0)
        if self.left:
            raise _odd(self.path, f"it has no place for {', '.join(sorted(self.left)[:3])}")
        return state

    def value(self, node: Any, depth: int) -> Any:
        """Read one value, by the names that stand in it."""
        if type(node) in PLAIN:
            return node
        if depth > DEEPEST:
            raise _odd(self.path, f"it is nested deeper than {DEEPEST}")
        reader = self.readers.get(tuple(sorted(node))) if isinstance(node, dict) else None
        if reader is None:
            raise _odd(self.path, f"it holds {node!r:.60}")
        return reader(node, depth + 1)

    def members(self, parts: Any, depth: int) -> list[Any]:
        """Read what stands in a list or tuple."""
        if not isinstance(parts, list):
            raise _odd(self.path, f"members are no list: {parts!r:.60}")
        return [self.value(part, depth) for part in parts]

    def dictionary(self, pairs: Any, depth: int) -> dict[Any, Any]:
        """Read a dict, each key of which stands once."""
        good = isinstance(pairs, list) and all(
            isinstance(pair, list)
            and len(pair) == 2
            and isinstance(pair[0], str | int | bool | None)
            for pair in pairs
        )
        if not good:
            raise _odd(self.path, f"members of a dict are no pairs: {pairs!r:.60}")
        found = {key: self.value(part, depth) for key, part in pairs}
        if len(found) < len(pairs):
            raise _odd(self.path, "a key of a dict stands twice")
        return found

    def take(self, number: Any) -> np.ndarray:
        """Give an array by its number."""
        name = f"{number}.npy"
        if type(number) is not int or name not in self.left:
            raise _odd(self.path, f"there is no array {number!r:.20}, or it is used twice")
        return self.left.pop(name)

    def number(self, number: Any) -> Any:
        """Give one of NumPy's own numbers."""
        array = self.take(number)
        if array.ndim:
            raise _odd(self.path, f"array {number} is no single number")
        return array.dtype.type(array[()])

    def unusual(self, word: Any) -> float:
        """Give nan or an infinity."""
        if word not in ("nan", "inf", "-inf"):
            raise _odd(self.path, f"{word!r:.20} is no number")
        return float(word)

    def tensor(self, node: Mapping[str, Any]) -> Tensor:
        """Give a tensor; a leaf that required a gradient does so again."""
        array, wanted = self.take(node["tensor"]), node["requires_grad"]
        if type(wanted) is not bool or (wanted and array.dtype.kind != "f"):
            raise _odd(self.path, f"a tensor of {array.dtype} has requires_grad {wanted!r:.20}")
        return Tensor.wrap(array).requires_grad_(wanted)


def _odd(path: str | Path, why: str) -> FileError:
    return FileError(f"{MANIFEST} in {path} is not as cgkit writes it", why=why)
