import pytest

from cgkit.checks.static import guards


def told(value):
    if hasattr(value, "dtype"):
        return (str(value.dtype), tuple(min(size, 2) for size in value.shape))
    if isinstance(value, list | tuple):
        return (type(value).__name__, *map(told, value))
    if isinstance(value, dict):
        return ("dict", *((name, told(one)) for name, one in value.items()))
    return (type(value).__name__, repr(value))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (lambda arguments: 0, "another dtype"),
        (lambda arguments: repr(arguments), "other numbers"),
        (lambda arguments: tuple(map(str, map(type, arguments))), "another dtype"),
        (
            lambda arguments: tuple(
                (str(one.dtype), one.shape) if hasattr(one, "dtype") else told(one)
                for one in arguments
            ),
            "other sizes",
        ),
        (lambda arguments: [told(arguments)], "must be hashable"),
        (lambda arguments: (1, [2]), "must be hashable"),
    ],
)
def test_each_careless_key_is_told_of_a_pair(key, words, failure):
    assert words in failure(guards.guard_key, key).why


def test_equality_of_python_is_not_enough(failure):
    def equal(arguments):
        return tuple(
            one if isinstance(one, int | float | str | None) else told(one) for one in arguments
        )

    assert "an int and a float" in failure(guards.guard_key, equal).why


def test_keys_are_compared_as_a_dict_does():
    assert guards.guard_key(told).points == 0
    assert "share a graph" in guards.guard_key(told).sentence
