"""Errors say what, why and what to try, and are caught as what they are."""

import traceback

import pytest

from cgkit.errors import (
    CaptureError,
    CgkitError,
    CycleError,
    DeviceError,
    DtypeError,
    EnvironmentFault,
    GradientError,
    GraphError,
    NotebookError,
    RenderError,
    ShapeError,
    UsageFault,
)


def test_a_message_reads_what_then_why_then_what_to_try():
    error = CgkitError("a meets b", why="3 is not 4", attempt="b.T")
    assert str(error).splitlines() == ["a meets b", "  3 is not 4", "  try      b.T"]
    assert (error.what, error.why, error.attempt) == ("a meets b", "3 is not 4", "b.T")


def test_what_is_not_given_leaves_no_line():
    assert str(CgkitError("a meets b")) == "a meets b"


def test_the_place_is_a_note_and_shows_once():
    error = ShapeError("no")
    error.add_note("  at node  y = exp(x)")
    assert error.with_place() == "no\n  at node  y = exp(x)"
    shown = "".join(traceback.format_exception_only(error))
    assert shown.count("at node") == 1


@pytest.mark.parametrize(
    ("kind", "python"),
    [
        (ShapeError, ValueError), (DtypeError, TypeError), (GraphError, ValueError),
        (GradientError, RuntimeError), (CaptureError, TypeError), (DeviceError, RuntimeError),
        (RenderError, RuntimeError), (NotebookError, ValueError),
    ],
)  # fmt: skip
def test_each_kind_is_also_what_python_calls_it(kind, python):
    assert issubclass(kind, CgkitError)
    assert issubclass(kind, python)


def test_a_cycle_is_written_as_a_way_back_to_its_start():
    error = CycleError(["a", "b"])
    assert error.nodes == ("a", "b")
    assert "a -> b -> a" in str(error)
    assert isinstance(error, GraphError)


def test_exit_codes_tell_a_failed_check_from_wrong_use_from_a_lacking_machine():
    codes = [kind("x").exit_code for kind in (CgkitError, UsageFault, EnvironmentFault)]
    assert codes == [1, 2, 3]
