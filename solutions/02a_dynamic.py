# %% [markdown] readonly id=title
# # Assignment 2a · Dynamic graphs: go backward through what was recorded
#
# This is the first notebook of assignment 2. In chapter 2 a program computed, and a graph was what
# it left behind. Here you build what `backward` does with that graph.
#
# **How to work.** Write your code where it says `YOUR CODE HERE`, and take away the line
# `raise NotImplementedError()`. Then run the cell below it. That cell is a *check*. It shows you
# the smallest case that goes wrong, and says why. Some checks give part of the points (½).
#
# Stuck? Each message ends with a question. For the next one open a terminal in JupyterLab and type
# `cgkit hint 02a unbroadcast`. `cgkit check 02a_dynamic.ipynb` checks the whole notebook.

# %% [markdown] readonly id=tasks
# | Task | What you build | Checked by | Points | Hours | Level | You need | Returns in |
# |---|---|---|--:|--:|---|---|---|
# | 1 | `matmul_rule` | `test_matmul_rule` | 4 | ¼ | ★★ | assignment 1, task 12 | 5, 8 |
# | 2 | `sum_rule` | `test_sum_rule` | 4 | ½ | ★★ | axes, broadcasting | 5 |
# | 3 | `take_rule` | `test_take_rule` | 3 | ¼ | ★★ | indexing | 8 |
# | 4 | what a graph keeps | `test_kept` | 2 | ¼ | ★ | tasks 1, 2 | 4, 7 |
# | 5 | `unbroadcast` | `test_unbroadcast` | 7 | ½ | ★★★ | assignment 1, task 4 | 5 |
# | 6 | `backward_order` | `test_backward_order` | 6 | ½ | ★★ | dicts, loops | 3 |
# | 7 | the same, 100,000 deep | `test_backward_order_deep` | 4 | ¼ | ★★★ | task 6 | 3 |
# | 8 | `backward` | `test_backward` | 7 | ½ | ★★★ | assignment 1, task 15 | 7 |
# |  | the same, 3,000 deep | `test_backward_deep` | 1 | | ★★★ | task 8 | 7 |
# | 9 | `accumulate` | `test_accumulate` | 3 | ¼ | ★ | task 8 | 7, 8 |
# | 10 | draw forward and backward | `test_both_ways_drawing` | 5 | ¼ | ★★ | a pencil | 4, 7 |
# | 11 | find the fault: what is a leaf? | `test_mended_leaves` | 3 | ¼ | ★★ | chapter 2 | 7 |
# | 12 | write a test yourself | `test_gradient_test` | 6 | ½ | ★★★ | slopes | all |
# | + | the backward pass as a graph | `test_backward_graph` | 0 | ¾ | ★★★ | tasks 6, 10 | 4, 7 |
#
# 55 points come from the checks of this notebook, in about four hours. The other 45 of the
# assignment are in notebook `02b`. The task marked + gives no points.

# %% readonly id=setup
# grading: forbid graphlib, networkx
import graphviz
import numpy as np

from cgkit import render
from cgkit.checks import dynamic as check

shown = render.install()    # pictures appear without any program installed

# %% [markdown] readonly id=a_rules
# ## A · Rules on arrays
#
# In assignment 1 a rule was told the gradient of the *result*, called `upstream`, and the operands.
# It gave a tuple with the gradient of each operand. That stays. Now the operands are arrays.
#
# Two things hold for every rule on arrays:
#
# - `upstream` has the shape of the result.
# - The gradient of an operand has the shape of that operand.
#
# Often the shapes alone lead you to the rule. Here is the one of `exp`:

# %% readonly id=exp_rule
def exp_rule(upstream, a):
    return (upstream * np.exp(a),)    # a tuple of one: the comma makes it

# %% [markdown] readonly id=task1
# ### Task 1 · `matmul_rule` (4 points)
#
# The rule of `a @ b`, for two matrices:
#
# ```
# a         n × k
# b             k × m
# result    n ×     m        and so upstream: n × m
# ```
#
# Which products of `upstream` with one of the operands have the right shape? A size may be 0.

# %% solution id=matmul_rule
def matmul_rule(upstream, a, b):
    """Give the gradients of a and b, where a @ b was computed."""
    ### BEGIN SOLUTION
    return upstream @ b.T, a.T @ upstream
    ### END SOLUTION

