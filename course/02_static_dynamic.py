# %% [markdown]
# # 2 · Two ways to build a graph
#
# Chapter 1 ended with a question. PyTorch computes at once and records what it did. TensorFlow 1
# described everything first and computed later. Which is better, and can one have both?
# In this chapter you use both ways on the same problems, count what each costs, and meet the
# third way, which JAX and today's PyTorch take.
#
# | By the end you can | You show it in assignment 2 |
# |---|---|
# | go backward through a graph that was recorded, whatever its shape | notebook 02a |
# | say what a placeholder, a variable, a feed and a fetch are, and run a part of a graph | notebook 02b |
# | tell what tracing keeps of a program and what it loses | notebook 02b |
# | say on what a compiled function depends | notebook 02b, stretch task |
# | choose between static and dynamic for a given job | notebook 02b, in words |
#
# **You need** chapter 1, and Python's functions and dictionaries. About two and a half hours, then
# the assignment.

# %%
import numpy as np

from cgkit import GraphBuilder, Node, Session, Tensor, draw, grad, ops, topological_order

# %% [markdown]
# ## One formula, twice
#
# Take a loss with one parameter, $(w \cdot x - t)^2$. First the **dynamic** way, also called
# **eager**: you compute, and the graph is what you leave behind.

# %%
w = Tensor(2.0, requires_grad=True).named("w")
x, t = Tensor(3.0), Tensor(5.0)
loss = (w * x - t) ** 2
loss

# %% [markdown]
# The number is there at once: $(2 \cdot 3 - 5)^2 = 1$. And `loss` knows how it came about:

# %%
draw(loss, direction="right")

# %% [markdown]
# (The two nodes without a name are `x` and `t`.)
#
# Now the **static** way. You describe the formula with names in the place of numbers.

# %%
builder = GraphBuilder()
x = builder.placeholder((), name="x")
t = builder.placeholder((), name="t")
w = builder.variable(2.0, name="w")
loss = (w * x - t) ** 2
loss

# %% [markdown]
# No number, only a promise: a **Value**. Numbers come when a **session** runs the graph:

# %%
session = Session(builder)
session.run(loss, {x: 3.0, t: 5.0})

# %% [markdown]
# Same formula, same number. The difference is **when** things happen:
#
# | | dynamic | static |
# |---|---|---|
# | the graph is built | while computing, anew each time | before computing, once |
# | numbers are there | after each line | when a session has run |
# | Python runs | in every step | while the graph is built |
#
# The rest of this chapter is about what follows from this table.
#
# ## Dynamic: define by run
#
# ### Python decides, and the graph follows
#
# Here is a function that doubles until it is large enough. How often does the loop run?

# %%
def grow(x):
    while x.sum() < 10.0:
        x = x * 2.0
    return x

# %% [markdown]
# You cannot tell: it depends on the numbers. For a dynamic graph that is no trouble at all.
# `x.sum() < 10.0` has a value, Python looks at it, and goes round once more or not.

# %%
small = Tensor([1.0, 0.5], requires_grad=True)
large = Tensor([3.0, 4.0], requires_grad=True)
draw(grow(small), direction="right")

# %% [markdown]
# And for the larger start:

# %%
draw(grow(large), direction="right")

# %% [markdown]
# Two inputs, two graphs: three doublings and one. **The structure may change with every run**,
# because the graph only lives as long as the result.
#
# What was recorded? Not the loop, and not the question `< 10.0`. Only the doublings that happened.
# That is all that going backward needs.

# %%
result = grow(small)
result.sum().backward()
small.grad

# %% [markdown]
# Three doublings: each element counts eight times.
#
# ### Going backward, the obvious way
#
# You went backward by hand in chapter 1. Let us teach it to Python. The first idea: the result
# tells its inputs their gradient, and they tell theirs. Here is a small graph to try it on. How
# often is each value read?

# %%
x = Tensor(1.0, requires_grad=True).named("x")
b = (x + x).named("b")
c = (b + b).named("c")
draw(c, direction="right")

# %% [markdown]
# A recorded node is in `grad_fn`. Its `inputs` lead to the nodes before it.

# %%
def tell(node, gradient, received):
    received.append((node.operator.name, gradient))
    for edge in node.inputs:            # an addition passes the gradient on unchanged
        tell(edge.node, gradient, received)

received = []
tell(c.grad_fn, 1.0, received)
sum(gradient for name, gradient in received if name == "leaf")

# %% [markdown]
# Right: $c = 4x$, so the gradient is 4. Then look at who was told, and how often.

# %%
[name for name, _ in received]

# %% [markdown]
# There are only three nodes: two additions and the leaf. But `b` was told twice, and `x` four
# times. Each doubling doubles the work. How many visits for sixteen? Guess first.

# %%
def visits(doublings):
    x = Tensor(1.0, requires_grad=True)
    for _ in range(doublings):
        x = x + x
    received = []
    tell(x.grad_fn, 1.0, received)
    return len(received)

