"""Lent tensors: they record in the thread that traces, compute in others, and come back."""

import threading

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor, ops
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
        found.extend([w + w, 3.0 * w, ops.exp(w), w.sum(), w.numpy(), generator.key()])
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
        lambda w: setattr(w, "grad", None),
    ],
)  # fmt: skip
def test_looks_at_numbers_are_refused(look):
    w = Tensor([1.0], requires_grad=True)
    with (
        lent(GraphBuilder(capturing=True), [w], []),
        pytest.raises(CaptureError, match="a compiled function looks at"),
    ):
        look(w)


def test_what_is_lent_already_stays_with_the_first():
    w = Tensor([1.0])
    with lent(GraphBuilder(capturing=True), [w], []):
        with lent(GraphBuilder(capturing=True), [w], []):
            assert type(w) is LentTensor
        assert type(w) is LentTensor
    assert type(w) is Tensor
