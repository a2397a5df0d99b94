r"""Which names a cell binds, and which it reads; by its syntax, nothing is run.

    bound("def mean(a): ...\nb, c = 1, 2") ──► {"mean", "b", "c"}

Code that is no Python still gives the names after `def` and `class`, so that a cell with a slip in
it can be found by what it was to define.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

from cgkit.grading.inside.magics import plain_python

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SCOPES = (
    *_DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
"""What has a scope of its own."""
_DEFINITION = re.compile(r"^(?:async\s+)?(?:def|class)\s+([^\W\d]\w*)", re.MULTILINE)


def tree_of(source: str) -> ast.Module | None:
    """Parse a cell, magics left out; give None where it is no Python."""
    try:
        return ast.parse(plain_python(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@functools.lru_cache(maxsize=4096)
def bound(source: str) -> frozenset[str]:
    r"""Give the names that a cell binds at its top level.

    Examples
    --------
    >>> sorted(bound("import math as m\nfor i in x:\n    y = i\nwith f() as g: pass"))
    ['g', 'i', 'm', 'y']
    >>> sorted(bound("def slip(:\n"))
    ['slip']
    """
    tree = tree_of(source)
    if tree is None:
        return frozenset(_DEFINITION.findall(source))
    return frozenset(name for statement in tree.body for name in _bound(statement))


def defined(source: str) -> frozenset[str]:
    """Give the names of functions and classes that a cell defines at its top level."""
    tree = tree_of(source)
    if tree is None:
        return frozenset(_DEFINITION.findall(source))
    return frozenset(node.name for node in tree.body if isinstance(node, _DEFINITIONS))


def read(source: str) -> frozenset[str]:
    """Give every name that a cell reads anywhere in it."""
    tree = tree_of(source)
    if tree is None:
        return frozenset()
    return frozenset(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


def _bound(statement: ast.AST) -> Iterator[str]:
    """Walk over the names a statement binds in its own scope; it may be nested however deeply."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        yield from _names(node)
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)


def _names(node: ast.AST) -> Iterator[str]:
    """Give the names that a node binds itself."""
    if isinstance(node, _DEFINITIONS):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
