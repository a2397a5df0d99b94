# %% [markdown]
# # 1 · What a computational graph is
#
# Every deep-learning framework turns your program into a graph before it does anything clever
# with it. In this chapter you see such graphs, take them apart, run them, and go backward
# through one by hand.
#
# | By the end you can | You show it in assignment 1 |
# |---|---|
# | say what a computational graph is and why frameworks build one | task 18, in words |
# | name its parts: operators and tensors, inputs and outputs | tasks 13 and 14, drawings |
# | evaluate a graph in a right order | tasks 1 to 3 |
# | tell the shape of every tensor before anything is computed | tasks 4 to 7 |
# | count the parameters and the operations of a network | tasks 8 and 9 |
# | go forward and backward through a graph by hand | tasks 10 to 12 |
# | find the fault in somebody else's graph or code | tasks 15 to 17 |
#
# **You need** Python, a little NumPy, and the chain rule. About two hours, then the assignment.

# %%
import numpy as np

from cgkit import GraphBuilder, Tensor, TensorType, draw, ops, run

# %% [markdown]
# ## A formula is a graph
#
# Take a formula you could compute in your head:
#
# $$z = (x + y) \cdot 2$$
#
# Before you compute it, look at its shape. What has to be known before what?

# %%
builder = GraphBuilder()
x = builder.placeholder((), name="x")
y = builder.placeholder((), name="y")
z = (x + y) * 2
draw(z)

# %% [markdown]
# That is a **computational graph**. It has two kinds of parts, and only two:
#
# - **Nodes are operators.** `+` and `×` compute something. Inputs and constants are nodes too:
#   operators that read nothing.
# - **Edges are tensors.** An arrow carries a result to whoever reads it.
#   The words beside it are its shape; `scalar` is a single number. The last arrow leads out:
#   it carries what the graph gives back.
#
# Nothing has been computed. `x` and `y` have no value yet, and `z` is only a promise.

# %%
z

# %% [markdown]
# Now give the promise its inputs. A graph is a thing you can print, and a thing you can run.

# %%
graph = builder.graph([z])
print(graph)

# %% [markdown]
# Read a line as "this name is this operator of these operands". On the right stands what is
# known of the result: its type and shape. Now run it with $x = 3$ and $y = 4$.

# %%
run(graph, 3.0, 4.0)

# %% [markdown]
# The result stands in a tuple, because a graph may have more than one output.
#
# ### Two ways to draw the same graph
#
# Some books draw the tensors as boxes of their own, between the operators. It is the same graph.
# This course draws operators as nodes and tensors as arrows, and says so once: here.

# %%
draw(graph, show_data=True, direction="right")

# %% [markdown]
# ## Why anyone would want a graph
#
# You could have typed `(3 + 4) * 2`. Why build a picture of it first?
# There are four reasons, and each will get chapters of its own.
#
# ### 1. One form for everything
#
# A matrix product, a convolution, a choice between two values, a loop that is run three times:
# they all become nodes and arrows. Whatever works on graphs works on all of them.
#
# You need not build each node yourself. `trace` runs a Python function once, not on numbers but on
# inputs of which it knows only the type and shape, and keeps the graph that comes of it.

# %%
from cgkit import trace


def program(a, w):
    h = a @ w
    for _ in range(3):
        h = h + ops.where(h > 0, h, 0.0)
    return h

program_graph = trace(program, TensorType((2, 3), "float32"), TensorType((3, 3), "float32")).graph
draw(program_graph)

# %% [markdown]
# Look for the loop. It is gone: Python ran it while the graph was built, and left three copies
# of its body behind. The choice `where` is still there, as a node. Chapter 6 keeps loops whole.
#
# ### 2. A machine can differentiate it
#
# Each operator knows its own derivative. The chain rule needs nothing more than the graph to put
# them together. You ask for a gradient, and the graph **grows**.

# %%
from cgkit import gradients

square = GraphBuilder()
t = square.placeholder((), name="t")
y_t = (t * t + t).named("y")
(slope,) = gradients(y_t, [t])
draw(square.graph([y_t, slope.named("slope")]))

# %% [markdown]
# On the left is the formula $t^2 + t$, on the right what `gradients` added for its derivative.
# Run the new part at 3:

# %%
run(square.graph([slope]), 3.0)

