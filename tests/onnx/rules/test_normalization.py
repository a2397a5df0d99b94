import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx import evaluate, load

BATCH = {0: {0: "N"}}
IMAGE = {0: {0: "N", 2: "H", 3: "W"}}


@pytest.fixture
def vectors(normal):
    """Give scale, shift, mean and variance of three channels."""

    def draw(*shape, dtype="float32"):
        scale, shift, center = (normal(*shape, dtype=dtype) for _ in range(3))
        return scale, shift, center, np.abs(normal(*shape, dtype=dtype)) + 1

    return draw


@pytest.mark.parametrize("opset", [1, 6, 7, 9, 14, 15])
@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 4), (2, 3, 4, 5), (0, 3, 2)])
def test_batch_by_given_statistics(agree, normal, vectors, opset, shape):
    x, (scale, shift, center, spread) = normal(*shape), vectors(3)
    across = (slice(None), *(None,) * (len(shape) - 2))
    unit = (x - center[across]) / np.sqrt(spread[across] + np.float32(0.1))
    expected = unit * scale[across] + shift[across]
    agree(
        "BatchNormalization", x, scale, shift, center, spread, opset=opset, epsilon=0.1,
        opened=BATCH, expected=[expected], **({"is_test": 1} if opset < 7 else {}),
    )  # fmt: skip


def test_batch_of_single_numbers(agree, normal, vectors):
    x, (scale, shift, center, spread) = normal(6), vectors(1)
    expected = (x - center) / np.sqrt(spread + np.float32(1e-5)) * scale + shift
    agree("BatchNormalization", x, scale, shift, center, spread, opset=15, expected=[expected],
          opened=BATCH)  # fmt: skip


def trained(x, scale, shift, center, spread, momentum):
    axes = tuple(i for i in range(x.ndim) if i != 1)
    across = (slice(None), *(None,) * (x.ndim - 2))
    own_center, own_spread = x.mean(axes), x.var(axes)
    unit = (x - own_center[across]) / np.sqrt(own_spread[across] + 1e-5)
    running = [
        old * momentum + new * (1 - momentum)
        for old, new in ((center, own_center), (spread, own_spread))
    ]
    return [unit * scale[across] + shift[across], *running, own_center, own_spread]


@pytest.mark.parametrize("opset", [6, 9, 14, 15])
def test_batch_by_its_own_statistics(agree, normal, vectors, opset):
    x, given = normal(4, 3, 2, 5), vectors(3)
    outputs = 3 if opset >= 14 else 5
    expected = [y.astype("float32") for y in trained(x, *given, 0.75)][:outputs]
    how = {"training_mode": 1} if opset >= 14 else {}
    agree(
        "BatchNormalization", x, *given, opset=opset, momentum=0.75, outputs=outputs,
        expected=expected, opened=IMAGE, **how,
    )  # fmt: skip


def test_batch_with_wider_statistics(agree, normal, vectors):
    x, given = normal(3, 2, 4, dtype="float16"), vectors(2)
    wide = trained(x.astype("float32"), *given, 0.9)
    expected = [wide[0].astype("float16"), *(v.astype("float32") for v in wide[1:3])]
    agree(
        "BatchNormalization", x, *given, opset=15, training_mode=1, outputs=3, expected=expected,
        rtol=2e-3, atol=2e-3,
    )  # fmt: skip


def test_each_place_is_a_channel_of_its_own_if_not_spatial(agree, normal, vectors):
    x, (scale, shift, center, spread) = normal(4, 2, 3), vectors(2, 3)
    expected = (x - center) / np.sqrt(spread + np.float32(1e-5)) * scale + shift
    agree("BatchNormalization", x, scale, shift, center, spread, opset=7, spatial=0,
          expected=[expected], opened=BATCH)  # fmt: skip
    own = (x.mean(0), x.var(0))
    y = (x - own[0]) / np.sqrt(own[1] + 1e-5) * scale + shift
    running = [0.9 * old + 0.1 * new for old, new in zip((center, spread), own, strict=True)]
    agree(
        "BatchNormalization", x, scale, shift, center, spread, opset=7, spatial=0, outputs=5,
        expected=[each.astype("float32") for each in (y, *running, *own)], opened=BATCH,
    )  # fmt: skip


def test_a_plain_batch_normalization_is_one_node(one_node, normal, vectors):
    graph = load(one_node("BatchNormalization", [normal(2, 3, 4, 4), *vectors(3)], opset=15))
    assert [n.operator.name for n in graph.nodes if n.inputs] == ["batch_norm"]


@pytest.mark.parametrize("opset", [1, 6, 22])
def test_instance(agree, normal, opset):
    x = normal(2, 3, 4, 5)
    agree("InstanceNormalization", x, normal(3), normal(3), opset=opset, epsilon=0.01, opened=IMAGE)


