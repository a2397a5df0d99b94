"""Open sizes are computed by the model from the shapes of what it is given."""

import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx.exporting.open_sizes import note, vector
from cgkit.onnx.exporting.writer import Term, Writer
from cgkit.types import Dim

N, M, K = Dim("N"), Dim("M"), Dim("K")
F8 = np.dtype("float64")


def computed(shapes, sizes, arrays):
    """Compute sizes by a model that is given arrays whose shapes hold open ones."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    writer = Writer(28)
    for i, shape in enumerate(shapes):
        note(writer, Term(f"x{i}", F8, shape))
    found = vector(writer, sizes)
    given = [helper.make_tensor_value_info(f"x{i}", 11, None) for i in range(len(shapes))]
    end = helper.make_tensor_value_info(found.name, 7, None)
    graph = helper.make_graph(writer.nodes, "sizes", given, [end])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)])
    feeds = {f"x{i}": np.zeros(shape) for i, shape in enumerate(arrays)}
    (sizes,) = ReferenceEvaluator(model).run(None, feeds)
    return sizes.tolist(), [node.op_type for node in writer.nodes]


@pytest.mark.parametrize(
    ("shapes", "sizes", "arrays", "expected"),
    [
        ([(N, 3)], (N, 3), [(5, 3)], [5, 3]),
        ([(N, M)], (M * 2, N * M, N - 1), [(5, 3)], [6, 15, 4]),
        ([(N, M)], (N * N * M - M * 3 + 7,), [(5, 3)], [75 - 9 + 7]),
        ([(N * 2 + 3,)], (N,), [(13,)], [5]),
        ([(N * M,), (N,)], (M, N), [(15,), (5,)], [3, 5]),
        ([(N * M + K,), (K + M,), (M,)], (N, M, K), [(19,), (7,), (3,)], [5, 3, 4]),
        ([(2,)], (4, 0), [(2,)], [4, 0]),
        ([(N,)], (), [(5,)], []),
    ],
)
def test_sizes(shapes, sizes, arrays, expected):
    assert computed(shapes, sizes, arrays)[0] == expected


def test_each_is_computed_once():
    kinds = computed([(N, M)], (N * 2, N * 2, N * 2), [(5, 3)])[1]
    assert kinds.count("Shape") == 1
    assert kinds.count("Mul") == 1


def test_a_tensor_that_has_the_size_by_itself_is_asked_first():
    kinds = computed([(N * 2,), (N,)], (N,), [(10,), (5,)])[1]
    assert kinds == ["Shape"]


@pytest.mark.parametrize(
    ("shapes", "told"), [([(N * M,)], r"\(M\*N,\)"), ([(N * N,)], r"\(N\^2,\)")]
)
def test_what_cannot_be_told(shapes, told):
    with pytest.raises(OnnxError, match=rf"(?s)open size N cannot be read off.*{told}.*by itself"):
        computed(shapes, (N,), [(4,)])


def test_two_that_wait_for_each_other():
    with pytest.raises(OnnxError, match=r"cannot be read off"):
        computed([(N + M,), (N * 2 + M,)], (N,), [(4,), (6,)])
