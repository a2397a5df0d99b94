"""Loop and Scan: as graphs and evaluated, against loops written by hand, and onnxruntime."""

import sys
from pathlib import Path

import numpy as np
import pytest

from cgkit import GraphBuilder, gradients, run
from cgkit import onnx as ours
from cgkit.errors import OnnxError, ShapeError, UnknownValue
from cgkit.interpret import replay
from cgkit.onnx.reading import Limits

sys.path.insert(0, str(Path(__file__).parent))

from text_models import X, check, model, names

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

    def test_what_a_body_is_given_has_the_names_of_the_model(self):
        graph = ours.load(model(loop("n", inputs="int64 n, ")))
        (node,) = [node for node in graph.operators if node.operator.name == "while_loop"]
        called = [edge.node.name for edge in node.params["body"].inputs]
        assert called == ["i", "go", "h", "n", "x"]

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
        with pytest.raises(UnknownValue, match="state, or branches, of several shapes") as caught:
            ours.load(model(text))
        assert caught.value.inputs == ("n",)
        assert "float32[2] where it goes in, and float32[4] where it comes" in str(caught.value)
        feeds = [{"n": np.int64(n), "x": X[0, :2]} for n in (0, 3)]
        check(text, *feeds, way="fixed", expected=lambda n, x: [np.tile(x, n + 1)])
        stopping = text.replace("bool go, float[L]", "bool no, float[L]").replace(
            "next = Con", "b = Cast <to = 9> (i) no = Not(b) next = Con"
        )
        with pytest.raises(UnknownValue) as caught:
            ours.load(model(stopping))
        assert caught.value.inputs == ("n", "x")
        check(stopping, feeds[1], way="evaluated", expected=lambda n, x: [np.tile(x, 3)])

    def test_what_grows_in_a_few_steps_is_unrolled(self):
        text = """g (float[2] x) => (float[T] y, float[S, 2] ys) {
            n = Constant <value = int64 {3}> ()
            y, ys = Loop (n, , x) <body = b (int64 i, bool go, float[K] h)
                    => (bool go, float[L] next, float[2] part) {
                next = Concat <axis = 0> (h, x) one = Constant <value = int64[1] {1}> ()
                start = Reshape(i, one) two = Add(start, one) end = Add(two, one)
                part = Slice(next, start, end) }> }"""

        def expected(x):
            return np.tile(x, 4), np.stack([np.tile(x, 3)[i : i + 2] for i in range(3)])

        graph = check(text, {"x": X[0, :2]}, expected=expected)
        assert names(graph).count("concat") == 3
        many = text.replace("int64 {3}", "int64 {1001}")
        with pytest.raises(UnknownValue, match="giving 'x' as known=") as caught:
            ours.load(model(many))
        assert caught.value.inputs == ("x",)

    def test_the_number_of_a_step_is_known_where_all_else_is(self):
        text = """g (float[N] x) => (float y) { zero = Constant <value = float {0}> ()
            n = Shape(x) y = Loop (n, , zero) <
                    body = b (int64 i, bool go, float h) => (bool go, float next) {
                one = Constant <value = int64[1] {1}> () end = Reshape(i, one)
                none = Constant <value = int64[1] {0}> () part = Slice(x, none, end)
                sum = ReduceSum <keepdims = 0> (part) next = Add(h, sum) }> }"""
        with pytest.raises(UnknownValue, match="without the value of ends") as caught:
            ours.load(model(text))
        assert (caught.value.inputs, caught.value.sizes) == ((), ("N",))
        check(text, {"x": X[0]}, way="fixed", expected=lambda x: [x[0] + x[0] + x[1]])

    def test_what_the_body_says_counts_without_a_condition(self):
        for trips, inputs, feed in (("n", "int64 n, ", {"n": np.int64(9)}), ("", "", {})):
            text = loop(trips, inputs=inputs, more=SMALL)
            check(text, {**feed, "x": X[0]}, wanted=["while_loop"], expected=until_large)

    def test_dtypes_stay_as_they_are_declared(self):
        text = loop("n", inputs="int64 n, ")
        feed = {"n": np.int64(2), "x": X[0]}
        for before, after, said in (
            ("float[3] h)", "int64[3] h)", "declares its input 'h' as int64, and it is float32"),
            ("float[3] row)", "double[3] row)", "its output 'row' as float64, and it is float32"),
            ("float[3] h)", "seq(float[3]) h)", "'h' is declared as sequence"),
            ("float[3] next, float", "double[3] mid, float", "'h' is float32 before .* float64"),
        ):
            wrong = text.replace(before, after)
            wrong = wrong.replace(ALWAYS, f"{ALWAYS} mid = Cast <to = 11> (next)")
            for act in (ours.load, lambda m: ours.evaluate(m, feed)):
                with pytest.raises(OnnxError, match=said) as caught:
                    act(model(wrong))
                assert not isinstance(caught.value, UnknownValue)

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
        given = "n = Constant <value = int64[2] {1, 2}> ()"
        with pytest.raises(OnnxError, match=r"as its number of trips, not shape \(2,\)"):
            ours.load(model(loop("n", before=given)))
        with pytest.raises(OnnxError, match="is given no value for its state 'h'"):
            ours.load(model(loop("n", inputs="int64 n, ").replace("x) <body", ", x) <body")
                            .replace("float[3] h)", "float[3] h, float[3] k)")))  # fmt: skip
        number = "more = ReduceMax <keepdims = 0> (next)"
        text = loop("n", inputs="int64 n, ", more=number).replace("bool more", "float more")
        for act in (ours.load, lambda m: ours.evaluate(m, {"n": np.int64(2), "x": X[0]})):
            with pytest.raises(OnnxError, match="says by float32 whether to go on, not by bool"):
                act(model(text))
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
        for more, said in (
            ("scan_input_axes = [0],", "1 numbers as scan_input_axes, and 2"),
            ("scan_output_directions = [0, 7],", "a direction is 0, or 1"),
        ):
            with pytest.raises(OnnxError, match=said):
                ours.load(model(SCAN.format(shape="T, 3", more=more)))  # fmt: skip
        text = SCAN.format(shape="U, 3", more="")
        with pytest.raises(OnnxError, match=r"unlike lengths: \[1, 2\]"):
            ours.evaluate(model(text), {**FEED, "a": X[:1]})
        graph = ours.load(model(text))
        with pytest.raises(ShapeError, match="were taken as equal"):
            run(graph, X[0], X[:1], X)


@pytest.mark.oracle
@pytest.mark.parametrize(("text", "feed"), [
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
