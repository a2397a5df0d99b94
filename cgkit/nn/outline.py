"""A module as a short tree: what it is made of, the shapes of its numbers, how many are learned.

    Sequential            203,530 parameters, float32
      0  Linear(784, 256)   200,960  weight (784, 256), bias (256,)
      1  ReLU()
      2  Linear(256, 10)      2,570  weight (256, 10), bias (10,)

Equal layers that follow one another share a line: "0 to 11  12 x Block(64)". How a module was made
is read off its attributes: those that are called like a parameter of its `__init__`.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any

from cgkit.nn.members import Holder
from cgkit.tensor import Tensor
from cgkit.types import show_shape
from cgkit.words import counted

PLAIN = (bool, int, float, str, type(None))


@dataclass(frozen=True)
class Line:
    """One line of the tree."""

    depth: int
    name: str
    """What its owner calls it."""
    heading: str
    count: int
    """How many numbers it learns, all parts included."""
    tensors: str
    """Its own tensors, not those of its parts."""


def heading(holder: Holder) -> str:
    """Say how a module was made: "Linear(784, 256)".

    Settings that are as usual are left out, and so is all that is no plain number or text.
    """
    said = []
    for name, parameter in inspect.signature(type(holder)).parameters.items():
        value = vars(holder).get(name, parameter.empty)
        if isinstance(parameter.default, bool) and value is not parameter.empty:
            value = value is not None and value is not False  # bias=True has become a tensor
        if value is parameter.empty or not _plain(value):
            continue
        if parameter.default is parameter.empty and parameter.kind is not parameter.KEYWORD_ONLY:
            said.append(repr(value))
        elif value != parameter.default:
            said.append(f"{name}={value!r}")
    return f"{type(holder).__name__}({', '.join(said)})"


def outline(holder: Holder) -> str:
    """Write a module as a short tree."""
    lines = _lines(holder, "", 0, {id(holder)})
    dtypes = sorted({str(x.dtype) for x in holder.named_tensors().values()})
    first = [counted(lines[0].count, "parameter"), *dtypes]
    texts = [_begin(line) for line in lines]
    width = max(map(len, texts))
    wide = max(len(f"{line.count:,}") for line in lines)
    rest = [
        f"{text:{width}}  {f'{line.count:,}' if line.count else '':>{wide}}  {line.tensors}"
        for text, line in zip(texts[1:], lines[1:], strict=True)
    ]
    own = f": {lines[0].tensors}" if lines[0].tensors else ""
    top = f"{texts[0]:{width}}  {', '.join(first)}{own}" if rest else f"{texts[0]}  {first[0]}{own}"
    return "\n".join(line.rstrip() for line in [top, *rest])


def _begin(line: Line) -> str:
    return f"{'  ' * line.depth}{line.name}{'  ' * bool(line.name)}{line.heading}"


def _plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or (isinstance(value, tuple | list) and all(map(_plain, value)))


def _lines(holder: Holder, name: str, depth: int, seen: set[int]) -> list[Line]:
    """Give the line of a module and those of its parts, each once."""
    parts: dict[str, Holder] = {}
    tensors: dict[str, Tensor] = {}
    for place, leaf in holder.own():
        if isinstance(leaf, Holder) and id(leaf) not in seen:
            seen.add(id(leaf))
            parts[place] = leaf
        elif isinstance(leaf, Tensor):
            tensors[place] = leaf
    below = [_lines(part, place, depth + 1, seen) for place, part in parts.items()]
    learned = sum(x.size for x in holder.named_tensors().values() if x.requires_grad)
    shown = ", ".join(
        f"{place} {show_shape(x.shape)}" + " kept" * (not x.requires_grad)
        for place, x in tensors.items()
    )
    head = Line(depth, name, heading(holder), learned, shown)
    return [head, *chain.from_iterable(_folded(below))]


def _folded(parts: list[list[Line]]) -> list[list[Line]]:
    """Give equal parts that follow one another one line, with the numbers of all of them."""
    folded = []
    for _, group in groupby(parts, key=_anonymous):
        alike = list(group)
        first, *rest = alike[0]
        if len(alike) == 1 or not first.name[-1].isdigit():  # a name tells more than a number
            folded += alike
            continue
        joined = replace(
            first,
            name=f"{first.name} to {alike[-1][0].name}",
            heading=f"{len(alike)} x {first.heading}",
            count=first.count * len(alike),
        )
        folded.append([joined, *rest])
    return folded


def _anonymous(lines: list[Line]) -> Any:
    """Give all but the name of a part."""
    first, *rest = lines
    return (first.heading, first.count, first.tensors, tuple(rest))
