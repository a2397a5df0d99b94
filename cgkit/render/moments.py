"""Several moments of one algorithm, side by side.

    strip([draw(g, marked={x: "ready"}), draw(g, marked={b: "ready"})], ["start", "after x"])

      ┌ start ┐ ┌ after x ┐
      │   .   │ │    .    │      one figure in a notebook, with one picture for each moment
      └───────┘ └─────────┘

A strip keeps graphviz graphs and draws them when it is shown.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cgkit.errors import RenderError
from cgkit.render.figure import CARD, figure
from cgkit.render.fonts import matplotlib_fonts, needs_system_fonts
from cgkit.render.notebook import Display, installed_engine

LETTERS = 15
"""Height of the letters of a caption in a PNG, in pixels."""


@dataclass(frozen=True)
class Strip:
    """Pictures side by side; it displays in a notebook.

    Parameters
    ----------
    moments
        Graphviz graphs.
    captions
        A line below each.
    """

    moments: tuple[Any, ...]
    captions: tuple[str, ...]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        display = Display(installed_engine())
        try:
            shown = [display.pictures(moment) for moment in self.moments]
        except RenderError as error:
            return {"text/plain": f"no picture: {error}"}
        figures = [
            figure(svg, f"{caption}: {words}" if caption else words, caption=caption)
            for (svg, _, words, _), caption in zip(shown, self.captions, strict=True)
        ]
        texts = [
            f"{caption}\n{letters}".strip()
            for (*_, letters), caption in zip(shown, self.captions, strict=True)
        ]
        return {
            "text/html": f'<div style="{CARD}">{" ".join(figures)}</div>',
            "image/png": _side_by_side([png for _, png, *_ in shown], self.captions),
            "text/plain": "\n\n".join(texts),
        }


def strip(moments: Sequence[Any], captions: Sequence[str] = ()) -> Strip:
    """Put pictures side by side.

    Parameters
    ----------
    moments
        Graphviz graphs, such as `draw` gives.
    captions
        A line for each; numbers from 1 when there are none.

    Raises
    ------
    RenderError
        There are no moments, or not one caption for each.

    Examples
    --------
    >>> strip([])
    Traceback (most recent call last):
    cgkit.errors.RenderError: a strip needs at least one moment
      try      strip([draw(graph)])
    """
    if not moments:
        raise RenderError("a strip needs at least one moment", attempt="strip([draw(graph)])")
    lines = tuple(captions) or tuple(str(number + 1) for number in range(len(moments)))
    if len(lines) != len(moments):
        raise RenderError(
            f"{len(moments)} moments cannot have {len(lines)} captions",
            attempt="one caption for each, or none",
        )
    return Strip(tuple(moments), lines)


def _side_by_side(pictures: Sequence[bytes], captions: Sequence[str]) -> bytes:
    """Join PNGs in one row, each with its caption below it."""
    from PIL import Image, ImageDraw, ImageFont

    images = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    font = ImageFont.truetype(str(matplotlib_fonts() / "DejaVuSans.ttf"), LETTERS)
    # what that font has no letters for stands in the other forms of the strip only
    lines = ["" if needs_system_fonts(text) else " ".join(text.split()) for text in captions]
    widths = [
        max(image.width, round(font.getlength(line)) + LETTERS)
        for image, line in zip(images, lines, strict=True)
    ]
    height = max(image.height for image in images)
    row = Image.new("RGB", (sum(widths), height + 2 * LETTERS * any(lines)), "white")
    pen, left = ImageDraw.Draw(row), 0
    for image, line, width in zip(images, lines, widths, strict=True):
        row.paste(image, (left + (width - image.width) // 2, 0))
        pen.text((left + width // 2, height + LETTERS // 2), line, "#222222", font, anchor="ma")
        left += width
    stored = io.BytesIO()
    row.quantize(256, dither=Image.Dither.NONE).save(stored, "PNG", optimize=True)
    return stored.getvalue()
