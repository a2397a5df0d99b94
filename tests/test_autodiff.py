"""The sweep by itself, on nodes made by hand: who is visited, in which order, with which parts.

x ─┬─> a ─┐
   └─> b ─┴─> c        c first, then a and b, then x once, when both have spoken
"""

import numpy as np
import pytest

from cgkit import Edge, GraphError, Node, Operator, topological_order
from cgkit.autodiff import (
    add_gradient,
    check_saved,
    is_single,
    needed,
    nodes_to_visit,
    read_arrays,
    sweep,
)
from cgkit.errors import GradientError
from cgkit.node import FREED, LEAF, NO_PARAMS, MultiOperator

FLOAT = np.dtype("float64")
PLUS = Operator(
    "plus", None, None, gradient=(lambda g, y, a, b: g, lambda g, y, a, b: g * np.float64(10))
)


def edge(node, index=0, dtype=FLOAT):
    return Edge(node, index, (), dtype)


def leaf():
    node = Node(LEAF, (), NO_PARAMS)
    node.extra()
    return node


def plus(a, b, saved=()):
    inputs = tuple(edge(x) if isinstance(x, Node) else x for x in (a, b))
    return Node(PLUS, inputs, NO_PARAMS, saved)


def run_back(root, **more):
    """Sweep from a root; give what each leaf received, and the order of visits."""
    visited, received = [], {}

    def deliver(node, gradient):
        received[node] = gradient
        return gradient

    def read(node, gradient):
        visited.append(node)
        return read_arrays(node, gradient)

    nodes = topological_order(root)
    sweep(
        nodes, {root: np.float64(1)}, read=read, unbroadcast=lambda g, e: g, deliver=deliver, **more
    )
    assert nodes == []
    return received, visited


def test_each_node_once_after_all_its_readers():
    x = leaf()
    a, b = plus(x, 1.0), plus(2.0, x)
    c = plus(a, b)
    received, visited = run_back(c)
    assert len(visited) == 3
    assert visited[0] is c
    assert received == {x: 1 + 10 * 10}


def test_twice_the_same_operand():
    x = leaf()
    assert run_back(plus(x, x))[0] == {x: 11}


def test_numbers_and_untracked_edges_want_nothing():
    x = leaf()
    received, _ = run_back(plus(edge(None), x))
    assert received == {x: 10}


def test_integers_stop_it():
    x = leaf()
    node = Node(PLUS, (edge(x, dtype=np.dtype("int64")), edge(x)), NO_PARAMS)
    assert run_back(node)[0] == {x: 10}


def test_a_node_that_nothing_reached_is_passed_over():
    x, y = leaf(), leaf()
    silent = Operator("silent", None, None, gradient=(lambda g, y, a, b: g, None))
    node = Node(silent, (edge(x), edge(plus(y, y))), NO_PARAMS)
    received, visited = run_back(node)
    assert received == {x: 1}
    assert len(visited) == 1


def test_saved_is_freed_unless_retained_or_unused():
    x, w = leaf(), leaf()
    saved = (0, np.ones(()), [0], 0)
    inner = plus(x, 1.0, saved)
    outer = plus(inner, w, saved)
    run_back(outer, retain=True)
    assert outer.saved == inner.saved == saved
    run_back(outer, through={outer, w})
    assert outer.saved is FREED
    assert inner.saved == saved
    run_back(inner)
    assert inner.saved is FREED


def test_nodes_without_saves_are_not_marked():
    x = leaf()
    node = plus(x, x)
    run_back(node)
    assert node.saved == ()


def test_a_joint_rule_runs_once_and_gives_all_parts():
    calls = []
    joint = Operator(
        "joint", None, None, gradient=lambda g, y, a, b: calls.append(1) or (g * 2, None)
    )
    x, y = leaf(), leaf()
    received, _ = run_back(Node(joint, (edge(x), edge(y)), NO_PARAMS))
    assert received == {x: 2}
    assert calls == [1]


def test_the_last_rule_holds_for_further_operands():
    x, y, z = leaf(), leaf(), leaf()
    many = Operator("many", None, None, gradient=(None, lambda g, *xs: g * 3))
    received, _ = run_back(Node(many, (edge(x), edge(y), edge(z)), NO_PARAMS))
    assert received == {y: 3, z: 3}


