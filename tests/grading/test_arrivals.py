"""Where an object could hide that looks like every right answer."""

import time
from dataclasses import dataclass

import pytest

from cgkit.grading.arrivals import Met, look_inside, taken
from cgkit.grading.classes import Given
from cgkit.grading.link import Link
from cgkit.grading.outcomes import StudentError
from cgkit.grading.policy import Learner, Policy

NODE = "from dataclasses import dataclass\n@dataclass\nclass Node:\n    reads: object\n"
NODE += "class Oops(Exception):\n    def __init__(self, what): self.what = what\n"


@dataclass
class Node:
    """The outside part of a class that a given cell defines."""

    reads: object


class Oops(Exception):
    """The same, of an exception."""


Node.__module__ = Oops.__module__ = "__main__"


def link_to(sandbox, code, policy):
    given = Given()
    given.learn({"Node": Node, "Oops": Oops}, ["Node", "Oops"])
    made = Link(sandbox, policy, given)
    made.run("given", NODE, 1, given=True)
    made.run("a", code, 1)
    made.deadline = time.monotonic() + 5
    return made


# an honest answer, a cheat, and a test that compares what they give with each other only
RISING = (
    "class Rising:\n    at = 0\n"
    "    def index(self, item):\n        Rising.at += 1\n        return Rising.at\n"
    "    def __lt__(self, other): return True\n"
    "    def __eq__(self, other): return True\n"
)


def _changed(link):
    given = [3, 1]
    link.get("f")(given)
    assert given[0] < given[1]


def _told(link):
    log = []
    link.get("f")(log.append)
    assert log[0] < log[1]


def _attribute(link):
    items = link.get("F")().items
    assert items.index("a") < items.index("b")


def _item(link):
    items = link.get("F")()[0]
    assert items.index("a") < items.index("b")


def _field(link):
    reads = link.get("f")().reads
    assert reads.index("a") < reads.index("b")


def _renewed(link):
    node = Node([])
    link.get("f")(node)
    assert node.reads.index("a") < node.reads.index("b")


def _error(link):
    with pytest.raises(Oops) as caught:
        link.get("f")()
    assert caught.value.what.index("a") < caught.value.what.index("b")


HIDDEN = {
    "within a list": (
        "def f(n): return [n]",
        "def f(n): return [Rising()]",
        lambda link: link.get("f")(1) < link.get("f")(2),
    ),
    "within a name": ("f = [1, 2]", "f = [Rising(), Rising()]", lambda link: sorted(link.get("f"))),
    "in an argument": (
        "def f(items): items.sort()",
        "def f(items): items[:] = [Rising(), Rising()]",
        _changed,
    ),
    "handed to a callback": (
        "def f(tell):\n    tell(1)\n    tell(2)",
        "def f(tell):\n    tell(Rising())\n    tell(Rising())",
        _told,
    ),
    "as an attribute": (
        "class F:\n    items = ['a', 'b']",
        "class F:\n    items = Rising()",
        _attribute,
    ),
    "as an item": (
        "class F:\n    def __getitem__(self, at): return ['a', 'b']",
        "class F:\n    def __getitem__(self, at): return Rising()",
        _item,
    ),
    "in a field of a given class": (
        "def f(): return Node(['a', 'b'])",
        "def f(): return Node(Rising())",
        _field,
    ),
    "in a field that was changed": (
        "def f(node): node.reads = ['a', 'b']",
        "def f(node): node.reads = Rising()",
        _renewed,
    ),
    "in an error of a given class": (
        "def f(): raise Oops(['a', 'b'])",
        "def f(): raise Oops(Rising())",
        _error,
    ),
    "out of a generator": (
        "def f():\n    yield ['a', 'b']",
        "def f():\n    yield Rising()",
        lambda link: [one.index("a") < one.index("b") for one in link.get("f")()],
    ),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_no_object_comes_in_where_the_reference_has_data(sandbox, name):
    honest, cheat, use = HIDDEN[name]
    learner = Learner()
    link = link_to(sandbox, honest, learner)
    use(link)
    link.end()
    link = link_to(sandbox, honest, learner.policy({}))
    use(link)
    link.end()
    link = link_to(sandbox, RISING + cheat, learner.policy({}))
    with pytest.raises(StudentError, match="plain data only"):
        use(link)
    link.end()


def test_a_longer_loop_than_the_references_changes_nothing(sandbox):
    code = "class F:\n    def more(self): return F()\n    def __add__(self, other): return F()"
    learner = Learner()
    for policy, steps in ((learner, 1), (None, 5)):
        link = link_to(sandbox, code, policy or learner.policy({}))
        thing = link.get("F")()
        for _ in range(steps):
            thing = thing.more() + thing
        link.end()


def test_data_pass_and_need_no_leave():
    assert taken(Policy(), [1, 2], Met(), "f", "f()") == [1, 2]
    look_inside(Policy(), Met(), "f()[]")


# an empty array is near to everything, and so is an empty list

HONEST = "import numpy as np\ndef f(x):\n    return "


def learned(sandbox, body, *calls):
    learner = Learner()
    link = link_to(sandbox, HONEST + body, learner)
    for call in calls:
        link.get("f")(call)
    link.end()
    return learner.policy({})


@pytest.mark.parametrize(
    ("right", "empty"),
    [
        ("np.array(x) * 2.0", "np.zeros((0, 2))"),
        ("np.array(x) * 2.0", "[[], []]"),
        ("float(x[0])", "[]"),
        ("float(x[0])", "np.zeros(0)"),
        ("[1.0, 2.0]", "np.zeros((0, 2))"),
        ("(np.ones(2), 3)", "(np.zeros((0, 2)), 3)"),
        ("{'a': np.ones(2)}", "{'a': np.zeros((0, 2))}"),
    ],
)
def test_an_empty_array_is_no_right_answer(sandbox, right, empty):
    policy = learned(sandbox, right, [1.0, 2.0])
    link = link_to(sandbox, HONEST + right, policy)
    link.get("f")([1.0, 2.0])
    link.end()
    link = link_to(sandbox, HONEST + empty, policy)
    with pytest.raises(StudentError, match="nothing to be compared"):
        link.get("f")([1.0, 2.0])
    link.end()


@pytest.mark.parametrize(
    ("right", "asked", "argument"),
    [
        ("np.array(x) * 2.0", [[1.0]], []),  # nothing of nothing
        ("np.zeros(x)", [3], 0),
        ("np.zeros(x)", [(2, 3)], (2, 0)),
        ("np.array([one for one in x if one > 1])", [[1.0], [2.0]], [0.5]),  # it was seen once
        ("[one for one in x if one > 1]", [[2.0]], [0.5]),
    ],
)
def test_an_empty_answer_may_be_the_right_one(sandbox, right, asked, argument):
    policy = learned(sandbox, right, *asked)
    link = link_to(sandbox, HONEST + right, policy)
    assert len(link.get("f")(argument)) in (0, 2)
    link.end()
