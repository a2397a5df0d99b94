"""A graph never changes, prints as it would be written, and can be made of what was recorded."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings

from cgkit import (
    Graph,
    GraphBuilder,
    GraphError,
    Tensor,
    cost,
    flops,
    ops,
    recorded,
    run,
    scan,
    switch,
    topological_order,
    verify,
    while_loop,
)
from cgkit.errors import OperandError
from cgkit.graph import constant, graphs_inside, names, plain_params, show_param, source
from cgkit.node import CONSTANT, INPUT, VARIABLE, MultiOperator
from cgkit.testing import programs
from cgkit.testing.cases import same
from cgkit.types import TensorType


@pytest.fixture
def builder():
    return GraphBuilder()


class TestPrinted:
    def test_all_that_may_stand_in_it(self, builder):
        x = builder.placeholder((None, 3), "float32", name="x")
        w = builder.variable(np.ones((3, 2), "f4"), name="w")
        k = builder.constant(np.ones(2, "f4"))
        h = ops.relu(x @ w + k).named("h")
        parts = h[1:, 0] * 2.0
        assert str(builder.graph([parts, h.sum(axis=1, keepdims=True)])) == (
            "graph(x: float32[N, 3])\n"
            "  w = variable                          float32[3, 2]\n"
            "  m = matmul(x, w)                      float32[N, 2]\n"
            "  c = constant                          float32[2]\n"
            "  s = add(m, c)                         float32[N, 2]\n"
            "  h = relu(s)                           float32[N, 2]\n"
            "  s1 = slice(h, index=(1:, 0))          float32[N - 1]\n"
            "  p = mul(s1, 2.0)                      float32[N - 1]\n"
            "  s2 = sum(h, axis=1, keepdims=True)    float32[N, 1]\n"
            "  return p, s2"
        )

    def test_lines_stand_in_columns(self, builder):
        x = builder.placeholder((2,), name="x")
        lines = str(builder.graph([ops.exp(x) + ops.tanh(x)])).splitlines()
        assert lines[0] == "graph(x: float64[2])"
        assert len({line.index("float64") for line in lines[1:-1]}) == 1
        assert lines[-1] == "  return s"

    def test_single_numbers_stand_where_they_are_used(self, builder):
        x = builder.placeholder((), name="x")
        named = builder.constant(2.0, name="two")
        text = str(builder.graph([x * 3.0 + named]))
        assert "mul(x, 3.0)" in text
        assert "two = constant" in text
        assert str(builder.graph([builder.constant(4)])) == "graph()\n  return 4"

    def test_an_output_may_be_an_input(self, builder):
        x = builder.placeholder((), name="x")
        assert str(builder.graph([x, x])) == "graph(x: float64[])\n  return x, x"

    def test_params_are_short(self, builder):
        x = builder.placeholder((2,), name="x")
        assert "cast(x, dtype=float32)" in str(builder.graph([ops.cast(x, dtype="float32")]))
        assert show_param(np.dtype("float32")) == "float32"
        assert "Graph of 0 nodes" in show_param(Graph((), (), ()))

    def test_graphs_inside_stand_below_their_node(self, builder):
        x = builder.placeholder((3,), name="x")
        rows = builder.placeholder((None, 3), name="rows")
        with_odd, _ = scan(lambda h, row: (switch(ops.argmax(row, axis=0), [
            lambda: h * row, lambda: while_loop(lambda c: c.sum() < 9.0, lambda c: c + row, h)
        ]), None), x, rows)  # fmt: skip
        assert (
            str(builder.graph([with_odd], [x, rows]))
            == """\
