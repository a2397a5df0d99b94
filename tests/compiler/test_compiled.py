"""The guard table, call by call; and that a compiled function does what the function does."""

import types
import warnings

import numpy as np
import pytest

from cgkit import (
    CgkitError,
    ShapeError,
    Tensor,
    compile,
    cond,
    enable_grad,
    grad,
    nn,
    no_grad,
    ops,
    scan,
)
from cgkit.errors import CaptureError, CompileWarning, DeviceError, OperandError
from cgkit.optimizers import SGD
from cgkit.tensor import Generator

RNG = np.random.default_rng(2)
SCALE = 2.0
MODULE = types.SimpleNamespace(rate=0.5)


def ones(*shape, dtype="float64"):
    return Tensor(np.ones(shape, dtype))


def forms(fn, *calls):
    """Call a function, compiled; give the number of forms after each call."""
    ready = compile(fn)
    counts = []
    for call in calls:
        args, settings = (
            call if isinstance(call, tuple) and isinstance(call[-1], dict) else (call, {})
        )
        args = args if isinstance(args, tuple) else (args,)
        found = ready(*args, **settings)
        expected = fn(*args, **settings)
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
        counts.append(len(ready.entries))
    return counts


def _has_settings(call):
    return isinstance(call, tuple) and isinstance(call[-1], dict)


def double(x):
    return x * 2


def scaled(x):
    return x * SCALE


