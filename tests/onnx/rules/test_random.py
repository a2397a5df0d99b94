import numpy as np
import pytest

from cgkit import run
from cgkit.errors import OnnxError, UnknownValue
from cgkit.onnx import evaluate, load

BATCH = {0: {0: "N"}}
MANY = 20_000


@pytest.fixture
def drawn(one_node):
    """Evaluate a node, run it as a graph, and demand the same numbers."""

    def draw(operator, *arrays, known=(), opened=None, **how):
        model = one_node(operator, arrays, **how)
        feeds = {f"x{i}": array for i, array in enumerate(arrays) if array is not None}
        found = list(evaluate(model, feeds).values())
        model = one_node(operator, arrays, opened=opened, **how)
        graph = load(model, known={name: feeds[name] for name in known})
        results = run(graph, *(feeds[e.node.name] for e in graph.inputs))
        for one, other in zip(found, results, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        return found[0] if len(found) == 1 else found

    return draw


@pytest.mark.parametrize("opset", [1, 22])
@pytest.mark.parametrize("number", [1, 10, 11])
def test_uniform(drawn, opset, number):
    y = drawn("RandomUniform", opset=opset, shape=[2, MANY], low=-1.0, high=3.0, dtype=number)
    assert y.dtype == {1: "float32", 10: "float16", 11: "float64"}[number]
    assert y.shape == (2, MANY)
    wide = y.astype("float64")
    assert wide.min() < -0.99
    assert 2.99 < wide.max() <= 3.0
    np.testing.assert_allclose([wide.mean(), wide.var()], [1, 16 / 12], atol=0.05)


def test_normal_numbers(drawn):
    y = drawn("RandomNormal", opset=1, shape=[MANY], mean=5.0, scale=2.0)
    assert y.dtype == "float32"
    np.testing.assert_allclose([y.mean(), y.std()], [5, 2], atol=0.05)
    inside = np.abs(y - 5) < 2
    assert abs(inside.mean() - 0.6827) < 0.01


def test_a_seed_says_which_numbers_and_so_does_a_name(drawn):
    one, again, other, unsaid = (
        drawn("RandomUniform", opset=1, shape=[9], **seed)
        for seed in ({"seed": 1.0}, {"seed": 1.0}, {"seed": 1.5}, {})
    )
    np.testing.assert_array_equal(one, again)
    assert not np.isin(one, [*other, *unsaid]).any()


def test_like_another_tensor_of_open_shape(drawn, normal):
    x = normal(3, 4, dtype="float64")
    for operator in ("RandomUniformLike", "RandomNormalLike"):
        assert drawn(operator, x, opset=22, opened=BATCH).dtype == "float64"
        y = drawn(operator, x, opset=22, opened={0: {0: "N", 1: "M"}}, dtype=1)
        assert (y.dtype, y.shape) == ("float32", (3, 4))


@pytest.mark.parametrize("opset", [15, 22])
def test_chances(drawn, opset):
    chances = np.repeat(np.float32([0.0, 0.3, 1.0]), MANY).reshape(3, MANY)
    y = drawn("Bernoulli", chances, opset=opset, opened=BATCH)
    assert y.dtype == "float32"
    assert set(np.unique(y)) == {0, 1}
    np.testing.assert_allclose(y.mean(1), [0, 0.3, 1], atol=0.02)
    assert drawn("Bernoulli", chances, opset=opset, dtype=9).dtype == "bool"


def test_classes_by_their_scores(drawn):
    x = np.log(np.float32([[0.2, 0.5, 0.3], [2.0, 1e-30, 6.0]]))
    y = drawn("Multinomial", x, opset=7, sample_size=MANY, opened=BATCH)
    assert (y.dtype, y.shape) == ("int32", (2, MANY))
    shares = [[(row == c).mean() for c in range(3)] for row in y]
    np.testing.assert_allclose(shares, [[0.2, 0.5, 0.3], [0.25, 0, 0.75]], atol=0.02)
    assert drawn("Multinomial", x, opset=7, dtype=7).shape == (2, 1)


@pytest.mark.parametrize("opset", [7, 10, 12, 13, 22])
def test_nothing_is_dropped_outside_training(drawn, normal, opset):
    x = normal(3, 4)
    y, mask = drawn("Dropout", x, opset=opset, outputs=2, opened=BATCH)
    np.testing.assert_array_equal(y, x)
    np.testing.assert_array_equal(mask, np.ones((3, 4)))
    assert mask.dtype == ("float32" if opset == 7 else "bool")


def test_old_versions_train_unless_they_are_told_not_to(drawn, normal):
    x = normal(MANY)
    np.testing.assert_array_equal(drawn("Dropout", x, opset=6, is_test=1), x)
    y = drawn("Dropout", x, opset=6, ratio=0.25)
    assert abs((y == 0).mean() - 0.25) < 0.02


@pytest.mark.parametrize("rate", [0.0, 0.3, None])
def test_training(drawn, normal, rate):
    x = normal(4, MANY // 4)
    ratio = None if rate is None else np.float32(rate)
    rate = 0.5 if rate is None else rate
    given = ["x2"] if ratio is None else ["x1", "x2"]
    y, mask = drawn("Dropout", x, ratio, np.array(True), opset=13, outputs=2, known=given,
                    opened=BATCH)  # fmt: skip
    np.testing.assert_allclose(y, np.where(mask, x / (1 - rate), 0), rtol=1e-6)
    assert abs(mask.mean() - (1 - rate)) < 0.02
    alone = drawn("Dropout", x, ratio, np.array(True), opset=13, known=given, opened=BATCH)
    np.testing.assert_array_equal(alone, y)


def test_what_no_memory_holds_is_refused_before_it_is_drawn(one_node):
    with pytest.raises(OnnxError, match="limits allow"):
        evaluate(one_node("RandomUniform", [], opset=1, shape=[10**9, 10**9]), {})


def test_whether_to_train_must_be_known(one_node, normal):
    model = one_node("Dropout", [normal(3), None, np.array(True)], opset=13)
    with pytest.raises(UnknownValue, match="training_mode") as caught:
        load(model)
    assert caught.value.inputs == ("x2",)