[visits(n) for n in (1, 2, 3, 10, 16)]

# %% [markdown]
# It is the trouble of chapter 1 once more, upside down: there the readers asked too often, here
# they tell too often. The cure is upside down, too. **A node passes its gradient on only when all
# its readers have spoken.** Take the nodes in topological order, from the back.

# %%
def backward(last, seed):
    gradients = {last: seed}
    visited = 0
    for node in reversed(topological_order(last)):
        visited += 1
        for edge in node.inputs:
            gradients[edge.node] = gradients.get(edge.node, 0.0) + gradients[node]
    return gradients, visited

gradients, visited = backward(c.grad_fn, 1.0)
gradients[x.edge.node], visited

# %% [markdown]
# Three visits, and the gradient 4. Here they are, one after the other:

# %%
from cgkit.render import strip

backward_order = topological_order(c.grad_fn)[::-1]

def moment(finished):
    told = {node.name: f"gradient {gradients[node]:g}" for node in backward_order[:finished]}
    return draw(c, marked=told, legend=False)

strip([moment(n) for n in (1, 2, 3)], ["1. the end", "2. b has heard both", "3. x has heard both"])

# %% [markdown]
# Look at the line with `get`: gradients that meet are **added**,
# or *accumulated*. Write `gradients[edge.node] = gradients[node]` instead, and the second reader
# overwrites the first. Here is that mistake, run:

# %%
def forgetful(last, seed):
    gradients = {last: seed}
    for node in reversed(topological_order(last)):
        for edge in node.inputs:
            gradients[edge.node] = gradients[node]
    return gradients

forgetful(c.grad_fn, 1.0)[x.edge.node]

# %% [markdown]
# No error, only a wrong number. Mistakes in gradients are silent; that is why you will write tests
# with diamonds in them.
#
# ### Rules
#
# An addition passes its gradient on unchanged. Other operators have rules of their own. A rule
# gets the gradient `g` of its result and says what each operand receives:

# %%
RULES = {
    "add": lambda g, a, b: (g, g),
    "mul": lambda g, a, b: (g * b, g * a),
    "exp": lambda g, a: (g * np.exp(a),),
}
RULES["mul"](10.0, 3.0, 4.0)

# %% [markdown]
# Read the rule of `mul` aloud: *of a product, each operand receives the gradient times the other
# one.* The rule needs the operands. So a framework must **keep** them until backward has passed.
# An addition keeps nothing. This is visible: among the notes in `saved` are the arrays that a node
# keeps. Count them.

# %%
y = Tensor([1.0, 2.0, 3.0], requires_grad=True)
results = {"y + y": y + y, "y * y": y * y, "exp(y)": ops.exp(y)}
{name: sum(isinstance(part, np.ndarray) for part in result.grad_fn.saved)
 for name, result in results.items()}

# %% [markdown]
# The product keeps two operands: here `y` twice, once for each side. The exponential keeps one
# array: its own result, because it is its own derivative.
#
# After backward all this is let go, or memory would fill up. So a second backward fails:

# %%
z = (y * y).sum()
z.backward()
try:
    z.backward()
except RuntimeError as error:
    print(error)

# %% [markdown]
# The message says how to keep it: `retain_graph=True`. Then the second backward works, and
# **adds** to what is there:

# %%
y.grad = None
z = (y * y).sum()
z.backward(retain_graph=True)
first = y.grad.numpy().copy()
z.backward()
first, y.grad.numpy()

# %% [markdown]
# Twice the gradient. A training loop that forgets to clear `grad` trains with the sum of all steps.
#
# ### Broadcasting must be undone
#
# One trap is left. Add a row to every row of a matrix:

# %%
matrix = Tensor(np.ones((3, 4)), requires_grad=True)
row = Tensor(np.zeros(4), requires_grad=True)
total = (matrix + row).sum()
draw(total, direction="right")

# %% [markdown]
# The sum of twelve elements sends back a gradient of shape `(3, 4)`. The rule of `+` passes it on
# to both. But `row` has shape `(4,)`! A gradient has the shape of its tensor, always.
#
# What should each element of `row` receive? It was used three times, once in each row. Used three
# times means three readers, and gradients of readers are added: **what broadcasting repeated,
# backward sums.**

# %%
total.backward()
row.grad, matrix.grad.shape

# %% [markdown]
# This step is called **un-broadcast**. In notebook 02a you write it for any shapes: leading axes,
# axes of size 1, both at once.
#
# ## Static: define, then run
#
# ### Fetches and feeds
#
# A static graph may hold much more than one run needs. Look at this one, and then fetch only `c`.
# Which operators have to run?

# %%
builder = GraphBuilder()
a = builder.placeholder((), name="a")
b = (a * 2.0).named("b")
c = (b + 1.0).named("c")
d = ops.exp(b).named("d")
e = (c * d).named("e")
draw(builder.graph([e, c]))

# %% [markdown]
# Only the **ancestors** of what is fetched: what it reads, what that reads, and so on. To leave out
# the rest is to **prune**. A session runs a graph by any function that can run one; here is ours,
# which notes the operators it computes:

# %%
from cgkit import run
from cgkit.node import SOURCES

ran = []

def watched(graph, *arrays):
    def note(node, results):
        if node.operator not in SOURCES:
            ran.append(node.name)
    return run(graph, *arrays, observe=note)

session = Session(builder, executor=watched)
session.run(c, {a: 3.0}), ran

# %% [markdown]
# The exponential never ran. Several fetches share their work, and come back nested as you nest
# them:

# %%
ran.clear()
session.run({"sum": c, "both": [d, e]}, {a: 0.0}), ran

# %% [markdown]
# Four operators for three fetches: each ran once. And what do you think happens if you give a
# value for `b`, in the middle of the graph?

# %%
ran.clear()
session.run(c, {b: 10.0}), ran

# %% [markdown]
# **Any tensor may be fed.** What it would have been made from is not computed, and `a` is not asked
# for. Leave out what is needed, and the session names it:

# %%
try:
    session.run(c)
except ValueError as error:
    print(error)

# %% [markdown]
# ### Variables
#
# A dynamic program keeps its parameters in Python variables. A static graph has nodes for them.
# Writing is an operator as well, `assign`, and it runs only if it is fetched.

# %%
builder = GraphBuilder()
count = builder.variable(0, name="count")
step = builder.assign(count, count + 1)
session = Session(builder)
[session.run(step).item() for _ in range(3)], session.run(count).item()

# %% [markdown]
# The values belong to the session, not to the graph. Another session starts anew:

# %%
other = Session(builder)
other.run(step).item(), session.run(count).item()

# %% [markdown]
# Now a riddle. `double` reads the variable, `step` writes it, and both are fetched in one run.
# The count stands at 3. Which number does `double` see?

# %%
double = count * 2
session.run([step, double])

# %% [markdown]
# It saw 3: **a read sees the value from before the run.** In Python the order of lines would
# decide. Here there are no lines, only arrows, and no arrow leads from `step` to `double`.
# If you want one, say so:

# %%
with builder.control_dependencies([step]):
    after = count * 2
session.run(after).item()

# %% [markdown]
# The count was 4, the step made it 5, and what was built *after* the step saw 5.
#
# ### A training step is a part of the graph
#
# Gradients are nodes, updates are assigns. `minimize` adds both. This graph fits a line to points.
# We draw only the part that the loss needs:

# %%
from cgkit import minimize
from cgkit.optimizers import SGD

builder = GraphBuilder()
x = builder.placeholder((None,), name="x")
y = builder.placeholder((None,), name="y")
slope = builder.variable(0.0, name="slope")
start = builder.variable(0.0, name="start")
loss = ((slope * x + start - y) ** 2).mean()
train = minimize(loss, SGD(0.1))
draw(builder.graph([loss]))

# %% [markdown]
# `N` and `N2` are sizes that were left open. They meet in the subtraction, so each run must give
# both the same. The points lie on $y = 3x + 1$. Watch the loss fall:

# %%
session = Session(builder)
points = np.linspace(-1.0, 1.0, 20)
losses = [session.run([loss, train], {x: points, y: 3 * points + 1})[0] for _ in range(60)]
[round(float(losses[i]), 4) for i in (0, 1, 10, 59)], session.run([slope, start])

# %% [markdown]
# Python never saw a gradient. It asked sixty times for `loss` and `train`, and the graph did the
# rest.
#
# ### What Python cannot do any more
#
# Try the growing function on a static graph.

# %%
try:
    grow(builder.placeholder((2,), name="v"))
except TypeError as error:
    print(error)

# %% [markdown]
# Of course: `while` needs a number *now*, and there is none. The choice has to become a part of the
# graph. `while_loop` takes the test and the body as functions, and builds a graph from each:

# %%
from cgkit import cond, while_loop

builder = GraphBuilder()
v = builder.placeholder((2,), name="v")
grown = while_loop(lambda v: v.sum() < 10.0, lambda v: v * 2.0, v)
session = Session(builder)
[session.run(grown, {v: start}) for start in ([1.0, 0.5], [3.0, 4.0])]

# %% [markdown]
# One node, for any number of rounds. It has a gradient, too. (The result has two elements;
# `gradients` takes the slope of their sum.)

# %%
from cgkit import gradients

(slope,) = gradients(grown, [v])
[session.run(slope, {v: start}) for start in ([1.0, 0.5], [3.0, 4.0])]

# %% [markdown]
# Eight for three doublings, two for one. A choice is `cond`. It does something that a dynamic `if`
# gives you for free, and a formula does not: the branch that is not taken spoils nothing. At
# $x = 0$ the logarithm has no slope worth having. Choose with a formula, `where`, and both sides
# are computed:

# %%
builder = GraphBuilder()
x = builder.placeholder((), name="x")
by_formula = ops.where(x > 0.0, ops.log(x), 0.0)
by_branch = cond(x > 0.0, lambda: ops.log(x), lambda: x * 0.0)
slopes = [gradients(y, [x])[0] for y in (by_formula, by_branch)]
Session(builder).run(slopes, {x: 0.0})

