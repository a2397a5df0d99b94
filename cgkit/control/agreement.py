"""What loops and branches must agree on: types that stay, branches that are alike.

    carry in   {"h": float32[3]}   ─ body ─>   carry out  {"h": float32[4]}     an error: ['h']

A number written in Python has no dtype of its own. As the start of a carry it takes the one that
the body gives it, as a result of a body that of the carry, as a result of a branch that which
another branch gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.errors import CgkitError, DtypeError, OperandError, ShapeError
from cgkit.symbolic import Value
from cgkit.tensor import Tensor
from cgkit.types import Dim, TensorType, meet, weak_dtype

Types = Sequence[TensorType]


def alike(expected: tree.Structure, value: Any, what: str, like: str) -> list[Any]:
    """Take a value apart that must be nested as another one is; keys may come in any order.

    Parameters
    ----------
    expected
        How it must be nested.
    value
        What is taken apart.
    what, like
        What gives it, and what it must be like.

    Returns
    -------
    list
        Its leaves, in the order of the other one's.

    Raises
    ------
    OperandError
        It is nested in another way; the message shows both.

    Examples
    --------
    >>> alike(tree.flatten({"a": 1, "b": 2})[1], {"b": "y", "a": "x"}, "the body", "its carry")
    ['x', 'y']
    """
    found = tree.flatten(value)[1]
    if _sorted(expected) != _sorted(found):
        raise OperandError(
            f"{what} gives {shown(found)}, but {like} is {shown(expected)}",
            attempt="the same tuples, lists and keys on both sides",
        )
    return tree.flatten_along(expected, value)


def _sorted(structure: tree.Structure) -> tree.Structure:
    """Give a structure with its keys in one order."""
    parts = [_sorted(part) for part in structure.parts]
    keys = structure.keys
    if structure.kind is dict:
        order = sorted(range(len(keys)), key=lambda i: repr(keys[i]))
        keys, parts = tuple(keys[i] for i in order), [parts[i] for i in order]
    return tree.Structure(structure.kind, keys, tuple(parts))


def shown(structure: tree.Structure) -> str:
    """Write how a value is nested.

    Examples
    --------
    >>> shown(tree.flatten({"h": 1, "state": (2, 3)})[1])
    "{'h': tensor, 'state': (tensor, tensor)}"
    """
    return repr(tree.unflatten(structure, [_Word()] * structure.size))


class _Word:
    def __repr__(self) -> str:
        return "tensor"


def same_types(
    expected: Types, found: Types, structure: tree.Structure, what: str, before: str, after: str
) -> tuple[TensorType, ...]:
    """Demand that types are equal, leaf by leaf; open sizes are taken as equal.

    Parameters
    ----------
    expected, found
        The types of the leaves.
    structure
        How they are nested, to name a leaf.
    what
        What demands it: "the carry of scan".
    before, after
        What the two are: "goes in" and "comes out".

    Returns
    -------
    tuple of TensorType
        What is known of each leaf.

    Raises
    ------
    ShapeError, DtypeError
        A leaf has two types; it is named.
    """
    met = []
    for place, a, b in zip(tree.paths(structure), expected, found, strict=True):
        name = f"{what}{f' at {place}' if place else ''}"
        if a.dtype != b.dtype:
            raise DtypeError(
                f"{name} is {a} where it {before}, and {b} where it {after}",
                attempt=f'ops.cast(x, dtype="{a.dtype.name}")',
            )
        try:
            sizes = [meet(m, n) for m, n in zip(a.shape, b.shape, strict=True)]
        except (CgkitError, ValueError) as error:
            open_sizes = any(isinstance(size, Dim) for size in (*a.shape, *b.shape))
            told = error.what if isinstance(error, CgkitError) and open_sizes else ""
            raise ShapeError(
                f"{name} is {a} where it {before}, and {b} where it {after}",
                why=told or "what a graph computes has one type, however often a part of it runs",
                attempt="values of one shape",
            ) from None
        met.append(TensorType(sizes, a.dtype))
    return tuple(met)


def weak(leaf: Any) -> bool:
    """Say whether a leaf is a number written in Python, which has no dtype of its own."""
    return isinstance(leaf, bool | int | float) and not isinstance(leaf, np.generic)


def settled(leaves: Sequence[Any], found: Types) -> list[Any]:
    """Give numbers written in Python the dtypes that are known of them; the rest stays."""
    given = []
    for leaf, known in zip(leaves, found, strict=True):
        number = weak(leaf) and weak_dtype(leaf, [known.dtype]) == known.dtype
        given.append(np.asarray(leaf, known.dtype) if number else leaf)
    return given


def check_functions(functions: Mapping[str, Any]) -> None:
    """Demand functions; each goes by the name that messages use for it.

    Raises
    ------
    OperandError
        One of them cannot be called.
    """
    for name, function in functions.items():
        if not callable(function):
            raise OperandError(
                f"{name} is of type {type(function).__name__}, not a function",
                attempt="lambda x: ...",
            )


def check_predicate(pred: Any, what: str) -> None:
    """Demand one truth value that is a tensor.

    Raises
    ------
    OperandError
        It is a plain bool, or no tensor at all.
    DtypeError, ShapeError
        It is a tensor of another dtype, or of several elements.
    """
    if isinstance(pred, bool | np.bool_):
        raise OperandError(
            f"{what} is {pred}, a plain bool: it is decided before anything runs",
            attempt="Python's own `if`, or a comparison of tensors, such as x < 0",
        )
    if not isinstance(pred, Tensor | Value):
        raise OperandError(f"{what} is of type {type(pred).__name__}, not a tensor of one bool")
    if pred.dtype != np.bool_:
        raise DtypeError(f"{what} is {pred.dtype}, not bool", attempt="a comparison, such as x > 0")
    if pred.shape != ():
        raise ShapeError(
            f"{what} has shape {pred.shape}, not one element of shape ()",
            attempt="ops.any(x) or ops.all(x) for one answer, ops.where for one for each element",
        )
