"""One walk over the nodes of a model: each node's rule, on what its inputs' names stand for.

    "x" ─> Value (an input)     "w" ─> Value (a parameter)     "shape" ─> Known     ... Sizes
    node ─┬─ rule ─────────────────────────────────────────────────> its outputs' names
          └─ a function: its body is walked with names of its own ─>

The same walk builds a graph (with a builder) and evaluates a model (without one: all is known).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from cgkit.errors import CgkitError, OnnxError, OpenSize, UnknownValue
from cgkit.node import SOURCES, Operand
from cgkit.onnx.functions import Body, own_body, standard_body
from cgkit.onnx.inventory import lacking
from cgkit.onnx.known import Known, Room
from cgkit.onnx.part import Names, Part
from cgkit.onnx.reading import Model, domain_of, node_name, read_attribute, read_tensor, type_of
from cgkit.onnx.rules import full_name, rules
from cgkit.onnx.signature import signature_of
from cgkit.onnx.step import Step
from cgkit.speech import FAILURES
from cgkit.symbolic import GraphBuilder, Value

GRAPH = 5
"""The type of an attribute that holds a graph."""


@dataclass
class Frame:
    """The names that the nodes of one function, or of the model itself, go by."""

    names: Names
    """What each name stands for: a Known array, Sizes, a Value; None where it is left out."""
    opsets: Mapping[str, int]
    given: Mapping[str, Any]
    """The attributes with which a function was called, for nodes that refer to them."""
    path: str = ""
    """The names of the nodes within which this is, each with a "/" behind it."""
    depth: int = 0
    """Within how many functions and graphs of nodes this is."""
    again: bool = False
    """Whether this is the body of a loop that is evaluated, walked over once more."""


class Walk:
    """A walk over a model.

    Parameters
    ----------
    model
        A model that has been checked.
    builder
        Where a graph is built; None to evaluate.
    """

    def __init__(self, model: Model, builder: GraphBuilder | None) -> None:
        self.model = model
        self.builder = builder
        self.room = Room(model.limits, building=builder is not None)
        self.names: dict[str, Any] = {}
        self.walked = 0
        """Nodes so far; a model's own function may stand in ONNX's body of another, and that in it,
        so how many there will be is not known before."""
        self.repeated = 0
        """Nodes of bodies that have been walked over more than once, each time."""

    def run(self) -> None:
        """Walk over the nodes of the model.

        Raises
        ------
        OnnxError
            A node does not fit its inputs; UnknownValue where one of them must be known.
        """
        self._run(self.model.proto.graph.node, Frame(self.names, self.model.opsets, {}))

    def _run(self, nodes: Sequence[Any], frame: Frame) -> None:
        for node in nodes:
            self._count(frame.again)
            self._apply(node, frame)

    def _count(self, again: bool) -> None:
        """Count a node that is walked over, as one of the model or as one more step of a loop."""
        check = self.model.limits.check
        if again:
            self.repeated += 1
            check("steps", self.repeated, "steps and nodes of loops, so far")
        else:
            self.walked += 1
            check("nodes", self.walked, "nodes with functions in place, so far")

    def _apply(self, node: Any, frame: Frame) -> None:
        step = self._step(node, frame)
        try:
            body = own_body(self.model, node)
            rule = None if body else rules().get(full_name(step.operator, step.domain))
            if body is None:
                self._check(node, step)
            if rule is None:
                results = self._function(node, body, step, frame)
            else:
                with self._scope(node.name.rpartition("/")[0]):
                    results = rule(step, *step.operands)
            self._keep(node, results, step, frame)
        except Exception as error:
            if (placed := _placed(error, step)) is error:
                raise
            raise placed from error

    def _step(self, node: Any, frame: Frame) -> Step:
        domain = domain_of(node.domain)
        reads = tuple(node.input)
        while reads and not reads[-1]:
            reads = reads[:-1]  # what is left out at the end is not passed at all
        return Step(
            name=frame.path + node_name(node), operator=node.op_type, domain=domain,
            opset=frame.opsets.get(domain, 0), wanted=tuple(bool(name) for name in node.output),
            settings={
                name: self._setting(attribute, frame, frame.path + node_name(node))
                for name, attribute in _resolved(node, frame)
            },
            reads=reads, operands=tuple(frame.names[name] if name else None for name in reads),
            builder=None if self.builder is None else self.builder.innermost, room=self.room,
        )  # fmt: skip

    def _setting(self, attribute: Any, frame: Frame, within: str) -> Any:
        """Give the value of an attribute; a graph as a Part, which walks over it."""
        found = read_attribute(attribute, self.model.limits, self.model.folder)
        if type_of(attribute) != GRAPH:
            return found
        depth = frame.depth + 1
        self.model.limits.check("depth", depth, "functions and graphs within each other")
        walked = 0

        def walk(nodes: Sequence[Any], names: Names) -> None:
            nonlocal walked
            walked += 1
            again = frame.again or walked > 1
            if again:  # also where there are no nodes to count
                self._count(again)
            inner = Frame(names, frame.opsets, frame.given, f"{within}/", depth, again)
            self._run(nodes, inner)

        def parameter(tensor: Any) -> Any:
            array = read_tensor(tensor, self.model.limits, self.model.folder)
            self.room.allow(f"the tensor {tensor.name!r}", array.shape, array.dtype)
            return self.parameter(tensor.name, array)

        return Part(found, frame.names, walk, parameter)

    def parameter(self, name: str, array: np.ndarray) -> Any:
        """Give what an initializer stands for: a variable of the graph, or a Known array."""
        if self.builder is not None and array.dtype.kind == "f":
            return self.builder.variable(array, name=name)
        return self.room.known(array)

    def _check(self, node: Any, step: Step) -> None:
        signature = signature_of(step.operator, step.domain, step.opset)
        if signature is None:
            if step.domain == "":
                raise step.refuse("ONNX has no such operator in this version")
            return
        wrong = signature.complaint(node, step.operands)
        if wrong:
            raise step.refuse(wrong)

    def _function(self, node: Any, body: Body | None, step: Step, frame: Frame) -> tuple[Any, ...]:
        """Walk over the body of the function that a node stands for."""
        if body is None:
            types = [None if x is None else (x.dtype, tuple(x.shape)) for x in step.operands]
            body = standard_body(_plain(node, frame), step.domain, frame.opsets, types)
        if body is None:
            raise step.open_sizes("ONNX says what it stands for only where") or lacking(step)
        if len(step.operands) > len(body.inputs):
            raise step.refuse(f"takes {len(body.inputs)} inputs, got {len(step.operands)}")
        for name in () if body.attributes is None else step.settings.keys() - body.attributes:
            raise step.refuse(f"has no attribute {name!r}")
        names: dict[str, Any] = {"": None, **dict.fromkeys(body.inputs)}
        names.update(zip(body.inputs, step.operands, strict=False))
        given = {**body.defaults, **dict(_resolved(node, frame))}
        depth = frame.depth + 1
        self.model.limits.check("depth", depth, "functions and graphs within each other")
        inner = Frame(names, body.opsets, given, f"{step.name}/", depth, frame.again)
        with self._scope(step.name):
            self._run(body.nodes, inner)
        return tuple(names.get(name) for name in body.outputs)

    def _keep(self, node: Any, found: Any, step: Step, frame: Frame) -> None:
        """Let the names of a node's outputs stand for its results."""
        results = tuple(found) if isinstance(found, tuple | list) else (found,)
        for place, name in enumerate(node.output):
            if not name:
                continue
            if place >= len(results) or results[place] is None:
                raise step.refuse(f"cgkit does not make its output {place + 1}, {name!r}")
            frame.names[name] = self._result(results[place], step)
            _call(frame.names[name], frame.path + name, step.name)
            _place(frame.names[name], step)

    def _result(self, x: Any, step: Step) -> Any:
        if isinstance(x, Value):
            self.check_size(x, f"a result of {step}")
        if isinstance(x, Operand):  # a Value, Sizes, or Known
            return x
        array = np.asarray(x)
        if array.dtype.kind not in "fiub":
            raise step.refuse(f"gives {array.dtype}, and cgkit computes with real numbers")
        return self.known(array, step.operator)

    def known(self, array: np.ndarray, what: str) -> Known:
        """Give an array as one that is known, and take room for it."""
        self.room.allow(what, array.shape, array.dtype)
        return self.room.known(array)

    def check_size(self, x: Value, what: str) -> None:
        """Refuse a value that would be larger than arrays may be, as far as its sizes are known."""
        known = [size for size in x.shape if isinstance(size, int)]
        self.model.limits.check_tensor(what, known, x.dtype.itemsize)

    @contextmanager
    def _scope(self, path: str) -> Iterator[None]:
        """Build under the names of a path: "/encoder/attention"."""
        parts = [part for part in path.split("/") if part]
        if self.builder is None or not parts:
            yield
            return
        with self.builder.scope("/".join(parts)):
            yield


