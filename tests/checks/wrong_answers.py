"""Functions that students hand in to get past a check, or by accident: none may pass.

Each takes whatever it is given. `ODD` maps a name to the function and to a word of the message that
must meet it.
"""

import sys

import numpy as np


class AlwaysEqual:
    """Says yes to every question."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __array__(self, *_, **__):
        raise RuntimeError("asked")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class EqualTuple(tuple):
    """A shape that is equal to every shape."""

    __slots__ = ()

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = tuple.__hash__


class EqualNumber(float):
    """A number that is equal to every number."""

    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class EqualDict(dict):
    """A dict that is equal to every dict."""

    def __eq__(self, other):
        return True


class BadError(Exception):
    """An error that cannot be printed."""

    def __str__(self):
        raise ValueError("no")


def unwritten(*_):
    raise NotImplementedError


def forgets_return(*_):
    pass


def raises_odd_error(*_):
    raise BadError


def exits(*_):
    sys.exit(0)


def recurses(*arguments):
    return recurses(*arguments)


def too_few():
    return 0


def generates(*_):
    yield 1


ODD = {
    "always equal": (lambda *_: AlwaysEqual(), "class AlwaysEqual"),
    "equal tuple": (lambda *_: EqualTuple((1,)), "class EqualTuple"),
    "equal number": (lambda *_: EqualNumber(1), "class EqualNumber"),
    "equal dict": (lambda *_: EqualDict(), "class EqualDict"),
    "nan": (lambda *_: float("nan"), "nan"),
    "True": (lambda *_: True, "True"),
    "float64": (lambda *_: np.float64(1.5), "1.5"),
    "text": (lambda *_: "1", "'1'"),
    "itself": (lambda *_: unwritten, "a function"),
    "object array": (lambda *_: np.full(1, None, dtype=object), "an array"),
    "unwritten": (unwritten, "not written yet"),
    "no return": (forgets_return, "gave nothing back"),
    "odd error": (raises_odd_error, "BadError"),
    "exit": (exits, "SystemExit"),
    "recursion": (recurses, "RecursionError"),
    "too few arguments": (too_few, "does not take them"),
    "generator": (generates, "a generator"),
}
