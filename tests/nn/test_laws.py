"""What holds for every layer: one text, four readings, equal to the last bit.

eager = functional = traced = a graph with variables        results, gradients, new buffers
"""

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from cgkit import (
    Dim,
    Generator,
    GraphBuilder,
    Tensor,
    TensorType,
    grad,
    gradients,
    nn,
    no_grad,
    ops,
    run,
    trace,
)
from cgkit.onnx import to_model
from cgkit.tree import flatten, map_leaves

KEY = ops.key(9)


def g():
    return Generator(0)


LAYERS = {
    "linear": (lambda d: nn.Linear(3, 4, g(), dtype=d), (5, 3)),
    "embedding": (lambda d: nn.Embedding(7, 3, g(), padding=0, dtype=d), (5, 2, "int64")),
    "conv1d": (lambda d: nn.Conv1d(2, 3, 3, g(), padding=1, dtype=d), (5, 2, 6)),
    "conv2d": (lambda d: nn.Conv2d(2, 4, 3, g(), stride=2, groups=2, dtype=d), (5, 2, 6, 5)),
    "conv3d": (lambda d: nn.Conv3d(1, 2, 2, g(), dtype=d), (5, 1, 3, 3, 2)),
    "transposed": (lambda d: nn.ConvTranspose2d(2, 3, 3, g(), stride=2, dtype=d), (5, 2, 3, 3)),
    "batchnorm1d": (lambda d: nn.BatchNorm1d(3, dtype=d), (5, 3)),
    "batchnorm2d": (lambda d: nn.BatchNorm2d(3, momentum=0.3, dtype=d), (5, 3, 2, 4)),
    "layernorm": (lambda d: nn.LayerNorm((2, 3), dtype=d), (5, 2, 3)),
    "groupnorm": (lambda d: nn.GroupNorm(2, 4, dtype=d), (5, 4, 3)),
    "rmsnorm": (lambda d: nn.RMSNorm(3, dtype=d), (5, 3)),
    "dropout": (lambda d: nn.Dropout(0.4), (5, 30)),
    "flatten": (lambda d: nn.Flatten(), (5, 3, 2)),
    "relu": (lambda d: nn.ReLU(), (5, 3)),
    "gelu": (lambda d: nn.GELU(), (5, 3)),
    "softmax": (lambda d: nn.Softmax(), (5, 3)),
    "max pool": (lambda d: nn.MaxPool2d(2), (5, 2, 4, 4)),
    "avg pool": (lambda d: nn.AvgPool2d(2, padding=1), (5, 2, 4, 4)),
    "attention": (lambda d: nn.MultiHeadAttention(4, 2, g(), rate=0.2, dtype=d), (5, 3, 4)),
    "transformer": (lambda d: nn.TransformerLayer(4, 2, 6, g(), rate=0.2, dtype=d), (5, 3, 4)),
    "rnn cell": (lambda d: nn.RNNCell(3, 4, g(), dtype=d), (5, 3)),
    "gru cell": (lambda d: nn.GRUCell(3, 4, g(), dtype=d), (5, 3)),
    "lstm cell": (lambda d: nn.LSTMCell(3, 4, g(), dtype=d), (5, 3)),
    "gru": (lambda d: nn.GRU(3, 4, g(), layers=2, both_ways=True, rate=0.3, dtype=d), (5, 3, 3)),
    "lstm": (lambda d: nn.LSTM(3, 4, g(), dtype=d), (5, 3, 3)),
    "sequential": (
        lambda d: nn.Sequential(
            nn.Conv2d(1, 2, 3, g(), dtype=d), nn.BatchNorm2d(2, dtype=d), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(8, 3, g(), dtype=d),
        ),
        (5, 1, 6, 6),
    ),
}  # fmt: skip


def made(case, dtype="float32", batch=None, training=True):
    build, shape = LAYERS[case]
    shape, dtype_of_x = (shape[:-1], shape[-1]) if isinstance(shape[-1], str) else (shape, dtype)
    shape = shape if batch is None else (batch, *shape[1:])
    x = np.random.default_rng(1).normal(size=shape) * 2
    x = (abs(x) if dtype_of_x == "int64" else x).astype(dtype_of_x)
    return build(dtype).train(training), x


def data(results):
    return [np.asarray(getattr(y, "data", y)) for y in flatten(results)[0]]


def sum_of_squares(results):
    parts = [ops.sum(y * y) for y in flatten(results)[0]]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