def test_deliver_may_replace_a_gradient():
    x = leaf()
    a = plus(x, 1.0)
    a.extra()
    seen = {}

    def deliver(node, gradient):
        seen[node] = gradient
        return gradient * 100 if node is a else gradient

    sweep(topological_order(plus(a, 1.0)), {}, read=read_arrays, unbroadcast=None, deliver=deliver)
    assert seen == {}
    root = plus(a, 1.0)
    sweep(
        topological_order(root), {root: np.float64(1)}, read=read_arrays,
        unbroadcast=lambda g, e: g, deliver=deliver,
    )  # fmt: skip
    assert seen == {a: 1, x: 100}


def test_an_error_says_in_whose_gradient():
    def fails(g, y, a):
        raise RuntimeError("no")

    node = Node(Operator("sour", None, None, gradient=(fails,)), (edge(leaf()),), NO_PARAMS)
    with pytest.raises(RuntimeError, match="no") as caught:
        run_back(node)
    assert caught.value.__notes__ == ["  in the gradient of sour"]


class TestNeeded:
    def test_only_what_leads_to_a_target(self):
        x, y = leaf(), leaf()
        a, b = plus(x, 1.0), plus(y, 1.0)
        c = plus(a, b)
        assert needed(topological_order(c), {x}) == {x, a, c}
        assert needed(topological_order(c), {a}) == {a, c}
        assert needed(topological_order(c), set()) == set()

    def test_not_through_integers(self):
        x = leaf()
        whole = Node(PLUS, (edge(x),), NO_PARAMS)
        end = Node(PLUS, (edge(whole, dtype=np.dtype("int32")),), NO_PARAMS)
        assert needed(topological_order(end), {x}) == {x, whole}


class TestCheckSaved:
    def test_versions(self):
        version = [0]
        node = plus(leaf(), leaf(), (0, np.ones(2), [3], 3, -1, np.ones(2), version, 0))
        check_saved([node])
        version[0] = 1
        with pytest.raises(
            GradientError, match=r"\(its result of shape \(2,\)\).*version 1; expected"
        ):
            check_saved([node])

    def test_the_operand_is_named_with_its_shape(self):
        node = plus(leaf(), 1.0, (0, np.ones(()), [1], 0))
        said = r"plus saved \(operand 0 of shape \(\), of the user's\)"
        with pytest.raises(GradientError, match=said):
            check_saved([node])

    def test_by_its_name_or_its_maker(self):
        x = leaf()
        for made, said in ((x, "x"), (plus(x, 1.0), "made by plus")):
            x.extra().name = "x"
            node = plus(made, 1.0, (0, np.ones(2), [1], 0))
            with pytest.raises(GradientError, match=rf"of shape \(2,\), {said}\) was changed"):
                check_saved([node])

    def test_freed(self):
        node = plus(leaf(), leaf(), FREED)
        with pytest.raises(GradientError, match="second time") as caught:
            check_saved([node])
        assert "retain_graph=True" in caught.value.attempt


class TestReading:
    def test_what_was_not_saved_stays_an_edge(self):
        x = leaf()
        node = plus(x, x, (1, np.float64(7), [0], 0, -1, np.float64(9), [0], 0))
        gradient, result, first, second = read_arrays(node, 5.0)
        assert (gradient, result, second) == (5, 9, 7)
        assert isinstance(first, Edge)


class TestAdding:
    def test_one_output(self):
        node, grads = leaf(), {}
        add_gradient(grads, node, 0, 1.0)
        add_gradient(grads, node, 0, 2.0)
        assert grads == {node: 3}

    def test_several_outputs(self):
        node, grads = Node(MultiOperator("two", None, None), (), NO_PARAMS), {}
        assert not is_single(node)
        for index, part in ((1, 1.0), (0, 5.0), (1, 2.0)):
            add_gradient(grads, node, index, part)
        assert grads == {node: {1: 3, 0: 5}}


def test_only_a_foreign_order_is_checked():
    x = leaf()
    root = plus(x, x)
    assert nodes_to_visit(root, topological_order) == [x, root]
    assert nodes_to_visit(root, lambda node: (x, node)) == [x, root]
    with pytest.raises(GraphError, match="stands before"):
        nodes_to_visit(root, lambda node: [root, x])
