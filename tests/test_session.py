"""Sessions: fetches and feeds, state that survives, failures that change nothing."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, GraphError, Session, ShapeError, Tensor, TensorType, ops
from cgkit.errors import CaptureError, OperandError, StateError
from cgkit.interpret import run
from cgkit.optimizers import SGD
from cgkit.static import minimize


@pytest.fixture
def builder():
    return GraphBuilder()


def test_fetches_nest(builder):
    x = builder.placeholder((), name="x")
    y = x * 2.0
    w = builder.variable(1.0, name="w")
    found = Session(builder).run({"y": [y, (x,)], "w": w, "again": y}, {x: 3.0})
    assert found == {"y": [6, (3,)], "w": 1, "again": 6}
    assert Session(builder).run([]) == []


def test_any_tensor_may_be_fed(builder):
    x = builder.placeholder((), name="x")
    two = builder.constant(2.0, name="two")
    w = builder.variable(10.0, name="w")
    y = x * two
    z = y + w
    session = Session(builder)
    assert session.run(z, {y: 5.0}) == 15
    assert session.run(z, {x: 1.0, two: 7.0}) == 17
    assert session.run(z, {y: 1.0, w: 2.0}) == 3
    assert session.run(z, {z: 4.0}) == 4
    assert session.run(w) == 10


def test_counters_and_two_sessions(builder):
    w = builder.variable(0.0, name="w")
    step = builder.assign(w, w + 1.0)
    first, second = Session(builder), Session(builder)
    assert [float(first.run(step)) for _ in range(3)] == [1, 2, 3]
    second.run([step])
    assert (first.run(w), second.run(w)) == (3, 1)
    assert (first.run(w), w.node.value) == (3, 0)


def test_a_read_sees_the_start_of_the_run_unless_it_is_ordered(builder):
    w = builder.variable(10.0, name="w")
    step = builder.assign(w, w + 1.0)
    twice = w * 2.0
    with builder.control_dependencies([step]):
        later = w * 2.0
    assert Session(builder).run([step, twice]) == [11, 20]
    session = Session(builder)
    assert (session.run(later), session.run(w)) == (22, 11)


def test_a_run_that_fails_changes_nothing(builder):
    w, x = builder.variable(0.0, name="w"), builder.placeholder((None,), name="x")
    step, worst = builder.assign(w, w + x.sum()), x.max()
    session = Session(builder)
    session.run([step, worst], {x: [7.0]})
    with pytest.raises(ShapeError, match="no elements"):
        session.run([step, worst], {x: np.ones(0)})
    assert session.run(w) == 7


def test_what_is_given_cannot_change_what_is_kept(builder):
    w = builder.variable(np.zeros(2), name="w")
    x = builder.placeholder((2,), name="x")
    session = Session(builder)
    fed = np.ones(2)
    found = session.run(builder.assign(w, x), {x: fed})
    fed[:] = found[:] = 9
    kept = session.run(w)
    assert kept.tolist() == [1, 1]
    kept[:] = 5
    assert session.run(w).tolist() == [1, 1]


def test_random_numbers_anew_in_each_run_and_the_same_by_seed(builder):
    x = builder.placeholder((1000,), name="x")
    first, second = builder.key(), builder.key()
    masks = [ops.dropout(x, key, rate=0.5) for key in (first, second, first)]
    session, data = Session(builder, seed=3), np.ones(1000)
    a, b, again = session.run(masks, {x: data})
    assert np.array_equal(a, again)
    assert not np.array_equal(a, b)
    assert not np.array_equal(session.run(masks[0], {x: data}), a)
    assert np.array_equal(Session(builder, seed=3).run(masks[0], {x: data}), a)
    assert not np.array_equal(Session(builder, seed=4).run(masks[0], {x: data}), a)


def test_feeds_that_do_not_fit(builder):
    x = builder.placeholder((None, 2), "float32", name="x")
    y = builder.placeholder((None,), "int64", name="y")
    total = x.sum() + y.sum()
    session = Session(builder)
    with pytest.raises(ShapeError, match=r"x is float32\[N, 2\], but is fed shape \(2, 3\)"):
        session.run(x * 1, {x: np.ones((2, 3), "float32")})
    with pytest.raises(DtypeError, match=r"x is float32\[N, 2\], but is fed float64"):
        session.run(x * 1, {x: np.ones((2, 2))})
    with pytest.raises(DtypeError, match="y is int64"):
        session.run(total, {x: [[1, 2]], y: [1.5]})
    with pytest.raises(ShapeError, match="unlike lengths"):
        session.run(total, {x: [[1, 2], [3]], y: [1]})
    with pytest.raises(CaptureError, match="has no numbers"):
        session.run(total, {x: x, y: [1]})
    assert session.run(total, {x: Tensor([[1.0, 2.0]], dtype="float32"), y: [1, 2]}) == 6


def test_errors_of_a_graph(builder):
    x = builder.placeholder((), name="x")
    w = builder.variable(TensorType((), "float64"), name="w")
    session = Session(builder)
    with pytest.raises(GraphError, match=r"placeholder x: float64\[\] is not fed"):
        session.run(x + 1.0)
    with pytest.raises(GraphError, match="the variable w has no value yet"):
        session.run(w)
    with pytest.raises(CaptureError, match="another graph"):
        session.run(GraphBuilder().constant(1.0))
    with pytest.raises(CaptureError, match="expected a value of this graph, got str"):
        session.run("loss")
    with pytest.raises(OperandError, match="feeds are a dict"):
        session.run(x, [1.0])
    with pytest.raises(OperandError, match="not Graph"):
        Session(builder.graph([x]))
    session.run(builder.assign(w, 2.0))
    assert session.run(w) == 2


def test_nodes_may_be_added_until_the_graph_is_finalized(builder):
    x = builder.placeholder((), name="x")
    session = Session(builder)
    assert session.run(x * 2.0, {x: 3.0}) == 6
    y = x * 3.0
    builder.finalize()
    assert session.run(y, {x: 3.0}) == 9
    with pytest.raises(CaptureError, match="finalized"):
        x * 4.0


def test_passes_and_executor_can_be_replaced(builder):
    seen = []

    def passing(graph):
        seen.append(len(graph.nodes))
        return graph

    def executor(graph, *arrays):
        seen.append("run")
        return run(graph, *arrays)

    x = builder.placeholder((), name="x")
    session = Session(builder, passes=[passing], executor=executor)
    y = x * 2.0
    session.run(y, {x: 1.0})
    session.run(y, {x: 1.0})
    assert seen == [3, "run", "run"]


def test_state_goes_from_one_session_to_another(builder):
    w = builder.variable(np.ones(2), name="w")
    noise = ops.uniform(builder.key(), shape=(2,))
    step = minimize((w * w).sum(), SGD(0.1, momentum=0.9))
    first = Session(builder, seed=5)
    for _ in range(3):
        first.run([step, noise])
    second = Session(builder)
    second.load_state(first.state())
    for _ in range(2):
        a, b = first.run([w, step, noise]), second.run([w, step, noise])
        assert np.array_equal(a[0], b[0])
        assert np.array_equal(a[2], b[2])


def test_states_that_do_not_fit(builder):
    w = builder.variable(np.ones(2), name="w")
    session = Session(builder)
    with pytest.raises(StateError) as caught:
        session.load_state({"v": np.ones(2), "w": np.ones(3)})
    assert "v is unknown" in str(caught.value)
    assert "w is float64[2], got float64[3]" in str(caught.value)
    assert session.run(w).tolist() == [1, 1]
    builder.variable(1.0, name="w")
    with pytest.raises(StateError, match="the name 'w', as another"):
        session.state()
