"""If, and what any model may do with graphs inside: against the reference, and onnxruntime."""

import sys
from pathlib import Path

import numpy as np
import pytest
from onnx.parser import parse_model

from cgkit import onnx as ours
from cgkit import run
from cgkit.errors import OnnxError, UnknownValue
from cgkit.onnx.reading import Limits

sys.path.insert(0, str(Path(__file__).parent))

from text_models import X, check, model, names

BRANCH = """g (bool c, float[N, 3] x) => (float[N, 3] y, float s) {
    two = Constant <value = float {2}> ()
    h = Mul(x, two)
    y, s = If (c) <
        then_branch = t () => (float[N, 3] a, float b)
            { a = Log(h) b = ReduceSum <keepdims = 0> (h) },
        else_branch = e () => (float[N, 3] a, float b)
            <float[3] w = {1, 2, 3}> { a = Add(x, w) b = Constant <value = float {7}> () }>
}"""


class TestIf:
    def test_both_branches_in_a_graph(self):
        feeds = [{"c": np.array(c), "x": np.abs(X)} for c in (True, False)]
        graph = check(BRANCH, *feeds, wanted=["cond"])
        assert "log" not in names(graph)

    def test_numbers_of_a_branch_are_parameters(self):
        graph = ours.load(model(BRANCH))
        assert [n.name for n in graph.nodes if n.operator.name == "variable"] == ["w"]

    def test_a_condition_of_one_element(self):
        text = BRANCH.replace("bool c", "bool[1] c")
        check(text, {"c": np.array([False]), "x": X}, wanted=["cond", "reshape"])

    def test_a_condition_that_is_known(self):
        graph = ours.load(model(BRANCH), known={"c": np.array(False)})
        assert names(graph) == ["add"]

    def test_a_condition_on_an_open_size(self):
        text = """g (float[N] x) => (float[N] y) {
            shape = Shape(x) one = Constant <value = int64 {1}> ()
            n = ReduceProd <keepdims = 0> (shape) c = Greater(n, one)
            y = If (c) <then_branch = t () => (float[N] a) { a = Neg(x) },
                        else_branch = e () => (float[N] b) { b = Abs(x) }> }"""
        check(text, {"x": X[0]}, {"x": X[0, :1]}, wanted=["cond"])

    def test_branches_of_unlike_shapes_need_the_condition(self):
        text = """g (bool c, float[2] x) => (float[M] y) {
            y = If (c) <then_branch = t () => (float[1] a) { a = ReduceSum(x) },
                        else_branch = e () => (float[2] b) { b = Identity(x) }> }"""
        with pytest.raises(UnknownValue, match="branches, of several shapes") as caught:
            ours.load(model(text))
        assert caught.value.inputs == ("c",)
        feeds = [{"c": np.array(c), "x": X[0, :2]} for c in (True, False)]
        check(text, *feeds, way="fixed")

    def test_one_within_another_and_a_name_from_outside(self):
        text = """g (bool c, bool d, float[2] x) => (float[2] y) {
            h = Neg(x)
            y = If (c) <
                then_branch = t () => (float[2] a) {
                    k = Mul(h, h)
                    a = If (d) <then_branch = u () => (float[2] p) { p = Add(k, h) },
                                else_branch = v () => (float[2] q) { q = Sub(x, k) }> },
                else_branch = e () => (float[2] b) { b = Identity(h) }> }"""
        for c in (True, False):
            feeds = [{"c": np.array(c), "d": np.array(d), "x": X[0, :2]} for d in (True, False)]
            check(text, *feeds, wanted=["cond"])

    def test_a_branch_that_is_a_name_from_outside(self):
        text = """g (bool c, float[2] x) => (float[2] y) { h = Neg(x)
            y = If (c) <then_branch = t () => (float[2] h) { },
                        else_branch = e () => (float[2] b) { b = Abs(x) }> }"""
        made = model(text)
        assert ours.evaluate(made, {"c": np.array(True), "x": X[0, :2]})["y"].tolist() == [-1, 2]
        assert run(ours.load(made), np.array(True), X[0, :2])[0].tolist() == [-1, 2]

    def test_in_a_function_whose_attributes_it_reads(self):
        text = """g (bool c, float[2] x) => (float[2] y) { y = own.f <by = 0.5> (c, x) }
            <domain: "own", opset_import: ["": 21]>
            f <by> (c, x) => (y) {
                y = If (c) <then_branch = t () => (float[2] a)
                                { a = LeakyRelu <alpha: float = @by> (x) },
                            else_branch = e () => (float[2] b) { b = Identity(x) }> }"""
        made = parse_model(f'<ir_version: 10, opset_import: ["": 21, "own": 1]>\n{text}')
        for c, expected in ((True, [1, -1]), (False, [1, -2])):
            feed = {"c": np.array(c), "x": X[0, :2]}
            assert ours.evaluate(made, feed)["y"].tolist() == expected
            assert run(ours.load(made), *feed.values())[0].tolist() == expected


