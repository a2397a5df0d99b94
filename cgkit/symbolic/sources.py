"""What a graph begins with: placeholders, variables and constants, in named scopes.

    placeholder((None, 784), name="x")       given when the graph runs; None is an open size
    variable(array, name="w")                keeps its value from run to run
    constant(2.0)                            never changes

Each is a node without inputs. Open sizes are named, so that two that are equal can be told so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cgkit.errors import CaptureError, CgkitError, DtypeError, ShapeError
from cgkit.graph import expect_name, source
from cgkit.node import CONSTANT, INPUT, VARIABLE, Node, Operand, Operator
from cgkit.symbolic.value import Value
from cgkit.symbolic.writes import Writes
from cgkit.types import Dim, Size, TensorType, as_dtype


class Sources:
    """Declares the sources of a graph; `GraphBuilder` adds what is computed from them."""

    def __init__(self, outer: Sources | None = None) -> None:
        self._inputs: list[Node] = []
        self._scopes: list[str] = [] if outer is None else outer._scopes
        self._depth = len(self._scopes)
        self._symbols: set[str] = set() if outer is None else outer._symbols
        self._tellers: dict[str, Value] = {} if outer is None else outer._tellers
        self.variables: list[Value] = []
        self.closed = ""
        self.watch: Any = None
        self.writes: Writes | None = None
        """What is written to, where values may be: while a function is traced."""

    def record(self, operator: Operator, inputs: Sequence[Any], params: Mapping[str, Any]) -> Any:
        """Add a node: an operator on Values, numbers and arrays."""
        raise NotImplementedError

    def placeholder(
        self,
        shape: Sequence[Size | str | None] | Size | str | None,
        dtype: DTypeLike = "float64",
        *,
        name: str = "",
    ) -> Value:
        """Declare an input of the graph.

        Parameters
        ----------
        shape
            A size for each axis: an int; None for an open size; a string or a Dim for an open size
            that several placeholders share. One size stands for a vector.
        dtype
            The dtype its values will have.
        name
            A name for pictures and messages.

        Raises
        ------
        ShapeError, DtypeError
            A size is negative or no whole number; the dtype is not of numbers.
        """
        listed = shape if isinstance(shape, tuple | list) else (shape,)
        known = TensorType([self._size(size) for size in listed], as_dtype(dtype))
        value = self._source(INPUT, known, name)
        self._inputs.append(value.node)
        return value

    def variable(self, value: Any, *, name: str = "", trainable: bool = True) -> Value:
        """Declare a tensor that keeps its value from run to run.

        Parameters
        ----------
        value
            Its first value; or a TensorType, whose sizes may be open, and it must be assigned to
            or restored before it is read.
        name
            A name for pictures and messages; in a saved state the scopes stand before it.
        trainable
            Whether `minimize` moves it when it is not told which variables to move.
        """
        if isinstance(value, TensorType):
            known = TensorType([self._size(size) for size in value.shape], as_dtype(value.dtype))
            made = self._source(VARIABLE, known, name)
        else:
            array = as_array(value)
            made = self._source(VARIABLE, TensorType(array.shape, array.dtype), name, array)
        made.trainable = trainable
        self.variables.append(made)
        return made

    def constant(self, value: Any, dtype: DTypeLike | None = None, *, name: str = "") -> Value:
        """Put a number or an array into the graph; an array is copied."""
        array = as_array(value, dtype)
        return self._source(CONSTANT, TensorType(array.shape, array.dtype), name, array)

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Put what is built inside under a name; pictures draw it as a cluster."""
        self._scopes.append(expect_name(name))
        try:
            yield
        finally:
            self._scopes.pop()

    def close(self, why: str) -> None:
        """Refuse everything from now on, with this reason."""
        self.closed = why

    def finalize(self) -> None:
        """Allow no more nodes: what is run from now on is all there is."""
        self.close("it is finalized; add all nodes before finalize()")

    def _size(self, size: Size | str | None) -> Size:
        if size is None:
            names = ("N", *(f"N{i}" for i in range(2, len(self._symbols) + 3)))
            size = next(name for name in names if name not in self._symbols)
        if isinstance(size, str):
            size = Dim(size)
        if isinstance(size, Dim):
            self._symbols |= size.symbols
            return size
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
            raise ShapeError(
                f"{size!r} is no size", attempt="a whole number, a name, or None for an open size"
            )
        return int(size)

    def _source(
        self, operator: Operator, known: TensorType, name: str, value: np.ndarray | None = None
    ) -> Value:
        self._check_open()
        node = source(operator, known, name=expect_name(name), scope=self._path(), value=value)
        return Value(node.edges[0], self)

    def _path(self) -> str:
        """Join the scopes that are open, in a part of a graph those that were opened in it."""
        return "/".join(self._scopes[self._depth :])

    def _check_open(self) -> None:
        if self.closed:
            raise CaptureError(f"this graph is closed: {self.closed}")


def full_name(node: Node) -> str:
    """Give what a node is called in the whole graph: its scopes, then its name; "" without one.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> with builder.scope("layer"):
    ...     w = builder.variable(1.0, name="w")
    >>> full_name(w.node)
    'layer/w'
    """
    return f"{node.scope}/{node.name}" if node.scope and node.name else node.name


def as_array(value: Any, dtype: DTypeLike | None = None) -> np.ndarray:
    """Copy numbers, an array or a Tensor into an array.

    Raises
    ------
    DtypeError
        They are no real numbers, or do not fit the dtype.
    """
    if isinstance(value, Dim):
        raise DtypeError(
            f"the open size {value} is no number before the graph runs",
            attempt=f"ops.measure(x, size={value}), which the graph computes when it runs",
        )
    data = value.data if isinstance(value, Operand) and hasattr(value, "data") else value
    try:
        array = np.array(data, dtype=dtype)
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, CgkitError):
            raise
        if "inhomogeneous" in str(error):
            raise ShapeError(
                f"nested lists of unlike lengths make no tensor: {value!r:.60}"
            ) from None
        raise DtypeError(f"cannot put {value!r:.60} into a graph: {error}") from None
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"a graph holds real numbers, not {array.dtype}: {value!r:.60}")
    return array
