"""Control flow inside a graph: branches and loops as operators that hold graphs.

    cond(pred, then, otherwise, *xs)      one of two branches
    switch(index, branches, *xs)          one of several
    while_loop(test, body, init)          as long as a test holds
    while_scan(test, body, init)          the same, and keep what each step gives
    scan(body, init, xs)                  once for each slice of xs
    fori(low, high, body, init)           once for each whole number

On Tensors they are ordinary Python, step by step. On Values a function is run once, on Values of
its own, and becomes a Graph that one node holds; what it uses from around it becomes an operand of
that node. So a graph stays without cycles, the plain interpreter runs it, and each of these
operators has a gradient that is made of these operators: to any order.

    bodies, agreement, pulls, samples  <  inner  <  branches, steps  <  scanning, trips  <  looping
"""

from cgkit.control.branches import COND, SWITCH, cond, switch
from cgkit.control.looping import fori, while_loop, while_scan
from cgkit.control.scanning import scan
from cgkit.control.steps import SCAN
from cgkit.control.trips import STEPS, WHILE
from cgkit.node import Operator

OPERATORS: tuple[Operator, ...] = (COND, SWITCH, SCAN, WHILE, STEPS)
"""Those that hold graphs among their params."""

__all__ = ["OPERATORS", "cond", "fori", "scan", "switch", "while_loop", "while_scan"]
