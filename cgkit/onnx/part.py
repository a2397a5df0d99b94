"""Graphs that nodes of a model hold: the branches of an If, the body of a Loop or a Scan.

    then = step.setting("then_branch")
    then()                 walks over the nodes of the branch, and gives what its outputs stand for
    body(i, go, *state)    the same with operands

A part sees the names around its node. Whether it is walked once, to build a graph, or again and
again, to evaluate a loop on arrays, is up to the rule.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

import numpy as np

from cgkit.errors import OnnxError
from cgkit.node import INPUT
from cgkit.onnx.dtypes import as_numpy, declared_dtype
from cgkit.onnx.reading import graphs_of
from cgkit.symbolic import GraphBuilder, Value

Names = MutableMapping[str, Any]


class Part:
    """A graph that a node holds.

    Parameters
    ----------
    graph
        A GraphProto that has been checked.
    around
        What the names around the node stand for.
    walk
        Walks over nodes: `walk(nodes, names)`.
    parameter
        Makes what an initializer stands for.
    """

    def __init__(
        self,
        graph: Any,
        around: Names,
        walk: Callable[[Sequence[Any], Names], None],
        parameter: Callable[[Any], Any],
    ) -> None:
        self.graph = graph
        self.around = around
        self.inputs = tuple(x.name for x in graph.input)
        self.outputs = tuple(x.name for x in graph.output)
        self._walk = walk
        self._parameter = parameter
        self._own: dict[str, Any] = {}
        self._dtypes: dict[tuple[str, int], np.dtype | None] = {}

    def __call__(self, *operands: Any) -> tuple[Any, ...]:
        """Walk over the nodes, with operands for the inputs; give the outputs.

        Raises
        ------
        OnnxError
            There are more inputs or fewer, one has another dtype than it declares, or a node does
            not fit its inputs.
        """
        if len(operands) != len(self.inputs):
            raise OnnxError(
                f"the graph {self.graph.name!r} inside has {len(self.inputs)} inputs, "
                f"and is given {len(operands)}"
            )
        for tensor in self.graph.initializer:
            if tensor.name not in self._own:
                self._own[tensor.name] = self._parameter(tensor)
        self._check("input", self.graph.input, operands)
        given = dict(zip(self.inputs, operands, strict=True))
        for name, x in given.items():
            if isinstance(x, Value) and x.node.operator is INPUT and _is_of_a_part(x):
                x.named(name)
        names = ChainMap({**self._own, **given}, self.around)
        self._walk(self.graph.node, names)
        found = tuple(names[name] for name in self.outputs)
        self._check("output", self.graph.output, found)
        return found

    def _check(self, kind: str, stated: Sequence[Any], found: Sequence[Any]) -> None:
        """Demand the dtypes that the graph declares."""
        for place, (info, x) in enumerate(zip(stated, found, strict=True)):
            if (kind, place) not in self._dtypes:
                self._dtypes[kind, place] = declared_dtype(info)
            wanted = self._dtypes[kind, place]
            if wanted is not None and x.dtype != wanted:
                raise OnnxError(
                    f"the graph {self.graph.name!r} inside declares its {kind} {info.name!r} as "
                    f"{wanted}, and it is {x.dtype}"
                )

    def taken(self) -> tuple[Any, ...]:
        """Give what it takes from around its node."""
        return tuple(self.around[name] for name in reads(self.graph) if name in self.around)

    def passes(self, output: int, given: int) -> bool:
        """Say whether an output is an input as it is, or surely true.

        Parameters
        ----------
        output, given
            The numbers of the output and of the input.
        """
        makers = {made: node for node in self.graph.node for made in node.output}
        name = self.outputs[output]
        while name in makers and makers[name].op_type == "Identity":
            name = makers[name].input[0]
        if name == self.inputs[given]:
            return True
        found = self._constant(name, makers)
        return isinstance(found, np.ndarray) and bool(np.all(found))

    def _constant(self, name: str, makers: MutableMapping[str, Any]) -> Any:
        """Give the value of a name if nothing in the part changes it, else no array."""
        for tensor in self.graph.initializer:
            if tensor.name == name:
                return self._parameter(tensor)
        if name in makers:
            values = [a.t for a in makers[name].attribute if a.name == "value"]
            constant = makers[name].op_type == "Constant" and values
            return self._parameter(values[0]) if constant else None
        return self.around.get(name)

    def declared(self, output: int) -> tuple[np.dtype, tuple[int, ...]] | None:
        """Give the dtype and shape that an output declares, 0 for open sizes; None without one."""
        kind = self.graph.output[output].type.tensor_type
        if not kind.elem_type:
            return None
        sizes = (dim.dim_value if dim.HasField("dim_value") else 0 for dim in kind.shape.dim)
        return as_numpy(kind.elem_type), tuple(sizes)

    def __repr__(self) -> str:
        return f"<graph {self.graph.name!r} of {len(self.graph.node)} nodes>"


def _is_of_a_part(x: Value) -> bool:
    return isinstance(x.builder, GraphBuilder) and x.builder.outer is not None


def reads(graph: Any) -> list[str]:
    """Give the names that a graph reads and does not make, in the order in which it reads them."""
    made = {*(x.name for x in graph.input), *(x.name for x in graph.initializer)}
    found: dict[str, None] = {}
    for node in graph.node:
        inner = [name for inside in graphs_of(node) for name in reads(inside)]
        for name in (*node.input, *inner):
            if name and name not in made:
                found[name] = None
        made.update(node.output)
    found.update((x.name, None) for x in graph.output if x.name not in made)
    return list(found)
