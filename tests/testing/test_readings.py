"""Each law of values finds the liar that was made for it, and no other law need find it."""

import numpy as np
import pytest

from cgkit import Kind, Operator, TensorType, ops
from cgkit.errors import DtypeError
from cgkit.node import Sample
from cgkit.operators.elementwise import infer_like
from cgkit.testing import LawBroken
from cgkit.testing import readings as law

X = Sample((np.array([[1.5, -2.0, 0.25]]),))
PAIR = Sample((np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])))
like_exp = infer_like("liar", np.exp)


def liar(compute=np.exp, infer=like_exp, **more):
    return Operator("liar", compute, infer, **more)


def test_an_honest_operator_passes():
    honest = liar(scalar=lambda x: float(np.exp(x)), flops=lambda result, a: result.size)
    for each in (
        law.readings_agree, law.inferred, law.open_sizes, law.scalar_agrees, law.pure, law.counted,
        law.dtypes_agree,
    ):  # fmt: skip
        each(honest, X)


def test_a_result_that_depends_on_the_day_is_found():
    seen = []
    fickle = liar(lambda a: np.exp(a) + (seen.append(1) or len(seen)))
    with pytest.raises(LawBroken, match="a Tensor gives"):
        law.readings_agree(fickle, X)
    with pytest.raises(LawBroken, match="a second compute gave another"):
        law.pure(fickle, X)


@pytest.mark.parametrize(
    "infer",
    [
        lambda a: TensorType(a.shape[::-1], a.dtype),
        lambda a: TensorType(a.shape, "float32"),
        lambda a: TensorType((), a.dtype),
    ],
    ids=["shape", "dtype", "rank"],
)
def test_a_wrong_infer_is_found(infer):
    with pytest.raises(LawBroken, match="infer gives"):
        law.inferred(liar(infer=infer), X)


def test_a_size_fixed_too_early_is_found():
    stiff = liar(lambda a, n: np.exp(a) * n, lambda a, n: like_exp(a))
    law.open_sizes(stiff, Sample(X.operands, {"n": 2}))
    # an operator that counts while the graph is built, where a run should
    counting = liar(
        lambda a: np.exp(a)[:, :2], lambda a: TensorType((a.shape[0], a.shape[1] - 1), a.dtype)
    )
    law.open_sizes(counting, X)
    with pytest.raises(LawBroken, match="infer gives"):
        law.inferred(liar(lambda a: a, lambda a: TensorType((2, *a.shape[1:]), a.dtype)), X)


@pytest.mark.parametrize(
    ("scalar", "x"),
    [
        (lambda x: float(np.exp(x)) * (1 + 1e-15), 1.0),
        (lambda x: abs(float(x)), -0.0),
        (lambda x: 0.0, np.nan),
        (lambda x: 1e308, np.inf),
    ],
    ids=["a few ulps", "sign of zero", "nan", "inf"],
)
def test_a_wrong_scalar_is_found(scalar, x):
    compute = np.exp if x == 1.0 else np.positive
    with pytest.raises(LawBroken, match="scalar"):
        law.scalar_agrees(liar(compute, scalar=scalar), Sample((np.array([x]),)), ulps=2)


def test_ulps_are_allowed():
    near = liar(np.positive, scalar=lambda x: np.nextafter(x, np.inf))
    law.scalar_agrees(near, Sample((np.array([1.0]),)), ulps=1)
    with pytest.raises(LawBroken):
        law.scalar_agrees(near, Sample((np.array([1.0]),)), ulps=0)


def test_either_zero_may_be_the_maximum_of_both():
    other = Operator("max", np.maximum, infer_like("max", np.maximum), scalar=lambda a, b: a)
    law.scalar_agrees(other, Sample((np.array([0.0]), np.array([-0.0]))))
    law.scalar_agrees(other, Sample((np.array([-0.0]), np.array([0.0]))))


def overwrite(a, b):
    a += 1
    return a + b


def test_an_operator_that_writes_into_its_operand_is_found():
    sample = Sample(tuple(x.copy() for x in PAIR.operands))
    with pytest.raises(LawBroken, match="changed an operand"):
        law.pure(liar(overwrite, infer_like("liar", np.add)), sample)


def test_shared_memory_is_found_unless_it_is_a_view():
    with pytest.raises(LawBroken, match="shares memory"):
        law.pure(liar(lambda a: a[:, :1], kind=Kind.ELEMENTWISE), X)
    law.pure(liar(lambda a: a[:, :1], kind=Kind.MOVEMENT), X)
    with pytest.raises(LawBroken, match="the operand itself"):
        law.pure(liar(lambda a: a, kind=Kind.MOVEMENT), X)


@pytest.mark.parametrize("count", [lambda r, a: -1, lambda r, a: 2.0, lambda r, a: r.size - 4])
def test_a_count_that_is_none_is_found(count):
    with pytest.raises(LawBroken, match="it counts"):
        law.counted(liar(flops=count), X)


def test_dtypes_refused_on_one_side_only_are_found():
    def no_float32(a):
        if a.dtype == np.float32:
            raise DtypeError("no")
        return like_exp(a)

    with pytest.raises(LawBroken, match=r"infer says refused, compute \(float32"):
        law.dtypes_agree(liar(infer=no_float32), X)
    with pytest.raises(LawBroken, match="compute refused"):
        law.dtypes_agree(liar(np.invert, lambda a: a), X)


def test_infinite_operands_keep_their_dtype():
    law.dtypes_agree(ops.exp, Sample((np.array([np.inf]),)))
