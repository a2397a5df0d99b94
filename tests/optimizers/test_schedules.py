"""Learning rates by step: numbers by hand, in every sort of operand, and torch's."""

import math

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, run
from cgkit.errors import OperandError
from cgkit.optimizers import Constant, Cosine, StepDecay, WarmUp

EVERY = [
    Constant(0.3),
    StepDecay(0.8, every=3, factor=0.5),
    StepDecay(0.8, every=1, factor=0),
    Cosine(0.8, steps=7),
    Cosine(0.8, steps=7, least=0.1),
    WarmUp(4, Cosine(0.8, steps=7), start=0.25),
    WarmUp(1, Constant(0.3), start=0.0),
    WarmUp(3, WarmUp(2, StepDecay(0.8, every=2))),
]
STEPS = range(15)


def rates(schedule):
    return [float(schedule(step)) for step in STEPS]


def test_constant():
    assert rates(Constant(0.3)) == [0.3] * 15


def test_step_decay():
    expected = [0.8 * 0.5 ** (step // 3) for step in STEPS]
    np.testing.assert_allclose(rates(StepDecay(0.8, every=3, factor=0.5)), expected, rtol=1e-15)


def test_cosine_falls_and_then_stays():
    expected = [0.1 + 0.35 * (1 + math.cos(math.pi * min(step, 7) / 7)) for step in STEPS]
    np.testing.assert_allclose(rates(Cosine(0.8, steps=7, least=0.1)), expected, rtol=1e-14)
    assert rates(Cosine(0.8, steps=7, least=0.1))[7:] == [0.1] * 8


def test_warm_up_rises_and_then_follows():
    expected = [0.3 * 0.1, 0.3 * 0.4, 0.3 * 0.7, 0.3, 0.3]
    np.testing.assert_allclose(rates(WarmUp(3, Constant(0.3)))[:5], expected, rtol=1e-14)
    later = rates(WarmUp(3, Cosine(0.8, steps=7)))[3:]
    np.testing.assert_allclose(later, rates(Cosine(0.8, steps=7))[:12], rtol=1e-14)


@pytest.mark.parametrize("schedule", EVERY, ids=repr)
def test_the_step_may_be_any_operand(schedule):
    expected = rates(schedule)
    arrays = [float(schedule(np.array(step))) for step in STEPS]
    tensors = [float(schedule(Tensor(step))) for step in STEPS]
    builder = GraphBuilder()
    step = builder.placeholder((), "int64")
    graph = builder.graph([step + 0.0 * schedule(step), schedule(step) + 0.0 * step], [step])
    values = [float(run(graph, np.array(step))[1]) for step in STEPS]
    assert arrays == tensors == values
    np.testing.assert_allclose(arrays, expected, rtol=1e-15)


@pytest.mark.parametrize("schedule", EVERY, ids=repr)
def test_a_schedule_is_a_plain_value(schedule):
    assert eval(repr(schedule)) == schedule
    assert hash(eval(repr(schedule))) == hash(schedule)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Constant(-1), "the learning rate is a number of at least 0"),
        (lambda: StepDecay(0.1, every=0), "the number of steps is a whole number of at least 1"),
        (lambda: StepDecay(0.1, every=2, factor=-1), "the factor is a number of at least 0"),
        (lambda: Cosine(0.1, steps=1.5), "the number of steps is a whole number"),
        (lambda: Cosine(0.1, steps=3, least=math.nan), "the least learning rate is a number"),
        (lambda: WarmUp(3, 0.1), "what follows a warm-up is a schedule, not 0.1"),
        (lambda: WarmUp(3, Constant(0.1), start=2), "the start is a number from 0 to 1"),
    ],
)
def test_settings_out_of_bounds_are_refused(make, said):
    with pytest.raises(OperandError, match=said):
        make()


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("schedule", "make"),
    [
        (StepDecay(0.8, every=3), lambda lr, o: lr.StepLR(o, 3)),
        (StepDecay(0.8, every=2, factor=0.7), lambda lr, o: lr.StepLR(o, 2, gamma=0.7)),
        (Cosine(0.8, steps=14), lambda lr, o: lr.CosineAnnealingLR(o, 14)),
        (Cosine(0.8, steps=14, least=0.2), lambda lr, o: lr.CosineAnnealingLR(o, 14, eta_min=0.2)),
        (
            WarmUp(5, Cosine(0.8, steps=10), start=0.25),
            lambda lr, o: lr.SequentialLR(
                o,
                [lr.LinearLR(o, 0.25, total_iters=5), lr.CosineAnnealingLR(o, 10)],
                milestones=[5],
            ),
        ),
    ],
    ids=lambda value: repr(value) if type(value) in map(type, EVERY) else "torch",
)
def test_as_torch(schedule, make):
    import torch

    optimizer = torch.optim.SGD([torch.ones(1)], lr=0.8)
    theirs = make(torch.optim.lr_scheduler, optimizer)
    for step in STEPS:
        assert float(schedule(step)) == pytest.approx(theirs.get_last_lr()[0], rel=1e-12, abs=1e-15)
        optimizer.step()
        theirs.step()
