"""einsum against NumPy and against plain loops; sizes of 1, diagonals, dots; dot and outer."""

import itertools
import random
import warnings

import numpy as np
import pytest

from cgkit import GraphBuilder, ShapeError, Tensor, flops, grad, ops, run
from cgkit.errors import OperandError
from cgkit.operators.contraction import dot, names_of, outer
from cgkit.testing import check_gradient
from cgkit.types import Dim

SIZES = {"i": 2, "j": 3, "k": 4, "l": 2}


def loops(names, arrays):
    """Sum in the plainest way: over every value of every letter."""
    letters = sorted({*"".join(names.operands)})
    sizes = {}
    for term, x in zip(names.operands, arrays, strict=True):
        for letter, size in zip(term, x.shape, strict=True):
            sizes[letter] = max(sizes.get(letter, 1), size)
    result = np.zeros([sizes[x] for x in names.result])
    for values in itertools.product(*(range(sizes[x]) for x in letters)):
        at = dict(zip(letters, values, strict=True))
        product = 1.0
        for term, x in zip(names.operands, arrays, strict=True):
            product *= x[tuple(at[c] if n > 1 else 0 for c, n in zip(term, x.shape, strict=True))]
        result[tuple(at[x] for x in names.result)] += product
    return result


def draw(rng):
    terms = [
        "".join(rng.choice("ijkl") for _ in range(rng.randint(0, 3)))
        for _ in range(rng.randint(1, 3))
    ]
    there = sorted({*"".join(terms)})
    result = "".join(rng.sample(there, rng.randint(0, len(there))))
    stretched = rng.random() < 0.4
    shapes = []
    for term in terms:
        one = {x for x in term if stretched and rng.random() < 0.4}
        shapes.append(tuple(1 if x in one else SIZES[x] for x in term))
    return ",".join(terms) + "->" + result, shapes


@pytest.mark.parametrize("seed", range(40))
def test_random_equations(seed):
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    equation, shapes = draw(rng)
    arrays = [numbers.normal(size=shape) for shape in shapes]
    names = names_of(equation, tuple(map(len, shapes)))
    expected = loops(names, arrays)
    np.testing.assert_allclose(ops.einsum(equation, *arrays), expected, atol=1e-12)
    if sum(x.size for x in arrays) < 30:
        check_gradient(lambda *xs: ops.einsum(equation, *xs), *arrays)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk", [(2, 3), (3, 4)]), ("ba", [(2, 3)]), ("ii", [(3, 3)]),
        ("iijj->ij", [(2, 2, 3, 3)]), ("iii->i", [(3, 3, 3)]),
        ("...ij,...jk", [(5, 2, 3), (3, 4)]), ("i...->...", [(2, 3, 4)]), ("...", [(2, 3)]),
        ("...i,...i->...", [(4, 1, 3), (5, 3)]), ("i,i", [(3,), (3,)]), (",ij", [(), (2, 3)]),
        ("ij,ij->ij", [(2, 3), (1, 3)]), (" i j , j k -> i k ", [(2, 3), (3, 4)]),
        ("bij,bjk,kl->bil", [(2, 3, 4), (2, 4, 2), (2, 5)]), ("a...a->...", [(3, 2, 3)]),
    ],
)  # fmt: skip
def test_equations_are_numpys(equation, shapes):
    arrays = [np.random.default_rng(0).normal(size=shape) for shape in shapes]
    np.testing.assert_allclose(ops.einsum(equation, *arrays), np.einsum(equation, *arrays))
    np.testing.assert_allclose(ops.einsum(*arrays, equation=equation), np.einsum(equation, *arrays))


def test_dots_that_are_left_out_of_the_result_are_summed():
    x = np.arange(6.0).reshape(2, 3)
    assert ops.einsum("...i->i", x).tolist() == x.sum(0).tolist()


def test_the_slope_of_an_operand_whose_size_of_1_was_stretched():
    x, y = Tensor([1.0, 2.0, 3.0], requires_grad=True), Tensor([5.0], requires_grad=True)
    z = ops.einsum("i,i", x, y)
    assert z.item() == 30
    slopes = grad(z, [x, y], create_graph=True)
    assert [s.data.tolist() for s in slopes] == [[5, 5, 5], [6]]
    assert grad(slopes[1].sum(), x)[0].data.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("iii->i", [(2, 2, 2)]),
        ("iijj->j", [(2, 2, 2, 2)]),
        ("iji->j", [(2, 3, 2)]),
        ("ij,ii", [(1, 2), (3, 3)]),
    ],
)
def test_slopes_along_diagonals(equation, shapes):
    arrays = [np.random.default_rng(0).normal(size=shape) for shape in shapes]
    check_gradient(lambda *xs: ops.einsum(equation, *xs), *arrays)


