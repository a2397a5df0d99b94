"""What surrounds a call: keys, graphs, and the place of an error."""

import numpy as np
import pytest

from cgkit import Generator, GraphBuilder, ShapeError, nn, ops, trace
from cgkit.errors import OperandError
from cgkit.nn.calling import Place, recorder, scope, takes_key, tell_place, unusual


def test_who_takes_a_key():
    assert takes_key(nn.Dropout.forward)
    assert takes_key(nn.MultiHeadAttention.forward)
    assert not takes_key(nn.Linear.forward)


@pytest.mark.parametrize(
    ("inputs", "settings", "said"),
    [
        ((1.0, 2.0), {}, "too many positional arguments"),
        ((), {}, "missing a required argument: 'x'"),
        ((1.0,), {"rat": 1}, "got an unexpected keyword argument 'rat'"),
    ],
)
def test_a_wrong_call_says_what_a_right_one_is(inputs, settings, said):
    with pytest.raises(OperandError, match=rf"^ReLU\(\) is called as \(x\): {said}"):
        nn.ReLU()(*inputs, **settings)
    with pytest.raises(OperandError, match=r"Sequential\(\) is called as \(x, \*, key=None\)"):
        nn.Sequential()(*inputs, **settings)


def test_an_error_within_a_right_call_stays():
    class Wrong(nn.Module):
        def forward(self, x):
            return len(x)

    with pytest.raises(TypeError, match="has no len"):
        Wrong()(1.0)


def test_a_generator_is_no_key():
    with pytest.raises(OperandError, match=r"takes a key, not .*\n  try      key=generator\.key"):
        nn.Dropout()(1.0, key=Generator(0))


def test_the_graph_that_is_being_built():
    builder = GraphBuilder()
    x = builder.placeholder(())
    assert recorder((1.0, x)) is builder
    assert recorder((1.0, (np.ones(2), [{"a": x}]))) is builder
    assert recorder((1.0, np.ones(2), None)) is None


def test_scopes_are_names_with_strokes():
    builder, part = GraphBuilder(), nn.ReLU()
    owner = nn.Module()
    owner.blocks = [part]
    x = builder.placeholder(())
    with scope(part, builder):
        y = x + 1.0
    with scope(owner, builder), scope(part, None):
        z = x + 2.0
    assert (y.node.scope, z.node.scope) == ("blocks/0", "")


def test_numbers_stand_in_a_graph_where_their_layer_does():
    traced = trace(nn.Sequential(nn.Linear(2, 3, Generator(0)), nn.ReLU()), np.ones(2, "float32"))
    found = {(edge.node.name, edge.node.scope) for edge in traced.graph.inputs}
    assert found == {("x", ""), ("0.weight", "0"), ("0.bias", "0")}


def test_settings_that_are_usual_are_not_told():
    layer = nn.Conv2d(1, 1, 3, Generator(0), stride=2)
    assert unusual(layer, ops.conv2d, "stride", "padding") == {"stride": 2}
    traced = trace(layer, np.ones((1, 1, 5, 5), "float32"))
    params = [node.params for node in traced.graph.nodes if node.operator is ops.conv2d]
    assert params == [{"stride": 2}]


def test_the_outermost_name_of_a_place_wins():
    inner = nn.Linear(1, 1, Generator(0))
    middle, outer = nn.Sequential(inner), nn.Module()
    outer.parts = {"first": middle}
    error = ShapeError("no")
    error.add_note("something else")
    for module in (inner, middle, outer):
        tell_place(error, module)
    assert error.__notes__ == ["something else", "  in layer parts.first.0 = Linear(1, 1)"]
    tell_place(error, nn.ReLU())  # a module that it is no part of changes nothing
    assert error.__notes__[1] == Place("parts.first.0", inner)


def test_a_shared_layer_is_placed_where_it_is_first():
    layer = nn.Linear(2, 3, Generator(0))
    with pytest.raises(ShapeError) as caught:
        nn.Sequential(layer, layer)(np.zeros(2))
    assert caught.value.__notes__ == ["  in layer 0 = Linear(2, 3)"]
