import pytest

from cgkit.checks import NotAnswered
from cgkit.checks.graphs import mistaken, shape_traps

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
    assert not isinstance(failure(mistaken.lost_biases, 0), NotAnswered)
    assert isinstance(failure(mistaken.lost_biases, None), NotAnswered)
    assert failure(mistaken.lost_biases, ["b1", "b2"]).stage == "type"


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"b1": 256, "b2": (10,)}, "a shape is a tuple, such as (3,)"),
        ({"b1": [256], "b2": (10,)}, "a shape is a tuple, such as (3,)"),
        ({"b1": (1, 256), "b2": (10,)}, "has 2 axes"),
        ({"b1": (784,), "b2": (10,)}, "one number for each output"),
        ({"B1": (256,), "b2": (10,)}, "names are those of part C"),
        ({"bias1": (256,), "b2": (10,)}, "bias1 is none of those"),
        ({**RIGHT, "W1": (784, 256)}, "W1 is one too many"),
    ],
)
def test_each_wrong_bias_has_its_own_sentence(answers, words):
    score = mistaken.lost_biases(answers)
    assert score.points == 1
    assert words in " ".join(score.missing.split())
    assert "hint 1 of 2" in score.missing


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
    rejected = [m for m in shape_traps.WRONG if not accepts(knows_one_thing, m.algorithm)]
    assert score.points == len(rejected) // 3
    assert 0 < score.points < 3
    assert "accepts a function with this mistake" in " ".join(score.missing.split())


def accepts(test, function):
    try:
        test(function)
    except (AssertionError, ValueError):
        return False
    return True


def refused(broadcast, a, b):
    try:
        broadcast(a, b)
    except ValueError:
        return
    raise AssertionError(a, b)


def test_a_few_examples_earn_little_and_a_property_all(answers):
    def two_examples(broadcast):
        assert broadcast((3, 1), (4,)) == (3, 4)
        refused(broadcast, (2,), (3,))

    def five_examples(broadcast):
        two_examples(broadcast)
        assert broadcast((), (7,)) == (7,)
        assert broadcast((0,), (1,)) == (0,)
        refused(broadcast, (2, 3), (2,))

    assert mistaken.broadcast_test(two_examples).points <= 2
    assert mistaken.broadcast_test(five_examples).points <= 4
    assert mistaken.broadcast_test(answers.broadcast_test).points == 8


def test_names_do_not_tell_right_from_wrong(answers):
    names = set()

    def look(broadcast):
        names.add(broadcast.__name__)
        answers.broadcast_test(broadcast)

    assert mistaken.broadcast_test(look).points == 8
    assert names == {"broadcast_shape"}


def test_counting_the_calls_does_not_tell_right_from_wrong(answers):
    """What was learned from the order in a notebook is of no use under the seed of the grader."""
    orders = {seed: verdicts(answers, seed) for seed in (mistaken.SEED, 818, 1)}
    assert all(order.count(True) == 2 for order in orders.values())
    assert len({tuple(order) for order in orders.values()}) == 3


def verdicts(answers, seed):
    """Say for each function, in the order in which they come, whether it is right."""
    asked = []

    def look(broadcast):
        asked.append(accepts(answers.broadcast_test, broadcast))
        assert asked[-1]

    mistaken.broadcast_test(look, seed=seed)
    return asked


def test_saying_false_is_no_way_to_say_no(answers, failure):
    def polite(broadcast):
        try:
            answers.broadcast_test(broadcast)
        except (AssertionError, ValueError):
            return False
        return True

    failed = failure(mistaken.broadcast_test, polite)
    assert "raises AssertionError when something is wrong, and returns nothing" in failed.why
