from hypothesis import strategies as st

from cgkit.checks import search
from cgkit.checks.search import smallest


def test_the_smallest_case_is_found():
    assert smallest(st.lists(st.integers(0, 9)), lambda case: sum(case) > 7, 3, 200) == ([8],)


def test_none_when_nothing_fails():
    assert smallest(st.integers(), lambda case: False, 3, 50) is None


def test_the_same_seed_gives_the_same_cases():
    def cases(seed):
        seen = []
        smallest(st.integers(0, 10**6), lambda case: bool(seen.append(case)), seed, 50)
        return seen

    assert cases(1) == cases(1)
    assert cases(1) != cases(2)


def test_a_fickle_case_is_none():
    answers = iter([True] + [False] * 10_000)
    assert smallest(st.integers(0, 9), lambda case: next(answers), 1, 50) is None


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    smallest(st.integers(0, 10**6), lambda case: case > 1000, 1, 300)
    assert list(tmp_path.iterdir()) == []


def test_cases_are_remembered_by_the_name_of_their_search():
    name = ("test", object())
    assert search.remembered(name) is None
    search.remember(name, [1, 2])
    assert search.remembered(name) == (1, 2)
