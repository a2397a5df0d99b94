"""Sizes that tell when a function looks at them.

    def f(x):
        if x.shape[0] > 10: ...     the graph is right for this answer only

While a function is traced its open sizes have a value, that of the call. Whoever compares one, or
uses it as a number, as a key or as a text, gets the true answer, and the question is noted: the
compiled function asks it again before it is used for other sizes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

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
        other = other.item() if isinstance(other, np.number) else other
        known = isinstance(other, Dim) and other.symbols <= self.watch.sizes.keys()
        number = known or isinstance(other, int | float)
        return self.watch.note(self, sign, other) if number else NotImplemented

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
        return hash(self.__index__())  # whoever looks it up in a dict finds what its value would

    def __index__(self) -> int:
        self._look("is", self)
        return self.at(self.watch.sizes)

    def __int__(self) -> int:
        return self.__index__()

    def __float__(self) -> float:
        return float(self.__index__())

    def __bool__(self) -> bool:
        return bool(self._look("!=", 0))

    def __repr__(self) -> str:
        return repr(self.__index__())

    def __format__(self, spec: str) -> str:
        return format(self.__index__(), spec)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.__index__(), dtype)


def _arithmetic(symbolic: Callable[..., Any] | None, act: Callable[..., Any]) -> Any:
    """Compute with a size: an open one where that can be said; otherwise the value is looked at."""

    def compute(size: Watched, *others: Any) -> Any:
        if symbolic is not None and all(isinstance(x, Dim | int) for x in others):
            try:
                return size.watch.shown(symbolic(size, *others))
            except CgkitError:
                pass
        return act(*(x.__index__() if isinstance(x, Watched) else x for x in (size, *others)))

    return compute


def _turned(act: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: act(b, a)


_INFIX = ("add", "sub", "mul", "floordiv", "mod", "truediv", "pow", "lshift", "rshift", "and", "or",
          "xor", "divmod")  # fmt: skip
_OPEN = frozenset(("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "mod", "neg"))
"""What can be said of an open size."""
_ACTS: dict[str, Callable[..., Any]] = {
    "neg": operator.neg, "abs": abs, "round": round, "invert": operator.inv,
}  # fmt: skip
for _name in _INFIX:
    _ACTS[_name] = divmod if _name == "divmod" else getattr(operator, f"__{_name}__")
    _ACTS[f"r{_name}"] = _turned(_ACTS[_name])
for _name, _act in _ACTS.items():
    _symbolic = getattr(Dim, f"__{_name}__") if _name in _OPEN else None
    setattr(Watched, f"__{_name}__", _arithmetic(_symbolic, _act))


def _plain(size: Any) -> Any:
    """Give a size without its watch."""
    if not isinstance(size, Watched):
        return size
    made = object.__new__(Dim)
    made.terms = size.terms
    made.value = None
    return made
