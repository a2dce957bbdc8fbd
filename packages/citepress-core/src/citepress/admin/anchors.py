"""Warnings about links to parts of records that their pages do not have."""

import re
from collections.abc import Collection, Iterator
from html import unescape

from citepress.archive.assembled import Assembled
from citepress.archive.links import anchor_links
from citepress.archive.resolve import MAX_LINK_FAULTS
from citepress.base.ids import path_of
from citepress.base.text import nearest
from citepress.content.source_record import SourceRecord, in_body
from citepress.contract.fault import LOST_ANCHOR, Fault
from citepress.edition.forms import html
from citepress.edition.render_context import RenderContext
from citepress.kinds.record_page import record_page

_ID = re.compile(r'\sid="([^"]+)"')
MAX_COMPARED_ANCHORS = 500
"""Anchors of a page that are compared with one that it lacks."""


def anchor_faults(state: Assembled, context: RenderContext) -> Iterator[Fault]:
    """A warning for each link of a record to a part that the page of a record, its own or another, does not have."""
    anchors = _Anchors(context)
    for draft in state.folder.drafts:
        yield from _of(draft, state, anchors)


def _of(draft: SourceRecord, state: Assembled, anchors: "_Anchors") -> Iterator[Fault]:
    count = 0
    for link in anchor_links(draft, path_of(draft.id), state.addresses.names.base_url):
        sort, id_ = state.addresses.target(link.path)
        if sort != "record" or count == MAX_LINK_FAULTS or anchors.has(id_, link.anchor):
            continue
        count += 1
        better = nearest(link.anchor, list(anchors.of(id_))[:MAX_COMPARED_ANCHORS], 1)
        where = "this page" if id_ == draft.id else path_of(id_)
        hint = f'did you mean "#{better[0]}"?' if better else ""
        message = f"{'#' + link.anchor[:120]!r} does not exist on {where}"
        yield Fault.at(LOST_ANCHOR, in_body(draft, link.offset), message, hint)


class _Anchors:
    """The anchors of pages of records; a page is rendered where they do not follow from the record alone."""

    def __init__(self, context: RenderContext) -> None:
        self._context = context
        self._held: dict[str, Collection[str]] = {}

    def has(self, id_: str, anchor: str) -> bool:
        """Whether the page of a record has an anchor."""
        entry = self._context.archive.entries.get(id_)
        return entry is None or anchor in entry.record.paragraphs or anchor in self.of(id_)

    def of(self, id_: str) -> Collection[str]:
        """Every anchor of the page of a record, in its order."""
        if id_ not in self._held:
            archive = self._context.archive
            page = html.write(record_page(archive.entries[id_], archive), self._context).decode()
            self._held[id_] = dict.fromkeys(map(unescape, _ID.findall(page)))
        return self._held[id_]
