"""Whether operators on Tensors are recorded: the one mode of the library.

    with no_grad():              nothing in this block is recorded
        w.sub_(0.1 * w.grad)
    @no_grad()                   nothing in this function is
    enable_grad(), set_grad(on)  the other way round, and whichever a flag says

A mode belongs to its context: other threads and other asynchronous tasks do not see it, and a block
leaves with the mode it found, by whichever way it is left.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, TypeVar, cast

from cgkit.errors import OperandError

GRAD_MODE: ContextVar[bool] = ContextVar("grad mode", default=True)
grad_enabled = GRAD_MODE.get
"""Say whether operators on Tensors are recorded here: `grad_enabled()`."""
Function = TypeVar("Function", bound=Callable[..., Any])


class GradMode:
    """A block, or a decorated function, in which operators are recorded or are not.

    Parameters
    ----------
    recorded
        Whether they are.
    """

    __slots__ = ("recorded", "tokens")

    def __init__(self, recorded: bool) -> None:
        self.recorded = recorded
        self.tokens: list[Token[bool]] = []

    def __enter__(self) -> None:
        self.tokens.append(GRAD_MODE.set(self.recorded))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        GRAD_MODE.reset(self.tokens.pop())

    def __call__(self, function: Function) -> Function:
        """Give a function that does the same in this mode."""
        if not callable(function) or inspect.isgeneratorfunction(function):
            raise OperandError(
                f"a grad mode decorates a function, not {function!r:.60}",
                why="a generator stops half-way, and its caller would be left in its mode"
                if callable(function)
                else "",
                attempt="with no_grad(): around the lines that need it",
            )

        @functools.wraps(function)
        def acted(*args: Any, **settings: Any) -> Any:
            with GradMode(self.recorded):
                return function(*args, **settings)

        return cast(Function, acted)


def no_grad() -> GradMode:
    """Compute without recording, in a block or in a decorated function.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> x = Tensor(1.0, requires_grad=True)
    >>> with no_grad():
    ...     y = x * 2.0
    >>> y.requires_grad
    False
    """
    return GradMode(False)


def enable_grad() -> GradMode:
    """Record again, inside a block that does not.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> x = Tensor(1.0, requires_grad=True)
    >>> with no_grad():
    ...     with enable_grad():
    ...         y = x * 2.0
    >>> y.requires_grad
    True
    """
    return GradMode(True)


def set_grad(recorded: bool) -> GradMode:
    """Record or not, as a flag says: `with set_grad(training): ...`.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> x = Tensor(1.0, requires_grad=True)
    >>> with set_grad(False):
    ...     print((x * 2.0).requires_grad)
    False
    """
    if not isinstance(recorded, bool):
        raise OperandError(f"set_grad takes True or False, not {recorded!r:.60}")
    return GradMode(recorded)
