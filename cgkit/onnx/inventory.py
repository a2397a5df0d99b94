"""Which operators of a model cgkit lacks, all at once and before anything is computed.

    nodes of the model ─┬─ have a rule                               ok
                        ├─ stand for a function ─> its nodes, too
                        └─ neither                                   missing: named with its node

Counting goes with it: how many nodes there are once every function is put in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cgkit.errors import OnnxError
from cgkit.onnx.functions import own_body, stands_for_more
from cgkit.onnx.reading import Model, domain_of, graphs_of, key_of, node_name
from cgkit.onnx.rules import CARRY_GRAPHS, full_name, rules
from cgkit.onnx.step import Step

SHOWN = 8
"""How many missing operators a message lists."""


@dataclass(frozen=True)
class Missing:
    """An operator without a rule."""

    operator: str
    """Its name, with its operator set in front unless that is ONNX's own."""
    opset: int
    node: str
    """The first node that is one."""
    count: int
    """How many nodes are."""

    def __str__(self) -> str:
        more = f" and {self.count - 1:,} more" if self.count > 1 else ""
        carried = ", which carries a graph" if self.operator in CARRY_GRAPHS else ""
        return f"{self.operator} (opset {self.opset}) at node {self.node!r}{more}{carried}"


class MissingOperators(OnnxError):
    """Operators of a model that cgkit lacks."""

    def __init__(self, missing: Sequence[Missing]) -> None:
        self.missing = tuple(missing)
        if len(missing) == 1:
            super().__init__(f"cgkit has no rule for {missing[0]}")
            return
        rest = len(missing) - SHOWN
        lines = [str(each) for each in missing[:SHOWN]] + [f"{rest} others"] * (rest > 0)
        super().__init__(
            f"cgkit has no rules for {len(missing)} operators of this model",
            why="\n  ".join(lines),
        )


def lacking(step: Step) -> MissingOperators:
    """Make the error for an operator that is found missing only inside ONNX's body of another."""
    name = full_name(step.operator, step.domain)
    return MissingOperators((Missing(name, step.opset, step.name, 1),))


def check_operators(model: Model) -> None:
    """Check that every operator of a model has a rule or stands for operators that do.

    Raises
    ------
    MissingOperators
        Some do not; all are named.
    OnnxError
        With functions in place there are more nodes than allowed, or they nest too deep.
    """
    found: dict[tuple[str, int], Missing] = {}
    count = _Count(model, found).nodes(model.proto.graph.node, model.opsets, 0)
    if found:
        raise MissingOperators(tuple(found.values()))
    model.limits.check("nodes", count, "nodes of the model, with functions in place")


class _Count:
    def __init__(self, model: Model, found: dict[tuple[str, int], Missing]) -> None:
        self.model = model
        self.found = found
        self.functions: dict[Any, int] = {}

    def nodes(self, nodes: Sequence[Any], opsets: Mapping[str, int], depth: int) -> int:
        self.model.limits.check("depth", depth, "functions and graphs within each other")
        return sum(self._node(node, opsets, depth) for node in nodes)

    def _node(self, node: Any, opsets: Mapping[str, int], depth: int) -> int:
        inside = sum(self.nodes(graph.node, opsets, depth + 1) for graph in graphs_of(node))
        return inside + self._itself(node, opsets, depth)

    def _itself(self, node: Any, opsets: Mapping[str, int], depth: int) -> int:
        key = key_of(node)
        if key in self.functions:
            return self.functions[key]
        body = own_body(self.model, node)
        if body is not None:
            self.functions[key] = 1 + self.nodes(body.nodes, body.opsets, depth + 1)
            return self.functions[key]
        domain = domain_of(node.domain)
        if domain not in opsets:
            raise OnnxError(
                f"{node.op_type} at node {node_name(node)!r} is of an operator set for which no "
                f"version is asked: {domain or 'that of ONNX'}"
            )
        opset = opsets[domain]
        name = full_name(node.op_type, domain)
        if name not in rules() and not stands_for_more(node, domain, opset):
            before = self.found.get((name, opset))
            self.found[name, opset] = Missing(
                name, opset, before.node if before else node_name(node),
                before.count + 1 if before else 1,
            )  # fmt: skip
        return 1
