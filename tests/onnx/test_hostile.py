"""Files that a stranger wrote: whatever they hold, a right graph or an OnnxError, soon.

a model ─ bytes changed, fields changed, or written to harm ─> load ─┬─> Graph that verifies
                                                                    └─> OnnxError
"""

import random
import time
import tracemalloc
from contextlib import suppress
from itertools import pairwise

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from onnx.parser import parse_model

from cgkit import verify
from cgkit.errors import CgkitError, OnnxError
from cgkit.onnx import Limits, evaluate, load
from cgkit.onnx.backend import Prepared

HEAD = '<ir_version: 8, opset_import: ["": 18, "d": 1]> '
SMALL = Limits(tensor=2**22, folded=2**23, total=2**24, work=10**8, nodes=1000)
TEXTS = (
    """g (float[N, 3] x) => (float[N, 2] y)
    <float[3, 2] w = {1, 2, 3, 4, 5, 6}, float[2] b = {0.5, -0.5}, int64[2] s = {-1, 2}>
    { h = Gemm <transA = 0> (x, w, b) a = Relu(h) y = Reshape(a, s) }""",
    """g (float[1, 1, 4, 4] x, float[1, 1, 2, 2] w) => (float[1, 1, 2, 2] y)
    { c = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w)
      p = MaxPool <kernel_shape = [2, 2], strides = [1, 1]> (c) y = HardSwish(p) }""",
    """g (float[N, 4] x) => (float[M, 2] y) <int64[1] a = {1}, int64[1] zero = {0}>
    { s = Shape(x) n = Slice(s, zero, a) two = Constant <value_ints = [2, 2]> ()
      all = Concat <axis = 0> (n, two) r = Reshape(x, all)
      y = ReduceMean <keepdims = 0> (r, a) }""",
    """g (float[2] x) => (float[2] y) { y = d.f <k = 2> (x) }
    <domain: "d", opset_import: ["": 18]> f <k> (a) => (b)
    { c = Constant <value_int: int = @k> () t = CastLike(c, a) b = Mul(a, t) }""",
)
MODELS = tuple(parse_model(HEAD + text) for text in TEXTS)
CONTENTS = tuple(model.SerializeToString() for model in MODELS)


def taken_or_refused(content):
    """Load a model, and evaluate it on what it declares: say whether both went well."""
    try:
        verify(load(content, limits=SMALL))
        model = onnx.ModelProto.FromString(content)
        evaluate(content, dict(declared(model)), limits=SMALL)
    except OnnxError:
        return False
    return True


def declared(model):
    for given_ in model.graph.input:
        tensor = given_.type.tensor_type
        shape = [min(max(dim.dim_value, 0), 4) or 2 for dim in tensor.shape.dim]
        yield given_.name, np.ones(shape, helper.tensor_dtype_to_np_dtype(tensor.elem_type or 1))


def changed(content, rng):
    """Change some bytes: other values, cut out, put in, or taken from elsewhere."""
    found = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(found))
        how = rng.randrange(5)
        if how < 2:
            found[at] = rng.choice([rng.randrange(256), found[at] ^ (1 << rng.randrange(8))])
        elif how == 2:
            del found[at : at + rng.choice([1, 2, 8])]
        elif how == 3:
            found[at:at] = rng.randbytes(rng.choice([1, 2, 8]))
        else:
            other = rng.choice(CONTENTS)
            start = rng.randrange(len(other))
            found[at : at + 16] = other[start : start + 16]
    return bytes(found)


def survive(number, seed):
    """Change models many times; give how many were taken."""
    rng = random.Random(seed)
    taken = 0
    for _ in range(number):
        content = changed(rng.choice(CONTENTS), rng)
        start = time.monotonic()
        try:
            taken += taken_or_refused(content)
        except Exception as error:
            error.add_note(f"load(bytes.fromhex({content.hex()!r}))")
            raise
        assert time.monotonic() - start < 20, content.hex()
    return taken


def test_models_themselves_are_taken():
    assert all(map(taken_or_refused, CONTENTS))


def test_changed_bytes():
    assert 10 < survive(600, seed=0) < 590


@pytest.mark.slow
def test_changed_bytes_many_times():
    assert survive(20_000, seed=1) > 300


@given(st.binary(max_size=200))
def test_any_bytes(content):
    with pytest.raises(OnnxError):
        load(content)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(CONTENTS), st.data())
def test_a_model_cut_short_or_with_something_behind(content, data):
    cut = data.draw(st.integers(0, len(content)))
    taken_or_refused(content[:cut])
    taken_or_refused(content + data.draw(st.binary(max_size=20)))


NUMBERS = [0, 1, -1, 2, 7, 65, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63), 2**63 - 1, 10**6]


