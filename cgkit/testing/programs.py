"""Random programs: short lists of steps on tensors of fitting shapes, as plain data.

    random_program(rng)         v0: float64[2, 3], v1: float64[3]
                                v2 = mul(v0, v1)
                                v3 = sum(v2, axis=1)        -> v3

One program is run in several ways (Tensors, Values, plain arrays, another framework), and the
results are compared. Steps keep numbers in bounds and away from nan: exp and sin come after tanh,
log and rsqrt after sigmoid. What jumps (floor, mod) or has a corner where another framework decides
otherwise (elu's second slope) is left out.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cgkit import operators as ops
from cgkit.errors import CgkitError
from cgkit.graph import Graph
from cgkit.operators.indices import normal_index
from cgkit.symbolic import GraphBuilder
from cgkit.types import TensorType

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

LARGEST = 64
"""Elements of the largest tensor of a program."""


@dataclass(frozen=True)
class Step:
    """One operator of a program."""

    operator: str
    """Its name under `cgkit.ops`."""
    operands: tuple[Any, ...]
    """Names of values, v0, v1, ...; anything else stands for itself."""
    params: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        words = [x if isinstance(x, str) else repr(x) for x in self.operands]
        words += [f"{key}={value!r}" for key, value in self.params.items()]
        return f"{self.operator}({', '.join(words)})"


def by_name(operator: str, *operands: Any, **params: Any) -> Any:
    """Apply one of cgkit's operators."""
    return ops.ALL[operator](*operands, **params)


@dataclass(frozen=True)
class Program:
    """Steps that compute v1, v2, ... one after another from given inputs."""

    inputs: tuple[TensorType, ...]
    """The types of v0, v1, ... that are given."""
    steps: tuple[Step, ...]
    """Each makes the next value."""
    outputs: tuple[str, ...]
    """The names of the values it gives, all floating."""

    def run(self, given: Sequence[Any], apply: Callable[..., Any] = by_name) -> list[Any]:
        """Run the program on values of any sort that `apply` takes.

        Examples
        --------
        >>> step = Step("mul", ("v0", 2.0))
        >>> Program((TensorType((), "float64"),), (step,), ("v1",)).run([np.float64(21)])
        [np.float64(42.0)]
        """
        values = {f"v{i}": value for i, value in enumerate(given)}
        for step in self.steps:
            operands = [values[x] if isinstance(x, str) else x for x in step.operands]
            values[f"v{len(values)}"] = apply(step.operator, *operands, **step.params)
        return [values[name] for name in self.outputs]

    def draw(self, rng: np.random.Generator) -> list[np.ndarray]:
        """Draw an array for each input."""
        return [np.asarray(rng.normal(size=t.shape), t.dtype) for t in self.inputs]

    def graph(self) -> Graph:
        """Build the program as a static graph."""
        builder = GraphBuilder()
        given = [builder.placeholder(t.shape, t.dtype) for t in self.inputs]
        return builder.graph(self.run(given), given)

    def __str__(self) -> str:
        lines = [f"v{i}: {known}" for i, known in enumerate(self.inputs)]
        lines += [f"v{len(self.inputs) + i} = {step}" for i, step in enumerate(self.steps)]
        return "\n".join([*lines, "return " + ", ".join(self.outputs)])


Types = list[TensorType]
Maker = Callable[[random.Random, Types], list[Step]]


def random_program(
    rng: random.Random,
    *,
    steps: int = 8,
    shapes: Sequence[tuple[int, ...]] | None = None,
    dtype: str = "float64",
    makers: Sequence[Maker] | None = None,
) -> Program:
    """Draw a program.

    Parameters
    ----------
    rng
        What chooses.
    steps
        About how many steps it has.
    shapes
        The shapes of its inputs; drawn if None, sizes of 0 and 1 among them.
    dtype
        The dtype of its inputs.
    makers
        Which sorts of steps it may have; all by default.

    Examples
    --------
    >>> print(random_program(random.Random(1), steps=2, shapes=[(2,)], makers=SCALAR_MAKERS))
    v0: float64[2]
    v1 = minimum(v0, v0)
    v2 = maximum(v0, 2.0)
    return v2
    """
    if shapes is None:
        shapes = [_shape(rng) for _ in range(rng.randint(1, 3))]
    types = [TensorType(shape, dtype) for shape in shapes]
    made: list[Step] = []
    for _ in range(4 * steps):
        if len(made) >= steps:
            break
        proposed = rng.choice(list(makers or MAKERS))(rng, types)
        found = _types_of(proposed, types)
        if found is not None:
            made += proposed
            types += found
    floats = [f"v{i}" for i, known in enumerate(types) if known.dtype.kind == "f"]
    outputs = [floats[-1], *(rng.choice(floats) for _ in range(rng.randint(0, 1)))]
    return Program(tuple(types[: len(shapes)]), tuple(made), tuple(outputs))


