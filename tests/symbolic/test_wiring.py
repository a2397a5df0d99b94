"""Writes and order as ordinary nodes."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, GraphError, ShapeError, gradients, run
from cgkit.control import cond
from cgkit.symbolic.wiring import AFTER, ASSIGN, Effect, written


def test_an_assign_is_its_new_value():
    builder = GraphBuilder()
    w = builder.variable(2.0, name="w")
    new = builder.assign(w, w * 5.0)
    assert (new.node.operator, written(new.node)) == (ASSIGN, w.node)
    assert run(builder.graph([new])) == (10,)
    assert run(builder.graph(gradients(new, [w]))) == (5,)


def test_only_variables_are_written():
    builder = GraphBuilder()
    x, w = builder.placeholder((), name="x"), builder.variable(1.0, name="w")
    with pytest.raises(GraphError, match="only a variable can be assigned to, not x"):
        builder.assign(x, 1.0)
    with pytest.raises(GraphError, match="only a variable can be assigned to") as caught:
        cond(x > 0.0, lambda x: x.builder.assign(w, 1.0), lambda x: x, x)
    assert "assign(w, cond(...))" in caught.value.attempt


def test_what_is_assigned_must_fit():
    builder = GraphBuilder()
    w = builder.variable(np.ones(2, "float32"), name="w")
    with pytest.raises(DtypeError, match="a variable of float32 cannot be given float64"):
        builder.assign(w, np.ones(2))
    with pytest.raises(ShapeError, match="that of the variable"):
        builder.assign(w, np.ones(3, "float32"))
    assert builder.assign(w, 0 * w).shape == (2,)


def test_what_is_built_under_a_dependency_waits():
    builder = GraphBuilder()
    w, x = builder.variable(1.0, name="w"), builder.placeholder((), name="x")
    step = builder.assign(w, w + 1.0)
    with builder.control_dependencies([Effect((step,))]):
        read, other = w * 2.0, x * 2.0
    assert read.node.inputs[0].node.operator is AFTER
    assert read.node.inputs[0].node.inputs[0].node is step.node
    assert other.node.inputs[0].node.inputs[0].node is x.node
    assert (w * 2.0).node.inputs[0].node is w.node
    assert run(builder.graph([read, other]), np.array(3.0)) == (4, 6)


def test_an_effect_shows_what_it_is():
    assert repr(Effect((1, 2), "minimize")) == "<effect minimize 2 values>"