def fields(message, path=()):
    """Walk over the numbers and names of a message: what they stand in, and the field."""
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for part in [value] if hasattr(value, "ListFields") else value:
                yield from fields(part, (*path, field.name))
        elif field.type != field.TYPE_BYTES:
            yield message, field, value


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=150)
@given(st.sampled_from(MODELS), st.data())
def test_changed_fields(model, data):
    found = onnx.ModelProto()
    found.CopyFrom(model)
    places = list(fields(found))
    words = sorted({value for _, _, value in places if isinstance(value, str)})
    for _ in range(data.draw(st.integers(1, 3))):
        message, field, value = data.draw(st.sampled_from(places))
        new = data.draw(st.sampled_from(words if field.type == field.TYPE_STRING else NUMBERS))
        try:
            if isinstance(value, int | float | str):
                setattr(message, field.name, new)
            else:
                value[data.draw(st.integers(0, max(len(value) - 1, 0)))] = new
        except (ValueError, TypeError, IndexError):
            continue  # protobuf itself has no room for that
    taken_or_refused(found.SerializeToString())
    with suppress(CgkitError):
        Prepared(found, SMALL).run(dict(declared(model)))


HUGE = 10**12
ABSURD = {
    "a constant": "() => (float[N] y) <int64[1] s = {HUGE}> { y = ConstantOfShape(s) }",
    "counting": "() => (int64[N] y) <int64 a = {0}, int64 b = {HUGE}, int64 c = {1}>"
    " { y = Range(a, b, c) }",
    "repetition": "(float[1] x) => (float[N] y) <int64[1] s = {HUGE}> { y = Tile(x, s) }",
    "stretching": "(float[1] x) => (float[N] y) <int64[1] s = {HUGE}> { y = Expand(x, s) }",
    "padding": "(float[1] x) => (float[N] y) <int64[2] s = {0, HUGE}> { y = Pad(x, s) }",
    "resizing": "(float[1, 1, 2, 2] x) => (float[A, B, C, D] y)"
    " <int64[4] s = {1, 1, 1000000, 1000000}> { y = Resize(x, , , s) }",
    "one of many": "(int64[1] i) => (float[A, B] y) <int64 d = {HUGE}, float[2] v = {0, 1}>"
    " { y = OneHot(i, d, v) }",
    "chance": "() => (float[N] y) { y = RandomNormal <shape = [HUGE]> () }",
    "a window": "() => (float[N] y) <int64 n = {HUGE}> { y = HannWindow(n) }",
    "room around": "(float[1, 1, 4, 4] x, float[1, 1, 2, 2] w) => (float[A, B, C, D] y)"
    " { y = Conv <pads = [HUGE, HUGE, HUGE, HUGE]> (x, w) }",
    "an input": "(float[HUGE, HUGE] x) => (float[A, B] y) { y = Neg(x) }",
    "steps": "(float[HUGE, 1, 2] x, float[1, 8, 2] w, float[1, 8, 2] r) => (float[A, B, C, D] y)"
    " { y = LSTM <hidden_size = 2> (x, w, r) }",
    "products": "() => (float[A, B] y) <int64[2] s = {10000, 10000}>"
    " { a = ConstantOfShape(s) b = MatMul(a, a) y = MatMul(b, b) }",
    "doubling": "(float[4] x) => (float[N] y) { DOUBLING y = Identity(a60) }",
    "doubling constants": "() => (int64[N] y) <int64[1] x = {3}> { DOUBLING y = Identity(a60) }",
    "doubling sizes": "(float[N] x) => (float[M] y) { DOUBLING_80 y = Identity(a80) }",
    "squaring sizes": "(float[N, M] z) => (float[A] y) <int64[1] one = {1}>"
    " { s = Shape(z) x = ReduceSum <keepdims = 0> (s) SQUARING q = Reshape(a60, one)"
    " y = ConstantOfShape(q) }",
}


def chain(operator, length):
    names = ["x", *(f"a{i}" for i in range(1, length + 1))]
    return " ".join(f"{b} = {operator}({a}, {a})" for a, b in pairwise(names))


@pytest.mark.parametrize("what", ABSURD)
def test_absurd_sizes_are_refused_before_anything_is_made(what):
    text = "g " + ABSURD[what].replace("HUGE", str(HUGE))
    text = text.replace("DOUBLING_80", chain("Concat <axis = 0> ", 80))
    text = text.replace("DOUBLING", chain("Concat <axis = 0> ", 60))
    model = parse_model(HEAD + text.replace("SQUARING", chain("Mul", 60)))
    limits = Limits(tensor=2**30, folded=2**26)
    start = time.monotonic()
    tracemalloc.start()
    try:
        with pytest.raises(OnnxError):
            load(model, limits=limits)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**28
    assert time.monotonic() - start < 10


