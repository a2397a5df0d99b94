# %% [markdown] readonly id=title
# # Assignment 1 · What a computational graph is
#
# You have seen graphs in chapter 1. Here you build the pieces yourself: you run a graph,
# infer its shapes, count its cost, go backward through it, and draw it.
#
# **How to work.** Write your code where it says `YOUR CODE HERE`, and take away the line
# `raise NotImplementedError()`. Then run the cell below it. That cell is a *check*: it calls your
# function with inputs you cannot see, and tells you the smallest one that goes wrong.
# Read its message slowly. It says what was called, what came back, what was expected, and why.
# Some checks give part of the points (½). *Validate* does not say why then: run the cell of the
# check itself.
#
# Stuck? Each message ends with a question. For the next one open a terminal in JupyterLab (*File,
# New, Terminal*) and type `cgkit hint 01 evaluate`. You can also check the whole notebook there:
# `cgkit check 01_graphs.ipynb`.
#
# The column "You need" in the table says which tasks build on others. Apart from that, you may do
# them in any order.

# %% [markdown] readonly id=tasks
# | Task | What you build | Checked by | Points | Hours | Level | You need | Returns in |
# |---|---|---|--:|--:|---|---|---|
# | 1 | `evaluate` a graph | `test_evaluate` | 10 | 1 | ★★ | dicts, loops | 2, 3 |
# | 2 | the same, each node once | `test_evaluate_once` | 4 | ½ | ★★ | task 1 | 2, 4 |
# | 3 | the same, 100,000 deep | `test_evaluate_deep` | 4 | ½ | ★★★ | task 1 | 2, 3 |
# | 4 | `broadcast_shape` | `test_broadcast_shape` | 6 | ½ | ★★ | tuples | 2, 4 |
# | 5 | `matmul_shape` | `test_matmul_shape` | 6 | ½ | ★★ | task 4 | 8 |
# | 6 | `reduce_shape` | `test_reduce_shape` | 5 | ½ | ★★ | tuples | 5 |
# | 7 | `reshape_shape` | `test_reshape_shape` | 5 | ¼ | ★ | products | 4 |
# | 8 | `parameters` of a network | `test_parameters` | 4 | ¼ | ★ | | 8 |
# | 9 | `matmul_flops` | `test_matmul_flops` | 5 | ¼ | ★ | | 5 |
# | 10 | forward by hand | `test_forward` | 2 | ¼ | ★ | a pencil | 2 |
# | 11 | backward by hand | `test_backward` | 5 | ½ | ★★ | task 10 | 2, 7 |
# | 12 | four gradient `rules` | `test_rules` | 5 | ¼ | ★★ | the chain rule | 2 |
# | 13 | draw $z = \max(x^2, y^2) + \min(x, y)$ | `test_z_drawing` | 6 | ¼ | ★ | | 3, 5 |
# | 14 | `to_dot` for any graph | `test_to_dot` | 8 | ½ | ★★ | task 13 | 3, 4, 5 |
# | 15 | find the fault in a backward pass | `test_mended_backward` | 5 | ¼ | ★★ | task 11 | 2, 7 |
# | 16 | find what a drawing lacks | `test_lost_biases` | 2 | ¼ | ★ | task 8 | 8 |
# | 17 | write a test yourself | `test_broadcast_test` | 8 | ½ | ★★★ | task 4 | 4 |
# | 18 | a question in words | your teacher | 10 | ½ | ★★ | chapter 1 | 2 |
# | + | `conv_shape` | `test_conv_shape` | 0 | ½ | ★★★ | task 6 | 8 |
# | + | boxes in a drawing | `test_to_dot_clusters` | 0 | ½ | ★★★ | task 14 | 3, 5 |
#
# 90 points come from the checks, 10 from the written answer: 100 in all, in seven to eight hours.
# Tasks marked + are for those who want more. They give no points.

# %% readonly id=setup
# grading: forbid graphlib, networkx
# grading: forbid numpy:broadcast_shapes, numpy:broadcast_arrays, numpy:broadcast_to
# grading: forbid numpy:broadcast
import math
import operator
import random

import graphviz
import numpy as np

from cgkit import render
from cgkit.checks import graphs as check

