"""Wrong answers to parts C and D of notebook 02b, each under the name it must be called by.

`NAMED`, `HALF` and how these are written: as in wrong_02b.py.
"""


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
    ("trace", "a name that was taken"): takes_names,
    ("trace", "a number in the place of a name"): numbers_inside,
    ("trace", "runs the program again"): twice,
    ("trace", "a value recorded twice"): unshared,
    ("mended_training", "logits and labels swapped"): TRAINING,
}

HALF = {
    ("mended_training", "a loss for each example", 1.5): TURNED | {"loss": TURNED["each"]},
    ("mended_training", "the sum in place of the mean", 1.5): TURNED | {"loss": ("sum", "each")},
    ("mended_training", "logits and labels swapped", 1.5): TRAINING
    | {"each": TRAINING["loss"], "loss": ("mean", "each")},
    ("trace_facts", "a trace looks globals up again", 1.5): FACTS | {"later": 53},
    ("trace_facts", "a loop is recorded once", 1.5): FACTS | {"operators": 2},
}
