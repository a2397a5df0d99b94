# %% [markdown] readonly id=title
# # Assignment 2b · Static graphs: run a part, trace a function
#
# This is the second notebook of assignment 2. In chapter 2 a `Session` ran parts of a graph, and
# `trace` turned a function into one. Here you build both.
#
# **How to work.** Write your code where it says `YOUR CODE HERE`, and take away the line
# `raise NotImplementedError()`. Then run the cell below it. That cell is a *check*. It shows you
# the smallest case that goes wrong, and says why. Some checks give part of the points (½).
#
# Stuck? Each message ends with a question. For the next one open a terminal in JupyterLab and type
# `cgkit hint 02b run`. `cgkit check 02b_static.ipynb` checks the whole notebook.

# %% [markdown] readonly id=tasks
# | Task | What you build | Checked by | Points | Hours | Level | You need | Returns in |
# |---|---|---|--:|--:|---|---|---|
# | 1 | `needed`: what a run computes | `test_needed` | 3 | ½ | ★★ | dicts, sets | 3, 4 |
# |  | the same, 20,000 deep | `test_needed_deep` | 1 | | ★★ | task 1 | 3 |
# | 2 | `run` | `test_run` | 5 | ½ | ★★ | assignment 1, task 1 | 3 |
# | 3 | the same, only a part | `test_run_part` | 2 | ¼ | ★★ | task 2 | 3, 4 |
# |  | the same, 20,000 deep | `test_run_deep` | 2 | | ★★ | task 3 | 3 |
# | 4 | the same, fetches nested | `test_run_nested` | 4 | ½ | ★★★ | task 3 | 7 |
# | 5 | the same, with words for what is wrong | `test_run_refuses` | 3 | ¼ | ★★ | tasks 1, 4 | 3 |
# | 6 | `step`: variables | `test_step` | 5 | ½ | ★★★ | tasks 1, 2 | 4, 8 |
# | 7 | `trace` a function | `test_trace` | 5 | ½ | ★★★ | functions as values | 6, 7 |
# | 8 | what a trace keeps | `test_trace_facts` | 2 | ¼ | ★ | chapter 2 | 7 |
# | 9 | find two faults in a graph | `test_mended_training` | 3 | ¼ | ★★ | chapter 2 | 8 |
# | 10 | a question in words | your teacher | 10 | ½ | ★★ | chapter 2 | 7 |
# | + | `guard_key` | `test_guard_key` | 0 | ½ | ★★★ | task 7 | 7 |
#
# 35 points come from the checks, 10 from the written answer. Together with the 55 points of
# notebook `02a` this makes 100, in seven to eight hours. The task marked + gives no points.

# %% readonly id=setup
# grading: forbid graphlib, networkx
import operator

import graphviz
import numpy as np

from cgkit import render
from cgkit.checks import static as check

shown = render.install()    # pictures appear without any program installed

# %% [markdown] readonly id=a_graph
# ## A · Running a part
#
# Here is a graph in which more is described than anybody needs at once.

# %% readonly id=a_picture
graphviz.Source("""
digraph {
    rankdir=LR
    x; two [label="2"]; one [label="1"]
    b [label="multiply"]; c [label="add"]; d [label="negate"]; e [label="multiply"]
    x -> b; two -> b [label="b = x · 2"]
    b -> c; one -> c
    b -> d
    c -> e [label="c"]; d -> e [label="d"]
}
""")

# %% [markdown] readonly id=a_dict
# The same graph as plain Python, as in assignment 1. What was called an input is now called by its
# proper name, a **placeholder**: a value that is *fed* when the graph runs.

# %% readonly id=a_example
example = {
    "x": ("placeholder",),
    "two": ("constant", 2.0),
    "one": ("constant", 1.0),
    "b": ("multiply", "x", "two"),
    "c": ("add", "b", "one"),
    "d": ("negate", "b"),
    "e": ("multiply", "c", "d"),
}
operators = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "negate": operator.neg,
    "maximum": max,
    "minimum": min,
}

# %% [markdown] readonly id=task1
# ### Task 1 · `needed` (4 points)
#
# Somebody fetches `c`. Put a finger on `c` in the picture and go against the arrows. You pass `c`,
# `b`, and the sources. You never pass `d` and `e`: nothing of them is needed.
#
# Now somebody feeds `b` itself, with 10. Where does your finger stop? At `b`. Its value is there,
# so it is not computed, and nobody needs `x`.
#
# | fetched | fed | operators to compute |
# |---|---|---|
# | `c` | `x` | `b`, `c` |
# | `e` | `x` | `b`, `c`, `d`, `e` |
# | `c` | `b` | `c` |
# | `c` and `d` | `c`, `x` | `b`, `d` |
#
# Write a function that gives the **set** of the operators to compute. Placeholders and constants
# are no operators. `fetches` is a list of names, `feeds` a dict of values by name. Any node may be
# fed, a constant too, and some of what is fed may be of no use.
#
# Three points are for the right names. The fourth is for a graph of 20,000 nodes in a row, most of
# them read twice. You know from assignment 1 why a function that calls itself cannot do that. Nor
# can one that walks on from a node each time it comes by.

