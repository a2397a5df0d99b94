import pytest

from cgkit.checks import NotAnswered
from cgkit.checks.graphs import mistaken, shape_mistakes

RIGHT = {"b1": (256,), "b2": (10,)}


def test_our_gradients_are_right():
    # z = (x + y) * x + 2x at x = 3, y = 4, through shared values; upstream 10
    graph = {
        "x": ("input",),
        "y": ("input",),
        "k": ("constant", 2),
        "s": ("add", "x", "y"),
        "p": ("multiply", "s", "x"),
        "q": ("multiply", "k", "x"),
        "z": ("add", "p", "q"),
    }
    values = {"x": 3, "y": 4, "k": 2, "s": 7, "p": 21, "q": 6, "z": 27}
    found = mistaken.right_backward(graph, values, "z", mistaken._RULES, 10)
    assert (found["x"], found["y"], found["k"]) == (10 * (2 * 3 + 4 + 2), 30, 30)


@pytest.mark.parametrize("mistake", mistaken.MENDED.mistakes, ids=lambda mistake: mistake.name)
def test_mistakes_recognize_themselves(mistake, failure):
    failed = failure(mistaken.mended_backward, mistake.algorithm)
    assert failed.misconception == mistake.name
    assert "gradient" in failed.drawing


def test_lost_biases(failure):
    assert mistaken.lost_biases(RIGHT).points == 2
    assert mistaken.lost_biases({**RIGHT, "b2": (256,)}).points == 1
    assert mistaken.lost_biases({**RIGHT, "W1": (784, 256)}).points == 1
    assert failure(mistaken.lost_biases, {"W1": (784, 256)}).stage == "values"
    assert isinstance(failure(mistaken.lost_biases, None), NotAnswered)
    assert failure(mistaken.lost_biases, ["b1", "b2"]).stage == "type"


def test_a_good_test_gets_all_points(answers):
    assert mistaken.broadcast_test(answers.broadcast_test).points == 8


def test_a_test_that_accepts_everything(failure):
    failed = failure(mistaken.broadcast_test, lambda broadcast: None)
    assert failed.got == "no AssertionError"


def test_a_test_that_rejects_everything(failure):
    def harsh(broadcast):
        assert broadcast((2,), (2,)) == (3,)

    failed = failure(mistaken.broadcast_test, harsh)
    assert failed.misconception == "rejects a right function"
    assert "assert broadcast((2,), (2,)) == (3,)" in failed.got


def test_each_rejected_function_counts():
    def knows_one_thing(broadcast):
        assert broadcast((2, 3), (3,)) == (2, 3)

    score = mistaken.broadcast_test(knows_one_thing)
    rejected = [m for m in shape_mistakes.BROADCAST if not accepts(knows_one_thing, m.algorithm)]
    assert score.points == len(rejected)
    assert 0 < score.points < 8
    assert "accepts a function with this mistake" in " ".join(score.missing.split())


def accepts(test, function):
    try:
        test(function)
    except (AssertionError, ValueError):
        return False
    return True


def test_saying_false_is_saying_no(answers):
    def polite(broadcast):
        try:
            answers.broadcast_test(broadcast)
        except (AssertionError, ValueError):
            return False
        return True

    assert mistaken.broadcast_test(polite).points == 8