# %% [markdown]
# The derivative of $t^2 + t$ is $2t + 1$, and that is 7 at 3. Nobody told the graph this formula.
#
# ### 3. It can be improved before it runs
#
# Here is a wasteful formula. Which work is done twice?

# %%
wasteful = GraphBuilder()
p = wasteful.placeholder((1000,), name="p")
q = wasteful.placeholder((1000,), name="q")
twice = ops.exp(p * q) + ops.exp(p * q)
print(wasteful.graph([twice]))

# %% [markdown]
# A reader of the *program* has to know Python to see it. A reader of the *graph* compares lines.
# Two nodes with the same operator and the same inputs give the same tensor:

# %%
seen = {}
for node in wasteful.graph([twice]).operators:
    key = (node.operator.name, tuple(edge.key for edge in node.inputs))
    seen.setdefault(key, []).append(node.operator.name)
[names for names in seen.values() if len(names) > 1]

# %% [markdown]
# The two products are one. Once they are merged, the two exponentials are one as well:
# a second look would find them. Chapter 4 does this, and more, without changing a single result.
#
# ### 4. It can be split
#
# Two nodes with no path between them do not wait for each other. They may run at the same time,
# or on two devices. In which *step* could each node run, if every step ran all that is ready?
# Inputs are there from the beginning: step 0. (`graph.nodes` lists each node after what it reads.)

# %%
def steps(graph):
    step = {}
    for node in graph.nodes:
        step[node] = 1 + max((step[p] for p in node.producers), default=-1)
    return step

def two_branches(x, a, b):
    return ops.relu(x @ a) + ops.tanh(x @ b)

matrix = TensorType((3, 3), "float32")
branches = trace(two_branches, matrix, matrix, matrix).graph
when = steps(branches)
draw(branches, marked={node: f"step {step}" for node, step in when.items() if step})

# %% [markdown]
# Nodes with the same number can share a step: the two products, then `relu` and `tanh`. Five
# operators in three steps. Chapter 3 makes schedules out of this observation.
#
# ## Running a graph
#
# How do you compute a graph? The first idea most people have is to ask the last node, and let
# each node ask its inputs. It takes four lines. The list `asked` notes who was asked.

# %%
def value_of(node, asked):
    asked.append(node)
    operands = [value_of(edge.node, asked) for edge in node.inputs]
    return node.value if node.value is not None else node.operator.compute(*operands)

# %% [markdown]
# Try it on a graph that doubles a number again and again: `b = b + b`.

# %%
def doubling(n):
    b = GraphBuilder().constant(1.0, name="one")
    for _ in range(n):
        b = b + b
    return b

draw(doubling(3), direction="right")

# %% [markdown]
# Three doublings of 1 make 8. Ask the last node, and count the questions.

# %%
asked = []
value_of(doubling(3).node, asked), len(asked)

# %% [markdown]
# The answer 8 is right. But the graph has four nodes, and fifteen were asked.
# Every `+` asks its input **twice**, once for each arrow. How many questions for twenty doublings?
# Guess before you run the next cell.

# %%
def questions(n):
    asked = []
    value_of(doubling(n).node, asked)
    return len(asked)

[questions(n) for n in (1, 2, 3, 10, 20)]

# %% [markdown]
# It doubles with every node: $2^{n+1} - 1$. Twenty doublings take two million questions. And a
# hundred? A number of 31 digits:

# %%
2**101 - 1

# %% [markdown]
# There is a second trouble. Here is a long chain in which nothing is shared:

# %%
def chain(n):
    c = GraphBuilder().constant(0.0)
    for _ in range(n):
        c = c + 1.0
    return c

try:
    value_of(chain(5000).node, [])
except RecursionError as error:
    print("RecursionError:", str(error).split(" while")[0])

# %% [markdown]
# A faster machine helps with neither. The cure is to **stop asking and start waiting**.
# Put the nodes in an order in which each stands after everything it reads. Then compute them one
# by one and remember each result.

# %%
from cgkit import topological_order


def evaluate(last):
    value = {}
    for node in topological_order(last):
        operands = [value[edge.node] for edge in node.inputs]
        value[node] = node.value if node.value is not None else node.operator.compute(*operands)
    return value[last], len(value)

evaluate(doubling(20).node), evaluate(chain(5000).node)

