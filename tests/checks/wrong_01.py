"""Wrong answers to assignment 01 as students write them, each under the name it must be called by.

`NAMED` maps (check, name of the mistake) to the answer. They are written without a look at the
mistaken algorithms in cgkit.checks, so that recognizing them is a test.
"""

import graphviz


def in_dict_order(graph, feeds, output, operators):
    values = dict(feeds)
    for name in graph:
        kind = graph[name][0]
        if kind == "constant":
            values[name] = graph[name][1]
        elif kind != "input":
            values[name] = operators[kind](*[values[n] for n in graph[name][1:]])
    return values[output]


def swapped(graph, feeds, output, operators):
    kind, *rest = graph[output]
    if kind == "input":
        return feeds[output]
    if kind == "constant":
        return rest[0]
    found = []
    for name in rest:
        found.insert(0, swapped(graph, feeds, name, operators))
    return operators[kind](*found)


def recursive(graph, feeds, output, operators):
    kind, *rest = graph[output]
    if kind == "input":
        return feeds[output]
    if kind == "constant":
        return rest[0]
    return operators[kind](*[recursive(graph, feeds, name, operators) for name in rest])


def left_aligned(a, b):
    long, short = (a, b) if len(a) >= len(b) else (b, a)
    result = list(long)
    for i, size in enumerate(short):
        if long[i] == 1:
            result[i] = size
        elif size not in (1, long[i]):
            raise ValueError
    return tuple(result)


def takes_larger(a, b):
    a, b = list(a), list(b)
    while len(a) < len(b):
        a.insert(0, 1)
    while len(b) < len(a):
        b.insert(0, 1)
    return tuple(max(pair) for pair in zip(a, b, strict=True))


def zips(a, b):
    result = []
    for one, other in zip(a, b):  # noqa: B905 (this is the fault)
        if one != other and one != 1 and other != 1:
            raise ValueError
        result.append(other if one == 1 else one)
    return tuple(result)


def transposed_weights(a, b):
    if a[-1] != b[-1]:
        raise ValueError
    first, second = a[:-2], b[:-2]
    rank = max(len(first), len(second))
    first = (1,) * (rank - len(first)) + first
    second = (1,) * (rank - len(second)) + second
    batch = []
    for one, other in zip(first, second, strict=True):
        if one != other and 1 not in (one, other):
            raise ValueError
        batch.append(other if one == 1 else one)
    return (*batch, a[-2], b[-2])


def deletes_one_by_one(shape, axis, keepdims):
    sizes = list(shape)
    axes = list(range(len(shape))) if axis is None else [axis] if isinstance(axis, int) else axis
    for place in axes:
        if keepdims:
            sizes[place] = 1
        else:
            sizes.pop(place)
    return tuple(sizes)


def keeps_nothing(shape, axis, keepdims):
    axes = range(len(shape)) if axis is None else [axis] if isinstance(axis, int) else axis
    return tuple(s for i, s in enumerate(shape) if i not in axes and i - len(shape) not in axes)


def leaves_minus_one(shape, new):
    return tuple(new)


def floats(shape, new):
    count, rest, opened = 1, 1, 0
    for size in shape:
        count *= size
    for size in new:
        opened += size == -1
        rest *= 1 if size == -1 else size
    if opened > 1 or (opened and (rest == 0 or count % rest)) or (not opened and rest != count):
        raise ValueError
    return tuple(count / rest if size == -1 else size for size in new)


def no_biases(widths):
    total = 0
    for i in range(len(widths) - 1):
        total += widths[i] * widths[i + 1]
    return total


def single_flops(widths, batch):
    total = 0
    for i in range(1, len(widths)):
        total += widths[i - 1] * widths[i]
    return total * batch


def replaces(graph, values, output, rules, seed):
    gradient = {}
    gradient[output] = seed
    for name in [*graph][::-1]:
        if graph[name][0] in rules:
            operands = graph[name][1:]
            shares = rules[graph[name][0]](gradient[name], *[values[o] for o in operands])
            for i in range(len(operands)):
                gradient[operands[i]] = shares[i]
    return gradient


def starts_with_one(graph, values, output, rules, seed):
    gradient = dict.fromkeys(graph, 0)
    gradient[output] = 1
    for name in [*graph][::-1]:
        if graph[name][0] in rules:
            operands = graph[name][1:]
            shares = rules[graph[name][0]](gradient[name], *[values[o] for o in operands])
            for i in range(len(operands)):
                gradient[operands[i]] += shares[i]
    return gradient


def upstream_of_one(graph, values, output, rules, seed):
    gradient = dict.fromkeys(graph, 0)
    gradient[output] = seed
    for name in [*graph][::-1]:
        if graph[name][0] in rules:
            operands = graph[name][1:]
            shares = rules[graph[name][0]](1.0, *[values[o] for o in operands])
            for i in range(len(operands)):
                gradient[operands[i]] += shares[i]
    return gradient


