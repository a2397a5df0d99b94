import pytest

from cgkit.checks.graphs import shape_mistakes as wrong

ALL = [*wrong.BROADCAST, *wrong.MATMUL, *wrong.REDUCE, *wrong.RESHAPE]


@pytest.mark.parametrize(
    ("function", "arguments", "result"),
    [
        (wrong.aligned_left, ((2,), (2, 3)), (2, 3)),
        (wrong.largest_wins, ((2,), (3,)), (3,)),
        (wrong.largest_of_fitting, ((0,), (1,)), (1,)),
        (wrong.cut_to_shorter, ((2, 3), (3,)), (3,)),
        (wrong.cut_on_the_left, ((2, 3), (2,)), (2,)),
        (wrong.never_refuses, ((2,), (3,)), (2,)),
        (wrong.batch_of_first, ((2, 3), (5, 3, 4)), (2, 4)),
        (wrong.inner_not_compared, ((2, 3), (4, 5)), (2, 5)),
        (wrong.second_transposed, ((2, 3), (4, 3)), (2, 4)),
        (wrong.product_transposed, ((2, 3), (3, 4)), (4, 2)),
        (wrong.two_sizes_only, ((5, 2, 3), (3, 4)), (2, 4)),
        (wrong.negative_ignored, ((2, 3), -1, False), (2, 3)),
        (wrong.keepdims_ignored, ((2, 3), 0, True), (3,)),
        (wrong.always_kept, ((2, 3), 0, False), (1, 3)),
        (wrong.one_after_the_other, ((2, 3, 4), (0, 1), False), (3,)),
        (wrong.none_means_nothing, ((2, 3), None, False), (2, 3)),
        (wrong.minus_one_kept, ((6,), (-1, 2)), (-1, 2)),
        (wrong.rounds_down, ((5,), (-1, 2)), (2, 2)),
        (wrong.count_not_compared, ((5,), (2, 3)), (2, 3)),
        (wrong.minus_one_multiplied, ((6,), (-1, 2)), (-3, 2)),
        (wrong.divides_to_float, ((6,), (-1, 2)), (3.0, 2)),
    ],
)
def test_what_each_mistake_gives(function, arguments, result):
    assert function(*arguments) == result


@pytest.mark.parametrize("function", [wrong.same_rank_only, wrong.equal_only])
def test_what_refuses_too_much(function):
    with pytest.raises(ValueError, match=r"equal|ranks"):
        function((2,), ())


def test_every_mistake_explains_itself():
    assert len({mistake.algorithm for mistake in ALL}) == len(ALL)
    assert all(mistake.why.endswith(".") for mistake in ALL)
