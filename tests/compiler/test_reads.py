"""What functions read beside their arguments."""

import functools
import operator
import sys
import types
import weakref
from contextvars import ContextVar

import numpy as np
import pytest

from cgkit import Tensor, ops
from cgkit.compiler.reads import reads_of, slots
from cgkit.nn import Linear
from cgkit.tensor import Generator

SCALE = 2.0
TABLE = {"shift": [1, 2]}
MODULE = types.SimpleNamespace(rate=0.5)


def helper(x):
    return x * SCALE


def values(fn):
    return {
        place: str(value) for (place, what), value in reads_of(fn).facts.items() if what == "value"
    }


def test_globals_tables_and_attributes():
    assert values(lambda x: x * SCALE) == {"SCALE": "2.0"}
    assert values(lambda x: x + TABLE["shift"][0]) == {"TABLE['shift'][0]": "1",
                                                        "TABLE['shift'][1]": "2"}  # fmt: skip
    assert values(lambda x: x * MODULE.rate) == {"MODULE.rate": "0.5"}


def test_functions_that_are_called_are_read_too():
    assert values(lambda x: helper(x)) == {"SCALE": "2.0"}


def test_closures_and_defaults_of_inner_functions():
    shift = 3

    def inner(x, by=4):
        return x + by

    assert values(lambda x: inner(x) + shift) == {"shift": "3", "default 0 of inner": "4"}


def test_recursion_ends():
    def first(x):
        return second(x)

    def second(x):
        return first(x) * SCALE

    assert values(first) == {"SCALE": "2.0"}


def test_objects_by_what_they_hold():
    class Net:
        __slots__ = ("flag",)
        rate = 0.1

        def __init__(self):
            self.flag = True

        def __call__(self, x):
            return x * SCALE if self.flag else x

    found = values(Net())
    assert found["self.flag"] == "True"
    assert found["SCALE"] == "2.0"


def test_tensors_by_type_and_in_order():
    w, v = Tensor([1.0, 2.0]), Tensor([3.0], dtype="float32")
    reads = reads_of(lambda x: x * w + v + w)
    assert {id(t) for t in reads.tensors} == {id(w), id(v)}
    before = reads.facts
    w = Tensor([5.0, 6.0])
    assert reads_of(lambda x: x * w + v + w).facts["w", "size 0"] == before["w", "size 0"] == 2
    w = Tensor([5.0, 6.0, 7.0])
    assert reads_of(lambda x: x * w + v + w).facts["w", "size 0"] == 3


def test_a_tensor_in_two_places_and_among_the_arguments():
    w = Tensor([1.0])
    v = w
    reads = reads_of(lambda x: x * w + v)
    assert len(reads.tensors) == 1
    assert ("w", "the same as") in reads.facts or ("v", "the same as") in reads.facts
    reads = reads_of(lambda x: x * w, {}, {id(w): "x"})
    assert (reads.tensors, reads.facts["w", "the same as"]) == ((), "x")
    assert id(w) in reads.numbers


def test_arrays_by_their_numbers():
    table = np.array([1.0, 2.0])
    before = reads_of(lambda x: x * table).facts["table", "numbers"]
    table[0] = 5
    after = reads_of(lambda x: x * table).facts["table", "numbers"]
    assert before != after
    assert (repr(before), repr(after)) == ("[1. 2.]", "[5. 2.]")


def test_layers_by_their_tensors_and_their_mode():
    layer = Linear(2, 3, Generator(0))
    before = reads_of(lambda x: layer(x))
    layer.eval()
    after = reads_of(lambda x: layer(x))
    assert len(before.tensors) == 2
    assert before.facts != after.facts


def test_generators_are_not_told_by_how_far_they_are():
    generator = Generator(3)

    def fn(x):
        return generator.key()

    before = reads_of(fn)
    generator.key()
    after = reads_of(fn)
    assert before.facts == after.facts
    assert before.generators == (generator,)


def test_the_library_is_taken_as_fixed():
    facts = reads_of(lambda x: ops.exp(x) + np.pi).facts
    assert facts.keys() <= {
        ("self", "code"), ("ops", "object"), ("np", "object"), ("ops.exp", "object"),
        ("np.exp", "object"), ("np.pi", "value"),
    }  # fmt: skip


def test_names_without_a_value_are_left_out():
    def late(x):
        return x + NOT_THERE_YET  # noqa: F821

    assert values(late) == {}


def test_names_that_several_functions_give_other_things():
    def scaled(by):
        return lambda x: x * by

    first, second = scaled(2.0), scaled(3.0)
    assert sorted(values(lambda x: first(x) + second(x)).values()) == ["2.0", "3.0"]


def test_plain_attributes_count_where_they_are_mentioned():
    class Net:
        rate = 2.0

        def __init__(self):
            self.scale, self.steps = 3.0, 0

        def __call__(self, x):
            return x * self.scale * self.rate

    net = Net()
    assert sorted(values(net).values()) == ["2.0", "3.0"]
    net.steps = 5
    assert sorted(values(net).values()) == ["2.0", "3.0"]
    assert sorted(values(lambda x: getattr(net, x)).values()) == ["2.0", "3.0", "5"]


def test_properties_methods_and_partials():
    class Net:
        def __init__(self):
            self._rate = 2.0

        @property
        def rate(self):
            return self._rate

        @staticmethod
        def act(x):
            return x * SCALE

    net = Net()
    assert sorted(values(lambda x: net.act(x) * net.rate).values()) == ["2.0", "2.0"]
    net.kept = [3.0]
    bound = types.MethodType(lambda self, x: x * self.kept[0], net)
    assert values(bound)["self.kept[0]"] == "3.0"
    assert "7" in values(functools.partial(helper, 7)).values()
    assert "2.0" in values(functools.partial(helper, 7)).values()


