"""Drawn cards: the picture that stands for a page where it is shared, for which the extra ``cards`` is needed.

What is drawn depends on its words, the theme and the pinned packages alone, never on the machine's own fonts. The
modules that draw are loaded when something is drawn, because a site without cards needs none of their libraries.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from tempfile import TemporaryDirectory
from typing import Any

from citepress.base.errors import CitepressError
from citepress.base.ids import canonical_path
from citepress.base.package_digest import digest_of
from citepress_cards.plain_svg import is_plain
from citepress_cards.words import HEIGHT, WIDTH, CardWords

__all__ = [
    "CARDS_FOLDER",
    "HEIGHT",
    "WIDTH",
    "CardWords",
    "card",
    "card_path",
    "drawn_with",
    "icon",
    "is_drawable",
    "missing",
]

CARDS_FOLDER = "/theme/cards/"
ICON_SECONDS = 30
"""The longest that the drawing of an icon may take on the clock; it has 3 seconds of the processor."""
EXTRA = "pip install 'citepress[cards]'"
PACKAGES = ("fonttools", "font-source-serif-pro", "pillow", "pymupdf-fonts", "resvg-py")
"""The packages of the extra, on which the bytes of a picture depend."""


def card_path(page: str) -> str:
    """The path of the card of a page."""
    return f"{CARDS_FOLDER}{canonical_path(page)}.png"


def card(words: CardWords, tokens: Mapping[str, str], *, serif: bool) -> bytes:
    """A card as PNG. Raises ``ValueError`` where there is no face for its title."""
    data: bytes = _module("picture").card(words, tokens, serif=serif)
    return data


def icon(name: str, svg: bytes, paper: str) -> bytes:
    """An icon of this name from SVG; empty where that cannot be drawn, or not within seconds."""
    if not is_plain(svg):
        return b""
    command = [sys.executable, "-P", "-m", f"{__package__}.icon_process", name, paper]
    with TemporaryDirectory(prefix="citepress-icon-") as folder:  # what it leaves there when it is ended goes too
        within = {**os.environ, "TMPDIR": folder}
        try:
            drawing = subprocess.run(  # noqa: S603
                command, input=svg, env=within, capture_output=True, timeout=ICON_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return b""
    return b"" if drawing.returncode else drawing.stdout


def is_drawable(title: str, *, serif: bool) -> bool:
    """Whether there is a face for a title: without one there is no card."""
    return bool(_module("drawing").is_drawable(title, serif=serif))


def missing() -> str:
    """What this machine lacks to draw, as a sentence; empty if nothing."""
    try:
        _module("picture")
        _module("faces").faces()
    except ModuleNotFoundError as error:
        return f"{error.name} is not installed: {EXTRA}"
    except CitepressError as error:
        return f"{error}: {EXTRA}"
    return ""


@cache
def drawn_with() -> Sequence[str]:
    """What cards depend on beside their words: our code, and the versions of the packages."""
    return [digest_of(__package__).hex(), *map(version, PACKAGES)]


def _module(name: str) -> Any:  # noqa: ANN401  (a module)
    return import_module(f"{__package__}.{name}")
