"""The page of any record: what every kind shows around its own blocks, in one order."""

from collections.abc import Container, Iterable, Iterator, Mapping

from citepress.archive.build import BACKLINKS
from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Archive, Entry
from citepress.base.memo import memoized
from citepress.base.timestamps import rfc3339
from citepress.content.opening import opening
from citepress.contract.citation import Reference, citation_of, license_url, person
from citepress.contract.page import (
    INTERFACE,
    Block,
    Card,
    Cards,
    Cite,
    Fact,
    Facts,
    Item,
    Items,
    Link,
    Notice,
    Page,
    Prose,
    SourceItem,
    Sources,
)
from citepress.contract.record import Author, Credit, RecordUpdate
from citepress.kinds.parts import UNEXPLAINED, fact, facts
from citepress.kinds.topics import TopicRecord

NOTHING = bytes(16)
"""Stands for the face of a record that is not published."""
BOTH = 2
TEXT = "text"
"""Id of the block of the running text."""
OPENING = 4000
"""Characters of a text that are compared with its summary."""
SHOWN = 30
"""Neighbours that one list of a page shows; the rest is counted, and complete in the JSON twin."""
OUTGOING = {
    "supports": "supported by this record",
    "contradicts": "contradicted by this record",
    "cites": "cited as evidence",
    "supersedes": "replaced by this record",
    "related": "related",
}
"""How a page names its own links, the weightiest first; topics and links in the text are elsewhere."""
INCOMING = {
    "supports": "Supporting this",
    "contradicts": "Contradicting this",
    "cites": "Citing this as evidence",
    "supersedes": "Replacing this",
    "links-to": "Mentioning this",
}
"""How a page names the links of others to it; ``related`` is shown once, from either side."""


def record_page(entry: Entry, archive: Archive) -> Page:
    """The page of one record, bounded in every list."""
    record, kind, blocks = entry.record, entry.kind, tuple(_blocks(entry, archive))
    return Page(
        path=entry.path,
        title=record.title,
        description=record.summary,
        blocks=blocks,
        label=kind.singular,
        template="record",
        published=record.published_at,
        updated=record.updated_at,
        language=record.language,
        license=record.license,
        crumbs=(Link("Home", "/"), Link(kind.plural, f"/{kind.name}/")),
        topics=_topics(entry, archive),
        data=record,
        linked_data=(_linked_data(entry, archive),),
        citation=citation(entry, archive),
        feeds=_feeds(entry),
        opens_with_description=blocks[0].id == TEXT and _opens_with(record.body_markdown, record.summary),
    )


def _opens_with(body: str, summary: str) -> bool:
    """Whether a text begins with the words of a summary, as that of a note whose summary was taken from it."""
    words = summary.rstrip("…").split()
    return bool(words) and opening(body[:OPENING], anywhere=False)[1].split()[: len(words)] == words


def record_inputs(entry: Entry, archive: Archive) -> bytes:
    """Everything ``record_page`` reads except the site, as bytes that are cheap to compare: digests of the records."""
    record = entry.record
    ids, origin_ids = memoized(entry.memo, "shown", None, lambda: _shown(entry))
    others = map(archive.entries.get, ids)
    inputs = [entry.digest, b"".join(other.face if other else NOTHING for other in others)]
    if isinstance(record, TopicRecord):
        for name, members in _by_kind(archive.topics.get(record.slug, ())).items():
            digests = b"".join(member.face for member in members[:SHOWN])
            inputs.append(b"%b %d %b" % (name.encode(), len(members), digests))
    origins = map(archive.origins.get, origin_ids)
    inputs += [origin.title.encode() for origin in origins if origin]
    # An image without a readable size counts as well: it gets one when its file is mended.
    sizes = map(archive.images.get, entry.images)
    inputs += [b"%d %d" % size if size else b"" for size in sizes]
    return b"\0".join(inputs)


def records_to_render(edit: ArchiveEdit) -> frozenset[str]:
    """Ids of records whose pages an edit may have changed: those that it concerns, and all that show one of them."""
    return memoized(edit.memo, "to render", None, lambda: _to_render(edit))


def _to_render(edit: ArchiveEdit) -> frozenset[str]:
    ids = set(edit.records)
    for id_ in edit.records:
        versions = list(edit.versions(id_))
        if len(versions) == BOTH and versions[0].face == versions[1].face:
            continue
        for entry in versions:
            ids.update(entry.record.related)
            ids.update(edge.target for edge in entry.edges)
            ids.update(_linking(entry, edit))
    ids.update(f"topics/{slug}" for slug in edit.topics)
    for id_ in edit.origins:
        titles = [origin.title for archive in (edit.before, edit.after) if (origin := archive.origins.get(id_))]
        if len(set(titles)) == BOTH:
            ids.update(edit.after.origins[id_].records)
    return frozenset(ids)


def _linking(entry: Entry, edit: ArchiveEdit) -> Iterator[str]:
    """Ids of the records that have an edge to one: its backlinks, or where those are cut off, found among all."""
    backlinks = entry.record.backlinks
    if len(backlinks) < BACKLINKS:
        yield from (backlink.id for backlink in backlinks)
        return
    for archive in (edit.before, edit.after):
        for id_, other in archive.entries.items():
            if any(edge.target == entry.record.id for edge in other.edges):
                yield id_