# %% [markdown]
# `nan` from the formula, 0 from the branch: nothing times infinity is not a number.
# Chapter 6 opens these nodes and looks inside.
#
# ### When something is wrong
#
# A dynamic program fails at the line where the numbers are. A static one may fail at two times.
# What does not fit is found while it is **built**, before anything has run:

# %%
builder = GraphBuilder()
x = builder.placeholder((None, 3), name="x")
w = builder.variable(np.ones((4, 2)), name="w")
try:
    x @ w
except ValueError as error:
    print(error.with_place())

# %% [markdown]
# Sizes that were left open are known when it **runs**. By then Python has long passed the line that
# made the node. So the message has to remember both, the node and its line:

# %%
best = ops.max(x, axis=0).named("best")
try:
    Session(builder).run(best, {x: np.ones((0, 3))})
except ValueError as error:
    print(error.with_place())

# %% [markdown]
# A debugger that stops here shows you the session at work, not your formula. So give names to the
# nodes you care about.
#
# ### What you get for it
#
# A static graph is a thing. You can put it into a file, and run it where your Python is not.

# %%
import tempfile
from pathlib import Path

from cgkit.saved import load_graph, save_graph

folder = Path(tempfile.mkdtemp())
builder = GraphBuilder()
x = builder.placeholder((None, 2), "float32", name="x")
w = builder.variable(np.float32([[1, -1], [2, 0.5]]), name="w")
graph = builder.graph([ops.relu(x @ w).named("y")])
save_graph(folder / "model.npz", graph)
print(load_graph(folder / "model.npz"))

# %% [markdown]
# Even another program can run it. **ONNX** is a form that many programs read. We write the graph
# in it and let ONNX's own evaluator compute, which knows nothing of cgkit:

# %%
from onnx.reference import ReferenceEvaluator

from cgkit import onnx

onnx.save(graph, folder / "model.onnx")
evaluator = ReferenceEvaluator(str(folder / "model.onnx"))
numbers = np.float32([[1, 2], [3, -4]])
evaluator.run(None, {"x": numbers})[0], run(graph, numbers)[0]

# %% [markdown]
# ## The middle: trace the dynamic program
#
# Describing a graph by hand is tedious; a dynamic program is pleasant to write. So why not run the
# dynamic program once, on values without numbers, and keep the graph? You know `trace` from
# chapter 1. What does it keep?

# %%
from cgkit import TensorType, trace


def talkative(x):
    print("Python is here")
    return x * 2.0 + 1.0

traced = trace(talkative, TensorType((2,), "float64"))
for numbers in ([1.0, 2.0], [3.0, 4.0]):
    print(run(traced.graph, np.array(numbers))[0])

# %% [markdown]
# The graph ran twice, `print` once: **Python runs while tracing, and leaves nothing behind but
# operators.** The same holds for everything that is not a tensor. Which number will the graph add?

# %%
offset = 10.0

def shifted(x):
    return x + offset

traced = trace(shifted, TensorType((), "float64"))
offset = 99.0
run(traced.graph, 1.0), shifted(1.0)

# %% [markdown]
# The graph adds the old one. When it was traced, `offset` was 10, and that is what the graph holds.
# A trace is right for the things it was traced with, and nobody warns you when they change.
#
# ### Guards
#
# `compile` is a trace with a watchman. It notes on what the trace depends. Before each call it looks
# whether all that still holds. If not, it traces again.

# %%
from cgkit import compile

offset = 10.0
fast = compile(shifted)
one = Tensor(1.0)
before = fast(one)
offset = 99.0
before, fast(one)

# %% [markdown]
# Right both times. What happened can be asked:

# %%
print(fast.explain())

# %% [markdown]
# Two **forms**: two graphs, each with what it depends on. Those conditions are the **guards**. (`grad
# mode` tells whether gradients are recorded.) The last line is the reason for the second form. What
# else is a reason? Let us call a function in several
# ways and count the forms after each call.

# %%
def scaled(x, factor=2):
    return x * factor

def forms(calls):
    ready = compile(scaled)
    counts = []
    for arguments in calls:
        ready(*arguments)
        counts.append(len(ready.entries))
    return counts

def ones(*shape, dtype="float64"):
    return Tensor(np.ones(shape, dtype))

forms([(ones(3),), (ones(3),), (ones(3, dtype="float32"),), (ones(3, 3),), (ones(3), 5)])

# %% [markdown]
# A new dtype, a new rank, a new number for `factor`: each makes a form. The tensor's own *numbers*
# are no reason. They are what the graph is run on. And the size?

# %%
forms([(ones(3),), (ones(4),), (ones(5),), (ones(600),), (ones(1),), (ones(0),)])

# %% [markdown]
# The first size was taken as fixed. When a second one came, the size was left **open**, and from
# then on every size is served by one graph. Only 1 and 0 are always cases of their own: a size of 1
# broadcasts, a size of 0 has nothing in it.
#
# A size that is looked at becomes a guard by itself:

