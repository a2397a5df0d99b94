"""The atoms of every graph: edges that carry tensors, nodes that make them, operators that say how.

    Tensor, Value ── edge ──> Node ── inputs ──> Edge ──> Node ...
       handles                 │
                               └── operator: compute, infer, gradient, kind, cost, picture

A handle knows its edge, an edge its node, a node its input edges. Nothing points at a handle and
nothing points forward, so a handle may move to another edge (in-place operators) and reference
counting alone frees a graph. An Edge keeps a shape and a dtype, never an array.
Inputs, constants and variables are nodes too: their operators, the `SOURCES`, have no inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from cgkit import speech
from cgkit.errors import OperandError
from cgkit.kinds import Family as Family
from cgkit.kinds import Kind as Kind
from cgkit.kinds import Sample as Sample
from cgkit.kinds import Samples as Samples
from cgkit.types import DTYPES, Shape, Size, TensorType
from cgkit.words import counted

Rule = Callable[..., Any]
ndarray = np.ndarray
NO_PARAMS: Mapping[str, Any] = {}


class Edge:
    """One tensor of a graph: an output of a node.

    Parameters
    ----------
    node
        The node that makes it; None for a tensor that nobody recorded.
    index
        Which of the node's outputs this is, from 0.
    shape, dtype
        What is known of it. An Edge never holds values.
    """

    __slots__ = ("dtype", "index", "node", "shape")

    def __init__(self, node: Node | None, index: int, shape: Shape, dtype: np.dtype) -> None:
        self.node = node
        self.index = index
        self.shape = shape
        self.dtype = dtype

    @property
    def type(self) -> TensorType:
        """Shape and dtype as one value."""
        return TensorType(self.shape, self.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def key(self) -> tuple[Node | None, int]:
        """What tells tensors apart: two Edge objects may stand for one output."""
        return self.node, self.index

    def __repr__(self) -> str:
        name = "untracked" if self.node is None else self.node.name or self.node.operator.name
        return f"<edge {name}:{self.index} {self.type}>"


@dataclass(slots=True)
class Extras:
    """What only some nodes have, kept apart so that recording an eager operator stays cheap."""

    name: str = ""
    """A name given by the author of the graph."""
    scope: str = ""
    """The scopes it was built in, outermost first: "encoder/attention"."""
    value: np.ndarray | None = None
    """The array of a constant, or a variable's initial value."""
    results: tuple[TensorType, ...] | None = None
    """The types of its outputs, when they were inferred."""
    grads: dict[int, Any] = field(default_factory=dict)
    """The gradient collected so far for each output: a leaf's, or one kept by `retain_grad`."""
    hooks: list[tuple[int, Callable[[Any], Any]]] = field(default_factory=list)
    """For which output, and a function that sees its gradient and may give another."""
    line: int | str | None = None
    """The line of the author's code that made it, or what that calls it, when known."""


class Node:
    """One use of an operator.

    Parameters
    ----------
    operator
        What it does.
    inputs
        An Edge for each operand; in eager graphs a plain number or array stands for itself.
    params
        The operator's plain settings, such as an axis.
    saved
        What backward will read: for each kept array (operand number or -1 for the result, array,
        version counter, version then), laid end to end; `FREED` once backward has used it.
    """

    __slots__ = ("__weakref__", "extras", "inputs", "operator", "params", "saved")

    def __init__(
        self,
        operator: Operator,
        inputs: tuple[Any, ...],
        params: Mapping[str, Any],
        saved: tuple[Any, ...] = (),
        extras: Extras | None = None,
    ) -> None:
        self.operator = operator
        self.inputs = inputs
        self.params = params
        self.saved = saved
        self.extras = extras

    def extra(self) -> Extras:
        """Give the node's extras, made when first needed."""
        if self.extras is None:
            self.extras = Extras()
        return self.extras

    @property
    def name(self) -> str:
        """The author's name for it, or ""."""
        return "" if self.extras is None else self.extras.name

    @property
    def scope(self) -> str:
        """The scopes it was built in, joined by "/", or ""."""
        return "" if self.extras is None else self.extras.scope

    @property
    def value(self) -> np.ndarray | None:
        """The array of a constant or a variable's initial value."""
        return None if self.extras is None else self.extras.value

    @property
    def results(self) -> tuple[TensorType, ...] | None:
        """The types of its outputs; None in a graph that was recorded eagerly."""
        return None if self.extras is None else self.extras.results

    @property
    def edges(self) -> tuple[Edge, ...]:
        """An Edge for each output of a node whose results are known."""
        return tuple(
            Edge(self, index, result.shape, result.dtype)
            for index, result in enumerate(self.results or ())
        )

    @property
    def producers(self) -> Iterator[Node]:
        """The nodes it reads, one for each operand that has one."""
        for edge in self.inputs:
            if edge.__class__ is Edge and edge.node is not None:
                yield edge.node

    def __repr__(self) -> str:
        name = f"{self.name} = " if self.name else ""
        return f"<node {name}{self.operator.name}>"


