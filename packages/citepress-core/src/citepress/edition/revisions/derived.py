"""Leaves of revisions, histories, comparisons and TimeMaps: made from what is stored when they are asked for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

from citepress.archive.links import path_within
from citepress.base import fast_json
from citepress.base.ids import revision_path
from citepress.base.media import JSON, LINK_FORMAT
from citepress.base.timestamps import http_date
from citepress.content.text_links import local_path, relink
from citepress.contract.cache import Cache
from citepress.contract.document import Pages
from citepress.contract.page import Page
from citepress.edition.compiler import page_leaf
from citepress.edition.leaf import Leaf
from citepress.edition.memento import TIMEGATE, ListedRevision, memento_link, timegate_links, timemap_path
from citepress.edition.render_context import RenderContext
from citepress.edition.revisions import declared
from citepress.edition.revisions.comparison_page import comparison_page
from citepress.edition.revisions.pages import BODY, ListedRecord, comparison_path, history_page, revision_page
from citepress.edition.revisions.record import Stored
from citepress.edition.revisions.stored import PART_REVISIONS, list_path, part_path

_PATH = re.compile(r"(/[a-z0-9-]+/[a-z0-9-]+/)(?:@([1-9][0-9]{0,6})(?:\.\.([1-9][0-9]{0,6}))?|history)(/|\.[a-z]{2,4})")
MOVED_STATUS, GONE_STATUS = 308, 410


def record_of(path: str) -> str:
    """Path of the record's page that a path below it belongs to; empty for any other path."""
    match = _PATH.fullmatch(path) if "/@" in path or "/history" in path else None
    return match[1] if match else ""


def listed(page: str, stored: Stored) -> list[ListedRevision]:
    """The revisions of a record, oldest first; none where none are kept."""
    rows = stored(list_path(page))
    return [ListedRevision(*row) for row in fast_json.loads(rows)] if rows else []


def at(rows: Sequence[ListedRevision], moment: datetime) -> ListedRevision:
    """The revision that was public at a moment; the first one before that (RFC 7089 section 4.5.3)."""
    return next((row for row in reversed(rows) if row.moment <= moment), rows[0])


def paths(page: str, rows: list[ListedRevision], context: RenderContext) -> Iterator[str]:
    """The paths below the page of a record that pages lead to; readers may compare any two revisions of it."""
    numbers = [row.number for row in rows]
    pages = [f"{page}history/", *(revision_path(page, number) for number in numbers)]
    if context.served:
        pages += [comparison_path(page, former, later) for former, later in pairwise(numbers)]
    yield from (form.path(path) for path in pages for form in context.forms)
    yield timemap_path(page)


def revision_leaf(landing: Leaf, path: str, stored: Stored, context: RenderContext) -> Leaf | None:
    """The leaf of a path below the page of a record; ``None`` where there is none.

    ``landing`` is the leaf of that page: where it has moved, so have its revisions, and they go with it.
    """
    if landing.status == MOVED_STATUS:
        below = path.removeprefix(landing.path)
        return replace(landing, path=path, location=landing.location + below) if landing.location[-1:] == "/" else None
    match, rows = _PATH.fullmatch(path), listed(landing.path, stored)
    if landing.status == GONE_STATUS and not rows:
        return replace(landing, path=path)
    if match is None or not rows:
        return None
    if match[2] is None and match[4] == ".link":
        return _timemap(landing, path, rows, context)
    withdrawn = bytes(landing.body).decode() if landing.status == GONE_STATUS else ""
    record = ListedRecord(landing.path, rows, context, withdrawn, landing.location if withdrawn else "")
    return _rendered(record, match, path, stored)


