import pytest

from cgkit.checks import CheckFailed
from cgkit.checks.runner import Exam
from cgkit.checks.task import Task
from cgkit.checks.verdicts import Subject, missed, rejected, try_test

TASK = Task("01_graphs", "double_test", 2, ("What is always true?", "And of 0?"))
RIGHT = [Subject((lambda n: 2 * n,)), Subject((lambda n: n + n,))]


def refuses(n):
    raise ValueError


WRONG = [
    Subject((lambda n: n,), "gives it back", "Nothing was doubled."),
    Subject((lambda n: n * n,), "squares", "Twice is not the square."),
    Subject((lambda n: 2 * n + (n == 7),), "wrong at 7", "It is wrong at 7."),
    Subject((refuses,), "refuses", "It takes nothing."),
]


def tried(test, seed=1):
    return try_test(TASK, test, seed, RIGHT, WRONG)


def whole_test(double):
    for n in range(10):
        assert double(n) == n + n


def test_a_good_test_gets_all_points():
    score = tried(whole_test)
    assert score.points == 2
    assert score.sentence == "accepts 2 right functions and rejects all 4 wrong ones"


def test_a_share_of_the_wrong_ones_gives_a_share_of_the_points():
    def one_example(double):
        assert double(3) == 6

    score = tried(one_example)
    assert score.points == 1
    assert "accepts a function with this mistake. It is wrong at 7." in score.missing


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (lambda double: None, "accepts a function with this mistake"),
        (lambda double: False, "Your test says no to a function that is right"),
    ],
)
def test_a_test_that_always_says_the_same_fails(test, words):
    with pytest.raises(CheckFailed) as caught:
        tried(test)
    assert words in caught.value.why


def test_the_order_depends_on_the_seed_alone():
    def order(seed):
        asked = []

        def look(double):
            asked.append(double(3) == 6 and double(7) == 14)
            assert asked[-1]

        tried(look, seed)
        return asked

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(6)}) > 1
    assert all(order(seed).count(True) == 2 for seed in range(6))


def test_an_error_of_the_test_itself_rejects_nothing():
    def broken(double):
        if double(2) == 2:
            return missing_name  # noqa: F821 (this is the fault)
        return None

    exam = Exam(TASK, broken, 1)
    fault = missed(exam, WRONG[0])
    assert fault.got.startswith("NameError at line")
    assert "an error of its own" in fault.why
    # what the given function raises by itself, when it refuses what fits, counts
    assert missed(exam, WRONG[3]) is None
    assert rejected(exam, RIGHT[0]) is None


def test_a_polite_no_is_none():
    assert "and returns nothing" in missed(Exam(TASK, lambda double: False, 1), WRONG[0]).why
