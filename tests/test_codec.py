"""Graphs as plain values: the way there and back, and values that come from anywhere."""

import copy
import json
import random

import numpy as np
import pytest

from cgkit import (
    GraphBuilder,
    Operator,
    Tensor,
    TensorType,
    compile,
    gradients,
    no_grad,
    ops,
    run,
)
from cgkit.codec import DEEPEST, decode, encode, operators
from cgkit.control import cond, scan, while_loop, while_scan
from cgkit.errors import StateError
from cgkit.graph import Graph


def network():
    builder = GraphBuilder()
    x = builder.placeholder(("N", 3), "float32", name="x")
    with builder.scope("layer"):
        w = builder.variable(np.ones((3, 2), "float32"), name="w")
    h = ops.softmax(x @ w, axis=-1)[1:, None, 0]
    y = ops.cast(ops.pad(h, pads=((1, 0), (0, 2)), value=-np.inf), dtype="float64")
    z = ops.max_pool(x[::2], kernel=(3,), stride=2, padding=1)  # ((N - 1)//2 + 1, 2)
    return builder.graph([y, z, x.sum(), builder.constant(np.array([1, 2]))], [x])


def controlled():
    builder = GraphBuilder()
    x = builder.placeholder((4,), name="x")
    y = cond(x.sum() > 0.0, lambda x: scan(lambda c, r: (c + r, None), 0.0, x)[0], ops.max, x)
    z = while_loop(lambda c: c < 100.0, lambda c: c * 2.0 + y, y)
    return builder.graph([z, *gradients(z, [x])], [x])


