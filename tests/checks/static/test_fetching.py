import pytest

from cgkit.checks.static import fetching


def test_a_nest_is_rebuilt_and_taken_apart():
    nest = {"k": ["a", ("b", [])], "a": {}}
    assert fetching.leaves(nest) == ["a", "b"]
    assert fetching.rebuilt(nest, {"a": 1, "b": 2}) == {"k": [1, (2, [])], "a": {}}


def test_nests_hold_all_forms():
    from cgkit.checks import search

    found = []
    search.smallest(fetching.nests(), lambda one: bool(found.append(one[1])), seed=4, tries=150)
    kinds = {type(nest) for nest in found}
    assert kinds == {str, list, tuple, dict}
    assert [] in found
    assert any(isinstance(part, tuple) for nest in found if isinstance(nest, list) for part in nest)


@pytest.mark.parametrize("mistake", fetching.NESTED.mistakes, ids=lambda mistake: mistake.name)
def test_mistakes_recognize_themselves(mistake, failure):
    assert failure(fetching.run_nested, mistake.algorithm).misconception == mistake.name


def test_work_that_is_not_shared_costs_a_point(wrong_02b):
    score = fetching.run_nested(wrong_02b.run_for_each)
    assert (score.points, score.out_of) == (3, 4)
    assert "for each of them" in " ".join(score.missing.split())


def test_each_kind_of_refusal_gives_a_point(answers_02b):
    def knows_names_only(graph, fetches, feeds, operators):
        missing = set(feeds) - set(graph)
        if missing:
            raise ValueError(f"{missing}")
        return 0

    score = fetching.run_refuses(knows_names_only)
    assert score.points == 1
    assert "is needed, and it is not fed" in " ".join(score.missing.split())
    assert fetching.run_refuses(answers_02b.run, seed=5).points == 3


def test_a_refusal_must_hold_the_name(failure):
    def curt(*_):
        raise ValueError("no")

    assert "does not say which name" in failure(fetching.run_refuses, curt).why


def test_a_refusal_comes_before_any_operator(wrong_02b):
    score = fetching.run_refuses(wrong_02b.late)
    assert score.points == 2
    assert "computes before it refuses" in score.missing


def test_answering_in_spite_of_it_is_no_refusal(failure):
    failed = failure(fetching.run_refuses, lambda *_: 7)
    assert failed.got == "7, and no error"


def test_an_error_that_cannot_be_printed(failure):
    class Mute(ValueError):
        def __str__(self):
            raise RuntimeError

    def mute(*_):
        raise Mute

    assert "does not say which name" in failure(fetching.run_refuses, mute).why
