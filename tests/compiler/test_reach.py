"""What a compiled function notices, takes anew and writes to: call by call against plain Python."""

import functools

import numpy as np
import pytest

from cgkit import Tensor, compile, enable_grad, grad, no_grad, ops
from cgkit.errors import CaptureError, GradientError, OperandError
from cgkit.nn import BatchNorm1d, Linear
from cgkit.tensor import Generator

SCALE = 2.0


def T(*numbers, **settings):
    return Tensor(np.array(numbers, "float64"), **settings)


def agree(found, expected):
    np.testing.assert_array_equal(np.asarray(found.data), np.asarray(expected.data))
    assert found.dtype == expected.dtype


def check(fn, changes, *args):
    """Call compiled and plain, then after each change again."""
    ready = compile(fn)
    for change in (lambda: None, lambda: None, *changes, lambda: None):
        change()
        agree(ready(*args), fn(*args))
    return ready


class Holder:
    rate = 2.0

    def __init__(self, **members):
        self.__dict__.update(members)

    @property
    def secret(self):
        return self._secret

    def scaled(self, x):
        return x * self.rate * SCALE

    @staticmethod
    def plain(x):
        return x * SCALE

    @classmethod
    def of(cls, x):
        return x * cls.rate


@pytest.fixture
def scale(monkeypatch):
    return lambda value: lambda: monkeypatch.setitem(globals(), "SCALE", value)


def test_lists_dicts_and_sets():
    table, several = {"b": {"c": [1.0, 2.0]}}, {1, 2}
    check(
        lambda x: x * table["b"]["c"][1] * len(several) * len(table["b"]["c"]),
        [
            lambda: table["b"]["c"].__setitem__(1, 5.0), lambda: several.add(7),
            lambda: table["b"]["c"].append(2.0), lambda: table.update(b={"c": [1.0, 3.0]}),
        ],
        T(1.0),
    )  # fmt: skip


def test_arrays_that_are_written_to():
    table = np.ones(2)
    ready = check(lambda x: x * table + np.exp(table), [lambda: table.fill(3.0)], T(1.0, 2.0))
    assert "table: numbers was [1. 1.], is [3. 3.]" in str(ready.explain())
    for number in (3.0, 5.0):  # an argument, too
        table.fill(number)
        np.testing.assert_allclose(ready(table).numpy(), number**2 + np.exp(number))


def test_objects_and_their_classes(scale):
    holder = Holder(_secret=3.0)
    check(
        lambda x: holder.scaled(x) * holder.secret * holder.plain(x) * holder.of(x),
        [
            scale(5.0),
            lambda: setattr(Holder, "rate", 7.0),
            lambda: setattr(holder, "_secret", 4.0),
            lambda: setattr(holder, "rate", 1.5),
            lambda: setattr(Holder, "plain", staticmethod(lambda x: x + 1.0)),
        ],
        T(1.0),
    )
    Holder.rate, Holder.plain = 2.0, staticmethod(lambda x: x * SCALE)


def test_objects_inside_objects(scale):
    outer = Holder(inner=Holder(rate=3.0, act=Linear(2, 2, Generator(0))))
    x = Tensor(np.ones((3, 2), "float32"))
    new = Linear(2, 2, Generator(1))
    ready = check(
        lambda x: outer.inner.scaled(outer.inner.act(x)),
        [scale(5.0), lambda: setattr(outer.inner, "act", new), lambda: new.eval()],
        x,
    )
    forms = len(ready.entries)
    new.weight = Tensor(np.ones((2, 2), "float32"), requires_grad=True)
    agree(ready(x), outer.inner.scaled(new(x)))
    assert len(ready.entries) == forms  # another tensor of the same type


def test_objects_as_arguments(scale):
    holder = Holder(k=2.0, w=T(1.0, 2.0))

    def fn(x, holder):
        return x * holder.k * holder.w * SCALE

    check(
        fn,
        [scale(3.0), lambda: setattr(holder, "k", 5.0), lambda: setattr(holder, "w", T(7.0, 8.0))],
        T(1.0, 1.0), holder,
    )  # fmt: skip


def test_methods_of_several_objects():
    class Net:
        def __init__(self, k):
            self.k = k

        @compile
        def act(self, x):
            return x * self.k

    first, second = Net(2.0), Net(3.0)
    assert [net.act(T(1.0)).item() for net in (first, second, first)] == [2, 3, 2]
    first.k = 5.0
    assert [net.act(T(1.0)).item() for net in (first, second, first)] == [5, 3, 5]


