"""Student values as plain data, so that nothing a student made is ever asked a question.

    whatever came back ──► plain(value) ──► numbers, text, tuples, lists, dicts, sets, arrays
                             └ NotPlain: an object of some class; its own `==` is never called

Invariants: only exact built-in types and NumPy's own types pass; a subclass (whose `__eq__` could
say yes to everything) does not. What passes is rebuilt, so it shares nothing with the student.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable

import numpy as np

_DEEPEST = 60
_NUMBERS = (int, float)
_MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
_ARRAY_KINDS = "biufc"


class NotPlainError(TypeError):
    """A value that is no plain data; the text says what it is."""


def plain(value: object, depth: int = 0) -> object:
    """Rebuild `value` from exact built-in types.

    Parameters
    ----------
    value
        Anything a student's code returned.
    depth
        How deep inside another value it lies.

    Returns
    -------
    object
        None, bool, int, float, complex, str, tuple, list, dict, set, range or numpy.ndarray.

    Raises
    ------
    NotPlainError
        The value, or a part of it, is something else.

    Examples
    --------
    >>> plain((np.int64(3), [np.float64(0.5)]))
    (3, [0.5])
    """
    kind = type(value)
    if depth > _DEEPEST:
        raise NotPlainError(f"a value nested deeper than {_DEEPEST} levels")
    if value is None or kind in (bool, int, float, complex, str, range):
        return value
    if kind in (tuple, list, set, frozenset, collections.deque):
        return _rebuild(value, depth)
    if kind in _MAPPINGS:
        return _mapping(value, depth)
    if kind is np.ndarray:
        return _array(value)
    if kind.__module__ == "numpy" and issubclass(kind, np.generic):
        return _array(np.asarray(value)).item()
    raise NotPlainError(describe(value))


def _rebuild(value: object, depth: int) -> object:
    items = [plain(item, depth + 1) for item in value]  # type: ignore[attr-defined]
    if type(value) is tuple:
        return tuple(items)
    return items if type(value) in (list, collections.deque) else set(items)


def _mapping(value: object, depth: int) -> dict[object, object]:
    if not isinstance(value, dict):
        raise NotPlainError(describe(value))
    pairs = dict.items(value)  # the unbound method: nothing of the student's is called
    return {plain(key, depth + 1): plain(item, depth + 1) for key, item in pairs}


def _array(value: object) -> np.ndarray:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in _ARRAY_KINDS:
        raise NotPlainError(describe(value))
    return np.array(value)


def describe(value: object) -> str:
    """Say what kind of thing a value is, without asking the value.

    Examples
    --------
    >>> describe((1, 2)), describe(None), describe(True), describe(object())
    ('a tuple', 'None', 'a bool', 'an object of class object')
    """
    if value is None:
        return "None"
    kind = type(value)
    if kind is np.ndarray:
        return "an array"
    names = {int: "an int", float: "a float", str: "a text", bool: "a bool", set: "a set"}
    if kind in names:
        return names[kind]
    if kind in (tuple, list, dict, range, complex):
        return f"a {kind.__name__}"
    if kind.__name__ in ("function", "builtin_function_or_method", "method"):
        return "a function"
    if kind.__name__ == "generator":
        return "a generator"
    return f"an object of class {kind.__name__}"


def kind_of(value: object, *, exact: bool = False) -> str:
    """Name the kind of a plain value: one word per kind, numbers being one kind unless `exact`.

    Examples
    --------
    >>> kind_of(2), kind_of(2.0, exact=True), kind_of(True), kind_of((1,))
    ('number', 'float', 'bool', 'tuple')
    """
    if value is None:
        return "None"
    if type(value) in _NUMBERS and not exact:
        return "number"
    return "array" if isinstance(value, np.ndarray) else type(value).__name__


def same(got: object, expected: object, tolerance: float = 1e-9) -> bool:
    """Compare two plain values: kinds exactly, numbers within `tolerance`, nan equal to nan.

    With a tolerance of 0 an int is not a float, as for the sizes of a shape.

    Examples
    --------
    >>> same((1, 2.0), (1.0, 2)), same([1], (1,)), same(True, 1), same((2.0,), (2,), 0)
    (True, False, False, False)
    """
    kind = kind_of(expected)
    if kind_of(got) != kind:
        return False
    if tolerance == 0 and kind == "number" and type(got) is not type(expected):
        return False
    return _COMPARE.get(kind, _same_exactly)(got, expected, tolerance)


def _same_exactly(got: object, expected: object, _: float) -> bool:
    return bool(got == expected)


def _same_number(got: object, expected: object, tolerance: float) -> bool:
    if type(got) is int and type(expected) is int:
        return got == expected
    try:
        left, right = float(got), float(expected)  # type: ignore[arg-type]
    except OverflowError:
        return False
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return math.isclose(left, right, rel_tol=tolerance, abs_tol=tolerance)


def _same_items(got: object, expected: object, tolerance: float) -> bool:
    if len(got) != len(expected):  # type: ignore[arg-type]
        return False
    pairs = zip(got, expected, strict=True)  # type: ignore[call-overload]
    return all(same(one, other, tolerance) for one, other in pairs)


def _same_mapping(got: object, expected: object, tolerance: float) -> bool:
    if not isinstance(got, dict) or not isinstance(expected, dict) or set(got) != set(expected):
        return False
    return all(same(got[key], expected[key], tolerance) for key in expected)


def _same_array(got: object, expected: object, tolerance: float) -> bool:
    left, right = np.asarray(got), np.asarray(expected)
    if left.shape != right.shape or left.dtype.kind != right.dtype.kind:
        return False
    return bool(np.allclose(left, right, rtol=tolerance, atol=tolerance, equal_nan=True))


_COMPARE: dict[str, Callable[[object, object, float], bool]] = {
    "number": _same_number,
    "tuple": _same_items,
    "list": _same_items,
    "dict": _same_mapping,
    "array": _same_array,
}


def show(value: object, room: int = 300) -> str:
    """Write a plain value for a message, a long one cut in its middle.

    Examples
    --------
    >>> show({"x": 2.0}), show(0.1 + 0.2), show(np.zeros((2, 2)))
    ("{'x': 2.0}", '0.3', 'array([[0., 0.], [0., 0.]]), shape (2, 2)')
    """
    if type(value) is float:
        text = repr(float(f"{value:.12g}"))
    elif isinstance(value, np.ndarray):
        body = np.array2string(value, separator=", ", threshold=20).replace("\n", "")
        text = f"array({' '.join(body.split())}), shape {value.shape}"
    else:
        text = repr(value)
    return text if len(text) <= room else f"{text[: room // 2]} ... {text[-room // 3 :]}"
