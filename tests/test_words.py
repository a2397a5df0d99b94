import pytest

from cgkit.words import counted


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 nodes"), (1, "1 node"), (2, "2 nodes"), (1_234_567, "1,234,567 nodes")],
)
def test_only_one_is_one(number, text):
    assert counted(number, "node") == text


def test_what_takes_more_than_an_s():
    assert [counted(number, "box", "boxes") for number in (1, 2)] == ["1 box", "2 boxes"]
