import functools

import numpy as np
import pytest

from cgkit.grading.inside.handles import Callback, Handles


class Stack:
    pass


Stack.__module__ = "__main__"


@pytest.mark.parametrize(
    ("thing", "kind"),
    [
        (lambda a, b=1: a, "function"),
        (len, "function"),
        (np.add, "function"),
        (functools.partial(max, 1), "function"),
        (Stack, "class"),
        (ValueError, "exception"),
        (Stack(), "object"),
        ((n for n in "ab"), "iterator"),
        (map(str, []), "iterator"),
        (object(), "odd"),
    ],
)
def test_kinds_of_things(thing, kind):
    assert Handles().mark(thing)["handle"]["is"] == kind


def test_a_thing_keeps_its_number():
    handles, thing = Handles(), Stack()
    first = handles.mark(thing)["handle"]["at"]
    assert handles.mark(Stack())["handle"]["at"] != first
    assert handles.mark(thing)["handle"]["at"] == first
    assert handles[first] is thing


def test_functions_tell_how_they_are_called():
    body = Handles().mark(lambda a, *, b=1: a)["handle"]
    assert body["takes"] == "(a, *, b=1)"


def test_things_that_fail_when_asked_are_still_numbered():
    class Bad:
        @property
        def __name__(self):
            raise RuntimeError

    assert Handles().mark(Bad())["handle"]["name"] == ""


def test_callbacks_go_back_by_their_own_number():
    callback = Callback(lambda *given: given, 7, "count")
    assert Handles().mark(callback) == {"callback": [7, "count"]}
    assert callback(1, a=2) == (7, (1,), {"a": 2})
