import math

import pytest

from cgkit.checks import NotAnswered
from cgkit.checks.graphs import byhand

FORWARD = {"s": 6, "p": 8, "m": 48, "l": math.log(4), "z": 48 + math.log(4)}
BACKWARD = {"z": 1, "m": 1, "l": 1, "s": 8, "p": 6, "x": 20.25, "y": 32}
RULES = list(byhand.RULES.values())


def value(x, y):
    return (x + y) * (x * y) + math.log(x)


def test_the_numbers_are_right():
    step = 1e-6
    assert FORWARD["z"] == pytest.approx(value(4, 2))
    for name, (dx, dy) in {"x": (step, 0), "y": (0, step)}.items():
        slope = (value(4 + dx, 2 + dy) - value(4 - dx, 2 - dy)) / (2 * step)
        assert BACKWARD[name] == pytest.approx(slope)
    assert byhand.forward(FORWARD).points == 2
    assert byhand.backward(BACKWARD).points == 5


def test_rounded_numbers_are_accepted():
    for digits in (2, 3, 5):
        rounded = {name: round(value, digits) for name, value in FORWARD.items()}
        assert byhand.forward(rounded).points == 2
    for name in ("l", "z"):
        score = byhand.forward({**FORWARD, name: round(FORWARD[name], 1)})
        assert score.points == pytest.approx(1.6)
        assert "rounded too much" in score.missing


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("math.log(4)", "take the quotes away"),
        ((1, 2), "This is a tuple"),
        (None, "a number for l"),
        (0.6, "the natural logarithm"),
        (49.1, "another number for l"),
    ],
)
def test_what_is_odd_about_a_number_is_told(value, words):
    assert words in byhand.forward({**FORWARD, "l": value}).missing


@pytest.mark.parametrize("value", [10**400, -(10**400), math.inf, math.nan])
def test_numbers_beyond_all_others_are_wrong(value):
    score = byhand.forward({**FORWARD, "l": value})
    assert score.points == pytest.approx(1.6)
    assert "rounded" not in score.missing


def test_close_is_not_right():
    assert byhand.forward({**FORWARD, "z": 49.2}).points < 2
    assert byhand.backward({**BACKWARD, "x": 20.3}).points < 5


@pytest.mark.parametrize("name", BACKWARD)
def test_each_number_counts(name):
    score = byhand.backward({**BACKWARD, name: 99})
    assert score.points == pytest.approx(5 * 6 / 7, abs=0.01)
    assert repr(name) in score.missing


@pytest.mark.parametrize(
    ("answers", "mistake"),
    [
        ({"x": 0.25}, "missing accumulation"),
        ({"x": 12}, "missing accumulation"),
        ({"y": 24}, "missing accumulation"),
        ({"s": 6, "p": 8}, "the operand itself instead of the other one"),
    ],
)
def test_mistakes_have_names(answers, mistake):
    assert f'"{mistake}"' in byhand.backward({**BACKWARD, **answers}).missing


def test_right_numbers_are_not_told():
    assert "20.25" not in byhand.backward({**BACKWARD, "x": 12}).missing


@pytest.mark.parametrize("nothing", [None, {}, dict.fromkeys(BACKWARD)])
def test_nothing_is_not_answered(nothing, failure):
    assert isinstance(failure(byhand.backward, nothing), NotAnswered)


def test_odd_answers(failure, wrong):
    assert failure(byhand.forward, 3).stage == "type"
    assert failure(byhand.forward, dict.fromkeys(FORWARD, True)).stage == "values"
    assert failure(byhand.forward, dict.fromkeys(FORWARD, float("nan"))).stage == "values"
    for forged in (wrong.AlwaysEqual(), wrong.EqualDict(), {"s": wrong.AlwaysEqual()}):
        assert failure(byhand.forward, forged).stage == "type"


def slope(function, operands, place):
    step = 1e-6
    up = [v + step * (i == place) for i, v in enumerate(operands)]
    down = [v - step * (i == place) for i, v in enumerate(operands)]
    return (function(*up) - function(*down)) / (2 * step)


@pytest.mark.parametrize(
    ("name", "function", "operands"),
    [
        ("multiply_rule", lambda a, b: a * b, (3.0, 4.0)),
        ("divide_rule", lambda a, b: a / b, (3.0, 4.0)),
        ("log_rule", math.log, (3.0,)),
        ("maximum_rule", max, (3.0, 4.0)),
    ],
)
def test_our_rules_are_slopes(name, function, operands):
    found = byhand.RULES[name](2.0, *operands)
    right = [2 * slope(function, operands, place) for place in range(len(operands))]
    assert found == pytest.approx(right)


def test_rules():
    assert byhand.rules(*RULES).points == 5


@pytest.mark.parametrize(
    ("place", "mistake"),
    [
        (place, mistake)
        for place, name in enumerate(byhand.RULES)
        for mistake in byhand._MISTAKES[name]
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_mistaken_rules_are_named(place, mistake):
    given = [*RULES]
    given[place] = mistake.algorithm
    score = byhand.rules(*given)
    assert score.points == 3.75
    assert mistake.name in " ".join(score.missing.split())


def test_rules_not_written(failure, wrong):
    assert isinstance(failure(byhand.rules, *[wrong.unwritten] * 4), NotAnswered)
    assert byhand.rules(RULES[0], *[wrong.unwritten] * 3).points == 1.25
    assert byhand.rules(RULES[0], None, None, None).points == 1.25


def test_lists_are_no_tuples():
    assert "a list" in byhand.rules(lambda g, a, b: [g * b, g * a], *RULES[1:]).missing
