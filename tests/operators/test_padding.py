"""Padding against NumPy in every mode, beyond the size of the tensor too, and cutting off."""

import itertools

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, grad, ops
from cgkit.operators.padding import MODES, normal_widths

X = np.arange(1.0, 13.0).reshape(3, 4)


@pytest.mark.parametrize("mode", MODES)
def test_values_are_numpys(mode):
    for pair in itertools.product(range(9), repeat=2):
        found = ops.pad(X, pads=((1, 0), pair), mode=mode)
        np.testing.assert_array_equal(found, np.pad(X, ((1, 0), pair), mode))
    one = np.array([[7.0]])
    np.testing.assert_array_equal(ops.pad(one, pads=2, mode=mode), np.pad(one, 2, mode))


@pytest.mark.parametrize("mode", MODES)
def test_negative_widths_cut_off(mode):
    np.testing.assert_array_equal(ops.pad(X, pads=((-1, 0), (-1, -2)), mode=mode), X[1:, 1:-2])
    for before, after in itertools.product(range(-4, 3), repeat=2):
        if before + after < -4:
            continue
        found = ops.pad(X[0], pads=((before, after),), mode=mode, value=9.0)
        wide = np.pad(
            X[0], (4, 4), **({"constant_values": 9.0} if mode == "constant" else {"mode": mode})
        )
        expected = wide[4 - before : 8 + after]
        if mode == "constant" and (before < -4 or after < -4):
            continue
        np.testing.assert_array_equal(found, expected)


def test_a_constant_takes_the_tensors_dtype():
    assert ops.pad(np.ones(2, "f4"), pads=1, value=0.1).dtype == np.float32
    assert ops.pad(np.ones(2, "i4"), pads=1, value=7).tolist() == [7, 1, 1, 7]


def test_copies_pass_their_gradients_to_one_element():
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    weights = np.array([1.0, 10, 100, 1000, 10000, 100000])
    for mode, expected in [
        ("constant", [100, 1000, 10000]),
        ("edge", [111, 1000, 110000]),
        ("reflect", [100, 1010 + 100000, 10001]),
        ("wrap", [100100, 1001, 10010]),
    ]:
        slope = grad((ops.pad(x, pads=((2, 1),), mode=mode) * weights).sum(), x)[0]
        assert slope.data.tolist() == expected, mode


@pytest.mark.parametrize(
    ("pads", "settings", "said"),
    [
        (((1, 2),), {}, "do not fit a tensor of 2 axes"),
        (((1, 2), (3,)), {}, "do not fit a tensor of 2 axes"),
        (0.5, {}, "whole number, not 0.5"),
        (1, {"mode": "mirror"}, "no mode 'mirror'"),
        (((-2, -2), (0, 0)), {}, "cuts off more than axis 0"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_does_not_fit_is_said_alike_in_both_worlds(pads, settings, said, world):
    x = Tensor(X) if world == "eager" else GraphBuilder().placeholder(X.shape)
    with pytest.raises(ShapeError, match=said):
        ops.pad(x, pads=pads, **settings)


@pytest.mark.parametrize("mode", MODES[1:])
def test_nothing_cannot_be_copied(mode):
    with pytest.raises(ShapeError, match="nothing to copy on axis 0"):
        ops.pad(Tensor(np.zeros((0, 2))), pads=1, mode=mode)
    assert ops.pad(np.zeros((0, 2)), pads=((0, 0), (1, 1)), mode=mode).shape == (0, 4)


def test_lists_of_lists_become_what_a_graph_can_keep():
    value = ops.pad(GraphBuilder().placeholder((2, 3)), pads=[[1, 0], [0, 2]])
    assert value.shape == (3, 5)
    assert hash(value.node.params["pads"]) == hash(((1, 0), (0, 2)))


def test_widths():
    assert normal_widths(0, ()) == ()
    assert normal_widths(1, (1, 2)) == ((1, 2),)
    assert normal_widths(2, [[1, 2], [3, 4]]) == ((1, 2), (3, 4))
    assert normal_widths(2, ((1, 2), (3, 4))) == ((1, 2), (3, 4))
