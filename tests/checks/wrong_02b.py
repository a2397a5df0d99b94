"""Wrong answers to parts A and B of notebook 02b, each under the name it must be called by.

`NAMED` maps (check, name of the mistake) to the answer. They are written as students write them,
without a look at the mistaken algorithms in cgkit.checks, so that recognizing them is a test.
"""

SOURCES = ("placeholder", "constant", "variable")


# needed


def all_operators(graph, fetches, feeds):
    return {name for name in graph if graph[name][0] not in SOURCES and name not in feeds}


def fed_too(graph, fetches, feeds):
    found = set()
    todo = list(fetches)
    while todo:
        name = todo.pop()
        if graph[name][0] not in SOURCES and name not in found:
            found.add(name)
            todo += graph[name][1:]
    return found


def beyond_fed(graph, fetches, feeds):
    return fed_too(graph, fetches, feeds) - feeds.keys()


def with_sources(graph, fetches, feeds):
    found = set()
    todo = list(fetches)
    while todo:
        name = todo.pop()
        if name in feeds or name in found:
            continue
        found.add(name)
        if graph[name][0] not in SOURCES:
            todo += graph[name][1:]
    return found


def operands_only(graph, fetches, feeds):
    return right_needed(graph, fetches, feeds) - set(fetches)


def near(graph, fetches, feeds):
    names = set(fetches)
    for name in fetches:
        if graph[name][0] not in SOURCES and name not in feeds:
            names |= set(graph[name][1:])
    return {n for n in names if graph[n][0] not in SOURCES and n not in feeds}


def recursive_needed(graph, fetches, feeds):
    found = set()

    def visit(name):
        if name not in feeds and name not in found and graph[name][0] not in SOURCES:
            found.add(name)
            for operand in graph[name][1:]:
                visit(operand)

    for name in fetches:
        visit(name)
    return found


def right_needed(graph, fetches, feeds):
    above = {name: node for name, node in graph.items() if name not in feeds}
    return with_sources(above, fetches, feeds) - {n for n in graph if graph[n][0] in SOURCES}


# run


def compute(graph, names, feeds, operators):
    values = dict(feeds)

    def value(name):
        if name not in values:
            kind, *rest = graph[name]
            if kind == "constant":
                values[name] = rest[0]
            else:
                values[name] = operators[kind](*[value(one) for one in rest])
        return values[name]

    return {name: value(name) for name in names}


def recursive(is_fed):
    def run(graph, fetches, feeds, operators):
        kind, *rest = graph[fetches]
        if is_fed(fetches, kind, feeds):
            return feeds[fetches]
        if kind == "constant":
            return rest[0]
        return operators[kind](*[run(graph, one, feeds, operators) for one in rest])

    return run


kind_first = recursive(lambda name, kind, feeds: kind == "placeholder")
falsy = recursive(lambda name, kind, feeds: feeds.get(name) or kind == "placeholder")
again_and_again = recursive(lambda name, kind, feeds: name in feeds)


def in_order(graph, fetches, feeds, operators):
    values = {}
    for name, node in graph.items():
        if name in feeds:
            values[name] = feeds[name]
        elif node[0] == "constant":
            values[name] = node[1]
        elif node[0] == "placeholder":
            values[name] = feeds[name]
        else:
            values[name] = operators[node[0]](*[values[one] for one in node[1:]])
    return values[fetches]


KEPT = {}


def keeps(graph, fetches, feeds, operators):
    KEPT.update(feeds)

    def value(name):
        if name not in KEPT:
            kind, *rest = graph[name]
            KEPT[name] = rest[0] if kind == "constant" else operators[kind](*map(value, rest))
        return KEPT[name]

    return value(fetches)


def everything(graph, fetches, feeds, operators):
    values = dict(feeds)
    while fetches not in values or len(values) < len(graph):
        before = len(values)
        for name, (kind, *rest) in graph.items():
            if name in values:
                continue
            if kind == "constant":
                values[name] = rest[0]
            elif kind != "placeholder" and all(one in values for one in rest):
                values[name] = operators[kind](*[values[one] for one in rest])
        if len(values) == before:
            break
    return values[fetches]


def constants_first(graph, fetches, feeds, operators):
    fed = {name: value for name, value in feeds.items() if graph[name][0] != "constant"}
    return compute(graph, [fetches], fed, operators)[fetches]


def deep_no_more(graph, fetches, feeds, operators):
    return compute(graph, [fetches], feeds, operators)[fetches]


def fills_feeds(graph, fetches, feeds, operators):
    if fetches not in feeds:
        kind, *rest = graph[fetches]
        if kind == "constant":
            feeds[fetches] = rest[0]
        else:
            values = [fills_feeds(graph, one, feeds, operators) for one in rest]
            feeds[fetches] = operators[kind](*values)
    return feeds[fetches]


# nests


def names_in(nest):
    if isinstance(nest, str):
        return [nest]
    parts = nest.values() if isinstance(nest, dict) else nest
    return [name for part in parts for name in names_in(part)]


