"""torch's own samples of its core operators, computed by cgkit: forward and backward twice.

    for each sample of torch's table of operators, float64:
        values            CALLS[name](sample)  =  torch's
        gradient          of all results that have one, with fixed random seeds
        second gradient   of these, with respect to operands and seeds

All is compared with what torch computes in the same process, to 1e-7. Samples are drawn from fixed
seeds. A sample is counted once, and passes if all three agree.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.conformance.bridge import (
    Converter,
    difference,
    mapped,
    our_gradients,
    their_gradients,
    torch,
)
from cgkit.conformance.suite import Case, Suite, said
from cgkit.conformance.tally import Outcome
from cgkit.conformance.torch_calls import CALLS
from cgkit.tensor import Tensor

READINGS = ("forward", "gradient", "second gradient")
SAMPLES = 2083
TABLE = "torch.testing._internal.common_methods_invocations"
SEED = 3


@dataclass(frozen=True)
class Sample:
    """What one operator is called with, in torch's words."""

    name: str
    op: Callable[..., Any]
    args: tuple[Any, ...]
    params: dict[str, Any]


def samples() -> Iterator[Sample]:
    """Draw all samples of the core operators, in the order of the table."""
    pytorch = torch()
    table = importlib.import_module(TABLE).op_db
    for name in CALLS:
        for info in table:
            if info.name == name and pytorch.float64 in info.supported_dtypes("cpu"):
                pytorch.manual_seed(SEED)
                for drawn in info.sample_inputs("cpu", pytorch.float64, requires_grad=True):
                    yield Sample(name, info.op, (drawn.input, *drawn.args), drawn.kwargs)


def prepare(folder: Path) -> list[Case]:
    """Make a case of each sample, and of each that torch no longer has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = list(samples())
    cases = [
        Case(f"{sample.name} {number}", sample.name, partial(judged, sample))
        for number, sample in enumerate(drawn)
    ]
    if len(drawn) < SAMPLES:  # another torch: what it lacks still counts
        cases.append(Case("missing", "no sample", list, SAMPLES - len(drawn)))
    return cases


def judged(sample: Sample) -> Sequence[Outcome]:
    """Compare one sample with torch."""
    attention = importlib.import_module("torch.nn.attention")
    plain = attention.sdpa_kernel(attention.SDPBackend.MATH)  # the one with second gradients
    with warnings.catch_warnings(), np.errstate(all="ignore"), plain:
        warnings.simplefilter("ignore")
        failed, reason = _compared(sample)
    return [Outcome(sample.name, failed, reason)]


def _compared(sample: Sample) -> tuple[tuple[str, ...], str]:
    """Give the readings that failed, and why the first of them did."""
    args, params = mapped((sample.args, sample.params), _own)
    xs = [x for x in tree.flatten((args, params))[0] if _floating(x)]
    their, _ = tree.flatten(sample.op(*args, **params))
    convert = Converter()
    ours = mapped((args, {**params, **_choices(sample, args, params)}), convert)
    try:
        our, _ = tree.flatten(CALLS[sample.name](*ours[0], **ours[1]))
        why = difference([_array(y) for y in our], [y.numpy(force=True) for y in their])
    except Exception as error:
        return READINGS, said(error)
    if why:
        return READINGS, f"forward {why}"
    return _gradients(our, [convert(x) for x in xs], their, xs)


def _gradients(our: Any, points: Any, their: Any, xs: Any) -> tuple[tuple[str, ...], str]:
    floats = [i for i, y in enumerate(their) if y.is_floating_point()]
    rng = np.random.default_rng(SEED)
    seeds = [rng.normal(size=tuple(their[i].shape)) for i in floats]
    pulls = [rng.normal(size=tuple(x.shape)) for x in xs]
    first, second = their_gradients([their[i] for i in floats], xs, seeds, pulls)
    try:
        mine, again = our_gradients([our[i] for i in floats], points, seeds, pulls)
        why = difference(mine, first)
    except Exception as error:
        return READINGS[1:], said(error)
    if why:
        return READINGS[1:], f"gradient {why}"
    try:
        why = difference(again(), second)
    except Exception as error:
        return READINGS[2:], said(error)
    return (READINGS[2:], f"second gradient {why}") if why else ((), "")


def _array(y: Any) -> np.ndarray:
    return y.data if isinstance(y, Tensor) else np.asarray(y)


def _floating(x: Any) -> bool:
    return isinstance(x, torch().Tensor) and x.requires_grad


def _own(x: Any) -> Any:
    """Give a leaf with the same strides, or a copy of what torch may write to."""
    if not isinstance(x, torch().Tensor):
        return x
    return x.detach().requires_grad_() if x.requires_grad else x.detach().clone()


def _choices(sample: Sample, args: Any, params: Any) -> dict[str, Any]:
    """Give which shares torch's dropout keeps: with the unit matrix as values, it shows them.

    The samples' own function sets the seed, so that the same choice is made each time.
    """
    if not params.get("dropout_p"):
        return {}
    q, k, v = args
    unit = torch().eye(k.shape[-2], dtype=v.dtype).expand(*v.shape[:-1], -1)
    shares = sample.op(q, k, unit.contiguous(), **params)
    return {"kept": shares.detach() != 0}


def versions() -> str:
    """Name the torch that is compared with."""
    return f"torch {torch().__version__}"


OPINFO = Suite(
    "opinfo",
    "torch's samples of its core operators, float64",
    prepare,
    READINGS,
    needs=("torch", "expecttest"),
    wanted=95.0,
    wanted_each=90.0,
    versions=versions,
)
