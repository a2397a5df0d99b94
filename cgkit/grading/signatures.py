"""The signature of a student's function, from its text; nothing in it is evaluated.

    signature("(graph, feeds=None, *rest)") ──► inspect.Signature with these names

Invariant: it never raises; what cannot be read takes any arguments.
"""

from __future__ import annotations

import ast
import inspect


def signature(text: str) -> inspect.Signature:
    """Read a signature; what cannot be read takes anything.

    Parameters
    ----------
    text
        As `str(inspect.signature(...))` gives it; not trusted.

    Examples
    --------
    >>> signature("(a, *, b=3) -> int")
    <Signature (a, *, b=Ellipsis)>
    >>> signature("rm -rf")
    <Signature (*arguments, **named)>
    """
    kind = inspect.Parameter
    try:
        (function,) = ast.parse(f"def f{text.partition(' ->')[0]}: pass").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        function = ast.parse("def f(*arguments, **named): pass").body[0]
    if not isinstance(function, ast.FunctionDef):
        return inspect.Signature()
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    bare = len(plain) - len(given.defaults)
    found = [
        kind(one.arg, kind.POSITIONAL_OR_KEYWORD, default=kind.empty if place < bare else ...)
        for place, one in enumerate(plain)
    ]
    if given.vararg:
        found.append(kind(given.vararg.arg, kind.VAR_POSITIONAL))
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        found.append(kind(one.arg, kind.KEYWORD_ONLY, default=... if default else kind.empty))
    if given.kwarg:
        found.append(kind(given.kwarg.arg, kind.VAR_KEYWORD))
    return inspect.Signature(found)
