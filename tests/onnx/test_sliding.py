import pytest

from cgkit.errors import OnnxError, ShapeError
from cgkit.onnx.sliding import Sliding, halves, sliding
from cgkit.onnx.step import Step
from cgkit.types import Dim


def read(sizes, kernel, **settings):
    return sliding(Step("n", "MaxPool", settings=settings), sizes, kernel)


def test_what_is_left_out_has_its_default():
    place = read((5, 6), (2, 3))
    assert place == Sliding((2, 3), (1, 1), (1, 1), ((0, 0), (0, 0)), False)
    assert place.places((5, 6)) == (4, 4)


def test_pads_are_all_befores_then_all_afters():
    assert read((5, 6), (2, 3), pads=(1, 2, 3, 4)).pads == ((1, 3), (2, 4))


@pytest.mark.parametrize("size", [1, 4, 5, 6])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2])
def test_same_makes_as_many_places_as_strides_fit(size, stride, dilation):
    for word in ("SAME_UPPER", "SAME_LOWER"):
        place = read((size,), (3,), auto_pad=word, strides=(stride,), dilations=(dilation,))
        assert place.places((size,)) == (-(-size // stride),)


def test_the_odd_one():
    assert halves(3, "SAME_UPPER") == (1, 2)
    assert halves(3, "SAME_LOWER") == (2, 1)


def test_auto_pad_rounds_down_and_hides_pads():
    # ONNX says ceil((size - span + 1) / stride) of VALID: with or without ceil_mode, as rounding
    # (size - span) / stride down and adding 1
    place = read((6,), (3,), auto_pad="VALID", strides=(2,), ceil_mode=1, pads=(1, 1))
    assert place.pads == ((0, 0),)
    assert place.places((6,)) == (2,)


def test_open_sizes():
    n = Dim("N")
    assert read((n,), (3,), auto_pad="SAME_LOWER").pads == ((1, 1),)
    half = read((n * 2,), (3,), auto_pad="SAME_UPPER", strides=(2,))
    assert (half.pads, half.places((n * 2,))) == (((0, 1),), (n,))
    any_size = read((n,), (3,), auto_pad="SAME_UPPER", strides=(2,))
    assert any_size.places((n,)) == ((n + 1) // 2,)
    with pytest.raises(ShapeError, match="not known for an axis of N"):
        read((n,), (1,), auto_pad="SAME_UPPER", strides=(2,))


def test_the_last_window_is_reached_by_padding():
    place = read((5,), (2,), strides=(2,), ceil_mode=1)
    assert (place.places((5,)), place.reach((5,))) == ((3,), ((0, 1),))
    place = read((6,), (3,), strides=(3,), ceil_mode=1, pads=(0, 1))
    assert (place.places((6,)), place.reach((6,))) == ((2,), ((0, 1),))


def test_too_few_entries_and_unknown_words_are_refused():
    for settings, said in (
        ({"strides": (1,)}, "strides has 2 entries, not 1"),
        ({"pads": (1, 1)}, "pads has 4 entries"),
        ({"auto_pad": "FULL"}, "no auto_pad 'FULL'"),
    ):
        with pytest.raises(OnnxError, match=said):
            read((5, 6), (2, 3), **settings)