@pytest.mark.parametrize("make", [network, controlled])
def test_the_way_there_and_back(make):
    graph = make()
    found = decode(encode(graph))
    assert str(found) == str(graph)
    assert [n.scope for n in found.nodes] == [n.scope for n in graph.nodes]
    shape = [5 if not isinstance(s, int) else s for s in graph.inputs[0].shape]
    data = np.random.default_rng(0).normal(size=shape).astype(graph.inputs[0].dtype)
    for ours, theirs in zip(run(found, data), run(graph, data), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_only_plain_values_and_arrays():
    def plain(value):
        if isinstance(value, dict):
            return all(isinstance(key, str) and plain(part) for key, part in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or type(value) in (bool, int, float, str, np.ndarray)

    assert plain(encode(network()))
    assert plain(encode(controlled()))


def test_equal_numbers_of_unlike_types_stay_apart():
    builder = GraphBuilder()
    x = builder.placeholder((2,), name="x")
    graph = builder.graph([ops.sum(x, axis=0, keepdims=True), ops.sum(x, axis=(0,))], [x])
    params = [node.params for node in decode(encode(graph)).operators]
    assert repr(params) == repr([node.params for node in graph.operators])


def test_every_operator_has_its_name():
    known = operators()
    assert known["scan"].several
    assert {"input", "constant", "variable", "add", "cond", "assign", "to"} <= set(known)
    assert all(known[name].name == name for name in known)


def test_an_operator_of_the_users_own_cannot_be_written():
    mine = Operator("mine", lambda a: a, lambda a: a, operands=1)
    builder = GraphBuilder()
    graph = builder.graph([mine(builder.placeholder(()))])
    with pytest.raises(StateError, match="mine is not the library's"):
        encode(graph)


def damaged(**changes):
    values = encode(network())
    for path, change in changes.items():
        *way, last = path.split("__")
        at = values
        for key in way:
            at = at[int(key) if key.isdigit() else key]
        at[int(last) if last.isdigit() else last] = change
    return values


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (3, "'version' is missing"),
        ({"version": 2}, "version 2"),
        ({"version": 1}, "'nodes' is missing"),
        ({"version": 1, "nodes": 3}, "'nodes' is of type int, not list"),
        (damaged(nodes__2__operator="launch"), "there is no operator 'launch'"),
        (damaged(nodes__2__inputs=[[9, 0], [1, 0]]), "node 9 is read, but stands nowhere before"),
        (damaged(nodes__2__inputs=[[0, 1], [1, 0]]), "node 0 has 1 outputs, not number 1"),
        (damaged(nodes__2__inputs=[[-1, 0]]), "node -1 is read"),
        (damaged(nodes__2__inputs=[[True, 0]]), "is no place of a tensor"),
        (damaged(nodes__2__inputs=[[0, 0]]), "this graph is damaged"),
        (damaged(nodes__2__results=[["float32", [7, 7]]]), "this graph is damaged"),
        (damaged(nodes__2__results=[["float99", [7, 7]]]), "float99"),
        (damaged(nodes__1__value=np.ones(3)), "has a value of float64[3]"),
        (damaged(nodes__1__value="text"), "is of type str"),
        (damaged(nodes__0__value=np.ones(3)), "the value of a input"),
        (damaged(nodes__2__params={"axis": {"pickle": "x"}}), "is no param"),
        (damaged(nodes__2__params={"axis": [1]}), "is no param"),
        (damaged(nodes__0__results=[["float32", [{"dim": []}, 3]]]), "is no size"),
        (damaged(nodes__0__results=[["float32", [{"dim": [[1, [["N", 99]]]]}, 3]]]), "no term"),
        (damaged(nodes__0__results=[["float32", [-1, 3]]]), "is no size"),
        (damaged(outputs=[[0, 0, 0]]), "is no place of a tensor"),
        (damaged(nodes__0__name=7), "'name' is of type int"),
        (damaged(nodes__0__params={"axis": 1}), "neither inputs nor params"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(values, words):
    with pytest.raises(StateError) as caught:
        decode(values)
    assert words in caught.value.with_place()


def test_graphs_inside_graphs_end_somewhere():
    values = encode(controlled())
    inner = encode(network())
    del inner["version"]
    deep = inner
    for _ in range(DEEPEST + 2):
        node = copy.deepcopy(values["nodes"][0])
        node["params"] = {"then": {"graph": deep}}
        deep = {"nodes": [node], "inputs": [], "outputs": []}
    with pytest.raises(StateError, match="deeper than"):
        decode({"version": 1, **deep})


def test_values_that_are_nested_without_end():
    values = encode(network())
    size = "N"
    param = {"tuple": []}
    for _ in range(3000):
        size, param = {"dim": [[3, [[size, 1]]]], "by": 7}, {"tuple": [param]}
    for way, odd in (("results", [["float32", [size]]]), ("params", {"shape": param})):
        broken = copy.deepcopy(values)
        broken["nodes"][-1][way] = odd
        with pytest.raises(StateError, match="nested too deep"):
            decode(broken)


def places(values, way=()):
    """Walk over all places in nested values."""
    yield way
    if isinstance(values, dict | list):
        items = values.items() if isinstance(values, dict) else enumerate(values)
        for key, part in items:
            yield from places(part, (*way, key))


ODD = (
    None, True, -1, 10**30, float("nan"), "", "add", "input", [], {}, [[0, 0]], {"tuple": []},
    {"graph": 1}, np.ones(2), np.array(["a"]), {"dim": [[1, [["N", 1]]]]},
    {"dim": [[1, [["N", 1]]]], "by": 2}, {"dim": [[1, [["N", 1]]]], "by": 0},
)  # fmt: skip


@pytest.mark.parametrize("make", [network, controlled])
def test_odd_values_anywhere_give_a_sound_graph_or_a_state_error(make):
    generator = random.Random(7)
    whole = encode(make())
    ways = list(places(whole))[1:]
    refused = 0
    for _ in range(400):
        values = copy.deepcopy(whole)
        *way, last = generator.choice(ways)
        at = values
        for key in way:
            at = at[key]
        if generator.random() < 0.3 and isinstance(at, list | dict):
            del at[last]
        else:
            at[last] = generator.choice(ODD)
        try:
            found = decode(values)
        except StateError:
            refused += 1
        else:
            assert isinstance(found, Graph)
    assert refused > 200


def test_json_holds_all_but_the_arrays():
    graph = network()
    text = json.dumps(encode(graph), default=lambda array: array.tolist())
    assert "Infinity" in text
    assert TensorType((2,), "int64") in [e.type for e in graph.outputs]


@pytest.mark.parametrize("version", [None, "1", True, 1.0, 2, np.ones(2), [1]])
def test_versions_are_whole_numbers(version):
    with pytest.raises(StateError, match="this graph is of version"):
        decode({**encode(network()), "version": version})


def test_sizes_that_a_part_tells_and_loops_that_keep():
    builder = GraphBuilder()
    x, p = builder.placeholder(("N",), name="x"), builder.placeholder((), "bool", name="p")
    places = cond(p, lambda: ops.nonzero(x), lambda: ops.nonzero(x - 1.0))
    row = ops.broadcast_to(x.sum(), shape=places.shape)
    _, kept = while_scan(lambda c: c < 3.0, lambda c: (c + 1.0, c * x), 0.0)
    graph = builder.graph([row, kept, *gradients(kept.sum() + row.sum(), [x])], [x, p])
    found = decode(encode(graph))
    assert str(found) == str(graph)
    arrays = np.array([1.0, 0.0, 3.0]), np.array(True)
    for ours, theirs in zip(run(found, *arrays), run(graph, *arrays), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_compiled_function_that_writes_without_recording():
    w = Tensor([1.0, 2.0])

    def fn(x):
        with no_grad():
            w.add_(x)
        return w * 2.0

    ready = compile(fn)
    ready(Tensor([1.0, 1.0]))
    graph = ready.entries[0].graph
    assert "instead" in {node.operator.name for node in graph.operators}
    again = decode(encode(graph))
    inputs = [np.array([1.0, 1.0]), np.array([5.0, 6.0])]
    assert [y.tolist() for y in run(again, *inputs)] == [[12, 14], [6, 7]]