class TestHostile:
    @pytest.mark.parametrize(("branch", "said"), [
        ("a = Neg(nowhere)", "reads 'nowhere', which nothing makes"),
        ("a = Neg(b) b = Neg(a)", "cycle"),
        ("a = Neg(x) a = Abs(x)", "'a' is made twice"),
        ("b = Neg(x)", "the output 'a' is made by no node"),
        ("a = Neg(y)", "reads 'y', which nothing makes"),
    ])  # fmt: skip
    def test_names_in_a_branch(self, branch, said):
        text = f"""g (bool c, float[2] x) => (float[2] y) {{
            y = If (c) <then_branch = t () => (float[2] a) {{ {branch} }},
                        else_branch = e () => (float[2] b) {{ b = Abs(x) }}> }}"""
        with pytest.raises(OnnxError, match=said) as caught:
            ours.load(model(text))
        assert "in a graph of If at node 'y'" in caught.value.__notes__[0]

    def test_graphs_within_graphs_end_somewhere(self):
        inner = "z = Neg(x)"
        for i in range(8):
            inner = (f"z = If (c) <then_branch = t{i} () => (float[2] z) {{ {inner} }}, "
                     f"else_branch = e{i} () => (float[2] z) {{ z = Abs(x) }}>")  # fmt: skip
        made = model(f"g (bool c, float[2] x) => (float[2] z) {{ {inner} }}")
        feed = {"c": np.array(True), "x": X[0, :2]}
        assert run(ours.load(made), *feed.values())[0].tolist() == [-1, 2]
        for act in (ours.load, lambda m, limits: ours.evaluate(m, feed, limits=limits)):
            with pytest.raises(OnnxError, match="functions and graphs within each other: 6"):
                act(made, limits=Limits(depth=5))

    def test_what_is_lacking_inside_is_named(self):
        text = """g (bool c, float[2] x) => (float[2] y) {
            y = If (c) <then_branch = t () => (float[2] a) { a = own.Odd(x) },
                        else_branch = e () => (float[2] b) { b = Abs(x) }> }"""
        made = parse_model(f'<ir_version: 8, opset_import: ["": 21, "own": 1]>\n{text}')
        with pytest.raises(OnnxError, match=r"no rule for own\.Odd"):
            ours.load(made)

    def test_branches_that_are_no_pair(self):
        text = """g (bool c, float[2] x) => (float[2] y) {
            y = If (c) <then_branch = t () => (float[2] a, float[2] d) { a = Neg(x) d = Neg(x) },
                        else_branch = e () => (float[2] b) { b = Abs(x) }> }"""
        feed = {"c": np.array(True), "x": X[0, :2]}
        for act in (ours.load, lambda m: ours.evaluate(m, feed)):
            with pytest.raises(OnnxError, match="branches of unlike numbers of outputs: 2 and 1"):
                act(model(text))

    def test_a_branch_with_inputs(self):
        text = """g (bool c, float[2] x) => (float[2] y) {
            y = If (c) <then_branch = t (float[2] q) => (float[2] a) { a = Neg(q) },
                        else_branch = e () => (float[2] b) { b = Abs(x) }> }"""
        with pytest.raises(OnnxError, match="the graph 't' inside has 1 inputs, and is given 0"):
            ours.load(model(text))


@pytest.mark.oracle
@pytest.mark.parametrize("c", [True, False])
def test_onnxruntime_gives_the_same(c):
    runtime = pytest.importorskip("onnxruntime")
    made = model(BRANCH)
    feed = {"c": np.array(c), "x": np.abs(X)}
    expected = runtime.InferenceSession(made.SerializeToString()).run(None, feed)
    for got, want in zip(run(ours.load(made), *feed.values()), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)
