"""Sessions: fetches and feeds, state that survives, failures that change nothing."""

import numpy as np
import pytest

from cgkit import (
    DtypeError,
    Graph,
    GraphBuilder,
    GraphError,
    Session,
    ShapeError,
    Tensor,
    TensorType,
    cond,
    gradients,
    ops,
    scan,
    while_loop,
)
from cgkit.errors import CaptureError, OperandError
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


@pytest.mark.parametrize(
    ("dtype", "fed", "found"),
    [
        ("uint8", [0, 255], [0, 255]), ("uint8", [0, 256], None), ("uint8", [0, -1], None),
        ("int8", [True, 5], [1, 5]), ("int8", [300, 5], None), ("int64", [2**63, 0], None),
        ("float32", [1, 2], [1, 2]), ("int64", [1.0, 2.0], None), ("bool", [0, 1], None),
        ("bool", [True, False], [1, 0]),
    ],
)  # fmt: skip
def test_numbers_as_python_writes_them_are_fed_whole_or_not_at_all(builder, dtype, fed, found):
    x = builder.placeholder((2,), dtype, name="x")
    if found is None:
        with pytest.raises(DtypeError, match=rf"x is {dtype}\[2\], but is fed"):
            Session(builder).run(x, {x: fed})
    else:
        assert Session(builder).run(x, {x: fed}).tolist() == found


@pytest.mark.parametrize("seed", ["x", 1.5, True, None, 2**63, [1]])
def test_a_seed_is_one_whole_number(builder, seed):
    with pytest.raises(OperandError, match="not one whole number"):
        Session(builder, seed=seed)


def test_seeds_below_zero_and_large_ones_are_seeds(builder):
    noise = ops.uniform(builder.key(), shape=(3,))
    drawn = [Session(builder, seed=seed).run(noise).tolist() for seed in (-1, 0, 2**63 - 1)]
    assert len({*map(tuple, drawn)}) == 3


def test_one_tensor_is_fed_once(builder):
    x = builder.placeholder((), name="x")
    again = type(x)(x.edge, builder)
    with pytest.raises(GraphError, match="is fed twice"):
        Session(builder).run(x + 1.0, {x: 1.0, again: 2.0})


def test_what_passes_and_executors_must_keep(builder):
    x = builder.placeholder((), name="x")
    w = builder.variable(0.0, name="w")
    step = builder.assign(w, w + x)
    with pytest.raises(GraphError, match="expected a Graph, got NoneType"):
        Session(builder, passes=[lambda graph: None]).run(step, {x: 1.0})
    with pytest.raises(GraphError, match="a pass has changed the outputs of the graph"):
        Session(builder, passes=[lambda g: Graph(g.inputs, g.nodes, g.outputs[:1])]).run(
            step, {x: 1.0}
        )
    session = Session(builder, executor=lambda graph, *arrays: (np.array(1.0),))
    with pytest.raises(GraphError, match="the executor gives 1 values, the graph has 2 outputs"):
        session.run(step, {x: 1.0})
    assert session.state()["w"] == 0