def _resolved(node: Any, frame: Frame) -> Iterator[tuple[str, Any]]:
    """Give the attributes of a node; one that refers to the function's is what that was given."""
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            yield attribute.name, attribute
        elif attribute.ref_attr_name in frame.given:
            yield attribute.name, frame.given[attribute.ref_attr_name]


def _plain(node: Any, frame: Frame) -> Any:
    """Give a node whose attributes do not refer to those of a function around it."""
    import onnx

    if not any(attribute.ref_attr_name for attribute in node.attribute):
        return node
    plain = onnx.NodeProto()
    plain.CopyFrom(node)
    del plain.attribute[:]
    for name, attribute in _resolved(node, frame):
        copied = plain.attribute.add()
        copied.CopyFrom(attribute)
        copied.name = name
    return plain


def _call(x: Any, name: str, within: str) -> None:
    """Give the node that made a value the value's name, unless it has a better one."""
    if not isinstance(x, Value) or x.node.operator in SOURCES:
        return
    if not x.node.name or x.node.name.startswith(f"{within}/"):
        x.named(name)


def _place(x: Any, step: Step) -> None:
    """Note at the nodes that make a value which node of the model they stand for."""
    waiting = [x.node] if isinstance(x, Value) else []
    while waiting:
        node = waiting.pop()
        if node.operator not in SOURCES and not isinstance(node.extra().line, str):
            node.extra().line = f"{step.operator} {step.name!r}"
            waiting += [edge.node for edge in node.inputs if edge.node is not None]


def _placed(error: Exception, step: Step) -> Exception:
    """Give an error that says at which node."""
    if isinstance(error, OnnxError):
        return error
    if isinstance(error, OpenSize):
        return UnknownValue(f"{step}: {error.what}", (), error.symbols)
    if isinstance(error, CgkitError):
        return OnnxError(f"{step}: {error.what}", why=error.why, attempt=error.attempt)
    if isinstance(error, FAILURES):
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        return OnnxError(f"{step}: its inputs and attributes do not fit together", why=said)
    return error
