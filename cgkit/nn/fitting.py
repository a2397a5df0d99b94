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
    _expect_mapping(what, state)
    _complain(what, known, {name: _kind(x) for name, x in state.items()}, dtypes=False)


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
    given = {name: _native(x) for name, x in state.items()}
    _complain(what, known, {name: _kind(x) for name, x in given.items()}, dtypes=True)
    fixed = [name for name, x in known.items() if not _writable(x)]
    if fixed:
        raise StateError(
            f"{what} cannot take this state",
            why=f"its {', '.join(fixed)} cannot be written to: it is read-only or on a device",
        )
    return {name: np.asarray(x) for name, x in given.items()}


def _expect_mapping(what: str, state: Any) -> None:
    if not isinstance(state, Mapping):
        raise StateError(
            f"{what} takes a state that is a dict of arrays by name, not {type(state).__name__}",
            attempt="module.state() of a module built with the same settings",
        )


def _native(x: Any) -> Any:
    """Give an array of this machine's order of bytes, of what lies on the cpu."""
    data = x.to("cpu").data if isinstance(x, Tensor) else x
    if isinstance(data, np.ndarray) and not data.dtype.isnative:
        return data.astype(data.dtype.newbyteorder("="))
    return data


def _writable(x: Tensor) -> bool:
    return isinstance(x.data, np.ndarray) and x.data.flags.writeable


def _kind(x: Any) -> TensorType | str:
    """Give the type of an entry, or say in short what it is if it is no tensor."""
    try:
        operand = as_operand(x)
    except CgkitError:
        if isinstance(x, np.ndarray):
            return repr(TensorType(x.shape, x.dtype))
        return f"{' '.join(repr(x).split()):.40}"
    return TensorType(operand.shape, operand.dtype)


def _complain(
    what: str, known: Mapping[str, Tensor], given: Mapping[Any, TensorType | str], *, dtypes: bool
) -> None:
    wanted = {name: TensorType(x.shape, x.dtype) for name, x in known.items()}
    lines = [f"missing     {name}: {kind}" for name, kind in wanted.items() if name not in given]
    lines += [f"unexpected  {name}: {kind}" for name, kind in given.items() if name not in wanted]
    lines += [
        f"differs     {name}: {given[name]}, where {kind} is needed"
        for name, kind in wanted.items()
        if name in given and not _fits(given[name], kind, dtypes)
    ]
    if lines:
        raise StateError(
            f"{what} cannot take this state",
            why="\n  ".join([*lines, "nothing was changed"]),
            attempt="the state of a module built with the same settings",
        )


def _fits(found: TensorType | str, wanted: TensorType, dtypes: bool) -> bool:
    if isinstance(found, str) or found.shape != wanted.shape:
        return False
    return found.dtype == wanted.dtype or not dtypes
