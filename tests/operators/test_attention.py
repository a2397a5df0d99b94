"""Embedding, linear and attention against what they say, masks and refusals included."""

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, grad, ops, run
from cgkit.errors import OperandError
from cgkit.testing import check_gradient

RNG = np.random.default_rng(0)


class TestEmbedding:
    def test_a_row_that_is_read_twice_has_both_gradients(self):
        table = Tensor(np.arange(6.0).reshape(3, 2), requires_grad=True)
        rows = ops.embedding(np.array([[0, 2], [2, 2]]), table)
        assert rows.shape == (2, 2, 2)
        assert rows.data[1, 0].tolist() == [4.0, 5.0]
        (slope,) = grad(rows.sum(), table)
        assert slope.data.tolist() == [[1, 1], [0, 0], [3, 3]]

    @pytest.mark.parametrize("padding", [2, -1])
    def test_padding_has_a_row_and_no_gradient(self, padding):
        table = Tensor(np.arange(6.0).reshape(3, 2), requires_grad=True)
        rows = ops.embedding(np.array([0, 2]), table, padding=padding)
        assert rows.data.tolist() == [[0, 1], [4, 5]]
        (slope,) = grad(rows.sum(), table)
        assert slope.data.tolist() == [[1, 1], [0, 0], [0, 0]]

    def test_gradients(self):
        ids = np.array([0, 2, 2])
        check_gradient(lambda w: ops.embedding(ids, w), RNG.normal(size=(3, 2)))

    def test_what_does_not_fit(self):
        with pytest.raises(DtypeError, match="ids of an integer dtype, not float64"):
            ops.embedding(np.ones((3, 2)), np.array([0, 1]))
        with pytest.raises(ShapeError, match=r"needs a table \(ids, size\), got \(3,\)"):
            ops.embedding(np.array([0]), np.ones(3))
        said = "a row for each of 3 ids, and none for another\n  place 3 lies outside axis 0"
        with pytest.raises(ShapeError, match=said):
            ops.embedding(np.array([3]), np.ones((3, 2)))
        with pytest.raises(OperandError, match="padding of embedding is a whole number"):
            ops.embedding(np.array([0]), np.ones((3, 2)), padding=1.0)


class TestLinear:
    @pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 2, 3)])
    def test_the_last_axis_is_mixed(self, shape):
        x, w, b = RNG.normal(size=shape), RNG.normal(size=(5, 3)), RNG.normal(size=5)
        np.testing.assert_allclose(ops.linear(x, w, b), x @ w.T + b)
        np.testing.assert_allclose(ops.linear(x, w), x @ w.T)
        np.testing.assert_allclose(ops.linear(x, w[0]), x @ w[0])

    def test_what_does_not_fit(self):
        with pytest.raises(ShapeError, match=r"linear cannot apply w of \(3, 5\) to x of \(2, 3\)"):
            ops.linear(np.ones((2, 3)), np.ones((3, 5)))
        with pytest.raises(ShapeError, match="at least one axis"):
            ops.linear(np.array(1.0), np.ones((3, 5)))


def plainly(q, k, v, allowed):
    """Let each query choose among the keys it may look at."""
    result = np.empty((*q.shape[:-1], v.shape[-1]))
    for i in range(len(q)):
        places = [j for j in range(len(k)) if allowed(i, j)]
        scores = np.exp([q[i] @ k[j] / np.sqrt(q.shape[-1]) for j in places])
        result[i] = sum(s * v[j] for s, j in zip(scores, places, strict=True)) / scores.sum()
    return result


Q, K, V = RNG.normal(size=(4, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))


