"""The facets of collections: how many records have which year, topic, tag, origin and state, and links to these."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from urllib.parse import urlencode

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Entry
from citepress.base.slugs import tag_slug
from citepress.base.timestamps import UNKNOWN, utc_year
from citepress.contract.kind import Kind
from citepress.contract.page import INTERFACE, Block, Facets, Fact, Link
from citepress.edition.pages.collection_models import INDEX_ITEMS, enumerated
from citepress.edition.render_context import RenderContext
from citepress.kinds.parts import words
from citepress.kinds.topics import topic_id

TABLE_VIEW = "table"
"""The value of ``view`` for a list in rows."""
MAX_FACET_LINKS = {"year": 40, "topic": 40, "tag": 30, "origin": 12}
"""Links of each facet; a member of the kind has all its values."""
MANY, MAX_SMALL_FACETS = frozenset({"tag", "origin"}), 8
"""Facets of which very many records have values of their own, and values that are not very many."""
FACET_LABELS = {"year": "Year", "topic": "Topic", "tag": "Tag", "origin": "Source"}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value of a facet, and how many records have it."""

    facet: str
    value: str
    label: str
    count: int
    language: str = INTERFACE
    part: int = 1
    """The first part of the index with such a record."""


@dataclass(slots=True)
class FacetIndex:
    """What all records have, kept up to date from edit to edit."""

    counts: dict[str, dict[str, Counter[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Counter))
    )
    """Records of a kind by facet and value."""
    tagged: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Ids of records by the slug of a tag."""
    spelled: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """How often a tag is written in which way."""

    def count(self, entry: Entry, step: int) -> None:
        """Count a record, or no longer."""
        counts = self.counts[entry.kind.name]
        for facet, value in set(values_of(entry)):
            _step(counts[facet], value, step)
        for tag in entry.head.tags:
            slug = tag_slug(tag)
            _step(self.spelled[slug], tag, step)
            if step > 0:
                self.tagged[slug].add(entry.head.id)
            else:
                self.tagged[slug].discard(entry.head.id)

    def tag(self, slug: str) -> str:
        """A tag as it is mostly written."""
        return max(self.spelled[slug].items(), key=lambda row: (row[1], row[0]), default=(slug, 0))[0]


def _step(counter: Counter[str], value: str, step: int) -> None:
    counter[value] += step
    if not counter[value]:
        del counter[value]


def values_of(entry: Entry) -> Iterator[tuple[str, str]]:
    """The facets of a record and its values; a value may come twice."""
    head = entry.head
    if head.published_at != UNKNOWN:
        yield "year", str(utc_year(head.published_at))
    yield from (("topic", slug) for slug in head.topics)
    yield from (("tag", tag_slug(tag)) for tag in head.tags)
    yield from (("origin", origin) for origin in head.cited)
    yield from ((name, getattr(entry.record, name)) for name in enumerated(entry.kind))


def facet_index(context: RenderContext) -> FacetIndex:
    """The facets of the archive."""

    def whole() -> FacetIndex:
        index = FacetIndex()
        for kind in context.archive.kinds:
            for entry in context.archive.collections[kind.name]:
                index.count(entry, 1)
        return index

    def update(index: FacetIndex, edit: ArchiveEdit) -> FacetIndex:
        for id_ in edit.records:
            for archive, step in ((edit.before, -1), (edit.after, 1)):
                if entry := archive.entries.get(id_):
                    index.count(entry, step)
        return index

    return context.derivations.maintained("facets", whole, update)


def facets_of(context: RenderContext, kind: Kind) -> tuple[Block, ...]:
    """The facets of a whole collection; a host of files answers no query, and has none."""
    if not context.served:
        return ()
    derive = partial(_ranked, context, kind)
    ranked = context.derivations.of(f"facets of {kind.name}", derive, compared=True)
    total = len(context.archive.collections[kind.name])
    return facets_block(kind, (_named(context, value) for value in ranked), {}, total)


def _ranked(context: RenderContext, kind: Kind) -> tuple[FacetValue, ...]:
    """The commonest values of each facet, years the newest first; topics and origins still without their titles."""
    index = facet_index(context)
    counts = index.counts[kind.name]
    years = sorted(counts["year"].items(), reverse=True)
    before = accumulate((count for _, count in years), initial=0)
    values = [
        FacetValue("year", year, year, count, part=first // INDEX_ITEMS + 1)
        for (year, count), first in zip(years[: MAX_FACET_LINKS["year"]], before, strict=False)
    ]
    for facet in (*enumerated(kind), "topic", "tag", "origin"):
        for value, count in rank_values(counts[facet], facet):
            label = index.tag(value) if facet == "tag" else words(value)
            values.append(FacetValue(facet, value, label, count))
    return tuple(values)


def rank_values(counts: Mapping[str, int], facet: str) -> list[tuple[str, int]]:
    """The commonest values of a facet, as many as are linked; of very many, none that a single record has."""
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))[: MAX_FACET_LINKS.get(facet)]
    return [row for row in rows if row[1] > 1 or facet not in MANY or len(rows) <= MAX_SMALL_FACETS]


def _named(context: RenderContext, value: FacetValue) -> FacetValue:
    """A value under the title of its page."""
    archive, label, language = context.archive, value.label, value.language
    if value.facet == "topic" and (hub := archive.entry(topic_id(value.value))):
        label, language = hub.head.title, hub.head.language
    elif value.facet == "origin" and (origin := archive.origins.get(value.value)):
        label = origin.title
    return FacetValue(value.facet, value.value, label, value.count, language, value.part)


def facets_block(kind: Kind, values: Iterable[FacetValue], chosen: Mapping[str, str], total: int) -> tuple[Block, ...]:
    """Links that narrow a list of ``total`` records by one more condition; ``chosen`` are those that it meets."""
    grouped: dict[str, list[FacetValue]] = {}
    for value in values:
        if value.facet not in chosen and value.count < total:
            grouped.setdefault(value.facet, []).append(value)
    groups = [
        Fact(label_of(facet), tuple(_link(kind, value, chosen) for value in rows)) for facet, rows in grouped.items()
    ]
    if total > 1 and "view" not in chosen:
        groups.append(Fact("View", (Link("as a table", address(kind, {**chosen, "view": TABLE_VIEW})),)))
    return (Facets("facets", "Narrow the list", tuple(groups)),) if groups else ()


def label_of(facet: str) -> str:
    """What readers call a facet."""
    return FACET_LABELS.get(facet) or words(facet).capitalize()


def _link(kind: Kind, value: FacetValue, chosen: Mapping[str, str]) -> Link:
    where = {**chosen, value.facet: value.value} | ({"part": str(value.part)} if value.part > 1 else {})
    return Link(f"{value.label} ({value.count:,})", address(kind, where), value.language)


def address(kind: Kind, query: Mapping[str, str]) -> str:
    """The list of a kind under a query."""
    return f"/{kind.name}/" + (f"?{urlencode(query)}" if query else "")
