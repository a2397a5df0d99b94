"""One worker, talked to over a socket, in a process of its own as always."""

import time

import pytest


@pytest.fixture
def worker(sandbox):
    made = sandbox.fork()
    yield made
    made.end()


def ask(worker, **request):
    worker.channel.send(request)
    return worker.channel.receive(time.monotonic() + 10)[0]


def cell(worker, source, name="a", given=False):
    return ask(worker, do="cell", id=name, source=source, seed=3, given=given)


def get(worker, name):
    return ask(worker, do="get", name=name)


def call(worker, of, *arguments, watch=()):
    return ask(worker, do="call", of=of, arguments=list(arguments), named={}, watch=list(watch))


def test_cells_share_their_names(worker):
    assert cell(worker, "a = 2") == {"value": None}
    assert cell(worker, "print(a + 1)")["printed"] == "3\n"
    assert get(worker, "a") == {"value": 2}


def test_an_unknown_name_is_a_name_error(worker):
    assert get(worker, "nothing")["error"]["bases"][0] == "NameError"


def test_calls_by_number(worker):
    cell(worker, "def f(a, b): return a + [b]")
    handle = get(worker, "f")["value"]["handle"]
    assert call(worker, handle["at"], [1], 2)["value"] == [1, 2]


def test_changed_arguments_are_told_when_asked_for(worker):
    cell(worker, "def f(a, b): a.append(3); return a")
    number = get(worker, "f")["value"]["handle"]["at"]
    answer = call(worker, number, [1], [2], watch=[0, 1])
    assert answer["changed"] == [[0, [1, 3]]]
    assert answer["value"] == {"argument": 0}
    assert "changed" not in call(worker, number, [1], [2])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a.sort(); return a", [1, 2]),
        ("a.sort(); return a, 5", {"tuple": [[1, 2], 5]}),
        ("a.sort(); return {'a': [a]}", {"names": {"a": [[1, 2]]}}),
        ("return a", {"argument": 0}),
        ("b.append(3); return a", {"argument": 0}),
        ("a.sort(); return b", {"argument": 1}),
        ("a.sort(); a.reverse(); return a", {"argument": 0}),
    ],
)
def test_a_changed_argument_comes_back_as_it_is_now(worker, text, value):
    cell(worker, f"def f(a, b): {text}")
    number = get(worker, "f")["value"]["handle"]["at"]
    assert call(worker, number, [2, 1], [2])["value"] == value


def test_a_callback_asks_outside(worker):
    cell(worker, "def f(g): return g(4) + 1")
    number = get(worker, "f")["value"]["handle"]["at"]
    asked = call(worker, number, {"callback": [0, "g"]})
    assert (asked["callback"], asked["arguments"]) == (0, [4])
    assert ask(worker, **{"return": 10})["value"] == 11
    call(worker, number, {"callback": [0, "g"]})
    assert ask(worker, **{"raise": "KeyError", "text": "k"})["error"]["type"] == "KeyError"


def test_functions_of_python_come_by_name(worker):
    cell(worker, "def f(g): return g([3, 1])")
    number = get(worker, "f")["value"]["handle"]["at"]
    assert call(worker, number, {"function": ["builtins", "max"]})["value"] == 3
    assert "refused" in call(worker, number, {"function": ["os", "system"]})


def test_what_the_assignment_gives_comes_back_when_deleted(worker):
    cell(worker, "limit = 5", given=True)
    cell(worker, "del limit")
    assert get(worker, "limit") == {"value": 5}


def test_a_notebooks_own_names_are_there(worker):
    answer = cell(worker, "display(1)\nget_ipython().run_line_magic('x', '')\nprint([input('? ')])")
    assert answer["printed"] == "['']\n"


def test_random_numbers_begin_the_same_in_each_cell(worker):
    source = "import random\nimport numpy as np\nprint(random.random(), np.random.random())"
    assert cell(worker, source)["printed"] == cell(worker, source)["printed"]


def test_a_changed_limit_of_recursion_is_told_once(worker):
    assert cell(worker, "import sys\nsys.setrecursionlimit(5000)")["depth"] is True
    assert "depth" not in cell(worker, "pass")


def test_each_call_begins_with_the_usual_limit_of_recursion(worker):
    cell(worker, "import sys\nsys.setrecursionlimit(5000)\nlimit = sys.getrecursionlimit")
    cell(worker, "def f(): return limit()")
    number = get(worker, "f")["value"]["handle"]["at"]
    assert call(worker, number)["value"] < 5000


@pytest.mark.parametrize("request_", [{"do": "nothing"}, {}, {"do": "get"}, {"do": "call"}])
def test_orders_that_are_none_are_answered(worker, request_):
    assert "error" in ask(worker, **request_)
    assert cell(worker, "a = 1") == {"value": None}
