"""The engine reads an index folder memory-mapped; no other module but the writer knows the index format.

An index has a few segments: a large one, and small ones with the records that changed since. Within a segment the
records stand newest first, which breaks ties; across segments ties are broken here in the same way. Scores are those
of an index without the records that were replaced: the engine still counts them until their segment is written anew,
so each term is weighted by the statistics of the records that are left.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

from tantivy import DocAddress, FieldType, Occur

from citepress.base import fast_json
from citepress.search.frequencies import Frequencies, Leftovers
from citepress.search.matches import Match, preferring, some_of, times
from citepress.search.searcher import Searcher
from citepress.search.stored_document import StoredDocument
from citepress.search.wholeness import met_damage

TEXT_FIELD, TITLE_FIELD, WORDS_FIELD, NAME = "text", "title", "words", "name"
ID, KIND, TOPIC, ORIGIN_FIELD = "id", "kind", "topic", "origin"
UPDATED, YEAR, CLUSTER, SHOWN_FIELD, DETAIL, GROUP = "updated", "year", "cluster", "shown", "detail", "group"
KEY = "key"
"""The field of the keys of vectors; only in an index beside which there are vectors."""
_DOCUMENTS, _AVERAGE = "N, total number of docs", "avgdl, average length of field"
IN_TITLE = "\n"
"""Begins the name of a term in the statistics of titles; no term holds a line break."""
VALUES = 1_000
"""Upper limit of the values of a field that are counted."""
MAX_FETCHED_MATCHES = 40_000
"""Upper limit of the matches fetched in one search, near-duplicates included."""
EXTRA_MATCHES = 100
"""Matches fetched beyond those asked for, among which preferences are settled."""
PREFERRED = 1_000
"""Records that meet a preference, from which preferences are tried on every match instead."""
Address = DocAddress
"""The address of a record in the index."""


class IndexRow(NamedTuple):
    """A match: its score and its address."""

    score: float
    address: Address
    order: float
    """What it is ordered by: the score, or the time of its last change."""

    @property
    def place(self) -> tuple[int, int]:
        """Its address as a value that can be compared."""
        return place_of(self.address)


def place_of(address: Address) -> tuple[int, int]:
    """An address as a value that can be compared."""
    return (address.segment_ord, address.doc)


def _row(score: float, address: Address) -> IndexRow:
    return IndexRow(score, address, score)


def _counted(searcher: Searcher, name: str) -> int:
    """The documents that the engine counts with a term, or with one in their title."""
    field, term = (TITLE_FIELD, name[1:]) if name.startswith(IN_TITLE) else (TEXT_FIELD, name)
    return int(searcher.doc_freq(field, term))


class Engine:
    """An index, read only; safe to share among threads."""

    def __init__(self, folder: Path, leftovers: Leftovers | None = None) -> None:
        """Raises ``EngineError`` where there is no index, or a damaged one, as every method that reads it does."""
        self._version, self._searcher = folder.parent, Searcher(folder)
        self._schema = self._searcher.schema
        self.size = self._searcher.documents
        """Records of the index."""
        # No method of its own: a cycle that is exempt from collection would never be freed, nor its files be closed.
        self.frequencies = Frequencies(self.size, leftovers or Leftovers(), partial(_counted, self._searcher))
        """The statistics of each term, and of each in titles."""
        self._several = self._searcher.segments > 1

    def term(self, field: str, value: str, boost: float = 1.0) -> Match:
        """Records with this term; the boost is of the text, whose terms are scored."""
        if field != TEXT_FIELD:
            return Match.term_query(self._schema, field, value, "basic")
        return times(Match.term_query(self._schema, field, value, "freq"), boost * self.frequencies[value].correction)

    def title_match(self, stem: str, boost: float) -> Match | None:
        """Records with this term in the title, with a score; ``None`` where no title has it."""
        counted = self.frequencies[IN_TITLE + stem]
        if not counted.frequency:
            return None
        return times(Match.term_query(self._schema, TITLE_FIELD, stem, "freq"), boost * counted.correction)

    def any_of(self, field: str, values: Sequence[str], score: float = 0.0) -> Match:
        """Records with any of these terms, all with the same score."""
        # A set of terms is looked up as a whole before anything is matched, a single one only where others match.
        match = (
            Match.term_query(self._schema, field, values[0], "basic")
            if len(values) == 1
            else Match.term_set_query(self._schema, field, list(values))
        )
        return Match.const_score_query(match, score)

    def sharing(self, stems: Sequence[str], least: int) -> Match:
        """Records with at least so many of these terms; the score is the number of them."""
        parts = [
            Match.const_score_query(Match.term_query(self._schema, TEXT_FIELD, stem, "basic"), 1.0) for stem in stems
        ]
        return Match.boolean_query([(Occur.Should, part) for part in parts], minimum_number_should_match=least)

    def outside(self, match: Match, clusters: Sequence[int]) -> Match:
        """The records of ``match`` outside of these groups of near-duplicates, with the same scores."""
        return Match.boolean_query([(Occur.Must, match), (Occur.MustNot, self.inside(clusters))]) if clusters else match

    def beside(self, match: Match, kind: str) -> Match:
        """The records of ``match`` outside of a collection, with the same scores."""
        if not self._searcher.doc_freq(KIND, kind):
            return match
        return Match.boolean_query([(Occur.Must, match), (Occur.MustNot, self.any_of(KIND, [kind]))])

    def inside(self, clusters: Sequence[int]) -> Match:
        """The records of these groups of near-duplicates."""
        return Match.term_set_query(self._schema, CLUSTER, list(clusters))

    def between(self, since: int | None, until: int | None) -> Match:
        """Records updated within these seconds, without a score."""
        return Match.const_score_query(Match.range_query(self._schema, UPDATED, FieldType.Integer, since, until), 0.0)

    def of_year(self, year: int) -> Match:
        """Records published in this year, without a score."""
        return Match.const_score_query(Match.term_query(self._schema, YEAR, year), 0.0)

    def phrase(self, terms: Sequence[str], slop: int) -> Match:
        """Records with these terms in sequence, with up to ``slop`` positions between them."""
        return times(
            Match.phrase_query(self._schema, TEXT_FIELD, list(terms), slop), self.frequencies.correction(terms)
        )

    def frequency(self, stem: str) -> int:
        """Records that hold a term."""
        return self.frequencies[stem].frequency

    def weight(self, stem: str) -> float:
        """The inverse document frequency of a term."""
        return self.frequencies[stem].weight

    @cached_property
    def is_keyed(self) -> bool:
        """Whether the records have the keys of their vectors."""
        try:
            Match.term_query(self._schema, KEY, 0, "basic")
        except ValueError:
            return False
        return True

    def with_keys(self, keys: Sequence[int]) -> Match:
        """The records with these keys of vectors, without a score."""
        # One by one: as a set they would be looked for among all keys, which takes seven times as long.
        match = some_of([Match.term_query(self._schema, KEY, key, "basic") for key in keys])
        return Match.const_score_query(match, 0.0)

    def keys(self, addresses: Sequence[Address]) -> list[int]:
        """The keys of the vectors of these records."""
        return [int(key or 0) for key in self._searcher.fast_field_values(KEY, list(addresses))] if addresses else []

    def is_name(self, key: str) -> bool:
        """Whether a record may have this name; of those that were replaced lately, some are remembered."""
        return bool(self._searcher.doc_freq(NAME, key))

    def is_in_title(self, stem: str) -> bool:
        """Whether a title has this term."""
        return self.frequencies[IN_TITLE + stem].frequency > 0

    def words(self, prefix: str, limit: int) -> list[str]:
        """Words of titles, summaries and tags with this prefix, the most frequent first.

        A word of records that were replaced may be among them (``holds_word``).
        """
        return [word for word, _ in self._searcher.terms_with_prefix(WORDS_FIELD, prefix, limit=limit)]

    def holds_word(self, word: str) -> bool:
        """Whether a title, a summary or a tag has this word."""
        return self.count(Match.term_query(self._schema, WORDS_FIELD, word, "basic")) > 0

    def count(self, match: Match) -> int:
        """The number of matches."""
        return int(self._searcher.search(match, 1, count=True).count)  # type: ignore[attr-defined]  # missing in its stub

    def counts(self, match: Match, field: str) -> dict[str, int]:
        """The number of matches for each value of ``KIND`` or ``YEAR``."""
        buckets = self._searcher.aggregate(match, {"counts": {"terms": {"field": field, "size": VALUES}}})["counts"]
        return {
            str(bucket["key_as_string" if "key_as_string" in bucket else "key"]): bucket["doc_count"]
            for bucket in buckets["buckets"]
        }

    def matches(self, match: Match) -> bool:
        """Whether any record matches."""
        return bool(self._searcher.search(match, 1, count=False).hits)

    def search(self, match: Match, limit: int, offset: int = 0) -> tuple[int, list[IndexRow]]:
        """The number of matches, and those at these ranks: best first; of equal ones the newest, then by id."""
        return self._ranked(match, limit, offset, None)

    def search_preferring(self, match: Match, parts: Sequence[Match], limit: int) -> tuple[int, list[IndexRow]]:
        """As ``search`` of ``preferring(match, parts)``, where few records match any of the parts.

        These are looked up by themselves: trying the parts on every match takes longer than finding the matches.
        """
        if not parts:
            return self.search(match, limit)
        preferred, fetch = some_of(parts), limit + max(EXTRA_MATCHES, 2 * limit)
        added = {
            place_of(address): score for score, address in self._searcher.search(preferred, PREFERRED, count=False).hits
        }
        if not added:
            return self.search(match, limit)
        total, best = self._best(match, fetch, None)
        raises = [added.pop(place_of(address), 0.0) for _, address in best]
        raised = [(order + rise, address) for (order, address), rise in zip(best, raises, strict=True) if rise]
        least = sorted([score for score, _ in raised])[-limit:]
        # Of the others, which keep their order, no more than those asked for can be among the first.
        ordered = list(islice((_row(*pair) for pair, rise in zip(best, raises, strict=True) if not rise), limit))
        if raised:
            ordered = self.in_order([*ordered, *(_row(*pair) for pair in raised if pair[0] >= least[0])])[:limit]
        rise = max(added.values(), default=0.0)  # of a record further down
        is_whole = len(best) < fetch or not rise or ordered[limit - 1].score > best[-1][0] + rise
        if is_whole and len(added) + len(raised) < PREFERRED:
            return total, ordered
        return self.search(preferring(match, [preferred]), limit)

    def newest(self, match: Match, limit: int, offset: int = 0) -> tuple[int, list[IndexRow]]:
        """The number of matches, and those at these ranks, newest first, then by id."""
        return self._ranked(match, limit, offset, UPDATED)

    def _ranked(self, match: Match, limit: int, offset: int, field: str | None) -> tuple[int, list[IndexRow]]:
        count, best = self._best(match, offset + limit, field)
        return count, [IndexRow(0.0 if field else order, address, order) for order, address in best[offset:]]

    def _best(self, match: Match, limit: int, field: str | None) -> tuple[int, list[tuple[float, Address]]]:
        """The number of matches, and the first of them, each as what it is ordered by and its address."""
        fetch = limit + 1 if self._several else limit
        while True:
            matches = self._searcher.search(match, fetch, count=True, order_by_field=field)
            best: list[tuple[float, Address]] = matches.hits
            # The engine takes ties from the first segment first, so equal matches have to be fetched to the last.
            cut = self._several and len(best) == fetch and best[-1][0] == best[limit - 1][0]
            if not cut or fetch >= MAX_FETCHED_MATCHES:
                break
            fetch = min(4 * fetch, MAX_FETCHED_MATCHES)
        if self._several:
            best = [(row.order, row.address) for row in self.in_order(_row(*pair) for pair in best)]
        return int(matches.count), best[:limit]  # type: ignore[attr-defined]

    def in_order(self, rows: Iterable[IndexRow]) -> list[IndexRow]:
        """The best first; of equal ones the newest, then by id."""
        ranked = sorted(rows, key=lambda row: (-row.order, row.place))
        if not self._several:
            return ranked
        ordered: list[IndexRow] = []
        for _, run in groupby(ranked, key=lambda row: row.order):
            ordered += self._by_age(list(run))
        return ordered

    def _by_age(self, rows: list[IndexRow]) -> list[IndexRow]:
        """The rows of a tie. Those of one segment are in order, so only the others are compared."""
        segments: dict[int, list[IndexRow]] = {}
        for row in rows:
            segments.setdefault(row.address.segment_ord, []).append(row)
        if len(segments) == 1:
            return rows
        longest, *others = sorted(segments.values(), key=len, reverse=True)
        key = self._age_key()
        for row in (row for other in others for row in other):
            insort(longest, row, key=key)
        return longest

    def _age_key(self) -> Callable[[IndexRow], tuple[int, str]]:
        read: dict[tuple[int, int], tuple[int, str]] = {}

        def key(row: IndexRow) -> tuple[int, str]:
            if row.place not in read:
                (updated,) = self._searcher.fast_field_values(UPDATED, [row.address])
                read[row.place] = (-int(updated or 0), self.stored(row.address).id)
            return read[row.place]

        return key

    def clusters(self, addresses: Sequence[Address]) -> list[int]:
        """The cluster numbers of these records; 0 for a record without near-duplicates."""
        numbers = self._searcher.fast_field_values(CLUSTER, list(addresses)) if addresses else []
        return [int(number or 0) for number in numbers]

    def stored(self, address: Address) -> StoredDocument:
        """The record at an address."""
        document = self._searcher.doc(address)
        group = document.get_first(GROUP)
        try:
            return StoredDocument(
                fast_json.loads(document[SHOWN_FIELD][0]),
                document[TEXT_FIELD][1],
                document[DETAIL][0],
                fast_json.loads(group) if group else (),
            )
        except (ValueError, LookupError) as error:
            raise met_damage(self._version, error) from error

    def packed(self, address: Address) -> tuple[bytes, str, bytes]:
        """What a record shows, its terms and its details, as they were written."""
        document = self._searcher.doc(address)
        return document[SHOWN_FIELD][0], document[TEXT_FIELD][1], document[DETAIL][0]

    def statistics(self, field: str, term: str) -> tuple[float, float]:
        """The number of documents that the engine counts, and the average length of a field that holds ``term``."""
        match = Match.term_query(self._schema, field, term, "freq")
        (_, address), *_ = self._searcher.search(match, 1, count=False).hits
        details = fast_json.loads(match.explain(self._searcher.whole, address).to_json())["details"]
        values = {leaf["description"]: leaf["value"] for part in details for leaf in part.get("details", ())}
        return values[_DOCUMENTS], values[_AVERAGE]

    def find(self, id_: str) -> Address | None:
        """The address of a record, or ``None``."""
        matches = self._searcher.search(self.term(ID, id_), 1, count=False)
        return matches.hits[0][1] if matches.hits else None
