"""If, Loop and Scan: as graphs and evaluated, against the reference of ONNX."""

import numpy as np
import pytest
from onnx.parser import parse_model
from onnx.reference import ReferenceEvaluator

from cgkit import gradients, run, verify
from cgkit import onnx as ours
from cgkit.errors import OnnxError, ShapeError, UnknownValue
from cgkit.interpret import replay
from cgkit.onnx import backend
from cgkit.onnx.reading import Limits
from cgkit.symbolic import GraphBuilder

X = np.float32([[1, -2, 3], [0.5, 4, -6]])


def model(text, opset=21):
    return parse_model(f'<ir_version: 8, opset_import: ["": {opset}]>\n{text}')


def names(graph):
    return [node.operator.name for node in graph.operators]


def check(text, *feeds, opset=21, way="static", wanted=(), expected=None):
    """Demand what the reference gives, from the prepared model and from an evaluation.

    The reference knows only some loops; for others `expected` gives the results for a feed.
    """
    made = model(text, opset)
    prepared = backend.prepare(made)
    for feed in feeds:
        results = expected(**feed) if expected else ReferenceEvaluator(made).run(None, feed)
        for found in (prepared.run(feed), tuple(ours.evaluate(made, feed).values())):
            for got, want in zip(found, results, strict=True):
                want = np.asarray(want)
                assert (got.dtype, got.shape) == (want.dtype, want.shape)
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    assert prepared.way == way
    if way == "static":
        graph = ours.load(made)
        verify(graph)
        assert set(wanted) <= set(names(graph))
        return graph
    return None


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
        with pytest.raises(UnknownValue, match="branches, of several types") as caught:
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


LOOP = """g ({inputs}float[3] x) => (float[3] y, float[T, 3] rows) {{
    {before}
    y, rows = Loop ({trips}, {go}, x) <body = b (int64 i, bool go, float[3] h)
            => (bool more, float[3] next, float[3] row) {{
        f = Cast <to = 1> (i) s = Add(h, f) next = Mul(s, x) row = Sub(next, f)
        {more} }}>
}}"""
ALWAYS = "more = Identity(go)"
SMALL = "t = ReduceMax <keepdims = 0> (next) k = Constant <value = float {50}> () more = Less(t, k)"


def loop(trips="", go="", more=ALWAYS, inputs="", before=""):
    return LOOP.format(trips=trips, go=go, more=more, inputs=inputs, before=before)


def looped(x, n=None, p=True, limit=np.inf):
    """Do by hand what LOOP says."""
    h, rows, i = x, np.zeros((0, 3), "float32"), 0
    while p and (n is None or i < n):
        h = (h + np.float32(i)) * x
        rows = np.concatenate([rows, [h - np.float32(i)]])
        i, p = i + 1, h.max() < limit
    return h, rows


def until_large(x, n=None, p=True):
    return looped(x, n, p, 50)


