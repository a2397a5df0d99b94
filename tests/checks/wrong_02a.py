"""Wrong answers to notebook 02a as students write them, each under the name it must be called by.

`NAMED` maps (check, name of the mistake) to the answer. They are written without a look at the
mistaken algorithms in cgkit.checks, so that recognizing them is a test.
"""

import numpy as np


def not_transposed(upstream, a, b):
    return np.dot(upstream, b), np.dot(a, upstream)


def sides_exchanged(upstream, a, b):
    return np.transpose(b) @ upstream, upstream @ np.transpose(a)


def b_comes_first(upstream, a, b):
    gradient_a = upstream @ b.T
    gradient_b = a.T @ upstream
    return gradient_b, gradient_a


def rule_of_products(upstream, a, b):
    return b * upstream, a * upstream


def ones_upstream(upstream, a, b):
    ones = np.ones((a.shape[0], b.shape[1]))
    return ones @ b.T, a.T @ ones


def sum_passes_on(upstream, a, axis, keepdims):
    return (upstream,)


def sum_stretches_from_the_right(upstream, a, axis, keepdims):
    return (upstream * np.ones(a.shape),)


def sum_of_ones(upstream, a, axis, keepdims):
    return (np.full(a.shape, 1.0),)


def sum_as_mean(upstream, a, axis, keepdims):
    if not keepdims and axis is not None:
        for at in sorted({at % a.ndim for at in np.atleast_1d(np.array(axis, dtype=int))}):
            upstream = np.expand_dims(upstream, at)
    wide = np.zeros(a.shape) + upstream
    many = a.size / max(1, np.size(upstream))
    return (wide / many if many else wide,)


def take_writes(upstream, a, index):
    gradient = np.zeros(a.shape)
    gradient[index] = upstream
    return (gradient,)


def take_adds_without_repeats(upstream, a, index):
    gradient = a * 0
    gradient[index] = gradient[index] + upstream
    return (gradient,)


def take_indexes(upstream, a, index):
    return (upstream[index],)


def take_counts(upstream, a, index):
    gradient = np.zeros_like(a)
    for place in index:
        gradient[place] += 1
    return (gradient,)


def nothing_undone(gradient, shape):
    return gradient + 0


def leading_axes(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    return gradient


def ones_only(gradient, shape):
    offset = gradient.ndim - len(shape)
    for place, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis=offset + place, keepdims=True)
    return gradient


