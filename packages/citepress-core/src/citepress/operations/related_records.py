"""Records related to an address without citing it, each with the reason, closest to a task first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from citepress.base.text import bounded
from citepress.kinds import ALL as KINDS
from citepress.operations.context import OperationContext
from citepress.operations.models import RecordHit
from citepress.operations.records import MAX_SUMMARY_CHARS, SECONDARY, RecordJson, hit, record
from citepress.search.engine import ID
from citepress.search.index import SearchIndex
from citepress.search.matches import all_of
from citepress.search.models import Query
from citepress.search.ranking import match_of, text_match

STEERED = 20
"""Maximum number of records that are ranked by the task."""
LED = 3
"""Citing records whose relations are followed."""
ASIDE = frozenset(kind.name for kind in KINDS if kind.aside)
"""Collections whose records link to many others by design."""
APART = tuple(kind.name for kind in KINDS if kind.apart)
"""Collections that are listed apart."""
RELATIONS = {kind.name: kind.relations for kind in KINDS}
RELATION = {
    "cites": "cites",
    "supports": "supports",
    "contradicts": "contradicts",
    "supersedes": "supersedes",
    "links-to": "links to",
    "related": "is related to",
    "about-topic": "is about",
}
"""The relation of a record that links to another, in words."""


class RelatedRecord(RecordHit):
    """A record that is related to the address but does not cite it."""

    reason: str
    """Why it is shown."""


def places(index: SearchIndex, task: str, ids: Sequence[str]) -> dict[str, int]:
    """The place of each of these records when they are ranked by a task; those that share no word with it have none."""
    weighed = index.weigh(task)
    engine = index.engine
    ids_by_place = {(at.segment_ord, at.doc): id_ for id_ in ids if (at := engine.find(id_))} if weighed.terms else {}
    if not ids_by_place:
        return {}
    _, rows = engine.search(
        all_of([text_match(engine, weighed), engine.any_of(ID, list(ids_by_place.values()))]), len(ids_by_place)
    )
    return {ids_by_place[row.address.segment_ord, row.address.doc]: place for place, row in enumerate(rows)}


class RelatedRecords:
    """Collects the records related to an address, each with the first reason."""

    def __init__(
        self,
        context: OperationContext,
        origin: str,
        task: str,
        shown_already: Iterable[str],
        tail: str = ", which cites the address",
    ) -> None:
        """``origin`` is the address's own; ``shown_already`` are records that are left out.

        ``tail`` ends the reason of a relation to one of them.
        """
        self._tail = tail
        self._context, self._origin, self._task, self._shown_already = context, origin, task, frozenset(shown_already)
        self._reasons: dict[str, str] = {}
        self._short: dict[str, dict[str, Any]] = {}
        """The members of each ``RecordHit``."""

    def gather(self, citing: Sequence[str], url: str) -> None:
        """Relations of what cites it, then what is like it, then what its origin, the task or its own words lead to."""
        for id_ in citing[:LED]:
            self._relations(id_)
        for id_ in citing[:1]:
            for other in self._context.index.related(id_, SECONDARY):
                self._take(vars(other), f"its text is close to that of {id_}")
        if self._origin and not citing:
            self._search(Query(self._task, origin=self._origin), f"cites another page of {self._origin}")
        if self._task:
            self._search(Query(self._task), "matches the task")
            if APART:
                self._search(Query(self._task, kinds=APART), "matches the task")
        elif not self._reasons and (words := words_of(url)):
            self._search(Query(words), "matches the words of the address")

    def shown(self) -> tuple[list[RelatedRecord], list[RelatedRecord]]:
        """The first few records of other collections, and of those that are listed apart."""
        first = list(self._reasons)[:STEERED]
        rank = places(self._context.index, self._task, first)
        ids = [*sorted(rank, key=rank.__getitem__), *[id_ for id_ in self._reasons if id_ not in rank]]
        others = [id_ for id_ in ids if id_.partition("/")[0] not in APART]
        return self._related(others), self._related([id_ for id_ in ids if id_.partition("/")[0] in APART])

    def _related(self, ids: Sequence[str]) -> list[RelatedRecord]:
        return [
            RelatedRecord(**short, reason=self._reasons[id_]) for id_ in ids[:SECONDARY] if (short := self._hit(id_))
        ]

    def _hit(self, id_: str) -> dict[str, Any] | None:
        if id_ not in self._short and (record_json := record(self._context, id_)):
            self._short[id_] = hit(self._context, record_json)
        return self._short.get(id_)

    def _relations(self, id_: str) -> None:
        record_json: RecordJson = record(self._context, id_) or {}
        back = [
            (backlink["id"], RELATION[backlink["relation"]])
            for backlink in record_json.get("backlinks", ())
            if backlink["relation"] in RELATION
        ]
        for other, relation in (*_edges(record_json), *back):
            if other not in self._reasons and other not in self._shown_already and other.partition("/")[0] not in ASIDE:
                self._reasons[other] = f"{relation} {id_}{self._tail}"

    def _search(self, query: Query, reason: str) -> None:
        """Take the best of a search, without the cost of passages."""
        index = self._context.index
        weighed = index.weigh(query.text)
        match = match_of(index.engine, query, weighed, index.languages)
        if match is not None:
            find = index.engine.search if weighed.terms else index.engine.newest
            for row in find(match, SECONDARY)[1]:
                shown = index.engine.stored(row.address).shown
                self._take({**shown, "published_at": shown["published"], "updated_at": shown["updated"]}, reason)

    def _take(self, shown: Mapping[str, Any], reason: str) -> None:
        id_ = shown["id"]
        self._short[id_] = {
            "id": id_,
            "kind": shown["kind"],
            "title": shown["title"],
            "url": self._context.base_url + shown["path"],
            "summary": bounded(shown["summary"], MAX_SUMMARY_CHARS),
            "updated_at": shown["updated_at"],
        }
        if id_ not in self._shown_already:
            self._reasons.setdefault(id_, reason)


def _edges(record_json: RecordJson) -> list[tuple[str, str]]:
    """(record id, words of the relation) that a record names itself, seen from the other side."""
    edges: list[tuple[str, str]] = []
    for name, kind, words in RELATIONS.get(record_json.get("kind", ""), ()):
        edges += [(other if "/" in other else f"{kind}/{other}", words) for other in record_json.get(name) or ()]
    return [*edges, *[(other, RELATION["related"]) for other in record_json.get("related", ())]]


def words_of(url: str) -> str:
    """The words of an address's path."""
    return " ".join(
        part for part in urlsplit(url).path.replace("-", "/").replace("_", "/").split("/") if part.isalpha()
    )[:500]