class TestLoop:
    @pytest.mark.parametrize("number", [0, 1, 4])
    def test_a_known_number_of_trips(self, number):
        text = loop("n", before=f"n = Constant <value = int64 {{{number}}}> ()")
        check(text, {"x": X[0]}, wanted=["scan"], expected=lambda x: looped(x, number))

    def test_a_constant_that_says_go_on(self):
        yes = "Constant <value = bool {1}> ()"
        before = f"n = Constant <value = int64 {{3}}> () yes = {yes}"
        text = loop("n", "yes", more=f"more = {yes}", before=before)
        check(text, {"x": X[0]}, wanted=["scan"], expected=lambda x: looped(x, 3))

    def test_a_number_that_is_given(self):
        feeds = [{"n": np.int64(n), "x": X[0]} for n in (0, 1, 3)]
        check(loop("n", inputs="int64 n, "), *feeds, wanted=["while_loop"], expected=looped)

    def test_a_condition_and_no_number(self):
        feeds = [{"p": np.array(p), "x": X[0]} for p in (True, False)]
        text = loop("", "p", SMALL, inputs="bool p, ")
        check(text, *feeds, wanted=["while_loop"], expected=until_large)

    def test_both(self):
        feeds = [{"n": np.int64(n), "p": np.array(p), "x": X[0]}
                 for n, p in ((2, True), (9, True), (9, False), (0, True))]  # fmt: skip
        text = loop("n", "p", SMALL, inputs="int64 n, bool p, ")
        check(text, *feeds, wanted=["while_loop"], expected=until_large)

    def test_an_open_number_of_trips(self):
        text = """g (float[N, 2] x) => (float[2] y, float[N, 2] sums) {
            shape = Shape <start = 0, end = 1> (x)
            zero = Constant <value = float[2] {0, 0}> ()
            y, sums = Loop (shape, , zero) <body = b (int64 i, bool go, float[2] h)
                    => (bool go, float[2] next, float[2] sum) {
                r = Gather(x, i) next = Add(h, r) sum = Identity(next) }> }"""

        def expected(x):
            return x.sum(0), np.cumsum(x, 0)

        feeds = [{"x": X[:, :2]}, {"x": X[:1, 1:]}, {"x": X[:0, :2]}]
        graph = check(text, *feeds, wanted=["scan"], expected=expected)
        scan = next(n for n in graph.operators if n.operator.name == "scan")
        assert str(scan.params["length"]) == "N"

    def test_what_grows_is_evaluated(self):
        text = """g (int64 n, float[2] x) => (float[T] y) {
            y = Loop (n, , x) <body = b (int64 i, bool go, float[K] h) => (bool go, float[L] next) {
                next = Concat <axis = 0> (h, x) }> }"""
        with pytest.raises(UnknownValue, match="state, or branches, of several types") as caught:
            ours.load(model(text))
        assert caught.value.inputs == ("n", "x")
        assert "float32[2] where it goes in, and float32[4] where it comes" in str(caught.value)
        feeds = [{"n": np.int64(n), "x": X[0, :2]} for n in (0, 3)]
        check(text, *feeds, way="evaluated", expected=lambda n, x: [np.tile(x, n + 1)])

    def test_all_of_it_known_is_computed_at_once(self):
        text = """g (float[6] x) => (float[A, B] y) {
            n = Constant <value = int64 {3}> () one = Constant <value = int64[1] {1}> ()
            last, powers = Loop (n, , one) <body = b (int64 i, bool go, int64[1] h)
                    => (bool go, int64[1] next, int64 kept) {
                two = Constant <value = int64[1] {2}> () next = Mul(h, two) kept = Squeeze(h) }>
            start = Constant <value = int64[1] {1}> () end = Constant <value = int64[1] {2}> ()
            two = Slice(powers, start, end) minus = Constant <value = int64[1] {-1}> ()
            sizes = Concat <axis = 0> (two, minus) y = Reshape(x, sizes) }"""
        x = np.arange(6, dtype="float32")
        graph = check(text, {"x": x}, expected=lambda x: [x.reshape(2, 3)])
        assert names(graph) == ["reshape"]

    def test_a_loop_in_a_loop(self):
        text = """g (int64 n, int64 m, float x) => (float y) {
            y = Loop (n, , x) <body = b (int64 i, bool go, float h) => (bool go, float next) {
                next = Loop (m, , h) <
                        body = c (int64 j, bool on, float k) => (bool on, float after) {
                    f = Cast <to = 1> (i) p = Mul(k, x) after = Add(p, f) }> }> }"""
        feeds = [{"n": np.int64(n), "m": np.int64(m), "x": np.float32(0.5)}
                 for n, m in ((2, 3), (0, 3), (2, 0))]  # fmt: skip

        def expected(n, m, x):
            y = x
            for i in range(n):
                for _ in range(m):
                    y = y * x + np.float32(i)
            return [y]

        check(text, *feeds, wanted=["while_loop"], expected=expected)

    def test_going_back_through_it(self):
        made = model(
            loop("n", inputs="int64 n, ").replace("float", "double").replace("to = 1", "to = 11")
        )
        graph = ours.load(made)
        builder = GraphBuilder()
        n, x = builder.placeholder((), "int64"), builder.placeholder((3,))
        y, rows = replay(graph, [n, x], constant=builder.constant)
        (slope,) = gradients((y * y).sum() + rows.sum(), [x])
        found = run(builder.graph([slope], [n, x]), np.int64(3), X[0].astype("float64"))[0]

        def total(x):
            y, rows = ours.evaluate(made, {"n": np.int64(3), "x": x}).values()
            return (y * y).sum() + rows.sum()

        for i in range(3):
            step = np.eye(3)[i] * 1e-6
            measured = (total(X[0] + step) - total(X[0] - step)) / 2e-6
            np.testing.assert_allclose(found[i], measured, rtol=1e-5)

    def test_what_no_loop_can_be(self):
        with pytest.raises(OnnxError, match="and never ends"):
            ours.load(model(loop()))
        with pytest.raises(OnnxError, match="limits allow 100"):
            ours.evaluate(model(loop()), {"x": X[0]}, limits=Limits(steps=100))
        with pytest.raises(OnnxError, match="needs one number as its number of trips, got 2"):
            ours.evaluate(
                model(loop("n", inputs="int64[2] n, ")), {"n": np.ones(2, "int64"), "x": X[0]}
            )
        with pytest.raises(OnnxError, match="needs one number as its number of trips, not shape"):
            ours.load(model(loop("n", inputs="int64[2] n, ")))
        fewer = loop("n", inputs="int64 n, ").replace("float[3] h)", "float[3] h, float z)")
        with pytest.raises(OnnxError, match="has 1 states, and a body from 4 inputs to 3 outputs"):
            ours.load(model(fewer))

    def test_a_size_that_changes_in_a_run_is_said(self):
        text = """g (int64 n, float[N] x, float[M] w) => (float[N] y) {
            y = Loop (n, , x) <body = b (int64 i, bool go, float[N] h) => (bool go, float[N] next) {
                next = Concat <axis = 0> (w, w) }> }"""
        graph = ours.load(model(text))
        assert run(graph, np.int64(1), X[0, [0, 1, 2, 0]], X[0, :2])[0].tolist() == [1, -2, 1, -2]
        with pytest.raises(ShapeError, match=r"N = 3 and 2\*M = 4 were taken as equal"):
            run(graph, np.int64(1), X[0], X[0, :2])


