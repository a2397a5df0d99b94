import pytest

from cgkit.grading.inside.capture import CUT, MOST, Capture


def test_what_is_written_is_taken_once():
    capture = Capture()
    print("a", "b", file=capture)
    assert capture.take() == "a b\n"
    assert capture.take() == ""


def test_memory_is_bounded():
    capture = Capture()
    for _ in range(1000):
        capture.write("x" * 1000)
    assert capture.take() == "x" * MOST + CUT
    capture.write("again")
    assert capture.take() == "again"


def test_only_text_is_written():
    with pytest.raises(TypeError):
        Capture().write(5)
