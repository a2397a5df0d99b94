"""Tensors and generators that a function reads by itself, lent to the graph while it is traced.

    w = Tensor(...)              while f is traced, w stands for an input of the graph:
    def f(x):                    w * w becomes a node, w.sub_(...) a new value that is written back,
        return x + w * w         and every call takes the numbers that w has then
    generator.key()              becomes an input too: every call draws another key

A handle may be rebound, so for the time of a trace these are handles of another class, which
record. Other threads compute with them as before. One function is traced at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from cgkit.arithmetic import Arithmetic
from cgkit.errors import CaptureError
from cgkit.node import Operator
from cgkit.symbolic import GraphBuilder, Value
from cgkit.tensor import Generator, Tensor
from cgkit.tensor.inplace import check_writable, write
from cgkit.tensor.record import general

_TURN = threading.RLock()
_LENT: dict[int, Loan] = {}
"""The loans of the threads that trace now, the innermost for each."""


class Loan:
    """What is lent for one trace.

    Parameters
    ----------
    builder
        Of the graph.
    """

    def __init__(self, builder: GraphBuilder) -> None:
        self.builder = builder
        self.keys: list[tuple[Generator, Value]] = []
        """For each key that was drawn, of which generator, and its input."""


@contextmanager
def lent(
    builder: GraphBuilder, tensors: Sequence[Tensor], generators: Sequence[Generator]
) -> Iterator[Loan]:
    """Lend tensors and generators to a graph.

    Parameters
    ----------
    builder
        What records. Its `captured` says of what tensor an input is.
    tensors, generators
        What the traced function reads by itself.
    """
    loan = Loan(builder)
    thread = threading.get_ident()
    with _TURN:
        before = _LENT.get(thread)
        _LENT[thread] = loan
        taken = [x for x in tensors if x.__class__ is Tensor]
        drawn = [x for x in generators if x.__class__ is Generator]
        try:
            for x in taken:
                x.__class__ = LentTensor
            for generator in drawn:
                generator.__class__ = LentGenerator
            yield loan
        finally:
            for x in taken:
                x.__class__ = Tensor
            for generator in drawn:
                generator.__class__ = Generator
            if before is None:
                del _LENT[thread]
            else:
                _LENT[thread] = before


def loan_here() -> Loan | None:
    """Give the loan of the function that this thread traces; None if it traces none."""
    return _LENT.get(threading.get_ident())


class LentTensor(Tensor):
    """A Tensor that stands for an input of the graph that its thread traces."""

    __slots__ = ()
    rank = Value.rank
    binary = staticmethod(Arithmetic.binary)
    unary = staticmethod(Arithmetic.unary)  # type: ignore[assignment]

    def apply(self, operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        """Record an operator, in the thread that traces; compute it in others."""
        loan = loan_here()
        for x in inputs:
            if isinstance(x, Value) and (loan is None or x.builder is not loan.builder):
                return x.apply(operator, inputs, params)
        if loan is None:
            return general(operator, inputs, params)
        return loan.builder.record(operator, inputs, params)

    def _write(self, act: Any, *others: Any, **params: Any) -> Any:
        """Become the result of an operator: what is written comes back when the graph has run."""
        value = self._value()
        if value is None:
            return write(self, act, *others, **params)
        check_writable(self)
        value._write(act, *others, **params)
        return self

    def detach(self) -> Any:
        """Give the same numbers, apart from what gradients go through."""
        value = self._value()
        return super().detach() if value is None else value.detach()

    def _value(self) -> Value | None:
        loan = loan_here()
        return None if loan is None else loan.builder.capture(self)

    def _look(self, what: str) -> None:
        if loan_here() is not None:
            self._refuse(what)

    def _refuse(self, what: str) -> NoReturn:
        raise CaptureError(
            f"a compiled function looks at the {what} of a tensor of shape {self.shape}",
            why="it would be looked at once, while the function is traced, and never again",
            attempt="giving what is needed of it as an argument; cond, while_loop or ops.where "
            "for a choice",
        )

    @property
    def grad(self) -> Any:
        """Refused while a function is traced: what was collected is no input of it."""
        self._look("collected gradient")
        return super().grad

    @grad.setter
    def grad(self, value: Any) -> None:
        self._look("collected gradient")
        Tensor.grad.__set__(self, value)  # type: ignore[attr-defined]

    def item(self) -> Any:
        """Refused while a function is traced."""
        self._look("numbers")
        return super().item()

    def numpy(self) -> Any:
        """Refused while a function is traced."""
        self._look("numbers")
        return super().numpy()

    def __bool__(self) -> bool:
        self._look("truth")
        return super().__bool__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._look("numbers")
        return super().__array__(dtype, copy)


class LentGenerator(Generator):
    """A Generator whose keys are inputs of the graph that its thread traces."""

    __slots__ = ()

    def key(self) -> Any:
        """Hand out the input for a key, in the thread that traces; a key in others."""
        loan = loan_here()
        if loan is None:
            return super().key()
        made = loan.builder.root.placeholder((), "uint64", name="key")
        loan.keys.append((self, made))
        return made
