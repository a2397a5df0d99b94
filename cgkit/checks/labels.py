r"""Understand what a student wrote into a node: an operation, a name, or a number.

    "+"  "add"  "z = x + y"  "Add\n(float32)"   ──►  operation add
    "x^2"  "x**2"  "x²"  "square(x)"  "x*x"      ──►  operation square
    "x"  "input x"  "x = 3"  "dz/dx"             ──►  name x, name dz_dx
    "2"  "constant 2.0"                          ──►  number 2

Invariants: reading a label never evaluates it; one operation has one name here, whatever sign or
word it was written with.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_WORDS = {
    "add": "add addition plus + ⊕",
    "subtract": "subtract subtraction sub minus difference -",
    "multiply": "multiply multiplication mul times product *",
    "divide": "divide division div /",
    "maximum": "maximum max",
    "minimum": "minimum min",
    "square": "square squared sq sqr **2 pow2",
    "power": "power pow **",
    "negate": "negate negative neg",
    "log": "log ln",
    "exp": "exp",
    "relu": "relu",
    "matmul": "matmul mm @",
}
_OPERATIONS = {word: name for name, words in _WORDS.items() for word in words.split()}
# signs that people write for *, -, / and **, by their numbers: many look like others
_SIGNS = {
    0xD7: "*",
    0xB7: "*",
    0x22C5: "*",
    0x2217: "*",
    0x2297: "*",
    0x2212: "-",
    0x2013: "-",
    0xF7: "/",
    0xB2: "**2",
    ord("^"): "**",
}
_FILLERS = frozenset(
    re.split(
        " ",
        "input inputs variable placeholder leaf data value tensor constant const output result "
        "node op operator operation scalar float int float32 float64 int32 int64",
    )
)
_TREE = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
    ast.MatMult: "matmul",
}
_GRADIENT = re.compile(r"(?<!\w)[d∂](\w{1,2})\s*/\s*[d∂](\w{1,2})(?!\w)")
_TOKEN = re.compile(r"\*\*2?|[A-Za-z_]\w*|\d+\.?\d*|[+\-*/@⊕]")


@dataclass(frozen=True)
class Meaning:
    """What a label says."""

    #: "operation", "name" or "number"
    kind: str
    #: the operation, the name, or the number as text
    text: str
    #: the label also names its operands, as "x + y" does and "+" does not
    full: bool = False
    #: the names in such a label, in the order written
    names: tuple[str, ...] = ()


def read_label(label: str) -> Meaning:
    r"""Understand a label.

    Parameters
    ----------
    label
        What the node shows.

    Returns
    -------
    Meaning
        An operation if any part of the label names one, else a number, else a name.

    Examples
    --------
    >>> [read_label(text).text for text in ("+", "x^2", "z = max(a, b)", "x*x", "Min\nfloat64")]
    ['add', 'square', 'maximum', 'square', 'minimum']
    >>> read_label("input x"), read_label("2.0")  # doctest: +NORMALIZE_WHITESPACE
    (Meaning(kind='name', text='x', full=False, names=()),
     Meaning(kind='number', text='2', full=False, names=()))
    """
    text = _plain_signs(label)
    pieces = [piece.strip(" ()[]{}<>\"'") for piece in re.split(r"\n|:|(?<![<>=!])=(?!=)", text)]
    for piece in [text.replace("\n", " ").strip(), *_with_brackets(text)]:
        found = _whole_operation(piece)
        if found:
            return found
    for piece in pieces:
        found = _operation_in(piece)
        if found:
            return found
    return _name_or_number(text, label)


def _with_brackets(text: str) -> list[str]:
    return [piece.strip() for piece in re.split(r"\n|:|(?<![<>=!])=(?!=)", text)]


def _plain_signs(label: str) -> str:
    """Write signs as Python does; dz/dx is the name of a gradient, and no division."""
    named = _GRADIENT.sub(r"d\1_d\2", label.translate(_SIGNS))
    return re.sub(r"\*\*\s+2\b", "**2", named)


def _whole_operation(piece: str) -> Meaning | None:
    """Read a piece that is a sign, a word, or an expression."""
    word = piece.lower()
    if word in _OPERATIONS:
        return Meaning("operation", _OPERATIONS[word])
    try:
        tree = ast.parse(piece, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return _of_tree(tree)


def _of_tree(tree: ast.expr) -> Meaning | None:
    if isinstance(tree, ast.BinOp) and type(tree.op) in _TREE:
        name = _TREE[type(tree.op)]
        squared = _squared(name, tree.left, tree.right)
        return Meaning("operation", squared, full=True, names=_names(tree.left, tree.right))
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name | ast.Attribute):
        name = tree.func.id if isinstance(tree.func, ast.Name) else tree.func.attr
        operation = _OPERATIONS.get(name.lower())
        if operation and len(tree.args) == 2:
            operation = _squared(operation, *tree.args)
        names = _names(*tree.args)
        return Meaning("operation", operation, bool(tree.args), names) if operation else None
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return None if isinstance(tree.operand, ast.Constant) else Meaning("operation", "negate")
    return None


def _names(*trees: ast.expr) -> tuple[str, ...]:
    found = (node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name))
    return tuple(dict.fromkeys(found))


def _squared(name: str, left: ast.expr, right: ast.expr) -> str:
    two = isinstance(right, ast.Constant) and right.value == 2
    if name == "power" and two:
        return "square"
    if name == "multiply" and ast.dump(left) == ast.dump(right):
        return "square"
    return name


def _operation_in(piece: str) -> Meaning | None:
    """Find an operation's word or sign among the words of a piece."""
    for token in _TOKEN.findall(piece):
        if token.lower() in _OPERATIONS:
            return Meaning("operation", _OPERATIONS[token.lower()])
    return None


def _name_or_number(text: str, label: str) -> Meaning:
    tokens = _TOKEN.findall(text)
    names = [token for token in tokens if not token[0].isdigit() and token.lower() not in _FILLERS]
    if names:
        return Meaning("name", names[0])
    numbers = [token for token in tokens if token[0].isdigit()]
    if numbers:
        return Meaning("number", f"{float(numbers[0]):g}")
    return Meaning("name", label.strip() or "(no label)")
