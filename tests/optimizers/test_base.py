"""What holds for every optimizer: one text for all operands, states apart, errors with a place."""

import copy
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, grad, no_grad, run, tree
from cgkit.errors import DtypeError, OperandError, ShapeError
from cgkit.optimizers import SGD, Adam, Cosine, Optimizer, RMSProp, WarmUp
from cgkit.optimizers.base import like

RNG = np.random.default_rng(4)
SHAPES = ((3, 4), (5,), (), (0,), (2, 0, 3))


def walked(settings, param, gradients):
    """Make a step for each gradient; give all parameters on the way and the last state."""
    state, way = settings.initial(param), []
    for gradient in gradients:
        param, state = settings.update(param, gradient, state)
        way.append(param)
    return way, state


def arrays(shape, dtype, number=6):
    drawn = RNG.normal(size=(number + 1, *shape)).astype(dtype)
    return drawn[0], drawn[1:]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_shape_and_dtype_stay(settings, shape, dtype):
    param, gradients = arrays(shape, dtype)
    way, state = walked(settings, param, gradients)
    assert {(x.shape, x.dtype) for x in way} == {(shape, np.dtype(dtype))}
    assert state.keys() == {"step", *settings.memory}
    for name in settings.memory:
        assert (state[name].shape, state[name].dtype) == (shape, np.dtype(dtype))
    assert (state["step"], state["step"].dtype) == (len(gradients), np.int64)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_tensors_and_values_give_the_same_bits(settings, dtype):
    param, gradients = arrays((3, 4), dtype)
    way, state = walked(settings, param, gradients)
    with no_grad():
        moved, kept = walked(settings, Tensor(param), [Tensor(g) for g in gradients])
    assert all(isinstance(x, Tensor) for x in moved)
    np.testing.assert_array_equal([x.data for x in moved], way)
    for name in settings.memory:
        np.testing.assert_array_equal(kept[name].data, state[name])


def test_a_step_can_be_a_graph(settings):
    param, gradients = arrays((3, 4), "float32")
    way, state = walked(settings, param, gradients)
    builder = GraphBuilder()
    w, g = builder.placeholder((3, 4), "float32"), builder.placeholder((3, 4), "float32")
    leaves, structure = tree.flatten(settings.initial(param))
    slots = [builder.placeholder(x.shape, x.dtype) for x in leaves]
    made = settings.update(w, g, tree.unflatten(structure, slots))
    graph = builder.graph(tree.flatten(made)[0], [w, g, *slots])
    carried = [param, *leaves]
    for gradient, expected in zip(gradients, way, strict=True):
        carried = run(graph, carried[0], gradient, *carried[1:])
        np.testing.assert_array_equal(carried[0], expected)
    np.testing.assert_array_equal(carried[1], state["step"])


def test_nothing_that_was_given_changes(settings):
    param, gradients = arrays((3,), "float64", 2)
    _, state = settings.update(param, gradients[0], settings.initial(param))
    before = copy.deepcopy([param, gradients, state])
    settings.update(param, gradients[1], state)
    after = [param, gradients, state]
    assert repr(before) == repr(after)
    with pytest.raises(FrozenInstanceError):
        settings.learning_rate = 1.0


def test_settings_can_be_used_twice(settings):
    # nothing of the first parameter may be left for the second
    param, gradients = arrays((3,), "float64")
    first = walked(settings, param, gradients)
    walked(settings, *arrays((2, 2), "float32"))
    assert repr(walked(settings, param, gradients)) == repr(first)


def test_equal_settings_are_equal(settings):
    twin = copy.deepcopy(settings)
    assert twin == settings
    assert hash(twin) == hash(settings)
    assert settings != SGD(0.123)


def test_without_a_slope_only_weight_decay_and_momentum_move(settings):
    param = RNG.normal(size=3)
    way, _ = walked(settings, param, np.zeros((3, 3)))
    if settings.weight_decay:
        assert not np.array_equal(way[-1], param)
    else:
        np.testing.assert_array_equal(way[-1], param)


