"""Orders, cycles, the check that a graph is sound, and rewriting; networkx knows better.

x ─┬─> a ─┐
   └─> b ─┴─> c
"""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit import (
    CycleError,
    Edge,
    Graph,
    GraphBuilder,
    GraphError,
    Node,
    cond,
    find_cycle,
    ops,
    rewrite,
    run,
    topological_order,
    verify,
    while_loop,
)
from cgkit.graph import constant
from cgkit.node import INPUT, NO_PARAMS, Extras
from cgkit.order import infer, node_line, verify_order
from cgkit.testing import graphs, programs
from cgkit.testing.cases import same
from cgkit.types import TensorType

FLOAT = TensorType((), "float64")


def node(name, *producers):
    """Make a node that reads others, in the plainest way."""
    operator = ops.concat if producers else INPUT
    edges = tuple(p.edges[0] for p in producers)
    return Node(operator, edges, NO_PARAMS, (), Extras(name, results=(FLOAT,)))


def named(nodes):
    return [n.name for n in nodes]


def diamond():
    x = node("x")
    a, b = node("a", x), node("b", x)
    return x, a, b, node("c", a, b)


class TestOrder:
    def test_depth_first_from_left_to_right(self):
        assert named(topological_order(diamond()[-1])) == ["x", "a", "b", "c"]

    def test_several_roots(self):
        _, a, b, c = diamond()
        assert named(topological_order(b, c, a)) == ["x", "b", "a", "c"]
        assert topological_order() == []

    def test_a_node_that_reads_one_twice(self):
        x = node("x")
        assert named(topological_order(node("y", x, x))) == ["x", "y"]

    @settings(max_examples=100)
    @given(graphs(most=20))
    def test_networkx_calls_it_topological(self, graph):
        order = topological_order(*(edge.node for edge in graph.outputs))
        drawn = nx.MultiDiGraph()
        drawn.add_nodes_from(order)
        drawn.add_edges_from((p, n) for n in order for p in n.producers)
        place = {n: i for i, n in enumerate(order)}
        assert len(place) == drawn.number_of_nodes()
        assert all(place[p] < place[n] for p, n in drawn.edges())
        reached = set().union(*(nx.ancestors(drawn, e.node) | {e.node} for e in graph.outputs))
        assert reached == set(order)


class TestVerifyOrder:
    @settings(max_examples=60)
    @given(graphs(most=6), st.randoms(use_true_random=False))
    def test_networkx_is_as_strict(self, graph, rng):
        nodes = list(graph.nodes)
        rng.shuffle(nodes)
        drawn = nx.DiGraph((p, n) for n in nodes for p in n.producers)
        place = {n: i for i, n in enumerate(nodes)}
        right = all(place[p] < place[n] for p, n in drawn.edges())
        if right:
            verify_order(nodes)
        else:
            with pytest.raises(GraphError, match="stands before"):
                verify_order(nodes)

    def test_every_order_of_a_diamond(self):
        x, a, b, c = diamond()
        drawn = nx.DiGraph([(x, a), (x, b), (a, c), (b, c)])
        orders = list(nx.all_topological_sorts(drawn))
        assert len(orders) == 2
        for order in orders:
            verify_order(order)

    def test_what_is_wrong_is_named(self):
        x, a, b, c = diamond()
        for order, said in (
            ([x, a, c, b], "c stands before b, which it reads"),
            ([x, a, b, c, a], "a stands twice"),
            ([x, b, c], "c reads a, which is not listed"),
            ([a, x], "a stands before x"),
        ):
            with pytest.raises(GraphError, match=said):
                verify_order(order)

    def test_a_cycle_is_named_rather_than_an_order_blamed(self):
        x, a, b, c = diamond()
        a.inputs = (*a.inputs, c.edges[0])
        with pytest.raises(CycleError) as caught:
            verify_order([x, a, b, c])
        assert sorted(caught.value.nodes) == ["a", "c"]