shown = render.install()    # pictures appear without any program installed

# %% [markdown] readonly id=a_graph
# ## A · Running a graph
#
# This is the graph of $z = (x + y) \cdot 2$. Look at it before you read on.

# %% readonly id=a_picture
graphviz.Source("""
digraph {
    rankdir=LR
    x; y
    two [label="2"]
    s [label="add"]
    z [label="multiply"]
    x -> s; y -> s
    s -> z; two -> z
}
""")

# %% [markdown] readonly id=a_dict
# The same graph as plain Python. Each node has a name, and stands for a tuple:
# first *what* it is, then what it reads.

# %% readonly id=a_example
example = {
    "x": ("input",),
    "y": ("input",),
    "two": ("constant", 2.0),
    "s": ("add", "x", "y"),
    "z": ("multiply", "s", "two"),
}

# %% [markdown] readonly id=a_rules
# There are three kinds of nodes.
#
# | The tuple | The value of the node |
# |---|---|
# | `("input",)` | it is *fed*: look it up in a dict called `feeds` |
# | `("constant", 2.0)` | the number that stands there |
# | `("add", "x", "y")` | what the operator gives for the values of `x` and `y`, in this order |
#
# The operators come in a dict as well. More may come in the check than you see here, so take
# them from the dict.

# %% readonly id=a_operators
operators = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "maximum": max,
}

# %% [markdown] readonly id=task1
# ### Tasks 1, 2, 3 · `evaluate`
#
# Write a function that gives the value of one node, named by `output`.
#
# - **Task 1** (10 points). The value is right, for any graph. The nodes of the dict may stand in
#   any order: a node may come *before* what it reads.
# - **Task 2** (4 points). No operator is called twice for the same node, however many read it.
# - **Task 3** (4 points). It works on a chain of 100,000 nodes. A function that calls itself
#   cannot: Python stops after about a thousand calls inside each other.
#
# | Argument | What it is |
# |---|---|
# | `graph` | dict: the name of each node to its tuple |
# | `feeds` | dict: the name of each input to its value |
# | `output` | the name of the node that is asked for |
# | `operators` | dict: the name of each operator to its function |
#
# Do them one after the other, in the same function. A good first step is a function that calls
# itself. It passes task 1. Then ask yourself what it does wrong.

# %% solution id=evaluate
def evaluate(graph, feeds, output, operators):
    """Give the value of the node `output`."""
    ### BEGIN SOLUTION
    values = {}
    waiting = [output]
    while waiting:
        kind, *operands = graph[waiting[-1]]
        unknown = [] if kind in ("input", "constant") else [o for o in operands if o not in values]
        if unknown:
            waiting.extend(unknown)    # come back to this node when they are known
            continue
        name = waiting.pop()
        if kind == "input":
            values[name] = feeds[name]
        elif kind == "constant":
            values[name] = operands[0]
        elif name not in values:
            values[name] = operators[kind](*[values[o] for o in operands])
    return values[output]
    ### END SOLUTION

# %% [markdown] readonly id=try1
# Try it. You know the right answer: $(3 + 4) \cdot 2$.

# %%
evaluate(example, {"x": 3.0, "y": 4.0}, "z", operators)

# %% test points=10 id=test_evaluate
check.evaluate(evaluate)
### BEGIN HIDDEN TESTS
check.evaluate(evaluate, seed=271)
### END HIDDEN TESTS

# %% test points=4 id=test_evaluate_once
check.evaluate_once(evaluate)
### BEGIN HIDDEN TESTS
check.evaluate_once(evaluate, seed=828)
### END HIDDEN TESTS

# %% test points=4 id=test_evaluate_deep
check.evaluate_deep(evaluate)

# %% [markdown] readonly id=b_shapes
# ## B · Shapes before numbers
#
# A framework knows the shape of every value before it computes one. It needs a small rule for
# each family of operators. A shape is a tuple of whole numbers; `()` is the shape of a single
# number, and a size may be 0.
#
# Work with the shapes only. **Make no arrays**: the check also uses sizes that no array has. What
# the first code cell forbids is not there when your work is graded.
# What does not fit is refused with `raise ValueError("...")`.