# %% [markdown]
# Twenty doublings are 1,048,576, from twenty-one computed nodes. The long chain works too: 5,000
# additions, and 5,001 constants for them to read.
#
# **Each node runs once, after all that it reads.** An order with that property is called a
# *topological order*. It is the most used idea in this course, and chapter 3 is about it.
#
# Here is the order at work on the first graph. Read the numbers: each node comes after its inputs.

# %%
order = topological_order(z.node)
draw(z, marked={node: f"{i + 1}." for i, node in enumerate(order)}, direction="right")

# %% [markdown]
# Is it the only right order? Find another one. Where could the constant 2 stand instead?
#
# ## Tensors
#
# The arrows carry **tensors**: boxes of numbers, all of one type, in rows along axes.
# The number of axes is the **rank**. A single number has none.

# %%
examples = {
    "a single number": 3.5,
    "a vector": [1.0, 2.0, 3.0],
    "a matrix": [[1, 2, 3], [4, 5, 6]],
    "a small batch of color images": np.zeros((8, 3, 32, 32), "float32"),
}
for what, data in examples.items():
    tensor = Tensor(data)
    print(f"{what:30} rank {tensor.ndim}   shape {tensor.shape}   {tensor.dtype}")

# %% [markdown]
# Four facts about a tensor are known **before** its numbers:
#
# - its **shape**, a size for each axis;
# - its **dtype**, the type of each number: `float32`, `int64`, `bool`, ...;
# - its **device**, where the numbers lie: the main processor `cpu`, a graphics card `cuda`, or a
#   neural processor `npu`. In this chapter all is on the `cpu`;
# - whether it is a **leaf** or an intermediate result: made by you, or computed from others.
#
# `requires_grad=True` says: I shall want to know how a result changes with this tensor.

# %%
w = Tensor([1.0, 2.0], requires_grad=True)
v = w * 3.0
[(w.device, w.is_leaf), (v.device, v.is_leaf)]

# %% [markdown]
# `w` is a leaf, `v` is not. Without `requires_grad` no record is kept, and every tensor counts as a
# leaf, in PyTorch as here. Chapter 7 returns to this.
#
# ### Pictures are tensors too, in two layouts
#
# A color picture has a height, a width and three channels. Image libraries and TensorFlow put
# the channels last (**HWC**), PyTorch puts them first (**CHW**). A batch has one more axis in
# front: **NHWC** or **NCHW**. The numbers are the same; only their axes have other places.

# %%
hwc = np.arange(2 * 2 * 3).reshape(2, 2, 3)
chw = ops.transpose(hwc, axes=(2, 0, 1))
hwc.shape, chw.shape, np.shares_memory(hwc, chw)

# %% [markdown]
# The last word, `True`, says that nothing was copied: a transpose only reads in another order.
# That will matter when we count what a program costs.
#
# ### Sizes that are not known yet
#
# How many pictures will be in a batch? When you build the graph you may not know. Leave it open:

# %%
images = GraphBuilder().placeholder((None, 784), "float32", name="images")
images.shape, (images + 1.0).shape, images.reshape(-1, 28, 28).shape

# %% [markdown]
# `N` is a size with a name. Rules for shapes calculate with it as you would with a letter.
#
# ## Operators come in families
#
# There are many operators, but only a few kinds. The colors and outlines in our pictures are
# these families.
#
# | Family | What it does | Examples |
# |---|---|---|
# | elementwise | element $i$ of the result needs element $i$ of each operand | `+`, `×`, `exp`, `log` |
# | activation | elementwise too, but with a job: it bends | `relu`, `sigmoid`, `tanh` |
# | matrix | sums of products | `matmul`, `conv2d` |
# | reduction | folds whole axes into one element | `sum`, `mean`, `max` |
# | shape | moves elements, computes none | `reshape`, `transpose` |
# | indexing | takes a part | `x[0]`, `x[1:3]` |

# %%
def families(image, kernel, weights):
    features = ops.relu(ops.conv2d(image, kernel, stride=2))
    rows = features.reshape(1, -1)
    scores = rows @ weights
    return (scores * 2.0)[0].max()

types = [TensorType(s, "float32") for s in ((1, 1, 9, 9), (4, 1, 3, 3), (64, 10))]
draw(trace(families, *types).graph)

# %% [markdown]
# Follow the shapes down the arrows. Each one was inferred while the graph was built, with no
# number in sight. Every family has its rule.
#
# ### Elementwise: broadcasting
#
# Line the shapes up **from the right**. Two sizes of one axis fit when they are equal, or when
# one of them is 1. A missing axis counts as 1.