class TestBooksPrograms:
    """Programs as books on TensorFlow 1 have them."""

    def test_moving_average(self, builder):
        x = builder.placeholder((), name="x")
        mean, count = builder.variable(0.0, name="mean"), builder.variable(0, name="count")
        counted = builder.assign(count, count + 1)
        moved = builder.assign(mean, 0.9 * mean + 0.1 * x)
        with builder.control_dependencies([moved, counted]):
            corrected = mean / (1.0 - ops.pow(0.9, count.cast("float64")))
        session, by_hand = Session(builder), 0.0
        for number, value in enumerate((1.0, 1.0, 4.0), 1):
            by_hand = 0.9 * by_hand + 0.1 * value
            found = session.run(corrected, {x: value})
            np.testing.assert_allclose(found, by_hand / (1 - 0.9**number))
        assert session.run([mean, count]) == [by_hand, 3]

    def test_linear_regression(self, builder):
        data = np.random.default_rng(0).normal(size=(64, 3))
        x, y = builder.placeholder((None, 3), name="x"), builder.placeholder((None,), name="y")
        w, b = builder.variable(np.zeros(3), name="w"), builder.variable(0.0, name="b")
        loss = ((x @ w + b - y) ** 2.0).mean()
        step, session = minimize(loss, SGD(0.1)), Session(builder)
        for _ in range(200):
            session.run(step, {x: data, y: data @ [1.0, -2.0, 0.5] + 3.0})
        np.testing.assert_allclose(session.run(w), [1, -2, 0.5], atol=1e-8)
        np.testing.assert_allclose(session.run(b), 3, atol=1e-8)

    def test_the_best_so_far(self, builder):
        x = builder.placeholder((), name="x")
        best = builder.variable(-np.inf, name="best")
        keep = builder.assign(best, cond(x > best, lambda: x, lambda: best))
        session = Session(builder)
        assert [float(session.run(keep, {x: value})) for value in (1.0, 3.0, 2.0)] == [1, 3, 3]

    def test_a_loop_in_a_graph_with_state(self, builder):
        w, n = builder.variable(1.0, name="w"), builder.placeholder((), "int64", name="n")
        _, new = while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2.0), (0, w))
        step, session = builder.assign(w, new), Session(builder)
        assert [float(session.run(step, {n: k})) for k in (3, 0, 2)] == [8, 8, 32]
        assert (session.run(w), w.node.value) == (32, 1)

    def test_what_a_branch_takes_may_be_fed(self, builder):
        x = builder.placeholder((), name="x")
        h = x * x
        large = h > 4.0
        y = cond(large, lambda: h * 10.0, lambda: h - 1.0)
        session = Session(builder)
        assert [session.run(y, {h: v}) for v in (5.0, 1.0)] == [50, 0]
        assert session.run(y, {x: 3.0, large: False}) == 8
        i, power = while_loop(lambda c: c[1] < 100.0, lambda c: (c[0] + 1, c[1] * c[1]), (0, x))
        assert session.run(power + 1.0, {power: 5.0}) == 6
        assert session.run(power + i.cast("float64"), {i: 100, x: 2.0}) == 356

    def test_what_is_inside_a_branch_can_be_neither_fed_nor_fetched(self, builder):
        x, inside = builder.placeholder((), name="x"), []
        y = cond(x > 0.0, lambda: inside.append(x * 2.0) or inside[0], lambda: x)
        session = Session(builder)
        for act in (lambda: session.run(inside[0], {x: 1.0}),
                    lambda: session.run(y, {x: 1.0, inside[0]: 2.0})):  # fmt: skip
            with pytest.raises(CaptureError, match="it built a branch or a body"):
                act()

    def test_sizes_that_meet_in_a_branch_only(self, builder):
        x, y = builder.placeholder((None,), name="x"), builder.placeholder((None,), name="y")
        z = cond(x.sum() > 0.0, lambda: (x * y).sum(), lambda: y.sum())
        session = Session(builder)
        assert session.run(z, {x: [-1.0, -1.0], y: [1.0, 2.0, 3.0]}) == 6
        with pytest.raises(ShapeError, match="N = 2 and N2 = 3 were taken as equal"):
            session.run(z, {x: [1.0, 1.0], y: [1.0, 2.0, 3.0]})

    def test_another_mask_in_each_step_and_the_same_going_back(self, builder):
        x = builder.placeholder((5, 40), name="x")
        key = builder.key()

        def body(total, step):
            row, i = step
            mask = ops.dropout(row, ops.fold_in(key, i), rate=0.5)
            return total + mask.sum(), mask

        total, masks = scan(body, 0.0, (x, np.arange(5)))
        session, data = Session(builder, seed=1), np.ones((5, 40))
        found, slope = session.run([masks, *gradients(total, [x])], {x: data})
        np.testing.assert_array_equal(found, slope)
        assert len({*map(tuple, found)}) == 5
        assert not np.array_equal(session.run(masks, {x: data}), found)

    def test_a_recurrent_network_learns(self, builder):
        rng = np.random.default_rng(0)
        xs = builder.placeholder((None, 4, 2), name="xs")
        target = builder.placeholder((4,), name="target")
        sizes = {"w": (2, 8), "u": (8, 8), "v": (8,)}
        w, u, v = (builder.variable(rng.normal(size=s) * 0.4, name=n) for n, s in sizes.items())
        h, _ = scan(lambda h, x: (ops.tanh(x @ w + h @ u), None), np.zeros((4, 8)), xs)
        loss = ((h @ v - target) ** 2.0).mean()
        step, session = minimize(loss, SGD(0.1)), Session(builder)
        data = rng.normal(size=(6, 4, 2))
        feeds = {xs: data, target: data.sum((0, 2))}
        first = session.run(loss, feeds)
        for _ in range(60):
            session.run(step, feeds)
        assert session.run(loss, feeds) < first / 20
        session.run(step, {xs: data[:2], target: data[:2].sum((0, 2))})  # another length
