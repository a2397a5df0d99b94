import pytest

from cgkit.checks import NotAnswered
from cgkit.checks.dynamic.keeping import kept

RIGHT = {
    "add": set(),
    "multiply": {"a", "b"},
    "exp": {"result"},
    "matmul": {"a", "b"},
    "relu": {"result"},
    "sum": set(),
}


@pytest.mark.parametrize("relu", [{"a"}, {"result"}, "a", ["result"], ("a",)])
def test_right_answers_in_any_form(relu):
    assert kept({**RIGHT, "relu": relu}).points == 2


@pytest.mark.parametrize("nothing", [set(), (), [], {}, ""])
def test_no_array_can_be_written_in_many_ways(nothing):
    assert kept({**RIGHT, "add": nothing}).points == 2


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("exp", {"a"}, "the operand kept where the result is enough"),
        ("add", {"a", "b"}, "a value kept that no rule reads"),
        ("relu", {"a", "result"}, "one array is enough"),
        ("multiply", {"a"}, "the slope for b is a"),
        ("sum", {"a"}, "of a it needs the shape"),
        ("matmul", None, "nothing yet"),
        ("matmul", 3, "computed from the other one"),
    ],
)
def test_each_wrong_answer_has_its_sentence(name, answer, words):
    score = kept({**RIGHT, name: answer})
    assert score.points == pytest.approx(2 * 5 / 6, abs=0.01)
    assert words in " ".join(score.missing.split())


@pytest.mark.parametrize("nothing", [None, {}, dict.fromkeys(RIGHT)])
def test_nothing_is_not_answered(nothing, failure):
    assert isinstance(failure(kept, nothing), NotAnswered)


def test_odd_answers(failure, wrong):
    assert failure(kept, ["a"]).stage == "type"
    assert failure(kept, dict.fromkeys(RIGHT, ("x",))).stage == "values"
    assert failure(kept, wrong.EqualDict()).stage == "type"