def test_a_bowl_is_descended(settings):
    # (x - 3)² * slopes: at its bottom from wherever one starts, uphill when asked
    slopes, target = np.array([1.0, 0.2, 5.0]), np.array([3.0, -1.0, 0.5])
    param = np.zeros(3)
    bounded = type(settings)(
        **{**vars(settings), "weight_decay": 0.0, "learning_rate": Cosine(0.05, steps=2000)}
    )
    state = bounded.initial(param)
    for _ in range(2000):
        gradient = 2 * slopes * (param - target)
        param, state = bounded.update(param, -gradient if bounded.maximize else gradient, state)
    np.testing.assert_allclose(param, target, atol=2e-4)


def test_one_can_go_backward_through_a_step():
    # d/dr of (w - r * 2w) = -2w: how the learning rate itself should change
    rate = Tensor(0.25, requires_grad=True)
    w = np.array(3.0)
    settings = SGD(lambda step: rate)
    new, _ = settings.update(w, 2 * w, settings.initial(w))
    new.backward()
    assert rate.grad.item() == -6.0


def test_nested_parameters_go_as_each_alone(settings):
    weights = {"a": [np.ones(2), np.full((2, 2), 2.0)], "b": (np.array(3.0),)}
    slopes = tree.map_leaves(lambda x: x * 0.5 + 1.0, weights)
    states = settings.initial_all(weights)
    new, states = settings.update_all(weights, slopes, states)
    new, states = settings.update_all(new, slopes, states)
    alone = [walked(settings, x, [x * 0.5 + 1.0] * 2)[0][-1] for x in tree.flatten(weights)[0]]
    for found, expected in zip(tree.flatten(new)[0], alone, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert tree.flatten(new)[1] == tree.flatten(weights)[1]
    assert states["a"][1].keys() == {"step", *settings.memory}


def test_a_parameter_without_a_gradient_stays_and_so_does_its_state(settings):
    weights = [np.ones(2), np.ones(2)]
    states = settings.initial_all(weights)
    new, later = settings.update_all(weights, [None, np.ones(2)], states)
    assert new[0] is weights[0]
    assert later[0] is states[0]
    assert (later[0]["step"], later[1]["step"]) == (0, 1)
    assert settings.update_all([], [], []) == ([], [])


def test_a_network_learns_by_it():
    x = Tensor(RNG.normal(size=(40, 3)))
    y = x.data @ np.array([1.0, -2.0, 0.5]) + 0.7
    weights = {"w": Tensor(np.zeros(3), requires_grad=True), "b": Tensor(0.0, requires_grad=True)}
    settings = Adam(0.05)
    states = settings.initial_all(weights)
    for _ in range(300):
        loss = ((x @ weights["w"] + weights["b"] - y) ** 2.0).mean()
        slopes = dict(zip(weights, grad(loss, list(weights.values())), strict=True))
        with no_grad():
            weights, states = settings.update_all(weights, slopes, states)
        weights = tree.map_leaves(lambda leaf: leaf.requires_grad_(), weights)
    np.testing.assert_allclose(weights["w"].data, [1.0, -2.0, 0.5], atol=1e-3)


def test_infinities_and_nan_are_passed_on():
    state = Adam().initial(np.ones(3))
    new, _ = Adam().update(np.ones(3), np.array([np.nan, np.inf, 1.0]), state)
    assert np.isnan(new).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SGD(-0.1), "the learning rate is a number of at least 0, not -0.1"),
        (lambda: SGD(math.nan), "the learning rate is a number of at least 0, not nan"),
        (lambda: SGD("fast"), "the learning rate is a number of at least 0, not 'fast'"),
        (lambda: SGD(True), "the learning rate is a number of at least 0, not True"),
        (lambda: Adam(weight_decay=-1), "the weight decay is a number of at least 0, not -1"),
        (lambda: RMSProp(maximize="up"), "maximize is True or False, not 'up'"),
    ],
)
def test_settings_out_of_bounds_are_refused(make, said):
    with pytest.raises(OperandError, match=said):
        make()


def test_numbers_of_numpy_become_plain_ones():
    # np.float64(0.1) is not weak: it would make a float32 parameter float64
    wide = SGD(np.float64(0.1), momentum=np.float64(0.9), weight_decay=np.float64(0.1))
    new, state = wide.update(np.ones(2, "f4"), np.ones(2, "f4"), wide.initial(np.ones(2, "f4")))
    assert new.dtype == state["velocity"].dtype == np.float32