# %% [markdown] readonly id=try1
# Try it. Row 0 of the result is felt once, row 1 ten times:

# %%
matmul_rule(np.array([[1.0], [10.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0], [6.0]]))

# %% test points=4 id=test_matmul_rule
check.matmul_rule(matmul_rule)
### BEGIN HIDDEN TESTS
check.matmul_rule(matmul_rule, seed=318)
### END HIDDEN TESTS

# %% [markdown] readonly id=task2
# ### Task 2 · `sum_rule` (4 points)
#
# The rule of `np.sum(a, axis=axis, keepdims=keepdims)`. `axis` is a number, a tuple of several
# numbers in any order, or `None` for all axes; -1 counts from the end.
#
# ```
# a                            2   3   4
# sum over axis 1              2       4        upstream, without keepdims
# the same with keepdims       2   1   4        upstream, with keepdims
# ```
#
# Whoever reads only `a.sum(axis=1)` cannot see which number of `a` grew. So what does each of the
# numbers in one sum get?

# %% solution id=sum_rule
def sum_rule(upstream, a, axis, keepdims):
    """Give the gradient of a, where a was summed: a tuple of one array."""
    ### BEGIN SOLUTION
    if axis is not None and not keepdims:
        axes = axis if isinstance(axis, tuple) else (axis,)
        for place in sorted(place % a.ndim for place in axes):
            upstream = np.expand_dims(upstream, place)
    return (np.broadcast_to(upstream, a.shape),)
    ### END SOLUTION

# %%
sum_rule(np.array([1.0, 10.0]), np.zeros((2, 3)), 1, False)

# %% test points=4 id=test_sum_rule
check.sum_rule(sum_rule)
### BEGIN HIDDEN TESTS
check.sum_rule(sum_rule, seed=462)
### END HIDDEN TESTS

# %% [markdown] readonly id=task3
# ### Task 3 · `take_rule` (3 points)
#
# The rule of `a[index]`, where `index` is a row of whole numbers, places along axis 0 of `a`. This
# is how a network looks up the vectors of words. A place may be read several times, once, or never,
# and -1 is the last one:
#
# ```
# a           a0  a1  a2
# index       [0, 0, 2]
# result      a0  a0  a2
# ```
#
# `index` gets no gradient: you give a tuple of one array.

# %% solution id=take_rule
def take_rule(upstream, a, index):
    """Give the gradient of a, where a[index] was computed: a tuple of one array."""
    ### BEGIN SOLUTION
    gradient = np.zeros_like(a)
    np.add.at(gradient, index, upstream)
    return (gradient,)
    ### END SOLUTION

# %%
take_rule(np.array([1.0, 10.0, 100.0]), np.zeros(3), np.array([0, 0, 2]))

# %% test points=3 id=test_take_rule
check.take_rule(take_rule)
### BEGIN HIDDEN TESTS
check.take_rule(take_rule, seed=507)
### END HIDDEN TESTS

# %% [markdown] readonly id=task4
# ### Task 4 · what a graph keeps (2 points)
#
# Going backward begins when the forward pass is over. Whatever a rule reads must still be there
# then, so the graph keeps it, and memory fills up.
#
# For each operator, which arrays must be kept? Write a set of the names `"a"`, `"b"` and
# `"result"`, with **as few names as possible**; `set()` is the empty one. What the operator has
# computed once is not to be computed again. Shapes are not arrays: they are always known.

# %% solution id=kept
kept = None    # a dict of sets: {"add": ..., "multiply": ..., "exp": ..., "matmul": ...,
               #                  "relu": ..., "sum": ...}
### BEGIN SOLUTION
kept = {
    "add": set(),
    "multiply": {"a", "b"},
    "exp": {"result"},
    "matmul": {"a", "b"},
    "relu": {"result"},
    "sum": set(),
}
### END SOLUTION

# %% test points=2 id=test_kept
check.kept(kept)

# %% [markdown] readonly id=b_stretch
# ## B · Undo what broadcasting did
#
# A bias of shape `(3,)` is added to a batch of shape `(2, 3)`. NumPy *stretches* it: both rows use
# the same three numbers.

# %% readonly id=b_example
batch = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
bias = np.array([10.0, 20.0, 30.0])
batch + bias

# %% [markdown] readonly id=b_question
# The gradient that comes back has shape `(2, 3)`. The bias has three numbers. Each of them was used
# twice, and so it is felt twice. What must become of the two rows?

