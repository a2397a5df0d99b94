"""Modules of autograd's names, made of cgkit: what `import autograd.numpy as np` finds.

    pytest -p cgkit.conformance.hips.shim      installed() is called before any test is read

    np.sin(array)    NumPy's own          np.sin(Tensor)    numpy_calls.CALLS["sin"]
    np.linalg.svd(Tensor)                 NotImplementedError: cgkit has no linalg.svd

As a plugin of pytest it is active in the process that runs autograd's tests, and nowhere else.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from cgkit.conformance.hips import checking, functions, primitives, tracing
from cgkit.conformance.hips.numpy_calls import CALLS
from cgkit.conformance.hips.numpy_shapes import CALLS as SHAPES
from cgkit.conformance.hips.numpy_shapes import has_tensor
from cgkit.conformance.hips.spaces import Space
from cgkit.tensor import Tensor

OF_FUNCTIONS = (
    "grad", "value_and_grad", "grad_and_aux", "elementwise_grad", "deriv", "jacobian", "hessian",
    "make_vjp", "make_jvp", "make_hvp", "hessian_tensor_product", "tensor_jacobian_product",
    "make_ggnvp", "checkpoint", "holomorphic_grad",
)  # fmt: skip
CONTAINERS = {"list": list, "tuple": tuple, "dict": dict}


class Numpy(ModuleType):
    """A module of NumPy, whose functions take Tensors where cgkit has a function of that name."""

    def __init__(self, name: str, module: Any, prefix: str = "") -> None:
        super().__init__(name)
        self._module = module
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        full = self._prefix + name
        theirs = getattr(self._module, name, CALLS.get(full))
        if theirs is None:
            raise AttributeError(f"numpy has no {full}")
        if isinstance(theirs, type | ModuleType) or not callable(theirs):
            return theirs
        found = either(full, theirs)
        setattr(self, name, found)
        return found


def either(name: str, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that is NumPy's for arrays, and cgkit's for Tensors."""
    ours = CALLS.get(name)

    def call(*args: Any, **params: Any) -> Any:
        if not has_tensor(args) and not has_tensor(params):
            return theirs(*args, **params)
        if ours is None:
            raise NotImplementedError(f"cgkit has no {name}")
        return ours(*args, **params)

    call.__name__ = name
    return call


def is_instance(x: Any, kinds: Any) -> bool:
    """Say whether a value is of a kind; a Tensor is an array, as far as autograd's tests ask.

    Examples
    --------
    >>> is_instance(Tensor(1.0), np.ndarray), is_instance((), (list, tuple))
    (True, True)
    """
    several = kinds if builtins.isinstance(kinds, tuple) else (kinds,)
    return isinstance(x, several) or (isinstance(x, Tensor) and np.ndarray in several)


class Joiner:
    """NumPy's r_ and c_, which join what stands in brackets.

    Examples
    --------
    >>> Joiner("r_")[Tensor([1.0]), 2.0, 3:5].data.tolist()
    [1.0, 2.0, 3.0, 4.0]
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, key: Any) -> Any:
        theirs = getattr(np, self.name)
        if not has_tensor(key if builtins.isinstance(key, tuple) else (key,)):
            return theirs[key]
        parts = key if builtins.isinstance(key, tuple) else (key,)
        whole = [theirs[x] if builtins.isinstance(x, slice) else x for x in parts]
        rows = [CALLS["atleast_1d"](x) for x in whole]
        return CALLS["concatenate" if self.name == "r_" else "column_stack"](rows)


def make_diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Put the last axis of an array on the diagonal of two: autograd's own addition to NumPy."""
    found = SHAPES["make_diagonal"](Tensor(a), offset, axis1, axis2)
    return found.data


def modules() -> dict[str, ModuleType]:
    """Make all modules, by name."""
    numpy = Numpy("autograd.numpy", np)
    parts = {name: Numpy(f"autograd.numpy.{name}", getattr(np, name), f"{name}.")
             for name in ("linalg", "fft")}  # fmt: skip
    for name, part in {**parts, "random": np.random, "numpy_boxes": ModuleType("boxes")}.items():
        setattr(numpy, name, part)
    numpy.make_diagonal = either("make_diagonal", make_diagonal)  # type: ignore[attr-defined]
    for name in ("r_", "c_"):
        setattr(numpy, name, Joiner(name))
    of_functions = {name: getattr(functions, name) for name in OF_FUNCTIONS}
    common = {**of_functions, **CONTAINERS, "isinstance": is_instance, "numpy": numpy}
    core = {
        "make_vjp": tracing.make_vjp, "make_jvp": tracing.make_jvp, "vspace": Space,
        "primitive_vjps": {},
    }  # fmt: skip
    return {
        "autograd": _module("autograd", **common),
        "autograd.numpy": numpy,
        "autograd.numpy.random": np.random,
        **{f"autograd.numpy.{name}": part for name, part in parts.items()},
        "autograd.builtins": _module("builtins", **CONTAINERS, isinstance=is_instance),
        "autograd.core": _module("core", **core, primitive=primitives.primitive),
        "autograd.extend": _module(
            "extend", primitive=primitives.primitive, defvjp=primitives.defvjp
        ),
        "autograd.misc": _module(
            "misc", flatten=functions.flatten, const_graph=functions.const_graph
        ),
        "autograd.test_util": _module("test_util", **{
            name: getattr(checking, name)
            for name in ("check_grads", "check_equivalent", "combo_check", "scalar_close")
        }),
        "autograd.tracer": _module(
            "tracer", primitive=primitives.primitive, isbox=lambda x: isinstance(x, Tensor)
        ),
        "autograd.wrap_util": _module("wrap_util", unary_to_nary=functions.of_argument),
        "autograd.util": _module("util", quick_grad_check=checking.quick_grad_check),
    }  # fmt: skip


def _module(name: str, **content: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(content)
    return made


def installed() -> None:
    """Put the modules where `import` finds them first."""
    sys.modules.update(modules())


def pytest_configure() -> None:
    """Do so when pytest starts with this plugin."""
    installed()
