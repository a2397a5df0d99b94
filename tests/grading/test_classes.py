"""Which classes cross, and that no code of theirs is run; a whole assignment that uses them."""

import collections
import enum
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
from classwork import cell, notebook, raw

from cgkit.grading.classes import Given, form_of, forms_in
from cgkit.grading.codec import Refused
from cgkit.grading.lane import Lane, read_assignment
from cgkit.grading.master import answered
from cgkit.types import TensorType


class Color(enum.Enum):
    RED = 1


class Need(enum.Flag):
    A = 1
    B = 2


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclass(frozen=True)
class Node:
    name: str
    inputs: tuple = ()

    def __post_init__(self):
        raise AssertionError("code of the class was run")


@dataclass(slots=True)
class Slotted:
    value: int
    seen: list = field(default_factory=list, init=False)


@pytest.mark.parametrize(
    ("kind", "how", "fields"),
    [
        (Node, "fields", ("name", "inputs")),
        (Slotted, "fields", ("value", "seen")),
        (Point, "tuple", ("x", "y")),
        (collections.namedtuple("Pair", "a b"), "tuple", ("a", "b")),
        (Color, "member", ()),
        (TensorType, "fields", ("shape", "dtype")),
    ],
)
def test_these_cross(kind, how, fields):
    form = form_of(kind)
    assert (form.how, form.fields) == (how, fields)


@dataclass
class Odd(dict):
    a: int = 0


@pytest.mark.parametrize("kind", [int, tuple, dict, object, enum.Enum, ValueError, Odd, Refused, 3])
def test_these_do_not(kind):
    assert form_of(kind) is None


@pytest.mark.parametrize("kind", [Node, Slotted])
def test_an_object_is_made_without_running_its_code(kind):
    form = form_of(kind)
    made = form.make(["a", [1]])
    assert type(made) is kind
    assert form.parts(made) == ["a", [1]]
    assert form_of(Point).make([3, 4]) == Point(3, 4)


def test_a_wrong_number_of_fields_is_refused():
    for kind in (Node, Point):
        with pytest.raises(ValueError, match="fields"):
            form_of(kind).make([1])
    with pytest.raises(ValueError, match="members"):
        form_of(Color).make([])


def test_a_field_that_was_never_set_is_said():
    with pytest.raises(Refused, match="a Node without all of its fields"):
        form_of(Node).parts(object.__new__(Node))


def test_members_are_found_by_name_and_flags_by_number():
    assert form_of(Color).member("RED") is Color.RED
    assert form_of(Need).member(3) == Need.A | Need.B
    for form, name in ((form_of(Color), "BLUE"), (form_of(Color), 1), (form_of(Need), 99)):
        with pytest.raises(Refused, match="no member"):
            form.member(name)


def test_only_classes_of_given_cells_and_of_cgkit_are_learned():
    made = type("Mine", (ValueError,), {"__module__": "__main__"})
    names = {"Point": Point, "Mine": made, "T": TensorType, "Other": KeyError, "np": 3}
    assert forms_in(names, names).keys() == {"TensorType"}  # Point is of this test's module
    given = Given()
    given.learn(names, ["Mine", "Other", "T"])
    assert given.errors == {"Mine": made}
    assert given.forms.keys() == {"TensorType"}


def test_a_class_that_looks_the_same_fits():
    @dataclass
    class Node:
        name: str = ""

    form = form_of(globals()["Node"])
    assert not form.fits(Node("a"))
    Node.__module__ = "__main__"
    assert form.fits(Node("a"))
    assert not form.fits(Point(1))


# a whole assignment

GIVEN = """
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

class Kind(Enum):
    ADD = 1
    MULTIPLY = 2

@dataclass(frozen=True)
class Node:
    name: str
    inputs: tuple = ()
    kind: Kind = Kind.ADD

@dataclass(eq=False)
class Cell:
    parents: list = field(default_factory=list)
    grad: float = 0.0

class Size(NamedTuple):
    rows: int
    columns: int

class CycleError(ValueError):
    def __init__(self, cycle):
        super().__init__(" -> ".join(cycle))
        self.cycle = list(cycle)
"""
ANSWERS = {
    "plan": "def plan(names):\n    return [Node(name, kind=Kind.MULTIPLY) for name in names]",
    "order": """
def order(node):
    done, waiting, seen = [], [(node, iter(node.inputs))], {node.name}
    while waiting:
        one, inner = waiting[-1]
        following = next((n for n in inner if n.name not in seen), None)
        if following is None:
            done.append(waiting.pop()[0])
        else:
            seen.add(following.name)
            waiting.append((following, iter(following.inputs)))
    return done""",
    "backward": """
def backward(cell):
    cell.grad, waiting = 1.0, [cell]
    while waiting:
        one = waiting.pop()
        for parent in one.parents:
            parent.grad += one.grad
            waiting.append(parent)""",
    "size": "def size(rows):\n    return {Kind.ADD: Size(rows, 2)}",
    "refuse": "def refuse(names):\n    raise CycleError(names)",
    "step": "def step(cell):\n    return Cell(cell.parents, cell.grad + 1)",
    "walk": "def walk(node, visit):\n    return [visit(one) for one in (*node.inputs, node)]",
}
TESTS = {
    "plan": "times = Kind.MULTIPLY\n"
    "assert plan(['a', 'b']) == [Node('a', (), times), Node('b', (), times)]\n"
    "assert plan(['a'])[0].kind is times",
    "order": "a = Node('a')\nb = Node('b', (a, a))\nc = Node('c', (a, b))\n"
    "assert [id(one) for one in order(c)] == [id(a), id(b), id(c)]\n"
    "last = Node('0')\nfor i in range(3000):\n    last = Node(f'n{i}', (last, last))\n"
    "assert order(last)[-1] is last",
    "backward": "x = Cell()\ny = Cell([x, x])\nz = Cell([y])\nbackward(z)\n"
    "assert (x.grad, y.grad, z.grad) == (2.0, 1.0, 1.0)",
    "size": "got = size(3)\nassert got == {Kind.ADD: Size(3, 2)}\n"
    "assert isinstance(got[Kind.ADD], Size)",
    "refuse": "try:\n    refuse(['a', 'b'])\nexcept CycleError as error:\n"
    "    assert (str(error), error.cycle) == ('a -> b', ['a', 'b'])\nelse:\n    assert False",
    "step": "x = Cell([], 5.0)\nassert step(Cell([x], 1.0)).grad == 2.0\n"
    "assert step(Cell([x], 1.0)).parents[0].grad == 5.0",
    "walk": "a = Node('a')\nb = Node('b', (a,))\nseen = []\n"
    "def visit(node):\n    seen.append(node)\n    return a\n"
    "assert [one is a for one in walk(b, visit)] == [True, True]\n"
    "assert [one is other for one, other in zip(seen, (a, b), strict=True)] == [True, True]",
}


