"""A picture as HTML that is legible everywhere a notebook is read.

    picture + words ──► <figure: an opaque white card> <img alt="the words"> </figure>

JupyterLab cleans the HTML of a notebook it does not trust: scripts and SVG elements go, an <img>
with its data and its alternative text stays. So a picture is always an <img>. The card is opaque
and light, because the lines of a graph are dark: dark themes show it unchanged.
"""

from __future__ import annotations

import base64
import io
import re
from html import escape

CARD = (
    "display:inline-block;margin:4px 0;padding:8px;max-width:100%;overflow-x:auto;"
    "background-color:#ffffff;color:#222222;border:1px solid #d0d0d0;border-radius:6px"
)
"""The style of the card; every property survives JupyterLab's cleaning."""

WIDEST = 1100
"""Pictures up to so many pixels shrink to fit the page; wider ones scroll, to stay legible."""

LARGEST = (3200, 8000)
"""A stored PNG is scaled down to so many pixels."""


def figure(picture: bytes, words: str, *, caption: str = "", scale: float = 1.0) -> str:
    """Lay a picture on a card.

    Parameters
    ----------
    picture
        SVG or PNG.
    words
        What it shows, in a sentence, for those who do not see it.
    caption
        A line below it.
    scale
        Pixels on the page for one pixel of a PNG; 0.5 for a picture drawn at double size.

    Examples
    --------
    >>> html = figure(b'<svg width="72pt" height="36pt"/>', 'a "box"')
    >>> html.startswith("<figure") and 'width="96" height="48" alt="a &quot;box&quot;"' in html
    True
    """
    width, height = size(picture)
    width, height = round(width * scale), round(height * scale)
    kind = "png" if picture[:4] == b"\x89PNG" else "svg+xml"
    data = base64.b64encode(picture).decode()
    shrink = "max-width:100%;height:auto" if width <= WIDEST else "max-width:none"
    below = f'<figcaption style="font-size:90%">{escape(caption)}</figcaption>' if caption else ""
    return (
        f'<figure style="{CARD}"><img src="data:image/{kind};base64,{data}" '
        f'width="{width}" height="{height}" alt="{escape(words)}" style="{shrink}">'
        f"{below}</figure>"
    )


def size(picture: bytes) -> tuple[float, float]:
    """Give the width and height of an SVG or PNG in pixels; (0, 0) when it does not say."""
    if picture[:4] == b"\x89PNG":
        return int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])
    found = re.search(rb'<svg width="([\d.]+)pt" height="([\d.]+)pt"', picture)
    return (float(found[1]) * 4 / 3, float(found[2]) * 4 / 3) if found else (0.0, 0.0)


def smaller(png: bytes) -> bytes:
    """Store a PNG in at most 256 colors and LARGEST pixels: the same to the eye, in few bytes."""
    from PIL import Image

    stored = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.thumbnail(LARGEST)
        flat = Image.new("RGB", image.size, "white")
        flat.paste(image, mask=image.getchannel("A") if "A" in image.getbands() else None)
        flat.quantize(256, dither=Image.Dither.NONE).save(stored, "PNG", optimize=True)
    return stored.getvalue()
