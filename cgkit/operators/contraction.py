"""einsum: products of tensors summed over named axes, and the products it makes easy to say.

    einsum("ij,jk->ik", a, b)     j stands in no result, so it is summed: a matrix product
    einsum("ii->i", a)            an axis named twice: the diagonal
    einsum("...ij->...ji", a)     "..." stands for further axes, which broadcast
    einsum("i,ij", a, b)          without "->" the result has each name that stands once, sorted

Sizes of 1 stretch, as everywhere. Going backward the result changes places with the operand that
wants a gradient, and is one operand of an einsum itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from string import ascii_letters
from typing import Any, NamedTuple, NoReturn

import numpy as np

from cgkit.errors import DtypeError, OperandError, ShapeError
from cgkit.node import Kind, Operator
from cgkit.operators.elementwise import quiet
from cgkit.operators.linalg import matmul
from cgkit.operators.movement import broadcast_to, reshape, transpose
from cgkit.operators.operands import as_operand
from cgkit.operators.samples import with_params
from cgkit.operators.triangles import on_diagonal
from cgkit.types import Shape, Size, TensorType, broadcast_sizes, count, meet, show_shape

MOST = 8
"""Operands of the largest einsum."""


class Names(NamedTuple):
    """An equation with a letter for each axis."""

    operands: tuple[str, ...]
    """For each operand the letters of its axes."""
    result: str
    """The letters of the result's axes."""

    def __str__(self) -> str:
        return f"{','.join(self.operands)}->{self.result}"


def _refuse(equation: str, why: str, attempt: str = "") -> NoReturn:
    raise OperandError(f"einsum cannot read {equation!r}: {why}", attempt=attempt)


