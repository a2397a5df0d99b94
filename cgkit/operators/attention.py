"""What transformers are made of: ids become vectors, vectors are mixed, and look at each other.

    ids ─ embedding ─> vectors ─ linear ─> queries q, keys k, values v
                                             q k' ─ scaled, masked, softmax ─> shares ─ @ v ─> y

Each row of shares says how much one position looks at every other, and sums to 1. All three are
made of operators, so their gradients are those of the operators, to every order.
"""

from __future__ import annotations

import math
from typing import Any

from cgkit.errors import DtypeError, OperandError, ShapeError
from cgkit.operators.elementwise import add, equal, greater_equal, where
from cgkit.operators.gathering import positions, take
from cgkit.operators.linalg import matmul
from cgkit.operators.movement import reshape, swap_last, transpose
from cgkit.operators.operands import as_operand
from cgkit.operators.powers import rsqrt
from cgkit.operators.probability import softmax
from cgkit.operators.random import dropout as drop
from cgkit.operators.reduction import cast_count
from cgkit.operators.repetition import repeat
from cgkit.operators.settings import as_number, as_whole
from cgkit.operators.stopping import stop_gradient
from cgkit.types import broadcast_shapes, meet, show_shape


def embedding(ids: Any, table: Any, *, padding: int | None = None) -> Any:
    """Look up a vector for each id; an id that stands twice gives its row both gradients.

    Parameters
    ----------
    ids
        Ints of any shape.
    table
        A row for each id, (ids, size).
    padding
        An id whose row gets no gradient, or None.

    Returns
    -------
    Of shape (*ids.shape, size).

    Raises
    ------
    DtypeError, ShapeError
        The ids are no ints, the table is no matrix, or an id has no row.

    Examples
    --------
    >>> import numpy as np
    >>> embedding(np.array([1, 0, 1]), np.array([[0.0, 1.0], [2.0, 3.0]])).tolist()
    [[2.0, 3.0], [0.0, 1.0], [2.0, 3.0]]
    """
    ids, table = as_operand(ids), as_operand(table)
    if ids.dtype.kind not in "iu":
        raise DtypeError(
            f"embedding looks up ids of an integer dtype, not {ids.dtype}",
            attempt="embedding(ids, table), ids first",
        )
    if len(table.shape) != 2:
        raise ShapeError(
            f"embedding needs a table (ids, size), got {show_shape(table.shape)}",
            attempt="take(table, ids, axis=0) for other tables",
        )
    try:
        rows = take(table, ids)
    except ShapeError as error:
        raise ShapeError(
            f"embedding has a row for each of {table.shape[0]} ids, and none for another",
            why=error.what,
            attempt="ids that count from 0, or a larger table",
        ) from None
    if padding is None:
        return rows
    padding = as_whole("the padding of embedding", padding)
    size = table.shape[0]
    place = padding + size if padding < 0 and isinstance(size, int) else padding
    blank = reshape(equal(ids, place), shape=(*ids.shape, 1))
    return where(blank, stop_gradient(rows), rows)


def linear(x: Any, w: Any, b: Any = None) -> Any:
    """Mix the last axis of x: x @ w.T + b.

    Parameters
    ----------
    x
        Of shape (..., inputs).
    w
        Of shape (outputs, inputs), or (inputs,) for one output without an axis.
    b
        A number for each output, or None.

    Returns
    -------
    Of shape (..., outputs).

    Examples
    --------
    >>> import numpy as np
    >>> linear(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([10.0, 20.0]))
    array([11., 23.])
    """
    x, w = as_operand(x), as_operand(w)
    try:
        if len(w.shape) not in (1, 2) or not x.shape:
            raise ShapeError("x has at least one axis, and w is (outputs, inputs)")
        meet(x.shape[-1], w.shape[-1])
    except ShapeError as error:
        raise ShapeError(
            f"linear cannot apply w of {show_shape(w.shape)} to x of {show_shape(x.shape)}",
            why=error.what,
            attempt="w of shape (outputs, inputs): its last axis meets the last of x",
        ) from None
    mixed = matmul(x, transpose(w) if len(w.shape) == 2 else w)
    return mixed if b is None else add(mixed, b)


