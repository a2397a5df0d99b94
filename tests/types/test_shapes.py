"""Shapes broadcast as NumPy's do, and a run's sizes tell what was open."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgkit.errors import ShapeError
from cgkit.types import Dim, broadcast_shapes, broadcast_sizes, count, show_shape, solve

N, M = Dim("N"), Dim("M")
shapes = st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(tuple)


@given(st.lists(shapes, min_size=1, max_size=3))
def test_broadcasting_is_numpys(given_shapes):
    try:
        expected = np.broadcast_shapes(*given_shapes)
    except ValueError:
        with pytest.raises(ShapeError, match="cannot broadcast"):
            broadcast_shapes(*given_shapes)
        return
    assert broadcast_shapes(*given_shapes) == expected


@pytest.mark.parametrize(
    ("given_shapes", "result"),
    [
        (((N, 784), (784,)), (N, 784)),
        (((N, 1), (1, M)), (N, M)),
        (((N,), (5,)), (5,)),
        (((N,), ()), (N,)),
        (((N, 3), (M, 3)), (N, 3)),
        (((), ()), ()),
        ((), ()),
    ],
)
def test_open_sizes_broadcast(given_shapes, result):
    assert broadcast_shapes(*given_shapes) == result


def test_an_open_size_of_one_does_not_stretch():
    one = N.bind({"N": 1})
    assert broadcast_sizes(one, 1) == one
    with pytest.raises(ShapeError, match="N = 1 and 4 were taken as equal"):
        broadcast_shapes((one,), (4,))


def test_the_error_shows_all_shapes_and_the_two_sizes():
    with pytest.raises(ShapeError) as caught:
        broadcast_shapes((2, 3), (3, 3), (1,))
    assert "(2, 3) with (3, 3) with (1,)" in str(caught.value)
    assert "2 and 3 differ" in caught.value.why


def test_count_and_show():
    assert count(()) == 1
    assert count((2, 0)) == 0
    assert count((N, 2, N)) == N * N * 2
    assert show_shape((N,)) == "(N,)"
    assert show_shape([2, N + 1]) == "(2, N + 1)"


class TestSolve:
    def read(self, shape, sizes, **known):
        binding = dict(known)
        return solve(shape, sizes, binding), binding

    def test_symbols_are_read_off(self):
        assert self.read((N, 784), (32, 784)) == ([], {"N": 32})
        assert self.read((N * 2 + 1, N), (9, 4)) == ([], {"N": 4})
        assert self.read((N,), (0,)) == ([], {"N": 0})
        assert self.read((N * M,), (6,), N=2) == ([], {"N": 2, "M": 3})
        assert self.read((N * M + N,), (8,), N=2) == ([], {"N": 2, "M": 3})

    def test_what_cannot_be_told_is_given_back(self):
        assert self.read((N * M,), (6,)) == ([N * M], {})
        assert self.read((N * N,), (9,)) == ([N * N], {})
        assert self.read((N * N, N), (9, 3)) == ([N * N], {"N": 3})

    @pytest.mark.parametrize(
        ("shape", "sizes", "said"),
        [
            ((N, N), (2, 3), "N is 2, not 3"),
            ((N * 2,), (5,), "2\\*N is 4, not 5"),
            ((3,), (4,), r"expected shape \(3,\), got \(4,\)"),
            ((N,), (2, 2), r"expected shape \(N,\), got \(2, 2\)"),
            ((N + 3,), (2,), "it is at least 3"),
            ((N * N, N), (8, 3), None),
        ],
    )
    def test_sizes_that_do_not_fit_are_named(self, shape, sizes, said):
        binding = {}
        if said is None:  # only the second look, with N known, can tell
            assert solve(shape, sizes, binding) == [N * N]
            said = r"N\^2 is 9, not 8"
        with pytest.raises(ShapeError, match=said):
            solve(shape, sizes, binding)

    @given(st.integers(0, 9), st.integers(0, 9), st.permutations([N, M, N + M, N * 2]))
    def test_the_order_of_axes_does_not_matter(self, n, m, shape):
        binding = {}
        truth = {"N": n, "M": m}
        sizes = [size.at(truth) for size in shape]
        solve(tuple(shape), sizes, binding)
        solve(tuple(shape), sizes, binding)
        assert binding == truth
