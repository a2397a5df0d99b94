"""Every operator obeys every law, and its samples cover what they must, or a reason stands here.

for each operator ─ for each law ─ on each sample          e.g.  gradients_agree on matmul
"""

import numpy as np
import pytest

from cgkit import ops
from cgkit.node import Sample
from cgkit.operators.samples import backward_view
from cgkit.testing.cases import computed, coverage, is_array, samples_of
from cgkit.testing.laws import LAWS, WHOLE
from cgkit.testing.readings import scalar_agrees

OPERATORS = list(ops.ALL.values())
WANTED = {
    "0-d", "empty", "broadcast", "negative stride", "nan", "inf", "float64", "float32", "int32",
    "int64",
}  # fmt: skip

ONE_OPERAND = "it has one operand, so nothing can broadcast"
BITS = "floats have no bits to combine"
KEYS = "it reads a key or a seed, one whole number"
NO_AXIS = "a single number has no axis to join, cut, sum over or slide along"
WHY_NOT = {
    **{(each.name, "broadcast"): ONE_OPERAND for each in OPERATORS if each.operands == 1},
    **{
        (name, what): BITS
        for name in (
            "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "left_shift", "right_shift",
        )
        for what in ("float64", "float32", "nan", "inf")
    },
    **{
        (name, what): KEYS
        for name in (
            "key", "split_key", "fold_in", "uniform", "normal", "randint", "permutation",
        )
        for what in ("empty", "broadcast", "negative stride", "nan", "inf", "float64", "float32")
    },
    **{
        (name, what): KEYS
        for name in ("split_key", "uniform", "normal", "randint", "permutation")
        for what in ("int32", "int64")
    },
    **{
        (name, "0-d"): NO_AXIS
        for name in (
            "concat", "matmul", "split", "tril", "triu", "diagonal", "on_diagonal", "eye_like",
            "softmax", "log_softmax", "cumsum", "cumprod", "recurrence", "gather_elements",
            "add_elements", "positions", "argsort", "argtopk", "argcummax", "argcummin",
            "argunique", "logcumsumexp", "det", "cofactors", "fft",
            "avg_pool", "avg_unpool", "lp_pool", "max_pool", "max_pool_places", "max_pool_taken",
            "max_unpool", "batch_norm", "batch_norm_train",
            *(f"conv{n}d{part}" for n in (1, 2, 3) for part in ("", "_transpose", "_kernel")),
        )
    },
    ("max_unpool", "broadcast"): "each place has one element",
    **{
        ("lasting", what): "its operands are places, whole numbers"
        for what in ("float64", "float32", "int32", "nan", "inf", "negative stride", "broadcast")
    },
    ("stack", "broadcast"): "it joins tensors of one shape",
    ("recurrence", "broadcast"): "each element has its own factor",
    ("add_elements", "broadcast"): "each element has its own place",
    **{
        (name, what): "it takes places, which are whole numbers"
        for name in ("one_hot",)
        for what in ("float64", "float32", "nan", "inf")
    },
    **{
        ("non_max_suppression", what): "it takes boxes and scores, floats of three axes"
        for what in ("0-d", "int32", "int64")
    },
}  # fmt: skip

# Sums, products and choices of single numbers have one right answer, with no rounding in between.
EXACT = (
    "add", "sub", "mul", "div", "neg", "sqrt", "abs", "sign", "maximum", "minimum", "less",
    "less_equal", "greater", "greater_equal", "equal", "not_equal", "relu", "where", "gate",
    "share", "floor", "ceil", "trunc", "round", "floor_div", "mod", "fmod", "at_least", "at_most",
    "logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and", "bitwise_or",
    "bitwise_xor", "bitwise_not", "left_shift", "right_shift", "isnan", "isinf", "isfinite",
)  # fmt: skip


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law, operator):
    for sample in samples_of(operator):
        law(operator, sample)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
@pytest.mark.parametrize("law", WHOLE, ids=lambda law: law.__name__)
def test_law_of_the_whole(law, operator):
    law(operator)


@pytest.mark.parametrize("name", EXACT)
def test_scalar_is_exact(name):
    for sample in samples_of(ops.ALL[name]):
        scalar_agrees(ops.ALL[name], sample, ulps=0)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_samples_cover_what_they_must(operator):
    excused = {what for name, what in WHY_NOT if name == operator.name}
    missing = WANTED - coverage(samples_of(operator))
    assert missing == excused, f"{operator.name}: missing {missing}, excused {excused}"


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_strides_do_not_matter(operator):
    # of empty arrays and of axes of size 1 too, whose strides mean nothing
    for sample in samples_of(operator):
        turned = [backward_view(x) if is_array(x) else x for x in sample.operands]
        found = computed(operator, Sample(tuple(turned), sample.params))
        for got, want in zip(found, computed(operator, sample), strict=True):
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_an_elementwise_operator_has_a_scalar():
    without = [op.name for op in OPERATORS if op.kind.name == "ELEMENTWISE" and op.scalar is None]
    assert without == ["cast"]  # its result depends on a dtype, which a single number has not


def test_each_family_is_there():
    families = {operator.family for operator in OPERATORS}
    assert families == {
        "elementwise", "activation", "matrix", "reduction", "shape", "indexing", "random",
    }  # fmt: skip


def test_each_operator_counts_its_operands():
    varying = {operator.name for operator in OPERATORS if operator.operands is None}
    joined = {"scatter_mul", "scatter_max", "scatter_min"}
    assert varying - joined == {"index", "scatter", "concat", "stack", "einsum", "put", "lasting"}