def _types_of(steps: list[Step], known: Types) -> Types | None:
    """Infer the types that steps make; None if one does not fit or grows too large."""
    types = list(known)
    for step in steps:
        operands = [_type_of(x, types) for x in step.operands]
        try:
            found = ops.ALL[step.operator].infer(*operands, **step.params)
        except CgkitError:
            return None
        if found.size > LARGEST:
            return None
        weak = [x for x in step.operands if isinstance(x, int | float)]
        floats = [t.dtype for t in operands if t.dtype.kind == "f" and t is not _NUMBER]
        if weak and floats and found.dtype.kind == "f":
            found = TensorType(found.shape, np.result_type(*floats))
        types.append(found)
    return types[len(known) :]


_NUMBER = TensorType((), "float64")


def _type_of(operand: Any, types: Types) -> TensorType:
    if isinstance(operand, str):
        return types[int(operand[1:])]
    if isinstance(operand, int | float):
        return _NUMBER
    return TensorType(operand.shape, operand.dtype)


def _shape(rng: random.Random) -> tuple[int, ...]:
    return tuple(rng.choice((0, 1, 2, 2, 3, 3, 4)) for _ in range(rng.choice((0, 1, 2, 2, 3))))


def _any(rng: random.Random, types: Types) -> int:
    """Choose a value, later ones rather than early ones, so that programs grow deep."""
    fitting = [i for i, known in enumerate(types) if known.dtype.kind == "f"]
    return rng.choice(fitting[-4:] if rng.random() < 0.7 else fitting)