# %%
@compile(dynamic=True)
def careful(x):
    return x * 2.0 if x.shape[0] > 100 else x

for size in (5, 50, 500, 5000):
    careful(ones(size))
print(careful.explain())

# %% [markdown]
# And a Python `if` on a *number*? No guard can help, for the answer is not known before the graph
# runs. You have seen the error. Write `cond`, or keep that line out of the compiled function.
#
# ### Parameters without variables
#
# In the static graph parameters were nodes, and a step changed them. A traced function can do
# without change: **parameters go in, new parameters come out.** They may be nested in dictionaries
# and lists. This is how JAX programs look.

# %%
def predict(params, x):
    for layer in params["hidden"]:
        x = ops.tanh(x @ layer["w"] + layer["b"])
    return x @ params["out"]

def loss_of(params, x, y):
    error = predict(params, x) - y
    return (error * error).mean()

# %% [markdown]
# A step takes such a tree apart, asks for the gradient of each leaf, and puts it together again.

# %%
from cgkit import tree


@compile
def update(params, x, y):
    leaves, structure = tree.flatten(params)
    loss = loss_of(params, x, y)
    slopes = grad(loss, leaves)
    moved = [leaf - 0.1 * slope for leaf, slope in zip(leaves, slopes, strict=True)]
    return loss, tree.unflatten(structure, moved)

# %% [markdown]
# Note `grad` inside: while the function is traced, gradients are more nodes, so forward, backward
# and the step become **one** graph. Run it on a curve:

# %%
rng = np.random.default_rng(1)
def layer(n, m):
    return {"w": rng.normal(size=(n, m)), "b": np.zeros(m)}

params = {"hidden": [layer(1, 16), layer(16, 16)], "out": rng.normal(size=(16, 1)) * 0.1}
xs = np.linspace(-2.0, 2.0, 40)[:, None]
history = []
for _ in range(200):
    loss, params = update(params, xs, np.sin(2 * xs))
    history.append(loss.item())
[round(history[i], 4) for i in (0, 20, 199)], len(update.entries)

# %% [markdown]
# Two hundred steps, and Python ran the function once.
#
# ## Digits, three ways
#
# Now the same network, three times: 64 inputs, 32 hidden, 10 classes, trained on 8×8 pictures of
# digits. Same start, same batches, same learning rate. Here are the data:

# %%
from cgkit import data

digits = data.digits()
images = digits.train.images.reshape(-1, 64)
labels = digits.train.labels
batches = [slice(i, i + 32) for i in range(0, 1280, 32)]
images.shape, labels[:10]

# %% [markdown]
# And here is the network, with its start. It is an ordinary function of parameters and a batch:

# %%
rng = np.random.default_rng(0)
start = {
    "w1": rng.normal(0, 0.2, (64, 32)).astype("float32"), "b1": np.zeros(32, "float32"),
    "w2": rng.normal(0, 0.2, (32, 10)).astype("float32"), "b2": np.zeros(10, "float32"),
}

def digit_loss(params, x, y):
    hidden = ops.relu(x @ params["w1"] + params["b1"])
    return ops.cross_entropy(hidden @ params["w2"] + params["b2"], y)

# %% [markdown]
# We want to compare what each way costs. So each time that Python comes by the loss, it looks at
# it, as a debugger would, and tries an `if`:

# %%
seen = {"eager": [], "session": [], "compiled": []}

def look(way, loss):
    try:
        answer = "works" if loss > 0.0 else "works, too"
    except TypeError:
        answer = "an error"
    seen[way].append((repr(loss).split(", ")[0].rstrip(")") + ")", answer))

# %% [markdown]
# **The dynamic way** computes, goes backward, and writes the parameters in place. `no_grad` says
# that this writing is not recorded:

# %%
from cgkit import no_grad

params = {name: Tensor(array, requires_grad=True) for name, array in start.items()}
eager, graphs = [], {"eager": set()}
for batch in batches:
    loss = digit_loss(params, Tensor(images[batch]), Tensor(labels[batch]))
    look("eager", loss)
    graphs["eager"].add(loss.grad_fn)
    slopes = grad(loss, list(params.values()))
    with no_grad():
        for parameter, slope in zip(params.values(), slopes, strict=True):
            parameter.sub_(slope * 0.5)
    eager.append(loss.item())
[round(value, 4) for value in (eager[0], eager[-1])]

# %% [markdown]
# **The static way** describes everything once:

# %%
builder = GraphBuilder()
x = builder.placeholder((None, 64), "float32", name="x")
y = builder.placeholder((None,), "int64", name="y")
variables = {name: builder.variable(array, name=name) for name, array in start.items()}
loss_node = digit_loss(variables, x, y)
look("session", loss_node)
train = minimize(loss_node, SGD(0.5))
session = Session(builder)
feeds = [{x: images[batch], y: labels[batch]} for batch in batches]
static = [session.run([loss_node, train], feed)[0].item() for feed in feeds]
[round(value, 4) for value in (static[0], static[-1])]

