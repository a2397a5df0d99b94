"""What compiled functions cost: launches, allocations, memory that comes back, threads."""

import copy
import gc
import pickle
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

from cgkit import GraphBuilder, Session, Tensor, compile, grad, no_grad, ops
from cgkit.compiler import Executable
from cgkit.errors import CompileWarning
from cgkit.interpret import run
from cgkit.nn import Linear, ReLU, Sequential
from cgkit.optimizers import SGD
from cgkit.static import minimize
from cgkit.tensor import Generator

RNG = np.random.default_rng(0)
X = Tensor(RNG.normal(size=(16, 8)).astype("float32"))
Y = Tensor(RNG.integers(0, 4, size=16))


def network():
    generator = Generator(0)
    return Sequential(Linear(8, 12, generator), ReLU(), Linear(12, 4, generator))


def step_of(model):
    def step(x, y):
        loss = ops.cross_entropy(model(x), y)
        slopes = grad(loss, model.parameters())
        with no_grad():
            for parameter, slope in zip(model.parameters(), slopes, strict=True):
                parameter.sub_(slope * 0.1)
        return loss

    return step


def test_a_step_of_training_is_launched_once_and_allocates_its_results():
    step = compile(step_of(network()))
    with no_grad():
        for _ in range(4):
            step(X, Y)
    (entry,) = step.entries
    executable = entry.executable
    assert executable.runs == entry.calls == 4  # nothing fell back to another way
    assert executable.launches == len(
        [n for n in entry.graph.operators if n.operator.name not in ("stop_gradient", "instead")]
    )
    written = len(entry.traced.written)
    assert written == 4
    inside = sum(step.into is None and not _is_view(step.node) for step in executable.steps)
    assert executable.allocated <= inside + 1 + written


def _is_view(node):
    return node.operator.name in ("reshape", "transpose", "slice", "squeeze", "unsqueeze", "split")


def test_there_and_back_are_one_run_each():
    model = network()
    ready = compile(lambda x, y: ops.cross_entropy(model(x), y))
    for _ in range(3):
        ready(X, Y).backward()
    (entry,) = ready.entries
    (way,) = entry._ways.values()
    assert (way.there.runs, way.back.runs, entry.executable.runs) == (3, 3, 0)


def test_memory_does_not_grow():
    w = Tensor(np.ones(50), requires_grad=True)
    ready = compile(lambda x: (x * w).sum())
    x = Tensor(np.ones(50))

    def work(times):
        for number in range(times):
            y = ready(x)
            if number % 10 == 0:
                y.backward()

    work(50)
    gc.collect()
    tracemalloc.start()
    work(200)
    before, _ = tracemalloc.get_traced_memory()
    work(10_000)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 20_000


def test_many_sorts_of_calls_are_bounded():
    ready = compile(lambda x, k: x * 1.0, limit=3)
    for k in range(3):
        ready(Tensor([1.0]), k)
    with pytest.warns(CompileWarning):
        ready(Tensor([1.0]), 4)
    for k in range(5, 400):
        ready(Tensor([1.0]), k)
    for size in range(2, 400):
        ready(Tensor(np.ones(size)), 0)
    assert len(ready._served) <= 256
    assert len(ready.entries[-1].executable._free) <= 8


def test_a_function_that_is_let_go_takes_everything_with_it():
    def made():
        w = Tensor(np.ones(1000), requires_grad=True)
        return compile(lambda x: ops.exp(x * w).sum()), weakref.ref(w)

    ready, w = made()
    ready(Tensor(np.ones(1000)))
    gone = weakref.ref(ready.entries[0].executable), w
    del ready
    gc.collect()
    assert [r() for r in gone] == [None, None]


def test_a_tensor_that_another_one_has_replaced_is_let_go():
    w = Tensor(np.ones(1000))
    ready, before = compile(lambda x: x * w), weakref.ref(w)
    ready(Tensor(1.0))
    w = Tensor(np.ones(1000))
    ready(Tensor(1.0))
    gc.collect()
    assert (before(), len(ready.entries)) == (None, 1)