def test_partials_and_wrapped_functions(scale):
    def wrapping(fn):
        @functools.wraps(fn)
        def inner(x):
            return fn(x) * SCALE

        return inner

    def times(k, x):
        return x * k * SCALE

    w = T(3.0)
    check(wrapping(lambda x: x), [scale(3.0)], T(1.0))
    check(functools.partial(times, w), [scale(4.0), lambda: w.mul_(2.0)], T(1.0))


def test_defaults_that_change():
    def fn(x, settings={"k": 2.0}):  # noqa: B006
        return x * settings["k"]

    check(fn, [lambda: fn.__defaults__[0].update(k=3.0)], T(1.0))


def test_two_names_of_two_functions(scale):
    def scaled(by):
        return lambda x: x * by[0]

    a, b = [2.0], [3.0]
    first, second = scaled(a), scaled(b)
    check(lambda x: first(x) * second(x), [lambda: a.append(1.0), lambda: a.__setitem__(0, 7.0),
                                           lambda: b.__setitem__(0, 9.0)], T(1.0))  # fmt: skip


def test_tensors_computed_of_tensors_that_it_finds():
    w = T(1.0, 2.0, requires_grad=True)

    def fn(x):
        return (x * w).sum() + (w * w).sum() * 0.5

    ready = compile(fn)
    for _ in range(3):
        ours, theirs = grad(ready(T(1.0, 1.0)), w)[0], grad(fn(T(1.0, 1.0)), w)[0]
        agree(ours, theirs)
        with no_grad():
            w.sub_(ours)
    assert len(ready.entries) == 1


def test_a_tensor_that_it_finds_is_an_argument_too():
    w = T(2.0, requires_grad=True)

    def fn(x):
        return grad((x * w).sum(), w, create_graph=True)[0] * 1.0

    ready = compile(fn)
    assert [ready(T(3.0)).item(), ready(w).item(), ready(T(5.0)).item()] == [3, 4, 5]


def test_a_step_of_training_in_place():
    def step(x, y):
        loss = ops.square(layer(x) - y).mean()
        slopes = grad(loss, layer.parameters())
        with no_grad():
            for parameter, slope in zip(layer.parameters(), slopes, strict=True):
                parameter.sub_(slope * 0.1)
        return loss

    rng = np.random.default_rng(0)
    x, y = (Tensor(rng.normal(size=(8, n)).astype("float32")) for n in (3, 2))
    layer = Linear(3, 2, Generator(0))
    ready = compile(step)
    ours = [ready(x, y).item() for _ in range(5)], layer.state()
    layer = Linear(3, 2, Generator(0))
    theirs = [step(x, y).item() for _ in range(5)], layer.state()
    assert ours[0] == theirs[0]
    for name, array in theirs[1].items():
        np.testing.assert_array_equal(ours[1][name], array)
    assert len(ready.entries) == 1


def test_a_write_goes_back_to_who_reads_later():
    def fn(x):
        y = x * 1.0
        x.mul_(x)
        return (x * y).sum()

    for act in (fn, compile(fn)):
        leaf = T(2.0, 3.0, requires_grad=True)
        x = leaf * 1.0
        first = act(x)
        (first + x.sum()).backward()
        assert x.numpy().tolist() == [4, 9]
        assert leaf.grad.numpy().tolist() == [3 * 4 + 2 * 2, 3 * 9 + 2 * 3]
        assert x.version[0] == 1


def test_a_write_that_is_not_recorded_keeps_the_way_back():
    def fn(x):
        y = x * 2.0
        with no_grad():
            x.add_(1.0)
            y.mul_(3.0)
        return (x * x).sum() + (y * 5.0).sum()

    for act in (fn, compile(fn)):
        x = T(1.0, 2.0, requires_grad=True)
        act(x).backward()
        assert x.numpy().tolist() == [2, 3]
        assert x.grad.numpy().tolist() == [2 * 2 + 10, 2 * 3 + 10]


def test_writes_that_are_refused():
    ready = compile(lambda x: x.add_(1.0))
    with pytest.raises(GradientError, match="a leaf that requires grad"):
        ready(T(1.0, requires_grad=True))
    w = T(1.0, requires_grad=True)
    with pytest.raises(GradientError, match="a leaf that requires grad"):
        compile(lambda x: w.add_(x))(T(1.0))
    assert w.item() == 1
    ready(T(1.0))
    with pytest.raises(GradientError, match="a view of shape"):
        ready(T(1.0, 2.0)[1:])


