"""What a module is made of, found by looking at its attributes: nothing is registered.

    self.weight = Tensor(..., requires_grad=True)    a parameter, "weight"
    self.mean   = Tensor(...)                        a buffer, "mean"
    self.blocks = [Block(), Block()]                 modules, "blocks.0" and "blocks.1"
    self._last  = h                                  an underscore: no member

Members may stand in lists, tuples and dicts. What stands in two places is one thing with one name,
that of the first place; so a shared weight is saved, updated and counted once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from cgkit import tree
from cgkit.errors import CaptureError, GradientError, StateError
from cgkit.symbolic import Value
from cgkit.tensor import Tensor

CONTAINERS = (list, tuple, dict)
NUMBERS = (int, float, np.ndarray, np.generic)


class Holder:
    """An object whose members are its attributes: tensors and further holders."""

    _name = ""
    """What its first owner calls it, for pictures and messages: "blocks.0"."""
    _copied = False
    """Whether it is a copy made to be called once, with other things in the place of tensors."""
    _keeping = False
    """Whether that copy may be assigned values of a graph, since someone will ask for them."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            old = vars(self).get(name)
            if isinstance(value, Value) and old is not None and self._written_to(old):
                old.copy_(value)  # a function is traced: it comes back when the graph has run
                return
            self._expect_member(name, value)
            for place, leaf in _spread(name, value):
                if isinstance(leaf, Holder) and not leaf._name:
                    leaf._name = place
        object.__setattr__(self, name, value)

    def _written_to(self, old: Any) -> bool:
        """Say whether a tensor stands for one that a compiled function may write to."""
        if isinstance(old, Value):
            writes = None if self._keeping else old.builder.writes
            return writes is not None and writes.back
        return isinstance(old, Tensor) and old.rank == Value.rank

    def _expect_member(self, name: str, value: Any) -> None:
        where = f"{type(self).__name__}.{name}"
        if isinstance(value, Value) and not self._keeping:
            raise CaptureError(
                f"{where} cannot keep {value!r}",
                why="it has no numbers, and belongs to a graph that is only being built",
                attempt="functional(module, state, x), which gives the new values of buffers",
            )
        if self._copied:
            return
        if isinstance(value, Tensor) and not value.is_leaf:
            raise GradientError(
                f"{where} cannot be {value!r:.60}",
                why="what a module learns or keeps was computed by nothing that requires grad",
                attempt=f"Tensor(x, requires_grad=True), x.detach(), or self._{name} for a note",
            )
        if isinstance(vars(self).get(name), Tensor) and isinstance(value, NUMBERS):
            raise StateError(
                f"{where} is a Tensor, and would be none any more: {value!r:.60}",
                why="only Tensors are learned, saved and loaded",
                attempt=f"Tensor({value!r:.20})",
            )

    def own(self) -> Iterator[tuple[str, Any]]:
        """Walk over the attributes, nested lists, tuples and dicts included, with their names."""
        for name, value in list(vars(self).items()):
            if not name.startswith("_"):
                yield from _spread(name, value)

    def members(self) -> Iterator[tuple[str, Any]]:
        """Walk over all attributes and those of holders among them, with their dotted names.

        A holder comes before what it holds, and only once.
        """
        yield "", self
        yield from _members(self, "", {id(self)})

    def named_tensors(self) -> dict[str, Tensor]:
        """Give all parameters and buffers by name, in the order in which they were assigned."""
        found: dict[str, Tensor] = {}
        seen: set[int] = set()
        for name, leaf in self.members():
            if isinstance(leaf, Tensor) and id(leaf) not in seen:
                if name in found:
                    raise StateError(
                        f"{type(self).__name__} has two tensors of the name {name!r}",
                        attempt="keys without dots in dicts of modules",
                    )
                seen.add(id(leaf))
                found[name] = leaf
        return found

    def replaced(self, put: Mapping[int, Any], *, keeping: bool) -> Self:
        """Give a copy to be called once, with other things in the place of its tensors.

        Parameters
        ----------
        put
            What takes the place of a tensor, by the tensor's id. What is shared stays shared.
        keeping
            Whether values of a graph may be assigned to it, for the caller to read.

        Returns
        -------
        A copy, which may be called and assigned to; the original does not notice.
        """
        made: dict[int, Any] = {}
        copied: Self = _copy(self, put, made)
        for copy in made.values():
            vars(copy).update(_copied=True, _keeping=keeping)
        return copied


def _members(holder: Holder, prefix: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    for name, leaf in holder.own():
        if not isinstance(leaf, Holder):
            yield prefix + name, leaf
        elif id(leaf) not in seen:
            seen.add(id(leaf))
            yield prefix + name, leaf
            yield from _members(leaf, f"{prefix}{name}.", seen)


def _spread(name: str, value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Walk over a value nested in lists, tuples and dicts, with a name for each leaf."""
    if isinstance(value, dict):
        parts: Iterable[tuple[Any, Any]] = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value)
    else:
        yield name, value
        return
    if any(value is container for container in above):
        raise StateError(f"{name} holds itself: no name would ever end")
    for key, part in parts:
        yield from _spread(f"{name}.{key}", part, (*above, value))


def _copy(value: Any, put: Mapping[int, Any], made: dict[int, Any]) -> Any:
    if isinstance(value, Holder):
        if id(value) not in made:
            copy = made[id(value)] = object.__new__(type(value))
            for name, attribute in vars(value).items():
                private = name.startswith("_")
                vars(copy)[name] = attribute if private else _copy(attribute, put, made)
        return made[id(value)]
    if type(value) in CONTAINERS:
        return tree.map_leaves(lambda leaf: _copy(leaf, put, made), value)
    return put.get(id(value), value)
