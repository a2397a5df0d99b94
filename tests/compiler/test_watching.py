"""Sizes that tell who looks."""

import numpy as np
import pytest

from cgkit import Dim
from cgkit.compiler.watching import Look, Watch, Watched

N, M = Dim("N"), Dim("M")


@pytest.fixture
def watch():
    return Watch({"N": 6, "M": 4})


@pytest.mark.parametrize(
    ("ask", "answer", "noted"),
    [
        (lambda n, m: n == 6, True, "N == 6"),
        (lambda n, m: n != 6, False, "N == 6"),
        (lambda n, m: n > 10, False, "N > 10"),
        (lambda n, m: n < 10, True, "N < 10"),
        (lambda n, m: n >= m, True, "N >= M"),
        (lambda n, m: n == m, False, "N == M"),
        (lambda n, m: n * 2 <= m, False, "2*N <= M"),
        (lambda n, m: (n - 1) < 5, False, "N - 1 < 5"),
        (lambda n, m: int(n), 6, "N"),
        (lambda n, m: float(n), 6.0, "N"),
        (lambda n, m: bool(n), True, "N != 0"),
        (lambda n, m: len(range(m)), 4, "M"),
        (lambda n, m: n // 4, 1, "N//4 == 1"),
        (lambda n, m: n // m, 1, "N, M"),
        (lambda n, m: n % 4, 2, "N - 4*(N//4) == 2"),
        (lambda n, m: n % m, 2, "N, M"),
        (lambda n, m: n**m, 6**4, "N, M"),
        (lambda n, m: n / 4, 1.5, "N"),
        (lambda n, m: n * 0.5 - 1.5, 1.5, "N"),
        (lambda n, m: 3 - n ** 2, -33, "N"),
        (lambda n, m: 2**n + 12 / n + 13 // n + 13 % n, 64 + 2 + 2 + 1, "N"),
        (lambda n, m: (n & 2, n | 1, n ^ 3, n << 1, 3 >> n, ~n), (2, 7, 5, 12, 0, -7), "N"),
        (lambda n, m: (divmod(n, 4), divmod(20, n)), ((1, 2), (3, 2)), "N"),
        (lambda n, m: (round(n / 5), abs(n), round(n)), (1, 6, 6), "N"),
        (lambda n, m: (str(n), repr(n), f"{n:03d}", str((n, 1))), ("6", "6", "006", "(6, 1)"), "N"),
        (lambda n, m: {6: "a"}.get(n), "a", "N, N == 6"),
        (lambda n, m: n in {4, 5}, False, "N"),
        (lambda n, m: (np.sqrt(n) < 2.5, np.asarray(n).dtype), (True, np.int64), "N"),
        (lambda n, m: n == 6.0, True, "N == 6.0"),
        (lambda n, m: n == np.int64(6), True, "N == 6"),
        (lambda n, m: n > 5.5, True, "N > 5.5"),
        (lambda n, m: n == True, False, "N == True"),  # noqa: E712
    ],
)  # fmt: skip
def test_questions_are_answered_and_noted(watch, ask, answer, noted):
    assert ask(*watch.show((N, M))) == answer
    assert ", ".join(map(str, watch.looks)) == noted


def test_what_is_known_anyway_is_not_noted(watch):
    n, three = watch.show((N, 3))
    assert (n == N, three) == (True, 3)
    for more in (n + 1, 1 + n, n - 1, 1 - n, n * 2, 2 * n, -n, n // 2):
        assert type(more) is Watched
    assert (n - n, n == "text") == (0, False)
    assert watch.looks == []


def test_a_question_is_noted_once(watch):
    (n,) = watch.show((N,))
    assert [n > 5, n > 5] == [True, True]
    assert len(watch.looks) == 1


def test_questions_asked_again():
    look = Look(N * 2, ">", 10, True)
    assert (look.holds({"N": 6}), look.holds({"N": 5}), look.ask({"N": 5})) == (True, False, False)


def test_graphs_keep_plain_sizes(watch):
    (n,) = watch.show((N,))
    plain = watch.plain((n, (n * 2, 3)))
    assert [type(plain[0]), type(plain[1][0])] == [Dim, Dim]
    assert plain == (N, (N * 2, 3))
    assert watch.plain("axis") == "axis"