class TestAttention:
    attend = staticmethod(ops.scaled_dot_product_attention)

    def test_each_query_by_itself(self):
        np.testing.assert_allclose(self.attend(Q, K, V), plainly(Q, K, V, lambda i, j: True))
        batch = self.attend(np.stack([Q, Q]), K, V)
        np.testing.assert_allclose(batch[1], self.attend(Q, K, V))

    def test_no_look_ahead(self):
        expected = plainly(Q, K, V, lambda i, j: j <= i)
        np.testing.assert_allclose(self.attend(Q, K, V, causal=True), expected)
        mask = np.tril(np.ones((4, 5), bool))
        np.testing.assert_allclose(self.attend(Q, K, V, mask), expected)

    def test_masks_and_causality_together(self):
        mask = np.array([True, True, False, True, True])
        expected = plainly(Q, K, V, lambda i, j: j <= i and mask[j])
        np.testing.assert_allclose(self.attend(Q, K, V, mask, causal=True), expected)

    def test_floats_are_added(self):
        bias = RNG.normal(size=(4, 5))
        scores = Q @ K.T * 0.5 + bias
        expected = ops.softmax(scores) @ V
        np.testing.assert_allclose(self.attend(Q, K, V, bias, scale=0.5), expected)

    def test_a_query_that_may_look_nowhere(self):
        mask = np.ones((4, 5), bool)
        mask[2] = False
        found = self.attend(Q, K, V, mask)
        assert np.isnan(found[2]).all()
        assert np.isfinite(found[[0, 1, 3]]).all()

    def test_heads_that_share(self):
        q, k, v = RNG.normal(size=(4, 3, 2)), RNG.normal(size=(2, 5, 2)), RNG.normal(size=(2, 5, 2))
        found = self.attend(q, k, v, grouped=True)
        for head in range(4):
            np.testing.assert_allclose(
                found[head], self.attend(q[head], k[head // 2], v[head // 2])
            )

    def test_dropping_needs_a_key_and_replays(self):
        with pytest.raises(OperandError, match="needs a key"):
            self.attend(Q, K, V, rate=0.5)
        key = ops.key(7)
        found = self.attend(Q, K, V, rate=0.5, key=key)
        np.testing.assert_array_equal(found, self.attend(Q, K, V, rate=0.5, key=key))
        assert not np.allclose(found, self.attend(Q, K, V))

    def test_which_shares_are_kept_may_be_given(self):
        kept = RNG.random((4, 5)) < 0.5
        shares = ops.softmax(Q @ K.T / np.sqrt(3)) * kept / 0.75
        np.testing.assert_allclose(self.attend(Q, K, V, rate=0.25, kept=kept), shares @ V)
        with pytest.raises(OperandError, match="needs a key, or which shares are kept"):
            self.attend(Q, K, V, rate=0.5, key=ops.key(7), kept=kept)

    def test_gradients(self):
        small = Q[:2, :2], K[:3, :2], V[:3]
        check_gradient(self.attend, *small)
        check_gradient(lambda *xs: self.attend(*xs, causal=True), *small)

    def test_open_lengths(self):
        builder = GraphBuilder()
        q, k, v = (builder.placeholder(s) for s in (("L", 3), ("S", 3), ("S", 2)))
        y = self.attend(q, k, v, causal=True)
        assert str(y.shape) == "(L, 2)"
        (found,) = run(builder.graph([y]), Q, K, V)
        np.testing.assert_allclose(found, self.attend(Q, K, V, causal=True))

    def test_what_does_not_fit(self):
        with pytest.raises(
            ShapeError, match=r"got \(4, 3\), \(5, 2\) and \(5, 2\)\n.*3 and 2 differ"
        ):
            self.attend(Q, V, V)
        with pytest.raises(ShapeError, match="the sizes 5 and 4 differ"):
            self.attend(Q, K, V[:4])
        with pytest.raises(ShapeError, match="at least two axes"):
            self.attend(Q[0], K, V)
        with pytest.raises(ShapeError, match=r"scores \(4, 5\), and a mask of \(5, 4\)"):
            self.attend(Q, K, V, np.ones((5, 4), bool))
        with pytest.raises(DtypeError, match="booleans, True where a query may look"):
            self.attend(Q, K, V, np.ones((4, 5), int))
        with pytest.raises(ShapeError, match="3 heads of queries cannot share 2 heads of keys"):
            self.attend(np.ones((3, 1, 1)), np.ones((2, 1, 1)), np.ones((2, 1, 1)), grouped=True)
