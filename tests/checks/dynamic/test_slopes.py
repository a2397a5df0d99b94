import numpy as np

from cgkit.checks.dynamic.slopes import gradient_test


def along(function, rule, *, shapes, signs=(1.0,), upstreams=(1.0,), tolerance=1e-4):
    """Test a rule along one direction for each operand; what is tried is the caller's choice."""
    draw = np.random.default_rng(3)
    for first, second in shapes:
        for sign in signs:
            operands = [sign * draw.uniform(0.5, 2, shape) for shape in (first, second)]
            for scale in upstreams:
                upstream = scale * np.ones(np.shape(function(*operands)))
                shares = rule(upstream, *operands)
                for at in (0, 1):
                    direction = draw.normal(size=operands[at].shape)
                    ends = []
                    for step in (1e-5, -1e-5):
                        moved = [*operands]
                        moved[at] = operands[at] + step * direction
                        ends.append(np.sum(upstream * function(*moved)))
                    slope = (ends[0] - ends[1]) / 2e-5
                    assert np.shape(shares[at]) == operands[at].shape
                    assert abs(slope - np.sum(shares[at] * direction)) < tolerance


def test_a_good_test_gets_all_points(answers_02a):
    for seed in (20, 3):
        assert gradient_test(answers_02a.gradient_test, seed=seed).points == 6


def test_one_example_finds_the_plain_ones_only():
    score = gradient_test(lambda f, rule: along(f, rule, shapes=[((3,), (3,))]))
    assert 1 <= score.points <= 2
    assert "accepts a function with this mistake" in " ".join(score.missing.split())


def test_more_kinds_of_cases_earn_more():
    shapes = [((3,), (3,)), ((2, 3), (3,)), ((2, 1), (2, 3)), ((3, 3), (3, 3))]
    one = gradient_test(lambda f, rule: along(f, rule, shapes=shapes[:1])).points
    two = gradient_test(lambda f, rule: along(f, rule, shapes=shapes)).points
    three = gradient_test(
        lambda f, rule: along(f, rule, shapes=shapes, signs=(1, -1), upstreams=(1, -2))
    ).points
    assert one < two < three


def test_a_coarse_test_misses_what_is_a_little_off():
    score = gradient_test(
        lambda f, rule: along(
            f, rule, shapes=[((3,), (3,)), ((2, 3), (3,))], signs=(1, -1), tolerance=0.05
        )
    )
    assert score.points < 6


def test_a_test_that_rejects_everything(failure):
    def harsh(function, rule):
        assert rule(np.ones(2), np.ones(2), np.ones(2))[0].shape == (3,)

    failed = failure(gradient_test, harsh)
    assert failed.misconception == "rejects a right function"


def test_a_test_that_accepts_everything(failure):
    assert failure(gradient_test, lambda function, rule: None).got == "no AssertionError"


def test_names_do_not_tell_right_from_wrong(answers_02a):
    names = set()

    def look(function, rule):
        names.add((function.__name__, rule.__name__))
        answers_02a.gradient_test(function, rule)

    assert gradient_test(look).points == 6
    assert names == {("function", "rule")}
