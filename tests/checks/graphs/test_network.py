import pytest

from cgkit.checks.graphs import network

CHECKS = {"parameters": network.parameters, "matmul_flops": network.matmul_flops}


def test_golden_values():
    assert network.right_parameters([784, 256, 10]) == 203_530
    assert network.right_flops([784, 256, 10], 32) == 13_008_896


@pytest.mark.parametrize(
    ("task", "mistake"),
    [(task, mistake) for task in network.TASKS for mistake in task.mistakes],
    ids=lambda value: value.name,
)
def test_mistakes_recognize_themselves(task, mistake, failure):
    assert failure(CHECKS[task.name], mistake.algorithm).misconception == mistake.name


def test_the_famous_network_by_heart_is_not_enough(failure):
    assert failure(network.parameters, lambda widths: 203_530).stage == "values"
    assert failure(network.matmul_flops, lambda widths, batch: 13_008_896).stage == "values"


def test_floats_are_no_counts(failure):
    failed = failure(network.parameters, lambda widths: float(network.right_parameters(widths)))
    assert failed.stage == "type"


def test_the_sum_is_written_down(failure):
    assert "1 * 1 weights and 1 bias." in failure(network.parameters, lambda widths: 7).why
    assert network._parameters_why([1, 2, 3]) == (
        "This network has 1 * 2 weights and 2 biases; 2 * 3 weights and 3 biases."
    )
    assert "2 * 1 * 1 * 1" in failure(network.matmul_flops, lambda widths, batch: 7).why