# %% [markdown] readonly id=task5
# ### Task 5 · `unbroadcast` (7 points)
#
# `gradient` has the shape of a result. `shape` is that of a value that was broadcast to it. Give the
# gradient of the value, in its own shape.
#
# ```
# gradient    5   2   3             5   2   3             5   2   3
# value           2   3                 1   3             5   2   3
#             ▲                     ▲   ▲                            nothing was stretched
# ```
#
# The value may lack axes on its left, or have axes of size 1, or both. Sizes may be 0.

# %% solution id=unbroadcast
def unbroadcast(gradient, shape):
    """Give the gradient of a value of this shape, which was broadcast to that of the gradient."""
    ### BEGIN SOLUTION
    lacking = gradient.ndim - len(shape)
    ones = tuple(lacking + place for place, size in enumerate(shape) if size == 1)
    summed = gradient.sum(axis=ones, keepdims=True)
    return summed.sum(axis=tuple(range(lacking)))
    ### END SOLUTION

# %%
unbroadcast(np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]), (3,))

# %% test points=7 id=test_unbroadcast
check.unbroadcast(unbroadcast)
### BEGIN HIDDEN TESTS
check.unbroadcast(unbroadcast, seed=733)
### END HIDDEN TESTS

# %% [markdown] readonly id=c_backward
# ## C · Backward
#
# A program computes, and writes down what it did. Here is a recorder in a few lines. Each value
# has a name; `graph` says how it came about, and `values` what it is.

# %% readonly id=c_recorder
computes = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}


class Recorder:
    def __init__(self):
        self.graph, self.values = {}, {}

    def leaf(self, value):
        return self.write(("leaf",), np.asarray(value, dtype=float))

    def apply(self, kind, *operands):
        value = computes[kind](*[self.values[name] for name in operands])
        return self.write((kind, *operands), value)

    def write(self, node, value):
        name = f"v{len(self.graph)}"
        self.graph[name], self.values[name] = node, value
        return name

# %% [markdown] readonly id=c_program
# And here is a program with a loop in it. How often it runs depends on the numbers. **No graph of
# it exists before it runs.**

# %% readonly id=c_run
tape = Recorder()
x = tape.leaf([1.0, 2.0])
z = x
while np.sum(tape.values[z]) < 10:
    z = tape.apply("add", z, z)
tape.graph

# %% [markdown] readonly id=c_behind
# A real framework has no such dict. A value knows the node that made it, and a node knows the
# values it read. **Nothing points forward, and nobody holds a list.** So in the tasks below the
# dict is shuffled, and it also holds nodes that the output does not need. Only what the tuples say
# counts.

# %% [markdown] readonly id=task6
# ### Tasks 6, 7 · `backward_order`
#
# A value passes its gradient on only when **all its readers have spoken**. Give a list of names in
# which each node stands after all its readers.
#
# - **Task 6** (6 points). The list begins with `output`. It holds every node that the output needs,
#   directly or through others, once, and no other node. There may be several right orders.
# - **Task 7** (4 points). It works, and soon, on 100,000 operators in a row, where most values are
#   read twice. A function that calls itself is out of reach, and so is one that walks each path.
#
# | Argument | What it is |
# |---|---|
# | `graph` | dict: each name to `("leaf",)`, or to an operator and the names it read |
# | `output` | the name of the node to begin with |

# %% solution id=backward_order
def backward_order(graph, output):
    """List the nodes that the output needs, each after all its readers."""
    ### BEGIN SOLUTION
    unheard = {output: 0}    # how many readers of each node have not spoken yet
    waiting = [output]
    while waiting:
        for operand in graph[waiting.pop()][1:]:
            if operand not in unheard:
                unheard[operand] = 0
                waiting.append(operand)
            unheard[operand] += 1
    order = []
    ready = [output]
    while ready:
        name = ready.pop()
        order.append(name)
        for operand in graph[name][1:]:
            unheard[operand] -= 1
            if unheard[operand] == 0:
                ready.append(operand)
    return order
    ### END SOLUTION

# %% readonly id=c_diamond
diamond = {
    "z": ("add", "c", "x"),
    "unused": ("multiply", "x", "x"),
    "b": ("add", "x", "x"),
    "x": ("leaf",),
    "c": ("add", "b", "x"),
}

# %%
backward_order(diamond, "z")

