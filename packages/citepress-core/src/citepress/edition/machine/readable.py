"""The pages that can be read, as statistics know them: what the sitemap lists, each with its forms."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from citepress.archive.model import Entry
from citepress.base.ids import canonical_path
from citepress.edition.machine.sitemap import FIXED, SOURCES, fixed, origin_changes
from citepress.edition.render_context import RenderContext


class Readable(NamedTuple):
    """A page that can be read."""

    kind: str
    path: str
    canonical: str
    published: datetime | None
    changed: datetime
    forms: tuple[str, ...]


def readable(context: RenderContext) -> Iterator[Readable]:
    """Every page that can be read, once."""
    yield from readable_pages(context)
    for kind in context.archive.kinds:
        for entry in context.archive.collections[kind.name]:
            yield readable_record(context, entry)
    for id_ in context.archive.origins:
        yield readable_origin(context, id_)


def readable_pages(context: RenderContext) -> Iterator[Readable]:
    """The pages that are of no record and no origin."""
    published = {dataset.path: dataset.published for dataset in context.archive.datasets}
    paths: set[str] = set()
    for path, _, changed in fixed(context):
        if path not in paths:
            paths.add(path)
            kind = "datasets" if path in published else FIXED
            yield Readable(kind, path, canonical_path(path), published.get(path), changed, _forms(context, path))


def readable_record(context: RenderContext, entry: Entry) -> Readable:
    """The page of a record."""
    kind, head = entry.kind.name, entry.head
    forms = _forms_of(context, f"/{kind}/{{slug}}/", entry.path)
    return Readable(kind, entry.path, head.id, head.published_at, head.updated_at, forms)


def readable_origin(context: RenderContext, id_: str) -> Readable:
    """The page of an origin."""
    path = f"/sources/{id_}/"
    forms = _forms_of(context, "/sources/{origin}/", path)
    return Readable(SOURCES, path, canonical_path(path), None, origin_changes(context)[id_], forms)


def _forms_of(context: RenderContext, family: str, path: str) -> tuple[str, ...]:
    """Names of the forms of a family of pages: those that one of them has."""
    return context.derivations.of(f"forms of {family}", lambda: _forms(context, path))


def _forms(context: RenderContext, path: str) -> tuple[str, ...]:
    """Names of the forms that a page is read in."""
    route, read = context.table.match(path), {form.name for form in context.forms}
    return tuple(name for name, _, _ in route.forms if name in read) if route else ()
