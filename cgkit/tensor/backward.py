"""Going backward from Tensors: collect gradients in leaves, or give those asked for.

    backward(y)        y ─> ... ─> leaves: each adds what arrives to its .grad
    grad(y, [x, w])    the same sweep, only through nodes that lead to x and w; no .grad changes

With create_graph the rules run on Tensors and are recorded, so that the result can be
differentiated again; otherwise they run on plain arrays. A handle gives its class's `wrap`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cgkit.autodiff import (
    Order,
    add_gradient,
    check_saved,
    is_single,
    needed,
    nodes_to_visit,
    read_arrays,
    sweep,
)  # fmt: skip
from cgkit.device import device_of
from cgkit.errors import DeviceError, GradientError, ShapeError
from cgkit.node import LEAF, Edge, Node
from cgkit.operators.movement import unbroadcast
from cgkit.order import topological_order
from cgkit.tensor.hooks import Wrap, apart, collect, run_hooks
from cgkit.tensor.modes import GRAD_MODE
from cgkit.tensor.placement import beside, plus


def backward(
    root: Any,
    seed: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    order: Order = topological_order,
) -> None:
    """Add the gradient of a tensor to every leaf it was computed from.

    Parameters
    ----------
    root
        The tensor to go back from.
    seed
        The gradient to begin with, of root's shape; 1 for a tensor of one element.
    retain_graph
        Whether to keep what the nodes saved, for another backward; as create_graph by default.
    create_graph
        Whether to record the gradients' own computation.
    inputs
        The tensors whose `.grad` shall grow, no others; all leaves by default.
    order
        Gives the ancestors of a node, each after the nodes it reads.

    Raises
    ------
    GradientError
        Nothing here requires grad; a seed is needed; the graph was freed or written to since.
    ShapeError
        The seed has another shape.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> x = Tensor(1.0, requires_grad=True)
    >>> b = x + x
    >>> (b + b).backward()
    >>> x.grad
    Tensor(4.)
    """
    if inputs is not None:
        _backward_to(inputs, root, seed, retain_graph, create_graph, order)
        return
    node, index, start = _start(root, seed)
    nodes = nodes_to_visit(node, order)
    check_saved(nodes)
    wrap = root.wrap

    def deliver(at: Node, gradient: Any) -> Any:
        if at.extras is not None:
            if at.extras.hooks:
                gradient = run_hooks(at, gradient, wrap, create_graph)
            if at.operator is LEAF:
                collect(at.extras.grads, 0, gradient, wrap)
        return gradient

    keep = create_graph if retain_graph is None else retain_graph
    _sweep(root, nodes, [(node, index, start)], deliver, keep, create_graph, None)


def grad(
    outputs: Any,
    inputs: Any,
    seeds: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
    materialize_grads: bool = False,
    order: Order = topological_order,
) -> tuple[Any, ...]:
    """Give the gradients of a tensor with respect to others; no `.grad` is touched.

    Parameters
    ----------
    outputs
        A tensor, or several whose gradients are added.
    inputs
        A tensor or several: leaves or tensors in between.
    seeds
        The gradient to begin with for each output; 1 for outputs of one element.
    retain_graph, create_graph, order
        As for `backward`.
    allow_unused
        Whether an input that no output depends on is allowed; its gradient is None.
    materialize_grads
        Whether such an input has a gradient of zeros instead.

    Returns
    -------
    tuple of Tensor or None
        A gradient for each input.

    Raises
    ------
    GradientError
        An input is unused and that is not allowed, or any reason of `backward`.

    Examples
    --------
    >>> from cgkit import Tensor
    >>> x = Tensor(3.0, requires_grad=True)
    >>> (first,) = grad(x**3.0, x, create_graph=True)
    >>> first.item(), grad(first, x)[0].item()
    (27.0, 18.0)
    """
    roots, wanted = _listed(outputs), _inputs(inputs)
    starts = _starts(roots, seeds)
    nodes = _all_nodes([node for node, _, _ in starts], order)
    ends = {x.edge.node for x in wanted}
    unused = allow_unused or materialize_grads
    if not unused and not ends <= set(nodes):
        raise _not_used(wanted, [x.edge.node in set(nodes) for x in wanted])
    through = needed(nodes, ends)
    nodes = [node for node in nodes if node in through]
    check_saved([node for node in nodes if any(p in through for p in node.producers)])
    found: dict[Any, Any] = {}
    wrap = roots[0].wrap

    def deliver(at: Node, gradient: Any) -> Any:
        if at.extra().hooks:
            gradient = run_hooks(at, gradient, wrap, create_graph)
        if at in ends:
            parts = {0: gradient} if is_single(at) else gradient
            found.update({(at, i): part for i, part in parts.items()})
        return gradient

    for x in wanted:
        x.edge.node.extra()
    keep = create_graph if retain_graph is None else retain_graph
    _sweep(roots[0], nodes, starts, deliver, keep, create_graph, through)
    gradients = [found.get(x.edge.key) for x in wanted]
    if not unused and any(part is None for part in gradients):
        raise _not_used(wanted, [part is not None for part in gradients])
    given = [None if part is None else apart(part, wrap) for part in gradients]
    if materialize_grads:
        pairs = zip(wanted, given, strict=True)
        given = [_zeros(x, create_graph) if part is None else part for x, part in pairs]
    return tuple(given)


def _listed(tensors: Any) -> list[Any]:
    listed = list(tensors) if isinstance(tensors, tuple | list) else [tensors]
    for x in listed:
        if not hasattr(x, "version"):
            raise GradientError(
                f"grad takes Tensors, not {type(x).__name__}",
                attempt="gradients(y, xs) for values of a graph" if hasattr(x, "builder") else "",
            )
    return listed


def _inputs(inputs: Any) -> list[Any]:
    wanted = _listed(inputs)
    if not wanted:
        raise GradientError("grad needs at least one input", attempt="grad(y, [x])")
    for number, x in enumerate(wanted):
        if x.edge is None or x.edge.node is None:
            raise GradientError(
                f"{_called(number, x)} does not require grad, so nothing has a gradient by it",
                attempt="Tensor(..., requires_grad=True)",
            )
    return wanted


def _starts(roots: list[Any], seeds: Any) -> list[tuple[Node, int, Any]]:
    if not roots:
        raise GradientError("grad needs at least one output")
    listed = list(seeds) if isinstance(seeds, tuple | list) and len(roots) > 1 else [seeds]
    listed = [None] * len(roots) if seeds is None else listed
    if len(listed) != len(roots):
        raise GradientError(f"{len(roots)} outputs need as many seeds, got {len(listed)}")
    return [_start(root, seed) for root, seed in zip(roots, listed, strict=True)]


def _not_used(wanted: list[Any], used: list[bool]) -> GradientError:
    number = used.index(False)
    return GradientError(
        f"{_called(number, wanted[number])} was not used in the graph",
        why="no way leads from the outputs back to it",
        attempt="grad(..., allow_unused=True), if that is meant",
    )


def _called(number: int, x: Any) -> str:
    """Name an input of `grad`."""
    name = x.edge.node.name if x.edge is not None and x.edge.node is not None else ""
    return f"input {number}, {name or 'a tensor'} of shape {x.shape},"


def _zeros(x: Any, create: bool) -> Any:
    """Give a gradient of zeros; a recorded one can be differentiated again, like any other."""
    zeros = x.wrap(beside(np.zeros(x.shape, x.dtype), x.data))
    return zeros.requires_grad_() if create else zeros


def _all_nodes(roots: Sequence[Node], order: Order) -> list[Node]:
    nodes: dict[Node, None] = {}
    for root in roots:
        nodes.update(dict.fromkeys(nodes_to_visit(root, order)))
    return list(nodes) if len(set(roots)) == 1 else topological_order(*roots)


def _start(root: Any, seed: Any) -> tuple[Node, int, Any]:
    if root.edge is None or root.edge.node is None:
        raise GradientError(
            "no operand of this tensor requires grad, so there is nothing to go back through",
            attempt="Tensor(..., requires_grad=True)",
        )
    data = root.data
    if seed is None:
        if data.size != 1:
            raise GradientError(
                "grad can be implicitly created only for scalar outputs",
                why=f"this tensor has shape {data.shape}",
                attempt="y.sum().backward(), or a seed of its shape",
            )
        seed = np.empty(data.shape, data.dtype)
        seed.fill(1)
        seed = seed if data.__class__ is np.ndarray else beside(seed, data)
        return root.edge.node, root.edge.index, seed
    if not isinstance(seed, type(root)):
        seed = root.wrap(beside(type(root)(seed).data.astype(data.dtype), data))
    if seed.shape != data.shape:
        raise ShapeError(
            f"the seed has shape {seed.shape}, the output {data.shape}",
            why="seeds never broadcast",
            attempt=f"ones of shape {data.shape} for the sum of the elements",
        )
    if device_of(seed.data) is not device_of(data):
        raise DeviceError(
            f"the seed lies on {device_of(seed.data)}, the output on {device_of(data)}",
            attempt=f'seed.to("{device_of(data)}")',
        )
    return root.edge.node, root.edge.index, unbroadcast(seed, root.edge)


@np.errstate(all="ignore")
def _sweep(
    root: Any,
    nodes: list[Node],
    starts: list[tuple[Node, int, Any]],
    deliver: Callable[[Node, Any], Any],
    retain: bool,
    create: bool,
    through: set[Node] | None,
) -> None:
    grads: dict[Node, Any] = {}
    tensor = type(root)
    for node, index, seed in starts:
        if create and not isinstance(seed, tensor):
            seed = root.wrap(seed)
        elif not create and isinstance(seed, tensor):
            seed = seed.data
        add_gradient(grads, node, index, seed, plus)
    token = GRAD_MODE.set(create)
    try:
        sweep(
            nodes, grads, read=_reader(root.wrap) if create else read_arrays,
            unbroadcast=unbroadcast, deliver=deliver, through=through, retain=retain, add=plus,
        )  # fmt: skip
    finally:
        GRAD_MODE.reset(token)


def _reader(wrap: Wrap) -> Callable[[Node, Any], list[Any]]:
    """Read a node's operands as Tensors on their old edges, for rules that are recorded."""

    def read(node: Node, gradient: Any) -> list[Any]:
        reads, saved = [gradient, None, *node.inputs], node.saved
        for i in range(0, len(saved), 4):
            place, array, version = saved[i : i + 3]
            if place < 0:
                reads[1] = wrap(array, Edge(node, 0, array.shape, array.dtype), version)
            elif reads[place + 2].__class__ is Edge:
                edge = reads[place + 2]
                reads[place + 2] = wrap(array, edge if edge.node is not None else None, version)
        return reads

    return read


def _backward_to(
    inputs: Any, root: Any, seed: Any, retain: bool | None, create: bool, order: Order
) -> None:
    """Add gradients to the `.grad` of these tensors alone."""
    wanted = _inputs(inputs)
    found = grad(root, wanted, seed, retain_graph=retain, create_graph=create, order=order)
    for x, gradient in dict(zip(wanted, found, strict=True)).items():  # each tensor once
        collect(x.edge.node.extra().grads, x.edge.index, gradient, root.wrap)
