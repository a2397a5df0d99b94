"""Random programs, compiled and eager: values, gradients, second gradients, results that stay."""

import abc
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit import Generator, Tensor, compile, grad
from cgkit.nn import Linear
from cgkit.testing.programs import programs


def same(a, b):
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    assert a.tobytes() == b.tobytes() or (
        np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))
    )


def slopes(ys, xs, create_graph):
    wanted = [y.sum() for y in ys if y.requires_grad]
    if not wanted:
        return []
    found = grad(wanted, xs, create_graph=create_graph, allow_unused=True)
    return [Tensor(np.zeros(x.shape)) if g is None else g for g, x in zip(found, xs, strict=True)]


def compare(ready, program, data, requires_grad, twice):
    ours, theirs = ([Tensor(x, requires_grad=requires_grad) for x in data] for _ in range(2))
    found, expected = ready(*ours), program.run(theirs)
    for a, b in zip(found, expected, strict=True):
        same(a.data, b.data)
        assert a.requires_grad == b.requires_grad
    first = slopes(found, ours, twice), slopes(expected, theirs, twice)
    for a, b in zip(*first, strict=True):
        np.testing.assert_allclose(a.data, b.data, rtol=1e-12, atol=1e-13)
    if twice:
        for a, b in zip(
            slopes(first[0], ours, False), slopes(first[1], theirs, False), strict=False
        ):
            np.testing.assert_allclose(a.data, b.data, rtol=1e-9, atol=1e-10)
    return found


@settings(max_examples=60, deadline=None)
@given(programs(), st.integers(0, 2**32 - 1))
def test_compiled_is_eager(program, seed):
    rng = np.random.default_rng(seed)
    ready = compile(lambda *xs: program.run(xs))
    kept = []
    for requires_grad, twice, turn in (
        (True, False, False),
        (False, False, True),
        (True, True, True),
    ):
        data = [np.asarray(rng.normal(size=known.shape)) for known in program.inputs]
        if turn:
            data = [np.asarray(x)[::-1] if x.ndim else x for x in data]
        found = compare(ready, program, data, requires_grad, twice)
        kept.append([(y, y.data.copy()) for y in found])
    for y, before in (pair for pairs in kept for pair in pairs):
        same(y.data, before)


@settings(max_examples=30, deadline=None)
@given(programs(shapes=[(3, 4), (3, 4), (4,)]), st.lists(st.integers(0, 6), max_size=6))
def test_sizes_that_change(program, sizes):
    """Where a program fits other sizes, so does its compiled form."""
    ready = compile(lambda *xs: program.run(xs), limit=20)
    for size in (3, *sizes):
        data = [Tensor(np.arange(n * 1.0).reshape(shape) / 7) for n, shape in
                ((size * 4, (size, 4)), (size * 4, (size, 4)), (4, (4,)))]  # fmt: skip
        try:
            expected = program.run(data)
        except (ValueError, IndexError):
            continue  # a graph may still do, where what fails is of no use
        for a, b in zip(ready(*data), expected, strict=True):
            same(a.data, b.data)


class Trainer:
    def __init__(self):
        self.model, self.history, self.best = Linear(3, 2, Generator(0)), [], None

    def loss(self, x):
        return (self.model(x) ** 2.0).mean()

    @compile
    def step(self, x):
        return self.loss(x) * self.scale

    scale = 2.0

    def fit(self, x):
        for _ in range(12):
            loss = self.step(x)
            self.history += [loss.detach(), loss.item()]
            self.best = min(self.history[1::2])


@pytest.mark.parametrize("bases", [(Trainer,), (Trainer, abc.ABC)])
def test_who_keeps_a_record_beside_needs_one_form(bases):
    trainer = type("Mine", bases, {"step": compile(Trainer.step.fn)})()
    x = Tensor(np.ones((4, 3), "float32"))
    trainer.fit(x)
    assert (len(type(trainer).step.entries), type(trainer).step.eager_calls) == (1, 0)
    trainer.loss = lambda x: x.sum()  # what it calls is another thing now
    assert trainer.step(x).item() == 24
    trainer.scale = 3.0
    assert trainer.step(x).item() == 36


def test_what_is_only_passed_by_is_asked_for_nothing():
    """Modules of others hold things that answer any question with a warning."""

    class Old:
        def __getattribute__(self, name):
            raise FutureWarning(name)

    module = types.ModuleType("settings")
    module.rate, module.old, wanted = 2.0, Old(), "rate"
    ready = compile(lambda x: x * getattr(module, wanted))
    found = [ready(Tensor(3.0)).item()]
    module.rate = 5.0
    assert [*found, ready(Tensor(3.0)).item()] == [6.0, 15.0]