def test_copies_make_forms_of_their_own():
    ready = compile(network_of_squares, limit=3)
    ready(X)
    for again in (copy.copy(ready), copy.deepcopy([ready])[0], pickle.loads(pickle.dumps(ready))):
        assert again(X).numpy().tolist() == ready(X).numpy().tolist()
        assert (len(again.entries), again.entries[0] is ready.entries[0]) == (1, False)


def network_of_squares(x):
    return ops.square(x) * 2.0


def test_threads_compile_and_call_one_function():
    model = network()
    ready = compile(lambda x, k: model(x) * k)
    expected = {k: (model(X) * k).numpy() for k in (1.0, 2.0, 3.0)}
    wrong = []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def work(k):
        for _ in range(40):
            if not np.array_equal(ready(X, k).numpy(), expected[k]):
                wrong.append(k)
            if not np.array_equal((model(X) * k).numpy(), expected[k]):
                wrong.append(-k)

    threads = [threading.Thread(target=work, args=(k,)) for k in (1.0, 2.0, 3.0) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert (wrong, len(ready.entries)) == ([], 3)


def test_an_interrupted_run_leaves_everything_usable():
    generator, stop = Generator(0), [False]

    def interrupting(graph):
        made = Executable(graph)
        again = made._again

        def act(slots, buffers):
            if stop[0]:
                raise KeyboardInterrupt
            again(slots, buffers)

        made._again = act
        return made

    w = Tensor([1.0, 2.0])

    def fn(x):
        w.add_(x)
        return ops.uniform(generator.key(), shape=(2,)) + w

    ready = compile(fn, ready=interrupting)
    x = Tensor([1.0, 1.0])
    ready(x)
    stop[0] = True
    try:
        ready(x)
    except KeyboardInterrupt:
        stop[0] = False
    assert w.numpy().tolist() == [2, 3]
    ready(x)
    assert w.numpy().tolist() == [3, 4]
    assert len(ready.entries) == 1


def test_a_session_runs_through_an_executable():
    builder = GraphBuilder()
    x = builder.placeholder((None, 3), name="x")
    w = builder.variable(np.ones(3), name="w")
    step = minimize(ops.square(x @ w - 1.0).mean(), SGD(0.1))
    ours, plain = Session(builder), Session(builder, executor=run)
    for rows in (4, 4, 4, 2, 4):
        data = RNG.normal(size=(rows, 3))
        for fetch in (step, w):
            ours.run(fetch, {x: data})
            plain.run(fetch, {x: data})
    assert ours.run(w).tobytes() == plain.run(w).tobytes()
    training, *_ = ours.executables
    assert (training.runs, plain.executables) == (5, ())
    assert training.allocated == 5  # a count of rows; w and the step, each given out and kept


def test_another_thread_compiles_while_a_function_is_traced_that_waits_for_it():
    w, found = Tensor([1.0, 2.0]), []
    inner = compile(lambda x: x + w * w)

    def fn(x):
        thread = threading.Thread(target=lambda: found.append(inner(Tensor([1.0, 1.0]))))
        thread.start()
        thread.join(20)
        return x + w * w

    x = Tensor([1.0, 1.0])
    assert compile(fn)(x).numpy().tolist() == [2, 5]
    assert [y.numpy().tolist() for y in found] == [[2, 5]]
    assert (len(inner.entries), type(w)) == (1, Tensor)


def test_an_array_that_is_found_is_kept_once_for_all_sizes():
    table = np.ones(100_000)
    ready = compile(lambda x: x + table[:1], dynamic=True)
    ready(Tensor(np.ones(2)))
    tracemalloc.start()
    for size in range(3, 23):
        ready(Tensor(np.ones(size)))
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(ready.entries), after < 2 * table.nbytes) == (1, True)
    table[0] = 2.0
    assert ready(Tensor(np.ones(3))).numpy().tolist() == [3, 3, 3]
