"""A small framework of computational graphs, to read, run and rebuild.

    Tensor        computes at once and remembers how        (dynamic graphs)
    GraphBuilder  describes first, computes later           (static graphs)
    Session       runs parts of such a graph, and keeps the values of its variables
    cond, scan    branches and loops, for both
    ops           the operators, for both
    nn            layers with numbers that are learned, of the operators
    optimizers    how those numbers follow their gradients
    data          images to learn from;  training  learns;  saved  keeps what was learned
    draw          a picture of either
    testing       gradients and operators, checked

>>> from cgkit import Tensor
>>> x = Tensor(3.0, requires_grad=True)
>>> (x * x + x).backward()
>>> x.grad
Tensor(7.)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from cgkit import operators as ops
from cgkit.cost import Cost, cost, flops
from cgkit.errors import (
    CgkitError,
    CycleError,
    DtypeError,
    GradientError,
    GraphError,
    ShapeError,
)
from cgkit.gradient import grad
from cgkit.graph import Graph, recorded
from cgkit.interpret import run
from cgkit.node import Edge, Kind, Node, Operator
from cgkit.order import find_cycle, rewrite, topological_order, verify
from cgkit.symbolic import GraphBuilder, Trace, Value, gradients, trace
from cgkit.tensor import Generator, Tensor, enable_grad, no_grad, set_grad
from cgkit.types import Dim, TensorType

if TYPE_CHECKING:
    from cgkit import data as data
    from cgkit import nn as nn
    from cgkit import optimizers as optimizers
    from cgkit import saved as saved
    from cgkit import testing as testing
    from cgkit import training as training
    from cgkit.compiler import compile
    from cgkit.control import cond, fori, scan, switch, while_loop
    from cgkit.render import draw, draw_text, save
    from cgkit.session import Session
    from cgkit.static import minimize

__version__ = "0.1.0"

__all__ = [
    "CgkitError", "Cost", "CycleError", "Dim", "DtypeError", "Edge", "Generator", "GradientError",
    "Graph", "GraphBuilder", "GraphError", "Kind", "Node", "Operator", "Session", "ShapeError",
    "Tensor", "TensorType", "Trace", "Value", "compile", "cond", "cost", "draw", "draw_text",
    "enable_grad", "find_cycle", "flops", "fori", "grad", "gradients", "minimize", "no_grad", "ops",
    "recorded", "rewrite", "run", "save", "scan", "set_grad", "switch", "topological_order",
    "trace", "verify", "while_loop",
]  # fmt: skip

_LAZY = {
    "compile": "compiler", "cond": "control", "draw": "render", "draw_text": "render", "fori":
    "control", "minimize": "static", "save": "render", "scan": "control", "Session": "session",
    "switch": "control", "while_loop": "control",
}  # fmt: skip
_PACKAGES = ("data", "nn", "onnx", "optimizers", "saved", "testing", "training")
"""What is imported when it is first asked for: names from a module, and whole packages."""


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f"cgkit.{_LAZY[name]}"), name)
    if name in _PACKAGES:
        return importlib.import_module(f"cgkit.{name}")
    raise AttributeError(f"module 'cgkit' has no attribute {name!r}")


def load_ipython_extension(ipython: Any) -> None:
    """Show graphs and students' own graphviz drawings as pictures: `%load_ext cgkit`."""
    from cgkit import render

    render.install(ipython)