class TestFindCycle:
    edges = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=3))

    @given(edges)
    def test_networkx_agrees_whether_there_is_one(self, producers):
        drawn = nx.DiGraph((p, n) for n, ps in producers.items() for p in ps)
        found = find_cycle(producers)
        assert bool(found) == (not nx.is_directed_acyclic_graph(drawn))
        for one, following in zip(found, found[1:] + found[:1], strict=True):
            assert one in producers[following]
        assert len(set(found)) == len(found)

    def test_one_that_waits_for_itself(self):
        assert find_cycle({"a": ["a"]}) == ["a"]

    def test_long_chains_are_walked(self):
        n = 100_000
        chain = {i: [i - 1] for i in range(1, n)}
        assert find_cycle(chain) == []
        chain[0] = [n - 1]
        assert len(find_cycle(chain)) == n


class TestVerify:
    def sound(self):
        builder = GraphBuilder()
        x = builder.placeholder((2,), name="x")
        return builder.graph([(ops.exp(x) + 1.0).named("y")])

    @settings(max_examples=60)
    @given(programs())
    def test_what_is_built_is_sound(self, program):
        verify(program.graph())

    def test_a_claim_that_infer_denies(self):
        graph = self.sound()
        graph.nodes[-1].extras.results = (TensorType((3,), "float64"),)
        with pytest.raises(GraphError, match=r"y claims \(float64\[3\],\), but add gives"):
            verify(graph)

    def test_an_edge_that_claims_another_type(self):
        graph = self.sound()
        end = graph.nodes[-1]
        wrong = Graph(graph.inputs, graph.nodes, (Edge(end, 0, (3,), np.dtype("f8")),))
        with pytest.raises(GraphError, match=r"y is float64\[2\], not float64\[3\]"):
            verify(wrong)

    def test_an_output_that_is_not_there(self):
        graph = self.sound()
        for edge, said in (
            (Edge(graph.nodes[-1], 1, (2,), np.dtype("f8")), "y has 1 outputs, not number 1"),
            (node("z").edges[0], r"the output <edge z:0 .*> is not among the nodes"),
            (Edge(None, 0, (), np.dtype("f8")), "is not among the nodes"),
        ):
            with pytest.raises(GraphError, match=said):
                verify(Graph(graph.inputs, graph.nodes, (edge,)))

    def test_inputs_and_placeholders_belong_together(self):
        graph = self.sound()
        with pytest.raises(GraphError, match="x must be given, but is not among the inputs"):
            verify(Graph((), graph.nodes, graph.outputs))
        with pytest.raises(GraphError, match=r"the input .* is not among the nodes"):
            verify(Graph((*graph.inputs, node("z").edges[0]), graph.nodes, graph.outputs))

    def test_a_plain_number_is_no_operand_of_a_graph(self):
        bare = Node(ops.neg, (2.0,), NO_PARAMS, (), Extras(results=(FLOAT,)))
        with pytest.raises(GraphError, match=r"2\.0 is no output of a node"):
            verify(Graph((), (bare,), bare.edges))

    def test_graphs_inside_are_looked_at_too(self):
        builder = GraphBuilder()
        x = builder.placeholder((2,), name="x")
        y = cond(x.sum() > 0.0, lambda: while_loop(lambda c: c.sum() < 9.0, ops.exp, x), lambda: x)
        verify(builder.graph([y]))
        loop = next(n for n in y.node.params["then"].nodes if n.operator.name == "while_loop")
        body = loop.params["body"]
        wrong = Node(ops.exp, body.inputs, {}, (), Extras(results=(TensorType((3,), "f8"),)))
        loop.params["body"] = Graph(body.inputs, (*body.nodes, wrong), body.outputs)
        with pytest.raises(GraphError, match=r"e1 claims \(float64\[3\],\)") as caught:
            verify(builder.graph([y]))
        assert "in body of  while_loop(x)" in caught.value.__notes__[0]
        assert "in then of  cond(greater, x)" in caught.value.__notes__[1]
        loop.params["body"] = Graph(body.inputs, body.nodes[::-1], body.outputs)
        with pytest.raises(GraphError, match="stands before"):
            verify(builder.graph([y]))

    def test_an_intermediate_may_be_an_input(self):
        # a graph cut in the middle: what is given need not be a placeholder
        builder = GraphBuilder()
        a = builder.placeholder((2,))
        b = ops.exp(a)
        c = b * 2.0
        cut = builder.graph([c], [b, a])
        assert run(cut, np.ones(2), np.zeros(2))[0].tolist() == [2, 2]