def test_what_does_not_fit_is_refused():
    settings = SGD(0.1, momentum=0.9)
    w = np.ones((3, 2))
    state = settings.initial(w)
    with pytest.raises(ShapeError, match=r"the shape \(2,\) is not that of the parameter"):
        settings.update(w, np.ones(2), state)  # it would broadcast, and so go unseen
    with pytest.raises(DtypeError, match="a gradient of float32 for a parameter of float64"):
        settings.update(w, w.astype("float32"), state)
    with pytest.raises(DtypeError, match="a parameter is floating, this one is int64"):
        settings.update(np.array([1]), np.array([1]), state)
    with pytest.raises(ShapeError, match="whose velocity it is"):
        settings.update(w, w, settings.initial(np.ones(2)))
    with pytest.raises(OperandError, match="the state holds step, but SGD needs velocity"):
        settings.update(w, w, SGD(0.1).initial(w))
    with pytest.raises(OperandError, match="the state holds nothing, but SGD needs step"):
        settings.update(w, w, {})
    with pytest.raises(ShapeError, match="a parameter has a known size"):
        settings.initial(GraphBuilder().placeholder((None, 2)))


def test_an_error_in_nested_parameters_says_where():
    weights = {"w": [np.ones(2), np.ones(3)]}
    settings = SGD(0.1)
    states = settings.initial_all(weights)
    with pytest.raises(ShapeError) as caught:
        settings.update_all(weights, {"w": [np.ones(2), np.ones(2)]}, states)
    assert caught.value.with_place().endswith("  at parameter  ['w'][1]")
    with pytest.raises(DtypeError) as caught:
        settings.initial_all({"w": [np.ones(2), 3]})
    assert "['w'][1]" in caught.value.with_place()
    with pytest.raises(OperandError, match="the gradients are not nested as the parameters are"):
        settings.update_all(weights, {"w": [np.ones(2)]}, states)
    with pytest.raises(OperandError, match="the states are not nested"):
        settings.update_all(weights, weights, {"v": states["w"]})


def test_a_schedule_may_be_any_function_of_the_step():
    seen = []

    def schedule(step):
        seen.append(int(step))
        return 0.5 if step == 1 else 0.0

    way, _ = walked(SGD(schedule), np.ones(()), np.ones(3))
    assert seen == [0, 1, 2]
    assert [float(x) for x in way] == [1.0, 0.5, 0.5]


@pytest.mark.parametrize("kind", [SGD, RMSProp, Adam])
def test_a_schedule_keeps_the_dtype_and_goes_into_graphs(kind):
    settings = kind(WarmUp(3, Cosine(0.1, steps=5)))
    way, state = walked(settings, *arrays((2,), "float32"))
    assert {x.dtype for x in way} == {np.dtype("float32")}
    builder = GraphBuilder()
    w, step = builder.placeholder((2,), "float32"), builder.placeholder((), "int64")
    memory = {name: builder.placeholder((2,), "float32") for name in settings.memory}
    new, _ = settings.update(w, w, {"step": step, **memory})
    graph = builder.graph([new], [w, step, *memory.values()])
    expected, _ = settings.update(way[0], way[0], state)
    held = [np.asarray(state[name]) for name in memory]
    np.testing.assert_array_equal(run(graph, way[0], np.array(state["step"]), *held)[0], expected)


def test_the_base_itself_has_no_rule():
    with pytest.raises(NotImplementedError):
        Optimizer(0.1).update(np.ones(1), np.ones(1), Optimizer(0.1).initial(np.ones(1)))


def test_like_leaves_weak_numbers_alone():
    assert like(1, np.ones(1, "f4")) == 1
    assert like(np.ones((), "f8"), np.ones(1, "f4")).dtype == np.float32


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_as_torch_over_twenty_steps(every, dtype):
    import torch

    settings, name, theirs = every
    param, gradients = arrays((4, 3), dtype, 20)
    gradients[7] = 0.0
    leaf = torch.tensor(param, requires_grad=True)
    # one at a time: several at once is another code path, which rounds in another order
    optimizer = getattr(torch.optim, name)([leaf], foreach=False, **theirs)
    way, _ = walked(settings, param, gradients)
    exact = {"float32": 2e-6, "float64": 1e-14}[dtype]
    for ours, gradient in zip(way, gradients, strict=True):
        leaf.grad = torch.tensor(gradient)
        optimizer.step()
        np.testing.assert_allclose(ours, leaf.detach().numpy(), rtol=exact, atol=exact)