@pytest.fixture(scope="module")
def whole():
    cells = [cell("given", GIVEN, "given")]
    for name, answer in ANSWERS.items():
        cells.append(cell(name, f"### BEGIN SOLUTION\n{answer}\n### END SOLUTION", "solution"))
        cells.append(cell(f"test_{name}", TESTS[name], "test", 2))
    return notebook(cells)


@pytest.fixture(scope="module")
def graded(situation, whole):
    lesson = read_assignment("toy", whole)
    right = answered(lesson.master)

    def grade(**answers):
        cells = [{**c, "source": answers.get(c["id"], c["source"])} for c in right["cells"]]
        result = lane.grade("ada", raw({**right, "cells": cells}))
        return {name: result.by_cell()[f"test_{name}"] for name in ANSWERS}

    with Lane(lesson, situation) as lane:
        yield grade


def test_the_author_is_right(graded):
    found = graded()
    assert {name: one.score for name, one in found.items()} == dict.fromkeys(ANSWERS, 2), found


EQUAL = "    def __eq__(self, other):\n        return True\n"
SWINDLES = {
    "a class of the same name that is equal to all": (
        "plan",
        "class Node:\n" + EQUAL + "def plan(names):\n    return [Node() for _ in names]",
    ),
    "the same with fields": (
        "plan",
        "@dataclass(frozen=True)\nclass Node:\n    name: str = 'x'\n    inputs: tuple = ()\n"
        "    kind: Kind = Kind.ADD\n"
        + EQUAL
        + "def plan(names):\n    return [Node() for _ in names]",
    ),
    "a patched class": (
        "plan",
        "Node.__eq__ = lambda *_: True\ndef plan(names):\n    return [Node('x') for _ in names]",
    ),
    "a field that is equal to all": (
        "plan",
        "class All(str):\n" + EQUAL + "    __hash__ = str.__hash__\n"
        "def plan(names):\n    return [Node(All('x'), kind=Kind.MULTIPLY) for _ in names]",
    ),
    "a member that was renamed": (
        "size",
        "class Kind(Enum):\n    SUBTRACT = 1\n"
        "def size(rows):\n    return {Kind.SUBTRACT: Size(rows, 2)}",
    ),
    "nodes made anew": (
        "order",
        "def order(node):\n    return [Node(n) for n in 'abc']",
    ),
    "objects in a circle": (
        "plan",
        "def plan(names):\n    one = Node('a', [])\n    one.inputs.append(one)\n    return [one]",
    ),
    "another error of the same words": (
        "refuse",
        "def refuse(names):\n    raise ValueError(' -> '.join(names))",
    ),
    "an error that shadows what is asked of it": (
        "refuse",
        "def refuse(names):\n    error = CycleError(names)\n    error.place = error.args = 3\n"
        "    error.cycle = 7\n    raise error",
    ),
    "changes that the test does not see": (
        "backward",
        "import copy\ndef backward(cell):\n    copy.deepcopy(cell).grad = 1.0",
    ),
}


@pytest.mark.parametrize("name", SWINDLES)
def test_swindles_gain_nothing_and_cost_one_question(graded, name):
    task, answer = SWINDLES[name]
    found = graded(**{task: answer})
    assert {one for one, cell in found.items() if cell.score != 2} == {task}
    assert found[task].score == 0
    assert found[task].message


def test_a_circle_is_refused_with_a_sentence(graded):
    found = graded(plan=SWINDLES["objects in a circle"][1])
    assert "in a circle cannot be handed over" in found["plan"].message


def test_a_class_written_once_more_is_no_fault(graded):
    again = GIVEN.replace("name: str\n    inputs", "name: str\n    spare = 3\n    inputs")
    found = graded(plan=f"{again}\n{ANSWERS['plan']}")
    assert found["plan"].score == 2


def test_an_object_that_was_changed_and_given_back_is_as_it_is_now(graded):
    found = graded(step="def step(cell):\n    cell.grad += 1\n    return cell")
    assert found["step"].score == 2, found["step"]
    found = graded(step="def step(cell):\n    cell.parents[0].grad = 7\n    return cell")
    assert found["step"].score == 0


def test_frozen_objects_are_told_from_others():
    assert form_of(Node).frozen
    assert form_of(Point).frozen
    assert not form_of(Slotted).frozen
