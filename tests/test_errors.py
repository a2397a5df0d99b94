"""Errors say what, why and what to try, and are caught as what they are."""

import pytest

from cgkit import errors

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.CgkitError)
]


def test_a_message_reads_what_why_try():
    error = errors.ShapeError("a cannot meet b", why="3 is not 4", attempt="b.T")
    assert str(error) == "a cannot meet b\n  3 is not 4\n  try      b.T"
    assert (error.what, error.why, error.attempt) == ("a cannot meet b", "3 is not 4", "b.T")
    assert str(errors.ShapeError("only what")) == "only what"


def test_the_place_is_a_note():
    error = errors.GraphError("no")
    assert error.with_place() == "no"
    error.add_note("  at node  y = exp(x)")
    error.add_note("  at input  x")
    assert error.with_place() == "no\n  at node  y = exp(x)\n  at input  x"


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.ShapeError, ValueError),
        (errors.DtypeError, TypeError),
        (errors.OperandError, TypeError),
        (errors.GraphError, ValueError),
        (errors.GradientError, RuntimeError),
        (errors.CaptureError, TypeError),
        (errors.FileError, ValueError),
        (errors.TrainingError, ArithmeticError),
    ],
)
def test_python_catches_them_by_its_own_names(kind, builtin):
    with pytest.raises(builtin, match="no"):
        raise kind("no")


def test_a_cycle_is_written_as_a_way_round():
    error = errors.CycleError(["a", "b", "c"])
    assert str(error).startswith("the graph has a cycle: a -> b -> c -> a\n")
    assert error.nodes == ("a", "b", "c")
    assert isinstance(error, errors.GraphError)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_kind_has_words_and_an_exit_code(kind):
    expected = {"UsageFault": 2, "EnvironmentFault": 3}.get(kind.__name__, 1)
    assert kind.exit_code == expected
    assert kind.__doc__


def test_a_size_that_must_be_known_names_what_it_is_made_of():
    error = errors.OpenSize("M*N is open", {"N", "M"}, attempt="a fixed size")
    assert isinstance(error, errors.ShapeError)
    assert error.symbols == ("M", "N")
    assert str(error) == "M*N is open\n  try      a fixed size"


def test_a_value_that_must_be_known_says_how_to_give_it():
    assert "'x' as known= and giving 'N' as sizes=" in str(errors.UnknownValue("no", ["x"], ["N"]))
    assert str(errors.UnknownValue("no", [])) == "no"
