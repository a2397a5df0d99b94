import numpy as np
import pytest

from cgkit import run, verify
from cgkit.errors import OnnxError
from cgkit.onnx import evaluate, load
from cgkit.onnx.rules.recurrent import MOST_STEPS

T, N, IN, H = 4, 3, 2, 5
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
BATCH = {0: {1: "N"}}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def clipped(x, clip):
    return x if clip is None else np.clip(x, -clip, clip)


def rnn(x, states, w, r, b, p, clip, **how):
    (h,) = states
    return (np.tanh(clipped(w @ x + r @ h + b[0] + b[1], clip)),)


def gru(x, states, w, r, b, p, clip, linear_before_reset=0, **how):
    (h,) = states
    wz, wr, wh = np.split(w, 3)
    rz, rr, rh = np.split(r, 3)
    (wbz, wbr, wbh), (rbz, rbr, rbh) = (np.split(each, 3) for each in b)
    z = sigmoid(clipped(wz @ x + rz @ h + wbz + rbz, clip))
    reset = sigmoid(clipped(wr @ x + rr @ h + wbr + rbr, clip))
    if linear_before_reset:
        new = wh @ x + reset * (rh @ h + rbh) + wbh
    else:
        new = wh @ x + rh @ (reset * h) + rbh + wbh
    return ((1 - z) * np.tanh(clipped(new, clip)) + z * h,)


def lstm(x, states, w, r, b, p, clip, input_forget=0, **how):
    h, c = states
    i, o, f, new = np.split(w @ x + r @ h + b[0] + b[1], 4)
    pi, po, pf = np.split(p, 3)
    i = sigmoid(clipped(i + pi * c, clip))
    f = 1 - i if input_forget else sigmoid(clipped(f + pf * c, clip))
    c = f * c + i * np.tanh(clipped(new, clip))
    o = sigmoid(clipped(o + po * c, clip))
    return o * np.tanh(clipped(c, clip)), c


CELLS = {"RNN": rnn, "GRU": gru, "LSTM": lstm}


def layer(operator, x, w, r, b, lengths, initial, p, direction, clip, **how):
    """Run each sequence by itself, step by step, as ONNX's equations are written."""
    ways = {"forward": "f", "reverse": "b", "bidirectional": "fb"}[direction]
    y = np.zeros((x.shape[0], len(ways), x.shape[1], r.shape[-1]), "float32")
    ends = [np.array(state) for state in initial]
    for d, n in np.ndindex(len(ways), x.shape[1]):
        states = tuple(state[d, n] for state in initial)
        steps = range(lengths[n])
        for t in reversed(steps) if ways[d] == "b" else steps:
            bias = np.split(b[d], 2)
            states = CELLS[operator](x[t, n], states, w[d], r[d], bias, p[d], clip, **how)
            y[t, d, n] = states[0]
        for end, state in zip(ends, states, strict=True):
            end[d, n] = state
    return [y, *ends]


@pytest.fixture
def weights(normal):
    """Draw x, w, r, b, first states and peepholes for some directions."""

    def draw(operator, ways, steps=T):
        gates = GATES[operator]
        states = [normal(ways, N, H) for _ in range(2 if operator == "LSTM" else 1)]
        return (
            normal(steps, N, IN), normal(ways, gates * H, IN), normal(ways, gates * H, H),
            normal(ways, 2 * gates * H), states, normal(ways, 3 * H),
        )  # fmt: skip

    return draw


