import pytest

from cgkit.checks.dynamic import accumulation
from cgkit.checks.dynamic.accumulation import accumulate


@pytest.mark.parametrize("seed", [20, 5])
def test_right_answers_get_all_points(answers_02a, seed):
    assert accumulate(answers_02a.accumulate, seed=seed).points == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "mistake", accumulation.ACCUMULATE.mistakes, ids=lambda mistake: mistake.name
)
def test_mistakes_of_accumulate_recognize_themselves(mistake, failure):
    assert failure(accumulate, mistake.algorithm).misconception == mistake.name
