"""Order in ONNX: equals keep their order, nan is the largest."""

import numpy as np
import pytest

from cgkit import ops

X = np.array([[3.0, 1.0, 3.0, 2.0], [np.nan, np.inf, 0.0, -np.inf]])


@pytest.mark.parametrize("descending", [False, True])
def test_sorted_places(written, descending):
    found = written(lambda x: ops.argsort(x, descending=descending), X)
    assert found.kinds == ["TopK"]
    expected = [[0, 2, 3, 1], [0, 1, 2, 3]] if descending else [[1, 3, 0, 2], [3, 2, 1, 0]]
    assert found.result.tolist() == expected


def test_sorted_along_an_open_axis(written):
    found = written(lambda x: ops.sort(x, axis=0), np.array([3, 1, 2]), shapes=[("N",)])
    assert found.result.tolist() == [1, 2, 3]


def test_the_first_few(written):
    found = written(lambda x: ops.topk(x, 2), X)
    assert found.results[1].tolist() == [[0, 2], [0, 1]]
    few = written(lambda x: ops.argtopk(x, k=3, largest=False), np.array([True, False, True]))
    assert few.result.tolist() == [1, 0, 2]


def test_the_place_of_the_largest(written):
    found = written(lambda x: ops.argmax(x, axis=1, keepdims=True), X[:1])
    assert (found.kinds, found.result.tolist()) == (["ArgMax"], [[0]])
    flat = written(lambda x: ops.argmin(x, keepdims=True), X[:1])
    assert flat.result.tolist() == [[1]]
    assert written(ops.argmax, np.array(5)).result.tolist() == 0
    assert written(ops.argmax, np.array([False, True])).result.tolist() == 1
