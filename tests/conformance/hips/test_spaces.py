"""Spaces: the laws of vectors, for numbers, arrays and nested values."""

import numpy as np
import pytest

from cgkit.conformance.hips.spaces import Space
from cgkit.errors import DtypeError

VALUES = [1.0, np.zeros((3, 2)), [1.0, np.zeros((2, 1))], {"x": (0.0, [np.zeros(2)]), "a": 2.0}]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_basis_and_products(value):
    space = Space(value)
    basis = list(space.standard_basis())
    assert len(basis) == space.size
    table = [[space.inner_prod(x, y) for y in basis] for x in basis]
    np.testing.assert_array_equal(table, np.eye(space.size))
    assert all(Space(x) == space for x in (*basis, space.ones(), space.zeros(), space.randn()))
    x = space.randn()
    doubled = space.add(x, space.covector(x))
    difference = space.add(doubled, space.scalar_mul(x, -2.0))
    assert space.inner_prod(difference, difference) == 0
    assert space.inner_prod(space.ones(), space.ones()) == space.size


def test_unlike_spaces():
    assert Space(1.0) == Space(3) == Space(np.float64(2.0))
    assert Space(1.0) != Space(np.zeros(1))
    assert Space(np.zeros(2)) != Space(np.zeros(2, "f4"))
    assert Space([1.0]) != Space((1.0,))
    assert Space([1.0]) != [1.0]
    assert len({Space(1.0), Space(2.0), Space([1.0])}) == 2
    assert repr(Space(1.0)) == "Space(((), 'float64'))"


def test_no_space_holds_complex_numbers_or_texts():
    with pytest.raises(DtypeError, match="no complex numbers"):
        Space(1j)
    with pytest.raises(TypeError, match="no space holds 'a'"):
        Space({"x": "a"})
