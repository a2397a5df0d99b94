"""Hidden cases of an eager graph: what a program has recorded, and the values it computed.

    Program(graph={"s": ("add", "x", "y"), "x": ("leaf",), ...}, values={"x": array, ...}, ...)

Invariants: values are whole numbers in float64, so that every right answer is exact; nodes stand in
any order; values broadcast; a node may be read many times, by two operands of one operator too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cgkit.checks import cases

Graph = Mapping[str, tuple[str, ...]]
Rule = Callable[..., tuple[np.ndarray, ...]]

OPERATORS: Mapping[str, Callable[..., np.ndarray]] = {
    "add": operator.add,
    "multiply": operator.mul,
    "subtract": operator.sub,
    "negate": operator.neg,
}
RULES: Mapping[str, Rule] = {
    "add": lambda upstream, a, b: (upstream, upstream),
    "multiply": lambda upstream, a, b: (upstream * b, upstream * a),
    "subtract": lambda upstream, a, b: (upstream, -upstream),
    "negate": lambda upstream, a: (-upstream,),
}
"""Rules that leave un-broadcasting to their caller: each share has the shape of the result."""
_BASES = ((2, 3), (3,), (), (2, 1), (0, 3), (1, 2))


@dataclass(frozen=True)
class Program:
    """A recorded graph, the value of each node, and what is asked."""

    graph: dict[str, tuple[str, ...]]
    values: dict[str, np.ndarray]
    output: str
    seed: np.ndarray

    @property
    def order(self) -> list[str]:
        """The nodes that the output needs, each after all its readers."""
        return right_order(self.graph, self.output)


def fill(shape: tuple[int, ...], start: int) -> np.ndarray:
    """Make an array of whole numbers from -3 to 3.

    Examples
    --------
    >>> fill((2, 2), 0)
    array([[-3.,  2.],
           [ 0., -2.]])
    """
    count = int(np.prod(shape))
    return ((np.arange(count) * 5 + start * 3) % 7 - 3.0).reshape(shape)


def programs(most: int = 6) -> Any:
    """Give a strategy for `Program`.

    Parameters
    ----------
    most
        How many operators at most.
    """
    from hypothesis import strategies as st

    drawn = cases.graphs(tuple(OPERATORS), most=most)
    base, cut = st.sampled_from(_BASES), st.integers(0, 3)
    start, ones = st.integers(0, 6), st.booleans()

    @st.composite
    def build(draw: Any) -> Program:
        case, whole = draw(drawn), draw(base)
        graph = as_eager(case.graph)
        values: dict[str, np.ndarray] = {}
        for name in right_order(graph, case.output)[::-1]:
            kind, *operands = graph[name]
            if kind != "leaf":
                values[name] = np.asarray(OPERATORS[kind](*(values[one] for one in operands)))
                continue
            shape = whole[draw(cut) % (len(whole) + 1) :]
            shape = tuple(1 for _ in shape) if draw(ones) else shape
            values[name] = fill(shape, draw(start))
        graph = {name: node for name, node in graph.items() if name in values}
        seed = fill(values[case.output].shape, draw(start) + 4)
        return Program(graph, values, case.output, seed)

    return build()


def as_eager(graph: Mapping[str, tuple[object, ...]]) -> dict[str, tuple[str, ...]]:
    """Turn inputs and constants into leaves: an eager graph knows their values, both alike.

    Examples
    --------
    >>> as_eager({"x": ("input",), "k": ("constant", 2), "z": ("add", "x", "k")})
    {'x': ('leaf',), 'k': ('leaf',), 'z': ('add', 'x', 'k')}
    """
    return {
        name: ("leaf",) if node[0] in ("input", "constant") else tuple(map(str, node))
        for name, node in graph.items()
    }


def ancestors(graph: Graph, output: str) -> set[str]:
    """Name all nodes that the output needs, itself included.

    Examples
    --------
    >>> sorted(ancestors({"x": ("leaf",), "y": ("leaf",), "z": ("negate", "x")}, "z"))
    ['x', 'z']
    """
    found, waiting = {output}, [output]
    while waiting:
        for operand in graph[waiting.pop()][1:]:
            if operand not in found:
                found.add(operand)
                waiting.append(operand)
    return found


def right_order(graph: Graph, output: str) -> list[str]:
    """Order the nodes that the output needs, each after all its readers.

    Examples
    --------
    >>> right_order({"z": ("add", "a", "x"), "a": ("negate", "x"), "x": ("leaf",)}, "z")
    ['z', 'a', 'x']
    """
    unheard = dict.fromkeys(ancestors(graph, output), 0)
    for name in unheard:
        for operand in graph[name][1:]:
            unheard[operand] += 1
    ready, order = [output], []
    while ready:
        order.append(ready.pop())
        for operand in graph[order[-1]][1:]:
            unheard[operand] -= 1
            if not unheard[operand]:
                ready.append(operand)
    return order


def unbroadcast(gradient: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Sum a gradient over the axes along which a value of `shape` was stretched.

    Examples
    --------
    >>> unbroadcast(np.ones((2, 3)), (3,)), unbroadcast(np.ones((2, 3)), (2, 1)).shape
    (array([2., 2., 2.]), (2, 1))
    """
    if gradient.shape == tuple(shape):
        return gradient
    result = np.zeros(shape)
    padded = (1,) * (gradient.ndim - len(shape)) + tuple(shape)
    for place, value in np.ndenumerate(gradient):
        cell = [0 if size == 1 else at for at, size in zip(place, padded, strict=True)]
        result[tuple(cell[gradient.ndim - len(shape) :])] += value
    return result


def right_backward(
    graph: Graph,
    values: Mapping[str, np.ndarray],
    order: Sequence[str],
    seed: np.ndarray,
    rules: Mapping[str, Rule],
    unbroadcast: Callable[[np.ndarray, tuple[int, ...]], np.ndarray],
) -> dict[str, np.ndarray]:
    """Give the gradient of every node of `order`.

    Examples
    --------
    >>> graph, x = {"x": ("leaf",), "z": ("add", "x", "x")}, np.array(3.0)
    >>> found = right_backward(graph, {"x": x, "z": x + x}, ["z", "x"], np.array(1.0), RULES,
    ...                        unbroadcast)
    >>> float(found["x"])
    2.0
    """
    gradients = {order[0]: seed}
    for name in order:
        kind, *operands = graph[name]
        if kind == "leaf":
            continue
        shares = rules[kind](gradients[name], *(values[one] for one in operands))
        for operand, share in zip(operands, shares, strict=True):
            fitted = unbroadcast(share, values[operand].shape)
            before = gradients.get(operand)
            gradients[operand] = np.asarray(fitted if before is None else before + fitted)
    return gradients
