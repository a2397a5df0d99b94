"""One program, two readings: as Python runs it on Tensors, and as a graph with its gradients."""

import numpy as np

from cgkit import GraphBuilder, Tensor, grad, gradients, run, verify


def squares(parts):
    return sum(((part * part).sum() for part in parts[1:]), (parts[0] * parts[0]).sum())


def by_graph(program, *arrays, shapes=None):
    """Give the value, the gradients, and the gradients of the gradients' squares, of a graph."""
    builder = GraphBuilder()
    shapes = [np.shape(a) for a in arrays] if shapes is None else shapes
    xs = [builder.placeholder(shape) for shape in shapes]
    y = program(*xs)
    first = gradients(y, xs)
    second = gradients(squares(first), xs)
    found = [y, *first, *second]
    kept = [part for part in found if part is not None]
    graph = builder.graph(kept, xs)
    verify(graph)
    values = iter(run(graph, *(np.asarray(a, "float64") for a in arrays)))
    return [None if part is None else next(values) for part in found]


def by_hand(program, *arrays):
    """Give the same by Tensors."""
    xs = [Tensor(a, dtype="float64", requires_grad=True) for a in arrays]
    y = program(*xs)
    first = grad(y, xs, create_graph=True, materialize_grads=True)
    total = squares(first)
    second = [None] * len(xs)
    if total.requires_grad:
        second = grad(total, xs, allow_unused=True)
    return [None if part is None else part.numpy() for part in (y, *first, *second)]


def agree(program, *arrays, shapes=None):
    """Check that both readings agree; give what the graph computed."""
    found = by_graph(program, *arrays, shapes=shapes)
    for ours, theirs in zip(found, by_hand(program, *arrays), strict=True):
        theirs = np.zeros(np.shape(ours)) if theirs is None else theirs
        ours = np.zeros(np.shape(theirs)) if ours is None else ours
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)
    return found
