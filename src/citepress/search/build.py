"""Building an index from an archive: filed, clustered, written in one order, calibrated, and put in its place in one step."""

import hashlib
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import orjson

from citepress.archive.model import Archive
from citepress.base.gc_pause import paused_gc
from citepress.base.timestamps import rfc3339
from citepress.search.analyzer import chunks, index_line, name_key, normal, query_terms
from citepress.search.calibration import HI, LO, Label, calibrated, labels
from citepress.search.clusters import clusters, frequencies_of, rarest
from citepress.search.engine import IndexDocument, IndexWriter
from citepress.search.fields import IndexEntry, index_entry
from citepress.search.index import FACTS, INDEX, VERSION, SearchIndex
from citepress.search.models import Calibration, Stats

SUGGESTED = (3, 30)
"""Lengths of the words that a suggestion may use."""
OTHERS = 20
"""Near-duplicates that a hit names."""
LANGUAGES = 3
"""Languages in which a query is read."""


@dataclass(frozen=True, slots=True)
class _Analysed:
    """A filing with its terms."""

    filing: IndexEntry
    lines: tuple[str, ...]
    """Title, marks, sentences."""
    terms: str
    told: frozenset[str]
    """Distinct terms of title and sentences: tags and names of sources make no two records alike."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Near-duplicates of each other."""

    number: int
    """Above 0; 0 of a record that stands alone."""
    oldest: tuple[str, ...]
    """Ids of the oldest of them, one more than a hit names."""


def build(archive: Archive, folder: Path) -> None:
    """Write the index of an archive under ``folder``, in place of what stood there. Reads nothing but the archive."""
    filed = (index_entry(entry, archive) for entry in archive.entries.values())
    write(filed, folder, archive.as_of, labels(archive))


def write(filings: Iterable[IndexEntry], folder: Path, as_of: datetime, found: Iterable[Label] = ()) -> None:
    """Write the index of these filings under ``folder``; the same filings give the same content, in whatever order they come."""
    part, old = folder.with_name(folder.name + ".part"), folder.with_name(folder.name + ".old")
    for leftover in (part, old):
        shutil.rmtree(leftover, ignore_errors=True)
    (part / INDEX).mkdir(parents=True)
    with paused_gc():
        stats = _written(filings, part / INDEX, as_of)
    _facts(part, stats, Calibration(basis="package", hi=HI, lo=LO, present=0, absent=0, off_topic=0, errors=None))
    _facts(part, stats, calibrated(SearchIndex(part), found))
    if folder.exists():
        folder.rename(old)
    part.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _written(filings: Iterable[IndexEntry], folder: Path, as_of: datetime) -> Stats:
    """Write the records, newest first, so that equal scores prefer the newer one; what was written."""
    records = [_analysed(one) for one in sorted(filings, key=lambda one: (-one.updated.timestamp(), one.id))]
    frequencies = frequencies_of([one.told for one in records])
    keys = [rarest(one.told, frequencies) for one in records]
    groups = _groups(records, keys)
    writer, hashed = IndexWriter(folder), hashlib.blake2b(digest_size=16)
    for one, own, group in zip(records, keys, groups, strict=True):
        sheet = _sheet(one, own, group)
        hashed.update(orjson.dumps(sheet.shown) + sheet.terms.encode() + sheet.detail)
        writer.add(sheet)
    writer.finish()
    languages = Counter(one.filing.language for one in records)
    return Stats(
        records=len(records),
        clusters=len({group.number for group in groups if group.number}),
        languages=tuple(sorted(languages, key=lambda name: (-languages[name], name))[:LANGUAGES]),
        as_of=as_of,
        digest=hashed.hexdigest(),
    )


def _facts(folder: Path, stats: Stats, calibration: Calibration) -> None:
    facts = {"version": VERSION, "stats": stats.model_dump(mode="json"), "calibration": calibration.model_dump(mode="json")}
    (folder / FACTS).write_bytes(orjson.dumps(facts, option=orjson.OPT_APPEND_NEWLINE))


def _analysed(one: IndexEntry) -> _Analysed:
    lines = (one.title, *one.marks, *(sentence for block in one.blocks for sentence in block))
    terms = [index_line(line, one.language) for line in lines]
    told = frozenset(" ".join([terms[0], *terms[1 + len(one.marks) :]]).split())
    return _Analysed(one, tuple(" ".join(line.split()) for line in lines), "\n".join(terms), told)


def _groups(records: Sequence[_Analysed], keys: Sequence[Sequence[str]]) -> list[_Group]:
    """For each record its group of near-duplicates."""
    leaders = clusters([one.told for one in records], keys)
    members: dict[int, list[int]] = defaultdict(list)
    for place, leader in enumerate(leaders):
        members[leader].append(place)
    groups = {leader: _group([records[place].filing for place in places], places[0]) for leader, places in members.items()}
    return [groups[leader] for leader in leaders]


def _group(filings: Sequence[IndexEntry], first: int) -> _Group:
    oldest = sorted(filings, key=lambda one: (one.published, one.id))
    return _Group(first + 1 if len(filings) > 1 else 0, tuple(one.id for one in oldest[: OTHERS + 1]))


def _sheet(one: _Analysed, keys: Sequence[str], group: _Group) -> IndexDocument:
    filed = one.filing
    shown = {
        "id": filed.id,
        "kind": filed.kind,
        "title": filed.title,
        "path": filed.path,
        "summary": filed.summary,
        "published": rfc3339(filed.published),
        "updated": rfc3339(filed.updated),
        "dated": [day.isoformat() for day in filed.dated or (filed.published.date(),)],
        "language": filed.language,
        "topics": filed.topics,
        "origins": filed.origins,
        "cluster": group.oldest[0] if group.number else None,
        "others": [id_ for id_ in group.oldest if id_ != filed.id][:OTHERS],
        "begins": "0" * (1 + len(filed.marks)) + "".join("1" + "0" * (len(block) - 1) for block in filed.blocks),
        "keys": keys,
        "names": _namings(filed),
        "text": "\n".join(one.lines),
    }
    return IndexDocument(
        title=one.terms.partition("\n")[0],
        terms=one.terms,
        words=_suggested(filed),
        names=_keys(filed),
        topics=filed.topics,
        origins=filed.origins,
        updated=int(filed.updated.timestamp()),
        cluster=group.number,
        shown=shown,
        detail=orjson.dumps(filed.detail),
    )


def _keys(one: IndexEntry) -> tuple[str, ...]:
    """What the record is called, as keys: title, slug, id."""
    texts = (one.title, one.id.partition("/")[2], one.id)
    return tuple(dict.fromkeys(key for text in texts if (key := name_key(text, one.language))))


def _namings(one: IndexEntry) -> list[str]:
    """The words that carry the topic in each of its names, as index terms between spaces; the title first."""
    terms = (query_terms(text.replace("-", " "), (one.language,)) for text in (one.title, *one.names))
    lines = (" ".join(dict.fromkeys(term.stems[0] for term in found if not term.joined)) for found in terms)
    return list(dict.fromkeys(line for line in lines if line))


def _suggested(one: IndexEntry) -> str:
    """The words of title, summary and marks that a suggestion may use."""
    least, most = SUGGESTED
    found = (chunk.lower() for text in (one.title, one.summary, *one.marks) for chunk in chunks(normal(text)))
    return " ".join(dict.fromkeys(word for word in found if least <= len(word) <= most))
