"""What explain says, word for word."""

import numpy as np
import pytest

from cgkit import Tensor, compile, ops
from cgkit.errors import CompileWarning
from cgkit.tensor import Generator

SCALE = 2.0


def test_an_account():
    @compile
    def area(x, k=1):
        return ops.tanh(x) * SCALE * k if x.shape[0] < 10 else x

    for size in (3, 4, 5):
        area(Tensor(np.ones(size)))
    area(Tensor(np.ones(4)), k=2)
    assert (
        str(area.explain())
        == """\
area: 3 forms
form 1, called 1 time
  takes    x: float64[3]
  runs     3 operators, 9 FLOPs; 3 arrays allocated in the last run
  depends  grad mode: on True
  depends  k: value 1
  depends  SCALE: value 2.0
form 2, called 2 times
  takes    x: float64[N]
  runs     3 operators, 3*N FLOPs; 3 arrays allocated in the last run
  asks     N < 10 is True
  depends  grad mode: on True
  depends  k: value 1
  depends  SCALE: value 2.0
form 3, called 1 time
  takes    x: float64[N]
  runs     3 operators, 3*N FLOPs; 3 arrays allocated in the last run
  asks     N < 10 is True
  depends  grad mode: on True
  depends  k: value 2
  depends  SCALE: value 2.0
form 2 was made because  x: size 0 was 3, is 4
form 3 was made because  k: value was 1, is 2"""
    )


def test_calls_that_ran_as_written_are_counted():
    double = compile(lambda x: x * 2, limit=1)
    double(Tensor([1.0]))
    with pytest.warns(CompileWarning):
        double(Tensor([1]))
    double(Tensor([1]))
    assert "2 calls ran as written: too many forms" in str(double.explain())


def test_tensors_go_by_the_places_where_they_were_found():
    held = {"w": [Tensor([1.0])]}
    generator, table = Generator(0), [1.0] * 50
    ready = compile(lambda x: x * held["w"][0] * table[7] + ops.uniform(generator.key(), shape=()))
    ready(Tensor([1.0]))
    told = str(ready.explain())
    assert "takes    x: float64[1], held['w'][0]: float64[1], key: uint64[]" in told
    assert told.endswith("  depends  table[38]: value 1.0\n  depends  and on 11 other values")


def test_each_reason_to_run_as_written_is_named():
    ready = compile(lambda x, y: x.add_(1.0) * y)
    x = Tensor([1.0, 2.0])
    ready(x, Tensor([5.0, 6.0]))
    ready(Tensor.wrap(x.data), Tensor.wrap(x.data[::-1]))
    assert "1 call ran as written: a tensor that is written to shares memory with another" in str(
        ready.explain()
    )