def _shown(entry: Entry) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the records that a record's page shows, and of its origins, which the record itself determines."""
    record = entry.record
    ids = [*(edge.target for edge in entry.edges), *record.related, *(f"topics/{slug}" for slug in record.topics)]
    ids += [id_ for sources in _incoming(entry).values() for id_ in sources[:SHOWN]]
    origins = [use.origin for use in record.uses]
    return tuple(dict.fromkeys(ids)), tuple(dict.fromkeys(origins))


def _blocks(entry: Entry, archive: Archive) -> Iterator[Block]:
    record = entry.record
    yield from _superseded(entry, archive)
    own = entry.kind.blocks(record, archive)
    yield from own
    if record.body_markdown.strip():
        yield Prose(TEXT, "", record.body_markdown)
    if isinstance(record, TopicRecord):
        yield from _members(record, archive)
    if record.sources:
        yield Sources("sources", "Sources", _sources(entry, archive))
    yield from _mentions(entry, archive)
    yield from _related(
        entry, archive, {item.href for block in own if isinstance(block, Items) for item in block.items}
    )
    yield from _backlinks(entry, archive)
    yield from _changes("corrections", "Corrections", record.corrections)
    yield from _changes("updates", "Updates", record.updates)
    yield from _changes("credits", "Reported use", record.credits)
    yield Cite("cite", "Cite this", citation(entry, archive), entry.path)
    yield _about(entry)


def citation(entry: Entry, archive: Archive) -> Reference:
    """How a record is cited."""
    publisher = archive.site.publisher(archive.owner.name)
    return memoized(entry.memo, "citation", publisher, lambda: citation_of(entry.record, publisher))


def _superseded(entry: Entry, archive: Archive) -> Iterator[Block]:
    """The notice at the top of a record that was replaced."""
    for id_ in _incoming(entry).get("supersedes", ())[:SHOWN]:
        if successor := archive.entry(id_):
            record = successor.record
            yield Notice(
                f"superseded-by-{record.slug}",
                "",
                record.title,
                successor.path,
                "Replaced by:",
                text_language=record.language,
            )


def _topics(entry: Entry, archive: Archive) -> tuple[Link, ...]:
    topics = (archive.entry(f"topics/{slug}") for slug in entry.record.topics)
    return tuple(Link(topic.record.title, topic.path, topic.record.language) for topic in topics if topic)


def _feeds(entry: Entry) -> tuple[Link, ...]:
    record = entry.record
    if isinstance(record, TopicRecord) and record.feed:
        return (Link(f"{record.title}: changes (Atom)", f"/feeds/{record.slug}.xml"),)
    return ()


def _sources(entry: Entry, archive: Archive) -> tuple[SourceItem, ...]:
    return tuple(
        SourceItem(
            source.id,
            source.title,
            source.url,
            _origin_link(source.origin, archive),
            source.publisher or "",
            source.role,
            source.published_at,
            source.accessed_at,
        )
        for source in entry.record.sources
    )


def _mentions(entry: Entry, archive: Archive) -> Iterator[Block]:
    """Links of the text to other sites, apart from the sources: nothing in the record rests on them."""
    mentions = entry.record.mentions
    items = [
        Item(
            "", None, link.url, link.title, (_origin_link(link.origin, archive),), title_language=entry.record.language
        )
        for link in mentions[:SHOWN]
    ]
    if len(mentions) > SHOWN:
        words = "All of them are in the JSON twin."
        items.append(Item(words, href=_twin(entry), title=f"{len(mentions) - SHOWN} more"))
    if items:
        yield Items("mentions", "Linked in the text", tuple(items), text_language=INTERFACE)


def _origin_link(id_: str, archive: Archive) -> Link:
    return Link(archive.origins[id_].title if id_ in archive.origins else id_, f"/sources/{id_}/")


