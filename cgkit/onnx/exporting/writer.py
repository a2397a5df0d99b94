"""The part of an ONNX model that is written so far: its nodes, names and constants.

    add("Exp", ...)    one more node; it and its result get names of their own
    constant(array)    one Constant node for equal arrays
    rename(...)        the last node on the way to our "h1" is called "h1" in the end

A Term is a tensor of the model: its name, and what is known of its type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cgkit.errors import OnnxError
from cgkit.types import Dim, Shape, Size

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

Rule = Callable[..., Any]
Store = Callable[[np.ndarray, str], "TensorProto"]
DEEPEST = 31
"""Within how many graphs of nodes a node may stand: protobuf reads no more of it from a file."""


def stored_inside(array: np.ndarray, name: str) -> TensorProto:
    """Make the tensor of an array, with its numbers inside."""
    from onnx import numpy_helper

    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


@dataclass(frozen=True, slots=True)
class Term:
    """A tensor of the model that is written."""

    name: str
    """Its name in the model."""
    dtype: np.dtype
    """What its elements are."""
    shape: Shape | None = None
    """Its shape, where it is known."""


@dataclass(eq=False)
class Writer:
    """What is written of a model.

    Examples
    --------
    >>> writer = Writer(opset=28)
    >>> (x,) = writer.add("Exp", [writer.constant(np.zeros(2))], [np.dtype("float64")], "x")
    >>> [node.op_type for node in writer.nodes], x.name
    (['Constant', 'Exp'], 'x')
    """

    opset: int
    """The operator set in which it is written."""
    store: Store = stored_inside
    """Makes the tensor of an array: with its numbers inside, or beside the model."""
    rules: Mapping[str, Rule] = field(default_factory=dict)
    """For operators of ours that are written as ONNX nodes: `rule(draft, *operands, **params)`."""
    formulas: Mapping[str, Rule] = field(default_factory=dict)
    """For operators of ours that simpler ones say: `formula(*values, **params)`."""
    reasons: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """For operators of ours that ONNX cannot say: why, and what to try."""
    nodes: list[NodeProto] = field(default_factory=list)
    """The ONNX nodes, in an order that can be run."""
    taken: set[str] = field(default_factory=set)
    """Names of tensors and nodes that are used up."""
    variables: dict[str, np.ndarray] = field(default_factory=dict)
    """What the model's parameters are called, and their values."""
    shared: set[str] = field(default_factory=set)
    """Names of tensors that several nodes of ours may read, so that none may rename them."""
    constants: dict[tuple[Any, ...], Term] = field(default_factory=dict)
    """Constants by dtype, shape and bytes."""
    sizes: dict[Size, Term] = field(default_factory=dict)
    """Open sizes that are computed, each as a vector of one int64."""
    read: list[tuple[Term, int, Dim]] = field(default_factory=list)
    """Where open sizes can be read off: a tensor, an axis, and the size it has there."""

    depth: int = 0
    """Within how many graphs of nodes this is."""

    def inside(self, *, alone: bool = False) -> Writer:
        """Give the writer of a graph inside a node, which may read what is written so far.

        Parameters
        ----------
        alone
            Whether it reads nothing from around it.

        Raises
        ------
        OnnxError
            It would lie deeper than a file of a model can hold.
        """
        if self.depth == DEEPEST:
            raise OnnxError(
                f"graphs lie within graphs more than {DEEPEST} deep, which no model in a file may",
                attempt="fewer branches and loops within each other",
            )
        inner = Writer(
            self.opset, self.store, self.rules, self.formulas, self.reasons, taken=self.taken,
            depth=self.depth + 1,
        )  # fmt: skip
        if not alone:
            inner.shared, inner.constants = {*self.shared}, dict(self.constants)
            inner.sizes, inner.read = dict(self.sizes), list(self.read)
        return inner

    def fresh(self, stem: str) -> str:
        """Give a name that nothing has yet."""
        name, count = stem, 1
        while name in self.taken:
            name, count = f"{stem}_{count}", count + 1
        self.taken.add(name)
        return name

    def add(
        self,
        operator: str,
        inputs: Sequence[Term | None],
        dtypes: Sequence[np.dtype],
        stem: str,
        scope: str = "",
        **attributes: Any,
    ) -> tuple[Term, ...]:
        """Add a node with a result for each dtype; all are named after a stem."""
        from onnx import helper

        name = self.fresh(stem)
        called = [name, *(self.fresh(f"{stem}_{i}") for i in range(1, len(dtypes)))]
        while inputs and inputs[-1] is None:
            inputs = inputs[:-1]
        given = ["" if term is None else term.name for term in inputs]
        self.nodes.append(helper.make_node(operator, given, called, f"{scope}{name}", **attributes))
        return tuple(Term(one, dtype) for one, dtype in zip(called, dtypes, strict=True))

    def constant(self, array: np.ndarray, *, own: bool = False) -> Term:
        """Give a constant, which all who want it share; or one of its own."""
        key = (array.dtype, array.shape, array.tobytes())
        if not own and key in self.constants:
            return self.constants[key]
        value = self.store(array, "")
        (term,) = self.add("Constant", (), (array.dtype,), "constant", value=value)
        term = Term(term.name, array.dtype, array.shape)
        if not own:
            self.constants[key] = term
            self.shared.add(term.name)
        return term

    def rename(self, start: int, old: str, new: str, scope: str = "") -> None:
        """Call a tensor differently; nodes from `start` on make it and read it, within them too."""
        for node in self.nodes[start:]:
            if node.name == f"{scope}{old}":
                node.name = f"{scope}{new}"
        waiting = self.nodes[start:]
        while waiting:
            node = waiting.pop()
            for names in (node.input, node.output):
                for place, name in enumerate(names):
                    if name == old:
                        names[place] = new
            for attribute in node.attribute:
                waiting.extend(attribute.g.node)
        self.taken.discard(old)

    def made_since(self, start: int) -> set[str]:
        """Give the tensors that nodes from `start` on make, and that may be renamed."""
        return {name for node in self.nodes[start:] for name in node.output} - self.shared
