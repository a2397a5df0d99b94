"""Python's own notation means the operators, for Tensors and Values alike."""

import operator

import numpy as np
import pytest

from cgkit import DtypeError, GraphBuilder, ShapeError, Tensor, Value, ops, run
from cgkit.arithmetic import METHODS, settle
from cgkit.errors import CaptureError, CgkitError, OperandError

A = np.array([[1.5, -2.0], [0.5, 3.0]])
B = np.array([[2.0, 1.0], [-1.0, 4.0]])
BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.lt,
    operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
]  # fmt: skip


def in_both(act, *arrays):
    """Do something to Tensors and to Values; give both results as arrays."""
    eager = act(*map(Tensor, arrays))
    builder = GraphBuilder()
    values = [builder.placeholder(x.shape, x.dtype) for x in arrays]
    (static,) = run(builder.graph([act(*values)], values), *arrays)
    return eager.data, static


def check(act, *arrays):
    for found in in_both(act, *arrays):
        np.testing.assert_array_equal(found, act(*arrays))


@pytest.mark.parametrize("act", BINARY, ids=lambda act: act.__name__)
def test_two_tensors(act):
    check(act, A, B)


@pytest.mark.parametrize("act", [operator.floordiv, operator.mod], ids=lambda act: act.__name__)
@pytest.mark.parametrize("other", [B, 2.5, -3], ids=str)
def test_what_a_division_leaves(act, other):
    check(lambda x: act(x, other), A)
    check(lambda x: act(other, x), A)


BITS = (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift)


@pytest.mark.parametrize("act", BITS, ids=lambda act: act.__name__)
def test_bits(act):
    whole = np.array([[5, 3], [2, -7]])
    check(act, whole, abs(whole))
    check(lambda x: act(x, 2), whole)
    check(lambda x: act(2, x), abs(whole))
    check(operator.invert, whole)


def test_truth_values_combine():
    check(lambda x: ((x > 0.0) & (x < 2.0)) | ~(x > -1.0), A)
    check(lambda x: (x > 0.0) ^ True, A)


@pytest.mark.parametrize("act", BINARY, ids=lambda act: act.__name__)
@pytest.mark.parametrize("other", [B, 2.0, 3, np.float64(2)], ids=lambda x: type(x).__name__)
def test_a_tensor_and_something_else_from_both_sides(act, other):
    if act is operator.matmul and other is not B:
        with pytest.raises((ShapeError, TypeError)):
            act(Tensor(A), other)
        return
    check(lambda x: act(x, other), A)
    check(lambda x: act(other, x), A)


@pytest.mark.parametrize("number", [2, 2.0, 0.5, -1])
def test_powers(number):
    check(lambda x: abs(x) ** number, A)
    check(lambda x: 2.0**x, A)
    check(lambda x: 2**x, A)