# %% test points=6 id=test_backward_order
check.backward_order(backward_order)
### BEGIN HIDDEN TESTS
check.backward_order(backward_order, seed=859)
### END HIDDEN TESTS

# %% test points=4 id=test_backward_order_deep
# limit: 20 seconds
check.backward_order_deep(backward_order)

# %% [markdown] readonly id=task8
# ### Task 8 · `backward` (8 points)
#
# Now go. Give a dict with the gradient of **every** node in `order`.
#
# | Argument | What it is |
# |---|---|
# | `graph` | as before |
# | `values` | dict: the value of each node, an array |
# | `order` | a right order, output first |
# | `seed` | the gradient of the output; it need not be 1 |
# | `rules` | dict: the rule of each operator, as in part A |
# | `unbroadcast` | a function as in task 5 |
#
# The rules here are short: what they give has the shape of the *result*, even if an operand was
# stretched. `unbroadcast` cures that.
#
# One more thing. The rule of an addition hands out **the same array twice**. Arrays of others must
# stay as they are: the seed, the values, and what a rule gave you.
#
# Seven points are for the right gradients. The eighth is for 3,000 operators in a row, most of them
# read twice. There it shows who speaks only once, and who tells again with each path.

# %% readonly id=c_rules
rules = {
    "add": lambda upstream, a, b: (upstream, upstream),
    "subtract": lambda upstream, a, b: (upstream, -upstream),
    "multiply": lambda upstream, a, b: (upstream * b, upstream * a),
}

# %% solution id=backward
def backward(graph, values, order, seed, rules, unbroadcast):
    """Give a dict with the gradient of every node in order."""
    ### BEGIN SOLUTION
    gradients = {order[0]: seed}
    for name in order:
        kind, *operands = graph[name]
        if kind == "leaf":
            continue
        shares = rules[kind](gradients[name], *[values[operand] for operand in operands])
        for operand, share in zip(operands, shares, strict=True):
            fitted = unbroadcast(share, values[operand].shape)
            if operand in gradients:
                gradients[operand] = gradients[operand] + fitted    # a new array
            else:
                gradients[operand] = fitted
    return gradients
    ### END SOLUTION

# %% [markdown] readonly id=try8
# The loop above doubled `x` twice, so every number of `x` is felt four times:

# %%
order = backward_order(tape.graph, z)
backward(tape.graph, tape.values, order, np.array([1.0, 10.0]), rules, unbroadcast)

# %% test points=7 id=test_backward
check.backward(backward)
### BEGIN HIDDEN TESTS
check.backward(backward, seed=614)
### END HIDDEN TESTS

# %% test points=1 id=test_backward_deep
# limit: 20 seconds
check.backward_deep(backward)

# %% [markdown] readonly id=task9
# ### Task 9 · `accumulate` (3 points)
#
# In PyTorch a parameter keeps its gradient in `.grad`, and the next `backward` **adds** to it, until
# somebody sets it back. So a batch too large for the memory can be taken in parts.
#
# | Argument | What it is |
# |---|---|
# | `kept` | dict: each parameter to the gradient it has kept, or `None` if none has come yet |
# | `fresh` | dict: what a backward gave, for nodes of all kinds; it may have missed a parameter |
#
# Give a new dict with the names of `kept`. Once more, no array may change.

# %% solution id=accumulate
def accumulate(kept, fresh):
    """Give what each parameter keeps after one more backward."""
    ### BEGIN SOLUTION
    result = {}
    for name, before in kept.items():
        if name not in fresh:
            result[name] = before
        elif before is None:
            result[name] = fresh[name]
        else:
            result[name] = before + fresh[name]
    return result
    ### END SOLUTION

# %%
accumulate({"W": np.array([1.0]), "b": None}, {"W": np.array([2.0]), "z": np.array([7.0])})

# %% test points=3 id=test_accumulate
check.accumulate(accumulate)
### BEGIN HIDDEN TESTS
check.accumulate(accumulate, seed=245)
### END HIDDEN TESTS

# %% [markdown] readonly id=d_drawing
# ## D · Both directions in one drawing
#
# Going backward is computing, too. So it is a graph: its nodes are multiplications and additions,
# and they read what the forward pass left behind. Here is $z = a \cdot b$. The gradient of $z$
# comes in as `g`.

