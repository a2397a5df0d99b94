import pytest

from cgkit.errors import OnnxError
from cgkit.onnx.reading import Limits


def test_a_tensor_within_the_limits_is_measured():
    assert Limits(tensor=24).check_tensor("w", (2, 3), 4) == 24
    assert Limits(tensor=0).check_tensor("w", (0, 2**62), 8) == 0


def test_a_tensor_beyond_them_says_how_to_allow_it():
    with pytest.raises(OnnxError, match=r"would take 24 bytes; limits allow 23") as caught:
        Limits(tensor=23).check_tensor("w", (2, 3), 4)
    assert "Limits(tensor=24)" in str(caught.value)


def test_sizes_that_overflow_any_machine_are_counted_exactly():
    with pytest.raises(OnnxError, match="340,282,366,920,938,463,463,374,607,431,768,211,456"):
        Limits().check_tensor("w", (2**64, 2**64), 1)


def test_there_are_no_more_axes_than_numpy_has():
    with pytest.raises(OnnxError, match="65 axes"):
        Limits().check_tensor("w", (1,) * 65, 4)


def test_a_count_is_held_against_its_limit():
    Limits(nodes=3).check("nodes", 3, "nodes")
    with pytest.raises(OnnxError, match=r"Limits\(nodes=4\)"):
        Limits(nodes=3).check("nodes", 4, "nodes")


@pytest.mark.parametrize("wrong", [-1, 2.5, "3", None, True])
def test_limits_are_whole_numbers(wrong):
    with pytest.raises(OnnxError, match="the limit nodes is a whole number"):
        Limits(nodes=wrong)
