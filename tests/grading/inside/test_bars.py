import builtins
import functools
import json
import sys
import types

import pytest

from cgkit.grading.inside import bars
from cgkit.grading.inside.bars import Barred, builtin_names, put_up, real
from cgkit.grading.inside.standins import ReferenceUsed

LIBRARY = json.__file__


@pytest.fixture
def notes(monkeypatch):
    """Let changes of modules be undone; give what is noted."""
    monkeypatch.setattr(bars.sys, "modules", {**sys.modules})
    monkeypatch.setattr(sys, "prefix", "/nowhere")
    monkeypatch.setattr(sys, "base_prefix", "/nowhere")
    told = []
    yield lambda *what: told.append(what)
    monkeypatch.undo()


def at(file, code, **names):
    """Run code as if it stood in a file."""
    exec(compile(code, file, "exec"), names)
    return names


def test_a_library_uses_what_a_student_may_not():
    told = []
    bar = Barred("functools:cache", functools.cache, lambda *what: told.append(what), (LIBRARY,))
    assert at(LIBRARY, "found = bar(abs)(-1)", bar=bar)["found"] == 1
    assert not told
    with pytest.raises(ReferenceUsed, match=r"functools\.cache is not to be used"):
        at("<cell a>", "bar(abs)", bar=bar)
    assert told == [("barred", "functools:cache")]


@pytest.mark.parametrize(
    "code", ["bar([1])", "list(map(bar, [[1]]))", "eval('bar([1])')", "bar.__call__([1])", "bar.x"]
)
def test_a_student_meets_it_whichever_way_it_is_called(code):
    bar = Barred("builtins:sorted", sorted, lambda *_: None, (LIBRARY,))
    with pytest.raises(ReferenceUsed, match=r"^sorted is not"):
        at("<cell a>", code, bar=bar)


def test_what_serves_the_worker_is_no_library():
    bar = Barred("builtins:sorted", sorted, lambda *_: None, ("/guest",))
    with pytest.raises(ReferenceUsed):
        at("/guest/cgkit/grading/inside/worker.py", "bar([1])", bar=bar)


def test_a_barred_class_is_still_asked_for():
    bar = Barred("builtins:dict", dict, lambda *_: None, (LIBRARY,))
    assert isinstance({}, bar)
    assert issubclass(dict, bar)
    assert real(bar) is dict
    assert real(3) == 3
    assert at(LIBRARY, "class Mine(bar): pass", bar=bar)["Mine"].__mro__[1] is dict
    with pytest.raises(ReferenceUsed):
        at("<cell a>", "class Mine(bar): pass", bar=bar)


def test_names_and_loaded_modules_are_barred(notes, monkeypatch):
    toy = types.ModuleType("toy")
    toy.solve = len
    toy.other = len
    bars.sys.modules["toy"] = toy
    monkeypatch.setattr(bars.importlib, "import_module", bars.sys.modules.__getitem__)
    put_up(["heapq"], ["toy:solve"], notes, [LIBRARY])
    assert toy.other([1]) == 1
    with pytest.raises(ReferenceUsed, match=r"toy\.solve"):
        toy.solve([1])
    module = bars.sys.modules["heapq"]
    assert module.__name__ == "heapq"
    with pytest.raises(ReferenceUsed, match=r"heapq\.nsmallest"):
        module.nsmallest(1, [1])
    with pytest.raises(ReferenceUsed):
        bars.sys.modules["_heapq"].heappush([], 1)


def test_built_in_names_are_barred_for_students_only(notes):
    put_up([], ["builtins:sorted"], notes, [LIBRARY])
    theirs = builtin_names()
    assert theirs is not builtins
    assert builtins.sorted([2, 1]) == [1, 2]
    with pytest.raises(ReferenceUsed):
        theirs.sorted([2, 1])