SCAN = """g (float[3] h0, float[{shape}] a, float[T, 3] b)
        => (float[3] h, float[A, B] ys, float[T] ms) {{
    h, ys, ms = Scan (h0, a, b) <num_scan_inputs = 2, {more}
        body = f (float[3] h, float[3] p, float[3] q) => (float[3] n, float[3] y, float m) {{
            s = Add(h, p) n = Mul(s, q) y = Sub(n, h0) m = ReduceMax <keepdims = 0> (n) }}>
}}"""


def scanned(h0, a, b, turned=(0, 0), back=(0, 0), across=0):
    """Do by hand what SCAN says."""
    a, b = (x[::-1] if way else x for x, way in zip((a, b), turned, strict=True))
    h, ys = h0, np.zeros((0, 3), "float32")
    for p, q in zip(a, b, strict=True):
        h = (h + p) * q
        ys = np.concatenate([ys, [h - h0]])
    ms = np.array([(y + h0).max() for y in ys], "float32")
    ys, ms = (x[::-1] if way else x for x, way in zip((ys, ms), back, strict=True))
    return h, ys.T if across else ys, ms


FEED = {"h0": X[0], "a": X.T[:2].copy() @ X, "b": X}


class TestScan:
    @pytest.mark.parametrize(("more", "how"), [
        ("", {}), ("scan_input_directions = [1, 0],", {"turned": (1, 0)}),
        ("scan_input_directions = [0, 1],", {"turned": (0, 1)}),
        ("scan_output_directions = [1, 0], scan_output_axes = [1, 0],",
         {"back": (1, 0), "across": 1}),
        ("scan_output_axes = [-1, -1],", {"across": 1}),
    ])  # fmt: skip
    @pytest.mark.parametrize("length", [2, 1, 0])
    def test_ways_and_axes(self, more, how, length):
        feed = {**FEED, "a": FEED["a"][:length], "b": FEED["b"][:length]}
        text = SCAN.format(shape="T, 3", more=more)
        check(text, feed, wanted=["scan"], expected=lambda **x: scanned(**x, **how))

    @pytest.mark.parametrize("axis", [1, -1])
    def test_another_axis_is_read(self, axis):
        more = f"scan_input_axes = [{axis}, 0], scan_input_directions = [1, 1],"

        def expected(h0, a, b):
            return scanned(h0, a.T, b, (1, 1))

        feed = {**FEED, "a": FEED["a"].T.copy()}
        text = SCAN.format(shape="3, T", more=more)
        check(text, feed, wanted=["scan", "transpose", "flip"], expected=expected)

    def test_no_state_at_all(self):
        text = """g (float[T, 2] x) => (float[T, 2] y) {
            y = Scan (x) <num_scan_inputs = 1,
                body = f (float[2] p) => (float[2] q) { q = Exp(p) }> }"""
        feeds = [{"x": X[:, :2]}, {"x": X[:0, :2]}]
        check(text, *feeds, wanted=["scan"], expected=lambda x: [np.exp(x)])

    @pytest.mark.parametrize("ways", ["", "directions = [1],"])
    def test_the_first_version_goes_over_a_batch(self, ways):
        text = """g (float[N, 2] h0, float[N, T, 2] x) => (float[N, 2] h, float[N, T, 2] y) {
            h, y = Scan (, h0, x) <num_scan_inputs = 1, WAYS
                body = f (float[2] h, float[2] p) => (float[2] n, float[2] q)
                    { n = Add(h, p) q = Mul(n, p) }> }""".replace("WAYS", ways)
        made = model(text, 8)
        x = np.arange(24, dtype="float32").reshape(3, 4, 2) / 7
        h = X[:, :2][[0, 1, 0]]
        sums = h[:, None] + (np.cumsum(x[:, ::-1], 1) if ways else np.cumsum(x, 1))
        expected = sums[:, -1], sums * (x[:, ::-1] if ways else x)
        for found in (run(ours.load(made), h, x), ours.evaluate(made, {"h0": h, "x": x}).values()):
            for got, want in zip(found, expected, strict=True):
                np.testing.assert_allclose(got, want, rtol=1e-5)

    def test_what_is_refused(self):
        with pytest.raises(OnnxError, match="has 3 inputs, and 4 of them to be read in slices"):
            ours.load(model(SCAN.format(shape="T, 3", more="").replace("inputs = 2", "inputs = 4")))
        with pytest.raises(OnnxError, match=r"1 states and 2 inputs .* a body from 2 inputs"):
            ours.load(model(SCAN.format(shape="T, 3", more="").replace(", float[3] q)", ")")
                            .replace("Mul(s, q)", "Neg(s)")))  # fmt: skip
        text = SCAN.format(shape="U, 3", more="")
        with pytest.raises(OnnxError, match=r"unlike lengths: \[1, 2\]"):
            ours.evaluate(model(text), {**FEED, "a": X[:1]})
        graph = ours.load(model(text))
        with pytest.raises(ShapeError, match="were taken as equal"):
            run(graph, X[0], X[:1], X)


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

    def test_a_branch_with_inputs(self):
        text = """g (bool c, float[2] x) => (float[2] y) {
            y = If (c) <then_branch = t (float[2] q) => (float[2] a) { a = Neg(q) },
                        else_branch = e () => (float[2] b) { b = Abs(x) }> }"""
        with pytest.raises(OnnxError, match="the graph 't' inside has 1 inputs, and is given 0"):
            ours.load(model(text))


@pytest.mark.oracle
@pytest.mark.parametrize(("text", "feed"), [
    (BRANCH, {"c": np.array(True), "x": np.abs(X)}), (BRANCH, {"c": np.array(False), "x": X}),
    (loop("n", inputs="int64 n, "), {"n": np.int64(3), "x": X[0]}),
    (loop("n", "p", SMALL, inputs="int64 n, bool p, "),
     {"n": np.int64(9), "p": np.array(True), "x": X[0]}),
    (SCAN.format(shape="T, 3", more="scan_input_directions = [1, 0],"), FEED),
    (SCAN.format(shape="T, 3", more="scan_output_directions = [1, 0], scan_output_axes = [1, 0],"),
     FEED),
])  # fmt: skip
def test_onnxruntime_gives_the_same(text, feed):
    runtime = pytest.importorskip("onnxruntime")
    made = model(text)
    session = runtime.InferenceSession(made.SerializeToString())
    feed = {name: np.asarray(x) for name, x in feed.items()}
    graph = ours.load(made)
    for got, want in zip(run(graph, *feed.values()), session.run(None, feed), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)
