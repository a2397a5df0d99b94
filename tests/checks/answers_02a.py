"""Right answers to notebook 02a, written another way than in solutions/."""

import numpy as np


def matmul_rule(upstream, a, b):
    return np.einsum("ij,kj->ik", upstream, b), np.einsum("ik,ij->kj", a, upstream)


def sum_rule(upstream, a, axis, keepdims):
    axes = range(a.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    sizes = list(a.shape)
    for place in axes:
        sizes[place] = 1
    return (np.zeros(a.shape) + np.reshape(upstream, sizes),)


def take_rule(upstream, a, index):
    gradient = np.zeros(a.shape)
    for place, share in zip(index, upstream, strict=True):
        gradient[place] = gradient[place] + share
    return (gradient,)


kept = {
    "add": set(),
    "multiply": ("a", "b"),
    "exp": "result",
    "matmul": ["b", "a"],
    "relu": {"a"},
    "sum": None or (),
}


def unbroadcast(gradient, shape):
    while np.ndim(gradient) > len(shape):
        gradient = gradient.sum(0)
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis, keepdims=True)
    return gradient


def backward_order(graph, output):
    """Depth first, each node put down after all that it reads; then turned around."""
    done, seen, stack = [], set(), [(output, iter(graph[output][1:]))]
    while stack:
        name, operands = stack[-1]
        for operand in operands:
            if operand not in seen:
                seen.add(operand)
                stack.append((operand, iter(graph[operand][1:])))
                break
        else:
            done.append(name)
            stack.pop()
    return done[::-1]


def backward(graph, values, order, seed, rules, unbroadcast):
    heard = {name: [] for name in order}
    heard[order[0]].append(seed)
    gradients = {}
    for name in order:
        first, *more = heard[name]
        for share in more:
            first = first + share
        gradients[name] = first
        kind, *operands = graph[name]
        if kind != "leaf":
            shares = rules[kind](first, *[values[one] for one in operands])
            for one, share in zip(operands, shares, strict=True):
                heard[one].append(unbroadcast(share, np.shape(values[one])))
    return gradients


def accumulate(kept, fresh):
    result = {}
    for name in kept:
        terms = [one for one in (kept[name], fresh.get(name)) if one is not None]
        result[name] = np.add(*terms) if len(terms) == 2 else terms[0] if terms else None
    return result


both_ways_drawing = """digraph {
    x -> plus; y -> plus; plus -> times; y -> times; times -> z
    plus [label="+"]; times [label="*"]
    m [label="g * y"]; n [label="g * s"]
    g -> m; y -> m; g -> n; plus -> n
    m -> dx; m -> total; n -> total; total [label="dy = +"]
}"""


def mended_leaves(graph, marked):
    recorded = set()
    for name, (_, *operands) in graph.items():
        if any(one in marked or one in recorded for one in operands):
            recorded.add(name)
    return set(graph) - recorded


def backward_graph(graph, output, seed):
    larger, heard = {**graph, seed: ("leaf",)}, {output: [seed]}

    def write(*node):
        number = len(larger)
        while f"t{number}" in larger:
            number += 1
        larger[f"t{number}"] = node
        return f"t{number}"

    gradients = {}
    for name in backward_order(graph, output):
        total, *more = heard[name]
        for share in more:
            total = write("add", total, share)
        gradients[name] = total
        kind, *operands = graph[name]
        if kind == "multiply":
            shares = [write("multiply", total, one) for one in operands[::-1]]
        elif kind == "negate":
            shares = [write("negate", total)]
        else:
            shares = [total] * len(operands)
        for operand, share in zip(operands, shares, strict=True):
            heard.setdefault(operand, []).append(share)
    return larger, gradients


def gradient_test(function, rule):
    """Hold the rule against a quotient of differences, number by number."""
    draw = np.random.default_rng(5)

    def numbers(shape):
        return draw.uniform(0.5, 2, shape) * draw.choice([-1.0, 1.0], shape)

    for one, other in [
        ((), ()),
        ((2, 3), (3,)),
        ((2, 1), (2, 3)),
        ((3, 3), (3, 3)),
        ((3,), (2, 3)),
    ]:
        operands = [numbers(one), numbers(other)]
        upstream = numbers(np.shape(function(*operands)))
        shares = rule(upstream, *operands)
        for at in (0, 1):
            assert np.shape(shares[at]) == np.shape(operands[at])
            for place in np.ndindex(operands[at].shape):
                step = np.zeros(operands[at].shape)
                step[place] = 1e-5
                up = [value + step * (at == n) for n, value in enumerate(operands)]
                down = [value - step * (at == n) for n, value in enumerate(operands)]
                slope = np.sum(upstream * (function(*up) - function(*down))) / 2e-5
                assert abs(slope - np.asarray(shares[at])[place]) < 1e-4