# %%
builder = GraphBuilder()
table = builder.placeholder((3, 4), name="table")
column = builder.placeholder((3, 1), name="column")
row = builder.placeholder((4,), name="row")
(table + row).shape, (column + row).shape

# %% [markdown]
# And when they do not fit? Then the graph refuses, before anything runs:

# %%
from cgkit import ShapeError

three = builder.placeholder((3,), name="three")
try:
    table + three
except ShapeError as error:
    print(error)

# %% [markdown]
# (3, 4) and (3,) look alike from the left. From the right, 4 stands over 3.
#
# ### Matrix: the inner sizes meet and vanish
#
# $(n, k)$ times $(k, m)$ gives $(n, m)$. A convolution slides a window over a picture: along each
# axis there is room for $\lfloor (\text{size} + 2\,\text{padding} - \text{window}) /
# \text{stride} \rfloor + 1$ places.

# %%
picture = builder.placeholder((1, 3, 32, 32), name="picture")
window = builder.placeholder((16, 3, 5, 5), name="window")
sizes = [{}, {"padding": 2}, {"padding": 2, "stride": 2}]
[ops.conv2d(picture, window, **settings).shape for settings in sizes]

# %% [markdown]
# Check the last one by hand: $(32 + 4 - 5) / 2$ is 15.5, rounded down 15, plus 1 is 16.
#
# ### Reduction and shape
#
# A reduction drops the axes it folds, or keeps them with size 1 if you ask. A reshape keeps the
# *number* of elements; one size may be left to be worked out, written -1.

# %%
[table.sum(axis=0).shape, table.sum(axis=1, keepdims=True).shape, table.reshape(2, -1).shape]

# %% [markdown]
# ## A network is a graph
#
# Here is a network that reads a picture of 28 × 28 = 784 points and gives a score for each of ten
# digits. Two layers, each a matrix product and a bias, with a `relu` between them.
#
# Many drawings of such networks leave the **biases** out. Count the yellow drums: there are four.

# %%
net = GraphBuilder()

def layer(name, x, inputs, outputs):
    with net.scope(name):
        w = net.variable(np.zeros((inputs, outputs), "float32"), name="W")
        b = net.variable(np.zeros(outputs, "float32"), name="b")
        return x @ w + b

pixels = net.placeholder((32, 784), "float32", name="pixels")
hidden = ops.relu(layer("layer 1", pixels, 784, 256)).named("hidden")
scores = layer("layer 2", hidden, 256, 10).named("scores")
draw(scores)

# %% [markdown]
# The yellow drums are **variables**: the numbers that training will change. The first matrix is
# stored as (inputs, outputs), so that the layer is `x @ W + b`. PyTorch's `Linear` stores it the
# other way around and multiplies by the transpose.
#
# ### What will it cost?
#
# Two questions can be answered before a single picture is shown to it. How many **parameters**
# must be learned? That is the number of elements of all variables:

# %%
784 * 256 + 256 + 256 * 10 + 10

# %% [markdown]
# And how many **operations** does one run take? Each element of a matrix product is a sum of $k$
# products: $k$ multiplications and $k$ additions. So $(n, k)$ times $(k, m)$ costs $2nkm$
# floating-point operations, FLOPs for short. For a batch of 32:

# %%
2 * 32 * 784 * 256 + 2 * 32 * 256 * 10

# %% [markdown]
# The graph can count by itself. It counts one FLOP for each element of an elementwise operator
# too, so its number is a little larger.

# %%
from cgkit import cost, flops

network = net.graph([scores])
total = cost(network)
elementwise = 32 * 256 + 32 * 256 + 32 * 10
total.parameters, total.flops, total.flops - elementwise

# %% [markdown]
# Who does most of the work? One node stands out.

# %%
{node.name or node.operator.name + " → " + str(node.results[0]): flops(node)
 for node in network.operators}

# %% [markdown]
# How large is the part of the first matrix product?

# %%
works = [flops(node) for node in network.operators]
f"{max(works) / sum(works):.1%}"

# %% [markdown]
# Whoever makes it faster makes the network faster. Whoever saves a FLOP in the `relu` saves next
# to nothing. Count before you improve. (FLOPs are not yet time: chapter 5 also counts the trips
# to memory.)