# %% [markdown] readonly id=task4
# ### Task 4 · `broadcast_shape` (6 points)
#
# Elementwise operators line shapes up **from the right**:
#
# ```
# a           3   1
# b               4          a missing size counts as 1
# result      3   4
# ```
#
# Two sizes fit if they are equal, or if one of them is 1. The result then has the other one.

# %% solution id=broadcast_shape
def broadcast_shape(a, b):
    """Give the shape of a + b for arrays of the shapes a and b, or raise ValueError."""
    ### BEGIN SOLUTION
    rank = max(len(a), len(b))
    left = (1,) * (rank - len(a)) + a
    right = (1,) * (rank - len(b)) + b
    result = []
    for one, other in zip(left, right, strict=True):
        if one != other and one != 1 and other != 1:
            raise ValueError(f"{a} and {b} do not fit: {one} meets {other}")
        result.append(other if one == 1 else one)
    return tuple(result)
    ### END SOLUTION

# %%
broadcast_shape((3, 1), (4,)), broadcast_shape((), (7,))

# %% test points=6 id=test_broadcast_shape
check.broadcast_shape(broadcast_shape)
### BEGIN HIDDEN TESTS
check.broadcast_shape(broadcast_shape, seed=182)
### END HIDDEN TESTS

# %% [markdown] readonly id=task5
# ### Task 5 · `matmul_shape` (6 points)
#
# A matrix product takes rows of the first and columns of the second:
#
# ```
# a           5   3  [2]
# b                  [2]  4      the inner sizes must be equal; they vanish
# result      5   3       4
# ```
#
# The last two sizes are the matrix. Whatever stands before them is a *batch* of matrices, and
# batches broadcast as in task 4. Both shapes have at least two sizes.
#
# You may call your own `broadcast_shape`.

# %% solution id=matmul_shape
def matmul_shape(a, b):
    """Give the shape of a @ b for arrays of the shapes a and b, or raise ValueError."""
    ### BEGIN SOLUTION
    if a[-1] != b[-2]:
        raise ValueError(f"{a} @ {b}: the inner sizes {a[-1]} and {b[-2]} differ")
    return (*broadcast_shape(a[:-2], b[:-2]), a[-2], b[-1])
    ### END SOLUTION

# %%
matmul_shape((5, 3, 2), (2, 4))

# %% test points=6 id=test_matmul_shape
check.matmul_shape(matmul_shape)
### BEGIN HIDDEN TESTS
check.matmul_shape(matmul_shape, seed=845)
### END HIDDEN TESTS

# %% [markdown] readonly id=task6
# ### Task 6 · `reduce_shape` (5 points)
#
# A reduction, such as a sum, takes whole axes away:
#
# ```
# axis        0   1   2
# shape       2   3   4
# sum over axis 1:           2   4
# with keepdims:             2   1   4
# ```
#
# `axis` is a number, or a tuple of several numbers, or `None` for all axes. As everywhere in
# Python, -1 counts from the end. No axis is named twice.

# %% solution id=reduce_shape
def reduce_shape(shape, axis, keepdims):
    """Give the shape after a reduction over `axis`: None, a number, or a tuple of numbers."""
    ### BEGIN SOLUTION
    rank = len(shape)
    if axis is None:
        axes = set(range(rank))
    elif isinstance(axis, tuple):
        axes = {place % rank for place in axis}
    else:
        axes = {axis % rank}
    result = []
    for place, size in enumerate(shape):
        if place not in axes:
            result.append(size)
        elif keepdims:
            result.append(1)
    return tuple(result)
    ### END SOLUTION

# %%
reduce_shape((2, 3, 4), 1, False), reduce_shape((2, 3, 4), (0, -1), True)

# %% test points=5 id=test_reduce_shape
check.reduce_shape(reduce_shape)
### BEGIN HIDDEN TESTS
check.reduce_shape(reduce_shape, seed=904)
### END HIDDEN TESTS

# %% [markdown] readonly id=task7
# ### Task 7 · `reshape_shape` (5 points)
#
# A reshape keeps every element and only groups them anew, so the *number* of elements stays.
# One size may be left open by -1:
#
# ```
# before      2 * 6 = 12 elements
# after       -1 * 4            so the open size is 3
# ```
#
# Refuse with ValueError: another number of elements, more than one -1, an open size that does not
# come out as one whole number.

