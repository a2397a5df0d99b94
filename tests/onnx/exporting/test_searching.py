"""What only a run can count, in ONNX."""

import numpy as np

from cgkit import ops


def test_places_of_what_is_not_zero(written):
    x = np.array([[0.0, 2.0], [np.nan, 0.0]])
    assert written(ops.nonzero, x).result.tolist() == [[0, 1], [1, 0]]
    assert written(ops.nonzero, x.astype("float32")).kinds == ["NonZero", "Transpose"]
    assert written(ops.nonzero, np.array(5)).result.shape == (1, 0)
    assert written(ops.nonzero, np.array(0.0)).result.shape == (0, 0)


def test_what_was_counted_is_a_size(written):
    # the number of rows is open: what reads it, reads it off the model's own tensor
    def fn(x):
        rows = ops.nonzero(x)
        return ops.reshape(rows, shape=(rows.shape[0] * 2,)), ops.mean(
            ops.cast(rows, dtype="float64")
        )

    found = written(fn, np.array([[0, 3], [4, 5]]))
    assert found.results[0].tolist() == [0, 1, 1, 0, 1, 1]
    np.testing.assert_allclose(found.results[1], 4 / 6)


def test_what_there_is(written):
    x = np.array([3, 1, 3, 2], np.int32)
    first, place, many = written(lambda x: ops.argunique(x, axis=0), x).results
    assert (first.tolist(), place.tolist(), many.tolist()) == ([1, 3, 0], [2, 0, 2, 1], [1, 1, 2])
    first, place, many = written(lambda x: ops.argunique(x, axis=0, ordered=False), x).results
    assert (first.tolist(), place.tolist(), many.tolist()) == ([0, 1, 3], [0, 1, 0, 2], [2, 1, 1])


def test_boxes(written):
    boxes = np.array([[[0, 0, 4, 4], [0, 0, 4, 3], [4, 4, 8, 8]]], np.float32)
    scores = np.array([[[0.5, 0.75, 0.25]]], np.float32)
    found = written(lambda b, s: ops.non_max_suppression(b, s, most=3, overlap=0.5), boxes, scores)
    assert found.result.tolist() == [[0, 0, 1], [0, 0, 2]]
    found = written(
        lambda b, s: ops.non_max_suppression(b, s, most=3, overlap=0.9, least=0.3), boxes, scores
    )
    assert found.result.tolist() == [[0, 0, 1], [0, 0, 0]]
