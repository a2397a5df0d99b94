import pytest

from cgkit.checks.counter import Counter, TooManyCallsError


def test_counter_counts_and_stops():
    counter = Counter(limit=3)
    for _ in range(3):
        assert counter.operators["add"](1, 2) == 3
    assert counter.calls == 3
    with pytest.raises(TooManyCallsError, match="more than 3 calls"):
        counter.operators["negate"](1)
    assert counter.operators["maximum"].__name__ == "maximum"
