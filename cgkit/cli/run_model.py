"""`cgkit run MODEL.onnx`: an ONNX model, run once, and what that cost.

    cgkit run net.onnx                            random inputs, open sizes 1
    cgkit run net.onnx --size N=8 --seed 3        other sizes, other numbers
    cgkit run net.onnx --input x=x.npy            inputs from files that np.save wrote

    read ─► graph ─► inputs: from files, or drawn ─► run, watched ─► a table

Parameters, operations and memory are those of the cost model, the time is the clock's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np

from cgkit.cli.model_inputs import Job, as_size, misassumed, pairs, read_array, settle
from cgkit.cli.report import Item, Progress, finish, json_option
from cgkit.errors import ShapeError, UsageFault
from cgkit.onnx.summary import Summary, measured
from cgkit.types import Size, TensorType, size_at

COSTLIEST = 8
"""How many operators are listed."""

LONGEST = 36
"""Letters of a name in a list."""


@dataclass(frozen=True)
class Fact(Item):
    """A line with its numbers."""

    values: dict[str, Any] = field(default_factory=dict)


@click.command()
@click.argument("model", metavar="MODEL.onnx")
@click.option("--input", "inputs", multiple=True, metavar="NAME=FILE.npy", help="An input's value.")
@click.option("--size", "sizes", multiple=True, metavar="NAME=N", help="An open size's value.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Decides the inputs that are drawn.",
)
@json_option
def command(
    model: str, inputs: tuple[str, ...], sizes: tuple[str, ...], seed: int, as_json: bool
) -> None:
    """Run an ONNX model once, and say what that cost.

    Inputs without a file are drawn: real numbers around 0, whole numbers 0 or 1. Open sizes without
    a value are 1. Then come the operators that take most operations, and the outputs.
    """
    if not Path(model).is_file():
        raise UsageFault(f"there is no file {model}")
    wanted = {name: as_size(name, text) for name, text in pairs("size", sizes).items()}
    files = pairs("input", inputs)
    given = {name: read_array(name, Path(file)) for name, file in files.items()}
    job = settle(model, given, wanted, seed)
    found = watched(job)
    about = [*of_model(Path(model), job, found), *of_inputs(job, seed)]
    finish("run", [*about, *of_cost(found), *of_operators(found), *of_outputs(job, found)], as_json)


def watched(job: Job) -> Summary:
    """Run a graph with a line of progress; where sizes that were assumed do not fit, say so."""
    with Progress("running", total=len(job.graph.nodes)) as progress:
        try:
            return measured(job.graph, job.arrays, tell=lambda node: progress.step(node.name))
        except ShapeError as error:
            if not job.assumed:
                raise
            raise misassumed(job.assumed, error.what) from None


def of_model(path: Path, job: Job, found: Summary) -> Iterator[Item]:
    """Say what the model is."""
    proto = job.model.proto
    opsets = {entry.domain or "opset": entry.version for entry in proto.opset_import}
    words = [f"{name} {version}" for name, version in opsets.items()]
    words += [f"by {proto.producer_name}"] * bool(proto.producer_name)
    yield Fact("model", "note", f"{path.name}, {', '.join(words)}", {"opsets": opsets})
    nodes, operators = len(proto.graph.node), len(found.shares)
    counts = {"nodes": nodes, "operators": operators}
    yield Fact("nodes", "note", f"{nodes:,} in the file, {operators:,} operators run", counts)


def of_inputs(job: Job, seed: int) -> Iterator[Item]:
    """Say what the model was run on, and what was assumed."""
    for name, array in zip(job.names, job.arrays, strict=True):
        origin = f"drawn with seed {seed}" if name in job.drawn else "from its file"
        yield Fact(f"input {name}", "note", f"{type_of(array)}, {origin}")
    for name in job.fixed:
        yield Fact(f"input {name}", "note", "from its file; the graph is built for this value")
    for name, size in job.assumed.items():
        words = f"{size}, since there is no --size {name}=..."
        yield Fact(f"size {name}", "note", words, {"size": size})


def of_cost(found: Summary) -> Iterator[Item]:
    """Say what the run cost as a whole."""
    numbers = {"parameters": found.parameters, "constants": found.constants}
    more = f", and {found.constants:,} numbers in constants" if found.constants else ""
    yield Fact("parameters", "note", f"{found.parameters:,}{more}", numbers)
    yield Fact("FLOPs", "note", f"{found.flops:,}", {"flops": found.flops})
    peak, memory = found.memory.peak, found.memory
    sizes = {"peak": peak.nbytes, "all": memory.naive, "held": memory.held}
    where = f" at {peak.node.name or peak.node.operator.name}" if peak.node else ""
    words = (
        f"{mebibytes(peak.nbytes)}{where}, of {mebibytes(memory.naive)} that are made; "
        f"beside {mebibytes(memory.held)} of inputs and weights"
    )
    yield Fact("peak memory", "note", words, sizes)
    yield Fact("time", "note", f"{found.seconds:.3f} s", {"seconds": found.seconds})


def of_operators(found: Summary) -> Iterator[Item]:
    """List the operators that take most operations."""
    shares = found.costliest(COSTLIEST)
    rows = [
        [end_of(share.name), str(share.result), f"{share.flops:,} FLOPs",
         f"{share.flops / found.flops:.1%}", f"{share.seconds * 1000:.1f} ms"]
        for share in shares
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, (share, row) in enumerate(zip(shares, rows, strict=True), 1):
        left = [f"{word:<{width}}" for word, width in zip(row[:2], widths, strict=False)]
        right = [f"{word:>{width}}" for word, width in zip(row[2:], widths[2:], strict=True)]
        yield Fact(
            f"{number}. {share.node.operator.name}", "note", "  ".join([*left, *right]).strip(),
            {"node": share.name, "flops": share.flops, "seconds": share.seconds},
        )  # fmt: skip


def end_of(name: str) -> str:
    """Give the end of a name that is too long for a column.

    Examples
    --------
    >>> end_of("/encoder/layers.0/self_attn/MatMul_output_0")
    '…/layers.0/self_attn/MatMul_output_0'
    """
    return name if len(name) <= LONGEST else "…" + name[1 - LONGEST :]


def of_outputs(job: Job, found: Summary) -> Iterator[Item]:
    """Say what the outputs are."""
    for output, array in zip(job.model.proto.graph.output, found.outputs, strict=True):
        yield Fact(f"output {output.name}", "ok", f"{type_of(array)}{spread(array)}")


def type_of(array: np.ndarray) -> TensorType:
    """Give the type of an array."""
    return TensorType(array.shape, array.dtype)


def spread(array: np.ndarray) -> str:
    """Say between which numbers the elements of an array lie.

    Examples
    --------
    >>> spread(np.array([1.5, -2.0, np.nan])), spread(np.array([])), spread(np.array([True]))
    (', from -2 to 1.5, 1 of 3 not finite', '', ', from 1 to 1')
    """
    if not array.size:
        return ""
    finite = array[np.isfinite(array)]
    words = f", from {finite.min():.6g} to {finite.max():.6g}" if finite.size else ""
    odd = array.size - finite.size
    return words + (f", {odd:,} of {array.size:,} not finite" if odd else "")


def mebibytes(size: Size) -> str:
    """Write a number of bytes in MiB, or as it is if it is small.

    Examples
    --------
    >>> mebibytes(3 * 2**20), mebibytes(600)
    ('3.00 MiB', '600 bytes')
    """
    number = size_at(size, {})
    return f"{number / 2**20:,.2f} MiB" if number >= 10_000 else f"{number:,} bytes"