def goes_forward(graph, values, output, rules, seed):
    gradients = {output: seed}
    for name in list(graph):
        kind, *operands = graph[name]
        if kind not in ("input", "constant"):
            shares = rules[kind](gradients[name], *[values[o] for o in operands])
            for operand, share in zip(operands, shares, strict=True):
                gradients[operand] = gradients.get(operand, 0) + share
    return gradients


def backward_arrows(graph, shapes):
    drawing = graphviz.Digraph()
    for name, (kind, *rest) in graph.items():
        label = {"input": name, "constant": str(rest and rest[0])}.get(kind, kind)
        drawing.node(name, label=label)
        if kind not in ("input", "constant"):
            for operand in rest:
                drawing.edge(name, operand, label=str(shapes[operand]))
    return drawing


def one_arrow_for_twins(graph, shapes):
    drawing = graphviz.Digraph()
    for name, (kind, *rest) in graph.items():
        label = {"input": name, "constant": str(rest and rest[0])}.get(kind, kind)
        drawing.node(name, label=label)
        if kind not in ("input", "constant"):
            for operand in dict.fromkeys(rest):
                drawing.edge(operand, name, label=str(shapes[operand]))
    return drawing


def shape_of_reader(graph, shapes):
    drawing = graphviz.Digraph()
    for name, (kind, *rest) in graph.items():
        label = {"input": name, "constant": str(rest and rest[0])}.get(kind, kind)
        drawing.node(name, label=label)
        if kind not in ("input", "constant"):
            for operand in rest:
                drawing.edge(operand, name, label=str(shapes[name]))
    return drawing


def conv_rounds_up(image, weights, stride, padding, layout):
    n, *rest = image
    c, h, w = rest if layout == "NCHW" else (rest[2], rest[0], rest[1])
    if c != weights[1] or h + 2 * padding < weights[2] or w + 2 * padding < weights[3]:
        raise ValueError
    h = -((weights[2] - h - 2 * padding) // stride) + 1
    w = -((weights[3] - w - 2 * padding) // stride) + 1
    return (n, weights[0], h, w) if layout == "NCHW" else (n, h, w, weights[0])


def conv_plus_one_inside(image, weights, stride, padding, layout):
    n, *rest = image
    c, h, w = rest if layout == "NCHW" else (rest[2], rest[0], rest[1])
    if c != weights[1] or h + 2 * padding < weights[2] or w + 2 * padding < weights[3]:
        raise ValueError
    h = (h + 2 * padding - weights[2] + 1) // stride
    w = (w + 2 * padding - weights[3] + 1) // stride
    return (n, weights[0], h, w) if layout == "NCHW" else (n, h, w, weights[0])


def conv_pads_once(image, weights, stride, padding, layout):
    n, *rest = image
    c, h, w = rest if layout == "NCHW" else (rest[2], rest[0], rest[1])
    h, w = h + padding, w + padding
    if c != weights[1] or h < weights[2] or w < weights[3]:
        raise ValueError
    h, w = (h - weights[2]) // stride + 1, (w - weights[3]) // stride + 1
    return (n, weights[0], h, w) if layout == "NCHW" else (n, h, w, weights[0])


def conv_always_nchw(image, weights, stride, padding, layout):
    n, *rest = image
    c, h, w = rest if layout == "NCHW" else (rest[2], rest[0], rest[1])
    h, w = h + 2 * padding, w + 2 * padding
    if c != weights[1] or h < weights[2] or w < weights[3]:
        raise ValueError
    return n, weights[0], (h - weights[2]) // stride + 1, (w - weights[3]) // stride + 1


NAMED = {
    ("evaluate", "evaluates in the order of the dict"): in_dict_order,
    ("evaluate", "operands swapped"): swapped,
    ("evaluate_once", "naive recursion"): recursive,
    ("evaluate_deep", "naive recursion"): recursive,
    ("broadcast_shape", "aligned from the left"): left_aligned,
    ("broadcast_shape", "the larger size wins"): takes_larger,
    ("broadcast_shape", "cut to the shorter shape"): zips,
    ("matmul_shape", "second matrix transposed"): transposed_weights,
    ("reduce_shape", "axes removed one after the other"): deletes_one_by_one,
    ("reduce_shape", "keepdims ignored"): keeps_nothing,
    ("reshape_shape", "the wanted shape is given back"): leaves_minus_one,
    ("reshape_shape", "a size that is a float"): floats,
    ("parameters", "biases forgotten"): no_biases,
    ("matmul_flops", "a multiply-add counted once"): single_flops,
    ("mended_backward", "missing accumulation"): replaces,
    ("mended_backward", "the seed is ignored"): starts_with_one,
    ("mended_backward", "upstream gradient ignored"): upstream_of_one,
    ("mended_backward", "walks forward"): goes_forward,
    ("to_dot", "arrows reversed"): backward_arrows,
    ("to_dot", "twin arrows lost"): one_arrow_for_twins,
    ("to_dot", "shape of the reader"): shape_of_reader,
    ("conv_shape", "rounded up"): conv_rounds_up,
    ("conv_shape", "1 added before the division"): conv_plus_one_inside,
    ("conv_shape", "padding on one side"): conv_pads_once,
    ("conv_shape", "the result in the other layout"): conv_always_nchw,
}