def test_a_write_to_shared_memory_runs_as_written():
    def fn(a, b):
        a.add_(1.0)
        return a * b

    ready = compile(fn)
    for _ in range(2):
        x, y = T(1.0, 2.0), T(1.0, 2.0)
        agree(ready(x, x[::-1]), fn(y, y[::-1]))
        agree(x, y)
    assert ready.eager_calls == 2
    assert ready(T(1.0), T(3.0)).item() == 6
    x = T(1.0, 2.0, 3.0)
    assert ready(x, x).numpy().tolist() == [4, 9, 16]


def test_adding_a_tensor_turned_round():
    def fn(x):
        x.add_(x.flip(0))
        return x

    ready = compile(fn)
    for _ in range(2):
        x = T(1.0, 2.0, 5.0)
        x.mul_(2.0)
        assert ready(x) is x
        assert x.numpy().tolist() == [12, 8, 12]


def test_a_failed_call_changes_nothing():
    x, w, generator = T(1.0, 2.0), T(5.0, 5.0), Generator(0)

    def fn(x):
        x.add_(1.0)
        w.add_(x)
        generator.key()
        raise ValueError("boom")

    ready = compile(fn)
    with pytest.raises(ValueError, match="boom"):
        ready(x)
    assert (x.numpy().tolist(), w.numpy().tolist(), generator.handed) == ([1, 2], [5, 5], 0)
    assert (ready.entries, type(w), type(generator)) == ([], Tensor, Generator)


def test_keys_are_drawn_anew_in_each_call():
    def fn(x, generator):
        first = ops.dropout(x, generator.key(), rate=0.5)
        return first + ops.dropout(x, generator.key(), rate=0.5)

    ready, ours, theirs = compile(fn), Generator(3), Generator(3)
    for _ in range(3):
        agree(ready(Tensor(np.ones(40)), ours), fn(Tensor(np.ones(40)), theirs))
    assert (ours.handed, len(ready.entries)) == (6, 1)


def test_nothing_goes_back_through_what_is_not_recorded():
    def fn(x):
        with no_grad():
            y = ops.exp(x) * x
        return (y * x).sum() + (x.detach() * x * x).sum()

    for act in (fn, compile(fn)):
        x = T(1.0, 2.0, requires_grad=True)
        act(x).backward()
        np.testing.assert_allclose(x.grad.numpy(), np.exp(x.data) * x.data + 2 * x.data * x.data)


def test_results_are_made_anew():
    ready = compile(lambda x: (np.ones(2), Tensor([1.0]), [x * 1.0], x))
    first = ready(T(1.0))
    first[0][:] = 7
    first[1].mul_(7.0)
    first[2].append(1)
    again = ready(T(1.0))
    assert (again[0].tolist(), again[1].item(), len(again[2])) == ([1, 1], 1, 1)


def test_what_cannot_be_given_back():
    with pytest.raises(CaptureError, match="gives Holder, which is no tensor"):
        compile(lambda x: Holder(y=x * 1.0))(T(1.0))

    def several(x):
        yield x

    with pytest.raises(OperandError, match="stops half-way"):
        compile(several)


def test_statistics_of_batches_are_kept():
    x = Tensor(np.random.default_rng(0).normal(size=(8, 3)).astype("float32"))
    ours, theirs = BatchNorm1d(3), BatchNorm1d(3)
    ready = compile(lambda x: ours(x))
    for _ in range(3):
        agree(ready(x), theirs(x))
        agree(ours.running_mean, theirs.running_mean)


def test_a_value_that_is_kept_is_refused_and_what_was_there_comes_back():
    holder = Holder(w=T(1.0))

    def fn(x):
        holder.w = holder.w + x
        return holder.w * 2.0

    ready = compile(fn)
    for _ in range(2):
        with pytest.raises(CaptureError, match="fn keeps a value in w"):
            ready(T(1.0))
        assert holder.w.item() == 1
    ready = compile(lambda x: holder.w.copy_(holder.w + x) * 2.0)
    assert [ready(T(1.0)).item() for _ in range(3)] == [4, 6, 8]


def test_effects_that_change_the_type():
    holder = Holder(h=None)

    def fn(x):
        holder.h = 1 if holder.h is None else [holder.h]
        return x * 2.0

    ready = compile(fn)
    for _ in range(3):
        assert ready(T(1.0)).item() == 2
    assert (len(ready.entries), holder.h) == (1, 1)
    assert "changes  holder.h, but only while it is traced" in str(ready.explain())


def test_recording_inside_a_call_that_does_not():
    def fn(x):
        with enable_grad():
            return x * 2.0

    with no_grad(), pytest.raises(CaptureError, match="records by enable_grad"):
        compile(fn)(T(1.0, requires_grad=True))
    assert compile(fn)(T(1.0, requires_grad=True)).requires_grad
