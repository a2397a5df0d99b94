"""Lent tensors: they record in the thread that traces, compute in others, and come back."""

import copy
import pickle
import threading
import weakref

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, compile, cond, grad, no_grad, ops, scan, switch
from cgkit.compiler.lending import LentTensor, lent, loan_here
from cgkit.errors import CaptureError
from cgkit.symbolic import Value
from cgkit.tensor import Generator


def test_they_record_and_come_back():
    w, generator = Tensor([1.0, 2.0]), Generator(0)
    builder = GraphBuilder(capturing=True)
    with lent(builder, [w], [generator]) as loan:
        assert loan_here() is loan
        found = [w + w, 2.0 * w, ops.exp(w), w.sum(), w[0], Tensor([1.0, 1.0]) * w, w.detach()]
        assert all(isinstance(x, Value) for x in found)
        assert isinstance(generator.key(), Value)
    assert loan_here() is None
    assert (type(w), type(generator), generator.handed) == (Tensor, Generator, 0)
    assert isinstance(w + w, Tensor)
    assert [x is w for x, _ in builder.captured.values()].count(True) == 1


def test_they_come_back_after_an_error():
    w = Tensor([1.0])
    with pytest.raises(ValueError, match="boom"), lent(GraphBuilder(capturing=True), [w], []):
        raise ValueError("boom")
    assert type(w) is Tensor
    assert loan_here() is None


def test_other_threads_compute():
    w, generator = Tensor([1.0, 2.0]), Generator(0)
    found = []

    def work():
        found.extend([w + w, 3.0 * w, ops.exp(w), w.detach(), w.numpy(), generator.key()])
        w.add_(1.0)

    with lent(GraphBuilder(capturing=True), [w], [generator]):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert [type(x) for x in found] == [Tensor] * 4 + [np.ndarray, np.uint64]
    assert w.numpy().tolist() == [2, 3]


@pytest.mark.parametrize(
    "look",
    [
        lambda w: w.item(), lambda w: w.numpy(), float, bool, np.asarray, lambda w: w.grad,
        lambda w: setattr(w, "grad", None), lambda w: w.data, lambda w: setattr(w, "data", 1),
        Tensor, copy.copy, copy.deepcopy, pickle.dumps, "{:.2f}".format, lambda w: w.backward(),
    ],
)  # fmt: skip
def test_looks_at_numbers_are_refused(look):
    w = Tensor([1.0], requires_grad=True)
    with (
        lent(GraphBuilder(capturing=True), [w], []),
        pytest.raises(CaptureError, match="a compiled function looks at"),
    ):
        look(w)
    assert (type(w), w.numpy().tolist()) == (Tensor, [1.0])


@pytest.mark.parametrize(
    "look",
    [
        lambda g: g.handed, lambda g: g.seed, lambda g: g.state(), repr, copy.copy, pickle.dumps,
        lambda g: setattr(g, "handed", 1), lambda g: g.load_state({"seed": 1, "handed": 2}),
    ],
)  # fmt: skip
def test_looks_at_generators_are_refused(look):
    generator = Generator(3)
    with (
        lent(GraphBuilder(capturing=True), [], [generator]),
        pytest.raises(CaptureError, match="a compiled function looks at"),
    ):
        look(generator)
    assert repr(generator) == "Generator(seed=3, handed=0)"


def test_what_does_not_change_is_told_as_ever():
    w = Tensor([[1.0, 2.0]], requires_grad=True)
    table, reference, hashed = {w: 1}, weakref.ref(w), hash(w)
    before = (w.shape, w.dtype, w.ndim, w.size, w.device, w.requires_grad, w.is_leaf, len(w))
    builder = GraphBuilder(capturing=True)
    with lent(builder, [w], []):
        assert isinstance(w, Tensor)
        assert (table[w], reference() is w, hash(w)) == (1, True, hashed)
        assert before == (
            w.shape, w.dtype, w.ndim, w.size, w.device, w.requires_grad, w.is_leaf, len(w)
        )  # fmt: skip
        assert repr(w) == "Value(input: float64[1, 2])"
        assert w.to("cpu") is w
    assert repr(w) == "Tensor([[1., 2.]], requires_grad=True)"


def test_classes_of_the_user_are_refused():
    class Mine(Tensor):
        pass

    w, mine = Tensor([1.0]), Mine([1.0])
    with (
        pytest.raises(CaptureError, match="reads a Mine by itself, a class made of Tensor"),
        lent(GraphBuilder(capturing=True), [w, mine], []),
    ):
        pass
    assert (type(w), type(mine)) == (Tensor, Mine)


def test_two_traces_of_two_threads_share_a_tensor():
    w, inside, done = Tensor([1.0]), threading.Event(), threading.Event()
    builder, found = GraphBuilder(capturing=True), []

    def work():
        with lent(GraphBuilder(capturing=True), [w], []) as loan:
            found.append((w * 2.0).builder is loan.builder)
            inside.set()
            done.wait(20)
            found.append((w * 2.0).builder is loan.builder)

    with lent(builder, [w], []):
        thread = threading.Thread(target=work)
        thread.start()
        assert inside.wait(20)
        assert (w * 2.0).builder is builder
    assert type(w) is LentTensor
    assert isinstance(w * 2.0, Tensor)
    done.set()
    thread.join()
    assert (type(w), found) == (Tensor, [True, True])


def test_keys_inside_of_branches_and_loops_are_refused():
    generator, builder = Generator(0), GraphBuilder(capturing=True)
    x = builder.placeholder((3,))
    with (
        lent(builder, [], [generator]),
        pytest.raises(CaptureError, match="draws a key inside a branch or a loop"),
    ):
        scan(lambda c, r: (c + ops.uniform(generator.key(), shape=()), None), x[0], x)


def test_what_is_lent_already_stays_with_the_first():
    w = Tensor([1.0])
    with lent(GraphBuilder(capturing=True), [w], []):
        with lent(GraphBuilder(capturing=True), [w], []):
            assert type(w) is LentTensor
        assert type(w) is LentTensor
    assert type(w) is Tensor


def test_choices_and_loops_by_what_is_found():
    pred, index, w = Tensor(True), Tensor(1), Tensor([1.0, 2.0], requires_grad=True)

    def fn(x):
        y = cond(pred, lambda: w * 2.0, lambda: w * w * 3.0)
        z = switch(index, [lambda: w * 5.0, lambda: w * 7.0])
        return x + y + z + scan(lambda c, row: (c * row, row + w.sum()), 1.0, w)[1]

    ready = compile(fn)
    for truth, number in ((True, 1), (False, 1), (False, 0), (True, 0)):
        pred.copy_(truth)
        index.copy_(number)
        ours, theirs = ready(Tensor([1.0, 1.0])), fn(Tensor([1.0, 1.0]))
        assert ours.numpy().tolist() == theirs.numpy().tolist()
        assert grad(ours.sum(), w)[0].numpy().tolist() == grad(theirs.sum(), w)[0].numpy().tolist()
        with no_grad():
            w.mul_(2.0)
    assert (len(ready.entries), ready.eager_calls) == (1, 0)


def test_an_argument_that_is_found_too():
    w = Tensor([1.0, 2.0])

    def fn(x):
        w.add_(x)
        return w * x + w * w

    ready, state = compile(fn), []
    for act in (ready, fn):
        w = Tensor([1.0, 2.0])
        ones = Tensor([1.0, 1.0])
        state.append([act(x).numpy().tolist() for x in (ones, w, ones, w, ones)] + w.data.tolist())
    assert state[0] == state[1]
    assert (len(ready.entries), ready.eager_calls) == (2, 0)
