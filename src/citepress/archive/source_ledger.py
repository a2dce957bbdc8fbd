"""The source ledger: every cited address once, with the records that cite it, and the origins they come from."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
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


def build_source_ledger(newest_first: Sequence[LocalFacts], origins: Origins) -> SourceLedger:
    """The books of all published records; where records tell a source differently, the newest that tells anything counts."""
    first: dict[str, SourceEntry] = {}
    again: dict[str, list[SourceEntry]] = defaultdict(list)
    other: dict[str, str] = {}
    for own in newest_first:
        for cited in own.cited:
            if first.setdefault(cited.url, cited) is not cited:
                again[cited.url].append(cited)
        for alias, url in own.aliases:
            other.setdefault(alias, url)
    aliases = {alias: other[alias] for alias in sorted(other) if alias not in first}
    for url, uses in again.items():
        first[url] = _joined([first[url], *uses])
    for alias, url in aliases.items():
        first[url] = replace(first[url], aliases=(*first[url].aliases, alias))
    ledger = {url: first[url] for url in sorted(first)}
    return SourceLedger(ledger, aliases, _origins(ledger, origins))


def _joined(uses: list[SourceEntry]) -> SourceEntry:
    """One source as several records cite it."""
    host = host_of(uses[0].url)
    return replace(
        uses[0],
        title=next((use.title for use in uses if use.title != host), host),
        publisher=next((use.publisher for use in uses if use.publisher), None),
        published_at=next((use.published_at for use in uses if use.published_at), None),
        role="primary" if any(use.role == "primary" for use in uses) else "secondary",
        citations=tuple(sorted((citation for use in uses for citation in use.citations), key=lambda citation: citation.record)),
    )


def _origins(ledger: Mapping[str, SourceEntry], origins: Origins) -> Mapping[str, Origin]:
    by_id: dict[str, list[SourceEntry]] = defaultdict(list)
    for entry in ledger.values():
        by_id[entry.origin].append(entry)
    found = {}
    for id_ in sorted(by_id):
        place = origins.of(by_id[id_][0].url)
        records = sorted({citation.record for entry in by_id[id_] for citation in entry.citations})
        urls = tuple(entry.url for entry in by_id[id_])
        found[id_] = Origin(id_, place.title, place.url, place.description, urls, tuple(records))
    return found