@pytest.mark.parametrize(
    ("equation", "shapes", "kind", "said"),
    [
        ("ij,jk", [(2, 3)], OperandError, "it names 2 operands, given are 1"),
        ("ij", [(2,)], OperandError, "'ij' names 2 axes, the operand has 1"),
        ("i", [(2, 3)], OperandError, "'i' names 1 axes, the operand has 2"),
        ("i->j", [(2,)], OperandError, "'j' in the result must stand there once and in an operand"),
        ("ij->ii", [(2, 3)], OperandError, "'i' in the result must stand there once"),
        ("i1", [(2, 3)], OperandError, "something else than letters"),
        ("i......", [(2, 3)], OperandError, "something else than letters"),
        ("i->i.", [(2,)], OperandError, "something else than letters"),
        (",,,,,,,,", [()] * 9, OperandError, "more than 8 operands"),
        ("ij,jk", [(2, 3), (4, 5)], ShapeError, "on axis 'j' the sizes 3 and 4 differ"),
        ("ii", [(2, 3)], ShapeError, "on axis 'i' the sizes 2 and 3 differ"),
        ("ii", [(1, 3)], ShapeError, "on axis 'i' the sizes 1 and 3 differ"),
    ],
)
@pytest.mark.parametrize("world", ["eager", "static"])
def test_what_cannot_be_read_is_said_alike_in_both_worlds(equation, shapes, kind, said, world):
    builder = GraphBuilder()
    make = builder.placeholder if world == "static" else lambda shape: Tensor(np.ones(shape))
    with pytest.raises(kind, match=said):
        ops.einsum(equation, *map(make, shapes))


def test_open_sizes_and_costs():
    builder = GraphBuilder()
    n = Dim("N")
    x, y = builder.placeholder((n, 3)), builder.placeholder((3, 4))
    z = ops.einsum("ij,jk->ik", x, y)
    assert z.shape == (n, 4)
    assert flops(z.node) == n * 24
    assert ops.einsum("ii->i", builder.placeholder((n, n))).shape == (n,)
    (found,) = run(builder.graph([z]), np.ones((2, 3)), np.ones((3, 4)))
    assert found.tolist() == [[3] * 4] * 2


def test_a_view_is_never_given():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    y = ops.einsum("ij->ji", x)
    y.add_(1.0)
    assert x.data.tolist() == [[1, 2], [3, 4]]


def test_numbers_and_lists_are_multiplied_not_repeated():
    assert dot(2, [3.0, 4.0]).tolist() == [6, 8]
    assert dot([1.0, 2.0], [3.0, 4.0]) == 11
    assert outer([1.0, 2.0], 3.0).tolist() == [[3], [6]]


SHAPES = [(), (3,), (2, 3), (4, 2, 3), (3, 5), (4, 3, 5)]


@pytest.mark.parametrize("pair", list(itertools.product(SHAPES, SHAPES)), ids=str)
def test_dot_and_outer_are_numpys(pair):
    a, b = (np.random.default_rng(0).normal(size=shape) for shape in pair)
    np.testing.assert_allclose(outer(a, b), np.outer(a, b))
    try:
        expected = np.dot(a, b)
    except ValueError:
        with pytest.raises(ShapeError, match="differ"):
            dot(Tensor(a), Tensor(b))
        return
    np.testing.assert_allclose(dot(a, b), expected)
    np.testing.assert_allclose(dot(Tensor(a), Tensor(b)).data, expected)


def test_a_plain_number_may_be_an_operand():
    x = Tensor([1.0, 2.0], requires_grad=True)
    (slope,) = grad(ops.einsum(",i->i", 3.0, x).sum(), x)
    assert slope.data.tolist() == [3, 3]


def test_what_overflows_is_infinite_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ops.einsum("i,i", np.array([1e300, 1.0]), np.array([1e300, 1.0])) == np.inf
        assert np.isnan(ops.einsum("ij,jk", np.array([[np.inf]]), np.array([[0.0]])))[0, 0]
