"""Attention against its formula, its masks, and the layer of a transformer."""

import numpy as np
import pytest

from cgkit import DtypeError, Generator, GraphBuilder, ShapeError, Tensor, nn, ops
from cgkit.errors import OperandError
from cgkit.nn.attention import MultiHeadAttention, TransformerLayer


def layer(**settings):
    return MultiHeadAttention(6, 2, Generator(0), dtype="float64", **settings)


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def by_hand(attention, q, k, v, allowed):
    """Attend one head and one example at a time."""
    maps = {
        name: (x["weight"], x["bias"])
        for name in ("queries", "keys", "values", "output")
        for x in [getattr(attention, name).state()]
    }
    q, k, v = (x @ maps[n][0] + maps[n][1] for x, n in ((q, "queries"), (k, "keys"), (v, "values")))
    y = np.zeros_like(q)
    for n in range(len(q)):
        for head in range(2):
            part = slice(3 * head, 3 * head + 3)
            scores = q[n, :, part] @ k[n, :, part].T / np.sqrt(3)
            scores = np.where(allowed[n], scores, -np.inf)
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            y[n, :, part] = shares / shares.sum(axis=1, keepdims=True) @ v[n, :, part]
    return y @ maps["output"][0] + maps["output"][1]


def test_heads_and_masks_by_hand():
    attention, x = layer(), drawn(2, 4, 6)
    for bias in (attention.queries.bias, attention.output.bias):
        bias.data[...] = drawn(6, seed=3)
    free = np.ones((2, 4, 4), bool)
    np.testing.assert_allclose(attention(x).data, by_hand(attention, x, x, x, free))
    causal = free & np.tri(4, dtype=bool)
    expected = by_hand(attention, x, x, x, causal)
    np.testing.assert_allclose(attention(x, causal=True).data, expected)
    np.testing.assert_allclose(attention(x, mask=np.tri(4, dtype=bool)).data, expected)
    np.testing.assert_allclose(attention(x, mask=causal).data, expected)
    every = np.repeat(causal[:, None], 2, axis=1)
    np.testing.assert_allclose(attention(x, mask=every).data, expected)
    added = np.where(np.tri(4, dtype=bool), 0.0, -np.inf)
    np.testing.assert_allclose(attention(x, mask=added).data, expected)
    present = np.array([[True, True, False, True], [True, True, True, False]])
    expected = by_hand(attention, x, x, x, causal & present[:, None])
    np.testing.assert_allclose(attention(x, present=present, causal=True).data, expected)
    np.testing.assert_allclose(attention(x, present=present, mask=added).data, expected)
    np.testing.assert_allclose(
        attention(x, present=present, mask=np.tri(4, dtype=bool)).data, expected
    )


def test_another_sequence():
    attention, x, other, values = layer(), drawn(2, 3, 6), drawn(2, 5, 6, seed=1), drawn(2, 5, 6)
    free = np.ones((2, 3, 5), bool)
    expected = by_hand(attention, x, other, other, free)
    np.testing.assert_allclose(attention(x, other).data, expected)
    expected = by_hand(attention, x, other, values, free)
    np.testing.assert_allclose(attention(x, other, values).data, expected)
    np.testing.assert_allclose(attention(x[0], other[0], values[0]).data, expected[0])


def test_what_is_hidden_has_no_influence():
    attention, x = layer(), drawn(1, 4, 6)
    changed = x.copy()
    changed[:, 3] += 1.0
    present = np.array([[True, True, True, False]])
    a, b = (attention(each, present=present).data for each in (x, changed))
    np.testing.assert_array_equal(a[:, :3], b[:, :3])
    a, b = (attention(each, causal=True).data for each in (x, changed))
    np.testing.assert_array_equal(a[:, :3], b[:, :3])
    assert np.isnan(attention(x, present=np.zeros((1, 4), bool)).data).all()


