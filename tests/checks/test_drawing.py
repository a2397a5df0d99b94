"""One graph drawn in many ways: right ones are accepted, wrong ones told what is wrong."""

import graphviz
import pytest

from cgkit.checks.drawing import compare_drawing
from cgkit.checks.graphs.pictures import Z_GRAPH
from cgkit.checks.parts import DrawingError

NODES = 'a [label="x^2"]; b [label="y^2"]; m [label=max]; n [label=min]; s [label="+"];'
EDGES = "x -> a -> m; y -> b -> m; x -> n; y -> n; m -> s; n -> s;"

RIGHT = {
    "plain": NODES + EDGES,
    "with a result node": NODES + EDGES + "s -> z",
    "other symbols": NODES.replace("x^2", "x²").replace("max", "maximum").replace("+", "add")
    + EDGES,
    "operands turned": NODES + "y -> n; x -> n; n -> s; m -> s; y -> b; b -> m; x -> a; a -> m",
    "products of twins": 'a [label="*"]; b [label=times]; x -> a; x -> a; y -> b; y -> b;'
    "m [label=max]; n [label=min]; s [label=plus]; a -> m; b -> m; x -> n; y -> n; m -> s; n -> s",
    "powers with one constant": 'a [label="**"]; b [label=pow]; x -> a; two -> a; y -> b; two -> b;'
    'two [label="2"]; m [label=max]; n [label=min]; s [label="+"];'
    "a -> m; b -> m; x -> n; y -> n; m -> s; n -> s",
    "powers with two constants": 'a [label="^"]; b [label="^"]; x -> a; c1 -> a; y -> b; c2 -> b;'
    'c1 [label=2]; c2 [label="2.0"]; m [label=max]; n [label=min]; s [label="+"];'
    "a -> m; b -> m; x -> n; y -> n; m -> s; n -> s",
    "values drawn as boxes": 'a [label="square"]; b [label="square"]; m [label=max];'
    'n [label=min]; va [label="x²" shape=box]; vb [label="y²" shape=box]; vm [label=u];'
    'vn [label=v]; s [label="+"];'
    "x -> a -> va -> m -> vm -> s -> z; y -> b -> vb -> m; x -> n; y -> n; n -> vn -> s",
    "values named by their formula": 'a [label="**2"]; b [label="**2"]; m [label=max];'
    'n [label=min]; vm [label="max(x², y²)"]; vn [label="min(x, y)"];'
    's [label="+"]; z [label="z = x + y"];'
    "x -> a -> m; y -> b -> m; x -> n; y -> n; m -> vm -> s; n -> vn -> s -> z",
    "HTML labels": "a [label=<x<sup>2</sup><br/>square>]; b [label=<<i>square</i>>];"
    "m [label=<<b>max</b>>]; n [label=<min>]; s [label=<<table><tr><td>+</td></tr></table>>];"
    + EDGES,
    "groups and chains": NODES + "{x y} -> n; x -> a; y -> b; {a b} -> m; {m n} -> s",
    "clusters and colors": "rankdir=LR; node [style=filled fillcolor=pink];"
    + f"subgraph cluster_0 {{ label=inputs; x; y }} {NODES} {EDGES}",
    "a legend": f"subgraph cluster_legend {{ input; operator }} {NODES} {EDGES}",
    "formulas as labels": 'a [label="a = x*x"]; b [label="b = y*y"]; m [label="m = max(a, b)"];'
    'n [label="n = min(x, y)"]; s [label="z = m + n"];' + EDGES,
    "inputs with values": 'x [label="x = 3"]; y [label="input y"];' + NODES + EDGES,
    "labels on arrows": 'edge [label="()"];' + NODES + EDGES,
    "ports": NODES + "x:e -> a:w -> m; y -> b -> m; x -> n; y:s -> n; m -> s; n -> s",
}
WRONG = {
    "an arrow missing": (NODES + EDGES.replace("y -> n;", ""), 'an arrow is missing: y ──► "min"'),
    "an arrow too many": (NODES + EDGES + "x -> m;", 'an arrow too many: x ──► "max"'),
    "a node missing": (
        NODES.replace('b [label="y^2"];', "") + EDGES.replace("y -> b -> m", "y -> m"),
        "a node is missing: square, for y²",
    ),
    "a node too many": (NODES + EDGES + "e [label=log]; x -> e", '"log" computes log(x)'),
    "the wrong operation": (NODES.replace("+", "*") + EDGES, 'is "*"; it should be add'),
    "max and min exchanged": (
        NODES.replace("max", "?").replace("min", "max").replace("?", "min") + EDGES,
        '"max" reads x; it should read x²',
    ),
    "min reads the squares": (
        NODES + "x -> a -> m; y -> b -> m; a -> n; b -> n; m -> s; n -> s",
        '"min" reads x²; it should read x',
    ),
    "an input drawn twice": (
        NODES + "x2 [label=x]; x -> a -> m; y -> b -> m; x2 -> n; y -> n; m -> s; n -> s",
        "the input x is drawn 2 times",
    ),
    "an input missing": (NODES + EDGES.replace("y -> b", "w -> b"), '"w" is not an input'),
    "an input capitalized": (
        NODES + EDGES.replace("x ->", "X ->"),
        "the input x is missing (you have X",
    ),
    "a square computed twice": (
        NODES + EDGES + 'a2 [label="x^2"]; x -> a2',
        "two nodes compute x²",
    ),
    "arrows reversed": (
        NODES + "a -> x; m -> a; b -> y; m -> b; n -> x; n -> y; s -> m; s -> n",
        "every arrow points the wrong way",
    ),
    "a label that names another input": (
        NODES.replace("y^2", "x^2") + EDGES,
        '"x^2" names x, and what it reads comes from y',
    ),
    "nodes without an operator": (
        NODES.replace('"x^2"', "sq1").replace('"y^2"', "sq2") + EDGES,
        '"sq1" names no operator that I know, so it was read as a name of x; is it square?',
    ),
    "a cycle": (NODES + EDGES + "s -> a", "there is a cycle"),
    "an operation without operands": (NODES + EDGES + "e [label=log]", 'no arrow ends in "log"'),
    "a constant left over": (NODES + EDGES + "c [label=2]", '"2" is not joined'),
    "a result that reads two": (
        NODES.replace('s [label="+"];', "") + EDGES,
        '2 arrows end in "s", and its label names no operator that I know',
    ),
    "nothing": ("", "the input x is missing"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_forms(name):
    compare_drawing(f"digraph {{ {RIGHT[name]} }}", Z_GRAPH)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_forms(name):
    text, message = WRONG[name]
    with pytest.raises(DrawingError) as caught:
        compare_drawing(f"digraph {{ {text} }}", Z_GRAPH)
    assert message in str(caught.value)
    read = compare_drawing(f"digraph {{ {RIGHT['plain']} }}", Z_GRAPH)
    assert set(caught.value.marked) <= {*read.nodes, "x2", "X", "w", "e", "c", "a2"}


def test_strict_twins():
    text = RIGHT["products of twins"]
    compare_drawing(f"strict digraph {{ {text} }}", Z_GRAPH)


def test_no_direction():
    with pytest.raises(DrawingError, match="no direction"):
        compare_drawing("graph { x -- y }", Z_GRAPH)


def test_a_graphviz_object():
    drawing = graphviz.Digraph(body=[f"{NODES}{EDGES}"])
    assert len(compare_drawing(drawing, Z_GRAPH).edges) == 8


def test_order_matters_where_it_must():
    graph = {"x": ("input",), "y": ("input",), "d": ("subtract", "x", "y")}
    compare_drawing("digraph { x -> sub; y -> sub }", graph)
    with pytest.raises(DrawingError, match="look at the order of its arrows"):
        compare_drawing("digraph { y -> sub; x -> sub }", graph)


def test_forged_doublings_take_no_exponential_time():
    chain = "".join(f'd{i} [label="+"]; d{i - 1} -> d{i}; d{i - 1} -> d{i};' for i in range(1, 200))
    with pytest.raises(DrawingError):
        compare_drawing(f"digraph {{ x; y; d0 [label=neg]; x -> d0; {chain} }}", Z_GRAPH)


def test_too_large():
    with pytest.raises(DrawingError, match="too large"):
        compare_drawing("digraph {" + "; ".join(f"n{i}" for i in range(3000)) + "}", Z_GRAPH)