def flat(graph, fetches, feeds, operators):
    values = compute(graph, names_in(fetches), feeds, operators)
    if isinstance(fetches, str):
        return values[fetches]
    return [values[name] for name in names_in(fetches)]


def by_name(graph, fetches, feeds, operators):
    values = compute(graph, names_in(fetches), feeds, operators)
    return values[fetches] if isinstance(fetches, str) else values


def one_by_one(form):
    def run(graph, fetches, feeds, operators):
        if isinstance(fetches, str):
            return compute(graph, [fetches], feeds, operators)[fetches]
        if isinstance(fetches, dict):
            return {key: run(graph, one, feeds, operators) for key, one in fetches.items()}
        return form(fetches)(run(graph, one, feeds, operators) for one in fetches)

    return run


always_lists = one_by_one(lambda nest: list)
run_for_each = one_by_one(type)


def key_error(graph, fetches, feeds, operators):
    return compute(graph, names_in(fetches), feeds, operators)[names_in(fetches)[0]]


def late(graph, fetches, feeds, operators):
    unknown = [name for name in [*names_in(fetches), *feeds] if name not in graph]
    if unknown:
        raise ValueError(f"no node {unknown}")
    try:
        return compute(graph, names_in(fetches), feeds, operators)
    except TypeError as error:  # an operator without operands: the placeholder
        raise ValueError(str(error)) from None
    except KeyError as error:
        missing = [name for name in graph if graph[name] == ("placeholder",) and name not in feeds]
        raise ValueError(f"not fed: {missing}") from error


# step


def at_once(graph, fetches, feeds, variables, operators):
    state, done = dict(variables), dict(feeds)

    def value(name):
        kind, *rest = graph[name]
        if name in done:
            return done[name]
        if kind == "variable":
            return state[name]
        if kind == "constant":
            return rest[0]
        if kind == "assign":
            state[rest[0]] = done[name] = value(rest[1])
        else:
            done[name] = operators[kind](*[value(one) for one in rest])
        return done[name]

    return [value(name) for name in fetches], state


def good_step(graph, fetches, feeds, variables, operators):
    done, written = {**variables, **feeds}, {}

    def value(name):
        if name not in done:
            kind, *rest = graph[name]
            if kind == "constant":
                done[name] = rest[0]
            elif kind == "assign":
                done[name] = written[rest[0]] = value(rest[1])
            else:
                done[name] = operators[kind](*[value(one) for one in rest])
        return done[name]

    return [value(name) for name in fetches], written


def every_assign(graph, fetches, feeds, variables, operators):
    results, _ = good_step(graph, fetches, feeds, variables, operators)
    assigns = [name for name in graph if graph[name][0] == "assign"]
    _, written = good_step(graph, assigns, feeds, variables, operators)
    return results, variables | written


def only_fetched(graph, fetches, feeds, variables, operators):
    results, after = good_step(graph, fetches, feeds, variables, operators)[0], dict(variables)
    for name, result in zip(fetches, results, strict=True):
        if graph[name][0] == "assign":
            after[graph[name][1]] = result
    return results, after


def forgets_all(graph, fetches, feeds, variables, operators):
    return good_step(graph, fetches, feeds, variables, operators)[0], variables


def changes_variables(graph, fetches, feeds, variables, operators):
    results, written = good_step(graph, fetches, feeds, variables, operators)
    variables.update(written)
    return results, variables


NAMED = {
    ("needed", "runs everything"): all_operators,
    ("needed", "computes a fed node"): fed_too,
    ("needed", "walks on above a fed node"): beyond_fed,
    ("needed", "counts placeholders and constants"): with_sources,
    ("needed", "forgets the fetches themselves"): operands_only,
    ("needed", "one step only"): near,
    ("needed_deep", "naive recursion"): recursive_needed,
    ("run", "ignores what is fed in the middle"): kind_first,
    ("run", "takes a fed 0 for nothing"): falsy,
    ("run", "looks at the kind before it looks into feeds"): constants_first,
    ("run", "runs in the order of the dict"): in_order,
    ("run", "values kept from an earlier run"): keeps,
    ("run_part", "runs more than the ancestors"): everything,
    ("run_part", "naive recursion"): again_and_again,
    ("run_part", "values kept from an earlier run"): keeps,
    ("run_deep", "naive recursion"): deep_no_more,
    ("run_nested", "flat fetches"): flat,
    ("run_nested", "fetches by name"): by_name,
    ("run_nested", "a tuple becomes a list"): always_lists,
    ("run_refuses", "a KeyError in the place of a sentence"): key_error,
    ("step", "writes at once"): at_once,
    ("step", "runs every assign"): every_assign,
    ("step", "writes only what is fetched"): only_fetched,
    ("step", "nothing is kept"): forgets_all,
    ("step", "gives only what was written"): good_step,
}
"""Those that get nothing."""

HALF = {
    ("run_nested", "a run for each fetch", 3): run_for_each,
    ("run_refuses", "computes before it refuses", 2): late,
}
"""Those that get a part of the points, and the name of what is left."""