# %% [markdown]
# **The compiled way** is the dynamic program, written as a pure function. `fuse=False` leaves each
# operator by itself; chapter 5 joins them:

# %%
@compile(fuse=False)
def digit_step(params, x, y):
    loss = digit_loss(params, x, y)
    look("compiled", loss)
    slopes = grad(loss, list(params.values()))
    names = zip(params, params.values(), slopes, strict=True)
    return loss, {name: value - slope * 0.5 for name, value, slope in names}

params, compiled = start, []
for batch in batches:
    loss, params = digit_step(params, images[batch], labels[batch])
    compiled.append(loss.item())
[round(value, 4) for value in (compiled[0], compiled[-1])]

# %% [markdown]
# The losses look alike. How alike? Compare all forty, to the last bit:

# %%
[eager == static, static == compiled, len(eager)]

# %% [markdown]
# **Three ways, one computation.** The rules of the gradients are the same text, and so are the
# operators. Only who calls them, and when, is different.
#
# So what *is* different? First, memory. Going backward reads what going forward has made, so that
# must be kept. "A static graph needs less, because it keeps nothing," some say. Let us count. In an
# eager graph it lies in the nodes. (What was there before, images and parameters, does not count.)

# %%
def kept_in_nodes(loss, given):
    parts = [part for node in topological_order(loss.grad_fn) for part in node.saved]
    arrays = {id(part): part for part in parts if isinstance(part, np.ndarray)}
    made = [a for a in arrays.values() if not any(np.array_equal(a, one) for one in given)]
    return sum(array.nbytes for array in made)

tensors = {name: Tensor(array, requires_grad=True) for name, array in start.items()}
x0, y0 = Tensor(images[:32]), Tensor(labels[:32])
loss = digit_loss(tensors, x0, y0)
bytes_kept = {"eager": kept_in_nodes(loss, [one.numpy() for one in (x0, *tensors.values())])}
bytes_kept

# %% [markdown]
# A static graph can be asked before it runs: which results are made before the loss, or with it, and
# are read afterwards? `liveness` tells from when to when each result must be there. (The session
# runs its graph by a function of ours, which keeps the graph. The compiled function has it in its
# form.)

# %%
from cgkit.memory import liveness


def kept_between(graph):
    live = liveness(graph, outputs=False).at({"N": 32, "N2": 32})    # sizes left open
    at = live.steps.index(graph.outputs[0].node)        # the step that makes the loss
    return sum(one.nbytes for one in live.lifetimes if one.first <= at < one.last)

ran_graphs = []

def keeping(graph, *arrays):
    ran_graphs.append(graph)
    return run(graph, *arrays)

Session(builder, executor=keeping).run([loss_node, train], feeds[0])
graphs["session"], graphs["compiled"] = set(ran_graphs), {e.graph for e in digit_step.entries}
bytes_kept |= {way: kept_between(*graphs[way]) for way in ("session", "compiled")}
bytes_kept

# %% [markdown]
# The same number three times. **Whoever trains keeps activations, static or not.** What a static
# graph gives is another thing: it is known beforehand how much that will be, and where it can lie.
#
# Now all that can be counted, side by side:

# %%
def operators(graph):
    nodes = topological_order(graph) if isinstance(graph, Node) else graph.nodes
    return sum(bool(node.inputs) for node in nodes)

rows = {
    "": {way: way for way in seen},
    "Python came by": {way: len(looks) for way, looks in seen.items()},
    "graphs built": {way: len(built) for way, built in graphs.items()},
    "operators in a graph": {way: operators(min(built, key=id)) for way, built in graphs.items()},
    "bytes kept for backward": bytes_kept,
    "a debugger sees": {way: looks[0][0] for way, looks in seen.items()},
    "if loss > 0.0": {way: looks[0][1] for way, looks in seen.items()},
}
for name, row in rows.items():
    print(f"{name:24}" + "".join(f"{value!s:>24}" for value in row.values()))

# %% [markdown]
# The eager graph holds the forward part only: its backward is done, not recorded. The other two hold
# forward, backward and the step. They were built once, for all forty steps. In return a
# debugger sees no number in them.
#
# A graph that is known beforehand can be given its buffers beforehand. The compiled step counts the
# operators that it launches in a run (some only mark a place in the graph: they launch nothing), and
# the arrays for which it still asks for new memory:

# %%
ready = digit_step.entries[0].executable
ready.launches, ready.allocated

# %% [markdown]
# Few still ask: results that are given away, and operators that cannot yet write into memory that
# is there. Chapter 4 plans this in earnest.
#
# How long does a step take? That depends on the machine, so these numbers are from the day this
# page was built.

# %% volatile
import platform
import timeit


def per_step(act):
    return min(timeit.repeat(act, number=20, repeat=3)) / 20 * 1000