@pytest.mark.parametrize(
    "name", ["sum", "mean", "max", "min", "prod", "any", "all", "var", "std", "argmax", "argmin"]
)
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_every_reduction_is_a_method(name, axis, keepdims):
    for found in in_both(lambda x: getattr(x, name)(axis, keepdims=keepdims), A):
        expected = getattr(np, name)(A, axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(found, expected)
        assert found.dtype == expected.dtype


def test_methods_of_shape_and_order():
    check(lambda x: x.cumsum(1), A)
    check(lambda x: x.cumprod(axis=0), A)
    check(lambda x: x.swapaxes(0, -1), A)
    for found in in_both(lambda x: x.unsqueeze(0).squeeze(0).flatten(), A):
        np.testing.assert_array_equal(found, A.reshape(-1))
    for found in in_both(lambda x: x.split(2, axis=1)[1] + x.split((1, 1), axis=1)[0], A):
        np.testing.assert_array_equal(found, A[:, 1:] + A[:, :1])
    for found in in_both(lambda x: x.var(axis=0, correction=1) + x.std(correction=1), A):
        np.testing.assert_allclose(found, A.var(0, ddof=1) + A.std(ddof=1))


def test_signs():
    check(operator.neg, A)
    check(operator.pos, A)
    check(abs, A)
    x = Tensor(A)
    assert +x is x


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(name, axis, keepdims):
    check(lambda x: getattr(x, name)(axis=axis, keepdims=keepdims), A)


def test_axes_may_be_a_list():
    assert Tensor(A).sum(axis=[0, 1]).item() == A.sum()


@pytest.mark.parametrize("shape", [(4,), ((4,),), ([2, 2],), (1, 4), (-1,), ((1, -1),)])
def test_reshapes(shape):
    check(lambda x: x.reshape(*shape), A)


def test_reshape_to_a_single_number():
    assert Tensor([3.0]).reshape().shape == Tensor([3.0]).reshape(()).shape == ()


def test_transposes():
    cube = np.arange(24.0).reshape(2, 3, 4)
    check(lambda x: x.T, cube)
    check(lambda x: x.transpose(), cube)
    check(lambda x: x.transpose((1, 0, 2)), cube)
    assert Tensor(cube).transpose([2, 0, 1]).shape == (4, 2, 3)


def test_items():
    for key in (0, (slice(1), -1), ..., [1, 0], None):
        check(lambda x, key=key: x[key], A)


def test_one_text_for_both_worlds():
    check(lambda x, y: ((x @ y - 1.0) / (abs(y) + 1.0)).sum(axis=0)[-1] * 2.0, A, B)


def test_what_no_tensor_can():
    with pytest.raises(CaptureError, match="cannot be written to in place"):
        GraphBuilder().placeholder((2, 2))[0] = 1.0
    for act in (operator.and_, operator.lshift):
        with pytest.raises(DtypeError, match="cannot take float64"):
            act(Tensor(A), Tensor(B))
    with pytest.raises(TypeError):
        divmod(Tensor(A), Tensor(B))


def test_transpose_takes_axes_one_by_one_or_together():
    x = Tensor(np.zeros((2, 3, 4)))
    assert x.transpose().shape == (4, 3, 2)
    assert x.transpose(1, 0, 2).shape == x.transpose((1, 0, 2)).shape == (3, 2, 4)
    assert x.transpose([0, 2, 1]).shape == (2, 4, 3)


def test_adding_with_an_equals_sign_makes_a_new_tensor():
    x = old = Tensor([1.0], requires_grad=True)
    x += 1.0
    assert x is not old
    assert (old.item(), x.item()) == (1, 2)
    assert not x.is_leaf


def test_numpys_arrays_and_numbers_may_stand_on_the_left():
    x = Tensor(A, requires_grad=True)
    for left in (B, np.float64(2), np.float32(2), np.int64(3), np.array(2.0)):
        for act in (*BINARY, operator.mod, operator.floordiv, operator.pow):
            if act is operator.matmul and np.ndim(left) == 0:
                continue
            y = act(left, x)
            assert isinstance(y, Tensor)
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(y.data, act(left, A))


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (np.exp, r"np.exp does not take a Tensor\n.*without remembering how\n.*ops.exp\(...\)"),
        (np.spacing, r"np.spacing does not take a Tensor(.|\n)*x.numpy\(\)"),
        (lambda x: np.add(x, x, where=True), r"np.add does not take a Tensor(.|\n)*ops.add"),
        (np.add.reduce, "np.add does not take"),
        (lambda x: operator.iadd(np.ones((2, 2)), x), "np.add cannot write a Tensor into an array"),
    ],
)
def test_numpys_functions_say_what_to_take_instead(act, said):
    with pytest.raises(OperandError, match=said):
        act(Tensor(A, requires_grad=True))


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_the_operator(name):
    given = {
        "cast": ("float32",), "cumsum": (0,), "cumprod": (-1,), "moveaxis": (0, 1), "pow": (2.0,),
        "maximum": (1.0,), "minimum": (1.0,), "repeat": (2,), "swapaxes": (0, 1), "tile": ((2, 1),),
        "unsqueeze": (0,), "clip": (-1.0, 1.0), "flip": (1,), "softmax": (0,), "var": (0, 1),
        "all": (0,), "any": (1,),
    }.get(name, ())  # fmt: skip
    data = A > 0 if name in ("all", "any") else abs(A)
    found = in_both(lambda x: getattr(x, name)(*given), data)
    np.testing.assert_array_equal(*found)
    operands, params = settle(getattr(ops, name), (data, *given), {})
    np.testing.assert_array_equal(found[0], getattr(ops, name)(*operands, **params))


def test_settings_may_be_given_by_position():
    assert settle(ops.var, ("x", 0, 1), {"keepdims": True}) == (
        ("x",), {"axis": 0, "correction": 1, "keepdims": True}
    )  # fmt: skip
    assert settle(ops.clip, ("x", 0, 1), {}) == (("x", 0, 1), {})
    with pytest.raises(OperandError, match="exp takes 1 operand, got 3"):
        Tensor(A).exp(1, 2)
    assert Tensor.exp.__doc__ == "e to the a."
    assert "limits" in Tensor.clip.__doc__


def test_parts_may_be_counted_by_a_numpy_number_and_nothing_else_is_taken_for_sizes():
    x = Tensor([1.0, 2.0, 3.0, 4.0])
    assert [part.shape for part in x.split(np.int64(2))] == [(2,), (2,)]
    for wrong in (None, "a", 1.5, {}):
        with pytest.raises(CgkitError, match=r"split|sections"):
            x.split(wrong)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("astype", 'x.cast("float64")'),
        ("ravel", "x.flatten()"),
        ("numel", "x.size"),
    ],
)
@pytest.mark.parametrize("make", [Tensor, lambda data: GraphBuilder().placeholder((1,))])
def test_what_others_call_by_another_name_is_named(make, name, said):
    x = make([1.0])
    assert not hasattr(x, name)
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    kind = type(x).__name__
    assert str(caught.value) == f"{kind!r} object has no attribute {name!r}\n  try      {said}"
    assert name not in dir(x)
    assert "flatten" in dir(x)


def test_looking_at_a_tensor_asks_no_python_code():
    # a __getattr__ anywhere among its classes would make every x.data and x.edge slower
    for kind in (Tensor, Value):
        assert not hasattr(kind, "__getattr__")


def test_what_has_no_numbers_yet_says_so():
    x = GraphBuilder().placeholder((1,))
    for name in ("numpy", "item", "data"):
        with pytest.raises(AttributeError, match="only being built, and has no numbers yet"):
            getattr(x, name)
    with pytest.raises(AttributeError, match=r"try      gradients\(y, xs\)"):
        x.backward()


def test_what_python_looks_for_is_no_mistake():
    for name in ("_repr_mimebundle_", "__array_struct__", "_nothing"):
        with pytest.raises(AttributeError) as caught:
            getattr(Tensor(1.0), name)
        assert str(caught.value) == f"'Tensor' object has no attribute {name!r}"
    assert getattr(Tensor(1.0), "zzzzzz", 3) == 3
