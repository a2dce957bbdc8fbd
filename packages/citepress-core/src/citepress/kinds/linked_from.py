"""The records that point at a record, on its page: each once, with how it does and the passage that links here."""

from collections.abc import Iterator, Sequence

from citepress.archive.model import Archive, Entry
from citepress.base.ids import twin
from citepress.contract.backlink import Backlink
from citepress.contract.page import INTERFACE, Block, Item, Items, Link

MAX_SHOWN_NEIGHBOURS = 30
"""Neighbours that one list of a page shows; the rest is counted, and complete in the JSON twin."""
INCOMING = {
    "supports": "supports this",
    "contradicts": "contradicts this",
    "cites": "cites this as evidence",
    "supersedes": "replaces this",
    "links-to": "links here",
}
"""What a page says of the links of others to it, the weightiest first; ``related`` is shown once, from either side."""


def linking_records(entry: Entry) -> tuple[str, ...]:
    """Ids of the records that the page of a record shows for their links to it."""
    return (*list(_incoming(entry))[:MAX_SHOWN_NEIGHBOURS], *successors(entry))


def _incoming(entry: Entry) -> dict[str, list[Backlink]]:
    """The backlinks of each record that points here, the weightiest and then the newest first."""
    by_record: dict[str, list[Backlink]] = {}
    for backlink in entry.record.backlinks:
        if backlink.relation in INCOMING:
            by_record.setdefault(backlink.id, []).append(backlink)
    weights = list(INCOMING)
    return dict(sorted(by_record.items(), key=lambda row: min(weights.index(link.relation) for link in row[1])))


def successors(entry: Entry) -> list[str]:
    """Ids of the records that replace it."""
    return [backlink.id for backlink in entry.record.backlinks if backlink.relation == "supersedes"][
        :MAX_SHOWN_NEIGHBOURS
    ]


def linked_from(entry: Entry, archive: Archive) -> Iterator[Block]:
    """The records that point here, each once: how, and the passage of its text that does."""
    incoming = _incoming(entry)
    shown = ((archive.entry(id_), links) for id_, links in list(incoming.items())[:MAX_SHOWN_NEIGHBOURS])
    items = [_linking_item(source, links) for source, links in shown if source]
    if len(incoming) > MAX_SHOWN_NEIGHBOURS:
        items.append(unshown_item(entry, len(incoming)))
    if items:
        yield Items("backlinks", "Linked from", tuple(items), text_language=INTERFACE)


def unshown_item(entry: Entry, count: int) -> Item:
    """The last entry of a list that shows the first of so many neighbours."""
    title = f"{count - MAX_SHOWN_NEIGHBOURS} more"
    return Item("All of them are in the JSON twin.", href=twin(entry.path, ".json"), title=title)


def _linking_item(source: Entry, links: Sequence[Backlink]) -> Item:
    head = source.head
    relations = {link.relation for link in links}
    how = ", ".join(words for relation, words in INCOMING.items() if relation in relations)
    passage = next((link.passage.parts for link in links if link.passage), None)
    return Item(
        "",
        head.published_at,
        source.path,
        head.title,
        (Link(source.kind.singular, language=source.kind.label_language or INTERFACE), Link(how, language=INTERFACE)),
        head.language,
        passage=passage,
    )