def eager_step():
    slopes = grad(digit_loss(tensors, x0, y0), list(tensors.values()))
    with no_grad():
        for parameter, slope in zip(tensors.values(), slopes, strict=True):
            parameter.sub_(slope * 0.5)

times = {
    "eager": eager_step,
    "session": lambda: session.run(train, feeds[0]),
    "compiled": lambda: digit_step(start, images[:32], labels[:32]),
}
print(platform.machine(), "ms per step:", {k: round(per_step(f), 2) for k, f in times.items()})

# %% [markdown]
# Do not read too much into them. The graph is run operator by operator in all three; only the
# bookkeeping differs. That a graph *can* be made faster, since it is known as a whole, is the matter
# of chapters 3 to 6.
#
# ## The same facts elsewhere
#
# What happens if a program looks at a tensor's value while a graph is built, goes backward twice,
# or changes a global after compiling? The answers of four frameworks, and ours:
#
# | | TensorFlow 1 | TensorFlow 2 | PyTorch | JAX | cgkit |
# |---|---|---|---|---|---|
# | default | static | dynamic, traced under `tf.function` | dynamic | dynamic, traced under `jit` | both |
# | Python `if` on a tensor | error while the graph is built | works; traced, it becomes `tf.cond` | works; under `compile` the graph breaks in two | works; error under `jit` | works; error on Values |
# | backward twice | gradients are nodes: no matter | error, unless `persistent` | error, unless `retain_graph` | a pure function: no matter | as PyTorch; as TensorFlow 1 on graphs |
# | gradient by an unused input | `None` | `None` | error, or `None` if allowed | zeros | as PyTorch; `None` on graphs |
# | gradient of `maximum` at equals | all to the first | all to the first | half each | half each | half each |
# | gradient of `abs` at 0 | 0 | 0 | 0 | 1 | 0 |
# | second derivative through `while` | `None` | works | works: only steps are recorded | refuses reverse mode altogether | works |
# | a changed global after compiling | the old one stays | the old one stays | traced again | the old one stays | traced again |
#
# These facts were seen on TensorFlow 2.21.0, for TensorFlow 1 in its mode for old programs, on
# PyTorch 2.13.0 and on JAX 0.10.2. JAX's column deserves a second look: **JAX is not a static
# framework.** Without `jit` it computes at once, and a Python `if` under `grad` is fine.
#
# Look at the first row once more. TensorFlow 1 showed no number while a graph was built, and its
# branches and loops had to be written as nodes; so TensorFlow 2 computes at once. PyTorch never saw
# a graph as a whole, so it could not optimize one, nor run it without Python; so `torch.compile`
# traces. **Each has taken from the other what it had to do without.**
#
# Do not believe the table: ask. First ourselves, on four of its rows.

# %%
def first_only(a, b):
    return a * 2.0

def remembers(compiled, one):
    global offset
    offset = 10.0
    before = float(compiled(one))
    offset = 99.0
    return [before, float(compiled(one))]

def answers(slopes, abs_, maximum, compiled, one):
    return {"abs": slopes(abs_, 0.0), "maximum": slopes(maximum, 2.0, 2.0),
            "unused": slopes(first_only, 1.0, 1.0), "global": remembers(compiled, one)}

def our_slopes(function, *numbers):
    at = [Tensor(number, requires_grad=True) for number in numbers]
    found = grad(function(*at), at, allow_unused=True)
    return [None if slope is None else slope.item() for slope in found]

answers(our_slopes, ops.abs, ops.maximum, compile(shifted), Tensor(1.0))

# %% [markdown]
# Now the others, whichever of them are installed where you read this:

# %%
def ask_torch(torch):
    def slopes(function, *numbers):
        at = [torch.tensor(number, requires_grad=True) for number in numbers]
        found = torch.autograd.grad(function(*at), at, allow_unused=True)
        return [None if slope is None else slope.item() for slope in found]

    compiled = torch.compile(shifted, backend="eager")
    return answers(slopes, torch.abs, torch.maximum, compiled, torch.tensor(1.0))

def ask_jax(jax):
    def slopes(function, *numbers):
        found = jax.grad(function, tuple(range(len(numbers))))(*numbers)
        return [slope.item() for slope in found]

    return answers(slopes, jax.numpy.abs, jax.numpy.maximum, jax.jit(shifted), 1.0)

def ask_tensorflow(tf):
    def slopes(function, *numbers):
        at = [tf.Variable(number) for number in numbers]
        with tf.GradientTape() as tape:
            result = function(*at)
        return [None if s is None else float(s) for s in tape.gradient(result, at)]

    return answers(slopes, tf.abs, tf.maximum, tf.function(shifted), tf.constant(1.0))

# %% volatile
import importlib.util

