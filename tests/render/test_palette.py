"""Colors and shapes."""

from typing import get_args

from cgkit.node import Family
from cgkit.render.palette import LOOKS, look


def brightness(color):
    """Give the relative luminance of a color, from 0 to 1 (WCAG 2)."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, two):
    """Give the contrast of two colors, from 1 to 21."""
    low, high = sorted((brightness(one), brightness(two)))
    return (high + 0.05) / (low + 0.05)


def test_every_family_has_a_look():
    assert set(get_args(Family)) - {"source"} <= set(LOOKS)


def test_no_two_look_the_same_in_gray():
    seen = {(kind.shape, kind.style) for kind in LOOKS.values()}
    assert len(seen) == len(LOOKS)


def test_letters_and_borders_can_be_seen():
    for name, kind in LOOKS.items():
        assert contrast("#222222", kind.fill) > 7, name
        if name not in ("output", "tensor"):
            assert contrast(kind.border, "#FFFFFF") > 3, name


def test_signs_are_in_the_font():
    from matplotlib.ft2font import FT2Font

    from cgkit.render.fonts import matplotlib_fonts

    letters = FT2Font(str(matplotlib_fonts() / "DejaVuSans.ttf")).get_charmap()
    assert all(ord(letter) in letters for kind in LOOKS.values() for letter in kind.sign)


def test_what_is_not_known_is_gray():
    assert look("of tomorrow").attributes()["shape"] == "box"
