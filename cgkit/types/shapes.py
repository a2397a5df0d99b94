"""Shapes: a size for each axis, how two broadcast, and what a run tells of open ones.

    (3, 1) with (4,)  ─ broadcast_shapes ─>  (3, 4)
    (N, 784) met by (32, 784)  ─ solve ─>  {"N": 32}

Where a rule needs equal sizes and one is open, they are taken as equal until a run tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from cgkit.errors import ShapeError
from cgkit.types.dim import Dim, Shape, Size, meet


def broadcast_sizes(left: Size, right: Size) -> Size:
    """Join two sizes of one axis by NumPy's rule: a 1 stretches, others must be equal."""
    if isinstance(left, int) and left == 1:
        return right
    if isinstance(right, int) and right == 1:
        return left
    return meet(left, right)


def broadcast_shapes(*shapes: Shape) -> Shape:
    """Give the shape that operands of these shapes broadcast to.

    Examples
    --------
    >>> broadcast_shapes((3, 1), (4,), ())
    (3, 4)
    >>> broadcast_shapes((Dim("N"), 784), (784,))
    (N, 784)

    Raises
    ------
    ShapeError
        Two sizes of one axis are known, differ, and neither is 1.
    """
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    try:
        return tuple(reduce(broadcast_sizes, sizes) for sizes in zip(*padded, strict=True))
    except ShapeError as error:
        raise ShapeError(
            "cannot broadcast " + " with ".join(show_shape(shape) for shape in shapes),
            why=error.what,
            attempt="reshape, so that unequal sizes stand over a 1",
        ) from None


def meet_shapes(left: Shape, right: Shape, what: str) -> Shape:
    """Join two shapes that a rule needs to be equal, axis by axis.

    Raises
    ------
    ShapeError
        The ranks differ, or two known sizes; it says that `left` is not `what`.

    Examples
    --------
    >>> meet_shapes((Dim("N"), 3), (2, 3), "that of the weights")
    (2, 3)
    """
    try:
        return tuple(meet(a, b) for a, b in zip(left, right, strict=True))
    except (ShapeError, ValueError) as error:
        why = error.what if isinstance(error, ShapeError) else ""
        refusal = f"the shape {show_shape(left)} is not {what}, {show_shape(right)}"
        raise ShapeError(refusal, why=why) from None


def count(shape: Iterable[Size]) -> Size:
    """Give the number of elements of a shape: 1 for the empty shape."""
    total: Size = 1
    for size in shape:
        total = total * size
    return total


def show_shape(shape: Sequence[Size]) -> str:
    """Write a shape as Python does: `(3, N)`."""
    return str(tuple(shape))


def solve(shape: Shape, sizes: Sequence[int], binding: dict[str, int]) -> list[Size]:
    """Read off the values of symbols from one shape and the sizes it met, into `binding`.

    Returns
    -------
    list of Size
        Sizes that cannot be told yet: two of their symbols are unknown, or a power of one.

    Raises
    ------
    ShapeError
        The ranks differ, a size differs, or a symbol would be negative or have two values.

    Examples
    --------
    >>> binding = {}
    >>> n = Dim("N")
    >>> solve((n * Dim("M"), n), (6, 2), binding), binding
    ([M*N], {'N': 2})
    >>> solve((n * Dim("M"), n), (6, 2), binding), binding
    ([], {'N': 2, 'M': 3})
    """
    if len(shape) != len(sizes):
        raise ShapeError(f"expected shape {show_shape(shape)}, got {show_shape(sizes)}")
    open_sizes: list[Size] = []
    for size, actual in zip(shape, sizes, strict=True):
        expected = size if isinstance(size, int) else _solve_size(size, actual, binding)
        if expected is None:
            open_sizes.append(size)
        elif expected != actual:
            raise ShapeError(
                f"expected shape {show_shape(shape)}, got {show_shape(sizes)}",
                why=f"{size} is {expected}, not {actual}" if isinstance(size, Dim) else "",
            )
    return open_sizes


def _solve_size(size: Dim, actual: int, binding: dict[str, int]) -> int | None:
    unknown = [name for name in size.symbols if name not in binding]
    if len(unknown) == 1:
        slope, rest = _line(size, unknown[0], binding)
        if slope:
            found = (actual - rest) // slope
            if found < 0:
                raise ShapeError(f"{size} is {actual} for no {unknown[0]}: it is at least {rest}")
            binding[unknown[0]] = found
    return size.at(binding) if size.symbols <= binding.keys() else None


def _line(size: Dim, name: str, binding: Mapping[str, int]) -> tuple[int, int]:
    """Write a size as slope * name + rest; the slope is 0 if it is no line."""
    if not size.is_line(name):
        return 0, 0
    rest = size.at({**binding, name: 0})
    return size.at({**binding, name: 1}) - rest, rest