# %% readonly id=d_example
graphviz.Source("""
digraph {
    rankdir=LR
    z [label="multiply"]
    da [label="multiply"]; db [label="multiply"]
    a -> z; b -> z
    g -> da; b -> da [label="the gradient of a"]
    g -> db; a -> db [label="the gradient of b"]
}
""")

# %% [markdown] readonly id=task10
# ### Task 10 · $z = (x + y) \cdot y$ (5 points)
#
# Draw both passes in one graph, with as few nodes as possible. The inputs are `x`, `y` and `g`, the
# gradient of $z$. Each operator is one node, forward and backward. In the end the gradients of $x$
# and of $y$ must be there. Ask yourself of each: is it computed anew, or is it there already?
#
# As in assignment 1, how it looks does not matter. If you draw values as nodes of their own, give
# them names such as `dx` or `dz/dx`.

# %% solution id=both_ways_drawing
both_ways_drawing = None    # a graphviz.Digraph()
### BEGIN SOLUTION
both_ways_drawing = graphviz.Digraph()
for name, label in (("s", "add"), ("z", "multiply"), ("ds", "multiply"), ("p", "multiply"),
                    ("dy", "add")):
    both_ways_drawing.node(name, label=label)
for tail, head in (("x", "s"), ("y", "s"), ("s", "z"), ("y", "z"), ("g", "ds"), ("y", "ds"),
                   ("g", "p"), ("s", "p"), ("ds", "dy"), ("p", "dy")):
    both_ways_drawing.edge(tail, head)
### END SOLUTION
both_ways_drawing

# %% test points=5 id=test_both_ways_drawing
check.both_ways_drawing(both_ways_drawing)

# %% [markdown] readonly id=e_fault
# ## E · Find the fault
#
# ### Task 11 · what is a leaf? (3 points)
#
# "A leaf is a tensor that requires a gradient," says a text, and gives this function. The program
# has made the nodes in the order of the dict. `marked` is the set of leaves that were made with
# `requires_grad=True`.
#
# ```python
# def leaves(graph, marked):
#     needs = set(marked)
#     for name, (kind, *operands) in graph.items():
#         if any(operand in needs for operand in operands):
#             needs.add(name)
#     return needs
# ```
#
# What it finds are the values that *require a gradient*. That is another question. **A leaf is a
# value behind which nothing was recorded.** A framework records an operator only if one of its
# operands requires a gradient.
#
# In the graph below, `W` is marked. `h` is no leaf, although it requires a gradient. `x` is a leaf,
# although it requires none. And `d`? Mend the function: it gives the set of all leaves.

# %% readonly id=e_example
layer = {
    "x": ("leaf",),
    "W": ("leaf",),
    "d": ("add", "x", "x"),
    "h": ("multiply", "W", "d"),
}

# %% solution id=mended_leaves
def mended_leaves(graph, marked):
    """Give the set of all leaves."""
    ### BEGIN SOLUTION
    needs = set(marked)
    leaves = set()
    for name, (_, *operands) in graph.items():
        if any(operand in needs for operand in operands):
            needs.add(name)
        else:
            leaves.add(name)
    return leaves
    ### END SOLUTION

# %%
mended_leaves(layer, {"W"})

# %% test points=3 id=test_mended_leaves
check.mended_leaves(mended_leaves)
### BEGIN HIDDEN TESTS
check.mended_leaves(mended_leaves, seed=941)
### END HIDDEN TESTS

# %% [markdown] readonly id=f_test
# ## F · A test of your own
#
# ### Task 12 · `gradient_test` (6 points)
#
# How do you know that a rule is right? You ask the function itself. Move `a` by a tiny step $h$ along
# some array $v$, and see how far the result moves:
#
# $$\frac{f(a + h v, b) - f(a - h v, b)}{2 h}$$
#
# Multiply that by `upstream`, and add it all up: this is a number. The rule has an opinion about the
# same number, too: the sum of its gradient of `a` times $v$. **If the two differ, the rule is wrong.**
# In `float64`, $h = 10^{-5}$ is a good step.
#
# Write a function that is given `function(a, b)` and `rule(upstream, a, b)`, and raises
# `AssertionError` if the rule is not the one of the function. The rule gives the gradients of `a` and
# `b` in *their* shapes.
#
# The check runs your test on right rules, which it must accept, and on 24 wrong ones. Every four
# that you reject give a point. Some are wrong for some shapes only, or for some signs. So try
# several pairs of shapes of up to two axes, among them such that are stretched; numbers between
# 0.5 and 2 *and their negatives*; an upstream that differs from place to place. Forty pairs of
# arrays are plenty.

