"""Tensors and generators that a function reads by itself, lent to the graph while it is traced.

    w = Tensor(...)              while f is traced, w stands for an input of the graph:
    def f(x):                    w * w becomes a node, w.sub_(...) a new value that is written back,
        return x + w * w         and every call takes the numbers that w has then
    generator.key()              becomes an input too: every call draws another key

What an operator means is decided by the class of its operands. An operator on arguments meets
values, and is recorded; one on tensors that the function found would compute, once and for ever. So
for the time of a trace what is found is of another class, which records too. Nothing else would do:
the function holds these very objects, a copy of what it reaches would be another object for `is`,
and a mode that each eager operator asks for would be paid for by all who compile nothing.

    nothing moves        data, edge, version, identity, hash and references stay what they are
    this thread alone    in others a lent tensor computes, as before
    until the end        the last trace that a tensor is lent to gives it back, by whatever way it
                         ends
    no look behind       in a traced function its numbers cannot be read, by any way: a CaptureError
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from cgkit.arithmetic import Arithmetic
from cgkit.device import device_of
from cgkit.errors import CaptureError
from cgkit.node import Operator
from cgkit.symbolic import GraphBuilder, Value
from cgkit.tensor import Generator, Tensor
from cgkit.tensor.inplace import check_writable, write
from cgkit.tensor.methods import TensorMethods
from cgkit.tensor.record import general


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


class _Here(threading.local):
    loan: Loan | None = None


_HERE = _Here()
"""The innermost loan of each thread."""
_GUARD = threading.Lock()
_TIMES: dict[int, int] = {}
"""To how many traces each object is lent now, by identity; who lends it keeps it alive."""


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

    Raises
    ------
    CaptureError
        One of them is of a class of the user's.
    """
    for x in (*tensors, *generators):
        if type(x) not in (_kind_of(x), KINDS[_kind_of(x)]):
            raise CaptureError(
                f"a compiled function reads a {type(x).__name__} by itself, a class made of "
                f"{_kind_of(x).__name__}",
                attempt="giving it as an argument, or a plain one that it holds",
            )
    loan, before = Loan(builder), _HERE.loan
    taken: list[Any] = []
    try:
        for x in (*tensors, *generators):
            taken.append(x)
            _count(x, 1)
        _HERE.loan = loan
        yield loan
    finally:
        _HERE.loan = before
        for x in taken:
            _count(x, -1)


def _count(x: Any, more: int) -> None:
    """Count to how many traces an object is lent, and give it the class that it has then."""
    with _GUARD:
        times = _TIMES.pop(id(x), 0) + more
        if times:
            _TIMES[id(x)] = times
        kind = _kind_of(x)
        x.__class__ = KINDS[kind] if times else kind


def _kind_of(x: Any) -> type:
    """Give the class of what may be lent, while it is not."""
    return Tensor if isinstance(x, Tensor) else Generator


def loan_here() -> Loan | None:
    """Give the loan of the function that this thread traces; None if it traces none."""
    return _HERE.loan


def _look(what: str, x: Any) -> None:
    """Refuse a look at what changes from call to call, in the thread that traces."""
    if _HERE.loan is not None:
        of = "generator" if isinstance(x, Generator) else f"tensor of shape {x.shape}"
        raise CaptureError(
            f"a compiled function looks at the {what} of a {of}",
            why="it would be looked at once, while the function is traced, and never again",
            attempt="giving what is needed of it as an argument; cond, while_loop or ops.where "
            "for a choice",
        )


def _hidden(field: Any, what: str) -> Any:
    """Give a field that cannot be looked at in the thread that traces."""

    def get(x: Any) -> Any:
        _look(what, x)
        return field.__get__(x)

    def assign(x: Any, value: Any) -> None:
        _look(what, x)
        field.__set__(x, value)

    return property(get, assign, doc=f"The {what}; hidden while a function is traced.")


_DATA: Any = vars(TensorMethods)["data"]


class LentTensor(Tensor):
    """A Tensor that stands for an input of the graph that its thread traces."""

    __slots__ = ()
    rank = Value.rank
    binary = staticmethod(Arithmetic.binary)
    unary = staticmethod(Arithmetic.unary)  # type: ignore[assignment]

    def apply(self, operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        """Record an operator, in the thread that traces; compute it in others."""
        builder = self.builder
        for x in inputs:
            if isinstance(x, Value) and x.builder is not builder:
                return x.apply(operator, inputs, params)
        if builder is None:
            return general(operator, inputs, params)
        return builder.record(operator, inputs, params)

    @property
    def builder(self) -> GraphBuilder | None:
        """What records operators on it in this thread; None where they compute."""
        return None if _HERE.loan is None else _HERE.loan.builder

    def _write(self, act: Any, *others: Any, **params: Any) -> Any:
        """Become the result of an operator: what is written comes back when the graph has run."""
        if self.builder is None:
            return write(self, act, *others, **params)
        check_writable(Tensor.wrap(_DATA.__get__(self), self.edge, self.version))
        self.builder.capture(self)._write(act, *others, **params)
        return self

    @classmethod
    def wrap(cls, *parts: Any, **more: Any) -> Any:
        """Make a tensor of an array as it is: one that is not lent."""
        return Tensor.wrap(*parts, **more)

    def detach(self) -> Any:
        """Give the same numbers, apart from what gradients go through."""
        if self.builder is None:
            return super().detach()
        return self.builder.capture(self).detach()

    data: Any = _hidden(_DATA, "numbers")
    grad: Any = _hidden(Tensor.grad, "collected gradient")

    @property
    def device(self) -> Any:
        """Where the numbers lie."""
        return device_of(_DATA.__get__(self))

    @property
    def shape(self) -> Any:
        """A size for each axis: the same in each call that a form serves."""
        return _DATA.__get__(self).shape

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return _DATA.__get__(self).dtype

    @property
    def size(self) -> Any:
        """The number of elements."""
        return _DATA.__get__(self).size

    def backward(self, *settings: Any, **more: Any) -> None:
        """Refused while a function is traced: gradients would be collected once."""
        _look("way back", self)
        super().backward(*settings, **more)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        _look("numbers", self)
        return super().__array__(dtype, copy)

    def __repr__(self) -> str:
        return super().__repr__() if self.builder is None else repr(self.builder.capture(self))


class LentGenerator(Generator):
    """A Generator whose keys are inputs of the graph that its thread traces."""

    __slots__ = ()

    def key(self) -> Any:
        """Hand out the input for a key, in the thread that traces; a key in others."""
        loan = _HERE.loan
        if loan is None:
            return super().key()
        if loan.builder.innermost is not loan.builder:
            raise CaptureError(
                "a compiled function draws a key inside a branch or a loop",
                why="as a graph every step would have the same key, a branch not taken one too",
                attempt="key = generator.key() before it, and ops.fold_in(key, i) in step i",
            )
        made = loan.builder.placeholder((), "uint64", name="key")
        loan.keys.append((self, made))
        return made

    handed: Any = _hidden(vars(Generator)["handed"], "number of keys")
    seed: Any = _hidden(vars(Generator)["seed"], "seed")


KINDS: dict[type, type] = {Tensor: LentTensor, Generator: LentGenerator}
"""What is lent, and as what."""
