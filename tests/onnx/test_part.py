"""Graphs that nodes hold, as rules see them."""

import numpy as np
import pytest
from onnx.parser import parse_model

from cgkit.errors import OnnxError
from cgkit.onnx.part import Part, reads
from cgkit.onnx.reading import Limits, graphs_of, read_tensor

LOOP = """<ir_version: 8, opset_import: ["": 18]>
f (int64 n, float[2] x, bool yes) => (float[2] y, float[T] z) {
    y, z = Loop (n, yes, x) <body = b (int64 i, bool go, float[2] h)
            => (bool more, float[2] next, float kept) <float[2] w = {1, 2}> {
        k = Add(h, w)
        next = If (go) <then_branch = t () => (float[2] a) { a = Mul(k, x) },
                        else_branch = e () => (float[2] b) { b = Identity(outside) }>
        MORE
        kept = ReduceSum <keepdims = 0> (next) }> }"""


def part(more="more = Identity(go)", around=None, walk=None):
    made = parse_model(LOOP.replace("MORE", more))
    (graph,) = graphs_of(made.graph.node[0])
    return Part(
        graph, around if around is not None else {}, walk or (lambda nodes, names: None),
        lambda tensor: read_tensor(tensor, Limits()),
    )  # fmt: skip


def test_what_it_takes_from_around():
    body = part(around={"x": 1, "outside": 2, "more": 3})
    assert reads(body.graph) == ["x", "outside"]
    assert body.taken() == (1, 2)
    assert (body.inputs, body.outputs) == (("i", "go", "h"), ("more", "next", "kept"))
    assert repr(body) == "<graph 'b' of 4 nodes>"


def test_a_walk_sees_what_is_around_and_leaves_it():
    around = {"x": "outer", "h": "hidden"}
    seen = []

    def walk(nodes, names):
        seen.append({name: names[name] for name in ("x", "h", "w", "i")})
        for node in nodes:
            for name in node.output:
                names[name] = np.array(len(name), bool if name == "more" else made)

    made = "float32"
    body = part(around=around, walk=walk)
    given = np.int64(1), np.True_, np.float32([3, 4])
    assert body(*given) == (True, 4.0, 4.0)
    assert (seen[0]["x"], seen[0]["h"], seen[0]["i"]) == ("outer", given[2], given[0])
    assert seen[0]["w"].tolist() == [1, 2]
    assert around == {"x": "outer", "h": "hidden"}
    with pytest.raises(OnnxError, match="'b' inside has 3 inputs, and is given 2"):
        body(*given[:2])
    with pytest.raises(OnnxError, match="declares its input 'h' as float32, and it is int64"):
        body(*given[:2], np.ones(2, "int64"))
    made = "float64"
    with pytest.raises(OnnxError, match="declares its output 'next' as float32, and it is float64"):
        body(*given)


@pytest.mark.parametrize(("more", "around", "expected"), [
    ("more = Identity(go)", {}, True),
    ("m = Identity(go) more = Identity(m)", {}, True),
    ("more = Constant <value = bool {1}> ()", {}, True),
    ("more = Constant <value = bool {0}> ()", {}, False),
    ("more = Identity(yes)", {"yes": np.array(True)}, True),
    ("more = Identity(yes)", {"yes": np.array(False)}, False),
    ("more = Identity(yes)", {"yes": object()}, False),
    ("more = Not(go)", {}, False),
])  # fmt: skip
def test_whether_a_loop_goes_on_whatever_happens(more, around, expected):
    assert part(more, around).passes(0, 1) is expected


def test_what_outputs_declare():
    body = part()
    assert body.declared(1) == (np.dtype("float32"), (2,))
    assert body.declared(2) == (np.dtype("float32"), ())
    body.graph.output[2].type.tensor_type.elem_type = 0
    assert body.declared(2) is None