def _rendered(record: ListedRecord, match: re.Match[str], path: str, stored: Stored) -> Leaf | None:
    context = record.context
    # Its forms are mostly asked for one after the other.
    inputs = (record.path, match[2], match[3])
    name, page, memento, lasts = context.derivations.held("revision", inputs, partial(_page, record, match, stored))
    kinds = context.archive.kinds
    declarations = context.derivations.held("declared revisions", (kinds,), partial(declared.of_kinds, kinds))
    item = next((item for item in declarations if item.name == name), None)
    leaf = page_leaf(context, item, page, path) if page and isinstance(item, Pages) else None
    if leaf is None:
        return None
    links = tuple(timegate_links(record.path, context.url)) if memento else ()
    # What was written stays as it is for ever; a page of it follows the theme and names other records.
    stays = lasts and match[2] and leaf.kind == JSON.name and not record.withdrawn
    cache = Cache.ASSET if stays else leaf.cache
    return replace(leaf, links=(*leaf.links, *links), memento=memento, canonical="", cache=cache)


def _page(record: ListedRecord, match: re.Match[str], stored: Stored) -> tuple[str, Page | None, int, bool]:
    """Name of the declaration, page, the moment of a memento, and whether what was written is shown as it stands."""
    if match[2] is None:
        return "revision_history", history_page(record), 0, True
    numbers = [int(number) for number in match.groups()[1:3] if number]
    rows = [(row, _document(record, place, stored)) for place, row in enumerate(record.rows) if row.number in numbers]
    if len(rows) != len(numbers) or numbers != sorted(set(numbers)) or any(said is None for _, said in rows):
        return "", None, 0, True
    pairs = [(row, _without_dead_links(record, said or {}, stored)) for row, said in rows]
    lasts = all(said is shown for (_, said), (_, shown) in zip(rows, pairs, strict=True))
    if len(pairs) == 1:
        row, said = pairs[0]
        return "revision", revision_page(record, row, said, stored), row.seconds, lasts
    (former, was), (later, becomes) = pairs
    return "revision_comparison", comparison_page(record, (former, later), (was, becomes), stored), 0, lasts


def _without_dead_links(record: ListedRecord, said: Mapping[str, Any], stored: Stored) -> Mapping[str, Any]:
    """What a revision said; links to records that are not published are words, as they would name a draft."""
    kinds = {kind.name for kind in record.context.archive.kinds}
    base_url = record.context.url("")

    def address(href: str, _image: bool) -> str | None:
        names = local_path(href, record.path, base_url).split("/")
        if len(names) == 1 or names[0] not in kinds or stored(f"/{names[0]}/{names[1]}/") is not None:
            return href
        return href if stored(path_within(href, record.path, base_url)) is not None else None

    text = str(said.get(BODY, ""))
    shown = relink(text, address)
    return said if shown == text else {**said, BODY: shown}


def _document(record: ListedRecord, place: int, stored: Stored) -> Mapping[str, Any] | None:
    """What a revision said; ``None`` where that was lost."""
    part = stored(part_path(record.path, place // PART_REVISIONS))
    documents: list[Any] = fast_json.loads(part) if part else []
    said = documents[place % PART_REVISIONS] if place % PART_REVISIONS < len(documents) else None
    return said if isinstance(said, dict) else None


def _timemap(landing: Leaf, path: str, rows: list[ListedRevision], context: RenderContext) -> Leaf:
    """Every memento of a record (RFC 7089 section 5)."""
    own = f'<{context.url(path)}>; rel="self"; type="{LINK_FORMAT.type}"'
    span = f'; from="{http_date(rows[0].moment)}"; until="{http_date(rows[-1].moment)}"'
    lines = [f"<{context.url(landing.path)}>; {TIMEGATE}", own + span]
    for place, row in enumerate(rows):
        relation = " ".join([*(["first"] if place == 0 else []), *(["last"] if row is rows[-1] else []), "memento"])
        lines.append(memento_link(context.url(revision_path(landing.path, row.number)), row, relation))
    return Leaf(
        path,
        declared.TIMEMAP,
        LINK_FORMAT.name,
        LINK_FORMAT.sent,
        (",\n".join(lines) + "\n").encode(),
        Cache.RECORD,
        LINK_FORMAT.accepted,
    )