def eager(case, **settings):
    """Give results, gradients of the parameters, and buffers after the call."""
    layer, x = made(case, **settings)
    results = layer(Tensor(x), key=KEY)
    slopes = grad(sum_of_squares(results), layer.parameters()) if layer.parameters() else []
    return data(results), data(slopes), data(layer.buffers())


def equal(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert np.asarray(a).dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("case", LAYERS)
def test_functional_is_eager(case, training):
    results, slopes, buffers = eager(case, training=training)
    layer, x = made(case, training=training)
    before = layer.state()
    state = {
        name: Tensor(tensor.data, requires_grad=tensor.requires_grad)
        for name, tensor in layer.named_tensors().items()
    }
    found, after = nn.functional(layer, state, Tensor(x), key=KEY)
    equal(data(found), results)
    learned = [tensor for tensor in state.values() if tensor.requires_grad]
    equal(data(grad(sum_of_squares(found), learned) if learned else []), slopes)
    equal(data(list(after.values())), buffers)
    equal(list(layer.state().values()), list(before.values()))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("case", LAYERS)
def test_a_trace_runs_as_eager(case, training):
    results, _, buffers = eager(case, training=training)
    layer, x = made(case, training=training)
    traced = trace(lambda x, key: nn.functional(layer, layer.named_tensors(), x, key=key), x, KEY)
    found = run(traced.graph, x, KEY, *(tensor.data for tensor in traced.captured))
    equal(found, results + buffers)
    mine = [id(tensor) for tensor in layer.named_tensors().values()]
    assert [id(tensor) for tensor in traced.captured] == mine


@pytest.mark.parametrize("case", LAYERS)
def test_a_layer_in_use_is_traced_as_it_is(case):
    results, _, _ = eager(case, training=False)
    layer, x = made(case, training=False)
    traced = trace(layer, x)
    equal(run(traced.graph, x, *(tensor.data for tensor in traced.captured)), results)
    assert all(any(tensor is mine for mine in layer.named_tensors().values())
               for tensor in traced.captured)  # fmt: skip


@pytest.mark.parametrize("open_batch", [True, False])
@pytest.mark.parametrize("case", LAYERS)
def test_a_graph_with_variables_runs_as_eager(case, open_batch):
    results, slopes, buffers = eager(case)
    layer, x = made(case)
    builder = GraphBuilder()
    shape = (None, *x.shape[1:]) if open_batch else x.shape
    holder, key = builder.placeholder(shape, x.dtype), builder.placeholder((), "uint64")
    state = {name: builder.variable(a, name=name) for name, a in layer.state().items()}
    found, after = nn.functional(layer, state, holder, key=key)
    learned = [state[name] for name in layer.named_parameters()]
    steps = gradients(sum_of_squares(found), learned) if learned else []
    outputs = [*flatten(found)[0], *steps, *after.values()]
    values = run(builder.graph(outputs, [holder, key]), x, KEY)
    equal(values, results + slopes + buffers)


@pytest.mark.parametrize("case", LAYERS)
def test_plain_arrays_give_plain_arrays(case):
    results, _, buffers = eager(case)
    layer, x = made(case)
    found, after = nn.functional(layer, layer.state(), x, key=KEY)
    assert all(isinstance(y, np.ndarray) for y in flatten(found)[0])
    equal(data(found), results)
    equal(data(list(after.values())), buffers)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("case", LAYERS)
def test_nothing_is_recorded_where_no_gradient_is_wanted(case, training):
    results, _, buffers = eager(case, training=training)
    layer, x = made(case, training=training)
    with no_grad():
        found = layer(Tensor(x), key=KEY)
    assert not any(y.requires_grad for y in flatten(found)[0])
    equal(data(found), results)
    equal(data(layer.buffers()), buffers)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", LAYERS)
def test_an_empty_batch(case, dtype, training):
    layer, x = made(case, dtype=dtype, batch=0, training=training)
    before = layer.state()
    found = layer(Tensor(x), key=KEY)
    whole, _ = made(case, dtype=dtype)
    full = whole(Tensor(made(case, dtype=dtype)[1]), key=KEY)
    for y, z in zip(flatten(found)[0], flatten(full)[0], strict=True):
        assert y.shape == (0, *z.shape[1:])
        assert y.dtype == z.dtype == dtype
    if layer.parameters():
        for slope in grad(sum_of_squares(found), layer.parameters()):
            assert not slope.data.any()
    equal(list(layer.state().values()), list(before.values()))


def test_an_empty_batch_of_an_open_size_keeps_the_statistics():
    layer, builder = nn.BatchNorm1d(3), GraphBuilder()
    x = builder.placeholder((None, 3), "float32")
    _, after = nn.functional(layer, layer.state(), x)
    graph = builder.graph(list(after.values()), [x])
    equal(run(graph, np.zeros((0, 3), "float32")), [np.zeros(3, "f"), np.ones(3, "f")])
    mean, var = run(graph, np.full((1, 3), 5.0, "float32"))  # a single number has no spread
    np.testing.assert_allclose(mean, 0.5)
    np.testing.assert_allclose(var, 0.9)


@pytest.mark.parametrize("case", LAYERS)
def test_a_state_saved_and_loaded_gives_the_same_results(case, tmp_path):
    layer, x = made(case)
    layer(Tensor(x), key=KEY)  # the statistics are no longer the first ones
    np.savez(tmp_path / "state.npz", **layer.state())
    other, _ = made(case)
    with np.load(tmp_path / "state.npz") as state:
        other.load_state(state)
    equal(data(other.eval()(x)), data(layer.eval()(x)))


@pytest.mark.parametrize("case", LAYERS)
def test_the_same_seed_gives_the_same_layer(case):
    equal(list(made(case)[0].state().values()), list(made(case)[0].state().values()))
    assert repr(made(case)[0]).startswith(type(made(case)[0]).__name__)


@pytest.mark.parametrize("case", LAYERS)
def test_examples_do_not_see_each_other_in_use(case):
    layer, x = made(case, dtype="float64", training=False)
    whole, alone = layer(x), layer(x[1:2])
    for y, z in zip(flatten(whole)[0], flatten(alone)[0], strict=True):
        np.testing.assert_allclose(data(y)[0][1:2], data(z)[0], rtol=1e-9, atol=1e-12)


def test_structures_are_those_of_the_layer():
    layer, x = made("lstm")
    found, _ = nn.functional(layer, layer.state(), x)
    assert map_leaves(lambda y: 0, found) == (0, ((0, 0),))


def test_a_network_trains_alike_in_every_reading():
    # Five steps with dropout and statistics: eagerly, and by a graph that gives the next numbers.
    steps, rate = 5, 0.1
    layer, _ = made("sequential")
    start, keys = layer.state(), [ops.key(i) for i in range(steps)]
    rng = np.random.default_rng(4)
    batches = [rng.normal(size=(n, 1, 6, 6)).astype("float32") for n in (4, 4, 7, 1, 4)]

    losses = []
    for x, key in zip(batches, keys, strict=True):
        loss = sum_of_squares(layer(x, key=key))
        slopes = grad(loss, layer.parameters())
        with no_grad():
            for parameter, slope in zip(layer.parameters(), slopes, strict=True):
                parameter.copy_(parameter - slope * rate)
        losses.append(loss.item())

    def step(x, key, *numbers):
        state = dict(zip(start, numbers, strict=True))
        y, buffers = nn.functional(layer, state, x, key=key)
        loss = sum_of_squares(y)
        learned = list(layer.named_parameters())
        slopes = gradients(loss, [state[name] for name in learned])
        for name, slope in zip(learned, slopes, strict=True):
            state[name] = state[name] - slope * rate
        return loss, *(state | buffers).values()

    types = [TensorType((Dim("N"), 1, 6, 6), "float32"), TensorType((), "uint64")]
    graph = trace(step, *types, *start.values()).graph
    numbers, found = list(start.values()), []
    for x, key in zip(batches, keys, strict=True):
        loss, *numbers = run(graph, x, key, *numbers)
        found.append(loss.item())
    assert found == losses
    equal(numbers, list(layer.state().values()))


@pytest.mark.parametrize("case", LAYERS)
def test_a_layer_in_use_is_written_as_onnx(case):
    layer, x = made(case, training=False)
    for parameter in layer.parameters():
        parameter.requires_grad_(False)
    builder = GraphBuilder()
    holder = builder.placeholder(x.shape, x.dtype, name="x")
    graph = builder.graph(flatten(layer(holder))[0], [holder])
    found = ReferenceEvaluator(to_model(graph)).run(None, {"x": x})
    for y, z in zip(found, run(graph, x), strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-5, atol=1e-6)