def _by_kind(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    by_kind: dict[str, list[Entry]] = {}
    for entry in entries:
        by_kind.setdefault(entry.kind.name, []).append(entry)
    return by_kind


def _members(record: TopicRecord, archive: Archive) -> Iterator[Block]:
    """The records of a topic, by kind in the order of the kinds, newest first.

    All of them are in the kind's index, narrowed to the topic.
    """
    by_kind = _by_kind(archive.topics.get(record.slug, ()))
    for kind in archive.kinds:
        members = by_kind.get(kind.name, [])
        if members:
            words = f"{len(members) - SHOWN} more in the JSON index of {kind.plural.lower()}"
            more = Link(words, f"/{kind.name}.json?topic={record.slug}") if len(members) > SHOWN else None
            yield Cards(f"members-{kind.name}", kind.plural, tuple(_card(member) for member in members[:SHOWN]), more)


def _card(entry: Entry, *marks: str) -> Card:
    record = entry.record
    return Card(
        record.title, entry.path, record.summary, entry.kind.singular, record.published_at, marks, record.language
    )


def _related(entry: Entry, archive: Archive, listed: Container[str]) -> Iterator[Block]:
    """What the record points at, each target once, under its weightiest relation.

    Paths that are listed already are left out.
    """
    relations: dict[str, str] = {}
    for type_, relation in OUTGOING.items():
        for target in (edge.target for edge in entry.edges if edge.type == type_):
            relations.setdefault(target, relation)
    for target in entry.record.related:
        relations.setdefault(target, OUTGOING["related"])
    targets = ((archive.entry(target), relation) for target, relation in relations.items())
    cards = tuple(_card(target, relation) for target, relation in targets if target and target.path not in listed)
    if cards:
        more = Link(f"{len(cards) - SHOWN} more in the JSON twin", _twin(entry)) if len(cards) > SHOWN else None
        yield Cards("related", "Related records", cards[:SHOWN], more)


def _incoming(entry: Entry) -> dict[str, list[str]]:
    """Ids of the records that point here, by relation."""
    by_relation: dict[str, list[str]] = {}
    for backlink in entry.record.backlinks:
        if backlink.relation in INCOMING:
            by_relation.setdefault(backlink.relation, []).append(backlink.id)
    return by_relation


def _backlinks(entry: Entry, archive: Archive) -> Iterator[Block]:
    incoming = _incoming(entry)
    for relation, title in INCOMING.items():
        ids = incoming.get(relation, ())
        sources = (archive.entry(id_) for id_ in ids[:SHOWN])
        items = [
            Item(
                source.kind.singular,
                source.record.published_at,
                source.path,
                source.record.title,
                title_language=source.record.language,
            )
            for source in sources
            if source
        ]
        if len(ids) > SHOWN:
            items.append(Item("All of them are in the JSON twin.", href=_twin(entry), title=f"{len(ids) - SHOWN} more"))
        if items:
            yield Items(f"backlinks-{relation}", title, tuple(items), text_language=INTERFACE)


def _changes(anchor: str, title: str, changes: Iterable[RecordUpdate | Credit]) -> Iterator[Block]:
    items = tuple(_change(change) for change in changes)
    if items:
        yield Items(anchor, title, items)


def _change(change: RecordUpdate | Credit) -> Item:
    credit = (Link(f"Credit: {change.credit}", language=INTERFACE),) if change.credit else ()
    return Item(change.note or UNEXPLAINED, change.date, links=credit, language="" if change.note else INTERFACE)


def _about(entry: Entry) -> Block:
    record = entry.record
    details: tuple[Fact, ...] = (
        fact("Id", record.id),
        fact("By", *(_author(author, record.language) for author in record.authors)),
        fact("DOI", Link(record.doi, f"https://doi.org/{record.doi}") if record.doi else None),
        fact("Published", record.published_at),
        fact("Last changed", record.updated_at),
        fact("Revision", str(record.revision)),
        fact("Licence", record.license),
        fact("Language", record.language),
        fact("Tags", *(Link(tag, language=record.language) for tag in record.tags)),
        *(fact("Feed", link) for link in _feeds(entry)),
    )
    return Facts("about", "About this record", facts(*details), text_language=INTERFACE)


def _author(author: Author, language: str) -> Link:
    part = "" if author.role == "author" else f" ({author.role})"
    address = author.url or (f"https://orcid.org/{author.orcid}" if author.orcid else "")
    return Link(author.name + part, address, language=language)


def _twin(entry: Entry) -> str:
    return f"{entry.path.rstrip('/')}.json"


def _linked_data(entry: Entry, archive: Archive) -> Mapping[str, object]:
    """The record as a schema.org object."""
    record, site, owner = entry.record, archive.site, archive.owner
    publisher = {"@type": owner.type, "@id": site.url("/#owner"), "name": owner.name, "url": site.url("/")}
    licence, writers = license_url(record.license), [person(a) for a in record.authors if a.role == "author"]
    linked: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": entry.kind.linked_type,
        "@id": record.canonical_url,
        "headline": record.title,
        "description": record.summary,
        "url": record.canonical_url,
        "mainEntityOfPage": record.canonical_url,
        "inLanguage": record.language,
        "datePublished": rfc3339(record.published_at),
        "dateModified": rfc3339(record.updated_at),
        "author": writers or publisher,
        "publisher": publisher,
        "version": str(record.revision),
        "isPartOf": {"@type": "WebSite", "@id": site.url("/#site"), "name": site.title, "url": site.url("/")},
    }
    for role in ("editor", "translator", "contributor"):
        if others := [person(author) for author in record.authors if author.role == role]:
            linked[role] = others
    if licence:
        linked["license"] = licence
    if record.doi:
        linked |= {"identifier": f"https://doi.org/{record.doi}", "sameAs": f"https://doi.org/{record.doi}"}
    if record.tags:
        linked["keywords"] = list(record.tags)
    if record.topics:
        linked["about"] = [
            {"@type": "Thing", "name": link.text, "url": site.url(link.href)} for link in _topics(entry, archive)
        ]
    if record.source_urls:
        linked["citation"] = list(record.source_urls)
    return linked
