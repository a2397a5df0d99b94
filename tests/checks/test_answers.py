import pytest

from cgkit.checks import CheckFailed
from cgkit.checks.answers import plainly, read_dict
from cgkit.checks.failure import NotAnswered
from cgkit.checks.task import Task

TASK = Task("01_graphs", "lengths", 2, ())


def read(answers):
    return read_dict(TASK, answers, "a dict of lengths", "lengths is a dict.")


def test_one_answer_is_enough():
    assert read({"a": None, "b": 0}) == {"a": None, "b": 0}


@pytest.mark.parametrize("nothing", [None, {}, {"a": None, "b": None}], ids=repr)
def test_nothing_in_it_is_no_mistake_yet(nothing):
    with pytest.raises(NotAnswered) as caught:
        read(nothing)
    assert caught.value.got == "nothing yet"


@pytest.mark.parametrize("other", [[], 3, "a", object()], ids=["list", "int", "text", "object"])
def test_something_else_is_refused_by_what_it_is(other):
    with pytest.raises(CheckFailed) as caught:
        read(other)
    assert not isinstance(caught.value, NotAnswered)
    assert caught.value.expected == "a dict of lengths"
    assert caught.value.called == "lengths"


def test_what_is_no_plain_data_is_said_in_words():
    class Mine(dict):
        pass

    assert plainly({"a": (1,)}) == {"a": (1,)}
    assert "Mine" in str(plainly(Mine()))
