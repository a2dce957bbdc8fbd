"""The source ledger: every cited address once, with the records that cite it, and the origins they come from."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from citepress.archive.local_facts import LocalFacts
from citepress.archive.model import Origin, SourceEntry
from citepress.archive.origins import Origins
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


def build_source_ledger(newest_first: Sequence[LocalFacts], origins: Origins, titles: SourceTitles) -> SourceLedger:
    """The ledger of all published records.

    Where records describe a source differently, the newest description counts.
    """
    first: dict[str, SourceEntry] = {}
    again: dict[str, list[SourceEntry]] = defaultdict(list)
    other: dict[str, str] = {}
    for own in newest_first:
        for cited in own.cited:
            if cited.url in first:
                again[cited.url].append(cited)
            else:
                title = titles.of(cited.url)
                first[cited.url] = cited if cited.title == title else replace(cited, title=title)
        for alias, url in own.aliases:
            other.setdefault(alias, url)
    aliases = {alias: other[alias] for alias in sorted(other) if alias not in first}
    for url, uses in again.items():
        first[url] = joined([first[url], *uses])
    for alias, url in aliases.items():
        first[url] = replace(first[url], aliases=(*first[url].aliases, alias))
    ledger = {url: first[url] for url in sorted(first)}
    return SourceLedger(ledger, aliases, _origins(ledger, origins))


def joined(uses: list[SourceEntry]) -> SourceEntry:
    """One source as several records cite it, the newest record first."""
    return replace(
        uses[0],
        publisher=next((use.publisher for use in uses if use.publisher), None),
        published_at=next((use.published_at for use in uses if use.published_at), None),
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
        records = sorted({citation.record for entry in by_id[id_] for citation in entry.citations})
        urls = tuple(entry.url for entry in by_id[id_])
        origins_by_id[id_] = Origin(id_, place.title, place.url, place.description, urls, tuple(records))
    return origins_by_id