# %% solution id=reshape_shape
def reshape_shape(shape, new):
    """Give the shape after a reshape to `new`, with -1 filled in, or raise ValueError."""
    ### BEGIN SOLUTION
    count = math.prod(shape)
    known = math.prod(size for size in new if size != -1)
    if new.count(-1) > 1:
        raise ValueError("only one size can be left open")
    if -1 not in new:
        if known != count:
            raise ValueError(f"{count} elements do not become {known}")
        return new
    if known == 0 or count % known:
        raise ValueError(f"{count} elements cannot be shared out among {known}")
    return tuple(count // known if size == -1 else size for size in new)
    ### END SOLUTION

# %%
reshape_shape((2, 6), (-1, 4)), np.zeros((2, 6)).reshape(-1, 4).shape    # NumPy's answer beside it

# %% test points=5 id=test_reshape_shape
check.reshape_shape(reshape_shape)
### BEGIN HIDDEN TESTS
check.reshape_shape(reshape_shape, seed=523)
### END HIDDEN TESTS

# %% [markdown] readonly id=c_cost
# ## C · What a network costs
#
# Here is a network of two dense layers. Each layer computes `x @ W + b`.

# %% readonly id=c_picture
graphviz.Source("""
digraph {
    rankdir=LR
    W1 [shape=cylinder]; b1 [shape=cylinder]; W2 [shape=cylinder]; b2 [shape=cylinder]
    m1 [label="matmul"]; a1 [label="add"]; r [label="relu"]; m2 [label="matmul"]; a2 [label="add"]
    x -> m1 [label="(32, 784)"]
    W1 -> m1 [label="(784, 256)"]
    m1 -> a1 [label="(32, 256)"]
    b1 -> a1 [label="(256,)"]
    a1 -> r -> m2 [label="(32, 256)"]
    W2 -> m2 [label="(256, 10)"]
    m2 -> a2 [label="(32, 10)"]
    b2 -> a2 [label="(10,)"]
}
""")

# %% [markdown] readonly id=task8
# ### Task 8 · `parameters` (4 points)
#
# How many numbers does such a network learn? The list `widths` says how wide it is at each place:
# `[784, 256, 10]` is the network above. It may have any number of layers.

# %% solution id=parameters
def parameters(widths):
    """Count the weights and biases of a network of dense layers."""
    ### BEGIN SOLUTION
    total = 0
    for layer in range(len(widths) - 1):
        total += widths[layer] * widths[layer + 1] + widths[layer + 1]
    return total
    ### END SOLUTION

# %%
parameters([784, 256, 10])

# %% test points=4 id=test_parameters
check.parameters(parameters)
### BEGIN HIDDEN TESTS
check.parameters(parameters, seed=536)
### END HIDDEN TESTS

# %% [markdown] readonly id=task9
# ### Task 9 · `matmul_flops` (5 points)
#
# One number of a matrix product is a sum of products. A multiplication with its addition counts
# **2** FLOPs. Count the matrix products of one forward pass over a batch, and only those: no
# biases, no relu.

# %% solution id=matmul_flops
def matmul_flops(widths, batch):
    """Count the FLOPs of all matrix products of one forward pass."""
    ### BEGIN SOLUTION
    total = 0
    for layer in range(len(widths) - 1):
        total += 2 * batch * widths[layer] * widths[layer + 1]
    return total
    ### END SOLUTION

# %%
matmul_flops([784, 256, 10], 32)

# %% test points=5 id=test_matmul_flops
check.matmul_flops(matmul_flops)
### BEGIN HIDDEN TESTS
check.matmul_flops(matmul_flops, seed=287)
### END HIDDEN TESTS

# %% [markdown] readonly id=d_hand
# ## D · Forward and backward by hand
#
# Take a pencil. This is $z = (x + y) \cdot (x \cdot y) + \log x$, with a name for every step.
# Let $x = 4$ and $y = 2$. The logarithm is the natural one.

# %% readonly id=d_picture
graphviz.Source("""
digraph {
    rankdir=LR
    x [label="x = 4"]; y [label="y = 2"]
    s [label="add"]; p [label="multiply"]; l [label="log"]; m [label="multiply"]; z [label="add"]
    x -> s; x -> p; x -> l
    y -> s; y -> p
    s -> m [label="s"]; p -> m [label="p"]
    m -> z [label="m"]; l -> z [label="l"]
    end [label="", shape=none]
    z -> end [label="z"]
}
""")

# %% [markdown] readonly id=task10
# ### Task 10 · forward (2 points)
#
# Fill in the value of each step. You may write an expression, such as `math.log(4)`, or a number
# rounded to two digits behind the point.

# %% solution id=forward_values
forward_values = None    # a dict: {"s": ..., "p": ..., "m": ..., "l": ..., "z": ...}
### BEGIN SOLUTION
forward_values = {"s": 6, "p": 8, "m": 48, "l": math.log(4), "z": 48 + math.log(4)}
### END SOLUTION

# %% test points=2 id=test_forward
check.forward(forward_values)

# %% [markdown] readonly id=task11
# ### Task 11 · backward (5 points)
#
# Now from right to left. For each step, by how much does $z$ change when that step changes by a
# little? At the end it is easy: $\partial z / \partial z = 1$. Then one node at a time.
# Count the readers of $x$ and of $y$ before you write their numbers.

# %% solution id=gradients
gradients = None    # a dict: {"z": 1, "m": ..., "l": ..., "s": ..., "p": ..., "x": ..., "y": ...}
### BEGIN SOLUTION
gradients = {"z": 1, "m": 1, "l": 1, "s": 8, "p": 6, "x": 8 + 6 * 2 + 1 / 4, "y": 8 + 6 * 4}
### END SOLUTION

# %% test points=5 id=test_backward
check.backward(gradients)

# %% [markdown] readonly id=task12
# ### Task 12 · four rules (5 points)
#
# What you did by hand, a framework does with one small function per operator. It is told the
# gradient of the *result*, called `upstream`, and the operands. It gives a tuple with the gradient
# of each operand. Here is the rule of addition:

# %% readonly id=add_rule
def add_rule(upstream, a, b):
    return upstream, upstream

# %% [markdown] readonly id=task12_more
# Write the rules of `a * b`, `a / b`, `log(a)` and `max(a, b)`. In `max(a, b)` only the larger
# operand is felt. If both are equal, each gets half: that is a convention, and it is ours.

# %% solution id=rules
def multiply_rule(upstream, a, b):
    ### BEGIN SOLUTION
    return upstream * b, upstream * a
    ### END SOLUTION


def divide_rule(upstream, a, b):
    ### BEGIN SOLUTION
    return upstream / b, -upstream * a / b**2
    ### END SOLUTION


def log_rule(upstream, a):
    ### BEGIN SOLUTION
    return (upstream / a,)
    ### END SOLUTION


def maximum_rule(upstream, a, b):
    ### BEGIN SOLUTION
    if a == b:
        return upstream / 2, upstream / 2
    return (upstream, 0.0) if a > b else (0.0, upstream)
    ### END SOLUTION

# %%
multiply_rule(1.0, 6.0, 8.0), divide_rule(2.0, 1.0, 4.0)

# %% test points=5 id=test_rules
check.rules(multiply_rule, divide_rule, log_rule, maximum_rule)
### BEGIN HIDDEN TESTS
check.rules(multiply_rule, divide_rule, log_rule, maximum_rule, seed=471)
### END HIDDEN TESTS

# %% [markdown] readonly id=e_drawing
# ## E · Drawing
#
# A drawing with `graphviz` is a list of nodes and a list of arrows. Here is $z = x - y$:

# %% readonly id=e_example
difference = graphviz.Digraph()
difference.node("x")
difference.node("y")
difference.node("d", label="subtract")
difference.edge("x", "d")
difference.edge("y", "d")
difference

# %% [markdown] readonly id=task13
# ### Task 13 · $z = \max(x^2, y^2) + \min(x, y)$ (6 points)
#
# Draw the graph of this formula. Each input is one node, each operator is one node, and an arrow
# goes from a value to whoever reads it. How it looks does not matter. You may write `x**2`, `x*x`
# or `square`, draw values as nodes of their own, and choose names and colors. The check compares
# what the drawing *computes*.

# %% solution id=z_drawing
z_drawing = None    # a graphviz.Digraph()
### BEGIN SOLUTION
z_drawing = graphviz.Digraph()
for name, label in (("a", "x²"), ("b", "y²"), ("m", "max"), ("n", "min"), ("s", "+")):
    z_drawing.node(name, label=label)
for tail, head in ("xa", "yb", "am", "bm", "xn", "yn", "ms", "ns", "sz"):
    z_drawing.edge(tail, head)
### END SOLUTION
z_drawing

# %% test points=6 id=test_z_drawing
check.z_drawing(z_drawing)

# %% [markdown] readonly id=task14
# ### Task 14 · `to_dot` (8 points)
#
# Now let a function draw *any* graph of part A. It gets the graph and a dict with the shape of
# each node's value, and gives a `graphviz.Digraph` (or DOT text).
#
# - One node for each entry. Its DOT name is its name in the graph.
# - Its label shows: the name of an input, the value of a constant, the name of an operator.
# - One arrow for each operand, from the value to its reader. Its label is the shape that it carries.
#
# Names may hold spaces and quotes. A node may read the same value twice: that is two arrows.

# %% solution id=to_dot
def to_dot(graph, shapes):
    """Draw a graph, with the shape on every arrow."""
    ### BEGIN SOLUTION
    drawing = graphviz.Digraph()
    for name, (kind, *rest) in graph.items():
        label = {"input": name, "constant": str(rest[0]) if rest else ""}.get(kind, kind)
        drawing.node(name, label=label)
        if kind not in ("input", "constant"):
            for operand in rest:
                drawing.edge(operand, name, label=str(shapes[operand]))
    return drawing
    ### END SOLUTION

# %%
to_dot(example, {"x": (2, 3), "y": (3,), "two": (), "s": (2, 3), "z": (2, 3)})

# %% test points=8 id=test_to_dot
check.to_dot(to_dot)
### BEGIN HIDDEN TESTS
check.to_dot(to_dot, seed=352)
### END HIDDEN TESTS

# %% [markdown] readonly id=f_fault
# ## F · Find the fault
#
# Both of the following were found in texts on the subject. Both are wrong.

# %% [markdown] readonly id=task15
# ### Task 15 · a backward pass (5 points)
#
# This function goes backward through a graph whose nodes stand in a right order. It works on many
# graphs. It fails on some. For $z = x + x$ it says that $\partial z / \partial x$ is 1.
#
# ```python
# def backward(graph, values, output, rules, seed):
#     gradients = {output: seed}
#     for name in reversed(list(graph)):
#         kind, *operands = graph[name]
#         if kind not in ("input", "constant"):
#             shares = rules[kind](gradients[name], *[values[o] for o in operands])
#             for operand, share in zip(operands, shares):
#                 gradients[operand] = share        # dz / d operand
#     return gradients
# ```
#
# Find the line, and mend it. `seed` is the gradient at the output, and need not be 1. Every node
# of the graph leads to the output.

# %% solution id=mended_backward
def mended_backward(graph, values, output, rules, seed):
    """Give a dict with the gradient of every node."""
    ### BEGIN SOLUTION
    gradients = {output: seed}
    for name in reversed(list(graph)):
        kind, *operands = graph[name]
        if kind not in ("input", "constant"):
            shares = rules[kind](gradients[name], *[values[o] for o in operands])
            for operand, share in zip(operands, shares, strict=True):
                gradients[operand] = gradients.get(operand, 0) + share
    return gradients
    ### END SOLUTION

# %%
doubled = {"x": ("input",), "z": ("add", "x", "x")}
mended_backward(doubled, {"x": 3.0, "z": 6.0}, "z", {"add": add_rule}, 1.0)

# %% test points=5 id=test_mended_backward
check.mended_backward(mended_backward)
### BEGIN HIDDEN TESTS
check.mended_backward(mended_backward, seed=662)
### END HIDDEN TESTS

# %% [markdown] readonly id=task16
# ### Task 16 · a drawing (2 points)
#
# "A network with 784 inputs, 256 hidden units and 10 outputs," says the text, and shows this:

# %% readonly id=f_picture
graphviz.Source("""
digraph {
    rankdir=LR
    W1 [shape=cylinder]; W2 [shape=cylinder]
    m1 [label="matmul"]; r [label="relu"]; m2 [label="matmul"]
    x -> m1 [label="(32, 784)"]
    W1 -> m1 [label="(784, 256)"]
    m1 -> r -> m2 [label="(32, 256)"]
    W2 -> m2 [label="(256, 10)"]
    m2 -> scores [label="(32, 10)"]
}
""")

# %% [markdown] readonly id=task16_more
# Which parameters of the network in part C are missing here, and what is the shape of each?

# %% solution id=lost_biases
lost_biases = None    # a dict: name of a missing parameter -> its shape
### BEGIN SOLUTION
lost_biases = {"b1": (256,), "b2": (10,)}
### END SOLUTION

# %% test points=2 id=test_lost_biases
check.lost_biases(lost_biases)

# %% [markdown] readonly id=task17
# ## G · A test of your own
#
# ### Task 17 · `broadcast_test` (8 points)
#
# So far we tested your code. Now you test somebody else's. Write a function that is *given* a
# `broadcast_shape` function, calls it as often as it likes, and raises `AssertionError` if
# something is wrong with it. If all is well it says nothing.
#
# A `ValueError` that the function raises and that you do not catch says no as well.
#
# The check runs your test on right functions, which it must accept, and on 24 wrong ones. Every
# three that you reject give a point. Some of them are wrong for a few pairs of shapes only, so a
# handful of examples finds the plain ones. Think of what is **always** true, and try it on many
# shapes: of no size up to four sizes, and each size from 0 to 5. `random` is imported above.
#
# Here is one such *property*: a shape broadcast with itself stays as it is.

# %% readonly id=property_example
def same_stays(broadcast_shape):
    for shape in [(), (3,), (2, 0), (4, 1, 2)]:
        assert broadcast_shape(shape, shape) == shape

same_stays(lambda a, b: a)    # this one is wrong, and passes: one property is not enough

# %% [markdown] readonly id=task17_more
# For "this must be refused" write:
#
# ```python
# try:
#     broadcast_shape((2,), (3,))
# except ValueError:
#     pass                    # as it should be
# else:
#     raise AssertionError("(2,) and (3,) were accepted")
# ```

# %% solution id=broadcast_test
def broadcast_test(broadcast_shape):
    """Raise AssertionError if `broadcast_shape` is wrong."""
    ### BEGIN SOLUTION
    draw = random.Random(0)
    for _ in range(100):
        result = tuple(draw.choices((0, 1, 2, 3, 4), k=draw.randint(0, 4)))
        a, b = list(result), list(result)
        for place in range(len(result)):    # a 1 in one of them, or in neither
            draw.choice((a, b, [0] * 4))[place] = 1
        cut = draw.randint(0, len(result))    # what b lacks on its left, a must have
        a[:cut], b[:cut] = result[:cut], []
        assert broadcast_shape(tuple(a), tuple(b)) == result
        assert broadcast_shape(tuple(b), tuple(a)) == result
        if b:
            place = draw.randint(1, len(b))
            a[-place], b[-place] = draw.sample((0, 2, 3, 4, 5), 2)
            for pair in ((tuple(a), tuple(b)), (tuple(b), tuple(a))):
                try:
                    shape = broadcast_shape(*pair)
                except ValueError:
                    continue
                raise AssertionError(f"{pair} were accepted and gave {shape}")
    ### END SOLUTION

# %%
broadcast_test(broadcast_shape)

# %% test points=8 id=test_broadcast_test
check.broadcast_test(broadcast_test)
### BEGIN HIDDEN TESTS
check.broadcast_test(broadcast_test, seed=818)
### END HIDDEN TESTS

# %% [markdown] readonly id=task18
# ## H · In your own words
#
# ### Task 18 (10 points)
#
# A framework could simply run your Python program, line by line. Instead it makes a graph of it.
#
# 1. Name **three** things that a graph makes possible and a plain run does not. For each, say in a
#    sentence or two *which part of the graph* is used for it.
# 2. Name one thing that becomes **harder** because of the graph.
#
# Write 120 to 250 words. An example of your own is worth more than a long list.

# %% [markdown] manual points=10 id=written
# ### BEGIN SOLUTION
# **A good answer** names three of these, each with the part of the graph that it uses:
#
# - *Differentiation.* The edges say who read what, so the chain rule can be applied in reverse
#   order, each value waiting for all its readers.
# - *Optimization before running.* Two nodes with equal operator and operands are one; a node that
#   nobody reads is dropped; neighbors are fused. This needs the whole graph, not one line.
# - *Scheduling and devices.* Two nodes without a path between them may run at the same time, or on
#   different devices; an edge that crosses is a transfer.
# - *Memory planning.* The last reader of an edge is known, so its memory can be used again.
# - *Shapes and costs in advance.* Shapes flow along edges before any number exists.
# - *Saving and moving it.* A graph is data: it can be stored and run without Python.
#
# Harder: debugging (an error appears far from the line that caused it), control flow that depends
# on values, structures that change from run to run, the time it takes to build the graph.
#
# **Rubric (10 points).** For each of three uses: 1 for a use that is really one, 1 for the right
# part of the graph (6 in all). One thing that becomes harder, with a reason: 2. An example that is
# the student's own and is right: 2. Take 1 away if it is above 400 words. A list of keywords
# without the parts of the graph gets 3 at most.
# ### END SOLUTION

# %% [markdown] readonly id=stretch
# ## + · If you want more
#
# These two give no points. They return in chapters 3, 5 and 8.

# %% [markdown] readonly id=task_conv
# ### + `conv_shape`
#
# A convolution moves a window over an image. Let the shape of the image be given in one of two
# layouts: `"NCHW"` is (batch, channels, height, width), `"NHWC"` is (batch, height, width,
# channels). The weights are always (outputs, channels, height of the window, width of the window).
# `stride` is the step, and `padding` is added on all four sides. The result has the layout of the
# image. Refuse other channels, and a window larger than the padded image.

# %% solution id=conv_shape
def conv_shape(image, weights, stride, padding, layout):
    """Give the shape of a convolution's result, or raise ValueError."""
    ### BEGIN SOLUTION
    if layout == "NHWC":
        batch, height, width, channels = image
    else:
        batch, channels, height, width = image
    outputs, inputs, rows, columns = weights
    if channels != inputs:
        raise ValueError(f"the image has {channels} channels, the weights take {inputs}")
    if height + 2 * padding < rows or width + 2 * padding < columns:
        raise ValueError("the window is larger than the padded image")
    down = (height + 2 * padding - rows) // stride + 1
    across = (width + 2 * padding - columns) // stride + 1
    if layout == "NHWC":
        return batch, down, across, outputs
    return batch, outputs, down, across
    ### END SOLUTION

# %% test points=0 id=test_conv_shape
check.conv_shape(conv_shape)

# %% [markdown] readonly id=task_clusters
# ### + Boxes in a drawing
#
# Large graphs are drawn in groups, such as the layers of a network. `groups` is a dict: the name of
# a group to the list of its nodes. Draw each group as a box that carries its name. In DOT a box is
# a subgraph whose own name begins with `cluster`.

# %% solution id=to_dot_clusters
def to_dot_clusters(graph, shapes, groups):
    """Draw a graph as `to_dot` does, each group in a box with its name."""
    ### BEGIN SOLUTION
    drawing = to_dot(graph, shapes)
    for number, (group, members) in enumerate(groups.items()):
        with drawing.subgraph(name=f"cluster_{number}") as box:
            box.attr(label=group)
            for name in members:
                box.node(name)
    return drawing
    ### END SOLUTION

# %% test points=0 id=test_to_dot_clusters
check.to_dot_clusters(to_dot_clusters)

# %% [markdown] readonly id=end
# ## Before you hand it in
#
# Choose *Kernel, Restart Kernel and Run All Cells*, or run `cgkit check 01_graphs.ipynb` in
# JupyterLab's terminal: it shows every task with its points, and why it gave less than all. Then
# save the notebook under its own name.