class TestGuards:
    def test_dtype_and_rank(self):
        assert forms(double, ones(2), ones(2), ones(2, dtype="float32"), ones(2, 2)) == [1, 1, 2, 3]

    def test_a_second_size_opens_the_axis(self):
        calls = [ones(3, 4), ones(5, 4), ones(6, 4), ones(9, 4), ones(9, 8), ones(7, 3)]
        assert forms(double, *calls) == [1, 2, 2, 2, 3, 3]

    def test_zero_and_one_are_cases_of_their_own(self):
        assert forms(double, ones(3), ones(4), ones(1), ones(0), ones(5), ones(1)) == [
            1, 2, 3, 4, 4, 4,
        ]  # fmt: skip

    def test_sizes_of_one_tensor_that_were_equal(self):
        def square(x):
            return x @ x if x.shape[0] == x.shape[1] else x * 3

        calls = [ones(2, 2), ones(3, 3), ones(4, 4), ones(4, 5), ones(6, 7), ones(8, 8)]
        assert forms(square, *calls)[-1] <= 4

    def test_all_sizes_open_from_the_start(self):
        ready = compile(double, dynamic=True)
        for size in (3, 4, 5, 9):
            ready(ones(size, 2))
        assert len(ready.entries) == 1

    def test_sizes_that_cannot_be_open_stay_fixed(self):
        def backwards(x):
            return ops.stack(*reversed(ops.unbind(x))) * 2.0

        for dynamic in (None, True):
            ready = compile(backwards, dynamic=dynamic)
            for size in (3, 4, 6, 3, 4):
                x = ones(size)
                np.testing.assert_array_equal(ready(x).numpy(), backwards(x).numpy())
            assert len(ready.entries) == 3
            assert "x: size 0 cannot be open: unbind of an axis" in str(ready.explain())
        with pytest.raises(ShapeError, match="cannot broadcast"):
            compile(lambda x, y: x + y, dynamic=True)(ones(3), ones(4))

    def test_sizes_that_are_divided_stay_open(self):
        def halves(x):
            rows, columns = x.shape[0] // 2, (x.shape[1] + 2) // 3
            return x[:rows, ::3] * 2.0 + x[rows : rows * 2, :columns] * (x.shape[0] % 2 == 1)

        ready = compile(halves, dynamic=True)
        for rows, columns in ((5, 7), (9, 9), (6, 8), (4, 2)):
            x = ones(rows, columns)
            np.testing.assert_array_equal(ready(x).numpy(), halves(x).numpy())
        assert len(ready.entries) == 2
        assert "asks     N - 2*(N//2) == 1 is True" in str(ready.explain())

    def test_parts_that_have_other_sizes(self):
        ready = compile(lambda x: x[3:] + x[:1])
        for size in (4, 5, 9, 3, 2, 7):
            x = ones(size)
            np.testing.assert_array_equal(ready(x).numpy(), np.full(max(size - 3, 0), 2.0))

    def test_no_size_ever_open(self):
        ready = compile(double, dynamic=False)
        for size in (3, 4, 5):
            ready(ones(size))
        assert len(ready.entries) == 3

    def test_python_numbers_and_texts(self):
        def scaled(x, k, mode="up"):
            return x * k if mode == "up" else x / k

        calls = [(ones(2), 3), (ones(2), 3), (ones(2), 4), (ones(2), 3.0), (ones(2), True)]
        assert forms(scaled, *calls) == [1, 1, 2, 3, 4]
        assert forms(scaled, ((ones(2), 3), {}), ((ones(2), 3), {"mode": "down"})) == [1, 2]

    def test_defaults_given_or_not_are_the_same(self):
        ready = compile(lambda x, k=3: x * k)
        ready(ones(2))
        ready(ones(2), 3)
        ready(ones(2), k=3)
        assert len(ready.entries) == 1

    def test_defaults_that_are_replaced(self):
        def fn(x, k=3.0, *, by=1.0):
            return x * k + by

        ready = compile(fn)
        assert float(ready(ones())) == 4
        fn.__defaults__, fn.__kwdefaults__ = (5.0,), {"by": 2.0}
        assert (float(ready(ones())), float(ready(ones(), 3.0, by=1.0))) == (7, 4)

    def test_globals_and_arguments_of_one_name(self):
        ready = compile(lambda x, SCALE: double(scaled(x)) * SCALE)
        assert [float(ready(ones(), k)) for k in (3.0, 4.0, 3.0)] == [12, 16, 12]

    def test_the_length_of_a_list(self):
        ready = compile(lambda xs: sum(xs[1:], xs[0]))
        assert float(ready([ones(), ones()])) == 2
        assert float(ready([ones(), ones(), ones()])) == 3
        assert len(ready.entries) == 2

    def test_globals(self, monkeypatch):
        ready = compile(lambda x: x * SCALE)
        assert float(ready(ones())) == 2
        monkeypatch.setitem(globals(), "SCALE", 5.0)
        assert float(ready(ones())) == 5
        assert "SCALE: value was 2.0, is 5.0" in str(ready.explain())

    def test_module_attributes(self):
        ready = compile(lambda x: x * MODULE.rate)
        assert float(ready(ones())) == 0.5
        MODULE.rate = 0.25
        assert float(ready(ones())) == 0.25
        MODULE.rate = 0.5

    def test_class_attributes_and_closures(self):
        class Settings:
            rate = 2.0

        shift = 1.0

        def fn(x):
            return x * Settings.rate + shift

        ready = compile(fn)
        assert float(ready(ones())) == 3
        Settings.rate = 4.0
        assert float(ready(ones())) == 5
        shift = 10.0
        assert float(ready(ones())) == 14

    def test_functions_that_are_called(self, monkeypatch):
        ready = compile(lambda x: double(x))
        ready(ones())
        monkeypatch.setitem(globals(), "double", lambda x: x * 7)
        assert float(ready(ones())) == 7

    def test_grad_mode(self):
        ready = compile(double)
        x = Tensor([1.0], requires_grad=True)
        assert ready(x).requires_grad
        with no_grad():
            assert not ready(x).requires_grad
            with enable_grad():
                assert ready(x).requires_grad
        assert len(ready.entries) == 2

    def test_one_tensor_for_two_arguments(self):
        def fn(a, b):
            return a + b * 2

        x, y = Tensor([1.0]), Tensor([5.0])
        ready = compile(fn)
        assert float(ready(x, y)[0]) == 11
        assert float(ready(x, x)[0]) == 3
        assert float(ready(y, x)[0]) == 7
        assert len(ready.entries) == 2

    def test_strides_are_of_no_matter(self):
        x = np.arange(6.0).reshape(2, 3)
        ready = compile(double)
        for data in (x, x[::-1], np.asfortranarray(x)):
            np.testing.assert_array_equal(ready(data).numpy(), data * 2)
        assert len(ready.entries) == 1

    def test_too_many_forms(self):
        ready = compile(lambda x, k: x * k, limit=3)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for k in range(6):
                assert float(ready(ones(), k)) == k
        assert [w.category for w in caught] == [CompileWarning]
        assert "3 compiled forms" in str(caught[0].message)
        assert "k: value was 0, is 3. A Tensor may have other numbers" in str(caught[0].message)
        assert (len(ready.entries), ready.eager_calls) == (3, 3)

    def test_a_function_that_reads_too_much_runs_as_it_is_written(self):
        table = [1.0] * 60_000
        ready = compile(lambda x: x * table[-1])
        with pytest.warns(CompileWarning, match="reads more than 50000 things by itself"):
            assert float(ready(ones())) == 1
        table[-1] = 2.0
        assert (float(ready(ones())), ready.eager_calls) == (2, 2)


