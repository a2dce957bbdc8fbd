"""The pages that can be read, as statistics know them: what the sitemap lists, each with its forms."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from citepress.base.ids import canonical_path
from citepress.edition.documents.sitemap import listed
from citepress.edition.render_context import RenderContext


class Readable(NamedTuple):
    """A page that can be read."""

    kind: str
    path: str
    canonical: str
    published: datetime | None
    changed: datetime
    forms: tuple[str, ...]


def readable(desk: RenderContext) -> Sequence[Readable]:
    """Every page that can be read, once."""
    if "readable" not in desk.memo:
        desk.memo["readable"] = tuple(_readable(desk))
    found: tuple[Readable, ...] = desk.memo["readable"]
    return found


def _readable(desk: RenderContext) -> Iterator[Readable]:
    published = {dataset.path: dataset.published for dataset in desk.archive.datasets}
    seen: set[str] = set()
    for kind, rows in listed(desk).items():
        forms: tuple[str, ...] = ()
        for path, _, changed in rows:
            if path in seen:
                continue
            seen.add(path)
            if kind == "pages" or not forms:
                forms = _forms(desk, path)
            name = canonical_path(path)
            entry = desk.archive.entry(name)
            moment = entry.record.published_at if entry else published.get(path)
            yield Readable("datasets" if path in published else kind, path, name, moment, changed, forms)


def _forms(desk: RenderContext, path: str) -> tuple[str, ...]:
    """Names of the forms that a page has; every page of a collection has the same."""
    route = desk.table.match(path)
    return tuple(name for name, _, _ in route.forms) if route else ()