class TestRewrite:
    def build(self):
        builder = GraphBuilder()
        x, y = builder.placeholder((2,), name="x"), builder.placeholder((2,), name="y")
        return builder.graph([ops.exp(x + y) * 2.0, y], [x, y])

    def test_nothing_to_do(self):
        graph = self.build()
        same_graph = rewrite(graph, lambda n, inputs: None)
        assert same_graph.nodes == graph.nodes
        assert same_graph.inputs[0].key == graph.inputs[0].key
        assert str(same_graph) == str(graph)

    def test_an_operator_in_anothers_place(self):
        graph = self.build()

        def swap(old, inputs):
            if old.operator is not ops.exp:
                return None
            return Node(ops.tanh, inputs, old.params, (), Extras(results=old.results))

        new = rewrite(graph, swap)
        verify(new)
        assert [n.operator.name for n in new.operators] == ["add", "tanh", "mul"]
        assert [n.operator.name for n in graph.operators] == ["add", "exp", "mul"]
        x, y = np.array([0.1, 0.2]), np.array([1.0, 2.0])
        assert same(run(new, x, y)[0], np.tanh(x + y) * 2.0)

    def test_what_no_output_needs_is_dropped_but_inputs_stay(self):
        graph = self.build()
        fixed = constant(np.ones(2))
        new = rewrite(graph, lambda old, inputs: fixed if old.operator is ops.add else None)
        assert len(new.inputs) == 2
        assert [n.operator.name for n in new.operators] == ["exp", "mul"]
        verify(new)

    def test_equal_nodes_can_be_merged(self):
        builder = GraphBuilder()
        x = builder.placeholder(())
        graph = builder.graph([ops.exp(x) + ops.exp(x)])
        known = {}

        def merge(old, inputs):
            key = (old.operator, *(edge.key for edge in inputs))
            made = Node(old.operator, inputs, old.params, (), old.extras)
            return known.setdefault(key, made)

        assert len(rewrite(graph, merge).operators) == 2

    def test_names_scopes_and_lines_are_kept(self):
        builder = GraphBuilder()
        x = builder.placeholder((), name="x")
        with builder.scope("s"):
            y = ops.exp(ops.neg(x)).named("y")
        line = y.node.extras.line

        def replace(old, inputs):
            made = Node(ops.abs, inputs, old.params, (), Extras(results=old.results))
            return made if old.operator is ops.neg else None

        end = rewrite(builder.graph([y]), replace).nodes[-1]
        assert (end.name, end.scope, end.extras.line) == ("y", "s", line)
        assert line is not None


class TestPlaces:
    def test_a_node_is_written_as_a_line(self):
        x = node("x")
        y = Node(ops.add, (x.edges[0], 2.0), NO_PARAMS, (), Extras("y", line=12))
        assert node_line(y) == "y = add(x, 2.0)   line 12"
        assert node_line(Node(ops.add, (), NO_PARAMS)) == "add()"

    def test_errors_of_infer_carry_it(self):
        y = Node(ops.exp, (node("x").edges[0],), NO_PARAMS)
        with pytest.raises(TypeError) as caught:
            infer(y, [FLOAT, FLOAT, TensorType((), "bool")])
        assert caught.value.__notes__ == ["  at node  exp(x)"]
