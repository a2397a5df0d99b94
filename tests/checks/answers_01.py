"""Right answers to assignment 01, written another way than in solutions/."""

import math
import random
from itertools import pairwise

import graphviz
import numpy as np


def evaluate(graph, feeds, output, operators):
    """Depth first, with an order made beforehand."""
    order, seen, stack = [], set(), [(output, False)]
    while stack:
        name, ready = stack.pop()
        if ready:
            order.append(name)
        elif name not in seen:
            seen.add(name)
            stack.append((name, True))
            kind, *rest = graph[name]
            if kind not in ("input", "constant"):
                stack.extend((operand, False) for operand in rest)
    value = {}
    for name in order:
        kind, *rest = graph[name]
        if kind == "input":
            value[name] = feeds[name]
        elif kind == "constant":
            value[name] = rest[0]
        else:
            value[name] = operators[kind](*(value[operand] for operand in rest))
    return value[output]


def naive_evaluate(graph, feeds, output, operators):
    kind, *rest = graph[output]
    if kind == "input":
        return feeds[output]
    if kind == "constant":
        return rest[0]
    return operators[kind](*(naive_evaluate(graph, feeds, one, operators) for one in rest))


def broadcast_shape(a, b):
    if len(a) < len(b):
        return broadcast_shape(b, a)
    result = list(a)
    for place in range(1, len(b) + 1):
        if a[-place] == 1:
            result[-place] = b[-place]
        elif b[-place] not in (1, a[-place]):
            raise ValueError("these do not fit")
    return tuple(result)


def matmul_shape(a, b):
    *first, rows, inner = a
    *second, other, columns = b
    if inner != other:
        raise ValueError("inner sizes")
    return (*broadcast_shape(tuple(first), tuple(second)), rows, columns)


def reduce_shape(shape, axis, keepdims):
    axes = range(len(shape)) if axis is None else np.atleast_1d(axis)
    sizes = list(shape)
    for place in axes:
        sizes[int(place)] = 1 if keepdims else None
    return tuple(size for size in sizes if size is not None)


def reshape_shape(shape, new):
    count = math.prod(shape)
    if -1 not in new:
        if math.prod(new) != count:
            raise ValueError("counts differ")
        return new
    place = new.index(-1)
    rest = new[:place] + new[place + 1 :]
    if -1 in rest or not math.prod(rest) or count % math.prod(rest):
        raise ValueError("no size fits")
    return (*new[:place], count // math.prod(rest), *new[place + 1 :])


def parameters(widths):
    return sum((one + 1) * other for one, other in pairwise(widths))


def matmul_flops(widths, batch):
    return 2 * batch * sum(a * b for a, b in pairwise(widths))


def quote(text):
    return '"' + str(text).replace('"', '\\"') + '"'


def to_dot(graph, shapes):
    lines = ["digraph {"]
    for name, (kind, *rest) in graph.items():
        label = name if kind == "input" else rest[0] if kind == "constant" else kind
        lines.append(f"{quote(name)} [label={quote(label)}]")
        if kind not in ("input", "constant"):
            lines += [f"{quote(one)} -> {quote(name)} [label={quote(shapes[one])}]" for one in rest]
    return "\n".join([*lines, "}"])


def to_dot_clusters(graph, shapes, groups):
    boxes = [
        f"subgraph cluster{number} {{ label={quote(group)}; {'; '.join(map(quote, members))} }}"
        for number, (group, members) in enumerate(groups.items())
    ]
    return to_dot(graph, shapes)[:-1] + "\n".join([*boxes, "}"])


def to_digraph(graph, shapes):
    return graphviz.Source(to_dot(graph, shapes))


def mended_backward(graph, values, output, rules, seed):
    gradients = dict.fromkeys(graph, 0)
    gradients[output] = seed
    for name in list(graph)[::-1]:
        kind, *operands = graph[name]
        if kind in rules:
            shares = rules[kind](gradients[name], *(values[one] for one in operands))
            for operand, share in zip(operands, shares, strict=True):
                gradients[operand] += share
    return gradients


def broadcast_test(broadcast):
    """Build pairs from their result, axis by axis; then break one axis."""
    draw = random.Random(7)
    for _ in range(150):
        axes = [draw.choice([(n, n), (n, 1), (1, n)]) for n in draw.choices(range(5), k=4)]
        axes = axes[draw.randrange(5) :]
        a, b = tuple(one for one, _ in axes), tuple(other for _, other in axes)
        b = b[draw.randrange(len(b) + 1) :]
        right = tuple(
            two if one == 1 else one
            for one, two in zip(a, (1,) * (len(a) - len(b)) + b, strict=True)
        )
        assert broadcast(a, b) == right
        assert broadcast(b, a) == right
        if b:
            place = draw.randrange(1, len(b) + 1)
            one, other = draw.sample([0, 2, 3, 4, 5], 2)
            refuses(broadcast, put(a, place, one), put(b, place, other))
            refuses(broadcast, put(b, place, one), put(a, place, other))


def put(shape, place, size):
    return (*shape[: len(shape) - place], size, *shape[len(shape) - place + 1 :])


def refuses(broadcast, a, b):
    try:
        broadcast(a, b)
    except ValueError:
        return
    raise AssertionError(a, b)


def conv_shape(image, weights, stride, padding, layout):
    order = (0, 1, 2, 3) if layout == "NCHW" else (0, 3, 1, 2)
    batch, channels, *sizes = (image[place] for place in order)
    outputs, inputs, *windows = weights
    places = [
        len(range(0, size + 2 * padding - window + 1, stride))
        for size, window in zip(sizes, windows, strict=True)
    ]
    if channels != inputs or 0 in places:
        raise ValueError("no fit")
    result = (batch, outputs, *places)
    return result if layout == "NCHW" else (result[0], *result[2:], result[1])
