"""The theme: templates, one stylesheet and the icons, with the public paths under which they are served."""

from collections.abc import Mapping
from importlib.resources import files

from citepress.base.canonical import short_digest
from citepress.base.media import Media

_HERE = files(__name__)
FILES = {
    "site.css": Media("asset", "text/css; charset=utf-8"),
    "favicon.svg": Media("asset", "image/svg+xml"),
    "icon.svg": Media("asset", "image/svg+xml"),
    "icon-48.png": Media("asset", "image/png"),
}
"""The files of the theme and the types they are sent as."""
TEMPLATES: Mapping[str, str] = {
    path.name: path.read_text("utf-8")
    for path in sorted(_HERE.joinpath("templates").iterdir(), key=lambda path: path.name)
}
"""Sources of the theme's templates by name."""


def assets() -> dict[str, tuple[bytes, Media]]:
    """The files of the theme by name: bytes and the type sent."""
    return {name: (_HERE.joinpath(name).read_bytes(), media) for name, media in FILES.items()}


def paths() -> dict[str, str]:
    """The fingerprinted public path of each file: ``/theme/<stem>-<8 hex>.<ext>``; a changed file has a new path."""
    digests = {}
    for name, (data, _media) in assets().items():
        stem, _, extension = name.rpartition(".")
        digests[name] = f"/theme/{stem}-{short_digest(data)[:8]}.{extension}"
    return digests
