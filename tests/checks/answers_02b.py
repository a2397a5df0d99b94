"""Right answers to notebook 02b, written another way than in solutions/."""


def needed(graph, fetches, feeds):
    """Level by level, with a set of what is new."""
    found, level = set(), set(fetches)
    while level:
        level = {
            name
            for name in level - found
            if name not in feeds and graph[name][0] not in ("placeholder", "constant", "variable")
        }
        found |= level
        level = {operand for name in level for operand in graph[name][1:]}
    return found


def run(graph, fetches, feeds, operators):
    """An order first, depth first; then one loop over it."""
    names = []
    walk(fetches, names.append)
    for kind, asked in (("fetched", names), ("fed", feeds)):
        unknown = [name for name in asked if name not in graph]
        if unknown:
            raise ValueError(f"{unknown} cannot be {kind}: no such node")
    order, seen, stack = [], set(), [(name, False) for name in names]
    while stack:
        name, ready = stack.pop()
        if ready:
            order.append(name)
        elif name not in seen and name not in feeds:
            seen.add(name)
            kind, *operands = graph[name]
            if kind in ("placeholder", "variable"):
                raise ValueError("nothing was fed for " + name)
            stack.append((name, True))
            if kind != "constant":
                stack.extend((operand, False) for operand in operands)
    value = dict(feeds.items())
    for name in order:
        kind, *rest = graph[name]
        value[name] = rest[0] if kind == "constant" else operators[kind](*map(value.get, rest))
    return walk(fetches, value.get)


def walk(nest, act):
    if isinstance(nest, str):
        return act(nest)
    if isinstance(nest, dict):
        return dict(zip(nest, [walk(part, act) for part in nest.values()], strict=True))
    parts = [walk(part, act) for part in nest]
    return tuple(parts) if isinstance(nest, tuple) else parts


def step(graph, fetches, feeds, variables, operators):
    """Take assigns out of the graph: who reads one reads what it would write."""

    def target(name):
        while graph[name][0] == "assign" and name not in feeds:
            name = graph[name][2]
        return name

    plain = {
        name: node if node[0] == "constant" else (node[0], *map(target, node[1:]))
        for name, node in graph.items()
        if node[0] != "assign"
    }
    known = variables | feeds
    results = run(plain, [target(name) for name in fetches], known, operators)
    after = dict(variables)
    for name in needed(graph, fetches, known):
        if graph[name][0] == "assign":
            after[graph[name][1]] = run(plain, target(name), known, operators)
    return results, after


def trace(program, inputs):
    """Constants shared, and names that no input has because they are longer."""
    graph = dict.fromkeys(inputs, ("placeholder",))
    longest = max(map(len, inputs), default=0)

    def place(node):
        graph["_" * longest + str(len(graph))] = node
        return list(graph)[-1]

    def constant(value):
        known = [name for name, node in graph.items() if node == ("constant", value)]
        return known[0] if known else place(("constant", value))

    def read(value):
        return value if type(value) is str else constant(value)

    result = program(lambda kind, *rest: place((kind, *[read(one) for one in rest])), *inputs)
    return graph, read(result)


trace_facts = {"python_ran": 1.0, "operators": 4, "later": 23.0, "retraced": 53}

mended_training = {
    "loss": ("mean", "each"),
    "each": ("softmax_cross_entropy", "scores", "labels"),
    "scores": ("matmul", "images", "W"),
    "labels": ("placeholder",),
    "W": ("variable",),
    "images": ("placeholder",),
}


def guard_key(arguments):
    if hasattr(arguments, "dtype"):
        sizes = "".join("01n"[min(size, 2)] for size in arguments.shape)
        return f"{arguments.dtype}[{sizes}]"
    if isinstance(arguments, dict):
        return tuple((name, guard_key(one)) for name, one in arguments.items())
    if isinstance(arguments, list | tuple):
        return (type(arguments) is tuple, len(arguments), *map(guard_key, arguments))
    return f"{type(arguments)} {arguments!r}"