RECORDED = {        # module: how to ask, the version that was asked, and what it said
    "torch": (ask_torch, "2.13.0", [0.0], [0.5, 0.5], [2.0, None], [11.0, 100.0]),
    "jax": (ask_jax, "0.10.2", [1.0], [0.5, 0.5], [2.0, 0.0], [11.0, 11.0]),
    "tensorflow": (ask_tensorflow, "2.21.0", [0.0], [1.0, 0.0], [2.0, None], [11.0, 11.0]),
}
for name, (ask, version, *said) in RECORDED.items():
    if importlib.util.find_spec(name) is None:
        found = dict(zip(("abs", "maximum", "unused", "global"), said, strict=True))
        print(f"{name} {version} is not installed here; it said\n   {found}")
    else:
        module = importlib.import_module(name)
        print(f"{name} {module.__version__}, asked here, says\n   {ask(module)}")

# %% [markdown]
# ## When to use which
#
# | You want to | use | because |
# |---|---|---|
# | try things, look at numbers, stop in the middle | dynamic | every line has a value |
# | let the structure depend on the data | dynamic, or `cond` and `while_loop` | Python decides, or the graph does |
# | run the same thing a million times | static or compiled | built once, looked over as a whole |
# | run where your Python is not | static | a graph is a file |
# | write a pleasant program and run a graph | compiled | traced, with guards |
#
# ## Summary
#
# - **Dynamic**: the graph is recorded while computing, and lives as long as its result.
#   **Static**: it is described first, and run in parts.
# - Backward takes recorded nodes in reverse topological order. Gradients that meet are added; what
#   broadcasting repeated is summed.
# - A session runs the ancestors of what is fetched, down to what is fed. Variables belong to the
#   session; a read sees the value from before the run, unless an arrow says otherwise.
# - Tracing runs Python once and keeps operators only. Guards notice when the trace no longer fits.
# - The three ways compute the same numbers, to the last bit, and keep as much for backward.
#
# ## Check yourself
#
# <details><summary>A graph has 5 nodes in a chain. You fetch the third and feed the second. Which
# run?</summary>
#
# Only the third. The second is given, the first is needed by nobody, and the others are no
# ancestors.
# </details>
#
# <details><summary>y has shape (3, 1), z has shape (4,). Which shapes have the gradients of
# (y + z).sum() by y and by z, and which axes are summed?</summary>
#
# (3, 1) and (4,). The sum sends back (3, 4). For y axis 1 is summed and kept, for z axis 0.
# </details>
#
# <details><summary>A traced function prints the shape of its argument. How often, in a hundred
# calls of the compiled function with the same types?</summary>
#
# Once: while it is traced.
# </details>
#
# <details><summary>x + x twice backward without retain_graph: an error or not?</summary>
#
# None. An addition keeps nothing, so nothing was freed. The gradient is there twice.
# </details>
#
# <details><summary>A compiled function was called with sizes 8, 16 and 1. How many forms?</summary>
#
# Three: one for 8, one with an open size for 16, one for 1.
# </details>

# %% [markdown]
# ## Where real frameworks do it
#
# | Idea | PyTorch | TensorFlow | JAX | ONNX |
# |---|---|---|---|---|
# | define by run | `torch.autograd` | `tf.GradientTape` | `jax.vjp` | |
# | placeholder, feed | | `tf.compat.v1.placeholder`, `feed_dict` | arguments | `graph.input` |
# | variable | `torch.nn.Parameter` | `tf.Variable` | a leaf of a tree of parameters | initializer |
# | fetch, prune | | `tf.compat.v1.Session.run` | `jax.jit` drops what is unused | outputs of the graph |
# | control dependency | | `tf.control_dependencies` | ordered effects | |
# | branch, loop | `torch.cond`, `torch.while_loop` | `tf.cond`, `tf.while_loop` | `jax.lax.cond`, `while_loop`, `scan` | `If`, `Loop`, `Scan` |
# | trace | `torch.fx`, `torch.jit.trace` | `tf.function` | `jax.make_jaxpr` | exporters |
# | guards | `torch._dynamo.guards` | `tf.function` by signature | the cache of `jax.jit` | |
# | nested parameters | `torch.utils._pytree` | `tf.nest` | `jax.tree_util` | |
#
# ## Words
#
# | English | 中文 | In one line |
# |---|---|---|
# | define by run | 动态定义 | the graph is what was computed |
# | placeholder | 占位符 | a tensor that is given when the graph runs |
# | feed, fetch | 喂入, 取回 | what is given, what is wanted |
# | variable | 变量 | a tensor that keeps its value from run to run |
# | session | 会话 | runs parts of a graph and keeps its variables |
# | prune | 剪枝 | leave out what the fetches do not need |
# | control dependency | 控制依赖 | an arrow of order, without numbers |
# | trace | 追踪 | run once on values without numbers |
# | guard | 守卫 | a condition under which a trace is right |
# | recompile | 重新编译 | trace again, because a guard failed |
# | un-broadcast | 逆广播 | sum a gradient to the shape of its tensor |
# | accumulate | 累加 | add the gradients of several readers |
#
# ## Your turn
#
# Assignment 2 has two notebooks. In `02a` you build backward for recorded graphs. In `02b` you
# build a session and a tracer. They lie in `assignments/02_static_dynamic/`.
