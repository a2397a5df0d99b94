"""What a call is like."""

import numpy as np

from cgkit import Tensor
from cgkit.compiler.facts import Same, call_of, difference, exact, facts_of


def test_tensors_by_type_and_the_rest_by_value():
    x = Tensor(np.ones((2, 3), "float32"), requires_grad=True)
    facts = facts_of(call_of({"x": x, "k": 3, "fn": len}))
    assert facts["x", "dtype"] == np.float32
    assert [facts["x", what] for what in ("rank", "size 0", "size 1")] == [2, 2, 3]
    assert facts["x", "requires grad"]
    assert facts["k", "value"] == exact(3)
    assert facts["fn", "value"] == Same(len)
    assert facts["grad mode", "on"] is True


def test_the_same_tensor_twice_is_told():
    x, y = Tensor([1.0]), Tensor([1.0])
    twice = facts_of(call_of({"a": x, "b": x}))
    apart = facts_of(call_of({"a": x, "b": y}))
    assert (twice["b", "the same as"], apart["b", "the same as"]) == ("a", "b")


def test_nested_arguments_have_places():
    call = call_of({"batch": {"x": Tensor([1.0]), "k": (1, 2)}})
    assert call.places == ("batch['x']", "batch['k'][0]", "batch['k'][1]")
    assert call.tensors == [0]


def test_values_are_told_apart_by_type_and_text():
    assert exact(0.0) != exact(-0.0)
    assert exact(True) != exact(1)
    assert exact(float("nan")) == exact(float("nan"))
    assert Same(exact) == Same(exact)
    assert Same([]) != Same([])


def test_differences_in_words():
    assert difference(("x", "rank"), 2, {("x", "rank"): 1}) == "x: rank was 2, is 1"
    assert difference(("k", "value"), exact(1), {}) == "k: value was 1, is not there"
    held = ("b", "value")
    assert difference(held, Same([]), {held: Same([])}) == "b: value was list, is another list"