graph(x: float64[3], rows: float64[N, 3])
  s = scan(x, rows, carries=1, sliced=1, length=N, reverse=False)    float64[3]
    body(h: float64[3], row: float64[3])
      a = argmax(row, axis=0)    int64[]
      s1 = switch(a, h, row)     float64[3]
        branches[0](h: float64[3], row: float64[3])
          p = mul(h, row)    float64[3]
          return p
        branches[1](h: float64[3], row: float64[3])
          w = while_loop(h, row, carries=1)    float64[3]
            test(c: float64[3], row: float64[3])
              s2 = sum(c)          float64[]
              l = less(s2, 9.0)    bool[]
              return l
            body(c: float64[3], row: float64[3])
              s2 = add(c, row)    float64[3]
              return s2
          return w
      return s1
  return s"""
        )

    def test_names_outside_are_not_given_anew(self, builder):
        x = builder.placeholder((), name="s")
        graph = builder.graph([x + x])
        assert [*names(graph, ["s1", "s2"]).values()] == ["s", "s3"]
        assert [*names(graph).values()] == ["s", "s1"]

    def test_the_graphs_of_a_node(self, builder):
        x = builder.placeholder((), "int64")
        y = switch(x, [lambda: x, lambda: x + 1])
        held = graphs_inside(y.node)
        assert [name for name, _ in held] == ["branches[0]", "branches[1]"]
        assert [len(graph.operators) for _, graph in held] == [0, 1]
        assert graphs_inside(x.node) == ()
        assert plain_params(y.node) == {}
        assert plain_params(ops.nonzero(x).node) == {}
        assert plain_params(x.cast("float32").node) == {"dtype": np.dtype("float32")}

    def test_repr_counts(self, builder):
        x = builder.placeholder(())
        assert repr(builder.graph([x + x])) == "<Graph of 2 nodes, 1 inputs, 1 outputs>"


class TestNames:
    def test_each_node_has_its_own(self, builder):
        x = builder.placeholder((), name="x")
        nodes = builder.graph([ops.exp(ops.exp(x)).named("x"), (x + x).named("e1")]).nodes
        given = list(names(Graph((), nodes, ())).values())
        assert len(set(given)) == len(given) == 4
        assert given[0] == "x"
        assert "e1" in given

    @settings(max_examples=60)
    @given(programs())
    def test_in_every_graph(self, program):
        graph = program.graph()
        given = names(graph)
        assert len(set(given.values())) == len(graph.nodes)


def test_it_never_changes(builder):
    graph = builder.graph([builder.placeholder(()) + 1.0])
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.nodes = ()
    assert graph != builder.graph([builder.placeholder(()) + 1.0])
    assert len({graph, graph}) == 1


def test_nor_do_its_numbers(builder):
    array = np.ones(2)
    graph = builder.graph([builder.constant(array), builder.variable(array)])
    for found in run(graph):
        with pytest.raises(ValueError, match="read-only"):
            found[0] = 5
    array[0] = 5
    assert constant(array).value is not array
    assert array.flags.writeable
    assert [found.tolist() for found in run(graph)] == [[1, 1], [1, 1]]


def test_consumers_and_operators(builder):
    x = builder.placeholder(())
    y = x * x
    graph = builder.graph([y + x])
    assert [node.operator.name for node in graph.operators] == ["mul", "add"]
    readers = graph.consumers
    assert [node.operator.name for node in readers[x.node]] == ["mul", "mul", "add"]
    assert readers[graph.nodes[-1]] == []


def test_sources_are_made_by_kind():
    known = TensorType((2,), "float32")
    for operator in (INPUT, VARIABLE):
        node = source(operator, known, name="n", scope="a/b")
        assert (node.edges[0].type, node.name, node.scope) == (known, "n", "a/b")
    node = constant([1, 2])
    assert (node.operator, node.value.tolist()) == (CONSTANT, [1, 2])
    assert constant(2.0, np.dtype("float32")).results == (TensorType((), "float32"),)


class TestRecorded:
    def of(self, *tensors):
        nodes = topological_order(*(t.edge.node for t in tensors))
        return recorded([t.edge for t in tensors], nodes)

    def test_leaves_become_inputs_and_numbers_constants(self):
        x = Tensor([1.0, 2.0], requires_grad=True).named("x")
        graph = self.of(x * 2.0 + x)
        assert str(graph) == (
            "graph(x: float64[2])\n"
            "  p = mul(x, 2.0)    float64[2]\n"
            "  s = add(p, x)      float64[2]\n"
            "  return s"
        )
        assert run(graph, np.array([1.0, 2.0]))[0].tolist() == [3, 6]

    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
    def test_numbers_take_the_dtype_of_the_others(self, dtype):
        x = Tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
        y = ops.where(x > 1.0, (x * 2.0 + 1) ** 2.0 / 3.0, 0.0)
        graph = self.of(y)
        verify(graph)
        given = [x.data > 1.0 if edge.dtype == np.bool_ else x.data for edge in graph.inputs]
        found = run(graph, *given)
        assert same(found[0], y.data)

    def test_untracked_tensors_become_inputs(self):
        x, c = Tensor([1.0], requires_grad=True), Tensor([5.0])
        graph = self.of(x * c)
        assert len(graph.inputs) == 2
        assert run(graph, np.array([2.0]), np.array([5.0]))[0].tolist() == [10]

    def test_results_that_nobody_read_have_their_types(self):
        halves = MultiOperator(
            "halves", lambda a: (a[:1].copy(), a[1:].copy()),
            lambda a: (TensorType((1,), a.dtype), TensorType((a.shape[0] - 1,), a.dtype)),
            gradient=(None,),
        )  # fmt: skip
        x = Tensor([1.0, 2.0, 3.0], dtype="float32", requires_grad=True)
        for place, expected in ((0, [1]), (1, [2, 3])):
            graph = self.of(halves(x)[place])
            verify(graph)
            assert [str(t) for t in graph.nodes[-1].results] == ["float32[1]", "float32[2]"]
            assert run(graph, x.data)[0].tolist() == expected

    def test_a_leaf_alone(self):
        x = Tensor(1.0, requires_grad=True)
        graph = self.of(x)
        assert len(graph.nodes) == 1
        assert run(graph, np.array(3.0))[0] == 3

    @settings(max_examples=80)
    @given(programs(most=8))
    def test_a_recorded_program_runs_to_the_same(self, program):
        arrays = program.draw(np.random.default_rng(0))
        points = [Tensor(x, requires_grad=True) for x in arrays]
        with np.errstate(all="ignore"):
            y = program.run(points)[0]
            if y.edge is None:
                return
            graph = self.of(y)
            verify(graph)
            by_node = dict(zip((p.edge.node for p in points), arrays, strict=True))
            order = [n for n in topological_order(y.edge.node) if n in by_node]
            if len(graph.inputs) > len(order):
                return  # a condition or an index became an input too; nothing tells which
            found = run(graph, *(by_node[n] for n in order))
            assert same(found[0], y.data)


@pytest.mark.parametrize("take", [run, verify, cost])
def test_what_is_no_graph_is_told_how_to_become_one(take):
    value = GraphBuilder().placeholder((), name="x")
    with pytest.raises(GraphError, match=r"expected a Graph, got Value\n.*builder\.graph"):
        take(value)


@pytest.mark.parametrize("take", [topological_order, flops])
def test_what_is_no_node_is_told_where_nodes_are(take):
    value = GraphBuilder().placeholder((), name="x")
    with pytest.raises(GraphError, match=r"expected a Node, got Value\n.*value\.node"):
        take(value)


@pytest.mark.parametrize("name", [3, None, b"x", ("x",)])
def test_a_name_is_a_text_wherever_it_is_given(builder, name):
    x = builder.placeholder((), name="x")
    leaf = Tensor(1.0, requires_grad=True)
    for give in (x.named, leaf.named, lambda name: builder.scope(name).__enter__()):
        with pytest.raises(OperandError, match="a name is a text, not "):
            give(name)
    assert x.node.name == "x"
    assert leaf.edge.node.name == ""
