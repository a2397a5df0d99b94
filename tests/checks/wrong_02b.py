"""Wrong answers to notebook 02b as students write them, each under the name it must be called by.

`NAMED` maps (check, name of the mistake) to the answer. They are written without a look at the
mistaken algorithms in cgkit.checks, so that recognizing them is a test.
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


# trace


def numbered(program, inputs, *, first=0, constants=True, again=False):
    graph = dict.fromkeys(inputs, ("placeholder",))
    count = [first]

    def put(node):
        count[0] += 1
        graph[f"v{count[0]}"] = node
        return f"v{count[0]}"

    def operand(value):
        return put(("constant", value)) if constants and not isinstance(value, str) else value

    def apply(kind, *operands):
        return put((kind, *map(operand, operands)))

    found = program(apply, *inputs)
    if again:
        found = program(apply, *inputs)
    return graph, operand(found)


def takes_names(program, inputs):
    return numbered(program, inputs)


def numbers_inside(program, inputs):
    return numbered(program, inputs, first=100, constants=False)


def twice(program, inputs):
    return numbered(program, inputs, first=100, again=True)


def unshared(program, inputs):
    """Copies what an operand is made of, each time it is read."""
    graph = dict.fromkeys(inputs, ("placeholder",))

    def put(node):
        graph[f"new{len(graph)}"] = node
        return list(graph)[-1]

    def copy(name):
        node = graph[name]
        if node[0] in ("placeholder", "constant"):
            return name
        return put((node[0], *map(copy, node[1:])))

    def named(value):
        return copy(value) if isinstance(value, str) else put(("constant", value))

    output = program(lambda kind, *rest: put((kind, *map(named, rest))), *inputs)
    return graph, named(output)


TRAINING = {
    "images": ("placeholder",),
    "labels": ("placeholder",),
    "W": ("variable",),
    "logits": ("matmul", "images", "W"),
    "loss": ("softmax_cross_entropy", "labels", "logits"),
}
FACTS = {"python_ran": 1, "operators": 4, "later": 23, "retraced": 53}
TURNED = {**TRAINING, "each": ("softmax_cross_entropy", "logits", "labels")}


NAMED = {
    ("needed", "runs everything"): all_operators,
    ("needed", "computes a fed node"): fed_too,
    ("needed", "walks on above a fed node"): beyond_fed,
    ("needed", "counts placeholders and constants"): with_sources,
    ("needed", "forgets the fetches themselves"): operands_only,
    ("needed", "one step only"): near,
    ("run", "ignores what is fed in the middle"): kind_first,
    ("run", "takes a fed 0 for nothing"): falsy,
    ("run", "runs in the order of the dict"): in_order,
    ("run", "values kept from an earlier run"): keeps,
    ("run_part", "runs more than the ancestors"): everything,
    ("run_part", "naive recursion"): again_and_again,
    ("run_nested", "flat fetches"): flat,
    ("run_nested", "fetches by name"): by_name,
    ("run_nested", "a tuple becomes a list"): always_lists,
    ("run_refuses", "a KeyError in the place of a sentence"): key_error,
    ("step", "writes at once"): at_once,
    ("step", "runs every assign"): every_assign,
    ("step", "writes only what is fetched"): only_fetched,
    ("step", "nothing is kept"): forgets_all,
    ("step", "gives only what was written"): good_step,
    ("trace", "a name that was taken"): takes_names,
    ("trace", "a number in the place of a name"): numbers_inside,
    ("trace", "runs the program again"): twice,
    ("trace", "a value recorded twice"): unshared,
    ("mended_training", "logits and labels swapped"): TRAINING,
}
"""Those that get nothing."""

HALF = {
    ("needed", "naive recursion", 3): recursive_needed,
    ("run_part", "naive recursion", 2): deep_no_more,
    ("run_nested", "a run for each fetch", 3): run_for_each,
    ("run_refuses", "computes before it refuses", 2): late,
    ("mended_training", "a loss for each example", 1.5): TURNED | {"loss": TURNED["each"]},
    ("mended_training", "the sum in place of the mean", 1.5): TURNED | {"loss": ("sum", "each")},
    ("mended_training", "logits and labels swapped", 1.5): TRAINING
    | {"each": TRAINING["loss"], "loss": ("mean", "each")},
    ("trace_facts", "a trace looks globals up again", 1.5): FACTS | {"later": 53},
    ("trace_facts", "a loop is recorded once", 1.5): FACTS | {"operators": 2},
}
"""Those that get a part of the points, and the name of what is left."""
