"""What ONNX says of an operator: how many inputs, of which types, and which attributes.

    Gather-13   data: T, indices: int32 or int64;  axis: INT        Gather(float, float): refused

Checking a node against it before its rule runs keeps rules short, and a model that is none from
being read as something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cgkit.onnx.functions import schema_of
from cgkit.onnx.reading import type_of


@dataclass(frozen=True)
class Formal:
    """One input of an operator."""

    name: str
    variable: str
    """Inputs of one type variable have one type; "" where each may have its own."""
    allowed: frozenset[str]
    """Types as ONNX writes them: "tensor(float)"; empty where any will do."""
    optional: bool = False
    """Whether it may be left out even where others come after it."""


@dataclass(frozen=True)
class Signature:
    """What ONNX says of an operator in one version."""

    inputs: tuple[Formal, ...]
    variadic: bool
    """Whether the last input may be given several times."""
    fewest: int
    most: int
    most_outputs: int
    attributes: Mapping[str, int]
    """The type of each attribute."""

    def complaint(self, node: Any, operands: Sequence[Any]) -> str:
        """Say what is wrong with a node, or "".

        Parameters
        ----------
        node
            A NodeProto.
        operands
            What its inputs' names stand for; None for one that is left out.
        """
        given = len(node.input)
        if not self.fewest <= given <= self.most:
            few = f"{self.fewest}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
            few = f"at least {self.fewest}" if given < self.fewest else few
            return f"takes {few} inputs, got {given}"
        if len(node.output) > self.most_outputs:
            return f"has {self.most_outputs} outputs, not {len(node.output)}"
        return next(self._about_attributes(node), "") or next(self._about_types(operands), "")

    def _about_attributes(self, node: Any) -> Iterator[str]:
        for attribute in node.attribute:
            wanted = self.attributes.get(attribute.name)
            if wanted is None:
                yield f"has no attribute {attribute.name!r}"
            elif not attribute.ref_attr_name and type_of(attribute) != wanted:
                yield (
                    f"wants the attribute {attribute.name!r} as {_called(wanted)}, "
                    f"not {_called(type_of(attribute))}"
                )

    def _about_types(self, operands: Sequence[Any]) -> Iterator[str]:
        bound: dict[str, np.dtype] = {}
        for place, x in enumerate(operands):
            formal = self.inputs[min(place, len(self.inputs) - 1)]
            if x is None:
                if place < self.fewest and not formal.optional:
                    yield f"needs its input {formal.name!r}"
                continue
            if formal.allowed and _written(x.dtype) not in formal.allowed:
                yield f"takes no {x.dtype} as {formal.name!r}"
            if formal.variable and bound.setdefault(formal.variable, x.dtype) != x.dtype:
                yield (
                    f"wants one type, got {bound[formal.variable]} and {x.dtype} "
                    f"(its input {formal.name!r})"
                )


@lru_cache(maxsize=2048)
def signature_of(operator: str, domain: str, opset: int) -> Signature | None:
    """Give what ONNX says of an operator in a version, or None where it does not know it."""
    schema = schema_of(operator, domain, opset)
    if schema is None:
        return None
    constraints = {x.type_param_str: frozenset(x.allowed_type_strs)
                   for x in schema.type_constraints}  # fmt: skip
    inputs = tuple(
        Formal(
            x.name, x.type_str if x.type_str in constraints and x.is_homogeneous else "",
            constraints.get(x.type_str, frozenset((x.type_str,))), x.option.name == "Optional",
        )
        for x in schema.inputs
    )  # fmt: skip
    attributes = {name: int(x.type.value) for name, x in schema.attributes.items()}
    variadic = bool(schema.inputs) and schema.inputs[-1].option.name == "Variadic"
    return Signature(
        inputs, variadic, schema.min_input, schema.max_input, schema.max_output, attributes
    )


_WRITTEN = {"float32": "float", "float64": "double"}


@lru_cache(maxsize=64)
def _written(dtype: np.dtype) -> str:
    return f"tensor({_WRITTEN.get(dtype.name, dtype.name)})"


def _called(number: int) -> str:
    from onnx import AttributeProto

    names: dict[int, str] = {value: name for name, value in AttributeProto.AttributeType.items()}
    return names.get(number, f"type {number}")