FREED: tuple[Any, ...] = ("freed",)
"""Stands in `Node.saved` after backward has freed it."""


class Operand:
    """What an operator may be applied to, beside plain arrays and numbers.

    The operand of highest rank decides what an application means: a Value records without
    computing, a Tensor computes and records, plain arrays only compute.
    """

    __slots__ = ()
    rank = 0

    def apply(self, operator: Operator, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
        """Apply an operator to operands of which this one has the highest rank."""
        raise NotImplementedError


class Operator:
    """Everything that one operation means, in one definition.

    Parameters
    ----------
    name
        The name under `cgkit.ops`.
    compute
        `compute(*arrays, **params) -> array`, a pure function.
    infer
        `infer(*types, **params) -> TensorType`: the same for shapes and dtypes.
    operands
        How many operands it takes; None where that varies.
    gradient
        One function `(g, y, *operands, **params) -> gradient` for each operand, or one joint
        function that returns them all; None for an operator without a gradient. They are written
        with operators, so one text serves arrays, Tensors and Values.
    saves
        For each operand, which values its gradient reads: letters "a", "b", ... for the operands in
        order, "*" for them all, and "y" for the result. An operand that is not saved reaches the
        gradient as its Edge.
        The last entry holds for all further operands. A joint function reads for all at once.
    kind
        How it may be fused.
    family
        How it is taught and drawn.
    scalar
        For elementwise operators, the same on single numbers.
    flops
        `flops(result, *operands, **params)` on types: floating-point operations; a
        multiply-add counts 2, an elementwise operator 1 for each element.
    label
        What a picture shows; the name when empty.
    samples
        Operands for the laws that every operator must obey.
    doc
        What it computes, for people.
    into
        `into(out, *arrays, **params)`: the same as `compute`, into memory that is given.
    runs
        `runs(**params)` gives the graphs among the params that one use runs, each with how often.
    tells
        Params that are sizes which only a run tells; a builder gives each a Dim of its own.
    onnx
        The ONNX operator that is the same, operand for operand and without settings; "" where
        there is none, or where settings must be translated (`cgkit.onnx.rules`).
    """

    __slots__ = (
        "compute", "doc", "family", "flops", "gradient", "infer", "into", "kind", "label", "name",
        "onnx", "operands", "runs", "samples", "saves", "scalar", "slots", "tells",
    )  # fmt: skip

    several = False
    """Whether it has several results, which `compute` gives as a tuple."""

    def __init__(
        self,
        name: str,
        compute: Callable[..., Any],
        infer: Rule,
        *,
        operands: int | None = None,
        gradient: Rule | tuple[Rule | None, ...] | None = None,
        saves: tuple[str, ...] = (),
        kind: Kind = Kind.OPAQUE,
        family: Family = "elementwise",
        scalar: Callable[..., Any] | None = None,
        flops: Callable[..., Size] | None = None,
        label: str = "",
        samples: Samples | None = None,
        doc: str = "",
        into: Callable[..., Any] | None = None,
        runs: Callable[..., Sequence[tuple[Any, Size]]] | None = None,
        tells: tuple[str, ...] = (),
        onnx: str = "",
    ) -> None:
        self.name = name
        self.compute = compute
        self.infer = infer
        self.operands = operands
        self.gradient = gradient
        self.saves = saves
        self.kind = kind
        self.family: Family = family
        self.scalar = scalar
        self.flops = flops
        self.label = label or name
        self.samples = samples
        self.doc = doc
        self.into = into
        self.runs = runs
        self.tells = tells
        self.onnx = onnx
        self.slots: dict[Any, tuple[int, ...]] = {}

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        """Apply the operator; the operand of highest rank decides what that means."""
        if self.operands is not None and len(inputs) != self.operands:
            many = counted(self.operands, "operand")
            raise OperandError(f"{self.name} takes {many}, got {len(inputs)}")
        for value in params.values():
            if value.__class__ in LISTS:
                params = {k: _plain(v) if v.__class__ in LISTS else v for k, v in params.items()}
                break
        best, odd = None, False
        for operand in inputs:
            if operand.__class__ is ndarray:
                odd |= operand.dtype not in DTYPES
            elif isinstance(operand, Operand):
                best = operand if best is None or operand.rank > best.rank else best
            elif operand.__class__ not in NUMBERS:
                odd = True
        if best is not None:
            return best.apply(self, inputs, params)
        return self.computed(speech.plain(self, inputs) if odd else inputs, params)

    def computed(self, arrays: Sequence[Any], params: Mapping[str, Any]) -> Any:
        """Compute on arrays; what does not fit is an error that explains itself."""
        try:
            return self.compute(*arrays, **params)
        except speech.FAILURES as error:
            return speech.recover(self, arrays, params, error)

    def types(
        self, operands: Sequence[TensorType], params: Mapping[str, Any]
    ) -> tuple[TensorType, ...]:
        """Infer the types of the results; what does not fit is an error that explains itself."""
        return speech.infer(self, operands, params)

    def kept(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """Say what to keep when these operands want a gradient: operand numbers, -1 the result."""
        known = self.slots.get(wanted)
        if known is None:
            each = [self.saves[min(i, len(self.saves) - 1)] for i in wanted if self.saves]
            if callable(self.gradient):  # a joint function reads for all operands at once
                each = list(self.saves)
            letters = set("".join(each))
            if "*" in letters:
                return EVERY
            known = tuple(sorted(-1 if x == "y" else ord(x) - ord("a") for x in letters))
            self.slots[wanted] = known
        return known

    def __init_subclass__(cls) -> None:
        type.__setattr__(cls, "__doc__", speech.Own(speech.manual, cls.__doc__))

    def __copy__(self) -> Operator:
        return self

    def __deepcopy__(self, memo: Any) -> Operator:
        return self  # operators are told by identity, so there is one of each

    def __reduce__(self) -> NoReturn:
        raise OperandError(
            f"{self!r} cannot be pickled: it holds functions",
            attempt="saving the numbers, x.numpy(), instead of the graph",
        )

    def __repr__(self) -> str:
        return f"<operator {self.name}>"


Operator.__init_subclass__()  # it speaks for itself, as its subclasses do
type.__setattr__(Operator, "__signature__", speech.Own(speech.calling, None))


EVERY = tuple(range(1024))
"""The places of all operands, however many there are."""
NUMBERS = frozenset((float, int, bool, *(dtype.type for dtype in DTYPES)))
"""What is a number at once, without a look at what it holds."""
LISTS = frozenset((list, np.ndarray))
"""Params that are kept as tuples, which cannot change and can be compared."""


def _plain(value: Any) -> Any:
    found = value.tolist() if isinstance(value, np.ndarray) else value
    return tuple(found) if isinstance(found, list) else found


class MultiOperator(Operator):
    """An operator with several results: `compute` and `infer` give tuples."""

    __slots__ = ()
    several = True

    def __call__(self, *inputs: Any, **params: Any) -> tuple[Any, ...]:
        """Apply the operator and give all its results."""
        results: tuple[Any, ...] = super().__call__(*inputs, **params)
        return results


def _no_compute(**params: Any) -> Any:
    raise NotImplementedError("a source is given its value, never computed")


def _source(name: str, doc: str) -> Operator:
    return Operator(name, _no_compute, _no_compute, family="source", doc=doc)


LEAF = _source("leaf", "A tensor of the user's, where gradients are collected.")
INPUT = _source("input", "A tensor that is given when the graph runs.")
CONSTANT = _source("constant", "A tensor that never changes.")
VARIABLE = _source("variable", "A tensor that keeps its value from run to run.")
SOURCES = (LEAF, INPUT, CONSTANT, VARIABLE)