@pytest.mark.parametrize("axis", [-1, -2, 0, 1, 2])
def test_layer(agree, normal, axis):
    x = normal(2, 3, 4)
    shape = x.shape[axis:]
    agree("LayerNormalization", x, normal(*shape), normal(*shape), opset=17, axis=axis, outputs=3,
          opened=BATCH)  # fmt: skip
    agree("LayerNormalization", x, normal(*shape), opset=17, axis=axis, epsilon=0.1, opened=BATCH)


def test_layer_is_computed_in_float32(agree):
    x = np.array([[30000.0, 30016.0, 30032.0, 29984.0]], "float16")  # their squares are no float16
    scale = np.ones(4, "float16")
    agree("LayerNormalization", x, scale, opset=17, outputs=3, rtol=1e-3, expected=[
        np.array([[-0.4472, 0.4472, 1.3416, -1.3416]], "float16"), np.array([[30008.0]], "float32"),
        np.array([[1 / np.sqrt(320)]], "float32")])  # fmt: skip
    x = np.array([[1.0, 1.0 + 1e-9, 3.0]])  # and with stash_type=11 in float64
    y = (x - x.mean()) / np.sqrt(x.var() + 1e-15)
    agree("LayerNormalization", x, np.ones(3), opset=17, epsilon=1e-15, stash_type=11,
          expected=[y], rtol=1e-12)  # fmt: skip


@pytest.mark.parametrize("axis", [-1, 1, 0])
def test_root_mean_square(agree, normal, axis):
    x = normal(2, 3, 4)
    agree("RMSNormalization", x, normal(*x.shape[axis:]), opset=23, axis=axis, opened=BATCH)
    half = normal(2, 4, dtype="float16")
    scale = normal(4)
    wide = half.astype("float32")
    unit = (wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-5)).astype("float16")
    agree("RMSNormalization", half, scale, opset=23, expected=[unit.astype("float32") * scale],
          rtol=2e-3)  # fmt: skip


@pytest.mark.parametrize("opset", [18, 21])
@pytest.mark.parametrize("shape", [(2, 6), (2, 6, 3), (2, 6, 3, 2)])
def test_group(agree, normal, opset, shape):
    x, numbers = normal(*shape), 6 if opset == 21 else 3
    scale, shift = normal(numbers), normal(numbers)
    split = x.reshape(2, 3, -1)
    unit = (split - split.mean(-1, keepdims=True)) / np.sqrt(split.var(-1, keepdims=True) + 0.01)
    across = (slice(None), *(None,) * (len(shape) - 2))
    each = [v if opset == 21 else np.repeat(v, 2) for v in (scale, shift)]
    expected = unit.reshape(shape) * each[0][across] + each[1][across]
    agree("GroupNormalization", x, scale, shift, opset=opset, num_groups=3, epsilon=0.01,
          expected=[expected], opened=BATCH)  # fmt: skip


def test_what_is_scaled_is_not_stretched(one_node, normal):
    x = normal(2, 6, 3)
    for operator, opset, arrays, how in (
        ("LayerNormalization", 17, [normal(5, 2, 6, 3)], {}),
        ("LayerNormalization", 17, [normal(3), normal(5, 1, 1, 1)], {}),
        ("RMSNormalization", 23, [normal(5, 2, 6, 3)], {}),
        ("GroupNormalization", 21, [normal(1), normal(6)], {"num_groups": 2}),
        ("GroupNormalization", 18, [normal(6), normal(6)], {"num_groups": 2}),
    ):
        feeds = {f"x{i}": array for i, array in enumerate([x, *arrays])}
        with pytest.raises(OnnxError, match="the shape"):
            evaluate(one_node(operator, [x, *arrays], opset=opset, **how), feeds)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_neighbors(agree, normal, size):
    x = normal(2, 4, 3, 2)
    expected = np.empty_like(x)
    for c in range(4):
        first, last = c - (size - 1) // 2, c + -(-(size - 1) // 2)
        around = np.square(x[:, max(first, 0) : last + 1]).sum(1)
        expected[:, c] = x[:, c] / (2 + 0.5 / size * around) ** 0.6
    for opset in (1, 13):
        agree("LRN", x, opset=opset, size=size, alpha=0.5, beta=0.6, bias=2.0, expected=[expected],
              opened=IMAGE)  # fmt: skip


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_length_of_vectors(agree, normal, p, axis):
    x = normal(3, 4, 2)
    x[:, 0] = x[0] = x[..., 1] = 0
    total = np.linalg.norm(x, ord=p, axis=axis, keepdims=True)
    expected = np.where(total == 0, 0, x / np.where(total == 0, 1, total))
    for opset in (1, 22):
        agree("LpNormalization", x, opset=opset, p=p, axis=axis, expected=[expected], opened=BATCH)
