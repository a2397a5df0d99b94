import pytest

from cgkit.checks.graphs import convolution
from cgkit.checks.judge import Raises


@pytest.mark.parametrize(
    ("case", "right"),
    [
        (((8, 3, 32, 32), (16, 3, 5, 5), 1, 2, "NCHW"), (8, 16, 32, 32)),
        (((8, 3, 32, 32), (16, 3, 5, 5), 2, 2, "NCHW"), (8, 16, 16, 16)),
        (((1, 7, 9, 2), (4, 2, 3, 1), 2, 0, "NHWC"), (1, 3, 5, 4)),
        (((1, 1, 1, 1), (1, 1, 1, 1), 3, 0, "NCHW"), (1, 1, 1, 1)),
    ],
)
def test_shapes_as_in_torch(case, right):
    assert convolution.right_conv(*case) == right


@pytest.mark.parametrize(
    "case",
    [
        ((1, 3, 9, 9), (1, 2, 3, 3), 1, 0, "NCHW"),
        ((1, 3, 2, 9), (1, 3, 3, 3), 1, 0, "NCHW"),
    ],
)
def test_what_does_not_fit(case):
    assert isinstance(convolution.right_conv(*case), Raises)


@pytest.mark.parametrize("mistake", convolution.CONV.mistakes, ids=lambda mistake: mistake.name)
def test_mistakes_recognize_themselves(mistake, failure):
    assert failure(convolution.conv_shape, mistake.algorithm).misconception == mistake.name
