"""Edges, nodes and operators: plain data, and the one place where operands are checked."""

import numpy as np
import pytest

from cgkit import DtypeError, Edge, Node, Operator, ShapeError, TensorType, ops
from cgkit.errors import OperandError
from cgkit.node import FREED, INPUT, NO_PARAMS, SOURCES, Extras, MultiOperator, Operand

FLOAT = np.dtype("float64")


def leaf(name=""):
    return Node(INPUT, (), {}, (), Extras(name, results=(TensorType((2,), "float64"),)))


class TestEdge:
    def test_it_tells_a_tensor_but_holds_no_array(self):
        edge = Edge(None, 0, (2, 3), FLOAT)
        assert edge.type == TensorType((2, 3), "float64")
        assert edge.ndim == 2
        assert not hasattr(edge, "__dict__")
        assert set(Edge.__slots__) == {"dtype", "index", "node", "shape"}

    def test_two_edges_may_stand_for_one_output(self):
        node = leaf("x")
        assert node.edges[0] is not node.edges[0]
        assert node.edges[0].key == node.edges[0].key == (node, 0)

    @pytest.mark.parametrize(
        ("edge", "shown"),
        [
            (Edge(None, 0, (), FLOAT), "<edge untracked:0 float64[]>"),
            (leaf("x").edges[0], "<edge x:0 float64[2]>"),
            (leaf().edges[0], "<edge input:0 float64[2]>"),
        ],
    )
    def test_repr(self, edge, shown):
        assert repr(edge) == shown


class TestNode:
    def test_extras_come_when_they_are_needed(self):
        node = Node(ops.add, (), NO_PARAMS)
        assert (node.name, node.scope, node.value, node.results, node.extras) == (
            "", "", None, None, None,
        )  # fmt: skip
        assert node.edges == ()
        node.extra().name = "y"
        assert node.extra() is node.extras
        assert repr(node) == "<node y = add>"

    def test_producers_are_nodes_once_for_each_operand(self):
        x = leaf("x")
        edge = x.edges[0]
        node = Node(ops.add, (edge, 2.0, Edge(None, 0, (), FLOAT), edge), NO_PARAMS)
        assert list(node.producers) == [x, x]

    def test_nothing_points_forward_or_at_a_handle(self):
        assert set(Node.__slots__) == {
            "__weakref__", "extras", "inputs", "operator", "params", "saved",
        }  # fmt: skip


class TestOperator:
    def test_plain_arrays_are_just_computed(self):
        assert ops.add(1.0, 2.0) == 3
        assert isinstance(ops.exp(np.ones(2)), np.ndarray)

    def test_the_operand_of_highest_rank_decides(self):
        class Low(Operand):
            rank = 5

            def apply(self, operator, inputs, params):
                return type(self).__name__, operator.name, len(inputs), dict(params)

        class High(Low):
            rank = 6

        assert ops.add(Low(), High()) == ("High", "add", 2, {})
        assert ops.add(High(), Low()) == ("High", "add", 2, {})
        assert ops.sum(Low(), axis=[0, 1]) == ("Low", "sum", 1, {"axis": (0, 1)})

    @pytest.mark.parametrize(
        ("act", "kind", "said"),
        [
            (lambda: ops.add(1.0), OperandError, "add takes 2 operands, got 1"),
            (lambda: ops.exp(1.0, 2.0), OperandError, "exp takes 1 operand, got 2"),
            (lambda: ops.sum(np.ones(2), axes=0), OperandError, "sum has no setting 'axes'"),
            (lambda: ops.sum(np.ones(2), axis={}), ShapeError, r"a whole number, not \{\}"),
            (lambda: ops.sum(np.ones(2), axes=0), OperandError, r"sum\(a, \*, axis=None"),
            (lambda: ops.add(np.ones(2), np.ones(3)), ShapeError, "cannot broadcast"),
            (lambda: ops.add(np.ones(1, "int8"), 300), DtypeError, "300 out of bounds for int8"),
            (lambda: ops.add(np.ones(2), [[1], [2, 3]]), ShapeError, "unlike lengths"),
            (lambda: ops.matmul(np.ones(2), None), DtypeError, "object"),
        ],
    )
    def test_errors_explain_themselves(self, act, kind, said):
        with pytest.raises(kind, match=said):
            act()

    def test_an_error_that_infer_cannot_explain_stays(self):
        def compute(a):
            raise ValueError("of its own")

        with pytest.raises(ValueError, match="of its own"):
            Operator("odd", compute, lambda a: a)(np.ones(2))

    def test_types_are_inferred_in_one_place(self):
        known = TensorType((2,), "float32")
        assert ops.exp.types([known], {}) == (known,)
        split = MultiOperator("split", None, lambda a: (a, a))
        assert split.types([known], {}) == (known, known)
        with pytest.raises(OperandError):
            ops.exp.types([known, known, known], {"axis": 1})

    @pytest.mark.parametrize(
        ("saves", "wanted", "kept"),
        [
            ((), (0, 1), ()),
            (("b", "a"), (0,), (1,)),
            (("b", "a"), (0, 1), (0, 1)),
            (("y",), (0,), (-1,)),
            (("ab", "aby"), (1,), (-1, 0, 1)),
            (("b", ""), (0, 1, 2), (1,)),
            (("", "a"), (1, 2, 3), (0,)),
        ],
    )
    def test_what_to_keep(self, saves, wanted, kept):
        operator = Operator("op", None, None, gradient=(None,), saves=saves)
        assert operator.kept(wanted) == kept
        assert operator.kept(wanted) is operator.kept(wanted)

    def test_a_joint_gradient_keeps_all(self):
        joint = Operator("op", None, None, gradient=lambda g, y, a, b: (g, g), saves=("b", "a"))
        assert joint.kept((0,)) == (0, 1)

    def test_a_picture_shows_the_label_or_the_name(self):
        assert Operator("op", None, None).label == "op"
        assert ops.matmul.label == "@"
        assert repr(ops.matmul) == "<operator matmul>"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_a_source_is_given_and_never_computed(source):
    assert source.family == "source"
    with pytest.raises(NotImplementedError, match="never computed"):
        source.compute()


def test_freed_is_not_mistaken_for_nothing_saved():
    assert FREED
