"""Sizes that tell when a function looks at them.

    def f(x):
        if x.shape[0] > 10: ...     the graph is right for this answer only

While a function is traced its open sizes have a value, that of the call. Whoever compares one, or
uses it as a number, gets the true answer, and the question is noted: the compiled function asks it
again before it is used for other sizes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cgkit.errors import CgkitError
from cgkit.types import Dim, Shape, Size

SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "is": lambda a, b: a,
}  # fmt: skip


@dataclass(frozen=True)
class Look:
    """A question about a size, and the answer that it had."""

    size: Dim
    sign: str
    other: Size
    answer: Any

    def holds(self, binding: Mapping[str, int]) -> bool:
        """Say whether the answer is still the same."""
        return bool(self.ask(binding) == self.answer)

    def ask(self, binding: Mapping[str, int]) -> Any:
        """Answer the question for other sizes."""
        return SIGNS[self.sign](_at(self.size, binding), _at(self.other, binding))

    def __str__(self) -> str:
        return f"{self.size}" if self.sign == "is" else f"{self.size} {self.sign} {self.other}"


def _at(size: Size, binding: Mapping[str, int]) -> int:
    return size.at(binding) if isinstance(size, Dim) else size


class Watch:
    """What notes the looks at the sizes of a graph that is being traced.

    Parameters
    ----------
    sizes
        The value that each open size has in this call.
    """

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes
        self.looks: list[Look] = []

    def show(self, shape: Shape) -> Shape:
        """Give a shape whose open sizes tell when they are looked at."""
        return tuple(self.shown(size) for size in shape)

    def shown(self, size: Any) -> Any:
        """Give a size, watched if it is open and its value is known."""
        known = isinstance(size, Dim) and size.symbols <= self.sizes.keys()
        return Watched.of(size, self) if known else size

    def plain(self, param: Any) -> Any:
        """Give a param as a graph keeps it: without watched sizes."""
        if isinstance(param, Watched):
            return _plain(param)
        if type(param) is tuple:
            return tuple(self.plain(part) for part in param)
        if isinstance(param, tuple):
            return type(param)(*(self.plain(part) for part in param))
        return param

    def note(self, size: Dim, sign: str, other: Any) -> Any:
        """Answer a question, and note it."""
        value = _at(other, self.sizes)
        answer = SIGNS[sign](size.at(self.sizes), value)
        look = Look(_plain(size), sign, _plain(other), answer)
        if look not in self.looks:
            self.looks.append(look)
        return answer


class Watched(Dim):
    """An open size whose value is known, and that tells who looks at it."""

    __slots__ = ("watch",)

    watch: Watch

    @classmethod
    def of(cls, size: Dim, watch: Watch) -> Watched:
        """Watch a size."""
        made = object.__new__(cls)
        made.terms = size.terms
        made.value = None
        made.watch = watch
        return made

    def _look(self, sign: str, other: Any) -> Any:
        number = isinstance(other, int) and not isinstance(other, bool)
        known = isinstance(other, Dim) and other.symbols <= self.watch.sizes.keys()
        return self.watch.note(self, sign, other) if number or known else NotImplemented

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Dim) and self.terms == other.terms:
            return True
        return self._look("==", other)  # type: ignore[no-any-return]

    def __ne__(self, other: object) -> bool:
        answer = self.__eq__(other)
        return answer if answer is NotImplemented else not answer

    def __lt__(self, other: Size) -> bool:
        return self._look("<", other)  # type: ignore[no-any-return]

    def __le__(self, other: Size) -> bool:
        return self._look("<=", other)  # type: ignore[no-any-return]

    def __gt__(self, other: Size) -> bool:
        return self._look(">", other)  # type: ignore[no-any-return]

    def __ge__(self, other: Size) -> bool:
        return self._look(">=", other)  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        return super().__hash__()

    def __index__(self) -> int:
        self._look("is", self)
        return self.at(self.watch.sizes)

    def __int__(self) -> int:
        return self.__index__()

    def __float__(self) -> float:
        return float(self.__index__())

    def __bool__(self) -> bool:
        return bool(self._look("!=", 0))

    def __add__(self, other: Size) -> Size:
        return self.watch.shown(super().__add__(other))  # type: ignore[no-any-return]

    def __mul__(self, other: Size) -> Size:
        return self.watch.shown(super().__mul__(other))  # type: ignore[no-any-return]

    def __floordiv__(self, other: Size) -> Size:
        """Divide where the result can be said; otherwise the value is looked at."""
        try:
            return self.watch.shown(super().__floordiv__(other))  # type: ignore[no-any-return]
        except CgkitError:
            return self.__index__() // _at(other, self.watch.sizes)

    def __mod__(self, other: Size) -> Size:
        try:
            return self.watch.shown(super().__mod__(other))  # type: ignore[no-any-return]
        except CgkitError:
            return self.__index__() % _at(other, self.watch.sizes)

    def __truediv__(self, other: Size) -> float:
        return self.__index__() / _at(other, self.watch.sizes)

    __radd__ = __add__
    __rmul__ = __mul__


def _plain(size: Any) -> Any:
    """Give a size without its watch."""
    if not isinstance(size, Watched):
        return size
    made = object.__new__(Dim)
    made.terms = size.terms
    made.value = None
    return made
