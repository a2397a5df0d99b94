"""Values that stand for tensors not yet computed: the static graph.

    builder = GraphBuilder()
    x = builder.placeholder((None, 784), name="x")
    y = ops.relu(x @ w)           types are inferred, nothing is computed
    graph = builder.graph([y])    an immutable Graph, to run, draw, differentiate, optimize

    writes  <  value, wiring  <  sources  <  builder  <  tracing, differentiation

A Value is a handle like a Tensor, of higher rank: an operator with a Value among its operands
records. Only the builder changes; a Value of another builder, or one that outlived its trace, is an
error that says so.
"""

from cgkit.symbolic.builder import GraphBuilder
from cgkit.symbolic.differentiation import gradients
from cgkit.symbolic.sources import full_name
from cgkit.symbolic.tracing import Trace, trace
from cgkit.symbolic.value import Value
from cgkit.symbolic.wiring import Effect

__all__ = ["Effect", "GraphBuilder", "Trace", "Value", "full_name", "gradients", "trace"]