def ones_vanish(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    places = [at for at, size in enumerate(shape) if size == 1 and gradient.shape[at] != 1]
    return gradient.sum(axis=tuple(places))


def keeps_every_axis(gradient, shape):
    filled = (1,) * (gradient.ndim - len(shape)) + shape
    places = [at for at, size in enumerate(filled) if at < gradient.ndim - len(shape) or size == 1]
    return gradient.sum(axis=tuple(places), keepdims=True)


def means(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient.mean(axis=0) if len(gradient) else gradient.sum(axis=0)
    for place, size in enumerate(shape):
        if size == 1 and gradient.shape[place] != 1:
            many = gradient.shape[place]
            gradient = gradient.sum(axis=place, keepdims=True) / (many or 1)
    return gradient


def first_copies(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient[0]
    for place, size in enumerate(shape):
        if size == 1 and gradient.shape[place] != 1:
            gradient = gradient.take([0], axis=place)
    return gradient


def reshapes(gradient, shape):
    return gradient.reshape(shape)


def sums_all(gradient, shape):
    if gradient.shape == shape:
        return gradient
    return np.zeros(shape) + gradient.sum()


def preorder(graph, output):
    found = []

    def visit(name):
        if name in found:
            return
        found.append(name)
        for operand in graph[name][1:]:
            visit(operand)

    visit(output)
    return found


def breadth_first(graph, output):
    queue, found = [output], []
    while queue:
        name = queue.pop(0)
        if name in found:
            continue
        found.append(name)
        queue += graph[name][1:]
    return found


def each_path(graph, output):
    found = [output]
    for operand in graph[output][1:]:
        found += each_path(graph, operand)
    return found


def turned_dict(graph, output):
    return list(graph)[::-1]


def forward(graph, output):
    """Depth first, and not turned around at the end."""
    found, stack = [], [output]
    while stack:
        name = stack[-1]
        waiting = [one for one in graph[name][1:] if one not in found]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if name not in found:
            found.append(name)
    return found


def with_strangers(graph, output):
    """Kahn over the whole dict, from every node that nobody reads."""
    readers = dict.fromkeys(graph, 0)
    for _, *operands in graph.values():
        for one in operands:
            readers[one] += 1
    ready = [name for name in graph if not readers[name]]
    found = []
    while ready:
        name = ready.pop()
        found.append(name)
        for one in graph[name][1:]:
            readers[one] -= 1
            if not readers[one]:
                ready.append(one)
    return found


def recursive(graph, output):
    found, seen = [], set()

    def visit(name):
        seen.add(name)
        for operand in graph[name][1:]:
            if operand not in seen:
                visit(operand)
        found.append(name)

    visit(output)
    return found[::-1]


def replaces(graph, values, order, seed, rules, unbroadcast):
    gradients = {}
    gradients[order[0]] = seed
    for name in order:
        if graph[name][0] != "leaf":
            operands = graph[name][1:]
            shares = rules[graph[name][0]](gradients[name], *[values[o] for o in operands])
            for i in range(len(operands)):
                gradients[operands[i]] = unbroadcast(shares[i], values[operands[i]].shape)
    return gradients


def adds_in_place(graph, values, order, seed, rules, unbroadcast):
    gradients = {order[0]: seed}
    for name in order:
        kind, *operands = graph[name]
        if kind == "leaf":
            continue
        shares = rules[kind](gradients[name], *[values[o] for o in operands])
        for operand, share in zip(operands, shares, strict=True):
            share = unbroadcast(share, values[operand].shape)
            if operand not in gradients:
                gradients[operand] = share
            else:
                gradients[operand] += share
    return gradients


def leaves_shapes_alone(graph, values, order, seed, rules, unbroadcast):
    gradients = {order[0]: seed}
    for name in order:
        kind, *operands = graph[name]
        if kind == "leaf":
            continue
        shares = rules[kind](gradients[name], *[values[o] for o in operands])
        for operand, share in zip(operands, shares, strict=True):
            gradients[operand] = gradients.get(operand, 0) + share
    return gradients


def starts_with_ones(graph, values, order, seed, rules, unbroadcast):
    gradients = {order[0]: np.ones(seed.shape)}
    for name in order:
        kind, *operands = graph[name]
        if kind == "leaf":
            continue
        shares = rules[kind](gradients[name], *[values[o] for o in operands])
        for operand, share in zip(operands, shares, strict=True):
            fitted = unbroadcast(share, values[operand].shape)
            gradients[operand] = gradients.get(operand, 0) + fitted
    return gradients


def tells_rules_one(graph, values, order, seed, rules, unbroadcast):
    gradients = {order[0]: seed}
    for name in order:
        kind, *operands = graph[name]
        if kind == "leaf":
            continue
        shares = rules[kind](np.ones(np.shape(values[name])), *[values[o] for o in operands])
        for operand, share in zip(operands, shares, strict=True):
            fitted = unbroadcast(share, values[operand].shape)
            gradients[operand] = gradients.get(operand, 0) + fitted
    return gradients


def gives_leaves(graph, values, order, seed, rules, unbroadcast):
    gradients = {order[0]: seed}
    for name in order:
        kind, *operands = graph[name]
        if kind == "leaf":
            continue
        shares = rules[kind](gradients[name], *[values[o] for o in operands])
        for operand, share in zip(operands, shares, strict=True):
            fitted = unbroadcast(share, values[operand].shape)
            gradients[operand] = gradients.get(operand, 0) + fitted
    return {name: value for name, value in gradients.items() if graph[name] == ("leaf",)}


def keeps_fresh(kept, fresh):
    result = dict(kept)
    for name in kept:
        if name in fresh:
            result[name] = fresh[name]
    return result


def keeps_all(kept, fresh):
    result = dict(kept)
    for name in fresh:
        if result.get(name) is None:
            result[name] = fresh[name]
        else:
            result[name] = result[name] + fresh[name]
    return result


def writes_into_kept(kept, fresh):
    for name in kept:
        if name in fresh:
            if kept[name] is None:
                kept[name] = fresh[name]
            else:
                kept[name] += fresh[name]
    return kept


def forgets(kept, fresh):
    result = {}
    for name in kept:
        result[name] = None
        if name in fresh:
            result[name] = fresh[name] if kept[name] is None else kept[name] + fresh[name]
    return result


def the_text_itself(graph, marked):
    needs = set(marked)
    for name, (_, *operands) in graph.items():
        if any(operand in needs for operand in operands):
            needs.add(name)
    return needs


def marked_only(graph, marked):
    return {name for name in graph if name in marked}


def no_operands(graph, marked):
    return {name for name in graph if len(graph[name]) == 1}


NAMED = {
    ("matmul_rule", "factors not transposed"): not_transposed,
    ("matmul_rule", "factors in the wrong order"): sides_exchanged,
    ("matmul_rule", "the two gradients exchanged"): b_comes_first,
    ("matmul_rule", "multiplied element by element"): rule_of_products,
    ("matmul_rule", "upstream gradient ignored"): ones_upstream,
    ("sum_rule", "not stretched"): sum_passes_on,
    ("sum_rule", "the lost axis is not put back"): sum_stretches_from_the_right,
    ("sum_rule", "upstream gradient ignored"): sum_of_ones,
    ("sum_rule", "the rule of mean"): sum_as_mean,
    ("take_rule", "a repeated index counted once"): take_writes,
    ("take_rule", "a repeated index counted once "): take_adds_without_repeats,
    ("take_rule", "indexed a second time"): take_indexes,
    ("take_rule", "upstream gradient ignored"): take_counts,
    ("unbroadcast", "missing un-broadcast"): nothing_undone,
    ("unbroadcast", "only missing axes summed"): leading_axes,
    ("unbroadcast", "only axes of size 1 summed"): ones_only,
    ("unbroadcast", "axes of size 1 vanish"): ones_vanish,
    ("unbroadcast", "all summed axes kept"): keeps_every_axis,
    ("unbroadcast", "the mean instead of the sum"): means,
    ("unbroadcast", "one copy instead of the sum"): first_copies,
    ("unbroadcast", "reshaped instead of summed"): reshapes,
    ("unbroadcast", "summed over everything"): sums_all,
    ("backward_order", "order by first visit"): preorder,
    ("backward_order", "order by first visit "): breadth_first,
    ("backward_order", "once for each path"): each_path,
    ("backward_order", "the order of the dict"): turned_dict,
    ("backward_order", "walks forward"): forward,
    ("backward_order", "nodes that the output does not need"): with_strangers,
    ("backward_order_deep", "naive recursion"): recursive,
    ("backward", "missing accumulation"): replaces,
    ("backward", "in-place += on a shared array"): adds_in_place,
    ("backward", "missing un-broadcast"): leaves_shapes_alone,
    ("backward", "a seed of ones only"): starts_with_ones,
    ("backward", "upstream gradient ignored"): tells_rules_one,
    ("backward", "leaves only"): gives_leaves,
    ("accumulate", "replaced instead of added"): keeps_fresh,
    ("accumulate", "every node kept"): keeps_all,
    ("accumulate", "in-place += on a shared array"): writes_into_kept,
    ("accumulate", "what was not reached is forgotten"): forgets,
    ("mended_leaves", "leaf means requires_grad"): the_text_itself,
    ("mended_leaves", "only what is marked is a leaf"): marked_only,
    ("mended_leaves", "only what was made by hand is a leaf"): no_operands,
}
