"""Wrong answers to parts C to E of notebook 02a, each under the name it must be called by.

`NAMED` maps (check, name of the mistake) to the answer. They are written as students write them,
without a look at the mistaken algorithms in cgkit.checks, so that recognizing them is a test.
"""

import numpy as np


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


def tells_at_once(graph, values, order, seed, rules, unbroadcast):
    gradients = {}

    def tell(name, gradient):
        gradients[name] = gradients.get(name, 0) + gradient
        kind, *operands = graph[name]
        if kind != "leaf":
            shares = rules[kind](gradient, *[values[one] for one in operands])
            for one, share in zip(operands, shares, strict=True):
                tell(one, unbroadcast(share, values[one].shape))

    tell(order[0], seed)
    return gradients


def walks_each_path(graph, values, order, seed, rules, unbroadcast):
    gradients, waiting = {}, [(order[0], seed)]
    for name, gradient in waiting:
        gradients[name] = gradients.get(name, 0) + gradient
        kind, *operands = graph[name]
        if kind != "leaf":
            shares = rules[kind](gradient, *[values[one] for one in operands])
            for one, share in zip(operands, shares, strict=True):
                waiting.append((one, unbroadcast(share, values[one].shape)))
    return gradients


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
    ("backward_deep", "naive recursion"): tells_at_once,
    ("backward_deep", "once for each path"): walks_each_path,
    ("accumulate", "replaced instead of added"): keeps_fresh,
    ("accumulate", "every node kept"): keeps_all,
    ("accumulate", "in-place += on a shared array"): writes_into_kept,
    ("accumulate", "what was not reached is forgotten"): forgets,
    ("mended_leaves", "leaf means requires_grad"): the_text_itself,
    ("mended_leaves", "only what is marked is a leaf"): marked_only,
    ("mended_leaves", "only what was made by hand is a leaf"): no_operands,
}