# %% solution id=needed
def needed(graph, fetches, feeds):
    """Give the set of names of the operators that must be computed."""
    ### BEGIN SOLUTION
    found = set()
    waiting = list(fetches)
    while waiting:
        name = waiting.pop()
        kind, *operands = graph[name]
        if name in feeds or name in found or kind in ("placeholder", "variable", "constant"):
            continue
        found.add(name)
        waiting.extend(operands)
    return found
    ### END SOLUTION

# %% [markdown] readonly id=try1
# Try it on two lines of the table.

# %%
needed(example, ["c"], {"x": 3.0}), needed(example, ["c", "d"], {"c": 0.0, "x": 3.0})

# %% test points=3 id=test_needed
check.needed(needed)
### BEGIN HIDDEN TESTS
check.needed(needed, seed=614)
### END HIDDEN TESTS

# %% test points=1 id=test_needed_deep
# limit: 20 seconds
check.needed_deep(needed)

# %% [markdown] readonly id=task2
# ### Tasks 2 to 5 · `run`
#
# Now compute. Write one function, and let it grow task by task.
#
# | Argument | What it is |
# |---|---|
# | `graph` | dict: the name of each node to its tuple |
# | `fetches` | what is asked for; in tasks 2 and 3 the name of one node |
# | `feeds` | dict: the name of each fed node to its value |
# | `operators` | dict: the name of each operator to its function |
#
# - **Task 2** (5 points). The value is right. The nodes of the dict may stand in any order, and every
#   placeholder is fed. Values may be arrays.
# - **Task 3** (4 points). Two points: operators that are not needed are not called, no operator
#   is called twice for one node, and a placeholder that is not needed need not be fed. Two more:
#   it works, and soon, on 20,000 operators in a row.
#
# Two runs have nothing to do with each other: whatever you remember, forget it at the end. And
# leave `graph` and `feeds` as they are.

# %% [markdown] readonly id=task4
# - **Task 4** (4 points). Whoever asks for several values likes to get them in the form in which
#   they asked:
#
# ```
# fetches     "c"            {"sum": "c", "both": ["b", ("d",)]}
# result      7.0            {"sum": 7.0, "both": [6.0, (-6.0,)]}
# ```
#
#   Lists, tuples and dicts may be nested in each other, however you like. In a dict the *values*
#   are fetched; the keys stay. One point of the four is for computing shared values only once.
# - **Task 5** (3 points). A `KeyError` out of the middle of your code helps nobody. Refuse with
#   `raise ValueError("...")`, in a sentence that holds the name, and **before any operator runs**:
#   a placeholder that is needed and not fed; a fetched name that the graph does not have; a fed
#   name that the graph does not have.

# %% [markdown] readonly id=helpers
# Two small functions help with task 4. Leave them as they are until you get there. Both walk
# through a nest: a name, or a list, tuple or dict of nests. A nest is never deep, so they may call
# themselves.
#
# ```
# names_in({"sum": "c", "both": ["b", ("d",)]})        ["c", "b", "d"]
# filled(["b", ("d",)], {"b": 6.0, "d": -6.0})         [6.0, (-6.0,)]
# ```

# %% solution id=nests
def names_in(nest):
    """List the names in a nest."""
    ### BEGIN SOLUTION
    if isinstance(nest, dict):
        nest = list(nest.values())
    if isinstance(nest, (list, tuple)):
        return [name for part in nest for name in names_in(part)]
    return [nest]
    ### END SOLUTION


def filled(nest, values):
    """Give the nest with a value in the place of each name."""
    ### BEGIN SOLUTION
    if isinstance(nest, dict):
        return {key: filled(part, values) for key, part in nest.items()}
    if isinstance(nest, (list, tuple)):
        return type(nest)(filled(part, values) for part in nest)
    return values[nest]
    ### END SOLUTION