@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("opset", [7, 14, 22])
def test_every_input(agree, weights, operator, direction, opset):
    x, w, r, b, states, p = weights(operator, 2 if direction == "bidirectional" else 1)
    lengths = np.array([4, 0, 2], "int32")
    rest = [p] if operator == "LSTM" else []
    expected = layer(operator, x, w, r, b, lengths, states, p, direction, None)
    opened = {0: {1: "N"}, 4: {0: "N"}, **{5 + i: {1: "N"} for i in range(len(states))}}
    agree(
        operator, x, w, r, b, lengths, *states, *rest, opset=opset, hidden_size=H, opened=opened,
        direction=direction, outputs=len(expected), expected=expected,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("operator", "how"),
    [
        ("RNN", {}), ("GRU", {}), ("GRU", {"linear_before_reset": 1}), ("LSTM", {}),
        ("LSTM", {"input_forget": 1}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("clip", [None, 0.4])
def test_what_is_left_out_is_zero(agree, weights, operator, how, clip):
    x, w, r, b, states, p = weights(operator, 1)
    full = [T] * N
    none = [np.zeros_like(state) for state in states]
    settings = {"clip": clip, **how} if clip else how
    expected = layer(operator, x, w, r, 0 * b, full, none, 0 * p, "forward", clip, **how)
    outputs = len(expected)
    agree(operator, x, w, r, opset=14, hidden_size=H, outputs=outputs, expected=expected,
          opened=BATCH, **settings)  # fmt: skip
    expected = layer(operator, x, w, r, b, full, none, 0 * p, "forward", clip, **how)
    agree(operator, x, w, r, b, opset=14, hidden_size=H, outputs=outputs, expected=expected,
          opened=BATCH, **settings)  # fmt: skip


@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
def test_batch_first(agree, weights, operator):
    x, w, r, b, states, p = weights(operator, 2)
    y, *ends = layer(operator, x, w, r, b, [T] * N, states, 0 * p, "bidirectional", None)
    expected = [y.transpose(2, 0, 1, 3), *(end.swapaxes(0, 1) for end in ends)]
    first = [state.swapaxes(0, 1) for state in states]
    agree(
        operator, x.swapaxes(0, 1), w, r, b, None, *first, opset=14, layout=1, hidden_size=H,
        direction="bidirectional", outputs=len(expected), expected=expected,
        opened={0: {0: "N"}, 5: {0: "N"}, 6: {0: "N"}},
    )  # fmt: skip


@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
def test_a_sequence_of_no_steps_ends_where_it_began(agree, weights, operator):
    x, w, r, b, states, _ = weights(operator, 1, steps=0)
    expected = [np.zeros((0, 1, N, H), "float32"), *states]
    agree(operator, x, w, r, b, None, *states, opset=14, hidden_size=H, outputs=len(expected),
          expected=expected, opened=BATCH)  # fmt: skip


def test_activations_by_name(agree, weights):
    x, w, r, b, *_ = weights("RNN", 1)
    h, y = np.zeros((N, H), "float32"), []
    for each in x:
        h = np.clip(0.3 * (each @ w[0].T + h @ r[0].T + b[0, :H] + b[0, H:]) + 0.1, 0, 1)
        y.append(h)
    agree(
        "RNN", x, w, r, b, opset=7, hidden_size=H, activations=["hardsigmoid"],
        activation_alpha=[0.3], activation_beta=[0.1], expected=[np.stack(y)[:, None]],
    )  # fmt: skip


def test_only_what_is_wanted_is_made(one_node, weights):
    x, w, r, *_ = weights("LSTM", 1)
    model = one_node("LSTM", [x, w, r], opset=14, outputs=3, hidden_size=H)
    del model.graph.output[0]
    model.graph.node[0].output[0] = ""
    assert set(evaluate(model, {"x0": x, "x1": w, "x2": r})) == {"y1", "y2"}
    assert [out.shape for out in load(model).outputs] == [(1, N, H)] * 2


def test_what_does_not_fit_is_refused(one_node, weights):
    x, w, r, *_ = weights("RNN", 1)
    feeds = {"x0": x, "x1": w, "x2": r}
    for how, said in (
        ({"direction": "sideways"}, "no direction 'sideways'"),
        ({"direction": "bidirectional"}, "2 directions, not 1"),
    ):
        with pytest.raises(OnnxError, match=said):
            evaluate(one_node("RNN", [x, w, r], opset=14, hidden_size=H, **how), feeds)


@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("steps", [T, 1, 0])
@pytest.mark.parametrize("cut", [False, True])
def test_a_sequence_of_open_length_is_a_scan(one_node, weights, operator, direction, steps, cut):
    x, w, r, b, states, p = weights(operator, 2 if direction == "bidirectional" else 1, steps=steps)
    lengths = np.minimum(np.array([4, 0, 2], "int32"), steps) if cut else None
    rest = [p] if operator == "LSTM" else []
    expected = layer(operator, x, w, r, b, [steps] * N if lengths is None else lengths, states, p,
                     direction, None)  # fmt: skip
    model = one_node(
        operator, [x, w, r, b, lengths, *states, *rest], opset=14, hidden_size=H,
        direction=direction, outputs=len(expected), opened={0: {0: "T", 1: "N"}},
    )  # fmt: skip
    graph = load(model)
    verify(graph)
    assert sum(node.operator.name == "scan" for node in graph.nodes) == len(w)
    feeds = [x for x in (x, w, r, b, lengths, *states, *rest) if x is not None]
    for got, want in zip(run(graph, *feeds), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_a_long_sequence_is_a_scan_too(one_node, weights):
    x, w, r, *_ = weights("RNN", 1, steps=MOST_STEPS + 1)
    graph = load(one_node("RNN", [x, w, r], opset=14, hidden_size=H))
    assert len(graph.nodes) < 30
    found = evaluate(one_node("RNN", [x, w, r], opset=14, hidden_size=H),
                     {"x0": x, "x1": w, "x2": r})["y0"]  # fmt: skip
    np.testing.assert_allclose(run(graph, x, w, r)[0], found, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("place", "shape", "said"),
    [
        (1, (1, 4 * H, IN + 1), "weights of x"), (2, (1, 4 * H, H + 1), "hidden_size"),
        (2, (1, H, H), "weights of the state"), (3, (1, 4 * H), "biases"), (4, (N + 1,), "length"),
        (5, (1, N, H + 1), "a state"), (6, (2, N, H), "a state"), (7, (1, H), "peepholes"),
    ],
)  # fmt: skip
def test_every_shape_is_checked(one_node, weights, place, shape, said):
    x, w, r, b, states, p = weights("LSTM", 1)
    arrays = [x, w, r, b, np.full(N, T, "int32"), *states, p]
    arrays[place] = np.zeros(shape, arrays[place].dtype)
    feeds = {f"x{i}": array for i, array in enumerate(arrays)}
    with pytest.raises(OnnxError, match=said):
        evaluate(one_node("LSTM", arrays, opset=14, hidden_size=H), feeds)


def test_endless_sequences_are_refused(one_node):
    arrays = [np.zeros((10**9, 0, 1), "float32"), *(np.zeros((1, 1, 1), "float32"),) * 2]
    model = one_node("RNN", arrays, opset=14, hidden_size=1)
    assert load(model).outputs[0].shape == (10**9, 1, 0, 1)
    with pytest.raises(OnnxError, match="steps of a sequence: 1,000,000,000; limits allow"):
        evaluate(model, {f"x{i}": array for i, array in enumerate(arrays)})


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("operator", "clip"),  # an LSTM's clip is left out: onnxruntime does not clip its cell, which
    [("RNN", None), ("RNN", 0.5), ("GRU", None), ("GRU", 0.5), ("LSTM", None)],  # ONNX demands
)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_onnxruntime_says_the_same(agree, one_node, weights, operator, clip, direction):
    from onnxruntime import InferenceSession

    x, w, r, b, states, p = weights(operator, 2 if direction == "bidirectional" else 1)
    arrays = [x, w, r, b, np.array([4, 1, 2], "int32"), *states, *[p] * (operator == "LSTM")]
    settings = {"hidden_size": H, "direction": direction, **({"clip": clip} if clip else {})}
    outputs = 1 + len(states)
    model = one_node(operator, arrays, opset=14, outputs=outputs, **settings)
    feeds = {f"x{i}": array for i, array in enumerate(arrays)}
    expected = InferenceSession(model.SerializeToString()).run(None, feeds)
    agree(operator, *arrays, opset=14, outputs=outputs, expected=expected, **settings)
