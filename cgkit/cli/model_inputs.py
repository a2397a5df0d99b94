"""What an ONNX model is run on: values from files or drawn, open sizes given or 1.

    --input x=x.npy ─┐
    --size N=4 ──────┼─ settle ─> Job: the graph, an array for each of its inputs, and what was
    --seed 0 ────────┘                 assumed

Everything that does not fit is one sentence that says what is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cgkit.errors import FileError, OnnxError, ShapeError, UnknownValue, UsageFault
from cgkit.graph import Graph
from cgkit.types import Dim, TensorType, size_at, solve

MOST = 2**33
"""Bytes that an input may take."""


@dataclass(frozen=True)
class Job:
    """What is to be run."""

    model: Any
    """The model, checked."""
    graph: Graph
    arrays: tuple[np.ndarray, ...]
    """A value for each input of the graph."""
    drawn: frozenset[str]
    """The inputs that are random."""
    fixed: tuple[str, ...]
    """The inputs whose values the graph was built for."""
    assumed: Mapping[str, int]
    """Open sizes that nobody gave, and what they are taken for."""

    @property
    def names(self) -> list[str]:
        """The names of the graph's inputs."""
        return ["" if edge.node is None else edge.node.name for edge in self.graph.inputs]


def pairs(option: str, words: Sequence[str]) -> dict[str, str]:
    """Take NAME=VALUE apart; the last sign of equality counts, since names may have some.

    Examples
    --------
    >>> pairs("size", ["N=4"])
    {'N': '4'}
    """
    found: dict[str, str] = {}
    for word in words:
        name, _, value = word.rpartition("=")
        if not (name and value):
            raise UsageFault(f"--{option} {word!r} is not NAME=VALUE")
        if name in found:
            raise UsageFault(f"--{option} {name}=... is given twice")
        found[name] = value
    return found


def as_size(name: str, text: str) -> int:
    """Read the value of an open size.

    Examples
    --------
    >>> as_size("N", "32")
    32
    """
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise UsageFault(
            f"--size {name}={text} is no size", why="a size is a whole number from 0 on"
        )
    return int(text)


def read_array(name: str, path: Path) -> np.ndarray:
    """Read the value of an input from a .npy file, whose header is not believed."""
    from cgkit.onnx.reading.files import read_file
    from cgkit.saved.arrays import from_npy

    try:
        content = read_file(path, MOST)  # no pipe, no device: reading these may never end
    except OnnxError as error:
        reason = (error.why or error.what).lower()
        raise UsageFault(f"input {name!r} cannot be read from {path}: {reason}") from None
    try:
        return from_npy(content, name, path)
    except FileError as error:
        raise UsageFault(
            error.what, why=error.why, attempt="np.save(file, array), of an array of numbers"
        ) from None


def settle(path: str, given: Mapping[str, np.ndarray], sizes: Mapping[str, int], seed: int) -> Job:
    """Read a model and settle what it is run on.

    Raises
    ------
    UsageFault
        What is given does not fit the model.
    OnnxError
        There is no model there, or cgkit cannot import it.
    """
    from cgkit.onnx.importer import open_sizes
    from cgkit.onnx.reading import open_model

    model = open_model(path)
    _check_names("input", given, [value.name for value in model.proto.graph.input])
    _check_names("open size", sizes, list(open_sizes(model)))
    graph, fixed, assumed = _built(model, given, sizes)
    binding = _told(graph, given)
    symbols = {symbol for edge in graph.inputs for size in edge.shape
               if isinstance(size, Dim) for symbol in size.symbols}  # fmt: skip
    assumed |= dict.fromkeys(sorted(symbols - binding.keys()), 1)
    rng = np.random.default_rng(seed)
    arrays: dict[str, np.ndarray] = {}
    for edge in graph.inputs:
        name = "" if edge.node is None else edge.node.name
        shape = tuple(size_at(size, {**binding, **assumed}) for size in edge.shape)
        arrays[name] = given[name] if name in given else _drawn(rng, TensorType(shape, edge.dtype))
    drawn = frozenset(arrays) - frozenset(given)
    return Job(model, graph, tuple(arrays.values()), drawn, fixed, assumed)


def _check_names(kind: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in given:
        if name not in names:
            listed = ", ".join(map(repr, names[:8])) + ", ..." * (len(names) > 8)
            why = f"it has {listed}" if names else f"it has no {kind}"
            raise UsageFault(f"the model has no {kind} {name!r}", why=why)


def _built(
    model: Any, given: Mapping[str, np.ndarray], sizes: Mapping[str, int]
) -> tuple[Graph, tuple[str, ...], dict[str, int]]:
    """Build the graph, for the values of inputs and sizes on which it depends.

    Inputs that have a value in the model are given by replacing it. An open size
    that the file of an input tells is not assumed.
    """
    from cgkit.onnx.importer import load, told_sizes

    told = {**told_sizes(model, given), **sizes}
    needed = dict(sizes)
    stored = {tensor.name for tensor in model.proto.graph.initializer}
    known = {name: array for name, array in given.items() if name in stored}
    assumed: dict[str, int] = {}
    while True:
        try:
            return load(model, known=known, sizes={**needed, **assumed}), tuple(known), assumed
        except UnknownValue as error:
            missing = [name for name in error.inputs if name not in given]
            if missing:
                raise UsageFault(
                    f"the graph depends on the value of input {missing[0]!r}",
                    why=error.what,
                    attempt=f"--input {missing[0]}=FILE.npy",
                ) from None
            fresh = [name for name in error.inputs if name not in known]
            open_ones = [name for name in error.sizes if name not in {*needed, *assumed}]
            if not fresh and not open_ones:
                raise
            known.update((name, given[name]) for name in fresh)
            needed.update((name, told[name]) for name in open_ones if name in told)
            assumed.update((name, 1) for name in open_ones if name not in told)
        except OnnxError as error:
            if assumed:
                raise misassumed(assumed, error.what, error.why) from None
            raise


def misassumed(assumed: Iterable[str], what: str, why: str = "") -> UsageFault:
    """Say that a model does not run with the sizes that were taken for it."""
    return UsageFault(
        f"the model does not run with the open sizes {', '.join(assumed)} taken as 1",
        why="\n  ".join(filter(None, (what, why))),
        attempt=" ".join(f"--size {name}=..." for name in assumed),
    )


def _told(graph: Graph, given: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Check the given inputs, and read off their open sizes."""
    binding: dict[str, int] = {}
    for edge in graph.inputs:
        name = "" if edge.node is None else edge.node.name
        if name not in given:
            continue
        array = given[name]
        found = TensorType(array.shape, array.dtype)
        refusal = f"input {name!r} is {edge.type}, and its file holds {found}"
        if array.dtype != edge.dtype:
            raise UsageFault(refusal, attempt=f"array.astype({edge.dtype.name!r})")
        try:
            solve(edge.shape, array.shape, binding)
        except ShapeError as error:
            raise UsageFault(refusal, why=error.why) from None
    return binding


def _drawn(rng: np.random.Generator, kind: TensorType) -> np.ndarray:
    """Draw the value of an input: real numbers around 0, whole numbers 0 or 1."""
    shape = [size_at(size, {}) for size in kind.shape]
    if size_at(kind.nbytes, {}) > MOST:
        raise UsageFault(
            f"an input of {kind} would take {kind.nbytes:,} bytes",
            why=f"no more than {MOST:,} are drawn",
            attempt="smaller sizes",
        )
    if kind.dtype.kind == "f":
        return rng.standard_normal(shape, np.float32).astype(kind.dtype)
    return rng.integers(0, 2, shape).astype(kind.dtype)