# %% [markdown]
# ## Backward
#
# Now the reason why most graphs are built: to find out **how the result changes when an input
# changes a little**. Take this formula, at $x = 2$ and $y = 5$:
#
# $$z = x \cdot y + \log x$$
#
# ### First forward
#
# Each node writes its value on the arrow that leaves it.

# %%
formula = GraphBuilder()
x = formula.placeholder((), name="x")
y = formula.placeholder((), name="y")
product = (x * y).named("p")
logarithm = ops.log(x).named("l")
z = (product + logarithm).named("z")

# %% [markdown]
# Run the graph and watch: `observe` is called for each node when its value is there. Then draw
# the numbers on the arrows.

# %%
from cgkit.render import STANDARD, label_edges

values = {}
run(formula.graph([z]), 2.0, 5.0,
    observe=lambda node, results: values.update({node: f"{results[0]:.4g}"}))
draw(z, layers=[*STANDARD, label_edges(values)], caption="forward: values")

# %% [markdown]
# ### Then backward
#
# We want $\partial z / \partial x$: the change of $z$ for a small change of $x$.
# Start at the end. If $z$ itself changes by a little, $z$ changes by just that: its gradient is 1.
#
# Now each node in turn is told the gradient of its **result**, and passes to each **operand** that
# gradient times its own slope:
#
# | Node | Slope for its operands | Here |
# |---|---|---|
# | $z = p + l$ | 1 and 1 | $p$ gets 1, $l$ gets 1 |
# | $l = \log x$ | $1 / x$ | $x$ gets 1 · 1/2 = 0.5 |
# | $p = x \cdot y$ | $y$ and $x$ | $x$ gets 1 · 5 = 5, $y$ gets 1 · 2 = 2 |
#
# Two gradients arrive at `x`. What should it do with them? Here is one idea: keep the last.

# %%
def backward_keeping_the_last():
    gradient = {"z": 1.0}
    gradient["p"] = gradient["z"] * 1.0
    gradient["l"] = gradient["z"] * 1.0
    gradient["x"] = gradient["p"] * 5.0     # through the product
    gradient["y"] = gradient["p"] * 2.0
    gradient["x"] = gradient["l"] / 2.0     # through the logarithm: replaces what was there
    return gradient

backward_keeping_the_last()["x"]

# %% [markdown]
# Is 0.5 right? Do not believe it: change `x` a little and look.

# %%
def f(x, y):
    return x * y + np.log(x)

step = 1e-6
(f(2 + step, 5) - f(2 - step, 5)) / (2 * step)

# %% [markdown]
# It should be 5.5, which is 5 **plus** 0.5. A change of `x` reaches `z` on two paths, and both
# count. **Gradients that arrive at one tensor are added.** Forgetting it is an easy mistake, and
# in the assignment you will catch others making it.
#
# Now by machine. Ask for the gradient of every tensor in the graph:

# %%
tensors = [z, product, logarithm, x, y]
found = run(formula.graph(gradients(z, tensors)), 2.0, 5.0)
slopes = {tensor.node: float(g) for tensor, g in zip(tensors, found, strict=True)}
slopes

# %% [markdown]
# $\partial z / \partial x = 5.5$ and $\partial z / \partial y = 2$. In which order did they
# appear? Here are three moments of the way back, from left to right.

# %%
from cgkit.render import strip

backward_order = topological_order(z.node)[::-1]

def moment(finished):
    known = {node: f"gradient {slopes[node]:g}" for node in backward_order[:finished]}
    return draw(z, marked=known, legend=False)

strip([moment(n) for n in (1, 3, 5)], ["1. the end", "2. what z reads", "3. the inputs"])

# %% [markdown]
# `x` was among the **last** to be finished: it had to wait until both of its readers had spoken.
# Going forward, a node waits for all it reads. Going backward, it waits for all who read it.
# It is the same order, in reverse.
#
# ### The graph that differentiates
#
# What did `gradients` do? It added nodes. Here is the whole graph, forward and backward:

# %%
draw(formula.graph([z, *gradients(z, [x, y])]))

# %% [markdown]
# There is nothing special about the new nodes. They can be run, drawn, improved, and
# differentiated once more.
#
# ## The other way to build a graph
#
# So far we described first and computed later: a **static** graph. You can also compute right
# away and let each result remember how it came to be: a **dynamic** graph. The same formula:

