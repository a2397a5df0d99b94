import numpy as np

from cgkit.checks.start_tasks import TASKS


def test_only_everything_gives_points():
    assert {task.name: task.points for task in TASKS if task.points} == {"everything": 100}


def test_each_mistake_is_wrong_somewhere_and_runs():
    rng = np.random.default_rng(0)
    right = {
        "times_table": (lambda n: np.outer(np.arange(1, n + 1), np.arange(1, n + 1)), [1, 3]),
        "center": (lambda a: a - a.mean(axis=0), [rng.random((3, 3)), rng.random((2, 2))]),
        "scale": (
            lambda a: a / a.sum(axis=1, keepdims=True),
            [rng.random((3, 3)), rng.random((2, 2))],
        ),
    }
    for task in TASKS:
        for mistake in task.mistakes:
            answer, cases = right[task.name]
            assert any(not np.array_equal(mistake.algorithm(c), answer(c)) for c in cases)