# %% solution id=run
def run(graph, fetches, feeds, operators):
    """Give what is fetched, nested as the names in `fetches` are."""
    ### BEGIN SOLUTION
    names = names_in(fetches)
    for name in (*names, *feeds):
        if name not in graph:
            raise ValueError(f"the graph has no node {name!r}")
    wanted = needed(graph, names, feeds)
    for name in (*names, *(operand for one in wanted for operand in graph[one][1:])):
        if graph[name][0] in ("placeholder", "variable") and name not in feeds:
            raise ValueError(f"{name!r} is needed, and it is not fed")
    values, waiting = dict(feeds), list(names)
    while waiting:
        name = waiting[-1]
        kind, *operands = graph[name]
        if name in values:
            waiting.pop()
        elif kind == "constant":
            values[name] = operands[0]
        elif unknown := [operand for operand in operands if operand not in values]:
            waiting.extend(unknown)    # come back to this node when they are known
        else:
            values[name] = operators[kind](*[values[operand] for operand in operands])
    return filled(fetches, values)
    ### END SOLUTION

# %% [markdown] readonly id=try2
# Try it. What do you expect of the second one, in which `b` is fed?

# %%
run(example, "c", {"x": 3.0}, operators), run(example, "c", {"b": 10.0}, operators)

# %% test points=5 id=test_run
check.run(run)
### BEGIN HIDDEN TESTS
check.run(run, seed=352)
### END HIDDEN TESTS

# %% test points=2 id=test_run_part
check.run_part(run)
### BEGIN HIDDEN TESTS
check.run_part(run, seed=735)
### END HIDDEN TESTS

# %% test points=2 id=test_run_deep
# limit: 20 seconds
check.run_deep(run)

# %%
run(example, {"sum": "c", "both": ["b", ("d",)]}, {"x": 3.0}, operators)

# %% test points=4 id=test_run_nested
check.run_nested(run)
### BEGIN HIDDEN TESTS
check.run_nested(run, seed=283)
### END HIDDEN TESTS

# %%
try:
    print(run(example, "c", {}, operators))
except ValueError as error:
    print(error)

# %% test points=3 id=test_run_refuses
check.run_refuses(run)
### BEGIN HIDDEN TESTS
check.run_refuses(run, seed=949)
### END HIDDEN TESTS

# %% [markdown] readonly id=b_variables
# ## B · Variables
#
# A graph that learns needs values that stay from run to run. Two more kinds of nodes do it:

# %% readonly id=b_example
counter = {
    "count": ("variable",),
    "one": ("constant", 1),
    "next": ("add", "count", "one"),
    "set_count": ("assign", "count", "next"),    # gives count the value of next
    "double": ("add", "count", "count"),
}

# %% [markdown] readonly id=task6
# ### Task 6 · `step` (5 points)
#
# The graph does not hold the value of a variable. It comes in a dict, `variables`. A step gives
# back two things: the list of fetched values, and **a new dict** with the variables afterwards.
#
# ```
# step(counter, ["set_count", "double"], {}, {"count": 3}, operators)
#
#      results     [4, 6]            double saw 3, the value from before the step
#      variables   {"count": 4}
# ```
#
# - The value of an `assign` is the new value: that of its second operand.
# - An `assign` is a node like any other. It runs only if a fetch depends on it.
# - Every read of a *variable* sees the value from before the step. Who wants the new one reads the
#   `assign`.
# - The dict that came in stays as it is. So a step that fails has changed nothing.
#
# `fetches` is a list of names here, and only placeholders are fed. No variable has two assigns.
# `operators` has no `"assign"`. You may use your `needed` and your `run`. Then ask yourself: what
# is a variable for `run`? Its value is known before the run begins...

# %% solution id=step
def step(graph, fetches, feeds, variables, operators):
    """Give the fetched values, and the variables after the step."""
    ### BEGIN SOLUTION
    known = {**variables, **feeds}    # for a run, a variable is a feed that somebody keeps
    assigns = [name for name in needed(graph, fetches, known) if graph[name][0] == "assign"]
    every = {**operators, "assign": lambda old, new: new}
    results, written = run(graph, [list(fetches), assigns], known, every)
    after = dict(variables)
    for name, value in zip(assigns, written, strict=True):
        after[graph[name][1]] = value
    return results, after
    ### END SOLUTION

# %%
step(counter, ["set_count", "double"], {}, {"count": 3}, operators)

# %% test points=5 id=test_step
check.step(step)
### BEGIN HIDDEN TESTS
check.step(step, seed=507)
### END HIDDEN TESTS

# %% [markdown] readonly id=c_trace
# ## C · Tracing
#
# Nobody likes to write such dicts by hand. A *program* is pleasant to write. These programs do not
# compute by themselves: they ask a function `apply` for each operator.

