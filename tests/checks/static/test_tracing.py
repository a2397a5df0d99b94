import pytest

from cgkit.checks import search
from cgkit.checks.static import tracing
from cgkit.checks.static.tracing import Program

STEPS = (("multiply", (0, 0)), ("subtract", (2, (5.0,))), ("add", (3, 1)))
SQUARES = Program(("x", "v1"), STEPS, 4)


def test_a_program_runs_and_can_be_read():
    assert SQUARES.run(lambda kind, *of: tracing.OPERATORS[kind](*of), 3, 10) == 3 * 3 - 5 + 10
    assert SQUARES.text().splitlines() == [
        "def program(apply, x, v1):",
        "    a = apply('multiply', x, x)",
        "    b = apply('subtract', a, 5.0)",
        "    c = apply('add', b, v1)",
        "    return c",
    ]
    assert Program(("0",), (), (2.5,)).text() == "def program(apply, in0):\n    return 2.5"


def test_programs_hold_all_that_tells_mistakes_apart():
    found = []
    search.smallest(tracing.programs(), lambda one: bool(found.append(one)), seed=2, tries=120)
    held = [[one for _, of in case.steps for one in of if type(one) is tuple] for case in found]
    whole = [any(type(number) is int for (number,) in numbers) for numbers in held]
    other = [any(type(number) is float for (number,) in numbers) for numbers in held]
    inputs = [type(case.result) is int and case.result < len(case.inputs) for case in found]
    plain = [type(case.result) is tuple for case in found]
    taken = [any(name[0] in "vn" for name in case.inputs) for case in found]
    assert min(map(sum, (whole, other, inputs, plain, taken))) > 8


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x": ("placeholder",)}, "a tuple of two"),
        (({"x": ("placeholder",)}, "x", 1), "a tuple of two"),
        (([], "x"), "A graph is a dict"),
        (({}, "x"), "The input 'x' has no node"),
        (({"x": ("placeholder",)}, "y"), "should be the name of a node"),
        (({"x": ("placeholder",)}, 2.0), "should be the name of a node"),
        (({"x": ("constant", 1.0)}, "x"), "its node was replaced"),
        (({"x": ("placeholder",), "a": ("negate", "x")}, "a"), "your graph gives -2"),
    ],
)
def test_what_is_wrong_with_a_trace(given, words):
    fault = tracing._verdict(given, Program(("x",), (), 0), runs=1, applied=1)
    assert words in fault.why
    assert tracing._verdict(({"x": ("placeholder",)}, "x"), Program(("x",), (), 0), 1, 0) is None


def test_computing_is_no_tracing(failure):
    def eager(program, inputs):
        return {}, program(lambda kind, *of: tracing.OPERATORS[kind](*of), *map(float, inputs))

    assert failure(tracing.trace, eager).stage == "type"


def test_a_program_is_always_called_program(answers_02b):
    names = set()

    def look(program, inputs):
        names.add(program.__name__)
        return answers_02b.trace(program, inputs)

    assert tracing.trace(look).points == 5
    assert names == {"program"}


def test_facts_are_what_python_says():
    """The four numbers, by running the text of the task with a tracer of the simplest kind."""
    state = {"ran": 0, "scale": 2.0}

    def program(apply, x):
        state["ran"] += 1
        y = apply("multiply", x, state["scale"])
        for _ in range(3):
            y = apply("add", y, 1.0)
        return y

    def recorded():
        tape = []

        def apply(kind, operand, number):
            tape.append((kind, number))
            return operand

        program(apply, None)
        return tape

    def replayed(tape, x):
        for kind, number in tape:
            x = tracing.OPERATORS[kind](x, number)
        return x

    tape = recorded()
    for _ in range(100):
        replayed(tape, 10.0)
    ran = state["ran"]
    state["scale"] = 5.0
    facts = {
        "python_ran": ran,
        "operators": len(tape),
        "later": replayed(tape, 10.0),
        "retraced": replayed(recorded(), 10.0),
    }
    assert facts == tracing._RIGHT
    assert tracing.trace_facts(facts).points == 2


@pytest.mark.parametrize(
    ("answers", "points", "words"),
    [
        ({"python_ran": 101, "operators": 4, "later": 23, "retraced": 53}, 1.5, "Python runs each"),
        ({"python_ran": 1, "operators": 4}, 1, "There is no later in it"),
        ({"python_ran": 1, "operators": 4, "later": "23", "retraced": True}, 1, "later: '23'"),
    ],
)
def test_each_fact_counts(answers, points, words):
    score = tracing.trace_facts(answers)
    assert score.points == points
    assert words in " ".join(score.missing.split())


def test_no_facts_at_all(failure):
    assert failure(tracing.trace_facts, [1, 4, 23, 53]).stage == "type"
    assert failure(tracing.trace_facts, {"ran": 1}).stage == "values"


def test_a_whole_number_is_a_number_too(failure):
    def floats_only(program, inputs):
        graph = dict.fromkeys(inputs, ("placeholder",))

        def put(*node):
            graph[f"_{len(graph)}"] = node
            return f"_{len(graph) - 1}"

        def named(value):
            return put("constant", value) if isinstance(value, float) else value

        output = program(lambda kind, *of: put(kind, *map(named, of)), *inputs)
        return graph, named(output)

    failed = failure(tracing.trace, floats_only)
    assert failed.misconception == "a number in the place of a name"


class Named:
    """What a student may hand on in the place of a name."""

    def __init__(self, name):
        self.name = name


@pytest.mark.parametrize(
    ("handed", "given", "words"),
    [
        (Named, Named, "The program was handed an object of class Named"),
        (str, Named, "Your apply gave an object of class Named"),
        (str, lambda name: None, "Your apply gave None"),
    ],
)
def test_names_are_texts_as_the_task_says(failure, handed, given, words):
    def trace(program, inputs):
        graph = dict.fromkeys(inputs, ("placeholder",))

        def text(value):
            return put("constant", value) if type(value) in (int, float) else read(value)

        def put(*node):
            graph[f"_{len(graph)}"] = node
            return f"_{len(graph) - 1}"

        def read(value):
            return getattr(value, "name", value)

        def apply(kind, *operands):
            return given(put(kind, *map(text, operands)))

        return graph, text(program(apply, *map(handed, inputs)))

    failed = failure(tracing.trace, trace)
    assert words in " ".join(failed.why.split())
    assert "def program(apply, x" in failed.drawing
