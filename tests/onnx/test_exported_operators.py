"""Every operator is exported, and means in ONNX what it means here.

    samples ─> graph ─ to_model ─> checked ─> onnx's reference      the numbers of compute
                                     └────> load ─> graph           the same, and the printed form

A sample that another gets wrong is counted in FAULTS, and no other may fail. What is tried on a few
samples of each operator here is tried on all of them under `slow`.
"""

import numpy as np
import pytest

from cgkit import ops
from cgkit.errors import CgkitError, OnnxError
from cgkit.node import Sample
from cgkit.onnx import load
from cgkit.onnx.exporter import to_model
from cgkit.onnx.exporting import reasons
from cgkit.testing import LawBroken
from cgkit.testing.cases import built, computed, is_array, open_shapes, run_on, samples_of
from cgkit.testing.exports import difference, exported

OPERATORS = [one for name, one in ops.ALL.items() if name not in reasons()]
every_operator = pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: one.name)
a_few_or_all = pytest.mark.parametrize(
    "many", [pytest.param(2, id="few"), pytest.param(None, id="all", marks=pytest.mark.slow)]
)

# On so many samples the reference of the onnx package fails or differs, and this is why.
FAULTS = {
    "softsign": (2, "it makes no array of a single number"),
    "gather_elements": (4, "it wants places of the tensor's own size on other axes"),
    "conv1d_transpose": (4, "it does not group channels"),
    "conv2d_transpose": (4, "it does not group channels"),
    "conv3d_transpose": (2, "it takes no empty batch"),
    "lp_pool": (1, "it counts inf before nan"),
    "max_pool": (3, "it forgets padding that is not the same on both sides"),
    "max_pool_places": (3, "it forgets padding that is not the same on both sides"),
    "non_max_suppression": (1, "it puts scores of nan last"),
    "cofactors": (1, "of what is not finite ours are nan throughout"),
}
LATER = {"cumprod": 26, "bitcast": 26}
"""What has no words in older operator sets, and the one with which it begins."""


def failure(operator, sample, **more):
    """Say why the law does not hold of a sample; "" if it does."""
    try:
        exported(operator, sample, **more)
    except LawBroken as error:
        return str(error)
    except (TypeError, ValueError, IndexError) as error:
        if isinstance(error, CgkitError):  # ours are never the reference's
            raise
        return repr(error)
    return ""


@every_operator
def test_it_gives_its_values(operator):
    allowed, _ = FAULTS.get(operator.name, (0, ""))
    found = [why for sample in samples_of(operator) if (why := failure(operator, sample))]
    assert len(found) == allowed, "\n".join(found)


@a_few_or_all
@every_operator
def test_it_is_written_in_older_words(operator, many):
    opset = LATER.get(operator.name, 21)
    for sample in samples_of(operator)[:many]:
        assert not failure(operator, sample, opset=opset) or operator.name in FAULTS
        if operator.name in LATER:
            with pytest.raises(OnnxError, match=f"begins with operator set {opset}"):
                exported(operator, sample, opset=opset - 1)


@a_few_or_all
@every_operator
def test_it_is_written_with_open_sizes(operator, many):
    for sample in samples_of(operator)[:many]:
        for shapes in open_shapes([x.shape for x in sample.operands if is_array(x)]):
            try:
                why = failure(operator, sample, shapes=shapes)
            except CgkitError as error:  # some sizes must be known
                why = "" if "known" in str(error) or "is open" in str(error) else repr(error)
            # the reference transforms no signal that turns out to be empty
            assert not why or operator.name in {*FAULTS, "fft"}, shapes


@a_few_or_all
@every_operator
def test_it_returns(operator, many):
    # written and read again, a graph gives the same
    for sample in samples_of(operator)[:many]:
        model = to_model(built(operator, sample))
        found = run_on(load(model), sample)
        if operator.name == "cofactors" and not np.isfinite(sample.operands[0]).all():
            continue
        for got, expected in zip(found, computed(operator, sample), strict=True):
            assert not difference(got, expected), sample


NEEDING = {"fft", "avg_unpool", "max_pool_places", "logsumexp", "cofactors"}
"""Operators of which `load` must know a size that was written open, or no size may be 0."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "operator", [x for x in OPERATORS if x.name not in NEEDING], ids=lambda x: x.name
)
def test_it_returns_with_open_sizes(operator):
    for sample in samples_of(operator):
        for shapes in open_shapes([x.shape for x in sample.operands if is_array(x)]):
            try:
                graph = built(operator, sample, shapes)
                model = to_model(graph)
            except CgkitError:
                continue  # some sizes must be known
            found = run_on(load(model), sample)
            for got, expected in zip(found, computed(operator, sample), strict=True):
                assert not difference(got, expected), (sample, shapes)


DTYPES = (
    "bool", "int8", "uint8", "int16", "uint16", "uint32", "uint64", "float16",
)  # fmt: skip


def in_dtype(sample, dtype):
    """Give the same sample with floats in another dtype; what is unsigned has no sign."""
    scale = (lambda x: np.abs(x) * 3) if dtype[0] in "bu" else lambda x: x * 3
    operands = [
        scale(x).astype(dtype) if is_array(x) and x.dtype.kind == "f" else x
        for x in sample.operands
    ]
    return Sample(tuple(operands), sample.params)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@every_operator
def test_it_takes_every_dtype_that_ours_takes(operator, dtype):
    # of float16 the reference has too few digits, and no determinant
    if operator.name in FAULTS or (dtype == "float16" and operator.name in ("det", "var", "std")):
        return
    for sample in samples_of(operator):
        if not any(
            x.dtype == float and np.isfinite(x).all() for x in map(np.asarray, sample.operands)
        ):
            continue
        other = in_dtype(sample, dtype)
        try:
            built(operator, other)
        except CgkitError:
            continue  # ours does not take it
        why = failure(operator, other)
        assert not why or dtype == "float16", why


PAIR = (np.array([True, True, False, False]), np.array([True, False, True, False]))
BITS = (np.array([1, -5, 7]), np.array([3, 4, -1]))


def as_it_is(operator):
    """Give samples of an operator for which nothing has to be cast or stretched before."""
    if operator.name.startswith("logical"):
        return [Sample(PAIR[: operator.operands])]
    if operator.name.startswith("bitwise"):
        return [Sample(BITS[: operator.operands])]
    found = []
    for sample in samples_of(operator):
        operands = [np.asarray(x) for x in sample.operands]
        floats = {x.dtype for x in operands if x.dtype.kind == "f"}
        plain = len(floats) == 1 and all(x.dtype.kind in "fb" for x in operands)
        stretched = operator.name == "prelu" and operands[0].shape != operands[1].shape
        found += [sample] if plain and not stretched else []
    return found


@pytest.mark.parametrize("operator", [x for x in OPERATORS if x.onnx], ids=lambda x: x.name)
def test_what_is_one_to_one_is_printed_the_same(operator):
    samples = as_it_is(operator)
    assert samples
    for sample in samples:
        graph = built(operator, sample)
        model = to_model(graph)
        assert [node.op_type for node in model.graph.node] == [operator.onnx]
        assert str(load(model)) == str(graph)
