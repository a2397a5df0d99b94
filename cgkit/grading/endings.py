"""Whose points a test cell ends with, read from its text.

    3      (2, "half of it")      check.mean(mean)      Score(...)        the author's
    mean([1])     max(0, mean([1]))     points = mean([1]); points        a student's: never

What a student's function gives stays theirs, however it is counted, rounded or renamed; what it is
compared with makes it the author's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

_KEEPS = frozenset({"float", "int", "round", "max", "min", "abs", "sum", "len", "next", "sorted"})
"""Functions of Python that hand on what they were given."""


def faults(tree: ast.Module, exported: frozenset[str], points: float) -> Iterator[str]:
    """Say what is wrong with the last line of a test cell.

    Parameters
    ----------
    tree
        The cell.
    exported
        Names that are a student's.
    points
        What the cell can give.

    Examples
    --------
    >>> list(faults(ast.parse("mean([1])"), frozenset({"mean"}), 4))
    ['it ends with what mean gives; a student would set the points']
    >>> list(faults(ast.parse("assert mean([1]) == 1"), frozenset({"mean"}), 4))
    []
    """
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return
    value = last.value
    if isinstance(value, ast.Tuple) and len(value.elts) == 2:
        value = value.elts[0]  # (points, words)
    if isinstance(value, ast.Compare | ast.BoolOp) or (
        isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    ):
        yield "it ends with yes or no; write: assert ..., or give a number of points"
        return
    name = _Owners(exported).after(tree.body[:-1]).owner(value)
    if name:
        yield f"it ends with what {name} gives; a student would set the points"
    yield from _constant_faults(value, points)


def _constant_faults(value: ast.expr, points: float) -> Iterator[str]:
    try:
        number = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return
    if type(number) not in (int, float):
        yield "it ends with a constant that is no number of points"
    elif not 0 <= number <= points:
        yield f"it ends with {number:g}, and the cell gives 0 to {points:g} points"


class _Owners:
    """Remembers which names hold what is a student's.

    Parameters
    ----------
    exported
        Names that are a student's from the beginning.
    """

    def __init__(self, exported: frozenset[str]) -> None:
        self._of = {name: name for name in exported}

    def after(self, body: Iterable[ast.stmt]) -> _Owners:
        """Follow some statements."""
        for statement in body:
            self._follow(statement)
        return self

    def owner(self, node: ast.expr | None) -> str:
        """Name the student's name that a value comes from, or give nothing."""
        if isinstance(node, ast.Name):
            return self._of.get(node.id, "")
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.NamedExpr):
            return self.owner(node.value)
        if isinstance(node, ast.Call):
            keeps = isinstance(node.func, ast.Name) and node.func.id in _KEEPS
            return self._first(node.args) if keeps else self.owner(node.func)
        if isinstance(node, ast.BinOp):
            return self._first([node.left, node.right])
        if isinstance(node, ast.UnaryOp):
            return "" if isinstance(node.op, ast.Not) else self.owner(node.operand)
        if isinstance(node, ast.IfExp):
            return self._first([node.body, node.orelse])
        if isinstance(node, ast.Tuple | ast.List):
            return self._first(node.elts)
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            return self._of_each(node)
        return ""

    def _first(self, nodes: Iterable[ast.expr]) -> str:
        return next(filter(None, map(self.owner, nodes)), "")

    def _of_each(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> str:
        inner = _Owners(frozenset())
        inner._of = dict(self._of)
        for generator in node.generators:
            inner._bind(generator.target, inner.owner(generator.iter))
        return inner.owner(node.elt)

    def _follow(self, node: ast.stmt) -> None:
        for target, value in _bindings(node):
            owner = self.owner(value)
            if owner or not isinstance(node, ast.AugAssign):
                self._bind(target, owner)
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            for part in ("body", "orelse", "finalbody"):
                self.after(getattr(node, part, ()))

    def _bind(self, target: ast.expr, owner: str) -> None:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and owner:
                self._of[node.id] = owner
            elif isinstance(node, ast.Name):
                self._of.pop(node.id, None)


def _bindings(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Give each target that a statement binds, with where its value comes from."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        yield node.target, node.value
    elif isinstance(node, ast.For):
        yield node.target, node.iter
    elif isinstance(node, ast.With):
        yield from (
            (item.optional_vars, item.context_expr) for item in node.items if item.optional_vars
        )