def test_wrapped_functions_are_read_with_what_wraps_them():
    times = 5.0

    def wrapping(fn):
        @functools.wraps(fn)
        def inner(x):
            return fn(x) * times

        return inner

    assert sorted(values(wrapping(helper)).values()) == ["2.0", "5.0"]


def test_slots_are_found():
    assert slots(Generator) == ("handed", "seed")


@pytest.mark.parametrize("size", [10, 60_000])
def test_it_is_said_where_there_is_too_much(size):
    table = list(range(size))
    assert reads_of(lambda x: x + table[0]).whole == (size == 10)


class Base:
    rate = 1.0


class Kinds(type):
    rate = 2.0


class Further(Base, metaclass=Kinds):
    rate = 3.0

    @classmethod
    def scaled(cls, x):
        return x * cls.rate


class Table(dict):
    pass


class Member:
    def __init__(self, held):
        self.held = held

    def __call__(self, x):
        return self.held.rate


class Alike:
    def __repr__(self):
        return "alike"


RATE = operator.attrgetter("rate")


class Slow:
    def __getattr__(self, name):
        return object.__getattribute__(self, "r" + name)


def taken_apart(held):
    def fn(x):
        match held:
            case Slow(rate=found):
                return x * found

    return fn


VARIABLE = ContextVar("variable", default=1.0)


def nested(value, times):
    for _ in range(times):
        value = [value]
    return value


def around(fn, times):
    for _ in range(times):
        fn = (lambda inner: lambda x: inner(x))(fn)
    return fn


def of_a_list(way):
    held = [1.0]
    return way(held), lambda: held.__setitem__(0, 2.0)


def of_a_dict(way):
    held = Table(a=1.0)
    held.rate = 1.0
    return way(held), lambda: setattr(held, "rate", 2.0)


def of_an_object(way):
    held = Slow()
    held.rate = 1.0
    return way(held), lambda: setattr(held, "rate", 2.0)


def of_two_keys(way):
    held = {Alike(): [1.0], Alike(): [2.0]}
    return lambda x: x * held, lambda: next(iter(held.values())).append(1)


def of_a_module(way):
    module = types.ModuleType("settings_of_a_test")
    module.rate, sys.modules[module.__name__] = 1.0, module
    return way(module), lambda: setattr(module, "rate", 2.0)


def alias(module):
    def fn(x):
        held = module
        return x * held.rate

    return fn


def imports(module):
    def fn(x):
        import settings_of_a_test

        return x * settings_of_a_test.rate

    return fn


def imports_from(module):
    def fn(x):
        from settings_of_a_test import rate

        return x * rate

    return fn


@pytest.mark.parametrize(
    ("made", "way"),
    [
        (of_a_list, lambda held: (lambda top: lambda x: x * top)(nested(held, 300))),
        (of_a_list, lambda held: around(lambda x: x * held[0], 300)),
        (of_a_list, lambda held: (lambda get: lambda x: x * get(0))(held.__getitem__)),
        (of_a_list, lambda held: (lambda m: lambda x: m["a"])(types.MappingProxyType({"a": held}))),
        (of_a_dict, lambda held: (lambda several: lambda x: several)({Member(held)})),
        (of_a_list, lambda held: functools.lru_cache(lambda x: x * held[0])),
        (of_a_dict, lambda held: lambda x: x * held.rate),
        (of_a_dict, lambda held: (lambda held: lambda x: x * held().rate)(weakref.ref(held))),
        (of_an_object, lambda held: lambda x: x * held.ate),
        (of_an_object, lambda held: lambda x: x * operator.attrgetter("rate")(held)),
        (of_an_object, taken_apart),
        (of_an_object, lambda held: (lambda get: lambda x: x * get(held))(RATE)),
        (of_an_object, lambda held: (lambda get: lambda x: x * get(held, "rate"))(getattr)),
        (of_two_keys, None),
        (of_a_module, alias),
        (of_a_module, imports),
        (of_a_module, imports_from),
        (of_a_module, lambda module: (lambda held: lambda x: x * held[0].rate)([module])),
    ],
)
def test_changes_are_seen_through(made, way):
    fn, change = made(way)
    reads = reads_of(fn)
    assert reads_of(fn).facts == reads.facts
    assert reads.snapshot.holds()
    change()
    assert reads_of(fn).facts != reads.facts
    assert not reads.snapshot.holds()


@pytest.mark.parametrize("kind", [Further, Kinds])
@pytest.mark.parametrize("fn", [lambda x: x * Further.rate, Further.scaled])
def test_classes_of_one_family_are_told_apart(kind, fn, monkeypatch):
    before = reads_of(fn).facts
    monkeypatch.setattr(kind, "rate", 7.0)
    assert reads_of(fn).facts != before


def test_variables_of_a_context():
    def fn(x):
        return x * VARIABLE.get()

    reads = reads_of(fn)
    token = VARIABLE.set(2.0)
    assert (reads_of(fn).facts != reads.facts, reads.snapshot.holds()) == (True, False)
    VARIABLE.reset(token)
    assert reads.snapshot.holds()


def test_no_place_is_that_of_an_argument():
    assert values(lambda x: helper(x)) == {"SCALE": "2.0"}
    facts = reads_of(lambda x: helper(x), called=("x", "SCALE")).facts
    assert {place for place, what in facts if what == "value"} == {"SCALE (2)"}


def test_whoever_asks_for_all_globals_reads_them_all():
    assert values(lambda x: x * globals()["SCALE"])["globals['SCALE']"] == "2.0"
