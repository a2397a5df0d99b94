"""What cannot be exported: exactly these operators, each with a reason and something to try."""

import pytest

from cgkit import GraphBuilder, ops
from cgkit.control import OPERATORS
from cgkit.errors import OnnxError
from cgkit.onnx.exporter import to_model
from cgkit.onnx.exporting import formulas, reasons, rules
from cgkit.onnx.exporting.random import REASONS
from cgkit.symbolic.wiring import AFTER, SIZED
from cgkit.symbolic.writes import INSTEAD

DRAWING = {
    "key", "split_key", "fold_in", "uniform", "normal", "bernoulli", "randint", "permutation",
    "dropout",
}  # fmt: skip


def test_exactly_these():
    written = {*rules(), *formulas(), *(name for name, one in ops.ALL.items() if one.onnx)}
    assert ops.ALL.keys() - written == DRAWING == REASONS.keys() == reasons().keys()


def test_nothing_is_said_twice():
    assert not rules().keys() & formulas().keys()
    assert not reasons().keys() & (rules().keys() | formulas().keys())
    known = (
        ops.ALL.keys()
        | {one.name for one in (AFTER, SIZED, INSTEAD)}
        | {each.name for each in OPERATORS}
    )
    assert (rules().keys() | formulas().keys() | reasons().keys()) <= known


@pytest.mark.parametrize("name", sorted(REASONS))
def test_each_has_a_reason_and_something_to_try(name):
    why, attempt = REASONS[name]
    assert len(why) > 20
    assert len(attempt) > 10


def test_the_error_names_operator_and_node_and_what_to_try():
    builder = GraphBuilder()
    key = builder.placeholder((), "uint64", name="seed")
    mask = ops.uniform(key, shape=(2,))
    with pytest.raises(OnnxError) as caught:
        to_model(builder.graph([mask * 2.0]))
    told = caught.value.with_place()
    assert told.startswith(
        "uniform cannot be exported to ONNX: ONNX's random operators take no key"
    )
    assert "try      drawing outside of the model" in told
    assert "at node  uniform(seed)" in told
