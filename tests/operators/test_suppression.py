import numpy as np
import pytest

from cgkit import GraphBuilder, ops, run
from cgkit.errors import DtypeError, OperandError, ShapeError

BOXES = np.array([[[0, 0, 4, 4], [0, 0, 4, 3], [4, 4, 8, 8], [5, 5, 4, 8]]], "float64")


def overlap(a, b):
    """Give the part of the union that lies in both, by counting small squares."""
    axis = np.arange(0.125, 10, 0.25)
    y, x = np.meshgrid(axis, axis, indexing="ij")

    def inside(box):
        (top, bottom), (left, right) = sorted(box[[0, 2]]), sorted(box[[1, 3]])
        return (y > top) & (y < bottom) & (x > left) & (x < right)

    both, either = (inside(a) & inside(b)).sum(), (inside(a) | inside(b)).sum()
    return both / either if either else 0


def slowly(boxes, scores, most, limit, least):
    rows = []
    for n, c in np.ndindex(*scores.shape[:2]):
        taken = []
        for i in sorted(range(boxes.shape[1]), key=lambda i, s=scores[n, c]: (-s[i], i)):
            free = all(overlap(boxes[n, i], boxes[n, j]) <= limit for j in taken)
            if scores[n, c, i] > least and free and len(taken) < most:
                taken.append(i)
        rows += [[n, c, i] for i in taken]
    return rows


@pytest.mark.parametrize("most", [0, 1, 3, 9])
@pytest.mark.parametrize("limit", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("least", [-1.0, 0.4])
def test_the_best_are_kept(most, limit, least):
    rng = np.random.default_rng(int(most + 10 * limit))
    boxes = rng.integers(0, 9, size=(2, 8, 4)).astype("float64")
    boxes[..., 2:] += boxes[..., 2:] == boxes[..., :2]  # none is empty
    scores = rng.integers(0, 5, size=(2, 3, 8)) / 4
    found = ops.non_max_suppression(boxes, scores, most=most, overlap=limit, least=least)
    assert found.tolist() == slowly(boxes, scores, most, limit, least)


def test_boxes_by_their_middle():
    corners = BOXES[..., [0, 1, 2, 3]]
    low, high = np.minimum(*np.split(corners, 2, -1)), np.maximum(*np.split(corners, 2, -1))
    middles = np.concatenate([(low + high) / 2, high - low], axis=-1)
    scores = np.array([[[0.5, 0.75, 0.25, 0.25]]])
    for limit in (0.2, 0.5, 0.8):
        one = ops.non_max_suppression(BOXES, scores, most=4, overlap=limit)
        other = ops.non_max_suppression(middles, scores, most=4, overlap=limit, center=True)
        np.testing.assert_array_equal(one, other)


def test_an_overlap_that_just_reaches_the_limit_is_kept():
    scores = np.array([[[0.5, 0.75, 0.0, 0.0]]])  # the first two share 12 of 16
    assert len(ops.non_max_suppression(BOXES, scores, most=4, overlap=0.75, least=0.1)) == 2
    assert len(ops.non_max_suppression(BOXES, scores, most=4, overlap=0.74, least=0.1)) == 1


def test_empty_boxes_overlap_nothing():
    boxes = np.array([[[1, 1, 1, 1], [0, 0, 2, 2], [1, 1, 1, 1]]], "float64")
    scores = np.array([[[0.1, 0.2, 0.3]]])
    assert len(ops.non_max_suppression(boxes, scores, most=9)) == 3


def test_a_graph_learns_the_number_when_it_runs():
    builder = GraphBuilder()
    boxes = builder.placeholder((1, "B", 4), name="boxes")
    scores = builder.placeholder((1, 1, "B"), name="scores")
    found = ops.non_max_suppression(boxes, scores, most=9, overlap=0.5)
    graph = builder.graph([ops.take(boxes, found[:, 2], axis=1)])
    for given in ([0.5, 0.75, 0.25, 0.25], [0.5, 0.75, 0.25, 0.9]):
        (kept,) = run(graph, BOXES, np.array([[given]]))
        expected = ops.non_max_suppression(BOXES, np.array([[given]]), most=9, overlap=0.5)
        np.testing.assert_array_equal(kept, BOXES[:, expected[:, 2]])


def test_what_does_not_fit_is_refused():
    scores = np.zeros((1, 1, 4))
    with pytest.raises(ShapeError, match=r"\(1, 4, 4\) and \(1, 1, 3\)"):
        ops.non_max_suppression(BOXES, scores[..., :3], most=1)
    with pytest.raises(DtypeError, match="takes floats, not int64"):
        ops.non_max_suppression(BOXES.astype("int64"), scores, most=1)
    with pytest.raises(OperandError, match="most boxes"):
        ops.non_max_suppression(BOXES, scores, most=-1)
    with pytest.raises(OperandError, match="overlap"):
        ops.non_max_suppression(BOXES, scores, most=1, overlap="half")
