"""The source ledger: every cited address once, with the records that cite it or link to it, and the origins."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from citepress.archive.local_facts import LocalFacts
from citepress.archive.mentions import as_entry, joined_mentions
from citepress.archive.model import MENTIONED, Origin, SourceEntry
from citepress.archive.origins import OriginMatch, Origins
from citepress.base.filed_values import FiledMapping, FiledRows
from citepress.base.forked_processes import done_apart
from citepress.base.packed_values import FrameFile
from citepress.base.urls import host_of


@dataclass(frozen=True, slots=True)
class SourceLedger:
    """The ledger, its other addresses, and the origins."""

    ledger: Mapping[str, SourceEntry]
    aliases: Mapping[str, str]
    origins: Mapping[str, Origin]


class SourceTitles:
    """The title of every source, the same wherever it is shown: the first that is given to it, otherwise its host."""

    def __init__(self, given: Iterable[tuple[str, str]]) -> None:
        """``given``: normalised addresses with the titles that records and datasets give them, newest record first."""
        self._titles: dict[str, str] = {}
        for url, title in given:
            self._titles.setdefault(url, title)

    def of(self, url: str) -> str:
        """The title of the source at a normalised address."""
        return self._titles.get(url) or host_of(url)

    def given(self, url: str) -> str:
        """The title that a record or dataset gives it; empty where none does."""
        return self._titles.get(url, "")


def source_aliases(records: Iterable[LocalFacts]) -> Mapping[str, str]:
    """Other addresses of sources, sorted, and the addresses that they lead to; a cited address is no other address."""
    facts = list(records)
    other: dict[str, str] = {}
    for own in facts:
        for alias, url in own.aliases:
            other.setdefault(alias, url)
    cited = {source.url for own in facts for source in own.cited} if other else ()
    return {alias: other[alias] for alias in sorted(other) if alias not in cited}


def build_source_ledger(
    newest_first: Iterable[LocalFacts],
    aliases: Mapping[str, str],
    origins: Origins,
    titles: SourceTitles,
) -> SourceLedger:
    """The ledger of all published records.

    Where records describe a source differently, the newest description counts.
    """
    first: dict[str, SourceEntry] = {}
    again: dict[str, list[SourceEntry]] = defaultdict(list)
    mentions: dict[str, list[SourceEntry]] = defaultdict(list)
    for own in newest_first:
        for cited in own.cited:
            if cited.url in first:
                again[cited.url].append(cited)
            else:
                title = titles.of(cited.url)
                first[cited.url] = cited if cited.title == title else replace(cited, title=title)
        for mention in own.mentions_led(aliases, origins):
            mentions[mention.normalized_url].append(as_entry(own.id, mention))
    for url, uses in again.items():
        first[url] = join_source([first[url], *uses])
    for alias, url in aliases.items():
        first[url] = replace(first[url], aliases=(*first[url].aliases, alias))
    for url, links in mentions.items():
        first[url] = joined_mentions(first.get(url), links, titles.given(url))
    ledger: Mapping[str, SourceEntry] = {url: first[url] for url in sorted(first)}
    places = _origins(ledger, origins)
    return SourceLedger(ledger, aliases, places)


def filed_ledger(frames: FrameFile, build: Callable[[], SourceLedger]) -> SourceLedger:
    """The ledger that ``build`` makes, in a file.

    All of it lies in memory meanwhile, in a process of its own where there may be one: what is freed between values
    that stay is not given back to the system.
    """

    def make() -> tuple[FiledRows, SourceLedger]:
        built = build()
        return FiledMapping(frames, built.ledger.items()).rows(), replace(built, ledger={})

    rows, built = done_apart(make) or make()
    ledger: FiledMapping[SourceEntry] = FiledMapping(frames)
    ledger.take(rows)
    return replace(built, ledger=ledger)


def join_source(uses: list[SourceEntry]) -> SourceEntry:
    """One source as several records cite it, the newest record first."""
    return replace(
        uses[0],
        publisher=next((use.publisher for use in uses if use.publisher), None),
        published_at=next((use.published_at for use in uses if use.published_at), None),
        archive_url=next((use.archive_url for use in uses if use.archive_url), None),
        role="primary" if any(use.role == "primary" for use in uses) else "secondary",
        citations=tuple(
            sorted((citation for use in uses for citation in use.citations), key=lambda citation: citation.record)
        ),
    )


def _origins(ledger: Mapping[str, SourceEntry], origins: Origins) -> Mapping[str, Origin]:
    by_id: dict[str, list[SourceEntry]] = defaultdict(list)
    for entry in ledger.values():
        by_id[entry.origin].append(entry)
    origins_by_id = {}
    for id_ in sorted(by_id):
        place = origins.of(by_id[id_][0].url)
        origins_by_id[id_] = origin_of(place, by_id[id_])
    return origins_by_id


def origin_of(place: OriginMatch, sources: Sequence[SourceEntry]) -> Origin:
    """An origin with its sources, which come in the order of their addresses."""
    citing = {record for source in sources for record in source.cited_by}
    mentioning = {record for source in sources for record in source.mentioned_by} - citing
    return Origin(
        place.id,
        place.title,
        place.url,
        place.description,
        tuple(source.url for source in sources if source.role != MENTIONED),
        tuple(sorted(citing)),
        tuple(source.url for source in sources if source.role == MENTIONED),
        tuple(sorted(mentioning)),
    )
