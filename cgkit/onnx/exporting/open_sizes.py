"""Sizes that are open until a model runs, computed by the model itself.

    reshape(x, shape=(2*N, 3))      Shape(x) ─> N ─ Mul 2 ─> 2*N ─┐
                                                          [3] ────┴─ Concat ─> [2*N, 3] ─> Reshape

A size N is read off a tensor that has it on an axis, or off one that has 2*N or N + 3 there. Each
is a vector of one int64, computed once.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import groupby
from typing import Any

import numpy as np

from cgkit.errors import OnnxError
from cgkit.onnx.exporting.writer import Term, Writer
from cgkit.types import Dim, Size, least, of_terms, show_shape
from cgkit.types.terms import Factor, Floor

INT64 = np.dtype("int64")


def note(writer: Writer, term: Term) -> None:
    """Remember the open sizes that can be read off a tensor."""
    for axis, size in enumerate(term.shape or ()):
        if isinstance(size, Dim):
            writer.read.append((term, axis, size))


def forget(writer: Writer, symbols: Set[str]) -> None:
    """Forget sizes that go by the names of others from now on."""
    for size in [size for size in writer.sizes if isinstance(size, Dim) and size.symbols & symbols]:
        del writer.sizes[size]
    writer.read[:] = [entry for entry in writer.read if not entry[2].symbols & symbols]


def vector(writer: Writer, sizes: Sequence[Size]) -> Term:
    """Give sizes as a vector of int64.

    Raises
    ------
    OnnxError
        A size can be read off no tensor.
    """
    if not any(isinstance(size, Dim) for size in sizes):
        return writer.constant(np.array(list(map(int, sizes)), np.int64))
    parts = []
    for is_open, run in groupby(sizes, lambda size: isinstance(size, Dim)):
        known = list(run)
        parts += [_one(writer, size) for size in known] if is_open else [vector(writer, known)]
    return parts[0] if len(parts) == 1 else _share(writer, "Concat", parts, "shape", axis=0)


def _one(writer: Writer, size: Size) -> Term:
    """Give one size as a vector."""
    if not isinstance(size, Dim):
        return writer.constant(np.array([size], np.int64))
    if size not in writer.sizes:
        name = str(size)
        found = _symbol(writer, name) if size.symbols == {name} else _sum(writer, size)
        writer.sizes[size] = found
    return writer.sizes[size]


def _share(writer: Writer, operator: str, inputs: Sequence[Term], stem: str, **more: Any) -> Term:
    (term,) = writer.add(operator, inputs, (INT64,), f"sizes/{stem}", **more)
    writer.shared.add(term.name)
    return term


def _sum(writer: Writer, size: Dim) -> Term:
    total: Term | None = None
    for monomial, coefficient in size.terms.items():
        factors = [_factor(writer, factor) for factor, power in monomial for _ in range(power)]
        product = _product(writer, factors, coefficient, str(size))
        total = product if total is None else _share(writer, "Add", (total, product), str(size))
    assert total is not None  # a Dim has terms
    return total


def _factor(writer: Writer, factor: Factor) -> Term:
    if not isinstance(factor, Floor):
        return _symbol(writer, factor)
    whole = of_terms({((factor, 1),): 1})
    if whole not in writer.sizes:
        inside = of_terms(factor.terms)
        divided, by, stem = _one(writer, inside), _one(writer, factor.by), str(factor)
        if least(inside) < 0:  # ONNX divides toward 0
            rest = _share(writer, "Mod", (divided, by), stem)
            divided = _share(writer, "Sub", (divided, rest), stem)
        writer.sizes[whole] = _share(writer, "Div", (divided, by), stem)
    return writer.sizes[whole]


def _product(writer: Writer, terms: list[Term], coefficient: int, stem: str) -> Term:
    if coefficient != 1 or not terms:
        terms.append(_one(writer, coefficient))
    product = terms[0]
    for factor in terms[1:]:
        product = _share(writer, "Mul", (product, factor), stem)
    return product


def _symbol(writer: Writer, name: str, waiting: frozenset[str] = frozenset()) -> Term:
    """Read a symbol off a tensor; off one that has it by itself, if there is any."""
    own = Dim(name)
    if own in writer.sizes:
        return writer.sizes[own]
    for term, axis, size in writer.read:
        if size == own:
            writer.sizes[own] = _share(writer, "Shape", (term,), name, start=axis, end=axis + 1)
            return writer.sizes[own]
    for term, axis, size in writer.read:
        line = _line(size, name)
        if line is None or not _can_tell(writer, line, waiting | {name}):
            continue
        slope, rest = line
        found = _share(writer, "Shape", (term,), str(size), start=axis, end=axis + 1)
        found = _share(writer, "Sub", (found, _one(writer, rest)), name)
        writer.sizes[own] = _share(writer, "Div", (found, _one(writer, slope)), name)
        return writer.sizes[own]
    shapes = {show_shape(term.shape or ()) for term, _, _ in writer.read}
    raise OnnxError(
        f"the open size {name} cannot be read off the inputs of the model",
        why=f"their shapes are {', '.join(sorted(shapes))}" if shapes else "",
        attempt="an input that has this size by itself",
    )


def _can_tell(writer: Writer, line: tuple[Size, Size], waiting: frozenset[str]) -> bool:
    """Whether all symbols of a line are known, or can be read off by themselves."""
    symbols = {name for part in line if isinstance(part, Dim) for name in part.symbols}
    if symbols & waiting:
        return False
    for name in symbols:
        try:
            _symbol(writer, name, waiting)
        except OnnxError:
            return False
    return True


def _line(size: Dim, name: str) -> tuple[Size, Size] | None:
    """Write a size as slope * name + rest; None if it is no such line."""
    if name not in size.symbols or not size.is_line(name):
        return None
    rest = size.put({name: 0})
    return size.put({name: 1}) - rest, rest
