import math

import numpy as np
import pytest

from cgkit.grading.strict import AuthorError, points_of
from cgkit.score import Score


@pytest.mark.parametrize(
    ("value", "points"),
    [
        (None, (4.0, "")),
        (0, (0.0, "")),
        (2.5, (2.5, "")),
        (np.float64(1.0), (1.0, "")),
        (np.int32(4), (4.0, "")),
        ((3, "one is missing"), (3.0, "one is missing")),
        (Score(2, 4, "half"), (2.0, "half")),
    ],
)
def test_what_a_test_may_end_with(value, points):
    assert points_of(value, 4) == points


class Sly(Score):
    pass


@pytest.mark.parametrize(
    "value",
    [
        -1, 5, math.nan, math.inf, True, np.True_, "4", [4], {}, (4,), (4, 4), (4, "a", "b"),
        (True, "x"), object(), 4j, np.array([4.0]), Score(10, 10), Sly(4, 4),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_everything_loose_is_the_authors_error(value):
    with pytest.raises(AuthorError):
        points_of(value, 4)
