"""What surrounds a call of a module: the key it may want, the graph it is recorded in, its place.

network(x) ── scores(h) ── an error        note:  in layer scores = Linear(256, 10)
└─ under the scope "scores" where h is a Value of a graph that is being built
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from cgkit.errors import OperandError
from cgkit.nn.members import Holder
from cgkit.nn.outline import heading
from cgkit.node import Operator
from cgkit.symbolic import GraphBuilder, Value
from cgkit.tensor import Tensor


@cache
def takes_key(forward: Callable[..., Any]) -> bool:
    """Whether a forward has a parameter for the key of the call.

    Examples
    --------
    >>> takes_key(lambda x, key=None: x), takes_key(lambda x: x)
    (True, False)
    """
    return "key" in inspect.signature(forward).parameters


def check_call(
    what: str, forward: Callable[..., Any], inputs: Sequence[Any], settings: Mapping[str, Any]
) -> None:
    """Demand that a forward can be called in this way, for an error that says in which it can.

    Raises
    ------
    OperandError
        It cannot.

    Examples
    --------
    >>> check_call("It", lambda x, *, rate=0.5: x, (1.0, 2.0), {})
    Traceback (most recent call last):
    cgkit.errors.OperandError: It is called as (x, *, rate=0.5): too many positional arguments
    """
    signature = inspect.signature(forward)
    try:
        signature.bind(*inputs, **settings)
    except TypeError as error:
        plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        called = inspect.Signature(plain)
        raise OperandError(f"{what} is called as {called}: {error}") from None


def recorder(inputs: Iterable[Any]) -> GraphBuilder | None:
    """Give the graph that is being built by a call with these inputs; None if all have numbers.

    Lists, tuples and dicts among them are looked into.
    """
    for x in inputs:
        if isinstance(x, Value) and isinstance(x.builder, GraphBuilder):
            return x.builder
        if isinstance(x, tuple | list | dict):
            found = recorder(x.values() if isinstance(x, dict) else x)
            if found is not None:
                return found
    return None


def scope(holder: Holder, builder: GraphBuilder | None) -> AbstractContextManager[None]:
    """Let the nodes of a layer stand under its name, where a graph is being built."""
    if builder is None or not holder._name:
        return nullcontext()
    return builder.scope(holder._name.replace(".", "/"))


def taken(x: Any, name: str, builder: GraphBuilder) -> Value:
    """Take numbers of a module into a graph that is being built, to where their layer stands.

    Raises
    ------
    CaptureError
        They learn, and would be constants there.
    """
    if isinstance(x, Value):
        return x
    layer = name.rpartition(".")[0].replace(".", "/")
    with builder.scope(layer) if layer else nullcontext():
        value = builder.capture(x) if isinstance(x, Tensor) else builder.constant(x)
    return value if value.node.name else value.named(name)


def unusual(holder: Holder, operator: Operator, *names: str) -> dict[str, Any]:
    """Give those settings of a layer that an operator would not choose by itself.

    Parameters
    ----------
    holder
        The layer, with an attribute for each setting.
    operator
        What is called with them.
    names
        The settings.

    Examples
    --------
    >>> from cgkit import ops
    >>> from cgkit.nn import MaxPool2d
    >>> unusual(MaxPool2d(3, stride=2), ops.max_pool, "kernel", "stride", "padding")
    {'kernel': 3, 'stride': 2}
    """
    usual = _defaults(operator)
    found = {name: getattr(holder, name) for name in names}
    return {name: value for name, value in found.items() if value != usual[name]}


@cache
def _defaults(operator: Operator) -> dict[str, Any]:
    return {name: p.default for name, p in inspect.signature(operator).parameters.items()}


class Place(str):
    """A note that says in which layer something went wrong: its name, and how it was made."""

    __slots__ = ("holder",)

    holder: Holder

    def __new__(cls, path: str, holder: Holder) -> Place:
        """Write the note."""
        named = f"{path} = " * bool(path)
        made = super().__new__(cls, f"  in layer {named}{heading(holder)}")
        made.holder = holder
        return made


def tell_place(error: Exception, holder: Holder) -> None:
    """Note the innermost layer, by the name that the outermost has for it."""
    notes: list[str] = getattr(error, "__notes__", [])
    for i, note in enumerate(notes):
        if isinstance(note, Place):
            for path, leaf in holder.members():
                if leaf is note.holder:
                    notes[i] = Place(path, leaf)
            return
    error.add_note(Place(holder._name, holder))
