import importlib
import sys
import types

import pytest

from cgkit.grading.inside import standins
from cgkit.grading.inside.standins import Finder, Inert, Missing, ReferenceUsed


@pytest.fixture
def notes(monkeypatch):
    """Let imports find stand-ins for two made-up packages; give what is noted."""
    told = []
    finder = Finder(["shows_things"], ["answers_things"], lambda *what: told.append(what))
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    yield told
    for name in [name for name in sys.modules if name.startswith(("shows_", "answers_"))]:
        del sys.modules[name]


def test_what_shows_things_does_nothing(notes):
    plots = importlib.import_module("shows_things.pyplot")
    figure, axes = plots.subplots()
    with axes.title("x") as title:
        assert list(title) == []
    assert "does nothing" in repr(figure)
    plots.rcParams["figure.figsize"] = (3, 2)
    del plots.rcParams["figure.figsize"]
    axes.label = "x"
    assert "figure.figsize" not in plots.rcParams
    assert len(axes.lines) == 0
    assert axes
    assert not notes


def test_what_is_left_out_imports_and_says_why_when_used(notes):
    module = importlib.import_module("answers_things.graphs")
    name = module.sort
    assert notes == [("imported", "answers_things"), ("imported", "answers_things.graphs")]
    with pytest.raises(ReferenceUsed, match=r"answers_things.graphs.sort is left out"):
        name([1])
    assert notes[-1] == ("left out", "answers_things.graphs.sort")


@pytest.mark.parametrize(
    "use",
    [lambda m: m(), lambda m: m.part, lambda m: types.new_class("A", (m,)), lambda m: list(m)],
)
def test_every_use_is_one(use):
    with pytest.raises(ReferenceUsed):
        use(Missing("x.y", lambda *_: None))


def test_python_may_ask_what_it_always_asks():
    assert not hasattr(Inert("x"), "__wrapped__")
    assert not hasattr(Missing("x", lambda *_: None), "__wrapped__")


def test_install_comes_before_everything(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    standins.install(["a"], ["b"], lambda *_: None)
    assert isinstance(sys.meta_path[0], Finder)