# %% readonly id=f_example
def slope(function, upstream, a, b, v):
    """How sum(upstream * function(a, b)) moves when a moves along v."""
    h = 1e-5
    return np.sum(upstream * (function(a + h * v, b) - function(a - h * v, b))) / (2 * h)

slope(np.multiply, np.array([1.0, 10.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0]), np.ones(2))

# %% [markdown] readonly id=f_question
# That is $1 \cdot 5 + 10 \cdot 6$: the rule of a product says so, too.

# %% solution id=gradient_test
def gradient_test(function, rule):
    """Raise AssertionError if the rule is not that of the function."""
    ### BEGIN SOLUTION
    draw = np.random.default_rng(0)

    def numbers(shape):
        return draw.uniform(0.5, 2.0, shape) * draw.choice([-1.0, 1.0], shape)

    shapes = [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((3, 3), (3, 3))]
    for first, second in shapes * 3:
        a, b = numbers(first), numbers(second)
        upstream = numbers(np.shape(function(a, b)))
        of_a, of_b = rule(upstream, a, b)
        assert np.shape(of_a) == np.shape(a)
        assert np.shape(of_b) == np.shape(b)
        v, w = numbers(first), numbers(second)
        along_a = slope(function, upstream, a, b, v)
        along_b = slope(lambda one, other: function(other, one), upstream, b, a, w)
        assert abs(along_a - np.sum(of_a * v)) < 1e-5
        assert abs(along_b - np.sum(of_b * w)) < 1e-5
    ### END SOLUTION

# %%
gradient_test(np.multiply, lambda upstream, a, b: (unbroadcast(upstream * b, np.shape(a)),
                                                   unbroadcast(upstream * a, np.shape(b))))

# %% test points=6 id=test_gradient_test
# limit: 30 seconds
check.gradient_test(gradient_test)
### BEGIN HIDDEN TESTS
check.gradient_test(gradient_test, seed=176)
### END HIDDEN TESTS

# %% [markdown] readonly id=stretch
# ## + · If you want more: the backward pass as a graph
#
# Your drawing of task 10 was a graph, so a function can write it. Then the gradient has a graph,
# and can be gone through backward itself. This gives second slopes, and it is what
# `create_graph=True` does. It gives no points.
#
# The graphs here know `leaf`, `add`, `multiply` and `negate`, and their values are single numbers.
# `seed` is a name for a new leaf, the gradient of the output. Give a tuple of two dicts:
#
# - a larger graph. It holds all nodes of `graph`, the leaf `seed`, and new nodes of these kinds,
#   under names that were free;
# - for each node that the output needs, the name of the node that computes its gradient.
#
# Nothing is computed here. **You write down what would be.**

# %% solution id=backward_graph
def backward_graph(graph, output, seed):
    """Give the graph with its backward pass in it, and the name of each node's gradient."""
    ### BEGIN SOLUTION
    larger = {**graph, seed: ("leaf",)}
    gradients = {output: seed}

    def write(*node):
        number = len(larger)
        while f"grad_{number}" in larger:
            number += 1
        larger[f"grad_{number}"] = node
        return f"grad_{number}"

    for name in backward_order(graph, output):
        (kind, *operands), upstream = graph[name], gradients[name]
        shares = [upstream for _ in operands]
        if kind == "multiply":
            shares = [write("multiply", upstream, operand) for operand in reversed(operands)]
        elif kind == "negate":
            shares = [write("negate", upstream)]
        for operand, share in zip(operands, shares, strict=True):
            before = gradients.get(operand)
            gradients[operand] = share if before is None else write("add", before, share)
    return larger, gradients
    ### END SOLUTION

# %%
backward_graph({"x": ("leaf",), "z": ("multiply", "x", "x")}, "z", "g")

# %% test points=0 id=test_backward_graph
check.backward_graph(backward_graph)

# %% [markdown] readonly id=end
# ## Before you hand it in
#
# Choose *Kernel, Restart Kernel and Run All Cells*, or run `cgkit check 02a_dynamic.ipynb` in
# JupyterLab's terminal: it shows every task with its points, and why it gave less than all. Then
# save the notebook under its own name, and go on with `02b_static.ipynb`.
