"""What an operator says: how it is called, what it does, and what is wrong with a call."""

import inspect
import pydoc
import subprocess
import sys
import warnings

import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.errors import DtypeError, OperandError, ShapeError
from cgkit.interpret import run
from cgkit.node import MultiOperator, Operator
from cgkit.speech import explain, form, manual, plain, spelled
from cgkit.symbolic import GraphBuilder, trace


def test_every_operator_says_how_it_is_called():
    for operator in ops.ALL.values():
        said = form(operator)
        assert said.startswith(f"{operator.name}("), said
        assert "**" not in said.replace("**where", ""), said
        assert "types" not in said, said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("add", "add(a, b)"),
        ("concat", "concat(*parts, axis=0)"),
        ("put", "put(a, b, *arrays, index)"),
        ("elu", "elu(a, *, alpha=1.0)"),
        ("softmax", "softmax(a, *, axis=-1)"),
        ("conv1d", "conv1d(x, w, *, stride=1, padding=0, dilation=1, groups=1)"),
        ("max_pool", "max_pool(x, *, kernel, stride=None, padding=0, dilation=1, ceil_mode=False)"),
    ],
)
def test_forms(name, said):
    assert form(ops.ALL[name]) == said


def test_help_is_about_the_operator_and_its_class_about_operators():
    for operator in (ops.exp, ops.split, ops.einsum, ops.pad):
        assert operator.__doc__ == manual(operator)
        assert operator.doc in pydoc.render_doc(operator, renderer=pydoc.plaintext)
    assert Operator.__doc__.startswith("Everything that one operation means")
    assert MultiOperator.__doc__.startswith("An operator with several results")
    assert "name" in inspect.signature(Operator).parameters
    assert str(inspect.signature(ops.softmax)) == "(a, /, *, axis=-1)"


def test_manuals_say_what_has_a_gradient():
    assert manual(ops.exp).endswith("Its gradient is given, to every order.")
    assert manual(ops.less).endswith("No gradient goes back through it.")
    assert manual(ops.stop_gradient).endswith("No gradient goes back through it.")
    assert "mere places" in manual(ops.gather_elements)


def test_settings_are_spelled_out():
    rule = spelled(lambda a, *, own=1, **more: a, lambda a, first, second=2: a)
    assert str(inspect.signature(rule)) == "(a, *, first, second=2, own=1)"


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (lambda x: ops.softmax(x, axes=1), OperandError, "softmax has no setting 'axes'"),
        (lambda x: ops.cumsum(x), OperandError, "cumsum needs a setting axis"),
        (lambda x: ops.tile(x, repeat=2), OperandError, "tile has no setting 'repeat'"),
        (lambda x: ops.index(index=()), OperandError, "index takes at least 1 operand, got 0"),
        (lambda x: ops.broadcast_to(x, shape=(10**13, 2)), ShapeError, "which no memory holds"),
        (lambda x: ops.add_elements(x, x, axis=0), OperandError, "add_elements needs a setting"),
    ],
)
def test_calls_that_do_not_fit(act, kind, said):
    value = GraphBuilder().placeholder((2,))
    for x in (np.ones(2), Tensor([1.0, 1.0]), value):
        if x is value and "memory" in said:
            continue
        with pytest.raises(kind, match=said):
            act(x)


def test_an_operator_that_runs_out_of_memory_blames_no_small_result():
    """Padding for a window takes memory that the result does not."""
    with pytest.raises(ShapeError, match="exp takes more memory than there is") as caught:
        explain(ops.exp, [np.ones(2)], {}, MemoryError())
    assert caught.value.why == "of float64[2]"
    with pytest.raises(ShapeError, match=r"of float64\[2\] with axis=0"):
        explain(ops.cumsum, [np.ones(2)], {"axis": 0}, MemoryError())


@pytest.mark.parametrize(
    "act",
    [
        lambda x: x - x,
        lambda x: x * 0.0,
        lambda x: ops.sum(ops.concat(x, -1.0 * x)),
        lambda x: (x.sum() - x.sum()) * 1e300 * 1e300,
        lambda x: ops.matmul(x, -1.0 * x * 0.0),
        lambda x: ops.max(x - x),
        lambda x: ops.hypot(x, x - x),
    ],
)
def test_inf_and_nan_are_no_reason_to_warn(act):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = Tensor([np.inf, np.inf])
        graph = trace(act, x).graph
        assert np.array_equal(act(x).data, run(graph, x.data)[0], equal_nan=True)


@pytest.mark.parametrize("how", ["default", "error"])
def test_nothing_is_printed(how):
    code = "from cgkit import Tensor; x = Tensor([float('inf')]); print((x - x).sum().item())"
    done = subprocess.run([sys.executable, "-W", how, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("nan\n", "")


def test_sums_of_infinities_are_quiet_where_numpy_is_told_to_raise():
    with np.errstate(all="raise"):
        y = Tensor([np.inf]) - Tensor([np.inf])
        z = ops.add(np.array([1e308]), np.array([1e308]))
    assert np.isnan(y.item())
    assert z[0] == np.inf


def test_another_error_after_a_warning_is_told():
    def compute(a):
        np.log(a)
        raise ValueError("of its own")

    with pytest.raises(ValueError, match="of its own"):
        Operator("odd", compute, lambda a: a)(-np.ones(2))


def test_numbers_too_large_for_a_dtype():
    with pytest.raises(DtypeError, match="300 out of bounds for int8"):
        ops.add(np.ones(1, "int8"), 300)


def test_operands_that_answer_numpy_for_themselves_do_so():
    class Proud:
        def __array_ufunc__(self, ufunc, method, *inputs, **settings):
            return "in my own words"

    proud = Proud()
    assert plain(ops.exp, [proud, True, [1, 2]]) == [proud, True, [1, 2]]
    assert ops.exp(proud) == "in my own words"


@pytest.mark.parametrize("odd", ["a", None, [["a"]], 1j, np.array([1j]), np.bytes_(b"a")], ids=str)
def test_what_is_no_number_is_shown(odd):
    with pytest.raises(DtypeError, match="add cannot take ") as caught:
        ops.add(np.ones(1), odd)
    assert repr(odd) in str(caught.value)
    assert "a tensor holds real numbers" in str(caught.value)


def test_an_error_that_does_not_name_its_operator_is_told_where_it_came_from():
    with pytest.raises(ShapeError, match="place 7 lies outside") as caught:
        Tensor([1.0])[np.array([7])]
    assert caught.value.with_place().endswith("\n  in index")
    with pytest.raises(ShapeError, match="roll goes on by whole numbers") as caught:
        ops.roll(Tensor([1.0]), shift=1.5)
    assert "  in roll" not in caught.value.with_place()
