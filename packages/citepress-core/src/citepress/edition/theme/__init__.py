"""The themes: templates, a stylesheet for each and the icons, with the public paths under which they are served."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import get_args

from citepress.base.canonical import short_digest
from citepress.base.media import Media
from citepress.contract.site import ThemeName

_HERE = files(__name__)
CSS = Media("asset", "text/css; charset=utf-8")
THEME_NAMES = get_args(ThemeName)
"""Themes by name; the first is that of a site that names none."""
FILES = {
    **{f"{name}.css": CSS for name in THEME_NAMES},
    "favicon.svg": Media("asset", "image/svg+xml"),
    "icon.svg": Media("asset", "image/svg+xml"),
    "icon-48.png": Media("asset", "image/png"),
    "favicon.ico": Media("asset", "image/x-icon"),
    "apple-touch-icon.png": Media("asset", "image/png"),
}
"""The files of the theme and the types they are sent as."""
THEME_TEMPLATES: Mapping[str, str] = {
    path.name: path.read_text("utf-8")
    for path in sorted(_HERE.joinpath("templates").iterdir(), key=lambda path: path.name)
}
"""Sources of the theme's templates by name."""


def assets() -> dict[str, tuple[bytes, Media]]:
    """The files of the theme by name: bytes and the type sent."""
    return {name: (_read(name), media) for name, media in FILES.items()}


def _read(name: str) -> bytes:
    """A file; a style sheet is the tokens of its theme, then the rules that all themes share."""
    data = _HERE.joinpath(name).read_bytes()
    return data + _HERE.joinpath("site.css").read_bytes() if FILES[name] is CSS else data


def style(theme: ThemeName) -> str:
    """The file that is the style sheet of a theme."""
    return f"{theme}.css"


@cache
def tokens(theme: ThemeName) -> Mapping[str, str]:
    """The tokens of a theme by their names, colours on light paper."""
    sheet = _HERE.joinpath(style(theme)).read_text("utf-8").partition("@media")[0]
    return dict(re.findall(r"(--[a-z0-9-]+): ([^;]+);", sheet))


def has_serifs(theme: ThemeName) -> bool:
    """Whether titles are set in a face with serifs."""
    return tokens(theme)["--serif"].endswith(", serif")


@cache
def papers(theme: ThemeName) -> tuple[str, str]:
    """The colours of the page, light and dark."""
    light, dark = re.findall(rb"--paper: (#[0-9a-f]{6});", _HERE.joinpath(style(theme)).read_bytes())
    return light.decode(), dark.decode()


def paths() -> dict[str, str]:
    """The fingerprinted public path of each file: ``/theme/<stem>-<8 hex>.<ext>``; a changed file has a new path."""
    digests = {}
    for name, (data, _media) in assets().items():
        stem, _, extension = name.rpartition(".")
        digests[name] = f"/theme/{stem}-{short_digest(data)[:8]}.{extension}"
    return digests
