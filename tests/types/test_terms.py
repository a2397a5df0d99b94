"""Polynomials, term by term; what they do as sizes is tested with those."""

import itertools
import math
from functools import reduce

import pytest

from cgkit.types.terms import Floor, add, at, divide, floor, least, multiply, show, symbols

N, M, ONE = {(("N", 1),): 1}, {(("M", 1),): 1}, {(): 1}


def test_what_is_divided_has_one_form():
    ((half, _),) = next(iter(floor(add(N, ONE, times=-1), 2)))
    assert half == Floor((((("N", 1),), 1), ((), -1)), 2)
    assert (half.by, half.terms, str(half)) == (2, {(("N", 1),): 1, (): -1}, "(N - 1)//2")
    assert floor(add(N, ONE), 2) == add(floor(add(N, ONE, times=-1), 2), ONE)


def test_the_order_in_which_it_was_computed_does_not_matter():
    halves = floor(N, 2), floor(M, 3), floor(add(multiply(N, M), ONE), 2)
    sums = [reduce(add, order) for order in itertools.permutations(halves)]
    assert len({tuple(floor(total, 5)) for total in sums}) == 1
    products = [reduce(multiply, order) for order in itertools.permutations((*halves, N))]
    assert len({tuple(product) for product in products}) == 1


@pytest.mark.parametrize(
    ("terms", "bound"),
    [
        (N, 0),
        (add(N, ONE, times=-3), -3),
        (floor(add(N, ONE, times=-3), 2), -2),
        (add(N, floor(N, 2), times=-1), 0),
        (add(N, floor(N, 2), times=-2), 0),
        (add(N, floor(N, 2), times=-3), -math.inf),
        (add(floor(N, 2), N, times=-1), -math.inf),
        (add(multiply(N, M), multiply(floor(N, 2), floor(M, 2)), times=-4), 0),
        (multiply(floor(add(N, ONE, times=-1), 2), M), -math.inf),
        ({}, 0),
    ],
)
def test_the_least_that_is_certain(terms, bound):
    assert least(terms) == bound
    values = [at(terms, {"N": n, "M": m}) for n, m in itertools.product(range(9), repeat=2)]
    assert min(values) >= bound


def test_parts_of_a_polynomial():
    mixed = add(multiply(floor(N, 2), M), ONE, times=7)
    assert symbols(mixed) == {"N", "M"}
    assert show(mixed) == "M*(N//2) + 7"
    assert divide(multiply(mixed, M), M) == mixed
    assert divide(mixed, M) is None
    assert divide(multiply(floor(N, 2), M), floor(N, 2)) == M
    assert at(mixed, {"N": 5, "M": 3}) == 13
    with pytest.raises(KeyError):
        at(mixed, {"M": 3})
