"""The width and height of images, read from their own bytes."""

import re
from io import BytesIO
from typing import NamedTuple

import imagesize
from lxml import etree

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
"""What the names of images end in, in lower case."""
MAX_SIDE_PIXELS = 100_000
"""The most pixels of a side; a larger image is not for a page."""
_PIXELS = {"": 1.0, "px": 1.0, "pt": 96 / 72, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
"""CSS pixels of each absolute unit (CSS Values 4, section 6.2)."""
_LENGTH = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]{0,2})\s*")
_SVG = "{http://www.w3.org/2000/svg}svg"


class Size(NamedTuple):
    """Width and height in CSS pixels, as an image is shown where nothing else says how."""

    width: int
    height: int


def is_image(path: str) -> bool:
    """Whether a path is that of an image, by its ending."""
    return path.lower().endswith(SUFFIXES)


def size_of(path: str, data: bytes) -> Size | None:
    """The size of an image, turned as its Exif says; ``None`` where it cannot be read."""
    sides = _svg(data) if path.lower().endswith(".svg") else imagesize.get(BytesIO(data))
    size = Size(round(sides[0]), round(sides[1])) if sides else None
    return size if size and 0 < size.width <= MAX_SIDE_PIXELS and 0 < size.height <= MAX_SIDE_PIXELS else None


def _svg(data: bytes) -> tuple[float, float] | None:
    """The size in the root of an SVG: its width and height, or the sides of its ``viewBox``."""
    try:
        _, root = next(
            etree.iterparse(BytesIO(data), events=("start",), resolve_entities=False, no_network=True, load_dtd=False)
        )
    except (etree.XMLSyntaxError, StopIteration):
        return None
    if root.tag != _SVG:
        return None
    width, height = _pixels(root.get("width", "")), _pixels(root.get("height", ""))
    box = root.get("viewBox", "").replace(",", " ").split()
    if width and height:
        return width, height
    across, down = (_pixels(side) for side in box[2:]) if len(box) == 4 else (0.0, 0.0)  # noqa: PLR2004  (x, y, width, height)
    if width and across:
        return width, width * down / across
    if height and down:
        return height * across / down, height
    return across, down


def _pixels(length: str) -> float:
    """A length in CSS pixels; 0 for one that depends on its surroundings."""
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * _PIXELS.get(match[2], 0.0) if match else 0.0
