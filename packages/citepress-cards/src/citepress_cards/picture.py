"""Pictures from SVG: a card as a PNG of sixteen colours, and icons in several sizes."""

from collections.abc import Mapping
from io import BytesIO

import resvg_py
from PIL import Image

from citepress_cards.drawing import card_svg
from citepress_cards.faces import faces
from citepress_cards.words import HEIGHT, WIDTH, CardWords

ICON_SIZES = {"favicon.ico": 48, "icon-48.png": 48, "apple-touch-icon.png": 180}
"""Pixels a side; an ICO file has smaller ones beside it."""
OPAQUE = frozenset({"apple-touch-icon.png"})
"""Icons whose clear parts would be shown as black."""
STEPS = {"--ink": 6, "--muted": 4, "--accent": 4}
"""How many colours lie between the paper and each colour of letters, whose edges are drawn with them."""
BITS = 4
PICTURE_COMPRESSION_LEVEL = 6
"""Of the compression: the highest takes eight times as long for a twentieth less."""


def card(words: CardWords, tokens: Mapping[str, str], *, serif: bool) -> bytes:
    """A card as PNG, of mostly 10 to 25 KB. Raises ``ValueError`` where there is no face for its title."""
    picture = _rendered(card_svg(words, tokens, serif=serif), WIDTH, HEIGHT)
    return _written(picture.convert("RGB").quantize(palette=_palette(tokens), dither=Image.Dither.NONE), bits=BITS)


def icon(name: str, svg: bytes, paper: str) -> bytes:
    """An icon from plain SVG, on paper where its corners must not be clear; empty where that cannot be drawn."""
    size = ICON_SIZES[name]
    try:
        picture = _rendered(svg.decode("utf-8"), size, size, paper if name in OPAQUE else "")
    except ValueError:
        return b""
    if not name.endswith(".ico"):
        return _written(picture)
    out = BytesIO()
    picture.save(out, "ICO", sizes=[(side, side) for side in (16, 32, size)])
    return out.getvalue()


def _rendered(svg: str, width: int, height: int, paper: str = "") -> Image.Image:
    with faces().as_files() as files:
        data: bytes = resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            height=height,
            background=paper or None,
            skip_system_fonts=True,
            font_files=files,
        )
    return Image.open(BytesIO(data))


def _palette(tokens: Mapping[str, str]) -> Image.Image:
    paper = _rgb(tokens["--paper"])
    colours = [paper, _rgb(tokens["--rule"])]
    for name, steps in STEPS.items():
        full = _rgb(tokens[name])
        colours += [
            tuple(round(a + (b - a) * step / steps) for a, b in zip(paper, full, strict=True))
            for step in range(1, steps + 1)
        ]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in colours for part in colour])
    return palette


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour.removeprefix("#")))


def _written(picture: Image.Image, **options: int) -> bytes:
    out = BytesIO()
    picture.save(out, "PNG", compress_level=PICTURE_COMPRESSION_LEVEL, **options)
    return out.getvalue()
