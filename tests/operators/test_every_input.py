"""Every operator on every sort of input: each dtype, extremes, nothing, no axes, odd strides.

    sample ─ inputs_of ─> the same operands cast, emptied, turned, full of nan ... ─┬─ arrays
                                                                                    ├─ types
    one verdict: the same results, or an error in our words                         └─ Tensors, back

What is right is for the laws and for NumPy and torch to say; here nothing may break, warn, write to
an operand, or be told otherwise by infer.
"""

import warnings

import numpy as np
import pytest

from cgkit import Tensor, grad, ops
from cgkit.errors import CgkitError
from cgkit.node import Kind, Sample
from cgkit.operators.samples import backward_view
from cgkit.testing.cases import is_array, listed, same, samples_of, type_of
from cgkit.types import DTYPES

OPERATORS = list(ops.ALL.values())
NAMES = sorted(map(str, DTYPES))
VALUES = (np.nan, np.inf, -np.inf, 0.0, -0.0)
FLOAT_EXTREMES = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -2.5)
# What an operator may refuse though infer does not: it depends on values.
BY_VALUE = ("lies outside", "a mask of shape", "negative whole number", "is not that of a part of")


def cast(x, dtype):
    """Give numbers of another dtype; whole ones for what is not finite."""
    whole = x.dtype.kind == "f" and np.dtype(dtype).kind != "f"
    x = np.nan_to_num(x, nan=1, posinf=3, neginf=2) if whole else x
    with np.errstate(all="ignore"):
        return (np.abs(x) if whole else x).astype(dtype)


def extreme(x):
    """Give the same shape and dtype, full of the largest, smallest and oddest numbers there are."""
    kind = x.dtype.kind
    if kind == "f":
        limits = np.finfo(x.dtype)
        found = (*FLOAT_EXTREMES, limits.max, limits.min, limits.tiny)
    elif kind == "b":
        found = (True, False)
    else:
        limits = np.iinfo(x.dtype)
        found = (limits.min, limits.max, 0, 1)
    drawn = np.random.default_rng(0).choice(np.array(found, x.dtype), size=x.shape)
    return np.asarray(drawn, x.dtype)


def filled(x, value):
    """Give the same number everywhere."""
    return np.full(x.shape, value, x.dtype) if x.dtype.kind == "f" else x


def apart(x):
    """Give a view with every second element of its memory."""
    wide = np.zeros(tuple(2 * size for size in x.shape), x.dtype)
    view = wide[(..., *(slice(None, None, 2),) * x.ndim)]
    view[...] = x
    return view


def inputs_of(sample):
    """Give the operands of a sample in other forms, those of its own among them."""
    xs = sample.operands
    arrays = [i for i, x in enumerate(xs) if is_array(x)]
    floats = [i for i in arrays if xs[i].dtype.kind == "f"] or arrays

    def changed(act, places=floats):
        return tuple(act(x) if i in places else x for i, x in enumerate(xs))

    yield xs
    for name in NAMES:
        yield changed(lambda x, name=name: cast(x, name))
        yield changed(lambda x, name=name: extreme(cast(x, name)))
        for i in arrays if len(arrays) > 1 else ():
            yield changed(lambda x, name=name: cast(x, name), [i])
    for value in VALUES:
        yield changed(lambda x, value=value: filled(x, value))
    for act in (backward_view, apart, np.asfortranarray):
        yield changed(act, arrays)
    yield changed(lambda x: np.zeros((), x.dtype), arrays)
    yield changed(lambda x: np.zeros((0,) * x.ndim, x.dtype), arrays)
    for i in arrays:
        for shape in ((), (0,), (0, 3)):
            yield changed(lambda x, shape=shape: np.zeros(shape, x.dtype), [i])
        for axis, size in ((axis, size) for axis in range(xs[i].ndim) for size in (0, 1)):
            part = (slice(None),) * axis + (slice(0, size),)
            yield changed(lambda x, part=part: x[part], [i])
            alike = [j for j in arrays if xs[j].ndim == xs[i].ndim]
            yield changed(lambda x, part=part: x[part], alike)
        if xs[i].size:
            yield changed(lambda x: x.reshape(-1)[0], [i])
            yield changed(lambda x: x.reshape(-1)[0].item(), [i])


def verdict(act):
    """Give the results, or the error in our words; a warning is none of either."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"cgkit\.")
        try:
            return act()
        except CgkitError as error:
            return error


def check(operator, xs, params):
    before = [np.array(x) if is_array(x) else x for x in xs]
    found = verdict(lambda: listed(operator, operator(*xs, **params)))
    for x, old in zip(xs, before, strict=True):
        assert not is_array(x) or same(x, old)
    if all(isinstance(x, np.ndarray | np.generic) for x in xs):
        _check_types(operator, xs, params, found)
    if not isinstance(found, CgkitError):
        _check_memory(operator, xs, found)
    _check_tensors(operator, xs, params, found)


def _check_types(operator, xs, params, found):
    inferred = verdict(lambda: operator.types([type_of(x) for x in xs], params))
    if isinstance(found, CgkitError):
        told = isinstance(inferred, CgkitError) or any(part in str(found) for part in BY_VALUE)
        assert told, found
    elif isinstance(inferred, CgkitError):
        assert "depends on the values" in str(inferred)
    elif not operator.tells:
        assert list(inferred) == [type_of(y) for y in found]


def _check_memory(operator, xs, found):
    for y in found:
        assert type(y) is np.ndarray or isinstance(y, np.generic)
        for x in filter(is_array, xs):
            assert y is not x
            assert operator.kind is Kind.MOVEMENT or not np.shares_memory(y, x)


def _check_tensors(operator, xs, params, found):
    handles = [Tensor(x) if is_array(x) else x for x in xs]
    points = [x.requires_grad_() for x in handles if isinstance(x, Tensor) and x.dtype.kind == "f"]
    if not any(isinstance(x, Tensor) for x in handles):
        return
    ys = verdict(lambda: listed(operator, operator(*handles, **params)))
    assert isinstance(ys, CgkitError) == isinstance(found, CgkitError), (ys, found)
    if isinstance(ys, CgkitError):
        return
    assert [type_of(y.data) for y in ys] == [type_of(y) for y in found]
    followed = [y for y in ys if y.requires_grad]
    if points and followed:
        slopes = verdict(lambda: _slopes(followed, points))
        assert not isinstance(slopes, CgkitError), slopes
        assert [type_of(g.data) for g in slopes] == [type_of(x.data) for x in points]


def _slopes(ys, points):
    total = sum((ops.sum(y) for y in ys[1:]), ops.sum(ys[0]))
    return grad(total, points, materialize_grads=True)


def swept(operator, samples):
    for sample in samples:
        for xs in inputs_of(sample):
            try:
                check(operator, xs, sample.params)
            except Exception as error:
                error.add_note(f"with {Sample(xs, sample.params)}")
                raise


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_a_sample_in_every_form(operator):
    samples = samples_of(operator)
    plain = [s for s in samples if all(is_array(x) and x.size and x.ndim for x in s.operands)]
    swept(operator, (plain or samples)[:1])


@pytest.mark.slow
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_sample_in_every_form(operator):
    swept(operator, samples_of(operator))
