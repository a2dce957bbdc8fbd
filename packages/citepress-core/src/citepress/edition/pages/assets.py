"""The files of the theme, named after their bytes, and the icons under the names that browsers request."""

import re
from collections.abc import Callable, Iterable, Iterator

from citepress.base.media import Media
from citepress.contract.cache import Cache
from citepress.contract.document import Document, Output, Parameter, Section
from citepress.contract.picture import pictures_of
from citepress.contract.route import ICONS
from citepress.edition.render_context import RenderContext
from citepress.edition.theme import FILES, assets

DRAWN = {
    "favicon.ico": ("/favicon.svg", "/icon.svg"),
    "icon-48.png": ("/icon.svg", "/favicon.svg"),
    "apple-touch-icon.png": ("/icon.svg", "/favicon.svg"),
}
"""The files of an archive that each picture is drawn from, the first that is there."""
NAMED_ASSETS = frozenset({"icon-48.png"})
"""Pictures whose address other documents name, so that something has to answer there."""
ANY = Media("asset", "*/*")
"""Each file of the theme has a type of its own."""
THEME_FILE = Parameter(
    "file",
    "A file of the theme, named with a digest of its bytes.",
    r"[a-z0-9]+(?:-[a-z0-9]+)*-[0-9a-f]{8}\.[a-z0-9]+",
    "site-00000000.css",
)


def _theme(context: RenderContext) -> Iterator[Output]:
    for name, (body, media) in assets().items():
        yield Output(body, {"file": context.assets[name].rpartition("/")[2]}, media=media)


def _icon(name: str) -> Callable[[RenderContext], Iterable[Output]]:
    """An icon: a file of the archive under its name, or drawn from the archive's own SVG, or that of the theme."""

    def make(context: RenderContext) -> Iterator[Output]:
        static, (body, media) = context.archive.static, assets()[name]
        if f"/{name}" in static:
            return
        own = next((static[path] for path in DRAWN.get(name, ()) if path in static), None)
        if own is None:
            yield Output(body, media=media)
        elif (pictures := pictures_of(context.site)) and (drawn := pictures.icon(name, bytes(own))):
            yield Output(drawn, media=media)
        elif name in NAMED_ASSETS:
            yield Output(body, media=media)

    return make


ALL = (
    Document[RenderContext](
        "theme_file",
        "/theme/{file}",
        ANY,
        Section.EXTRAS,
        "A file of the theme.",
        _theme,
        parameters=(THEME_FILE,),
        cache=Cache.ASSET,
        promised=False,
    ),
    *(
        Document[RenderContext](
            re.sub(r"\W", "_", name),
            f"/{name}",
            FILES[name],
            Section.EXTRAS,
            "The publication's icon.",
            _icon(name),
            cache=Cache.CARD,
            promised=False,
        )
        for name in (path.removeprefix("/") for path in ICONS)
    ),
)