# %%
x = Tensor(2.0, requires_grad=True).named("x")
y = Tensor(5.0, requires_grad=True).named("y")
z = x * y + ops.log(x)
z.backward()
z.item(), x.grad.item(), y.grad.item()

# %% [markdown]
# `z` had its value at once, and it still knows its graph:

# %%
draw(z, direction="right")

# %% [markdown]
# PyTorch works like this. TensorFlow 1 worked the other way. Which is better, and can one have
# both? That is chapter 2.
#
# ## Summary
#
# - A computational graph has **operators as nodes** and **tensors as edges**.
# - Frameworks build graphs because one form serves everything: running, differentiating,
#   improving, splitting.
# - To run a graph, take the nodes in a **topological order**. Each runs once, after all it reads.
# - Shapes, dtypes, parameters and FLOPs are known before any number is.
# - Going backward, a tensor waits for all its readers, and gradients that meet are **added**.
#
# ## Check yourself
#
# <details><summary>After an input come 30 nodes, and each reads the one before it twice. How many
# visits does recursion make? How many does a topological order?</summary>
#
# With $n$ such nodes, recursion makes $2^{n+1} - 1$ visits: more than two billion for 30.
# The order visits each node once: 31.
# </details>
#
# <details><summary>Can (8, 1, 5) and (3, 1) be added? With which shape?</summary>
#
# Yes. From the right: 5 over 1 gives 5, 1 over 3 gives 3, 8 over nothing gives 8: (8, 3, 5).
# </details>
#
# <details><summary>A layer of 256 inputs and 10 outputs runs on a batch of 1 and on a batch of
# 32. What changes: its parameters, its FLOPs, or both?</summary>
#
# Only the FLOPs, by a factor of 32. The parameters are the weights and biases: 2,570 for any
# batch.
# </details>
#
# <details><summary>y = x · x. Which gradients arrive at x, and what is dy/dx at 3?</summary>
#
# One for each arrow: 3 and 3. Added, 6.
# </details>
#
# <details><summary>Why does x in z = x·y + log x get its gradient last?</summary>
#
# It has two readers, the product and the logarithm, and must hear both.
# </details>

# %% [markdown]
# ## Where real frameworks do it
#
# | Idea | PyTorch | TensorFlow | JAX | ONNX |
# |---|---|---|---|---|
# | a graph | `torch.fx.Graph` | `tf.Graph` | `jax.extend.core.Jaxpr` | `onnx.GraphProto` |
# | a node | `torch.fx.Node`, `Tensor.grad_fn` | `tf.Operation` | `jax.extend.core.JaxprEqn` | `onnx.NodeProto` |
# | an edge | an argument of a `Node` | `tf.Tensor` | `jax.extend.core.Var` | the name of a value |
# | build by running | `torch.fx.symbolic_trace` | `tf.function` | `jax.make_jaxpr` | exporters |
# | shapes first | meta tensors, `FakeTensor` | shape functions | `jax.eval_shape` | `onnx.shape_inference` |
# | backward | `torch.autograd` | `tf.GradientTape` | `jax.grad` | |
#
# ## Words
#
# | English | 中文 | In one line |
# |---|---|---|
# | computational graph | 计算图 | operators joined by the tensors they pass on |
# | node, operator | 节点, 算子 | computes something |
# | edge, tensor | 边, 张量 | carries numbers of one shape and dtype |
# | shape, dtype, rank | 形状, 数据类型, 阶 | what is known before the numbers |
# | operand | 操作数 | what an operator reads |
# | parameter | 参数 | a number that training changes |
# | activation, reduction | 激活函数, 归约 | bends each element; folds an axis |
# | FLOP | 浮点运算 | one floating-point addition or multiplication |
# | leaf | 叶子节点 | made by you, not computed |
# | broadcasting | 广播 | stretching axes of size 1 |
# | topological order | 拓扑序 | each node after all it reads |
# | forward, backward | 前向传播, 反向传播 | values down, gradients up |
# | gradient | 梯度 | how the result changes with a tensor |
# | static, dynamic | 静态图, 动态图 | described first, or recorded while computing |
#
# ## Your turn
#
# Open `assignments/01_graphs/01_graphs.ipynb`. You will build the evaluator, the shape rules and
# the pictures of this chapter yourself, and find a fault in somebody else's graph.
