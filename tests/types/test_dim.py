"""Open sizes are polynomials: whatever is done to them must hold for every value they may have."""

from functools import reduce

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cgkit.errors import ShapeError
from cgkit.types import Dim, least, meet, size_at, value_of

BINDING = {"N": 7, "M": 3, "K": 0}
N, M, K = map(Dim, BINDING)


def at(size, binding=BINDING):
    return size.at(binding) if isinstance(size, Dim) else size


@st.composite
def sizes(draw, depth=3):
    """Draw a size that was computed from open and known ones, and a way to compute its value."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([N, M, K]) | st.integers(-4, 9))
    a, b = draw(sizes(depth=depth - 1)), draw(sizes(depth=depth - 1))
    by = draw(st.integers(1, 5) | st.integers(-3, -1))
    acts = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a // by]
    return draw(st.sampled_from(acts))(a, b)


bindings = st.fixed_dictionaries({name: st.integers(0, 20) for name in BINDING})


@given(sizes(), sizes(), bindings)
def test_arithmetic_holds_for_every_value(a, b, binding):
    x, y = at(a, binding), at(b, binding)
    assert at(a + b, binding) == x + y
    assert at(a - b, binding) == x - y
    assert at(a * b, binding) == x * y
    assert at(-a, binding) == -x


@given(sizes(), sizes(), sizes())
def test_the_laws_of_a_ring(a, b, c):
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a - a == 0
    assert a + 0 == a
    assert a * 1 == a
    assert a * 0 == 0


@given(sizes(), sizes())
def test_equal_sizes_are_one_key(a, b):
    both = (a + b) * (a + b), a * a + 2 * a * b + b * b
    assert both[0] == both[1]
    assert hash(both[0]) == hash(both[1])
    assert str(both[0]) == str(both[1])


@given(sizes(), sizes(), bindings)
def test_a_division_by_a_size_is_exact_or_refused(a, b, binding):
    assume(isinstance(a, Dim))
    try:
        quotient = a // b
    except ShapeError:
        return
    divisor = at(b, binding)
    if divisor:
        assert at(quotient, binding) == at(a, binding) // divisor


@given(sizes(), st.integers(-6, 6).filter(bool), st.integers(1, 6), bindings)
def test_a_division_by_a_number_is_rounded_down(a, by, more, binding):
    assert at(a // by, binding) == at(a, binding) // by
    assert at(a % by, binding) == at(a, binding) % by
    assert (a + by * N) // by == a // by + N
    assert a // abs(by) // more == a // (abs(by) * more)
    assert (a * more) // (by * more) == a // by


@given(sizes(), bindings)
def test_no_value_is_below_the_least(a, binding):
    assert least(a) <= at(a, binding)


@given(sizes(), sizes(depth=1), bindings)
def test_a_size_in_the_place_of_a_symbol(a, b, binding):
    put = a.put({"N": b}) if isinstance(a, Dim) else a
    assert at(put, binding) == at(a, {**binding, "N": at(b, binding)})


@given(sizes(), st.integers(1, 9))
def test_a_multiple_can_always_be_divided(a, n):
    assert (a * n) // n == a
    assume(isinstance(a * N, Dim))
    assert (a * N) // N == a


@given(sizes())
def test_a_dim_is_never_constant(a):
    assert isinstance(a, int) or a.symbols


@given(sizes(), bindings)
def test_a_bound_size_keeps_its_value_through_arithmetic(a, binding):
    assume(isinstance(a, Dim))
    bound, other = a.bind(binding), N.bind(binding)
    for made, expected in ((bound + other, a + N), (bound * 2, a * 2), (bound - 1, a - 1)):
        assert value_of(made) == at(expected, binding)
        assert made == expected
    assert a.value is None


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (N, "N"),
        (N * 784, "784*N"),
        (N * N * M - 3, "M*N^2 - 3"),
        (2 - N, "-N + 2"),
        (N - M, "-M + N"),
        (-N * M - N, "-M*N - N"),
        ((N + 1) * (N - 1), "N^2 - 1"),
        ((N - 1) // 2, "(N - 1)//2"),
        ((N - 1) // 2 + 1, "(N - 1)//2 + 1"),
        ((N + 1) // 2, "(N - 1)//2 + 1"),
        ((N + 4) // 2, "N//2 + 2"),
        (((N - 1) // 2 + 1) // 2, "(N + 1)//4"),
        (N // 2 // 2 * 3, "3*(N//4)"),
        ((N * M - 2) // -3, "-M*N + (2*M*N - 1)//3 + 1"),
        ((N // 2 * M) // 2, "(M*(N//2))//2"),
        ((N * 6) // 4, "N + N//2"),
        (N % 4, "N - 4*(N//4)"),
        ((N // 2) * (N // 2) - M // 3, "(N//2)^2 - (M//3)"),
    ],
)
def test_a_size_reads_as_it_is_written(size, shown):
    assert str(size) == shown


def test_it_cannot_be_used_as_a_number_before_a_run():
    with pytest.raises(ShapeError, match="N is not known before the graph runs"):
        range(N)
    assert list(range(N.bind(BINDING)))[-1] == 6
    with pytest.raises(KeyError):
        N.at({})


def test_what_has_no_value_is_named():
    assert size_at(N * M + 1, {"N": 2, "M": 3}) == 7
    with pytest.raises(ShapeError, match=r"M\*N is not known without a value for M\n .*\{'M': 1\}"):
        size_at(N * M, {"N": 2})


@pytest.mark.parametrize(
    "act",
    [lambda: N // M, lambda: 6 // N, lambda: N // 0, lambda: N % M, lambda: 6 % N, lambda: N % 0],
)
def test_a_rest_is_an_error_that_names_the_sizes(act):
    with pytest.raises(ShapeError, match="cannot be divided by"):
        act()


def test_whether_it_is_0_may_wait_for_a_run():
    assert bool(N + 1)
    assert [bool(size.bind(BINDING)) for size in (N, K)] == [True, False]
    for size in (N, N % 2):
        with pytest.raises(ShapeError, match="is not known before the graph runs"):
            bool(size)


@pytest.mark.parametrize("act", [lambda: N + 0.5, lambda: N * None, lambda: N // 1.0])
def test_only_whole_numbers_mix_with_sizes(act):
    with pytest.raises(TypeError):
        act()


def test_sizes_do_not_grow_beyond_sense():
    with pytest.raises(ShapeError, match="terms"):
        reduce(lambda size, _: size * size, range(64), N + M + 1)
    with pytest.raises(ShapeError, match="coefficient"):
        reduce(lambda size, _: size * size, range(64), N * 3)
    for step in (lambda size, by: size * 3 // by, lambda size, by: size // 2**60):
        with pytest.raises(ShapeError, match="divided"):
            reduce(step, range(5, 5000, 2), N * 5 // 7)


@pytest.mark.parametrize("name", ["", 3, None])
def test_a_symbol_is_a_name(name):
    with pytest.raises(ShapeError, match="needs a name"):
        Dim(name)


class TestMeet:
    def test_known_sizes_must_be_equal(self):
        assert meet(3, 3) == 3
        with pytest.raises(ShapeError, match="the sizes 3 and 4 differ"):
            meet(3, 4)

    def test_the_better_known_one_is_kept(self):
        assert meet(N, 784) == meet(784, N) == 784
        assert meet(N, M) is N

    def test_a_run_compares_what_was_taken_as_equal(self):
        n, m = N.bind(BINDING), M.bind(BINDING)
        assert meet(n, 7) == 7
        for left, right, said in ((n, m, "N = 7 and M = 3"), (2, m, "2 and M = 3")):
            with pytest.raises(ShapeError, match=said):
                meet(left, right)

    def test_one_is_no_exception(self):
        # a size of 1 stretches only if it is written as 1
        with pytest.raises(ShapeError):
            meet(Dim("A").bind({"A": 1}), 5)


def test_other_sizes_in_the_place_of_symbols():
    n, m = Dim("N"), Dim("M")
    assert (n * n + m * 2).put({"N": m + 1}) == m * m + m * 4 + 1
    assert (n * 2 + 1).put({"N": 3}) == 7
    assert (n - m).put({"N": m}) == 0
    assert (n * m).put({"N": 0, "M": 5}) == 0
    assert n.put({"M": 3}) == n
