"""Stand-ins, with a real worker behind them."""

import time

import numpy as np
import pytest

from cgkit.grading.link import Link
from cgkit.grading.outcomes import NotData, StudentError
from cgkit.grading.policy import Learner, Policy

CODE = '''
class Vector:
    """Two numbers."""
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)
    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)
    def __len__(self):
        return 2
    def __getitem__(self, key):
        return (self.x, self.y)[key]
    def __iter__(self):
        return iter((self.x, self.y))
    def scaled(self, by):
        return Vector(self.x * by, self.y * by)
    def __call__(self, n):
        return self.x + n
    def __contains__(self, item):
        return True
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self.x = 0

class Other:
    pass

class Mine(ValueError):
    pass

def count():
    n = 0
    while True:
        n += 1
        yield n

def append(items, item):
    items.append(item)

def fail():
    raise Mine("not like this")

odd = object()
'''


@pytest.fixture
def link(sandbox):
    made = Link(sandbox, Learner())
    made.run("a", CODE, 1)
    made.deadline = time.monotonic() + 10
    yield made
    made.end()


def test_objects_are_made_and_used(link):
    vector = link.get("Vector")(1, 2)
    assert (vector.x, vector.y) == (1, 2)
    assert len(vector) == 2
    assert vector[1] == 2
    assert list(vector) == [1, 2]
    assert vector.scaled(3).y == 6
    assert vector(4) == 5
    vector.x = 10
    assert vector.x == 10
    with vector as same:
        assert same is vector
    assert vector.x == 0


def test_two_objects_of_the_students_may_meet(link):
    make = link.get("Vector")
    assert make(1, 2) == make(1, 2)
    assert (make(1, 2) == make(1, 3)) is False
    assert (make(1, 2) + make(3, 4)).x == 4


def test_a_class_knows_its_objects(link):
    make, other = link.get("Vector"), link.get("Other")
    assert isinstance(make(1, 2), make)
    assert not isinstance(other(), make)
    assert not isinstance((1, 2), make)


TRUSTED = [5, "x", (1, 2), np.ones(2)]


@pytest.mark.parametrize(
    "use",
    [
        lambda thing, value: thing == value,
        lambda thing, value: value == thing,
        lambda thing, value: thing != value,
        lambda thing, value: thing < value,
        lambda thing, value: thing - value,
        lambda thing, value: value - thing,
        lambda thing, value: thing @ value,
        lambda thing, value: [value].index(thing),
        lambda thing, value: np.asarray(thing),
        lambda thing, value: np.allclose(thing, value),
    ],
)
@pytest.mark.parametrize("value", TRUSTED, ids=str)
def test_no_trusted_value_meets_an_operator_of_the_students(link, use, value):
    vector = link.get("Vector")(1, 2)
    asked = link.questions
    with pytest.raises((NotData, TypeError)):
        use(vector, value)
    assert link.questions == asked


def test_what_is_no_data_is_neither_true_nor_false(link):
    with pytest.raises(NotData):
        bool(link.get("odd"))
    with pytest.raises(NotData, match="function"):
        bool(link.get("count"))


def test_none_and_itself_can_be_asked_for(link):
    vector = link.get("Vector")(1, 2)
    assert vector is not None
    assert (vector == None) is False  # noqa: E711
    assert vector == vector


def test_generators_are_walked_one_by_one(link):
    numbers = link.get("count")()
    assert [next(numbers) for _ in range(3)] == [1, 2, 3]


def test_changed_arguments_show_when_the_reference_changes_them(link):
    items = [1]
    link.get("append")(items, 2)  # a learner looks at everything
    assert items == [1, 2]
    fixed = link.policy.policy({})
    assert fixed.changes("append", 2) == (0,)
    append = link.get("append")
    link.policy = Policy()
    append(items, 3)
    assert items == [1, 2]
    append.watched(items, 3)
    assert items == [1, 2, 3]


def test_errors_of_the_students_are_of_their_class(link):
    kind = link.get("Mine")
    with pytest.raises(kind, match="not like this") as caught:
        link.get("fail")()
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, StudentError)
    assert caught.value.place().startswith("line ")


def test_functions_show_how_they_are_called(link):
    import inspect

    assert list(inspect.signature(link.get("append")).parameters) == ["items", "item"]
    assert link.get("append").__name__ == "append"


def test_stand_ins_are_written_without_asking(link):
    vector = link.get("Vector")(1, 2)
    asked = link.questions
    assert "of the student's" in repr(vector)
    assert link.questions == asked