def scaled_dot_product_attention(
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    *,
    causal: bool = False,
    scale: float | None = None,
    grouped: bool = False,
    rate: float = 0.0,
    key: Any = None,
    kept: Any = None,
) -> Any:
    """Let each query gather values, by how well it matches their keys.

    Parameters
    ----------
    q, k, v
        Queries (..., L, E), keys (..., S, E) and values (..., S, V).
    mask
        What broadcasts to (..., L, S): booleans, True where a query may look; or floats that are
        added to the scores. A query that may look nowhere gives nan.
    causal
        Whether query i may only look at keys 0 to i.
    scale
        By what products are multiplied; 1 / sqrt(E) by default.
    grouped
        Whether several heads of q, on the third axis from the end, share one of k and v.
    rate
        Which part of the shares is dropped, from 0 to 1.
    key, kept
        The key of that random choice, or booleans of (..., L, S) that make it.

    Returns
    -------
    Of shape (..., L, V).

    Raises
    ------
    ShapeError, DtypeError, OperandError
        The shapes do not fit, the mask is of ints, or a rate has no key.

    Examples
    --------
    >>> import numpy as np
    >>> q, k = np.array([[100.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> scaled_dot_product_attention(q, k, np.array([[1.0], [2.0]])).tolist()
    [[2.0]]

    References
    ----------
    A. Vaswani et al., "Attention is all you need", NIPS 2017.
    """
    q, k, v = map(as_operand, (q, k, v))
    if grouped:
        k, v = _shared(q, k), _shared(q, v)
    _check_attention(q, k, v)
    factor = _scale(q) if scale is None else as_number("scale of attention", scale)
    scores = matmul(q, swap_last(k)) * factor
    if causal:
        rows = reshape(positions(q, axis=-2), shape=(q.shape[-2], 1))
        scores = where(greater_equal(rows, positions(k, axis=-2)), scores, -math.inf)
    if mask is not None:
        scores = _masked(scores, as_operand(mask))
    shares = softmax(scores, axis=-1)
    dropping = as_number("rate of attention", rate, least=0, most=1) > 0
    return matmul(_dropped(shares, rate, key, kept) if dropping else shares, v)


def _scale(q: Any) -> Any:
    size = q.shape[-1]
    return size**-0.5 if isinstance(size, int) and size else rsqrt(cast_count(size, q))


def _dropped(shares: Any, rate: float, key: Any, kept: Any) -> Any:
    """Put a part of the shares to 0, chosen by a key or given; what is left grows in return."""
    if (key is None) == (kept is None):
        raise OperandError(
            f"attention that drops a part of {rate} needs a key, or which shares are kept",
            attempt="key=ops.key(7)",
        )
    if kept is None:
        return drop(shares, key, rate=rate)
    growth = 1.0 / (1.0 - rate) if rate < 1 else 0.0
    return where(as_operand(kept), shares * growth, 0.0)


def _masked(scores: Any, mask: Any) -> Any:
    shape, wanted = tuple(mask.shape), tuple(scores.shape)
    try:
        fits = broadcast_shapes(shape, wanted) == wanted
    except ShapeError:
        fits = False
    if not fits:
        raise ShapeError(
            f"attention has scores {show_shape(wanted)}, and a mask of {show_shape(shape)}",
            attempt="a mask of shape (L, S): a row for each query, a column for each key",
        )
    if mask.dtype.kind == "b":
        return where(mask, scores, -math.inf)
    if mask.dtype.kind == "f":
        return add(scores, mask)
    raise DtypeError(
        "a mask of attention is of booleans, True where a query may look, or of floats to add",
        attempt="mask != 0",
    )


def _shared(q: Any, x: Any) -> Any:
    """Repeat the heads of keys or values, so that each head of q has one."""
    heads, shared = (y.shape[-3] if len(y.shape) > 2 else 1 for y in (q, x))
    if not isinstance(heads, int) or not isinstance(shared, int) or shared == 0 or heads % shared:
        raise ShapeError(f"{heads} heads of queries cannot share {shared} heads of keys")
    return x if heads == shared else repeat(x, repeats=heads // shared, axis=len(x.shape) - 3)


def _check_attention(q: Any, k: Any, v: Any) -> None:
    shapes = [tuple(x.shape) for x in (q, k, v)]
    try:
        if min(map(len, shapes)) < 2:
            raise ShapeError("each has at least two axes: positions and sizes")
        meet(shapes[0][-1], shapes[1][-1])
        meet(shapes[1][-2], shapes[2][-2])
        broadcast_shapes(*(shape[:-2] for shape in shapes))
    except ShapeError as error:
        q_shape, k_shape, v_shape = map(show_shape, shapes)
        raise ShapeError(
            f"attention takes queries (..., L, E), keys (..., S, E) and values (..., S, V), "
            f"got {q_shape}, {k_shape} and {v_shape}",
            why=error.what,
        ) from None


COMPOSED = (embedding, linear, scaled_dot_product_attention)