# %% readonly id=c_example
def program(apply, x, y):
    total = apply("add", x, y)
    return apply("multiply", total, 2.0)

def apply_now(kind, *operands):
    return operators[kind](*operands)

program(apply_now, 3.0, 4.0)    # an apply that computes: the eager way

# %% [markdown] readonly id=task7
# ### Task 7 · `trace` (5 points)
#
# Here is the trick of every tracer: call the program with an `apply` that **does not compute but
# writes down**, and with *names* in the place of values.
#
# ```
# trace(program, ["x", "y"])
#
#      graph     {"x": ("placeholder",), "y": ("placeholder",),
#                 "v1": ("add", "x", "y"),
#                 "k1": ("constant", 2.0),
#                 "v2": ("multiply", "v1", "k1")}
#      output    "v2"
# ```
#
# - Your `apply` adds a node, and gives its name. The program hands it on.
# - An operand may be a plain number, `2` or `2.0`. It needs a constant node of its own.
# - Names of nodes are texts. Choose them as you like, but never one that is there already: an
#   input may be called `"v1"`.
# - The program may return any value it has: an input, or a number.
# - The program runs **once**, and each call of `apply` makes one node.
#
# Give a tuple: the graph, and the name of the output.

# %% solution id=trace
def trace(program, inputs):
    """Run a program on names; give the graph it leaves behind, and the name of the output."""
    ### BEGIN SOLUTION
    graph = dict.fromkeys(inputs, ("placeholder",))

    def add(*node):
        number = len(graph)
        while f"v{number}" in graph:
            number += 1
        graph[f"v{number}"] = node
        return f"v{number}"

    def named(value):
        return value if isinstance(value, str) else add("constant", value)

    def apply(kind, *operands):
        return add(kind, *[named(operand) for operand in operands])

    output = named(program(apply, *inputs))
    return graph, output
    ### END SOLUTION

# %% [markdown] readonly id=try7
# Try it, and run what comes out. It should give what the program gave.

# %%
graph, output = trace(program, ["x", "y"])
graph, run(graph, output, {"x": 3.0, "y": 4.0}, operators)

# %% test points=5 id=test_trace
check.trace(trace)
### BEGIN HIDDEN TESTS
check.trace(trace, seed=166)
### END HIDDEN TESTS

# %% [markdown] readonly id=task8
# ### Task 8 · what a trace keeps (2 points)
#
# ```python
# ran = 0
# scale = 2.0
#
# def program(apply, x):
#     global ran
#     ran += 1
#     y = apply("multiply", x, scale)
#     for _ in range(3):
#         y = apply("add", y, 1.0)
#     return y
#
# graph, output = trace(program, ["x"])                     # first trace
# for round in range(100):
#     run(graph, output, {"x": 10.0}, operators)
# python_ran = ran                                          # ?
# scale = 5.0
# later = run(graph, output, {"x": 10.0}, operators)        # ?
# graph, output = trace(program, ["x"])                     # second trace
# retraced = run(graph, output, {"x": 10.0}, operators)     # ?
# ```
#
# Say first, then try. How often had Python run the program after a hundred runs of the graph? How
# many *operators* does the first graph hold? What are `later` and `retraced`?

# %% solution id=trace_facts
trace_facts = None    # a dict: {"python_ran": ..., "operators": ..., "later": ..., "retraced": ...}
### BEGIN SOLUTION
trace_facts = {"python_ran": 1, "operators": 4, "later": 23, "retraced": 53}
### END SOLUTION

# %% test points=2 id=test_trace_facts
check.trace_facts(trace_facts)

# %% [markdown] readonly id=d_fault
# ## D · Find the fault
#
# ### Task 9 · the loss of a static graph (3 points)
#
# This graph was found in a text on training. `softmax_cross_entropy` takes **logits, then labels**,
# and gives one loss for each picture of the batch. A training step asks for the gradient of
# `"loss"`, and makes it smaller.

# %% readonly id=d_graph
training = {
    "images": ("placeholder",),
    "labels": ("placeholder",),    # a row for each picture, with a 1 at its digit
    "W": ("variable",),
    "logits": ("matmul", "images", "W"),
    "loss": ("softmax_cross_entropy", "labels", "logits"),
}

# %% [markdown] readonly id=task9
# It runs without an error, and that is the worst of it. One line holds two faults. Mend them: give
# a graph in which the node `"loss"` is right. Operators that you may use are `matmul`,
# `softmax_cross_entropy`, `mean` and `sum`; the last two take one operand and give one number. Each
# fault that you mend gives half of the points.

