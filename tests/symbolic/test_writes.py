"""Values that are written to while a function is traced."""

import numpy as np
import pytest

from cgkit import GradientError, GraphBuilder, Tensor, cond, no_grad, ops, run
from cgkit.errors import CaptureError
from cgkit.operators import ALL
from cgkit.symbolic.writes import INSTEAD, VIEWS, Writes
from cgkit.tensor.modes import grad_enabled


def built(recorded=None):
    builder = GraphBuilder()
    builder.recorded = recorded
    builder.writes = Writes(recorded)
    return builder, builder.placeholder((3,), name="x")


def test_a_value_becomes_another_one():
    builder, x = built()
    y = x * 2.0
    before = x.edge
    assert x.add_(y) is x
    z = x * y
    assert builder.writes.before(x) is before
    first = type(x)(before, builder)
    found = run(builder.graph([y, x, z], [first]), np.ones(3))
    assert [a.tolist() for a in found] == [[2] * 3, [3] * 3, [6] * 3]


def test_the_dtype_stays():
    builder = GraphBuilder()
    builder.writes = Writes()
    x = builder.placeholder((3,), "float32")
    x.add_(np.ones(3))
    assert x.dtype == "float32"


def test_outside_of_a_trace_nothing_is_written_to():
    x = GraphBuilder().placeholder((3,))
    for write in (lambda: x.add_(1.0), lambda: x.zero_(), lambda: x.__setitem__(0, 1.0)):
        with pytest.raises(CaptureError, match="cannot be written to in place"):
            write()


def test_in_a_branch_nothing_is_written_to():
    _, x = built()

    def branch():
        x.add_(1.0)
        return x

    with pytest.raises(CaptureError, match="used inside a branch or a loop"):
        cond(x.sum() > 0.0, branch, lambda: x)
    x.add_(1.0)


def test_views_are_refused_as_long_as_they_are_used():
    _, x = built()
    view = x[1:]
    with pytest.raises(GradientError, match="a view of shape"):
        view.add_(1.0)
    deeper = view.reshape(2, 1)
    del view
    with pytest.raises(GradientError, match="has views"):
        x.add_(1.0)
    del deeper
    x.add_(1.0)
    apart = x.detach()
    with pytest.raises(GradientError, match="has views"):
        x.add_(1.0)
    assert apart.shape == (3,)


def test_views_are_what_shares_memory():
    """Each operator whose result NumPy puts into the memory of its operand."""
    found = set()
    for name, operator in ALL.items():
        for sample in operator.samples(np.random.default_rng(0)) if operator.samples else ():
            arrays = [np.asarray(x) for x in sample.operands]
            with np.errstate(all="ignore"):
                made = operator.compute(*arrays, **sample.params)
            results = made if isinstance(made, tuple) else (made,)
            if any(np.may_share_memory(y, x) for y in results for x in arrays if np.size(y)):
                found.add(name)
    assert found == VIEWS


def test_numbers_instead_of_others_keep_the_way_back():
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = INSTEAD(x, Tensor([5.0, 6.0]))
    (y * y).sum().backward()
    assert y.numpy().tolist() == [5, 6]
    assert x.grad.numpy().tolist() == [10, 12]


def test_results_are_cut_where_nothing_is_recorded():
    builder, x = built(grad_enabled)
    with no_grad():
        y = ops.exp(x)
        z = y * 2.0
    w = z * x
    cut = [node.operator.name for node in builder.graph([w]).operators]
    assert cut == ["exp", "stop_gradient", "mul", "mul"]
    with no_grad():
        x.mul_(2.0)
    assert x.node.operator is INSTEAD
    builder.writes.leaves.add(x.edge.key)
    with pytest.raises(GradientError, match="a leaf that requires grad"):
        x.mul_(2.0)
