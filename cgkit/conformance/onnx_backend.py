"""ONNX's own tests of a backend: each operator, small graphs, graphs from torch, nine networks.

    node              1,884   one operator each, many twice: once as what it stands for
    simple               23   graphs written by hand, sequences and gradients among them
    pytorch-converted    82   layers as the first exporter of torch wrote them
    pytorch-operator     35   functions likewise
    light                 9   networks whose weights are constants

A test passes if every output has the shape, the dtype, and within the test's own tolerances the
values that ONNX says. A graph is built before there are inputs; where the values of some decide
shapes, it is built for these values, and where that takes all of them nothing is left open. How
many went which way is told.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cgkit.conformance.suite import Case, Suite, said
from cgkit.conformance.tally import Outcome
from cgkit.onnx.backend import prepare as prepare_model
from cgkit.onnx.inventory import MissingOperators

READINGS = ("values",)
TESTS = 2033
"""How many tests onnx 1.23 has; what another one lacks still counts."""
WANTED = 1650
KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator", "real")
"""As onnx calls its tests; those that it calls real are the light networks."""
GROUPS = {"real": "light"}
WAYS = {
    "static": "as one static graph",
    "fixed": "as a graph for the values of some inputs",
    "evaluated": "with nothing left open",
}

Arrays = Sequence[Any]
Pair = tuple[Arrays, Arrays]
"""Inputs, and the outputs that they should give."""


def prepare(folder: Path) -> list[Case]:
    """Make a case of each test, and of each that onnx no longer has."""
    cases = [
        Case(f"{group} {test.name}", group, partial(judged, group, test)) for group, test in drawn()
    ]
    if len(cases) < TESTS:
        cases.append(Case("missing", "no test", list, TESTS - len(cases)))
    return cases


def drawn(kinds: Sequence[str] = KINDS) -> Iterator[tuple[str, Any]]:
    """Give every test of some kinds, with its group."""
    from onnx.backend.test.loader import load_model_tests

    for kind in kinds:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = load_model_tests(kind=kind)
        for test in found:
            yield GROUPS.get(kind, kind), test


def judged(group: str, test: Any) -> list[Outcome]:
    """Run one test, and compare what it gives with what it should."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            way = tried(test)
        except MissingOperators as error:
            named = ", ".join(each.operator for each in error.missing)
            return [Outcome(group, READINGS, f"no rule for {named}")]
        except Exception as error:
            return [Outcome(group, READINGS, without_names(said(error)))]
    return [Outcome(group, way=WAYS[way])]


def tried(test: Any) -> str:
    """Run one test, and say how its model was run.

    Raises
    ------
    AssertionError
        An output is not what it should be; the message is onnx's.
    """
    from onnx.backend.test.runner import Runner

    prepared = prepare_model(test.model or str(model_path(test)))
    for inputs, expected in data_of(test):
        found = prepared.run(inputs)
        Runner.assert_similar_outputs(expected, found, test.rtol, test.atol)
    return prepared.way


def model_path(test: Any) -> Path:
    """Give where the model of a test lies."""
    import onnx

    if test.model_dir is None:  # a light network
        return Path(onnx.__file__).parent.parent.joinpath(*test.url.split("/"))
    return Path(test.model_dir) / "model.onnx"


def data_of(test: Any) -> Iterator[Pair]:
    """Give the inputs of a test, and the outputs that they should give.

    The light networks have no inputs of their own; as in onnx's runner they are counted up.
    """
    import onnx
    from onnx.backend.test.runner import Runner

    if test.data_sets is not None:
        for inputs, outputs in test.data_sets:
            yield [_array(x) for x in inputs], [_array(x) for x in outputs]
        return
    path: Path = model_path(test)
    model = onnx.load(path)
    if test.model_dir is None:
        given = {x.name for x in model.graph.initializer}
        free = [x for x in model.graph.input if x.name not in given]
        outputs = sorted(path.parent.glob(f"{path.stem}_output_*.pb"))
        yield [Runner.generate_dummy_data(x) for x in free], [_stored(file) for file in outputs]
        return
    for folder in sorted(path.parent.glob("test_data_set*")):
        counts = [len(list(folder.glob(f"{kind}_*.pb"))) for kind in ("input", "output")]
        yield (
            [_stored(folder / f"input_{i}.pb", x.type) for i, x in _first(counts[0], model, 0)],
            [_stored(folder / f"output_{i}.pb", x.type) for i, x in _first(counts[1], model, 1)],
        )


def _first(count: int, model: Any, outputs: int) -> Iterator[tuple[int, Any]]:
    declared = model.graph.output if outputs else model.graph.input
    return ((i, declared[i]) for i in range(count))


def _stored(path: Path, declared: Any = None) -> Any:
    """Read a value of a test: a tensor, or a list of them."""
    from onnx import SequenceProto, TensorProto, numpy_helper

    content = path.read_bytes()
    if declared is not None and declared.HasField("sequence_type"):
        return numpy_helper.to_list(SequenceProto.FromString(content))
    return numpy_helper.to_array(TensorProto.FromString(content))


def _array(x: Any) -> Any:
    from onnx import TensorProto, numpy_helper

    return numpy_helper.to_array(x) if isinstance(x, TensorProto) else x


def without_names(reason: str) -> str:
    """Give a reason without the names of a model, so that like ones are counted together.

    Examples
    --------
    >>> without_names("OnnxError: Cast (opset 19) at node 'n1': 'x' is none")
    'OnnxError: Cast (opset 19): ... is none'
    """
    return re.sub(r"'[^']*'", "...", re.sub(r" at node '[^']*'", "", reason))


def versions() -> str:
    """Name the onnx whose tests are run."""
    import onnx

    return f"onnx {onnx.__version__}"


ONNX = Suite(
    "onnx", "ONNX's tests of a backend", prepare, READINGS, needs=("onnx",),
    wanted=100.0 * WANTED / TESTS, wanted_each=0.0, versions=versions,
)  # fmt: skip
"""ONNX's tests: single operators, and networks of them."""