# %% solution id=mended_training
mended_training = None    # a dict: {**training, ...}
### BEGIN SOLUTION
mended_training = {
    **training,
    "losses": ("softmax_cross_entropy", "logits", "labels"),
    "loss": ("mean", "losses"),
}
### END SOLUTION

# %% test points=3 id=test_mended_training
check.mended_training(mended_training)
### BEGIN HIDDEN TESTS
check.mended_training(mended_training, seed=870)
### END HIDDEN TESTS

# %% [markdown] readonly id=e_words
# ## E · In your own words
#
# ### Task 10 (10 points)
#
# A team writes a model for sentences. Sentences have any length, and the team tries out something
# new each day. Next year the model shall run on ten thousand phones, where there is no Python.
#
# 1. Where in this story does a **dynamic** graph fit, and where a **static** one? Give two reasons
#    for each, and say what each reason rests on: when the graph is built, or what is known of it.
# 2. TensorFlow 1 began with static graphs, PyTorch with dynamic ones. Each has since taken
#    something from the other. Name one such thing for each of the two, and what it cost before.
# 3. "A static graph needs less memory, because it stores no activations." What is wrong with this
#    sentence when the graph *trains*?
#
# Write 150 to 300 words.

# %% [markdown] manual points=10 id=written
# ### BEGIN SOLUTION
# **A good answer** has these parts.
#
# 1. *Dynamic* while the team tries things out: each line has a value, so one can look at it, stop
#    in the middle, and read an error at the line that caused it; Python's own `for` and `if` follow
#    the length of a sentence, because the graph is built anew in each run. *Static* on the phones:
#    the graph is data, so it can be put into a file and run without Python; it is known as a whole
#    before it runs, so it can be optimized, scheduled, and given its memory beforehand; it is built
#    once and run a million times.
# 2. TensorFlow 2 computes eagerly, and `tf.function` traces; before, one saw no numbers while
#    building, and control flow had to be written with `tf.cond` and `tf.while_loop`. PyTorch got
#    `torch.jit`, `torch.compile` and export; before, nothing was known of the graph as a whole, so
#    nothing could be fused or deployed without Python.
# 3. Backward reads values from forward, whenever the graph was built. A static training graph keeps
#    activations as well. Because it is known beforehand, their memory can be *planned*; that is all.
#
# **Rubric (10 points).** Part 1: 1 for each of four reasons that is right, and 1 for each side on
# which it is said what the reasons rest on (6). Part 2: 1 for each of the two things, with what it
# cost before (2). Part 3: 1 for "backward needs them", 1 for what a static graph can really do
# about it (2). Take 1 away above 450 words. A list of keywords without reasons gets 3 at most.
# ### END SOLUTION

# %% [markdown] readonly id=stretch
# ## + · If you want more
#
# ### + `guard_key`
#
# `compile` keeps a graph for each *sort* of call. It needs a key for a dict: calls with equal keys
# share a graph. Write a function from the list of a call's arguments to such a key.
#
# - An array is a placeholder of the graph: its numbers do not count. Its dtype and its rank do. Of
#   each size count only whether it is 0, 1, or larger: larger sizes are left open.
# - Numbers, texts, truth values and `None` stand in the graph as they are. So they count, and so
#   does their type: `1`, `1.0` and `True` make three graphs, and `0.0` and `-0.0` make two.
# - Lists, tuples and dicts count by their form, and by what is in them.
#
# The key must be hashable and made of tuples, texts and numbers. Two calls with `nan` share a key.

# %% solution id=guard_key
def guard_key(arguments):
    """Give a key that is equal for calls that one graph serves, and for no others."""
    ### BEGIN SOLUTION
    def key(value):
        if isinstance(value, np.ndarray):
            return ("array", str(value.dtype), tuple(min(size, 2) for size in value.shape))
        if isinstance(value, (list, tuple)):
            return (type(value).__name__, *[key(part) for part in value])
        if isinstance(value, dict):
            return ("dict", *[(name, key(part)) for name, part in value.items()])
        return (type(value).__name__, repr(value))

    return key(arguments)
    ### END SOLUTION

# %%
[guard_key([np.zeros((3, 1)), 2]), guard_key([np.ones((5, 1)), 2])]

# %% test points=0 id=test_guard_key
check.guard_key(guard_key)

# %% [markdown] readonly id=end
# ## Before you hand it in
#
# Choose *Kernel, Restart Kernel and Run All Cells*, or run `cgkit check 02b_static.ipynb` in
# JupyterLab's terminal: it shows every task with its points, and why it gave less than all. Then
# save the notebook under its own name. Hand in `02a_dynamic.ipynb` beside it.