def test_shares_are_dropped_while_training():
    attention, x = layer(rate=0.5), drawn(2, 4, 6)
    a, b = attention(x, key=ops.key(0)).data, attention(x, key=ops.key(1)).data
    assert (a != b).any()
    with pytest.raises(OperandError, match=r"MultiHeadAttention\(6, 2, rate=0\.5\) draws anew"):
        attention(x)
    still = layer()
    still.load_state(attention.state())
    np.testing.assert_array_equal(attention.eval()(x).data, still(x).data)


def test_positions_of_an_open_number():
    attention, builder = layer(), GraphBuilder()
    x = builder.placeholder((None, "T", 6), name="x")
    state = {name: builder.variable(a) for name, a in attention.state().items()}
    y, _ = nn.functional(attention, state, x, causal=True)
    assert str(y.type) == "float64[N, T, 6]"


@pytest.mark.parametrize("length", [0, 1])
def test_few_positions(length):
    y = layer()(Tensor(drawn(2, length, 6), requires_grad=True))
    y.sum().backward()
    assert y.shape == (2, length, 6)


def test_refusals():
    with pytest.raises(ShapeError, match="4 heads cannot share 6 features evenly"):
        MultiHeadAttention(6, 4, Generator(0))
    with pytest.raises(ShapeError) as caught:
        layer()(drawn(2, 4, 5))
    assert "in layer queries = Linear(6, 6)" in caught.value.with_place()
    with pytest.raises(ShapeError, match=r"takes \(N, L, 6\), got \(6,\)"):
        layer()(drawn(6))
    with pytest.raises(DtypeError, match="by booleans which keys are present, not int64"):
        layer()(drawn(1, 2, 6), present=np.array([[0, 1]]))
    with pytest.raises(ShapeError, match=r"has scores \(1, 2, 2, 2\), and a mask of \(3, 3\)"):
        layer()(drawn(1, 2, 6), mask=np.ones((3, 3), bool))


def test_a_transformer_layer_adds_to_x():
    x, built = drawn(2, 3, 6), TransformerLayer(6, 2, 8, Generator(0), dtype="float64")
    for linear in (built.attention.output, built.second):
        linear.load_state({name: a * 0 for name, a in linear.state().items()})
    np.testing.assert_array_equal(built(x).data, x)
    after = TransformerLayer(6, 2, 8, Generator(0), norm_first=False, dtype="float64")
    y = after(x).data
    np.testing.assert_allclose(y.mean(axis=-1), 0.0, atol=1e-12)
    np.testing.assert_allclose(y.std(axis=-1), 1.0, rtol=1e-4)
    assert after.heading == "TransformerLayer(6, 2, 8, norm_first=False)"


class Noting(nn.Module):
    """Stands in for Dropout, and notes the keys that it is given."""

    def __init__(self):
        self.keys = []

    def forward(self, x, *, key=None):
        self.keys.append(key)
        return x


def test_each_drop_of_a_transformer_layer_has_a_key_of_its_own():
    built = TransformerLayer(6, 2, 8, Generator(0))
    built.drop = Noting()
    built(drawn(1, 4, 6).astype("float32"), key=ops.key(4))
    assert len(set(built.drop.keys)) == 3
    assert ops.fold_in(ops.key(4), 0) not in built.drop.keys  # that of the attention


def test_a_transformer_layer_hands_masks_and_keys_on():
    built = TransformerLayer(6, 2, 8, Generator(0), rate=0.3, dtype="float64")
    x, key = drawn(1, 4, 6), ops.key(4)
    np.testing.assert_array_equal(built(x, key=key).data, built(x, key=key).data)
    with pytest.raises(OperandError) as caught:
        built(x)
    assert "in layer attention = MultiHeadAttention(6, 2, rate=0.3)" in caught.value.with_place()
    built.eval()
    changed = x.copy()
    changed[:, 3] += 1.0
    for masks in ({"causal": True}, {"present": np.array([[True, True, True, False]])},
                  {"mask": np.tri(4, dtype=bool)}):  # fmt: skip
        a, b = (built(each, **masks).data for each in (x, changed))
        np.testing.assert_array_equal(a[:, :3], b[:, :3])
