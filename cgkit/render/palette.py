"""One color, one shape and one sign for each family of operators.

    input ○ blue    variable ⛁ yellow    elementwise ▢ green    matrix ▣ orange    ...

The colors are those of Okabe and Ito, which color-blind readers tell apart, light inside and dark
at the border; and no two families share a shape, so a gray print says as much.

References
----------
M. Okabe, K. Ito, "Color universal design", 2008.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

INK = "#222222"
"""Letters and arrows."""

MARK = "#C00000"
"""What a check points at: a strong red, and always with words."""


_STRAIGHT = ("box", "note", "ellipse", "cylinder", "box3d", "plaintext")


@dataclass(frozen=True)
class Look:
    """How the boxes of one family look.

    Parameters
    ----------
    shape
        A node shape of Graphviz.
    fill, border
        Colors.
    sign
        The shape as one letter, for a legend.
    style
        Further words for Graphviz's `style`.
    """

    shape: str
    fill: str
    border: str
    sign: str
    style: str = ""

    def attributes(self) -> dict[str, str]:
        """Give the same as attributes of a node."""
        style = ",".join(filter(None, ["filled", self.style]))
        return {
            "shape": self.shape,
            "style": style,
            "fillcolor": self.fill,
            "color": self.border,
            "margin": "0.12,0.05" if self.shape in _STRAIGHT else "0.02,0.02",
        }


LOOKS: Mapping[str, Look] = {
    "input": Look("ellipse", "#D6E9F8", "#0072B2", "○"),
    "variable": Look("cylinder", "#FBF6C3", "#8A8000", "⛁"),
    "constant": Look("note", "#F2F2F2", "#777777", "▤"),
    "elementwise": Look("box", "#D3F0E6", "#007A58", "▢", "rounded"),
    "activation": Look("hexagon", "#FBDDCB", "#C04F00", "⬡"),
    "matrix": Look("box", "#FCE9C2", "#A87000", "▣", "bold"),
    "reduction": Look("invtrapezium", "#F5DDEA", "#A8487E", "▽"),
    "shape": Look("parallelogram", "#E3F3FC", "#2F87B7", "▱"),
    "indexing": Look("house", "#E6E1F5", "#6A51A3", "⬠"),
    "random": Look("octagon", "#EFE4D8", "#7A5230", "⚄"),
    "control": Look("diamond", "#E4E4E4", "#444444", "◇"),
    "group": Look("box3d", "#FFFFFF", "#555555", "❒"),
    "output": Look("plaintext", "#FFFFFF", "#FFFFFF", ""),
    "tensor": Look("box", "#FFFFFF", "#999999", "▭"),
}
"""For each family, and for the three kinds of sources, how its boxes look."""


def look(name: str) -> Look:
    """Give the look of a family; one that is not known looks like a gray box.

    Examples
    --------
    >>> look("activation").shape, look("a family of tomorrow").shape
    ('hexagon', 'box')
    """
    return LOOKS.get(name, Look("box", "#EEEEEE", "#666666", "□"))