def test_functions_that_double_each_other_are_refused():
    functions = "".join(
        f'<domain: "d", opset_import: ["": 18, "d": 1]> f{n} (a) => (c)'
        f" {{ b = d.f{n + 1}(a) c = d.f{n + 1}(b) }} "
        for n in range(30)
    )
    last = '<domain: "d", opset_import: ["": 18]> f30 (a) => (b) { b = Neg(a) }'
    text = "g (float[2] x) => (float[2] y) { y = d.f0(x) } " + functions + last
    with pytest.raises(OnnxError, match="with functions in place: 3,221,225,471"):
        load(parse_model(HEAD + text))


def test_a_tensor_that_claims_more_than_it_holds():
    tensor = TensorProto(name="w", dims=[2**20, 2**20], data_type=1, raw_data=b"1234")
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Neg", ["w"], ["y"])], "g", [],
            [helper.make_tensor_value_info("y", 1, None)], [tensor],
        )
    )  # fmt: skip
    with pytest.raises(OnnxError, match="would take 4,398,046,511,104 bytes"):
        load(model)


@pytest.mark.parametrize("location", ["../secret", "/etc/passwd", "sub/../../secret", "link"])
def test_external_data_outside_the_folder_are_not_read(tmp_path, location):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret").write_bytes(bytes(4))
    (home / "link").symlink_to(tmp_path / "secret")
    tensor = numpy_helper.from_array(np.zeros(1, np.float32), "w")
    onnx.external_data_helper.set_external_data(tensor, location, length=4)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    graph = helper.make_graph(
        [helper.make_node("Neg", ["w"], ["y"])], "g", [],
        [helper.make_tensor_value_info("y", 1, [1])], [tensor],
    )  # fmt: skip
    path = home / "m.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    with pytest.raises(OnnxError, match="own folder"):
        load(path)


def wrapped(content, field):
    """Give the bytes of a message whose one field, a message too, has these bytes."""
    length, size = len(content), b""
    while length > 127:
        size += bytes([length % 128 + 128])
        length //= 128
    return bytes([field * 8 + 2]) + size + bytes([length]) + content


@pytest.mark.parametrize("depth", [3, 30, 3000])
def test_graphs_within_graphs_within_graphs(depth):
    graph = b""
    for _ in range(depth):  # graph.node[0].attribute[0].g
        graph = wrapped(wrapped(wrapped(graph, 6), 5), 1)
    model = MODELS[0]
    content = model.SerializeToString() + wrapped(graph, 7)
    with pytest.raises(OnnxError, match="graphs lie within" if depth > 30 else "no operator"):
        load(content)


def test_graphs_too_deep_for_a_file_in_a_model_in_memory():
    model = onnx.ModelProto()
    model.CopyFrom(MODELS[0])
    graph = model.graph
    for _ in range(10_000):
        node = graph.node.add(op_type="If", output=["y"])
        graph = node.attribute.add(name="then_branch", type=5).g
    with pytest.raises(OnnxError, match="graphs within each other: 33; limits allow 32"):
        load(model)


@pytest.mark.parametrize("trips", ["", "n"])
def test_a_loop_of_nothing_that_never_ends(trips):
    text = f"""g (float[3] x) => (int64 y) {{ n = Constant <value = int64 {{{2**62}}}> ()
        y = Loop ({trips}, , n) <
            body = b (int64 i, bool go, int64 s) => (bool go, int64 s) {{}}> }}"""
    with pytest.raises(OnnxError, match="steps and nodes of loops, so far: 1,001"):
        evaluate(parse_model(HEAD + text), {"x": np.ones(3, "float32")}, limits=Limits(steps=1000))


BOTH = """g (float[4] x) => (float[M] y) <int64[1] s = {6}> { y = CenterCropPad(x, s) }
<domain: "", opset_import: ["": 18]> Pad (a, p) => (b) { BODY }"""


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ("b = CenterCropPad(a, p)", "functions and graphs within each other: 33; limits allow 32"),
        ("c = CenterCropPad(a, p) b = CenterCropPad(c, p)", "limits allow"),
    ],
)
def test_a_function_cannot_hide_in_what_onnx_says_of_another(body, match):
    """ONNX's own body of CenterCropPad pads, and the model says that padding is CenterCropPad."""
    model = parse_model(HEAD + BOTH.replace("BODY", body))
    began = time.monotonic()
    with pytest.raises(OnnxError, match=match):
        load(model)
    with pytest.raises(OnnxError, match=match):
        evaluate(model, {"x": np.ones(4, np.float32)})
    assert time.monotonic() - began < 20


def test_nodes_are_counted_as_they_are_walked():
    model = parse_model(HEAD + BOTH.replace("BODY", "b = CenterCropPad(a, p)"))
    with pytest.raises(OnnxError, match="in place, so far: 41; limits allow 40"):
        load(model, limits=Limits(nodes=40, depth=10**6))
