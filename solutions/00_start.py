# %% [markdown] readonly id=title
# # Assignment 0 · Start
#
# Half an hour. At its end you know that everything works here, you have met NumPy again, and you
# have read the message of a check that fails.
#
# **How to work.** Write your code where it says `YOUR CODE HERE`, and take away the line
# `raise NotImplementedError()`. Run a cell with *Shift + Enter*. The cell below yours is a
# *check*: it tells you whether your answer is right, and if not, why.

# %% [markdown] readonly id=tasks
# | Task | What | Checked by | Minutes | Level | Returns in |
# |---|---|---|--:|---|---|
# | 1 | is everything there? | `test_doctor` | 2 | ★ | everywhere |
# | 2 | broadcasting: a table without a loop | `test_times_table` | 5 | ★ | 1, 2 |
# | 3 | axes: center each column | `test_center` | 5 | ★ | 1, 5 |
# | 4 | strides: steps in memory | `test_strides` | 5 | ★★ | 4 |
# | 5 | a failing check, read and mended | `test_scale` | 8 | ★★ | everywhere |
# | 6 | a first drawing | `test_first_drawing` | 5 | ★ | 1 |
# | | all of it | `test_everything` | | | |
#
# Only the last check gives points: **100 if all tasks are right, 0 otherwise.**

# %% readonly id=setup
import graphviz
import numpy as np

from cgkit import render
from cgkit.checks import start as check

shown = render.install()    # pictures appear without any program installed

# %% [markdown] readonly id=task1
# ## 1 · Is everything there?
#
# There is nothing to write here. Run the cell. It looks at Python, the packages and the drawing of
# graphs on your machine. If something is missing, the message says what to do.

# %% test points=0 id=test_doctor
check.doctor()

# %% [markdown] readonly id=task2
# ## 2 · Broadcasting
#
# A column has shape (3, 1) and a row has shape (4,). What happens when they meet?

# %% readonly id=columns
column = np.array([[10], [20], [30]])
row = np.array([1, 2, 3, 4])
column + row

# %% [markdown] readonly id=task2_more
# Each number of the column met each number of the row: three rows, four columns, and no loop.
#
# Write `times_table(n)`: the table in which row $i$ and column $j$ hold $i \cdot j$, counted from
# 1. It holds whole numbers, as `np.arange` gives them, and needs no loop.

# %% solution id=times_table
def times_table(n):
    ### BEGIN SOLUTION
    numbers = np.arange(1, n + 1)
    return numbers[:, None] * numbers
    ### END SOLUTION

# %%
times_table(5)

# %% test points=0 id=test_times_table
check.times_table(times_table)

# %% [markdown] readonly id=task3
# ## 3 · Axes
#
# Axis 0 runs down, axis 1 runs to the right. A reduction over an axis makes it *go away*.

# %% readonly id=axes
a = np.array([[1.0, 2.0, 3.0],
              [5.0, 6.0, 10.0]])
a.sum(axis=0), a.sum(axis=1)

# %% [markdown] readonly id=task3_more
# Write `center(a)`: from each **column**, its own mean is taken away. Afterwards each column has
# mean 0.

# %% solution id=center
def center(a):
    ### BEGIN SOLUTION
    return a - a.mean(axis=0)
    ### END SOLUTION

# %%
center(a)

# %% test points=0 id=test_center
check.center(center)

# %% [markdown] readonly id=task4
# ## 4 · Strides
#
# In memory an array is one long row of numbers. The *strides* say how many bytes to step for the
# next number along each axis. Here each number takes 8 bytes:

# %% readonly id=memory
numbers = np.arange(10.0).reshape(2, 5)
numbers.strides

# %% [markdown] readonly id=task4_more
# One step to the right is 8 bytes. One step down passes a row of five numbers: 40 bytes.
#
# Let `a` be an array of shape (3, 4) with numbers of 8 bytes, row after row. What are the strides of
# `a`, of its transpose `a.T`, of every other column `a[:, ::2]`, and of `a[::-1]`, the rows
# backward? Think first. None of the four copies a single number.

# %% solution id=strides
strides = None    # a dict: {"a": (..., ...), "a.T": ..., "a[:, ::2]": ..., "a[::-1]": ...}
### BEGIN SOLUTION
strides = {"a": (32, 8), "a.T": (8, 32), "a[:, ::2]": (32, 16), "a[::-1]": (-32, 8)}
### END SOLUTION

# %% test points=0 id=test_strides
check.strides(strides)

# %% [markdown] readonly id=task5
# ## 5 · A check that fails
#
# Somebody wrote `scale(a)`: each **row** of `a` is divided by its sum, so that it sums to 1.
# It works for the first array that they tried.

# %% readonly id=scale_first
def scale_first_try(a):
    return a / a.sum(axis=1)

scale_first_try(np.array([[2.0, 2.0],
                          [1.0, 3.0]]))

# %% [markdown] readonly id=task5_more
# The check does not agree. Here is what it says. Read it line by line.

# %% readonly id=scale_look
check.look(check.scale, scale_first_try)

# %% [markdown] readonly id=task5_last
# - `called`: what the check did. You can do the same, in a cell of your own.
# - `got` and `expected`: what came back, and what should have.
# - `why`: the reason, in a sentence.
# - `looks like`: many mistakes are old friends. If yours is one, here is its name.
# - `hint`: a question. There are more: open a terminal in JupyterLab (*File, New, Terminal*) and
#   type `cgkit hint 00 scale 2`.
#
# Now mend it.

# %% solution id=scale
def scale(a):
    ### BEGIN SOLUTION
    return a / a.sum(axis=1, keepdims=True)
    ### END SOLUTION

# %% test points=0 id=test_scale
check.scale(scale)

# %% [markdown] readonly id=task6
# ## 6 · A first drawing
#
# A drawing with `graphviz` is a list of nodes and a list of arrows. This is $z = -x$:

# %% readonly id=negate
example = graphviz.Digraph()
example.node("x")
example.node("n", label="negate")
example.edge("x", "n")
example

# %% [markdown] readonly id=task6_more
# Draw $z = x + y$ in the same way: one node for each input, one for the operator, and an arrow from
# each value to whoever reads it.

# %% solution id=first_drawing
first_drawing = None    # a graphviz.Digraph()
### BEGIN SOLUTION
first_drawing = graphviz.Digraph()
first_drawing.node("x")
first_drawing.node("y")
first_drawing.node("z", label="add")
first_drawing.edge("x", "z")
first_drawing.edge("y", "z")
### END SOLUTION
first_drawing

# %% test points=0 id=test_first_drawing
check.first_drawing(first_drawing)

# %% [markdown] readonly id=all
# ## All of it

# %% test points=100 id=test_everything
check.everything(times_table, center, strides, scale, first_drawing)
### BEGIN HIDDEN TESTS
check.everything(times_table, center, strides, scale, first_drawing, seed=577)
### END HIDDEN TESTS
