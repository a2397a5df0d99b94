"""Whether saved numbers fit a module: every entry that does not is named at once.

names and types of the module ─┐
names and arrays of a state ───┴─> missing, unexpected, of another shape or dtype; or all fits
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cgkit.errors import CgkitError, StateError
from cgkit.operators.operands import as_operand
from cgkit.tensor import Tensor
from cgkit.types import TensorType


def check_fit(what: str, known: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
    """Demand something of the right shape for each tensor of a module, whatever its dtype.

    Parameters
    ----------
    what
        How the module is called in an error.
    known
        Its tensors by name.
    state
        What shall take their places.

    Raises
    ------
    StateError
        Names are missing or unexpected, or shapes differ; all are named.
    """
    _complain(what, known, _types(what, state), dtypes=False)


def fitting_arrays(
    what: str, known: Mapping[str, Tensor], state: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Give an array for each tensor of a module, of its shape and dtype.

    Parameters
    ----------
    what
        How the module is called in an error.
    known
        Its tensors by name.
    state
        Arrays or Tensors by name.

    Raises
    ------
    StateError
        Names are missing or unexpected, shapes or dtypes differ, or a tensor of the module cannot
        be written to; all are named.
    """
    _expect_mapping(what, state)
    arrays = {name: _as_array(what, name, x) for name, x in state.items()}
    _complain(what, known, _types(what, arrays), dtypes=True)
    fixed = [name for name, x in known.items() if not _writable(x)]
    if fixed:
        raise StateError(
            f"{what} cannot take this state",
            why=f"its {', '.join(fixed)} cannot be written to: it is read-only or on a device",
        )
    return arrays


def _expect_mapping(what: str, state: Any) -> None:
    if not isinstance(state, Mapping):
        raise StateError(
            f"{what} takes a state that is a dict of arrays by name, not {type(state).__name__}",
            attempt="module.state() of a module built with the same settings",
        )


def _as_array(what: str, name: Any, x: Any) -> np.ndarray:
    data = x.to("cpu").data if isinstance(x, Tensor) else x
    try:
        return np.asarray(as_operand(data))
    except CgkitError as error:
        raise StateError(f"{what} cannot take this state", why=f"{name}: {error.what}") from None


def _writable(x: Tensor) -> bool:
    return isinstance(x.data, np.ndarray) and x.data.flags.writeable


def _types(what: str, state: Any) -> dict[Any, TensorType]:
    _expect_mapping(what, state)
    found = {}
    for name, x in state.items():
        try:
            operand = as_operand(x)
        except CgkitError as error:
            raise StateError(f"{what} cannot take this state", why=f"{name}: {error}") from None
        found[name] = TensorType(operand.shape, operand.dtype)
    return found


def _complain(
    what: str, known: Mapping[str, Tensor], given: Mapping[Any, TensorType], *, dtypes: bool
) -> None:
    wanted = {name: TensorType(x.shape, x.dtype) for name, x in known.items()}
    both = [name for name in wanted if name in given]
    lines = [f"missing     {name}: {wanted[name]}" for name in wanted if name not in given]
    lines += [f"unexpected  {name}: {given[name]}" for name in given if name not in wanted]
    lines += [
        f"differs     {name}: {given[name]}, where {wanted[name]} is needed"
        for name in both
        if given[name].shape != wanted[name].shape
        or (dtypes and given[name].dtype != wanted[name].dtype)
    ]
    if lines:
        raise StateError(
            f"{what} cannot take this state",
            why="\n  ".join([*lines, "nothing was changed"]),
            attempt="the state of a module built with the same settings",
        )