UNARY = (
    "neg", "tanh", "sigmoid", "relu", "abs", "atan", "asinh", "erf", "softplus", "softsign", "silu",
    "gelu", "mish", "leaky_relu",
)  # fmt: skip
AFTER_TANH = ("exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "square")
AFTER_SIGMOID = ("log", "sqrt", "log1p", "log2", "log10", "rsqrt", "reciprocal")


def _unary(rng: random.Random, types: Types) -> list[Step]:
    name = rng.choice(UNARY)
    return [Step(name, (f"v{_any(rng, types)}",))]


def _bounded(rng: random.Random, types: Types) -> list[Step]:
    """Make two steps: one that keeps numbers in bounds, one that needs them there."""
    last = f"v{len(types)}"
    x = f"v{_any(rng, types)}"
    name = rng.choice(rng.choice((AFTER_TANH, AFTER_SIGMOID, ("pow", "div", "pow_of"))))
    if name in AFTER_TANH:
        return [Step("tanh", (x,)), Step(name, (last,))]
    first = Step("sigmoid", (x,))
    if name == "pow":
        return [first, Step("pow", (last, rng.choice((2.0, 3, -1.0, 0.5, f"v{_any(rng, types)}"))))]
    if name == "pow_of":
        return [first, Step("pow", (rng.choice((2.0, 3)), last))]
    if name == "div":
        return [first, Step("div", (rng.choice((1.0, f"v{_any(rng, types)}")), last))]
    return [first, Step(name, (last,))]


def _binary(rng: random.Random, types: Types) -> list[Step]:
    name = rng.choice(("add", "sub", "mul", "maximum", "minimum", "logaddexp"))
    return [Step(name, (f"v{_any(rng, types)}", f"v{_any(rng, types)}"))]


def _with_number(rng: random.Random, types: Types) -> list[Step]:
    name = rng.choice(("add", "sub", "mul", "maximum"))
    operands = [f"v{_any(rng, types)}", rng.choice((2.0, -0.5, 1, 3))]
    rng.shuffle(operands)
    return [Step(name, tuple(operands))]


def _limit(rng: random.Random, types: Types) -> list[Step]:
    name = rng.choice(("at_least", "at_most"))
    return [Step(name, (f"v{_any(rng, types)}", rng.choice((0.0, 0.5, -0.5))))]


def _where(rng: random.Random, types: Types) -> list[Step]:
    a, b = f"v{_any(rng, types)}", f"v{_any(rng, types)}"
    steps = [Step(rng.choice(("less", "greater")), (a, 0.25))]
    if rng.random() < 0.3:
        steps.append(Step("logical_not", (f"v{len(types)}",)))
    return [*steps, Step("where", (f"v{len(types) + len(steps) - 1}", a, b))]


def _reduction(rng: random.Random, types: Types) -> list[Step]:
    at = _any(rng, types)
    rank = types[at].ndim
    params: dict[str, Any] = {}
    if rank and rng.random() < 0.7:
        axes = rng.sample(range(-rank, 0), rng.randint(1, rank))
        params["axis"] = axes[0] if len(axes) == 1 else tuple(axes)
    if rng.random() < 0.3:
        params["keepdims"] = True
    return [Step(rng.choice(("sum", "mean", "max", "min")), (f"v{at}",), params)]


def _reshape(rng: random.Random, types: Types) -> list[Step]:
    at = _any(rng, types)
    shape = list(types[at].shape)
    way = rng.randrange(3)
    if way == 0:
        shape = [math.prod(int(n) for n in shape)]
    elif way == 1:
        shape.insert(rng.randint(0, len(shape)), 1)
    else:
        rng.shuffle(shape)
    return [Step("reshape", (f"v{at}",), {"shape": tuple(shape)})]


def _transpose(rng: random.Random, types: Types) -> list[Step]:
    at = _any(rng, types)
    axes = list(range(types[at].ndim))
    rng.shuffle(axes)
    return [Step("transpose", (f"v{at}",), {"axes": tuple(axes)})]


def _broadcast(rng: random.Random, types: Types) -> list[Step]:
    at = _any(rng, types)
    stretched = [rng.choice((2, 3)) if n == 1 else n for n in types[at].shape]
    shape = (*(rng.choice((1, 2)) for _ in range(rng.randint(0, 1))), *stretched)
    return [Step("broadcast_to", (f"v{at}",), {"shape": shape})]


def _slice(rng: random.Random, types: Types) -> list[Step]:
    at = _any(rng, types)
    key: list[Any] = []
    for size in types[at].shape:
        ends = (None, *range(-int(size), int(size)))
        chosen = slice(rng.choice(ends), rng.choice(ends), rng.choice((None, 1, 2)))
        key.append(rng.choice((rng.randrange(int(size)), chosen)) if size else chosen)
    if rng.random() < 0.2:
        key.append(None)
    index, _ = normal_index(tuple(key), types[at].ndim)
    return [Step("slice", (f"v{at}",), {"index": index})]


def _index(rng: random.Random, types: Types) -> list[Step]:
    at = _any(rng, types)
    shape = types[at].shape
    if not shape or not shape[0]:
        return []
    places = np.array([rng.randrange(int(shape[0])) for _ in range(rng.randint(0, 4))], np.int64)
    index, arrays = normal_index(places, len(shape))
    return [Step("index", (f"v{at}", *arrays), {"index": index})]


def _concat(rng: random.Random, types: Types) -> list[Step]:
    at = _any(rng, types)
    if not types[at].ndim:
        return []
    axis = rng.randrange(types[at].ndim)
    return [Step("concat", (f"v{at}", f"v{_any(rng, types)}", f"v{at}"), {"axis": axis})]


def _matmul(rng: random.Random, types: Types) -> list[Step]:
    a, b = _any(rng, types), _any(rng, types)
    if types[a].ndim == 2 and rng.random() < 0.3:
        return [Step("transpose", (f"v{a}",)), Step("matmul", (f"v{a}", f"v{len(types)}"))]
    return [Step("matmul", (f"v{a}", f"v{b}"))]


SCALAR_MAKERS: tuple[Maker, ...] = (_unary, _binary, _binary, _with_number, _bounded, _limit)
"""Steps that keep shapes."""
MAKERS: tuple[Maker, ...] = (
    *SCALAR_MAKERS, _binary, _where, _reduction, _reshape, _transpose, _broadcast, _slice, _index,
    _concat, _matmul,
)  # fmt: skip
"""All sorts of steps."""


def programs(*, most: int = 10, **settings: Any) -> SearchStrategy[Program]:
    """Give hypothesis's strategy for random programs of up to `most` steps.

    Examples
    --------
    >>> "v0" in str(programs().example())  # doctest: +SKIP
    True
    """
    from hypothesis import strategies as st

    def draw(rng: random.Random, steps: int) -> Program:
        return random_program(rng, steps=steps, **settings)

    return st.builds(draw, st.randoms(use_true_random=False), st.integers(1, most))


def graphs(*, most: int = 12) -> SearchStrategy[Graph]:
    """Give hypothesis's strategy for random static graphs on single numbers.

    Examples
    --------
    >>> graphs().example()  # doctest: +SKIP
    <Graph of 9 nodes, 2 inputs, 1 outputs>
    """
    return programs(most=most, shapes=[(), ()], makers=SCALAR_MAKERS).map(Program.graph)
