"""The gradient of a graph as another graph, for what runs inside an operator.

    body:        (carry, x, w) ─────────────────> (carry', y)
    its pull:    (carry, x, w, g_carry', g_y) ──> (g_carry, g_x, g_w)

It computes the body again and goes back through it: nothing has to be kept from the first time but
the inputs. A pull is a graph of ordinary operators, so it has a pull of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cgkit.graph import Graph
from cgkit.interpret import replay, symbols
from cgkit.node import Edge
from cgkit.symbolic import GraphBuilder, Value
from cgkit.symbolic.differentiation import filled, pull
from cgkit.types import TensorType


def floating(types: Sequence[Any]) -> tuple[int, ...]:
    """Give the places of those that have slopes.

    Examples
    --------
    >>> floating([TensorType((), "int64"), TensorType((2,), "float32")])
    (1,)
    """
    return tuple(i for i, known in enumerate(types) if known.dtype.kind == "f")


def pulled(graph: Graph, places: Sequence[int], given: Sequence[int]) -> Graph:
    """Give the graph of a graph's gradients.

    Parameters
    ----------
    graph
        What to differentiate.
    places
        The numbers of the inputs by which.
    given
        The numbers of the outputs whose gradients will be given; floating ones.

    Returns
    -------
    Graph
        Its inputs are the graph's, then a gradient for each given output; its outputs are a
        gradient for each place, zeros where an input has no part in the given outputs.
    """
    builder = GraphBuilder(reserved=symbols(graph))
    inputs = _inputs(builder, graph.inputs)
    outputs = replay(graph, inputs, constant=builder.constant)
    seeds = [builder.placeholder(outputs[i].shape, outputs[i].dtype) for i in given]
    starts = [(outputs[i], seed) for i, seed in zip(given, seeds, strict=True)]
    wanted = [inputs[i] for i in places]
    found = pull(builder, starts, wanted)
    gradients = [
        filled(builder, x.type, 0) if part is None else part
        for x, part in zip(wanted, found, strict=True)
    ]
    return builder.graph(gradients, [*inputs, *seeds])


def _inputs(builder: GraphBuilder, edges: Sequence[Edge]) -> list[Value]:
    """Declare inputs like some of another graph, by their names."""
    return [
        builder.placeholder(
            edge.shape, edge.dtype, name="" if edge.node is None else edge.node.name
        )
        for edge in edges
    ]


def recording(body: Graph, carries: int) -> Graph:
    """Give the graph of a body that keeps, in place of what it kept, the carry it began with."""
    ends = body.outputs[:carries]
    return Graph(body.inputs, body.nodes, (*ends, *body.inputs[:carries]))


def accumulated(body: Graph, carries: int, sliced: int, kept: bool = False) -> Graph:
    """Give the body of the scan that goes backward through a loop.

    Parameters
    ----------
    body
        The loop's; its inputs are the carry, the slices, and what is the same in every step.
    carries, sliced
        How many of the inputs are of the first two kinds.
    kept
        Whether, in place of gradients of what the body keeps, there are gradients of the carry
        that each step began with.

    Returns
    -------
    Graph
        Of floating tensors alone its carry is the gradient of the carry, then those of what is
        the same in every step, summed so far. Its slices are the carry and the slices of the
        step, then the gradients that arrive at the step. It keeps the gradients of the slices.
    """
    types = [edge.type for edge in body.inputs]
    first, middle, last = (
        types[:carries],
        types[carries : carries + sliced],
        types[carries + sliced :],
    )
    moving, read, same = floating(first), floating(middle), floating(last)
    outputs = [edge.type for edge in body.outputs]
    given = moving if kept else floating(outputs)
    places = (*moving, *(carries + i for i in read), *(carries + sliced + i for i in same))
    pull_graph = pulled(body, places, given)
    builder = GraphBuilder(reserved=symbols(pull_graph))

    def inputs(known: Sequence[TensorType]) -> list[Value]:
        return [builder.placeholder(t.shape, t.dtype) for t in known]

    ends = inputs([first[i] for i in moving])
    sums = inputs([last[i] for i in same])
    state = _inputs(builder, body.inputs[:carries])
    slices = _inputs(builder, body.inputs[carries : carries + sliced])
    if kept:
        arriving = inputs([first[i] for i in moving])
        seeds = ends
    else:
        arriving = inputs([outputs[i] for i in given if i >= carries])
        seeds = [*ends, *arriving]
    rest = _inputs(builder, body.inputs[carries + sliced :])
    found = replay(pull_graph, [*state, *slices, *rest, *seeds], constant=builder.constant)
    back, shares = found[: len(moving)], found[len(moving) + len(read) :]
    if kept:
        back = [a + b for a, b in zip(back, arriving, strict=True)]
    totals = [a + b for a, b in zip(sums, shares, strict=True)]
    gradients = found[len(moving) : len(moving) + len(read)]
    return builder.graph(
        [*back, *totals, *gradients], [*ends, *sums, *state, *slices, *arriving, *rest]
    )