class TestMeaning:
    def test_side_effects_happen_while_it_is_traced(self):
        seen = []

        @compile
        def fn(x):
            seen.append(x)
            return x * 2

        for _ in range(3):
            fn(ones(2))
        assert (len(seen), len(fn.entries)) == (1, 1)

    def test_effects_are_shown(self):
        counts = {"calls": 0, "other": 5}

        @compile
        def fn(x):
            counts["calls"] += 1
            return x * counts["other"]

        for _ in range(3):
            assert float(fn(ones())) == 5
        assert (counts["calls"], len(fn.entries)) == (1, 1)
        assert "changes  counts['calls'], but only while it is traced" in str(fn.explain())
        counts["other"] = 6
        assert float(fn(ones())) == 6

    def test_a_python_if_on_numbers_is_an_error(self):
        with pytest.raises(CaptureError, match="Python `if`"):
            compile(lambda x: x if x.sum() > 0 else -x)(ones(2))

    def test_captured_tensors_are_read_anew(self):
        w = Tensor([1.0, 2.0])
        ready = compile(lambda x: x * w)
        assert ready(ones(2)).numpy().tolist() == [1, 2]
        w.mul_(10.0)
        assert ready(ones(2)).numpy().tolist() == [10, 20]
        w = Tensor([3.0, 4.0])
        assert ready(ones(2)).numpy().tolist() == [3, 4]

    def test_layers_learn(self):
        layer = nn.Linear(3, 2, Generator(0))
        ready = compile(lambda x: ops.tanh(layer(x)).sum())
        x = Tensor(RNG.normal(size=(4, 3)).astype("float32"))
        for _ in range(3):
            found, expected = ready(x), ops.tanh(layer(x)).sum()
            assert found.item() == expected.item()
            tensors = list(layer.parameters())
            ours = grad(found, tensors)
            theirs = grad(expected, tensors)
            for a, b in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(a.numpy(), b.numpy())
            with no_grad():
                for tensor, slope in zip(tensors, ours, strict=True):
                    tensor.sub_(slope * 0.1)
        assert len(ready.entries) == 1

    def test_a_whole_step_is_one_graph(self):
        rule = SGD(0.1)

        def step(w, x, y):
            difference = x @ w - y
            loss = (difference * difference).mean()
            (slope,) = grad(loss, w)
            return loss, rule.update(w, slope, rule.initial(np.zeros(3)))[0]

        x, y = Tensor(RNG.normal(size=(8, 3))), Tensor(RNG.normal(size=8))
        ready = compile(step)
        w = v = Tensor(np.zeros(3))
        for _ in range(4):
            loss, w = ready(w, x, y)
            v = Tensor(v, requires_grad=True)
            difference = x @ v - y
            expected = (difference * difference).mean()
            (slope,) = grad(expected, v)
            v = (v - slope * 0.1).detach()
            assert loss.item() == expected.item()
            np.testing.assert_array_equal(w.numpy(), v.numpy())
        assert len(ready.entries) == 1

    def test_branches_and_loops_inside(self):
        @compile
        def fn(x):
            total, _ = scan(lambda c, r: (c + r, None), 0.0, x)
            return cond(total > 2.0, lambda: x * 2.0, lambda: x * 3.0)

        for size in (2, 3, 4):
            x = Tensor(np.ones(size), requires_grad=True)
            y = fn(x)
            factor = 2 if size > 2 else 3
            assert y.numpy().tolist() == [factor] * size
            y.sum().backward()
            assert x.grad.numpy().tolist() == [factor] * size

    def test_inside_another_compiled_function(self):
        inner = compile(lambda x: x * 2.0)
        outer = compile(lambda x: inner(x) + 1.0)
        assert float(outer(ones())) == 3
        assert (len(outer.entries), len(inner.entries)) == (1, 0)

    def test_arguments_come_back_as_they_are(self):
        x = ones(2)
        found = compile(lambda x, k: (x, k, {"y": x * 1.0}))(x, "text")
        assert found[0] is x
        assert found[1] == "text"
        assert found[2]["y"] is not x

    def test_results_stay_when_it_is_called_again(self):
        ready = compile(lambda x: (x + 1.0) * 2.0)
        first = ready(ones(3))
        second = ready(ones(3))
        third = ready(Tensor(np.zeros(3)))
        assert [t.numpy()[0] for t in (first, second, third)] == [4, 4, 2]

    def test_random_numbers_by_key(self):
        ready = compile(lambda x, key: ops.dropout(x, key, rate=0.5))
        x, generator = ones(100), Generator(3)
        for _ in range(3):
            key = Tensor(generator.key())
            np.testing.assert_array_equal(
                ready(x, key).numpy(), ops.dropout(x, key, rate=0.5).numpy()
            )
        assert len(ready.entries) == 1

    def test_other_devices_say_where_they_are(self):
        with pytest.raises(DeviceError, match="npu"):
            compile(double)(ones(2).to("npu"))

    def test_as_a_decorator_and_by_its_name(self):
        @compile(dynamic=True, passes=[lambda graph: graph])
        def named(x):
            """Give x."""
            return x * 1.0

        assert (named.__name__, named.__doc__) == ("named", "Give x.")
        assert repr(named) == "<compiled named: 0 forms>"

    def test_what_cannot_be_compiled(self):
        with pytest.raises(OperandError, match="takes a function, not int"):
            compile(3)
        with pytest.raises(OperandError, match="capture is 'trace'"):
            compile(double, capture="source")
        with pytest.raises(TypeError, match="missing"):
            compile(double)()
        with pytest.raises(CgkitError):
            compile(lambda a, b: a @ b)(ones(2, 3), ones(2, 3))

    def test_passes_see_the_graph(self):
        seen = []
        ready = compile(lambda x: x * 2.0 + 1.0, passes=[lambda graph: seen.append(graph) or graph])
        ready(ones(2))
        ready(ones(2))
        assert [len(graph.operators) for graph in seen] == [2]
