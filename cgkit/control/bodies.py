"""Functions that become graphs inside a graph: the branches of a cond, the body of a loop.

    build(outer, {"body": fn}, [x, h])

        fn(x', h') ─ on Values of a builder of its own ─> Graph(x', h', w')
        w, which fn took from around it ──────────────────────────────┘ an input like any other

Whatever a function applies stands in its graph, also where it only reads values around it. What it
takes from there is found by running it, and each of several functions gets all that one of them
took, so that their graphs have the same inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.errors import CaptureError
from cgkit.graph import Graph
from cgkit.node import Operand
from cgkit.order import topological_order
from cgkit.symbolic import GraphBuilder, Value
from cgkit.symbolic.tracing import parameter_names
from cgkit.tensor import Tensor
from cgkit.types import TensorType

Function = Callable[..., Any]
Run = tuple[Sequence[Any], tree.Structure]
"""What a function gave: its leaves, and how they are nested."""
NUMBERS = (bool, int, float, np.ndarray, np.generic)
DONE = "it built a branch or a body, which is done; return what shall leave it"


@dataclass(frozen=True)
class Bodies:
    """What became of some functions."""

    graphs: tuple[Graph, ...]
    """One for each function; all have the same inputs: the arguments, then what was taken."""
    results: tuple[tree.Structure, ...]
    """How each function nested its results."""
    taken: tuple[Any, ...]
    """The values of the graph around them that the functions used without being given them."""


def build(
    outer: GraphBuilder,
    functions: Mapping[str, Function],
    arguments: Sequence[Any],
    called: Sequence[Sequence[str]] = (),
    settle: Callable[[Sequence[Run]], Sequence[Run]] = lambda runs: runs,
) -> Bodies:
    """Run functions on Values of their own, and keep the graphs they built.

    Parameters
    ----------
    outer
        The builder of the graph in which they will stand; no part of it is being built.
    functions
        By the name that messages use for each.
    arguments
        For each argument its type, nested as the function shall see it.
    called
        For each function what the leaves of its arguments are called, for whoever reads its graph.
    settle
        Brings what the functions gave into one order, and numbers among it to dtypes.

    Raises
    ------
    CaptureError
        A function gives what is no tensor, or looks at a number.
    """
    builders = [GraphBuilder(outer=outer) for _ in functions]
    leaves: list[list[Value]] = []
    runs: list[Run] = []
    name = ""
    try:
        for builder, (name, function) in zip(builders, functions.items(), strict=True):
            given = [tree.map_leaves(partial(placeholder, builder), x) for x in arguments]
            leaves.append([leaf for x in given for leaf in tree.flatten(x)[0]])
            for leaf, word in zip(leaves[-1], called[len(runs)] if called else (), strict=False):
                leaf.named(word)
            with outer.building(builder):
                runs.append(tree.flatten(function(*given)))
            for x in runs[-1][0]:
                check_tensor(x, name)
        name = ""
        runs = list(settle(runs))
        found = [
            [as_value(builder, x) for x in results]
            for builder, (results, _) in zip(builders, runs, strict=True)
        ]
    except Exception as error:
        for builder in builders:
            builder.close(DONE)
        if name:
            error.add_note(f"  in {name}")
        raise
    taken: dict[Any, Any] = {}
    for builder, outputs in zip(builders, found, strict=True):
        needed = set(topological_order(*(x.node for x in outputs)))
        captured = builder.captured.items()
        taken.update({key: around for key, (around, own) in captured if own.node in needed})
    graphs = []
    for builder, first, outputs in zip(builders, leaves, found, strict=True):
        inputs = [*first, *(builder.inside(around) for around in taken.values())]
        graphs.append(builder.graph(outputs, inputs))
        builder.close(DONE)
    return Bodies(
        tuple(graphs), tuple(structure for _, structure in runs), tuple(taken.values())
    )  # fmt: skip


def leaf_names(function: Function, arguments: Sequence[tree.Structure]) -> list[str]:
    """Call the leaves of a function's arguments by its parameters.

    Examples
    --------
    >>> leaf_names(lambda x, state: x, [tree.flatten(1)[1], tree.flatten({"h": 2, "c": 3})[1]])
    ['x', "state['h']", "state['c']"]
    """
    words = parameter_names(function, len(arguments))
    pairs = zip(words, arguments, strict=True)
    return [word + path if word else "" for word, nested in pairs for path in tree.paths(nested)]


def placeholder(builder: GraphBuilder, known: TensorType) -> Value:
    """Declare an input of a type."""
    return builder.placeholder(known.shape, known.dtype)


def check_tensor(x: Any, name: str) -> None:
    """Demand that something a function gave is a tensor, or may become one.

    Raises
    ------
    CaptureError
        It is something else; the function goes by `name`.
    """
    if not isinstance(x, (Operand, *NUMBERS)):
        raise CaptureError(
            f"{name} gives {type(x).__name__}, which is no tensor: {x!r:.60}",
            attempt="tensors, nested in tuples, lists and dicts if you like",
        )


def given_by(name: str, found: Any) -> Any:
    """Give what a function gave with Tensors in the place of numbers and arrays."""
    leaves, structure = tree.flatten(found)
    for x in leaves:
        check_tensor(x, name)
    return tree.unflatten(structure, [as_tensor(x) for x in leaves])


def builder_of(*leaves: Any) -> GraphBuilder | None:
    """Give the builder that records what is applied to leaves now; None if nothing does.

    Where Values are of a graph and of parts of it, that is the builder of the innermost part.
    """
    for leaf in leaves:
        builder = getattr(leaf, "builder", None)
        if isinstance(builder, GraphBuilder):
            return builder.innermost
    return None


def elsewhere(error: CaptureError, builder: GraphBuilder) -> GraphBuilder | None:
    """Give the builder of another graph, which values came from that a function took; or None."""
    for found in error.builders:
        if isinstance(found, GraphBuilder) and not found.closed and found.root is not builder:
            return found.innermost
    return None


def as_value(builder: GraphBuilder, x: Any) -> Value:
    """Give a number, an array, a Tensor or a Value as a Value of a builder."""
    if isinstance(x, Value):
        return builder.inside(x)
    return builder.capture(x) if isinstance(x, Operand) else builder.constant(x)


def as_tensor(x: Any) -> Any:
    """Give a number or an array as a Tensor; a Tensor or a Value as it is."""
    return x if isinstance(x, Operand) else Tensor(x)


def eager(builder: GraphBuilder, value: Value) -> Any:
    """Give the Tensor or the array that a builder of no graph took in as a value."""
    for tensor, known in builder.captured.values():
        if known.edge.key == value.edge.key:
            return tensor
    return Tensor(value.node.value)