@lru_cache(maxsize=512)
def names_of(equation: str, ranks: tuple[int, ...]) -> Names:
    """Give a letter to each axis, those that "..." stands for included.

    Parameters
    ----------
    equation
        As NumPy has it: letters for the axes of each operand, with commas between, and perhaps
        "->" and the letters of the result.
    ranks
        The number of axes of each operand.

    Raises
    ------
    OperandError
        It cannot be read, or does not fit the operands.

    Examples
    --------
    >>> str(names_of("...i,i", (3, 1)))
    'abi,i->ab'
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        _refuse(equation, f"it names {len(terms)} operands, given are {len(ranks)}")
    if len(ranks) > MOST:
        _refuse(equation, f"it has more than {MOST} operands", "several einsums")
    spare = [letter for letter in ascii_letters if letter not in equation]
    hidden = [_hidden(equation, term, rank) for term, rank in zip(terms, ranks, strict=True)]
    dots = "".join(spare[: max(hidden)])
    operands = tuple(
        term.replace("...", dots[len(dots) - many :])
        for term, many in zip(terms, hidden, strict=True)
    )
    letters = "".join(terms).replace("...", "")
    if not arrow:
        right = "..." + "".join(sorted(x for x in set(letters) if letters.count(x) == 1))
    _hidden(equation, right, None)
    result = right.replace("...", dots)
    for letter in result:
        if result.count(letter) > 1 or letter not in "".join(operands):
            _refuse(equation, f"{letter!r} in the result must stand there once and in an operand")
    return Names(operands, result)


def _hidden(equation: str, term: str, rank: int | None) -> int:
    """Count the axes that "..." stands for in one term, and check the term."""
    letters = term.replace("...", "", 1)
    if not all(letter in ascii_letters for letter in letters):
        _refuse(equation, f"{term!r} holds something else than letters and one '...'")
    if rank is None:
        return 0
    hidden = rank - len(letters)
    if hidden < 0 or (hidden and "..." not in term):
        _refuse(equation, f"{term!r} names {len(letters)} axes, the operand has {rank}")
    return hidden


def _sizes(names: Names, shapes: Sequence[Shape]) -> dict[str, Size]:
    """Give the size of each name; sizes of 1 stretch, but not along a diagonal."""
    sizes: dict[str, Size] = {}
    for letters, shape in zip(names.operands, shapes, strict=True):
        own: dict[str, Size] = {}
        try:
            for letter, size in zip(letters, shape, strict=True):
                own[letter] = meet(own.get(letter, size), size)
            for letter, size in own.items():
                sizes[letter] = broadcast_sizes(sizes.get(letter, 1), size)
        except ShapeError as error:
            given = " and ".join(show_shape(shape) for shape in shapes)
            raise ShapeError(
                f"einsum {names} cannot join {given}", why=f"on axis {letter!r} {error.what}"
            ) from None
    return sizes


def _infer(*operands: TensorType, equation: str) -> TensorType:
    names = names_of(equation, tuple(x.ndim for x in operands))
    sizes = _sizes(names, [x.shape for x in operands])
    dtype = np.result_type(*(x.dtype for x in operands))
    if dtype.kind not in "fiub":
        raise DtypeError(f"einsum cannot take {', '.join(str(x.dtype) for x in operands)}")
    return TensorType((sizes[letter] for letter in names.result), dtype)


def _compute(*operands: Any, equation: str) -> np.ndarray:
    arrays = [np.asarray(x) for x in operands]
    names = names_of(equation, tuple(x.ndim for x in arrays))
    _sizes(names, [x.shape for x in arrays])
    result = np.asarray(np.einsum(str(names), *arrays, optimize=len(arrays) > 1))
    return result.copy() if any(np.may_share_memory(result, x) for x in arrays) else result


def _back(k: int, g: Any, y: Any, *given: Any, equation: str) -> Any:
    operands = [as_operand(x) for x in given]
    names = names_of(equation, tuple(len(x.shape) for x in operands))
    letters, shape = names.operands[k], operands[k].shape
    own = dict(zip(letters, shape, strict=True))
    others = [i for i in range(len(operands)) if i != k]
    known = {*names.result, *"".join(names.operands[i] for i in others)}
    kept = [x for x in own if x in known and not (isinstance(own[x], int) and own[x] == 1)]
    terms = ",".join([names.result, *(names.operands[i] for i in others)])
    part = einsum(g, *(operands[i] for i in others), equation=f"{terms}->{''.join(kept)}")
    found = dict(zip(kept, part.shape, strict=True))
    part = reshape(part, shape=tuple(found.get(x, 1) for x in own))
    part = broadcast_to(part, shape=tuple(own.values()))
    return _on_diagonals(part, list(own), letters)


def _on_diagonals(part: Any, have: list[str], want: str) -> Any:
    """Lay axes that are named several times on the diagonal of as many axes."""
    for letter in dict.fromkeys(want):
        for _ in range(want.count(letter) - 1):
            at = have.index(letter)
            part = transpose(part, axes=(*(i for i in range(part.ndim) if i != at), at))
            part = on_diagonal(part, shape=(*part.shape, part.shape[-1]), axis1=-2, axis2=-1)
            have = [*have[:at], *have[at + 1 :], letter, letter]
    order: list[int] = []
    for letter in want:
        order.append(next(i for i, x in enumerate(have) if x == letter and i not in order))
    return part if order == sorted(order) else transpose(part, axes=tuple(order))


def _flops(result: TensorType, *operands: TensorType, equation: str) -> Size:
    names = names_of(equation, tuple(x.ndim for x in operands))
    return count(_sizes(names, [x.shape for x in operands]).values()) * max(
        2 * (len(operands) - 1), 1
    )


class Equation(Operator):
    """An operator whose equation may stand first, as in NumPy: `einsum("ij,jk", a, b)`."""

    __slots__ = ()

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        """Apply the operator."""
        if inputs and isinstance(inputs[0], str):
            inputs, params = inputs[1:], {"equation": inputs[0], **params}
        return super().__call__(*inputs, **params)


_LETTERS = ascii_letters[:MOST]
einsum: Operator = Equation(
    "einsum", quiet(_compute), _infer, kind=Kind.MATMUL, family="matrix", flops=_flops,
    doc="products of elements summed over the axes that the equation leaves out of the result",
    gradient=tuple(partial(_back, k) for k in range(MOST)),
    saves=tuple(_LETTERS.replace(letter, "") for letter in _LETTERS),
    samples=with_params(
        ((2, 3), (3, 4), {"equation": "ij,jk->ik"}), ((3,), (1,), {"equation": "i,i"}),
        ((3, 3), {"equation": "ii"}), ((3, 3, 2), {"equation": "iij->ji"}),
        ((2, 3), {"equation": "ij->"}), ((2, 1, 3), (1, 3, 2), {"equation": "...ij,...jk->...ik"}),
        ((2, 3), (1, 3), {"equation": "ij,kj->ikj"}), ((2,), (3,), (2,), {"equation": "i,j,i->ji"}),
        ((), (2,), {"equation": ",i->i"}), ((0, 2), (2,), {"equation": "ij,j"}),
        ((3, 3), (3, 1), {"equation": "ii,ij->j"}), ((2, 3), {"equation": "ji"}),
    ),
)  # fmt: skip


def dot(a: Any, b: Any) -> Any:
    """Multiply as NumPy's dot does: sum over the last axis of a and the last but one of b.

    Examples
    --------
    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])).item()
    11.0
    >>> dot(np.ones((2, 3)), np.ones((4, 3, 5))).shape
    (2, 4, 5)
    """
    a, b = as_operand(a), as_operand(b)
    left, right = len(a.shape), len(b.shape)
    if not left or not right:
        return a * b
    if right <= 2 or left == 1:
        return matmul(a, b)
    rows, columns = ascii_letters[1:left], ascii_letters[left : left + right - 1]
    equation = f"{rows}a,{columns[:-1]}a{columns[-1]}->{rows}{columns}"
    return einsum(a, b, equation=equation)


def outer(a: Any, b: Any) -> Any:
    """Multiply each element of a by each of b: a matrix, a row for each element of a.

    Examples
    --------
    >>> outer(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    a, b = as_operand(a), as_operand(b)
    return reshape(a, shape=(-1, 1)) * reshape(b, shape=(1, -1))


COMPOSED = (dot, outer)
