"""The rules of time: one table of what cannot be true of the dates of an archive, and the walk that checks it.

A date stands for the whole day (UTC) unless it is written with its hour, so nothing contradicts itself within one day.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from operator import le

from citepress.archive.date_protocols import HasDates, HasOutcome, ListsRecords
from citepress.archive.record_index import RecordIndex
from citepress.base.timestamps import day, later
from citepress.content.folder import Folder
from citepress.content.source_map import SourceFile
from citepress.content.source_record import SourceRecord
from citepress.content.sources_file import NAME as SOURCES
from citepress.content.sources_file import SharedSources
from citepress.content.validation_messages import dotted
from citepress.contract.dates import dates_of, follow
from citepress.contract.fault import (
    BAD_DATES,
    DIGEST_TOO_EARLY,
    FUTURE_DATE,
    HELD_BACK,
    LATER_THAN_RECORD,
    OBSERVED_TOO_LATE,
    PUBLISHED_BEFORE_CAPTURED,
    READ_BEFORE_PUBLISHED,
    RESOLVED_BEFORE_PUBLISHED,
    UNEXPLAINED_CHANGE,
    Fault,
    FaultCode,
)
from citepress.contract.kind import Kind
from citepress.contract.record import Front, SourceInput
from citepress.contract.refs import Location
from citepress.history.dated_changes import CHANGES, RecordHistory, record_history

Dated = Iterable[tuple[Location, datetime]]
MAX_RULE_FAULTS = 20
"""The most faults that one rule reports for one file."""
SUPPORTS = "supports"
CAPTURED: Location = ("provenance", "captured_at")
A_DAY = timedelta(days=1)
UTC_DAYS = "days are UTC; elsewhere write the hour with its offset, as in 2026-11-23T08:00:00+13:00"
HELD_HINT = "mend the date, or write publishDate where waiting is meant"


@dataclass(frozen=True, slots=True)
class Subject:
    """A record as the rules see it."""

    draft: SourceRecord
    history: RecordHistory
    shared: SharedSources
    index: RecordIndex | None = None
    """The names of the archive, for rules between records."""
    supported_from: datetime | None = None
    """The earliest observation among the records that speak for it."""

    @property
    def front(self) -> Front:
        """Its front matter."""
        return self.draft.front


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: dates of a record that must not come after a limit."""

    code: FaultCode
    dates: Callable[[Subject], Dated]
    """What is compared, and where a fault is shown."""
    limit: Callable[[Subject, Location], datetime | None]
    """What it is compared with; nothing where the rule does not apply."""
    message: str
    """What is wrong; ``{date}`` and ``{limit}`` are the two days."""
    hint: str
    chosen: bool = False
    """Whether it applies only to kinds that name its code among their ``date_rules``."""
    wrong: Callable[[datetime, datetime], bool] = later
    """Whether a date and the limit contradict each other."""


def _earlier(date: datetime, limit: datetime) -> bool:
    return later(limit, date)


def _not_earlier(date: datetime, limit: datetime) -> bool:
    return not later(limit, date)


def _at(*paths: str) -> Callable[[Subject], Dated]:
    """The dates at these paths of the front matter (``updates.*.date``)."""
    routes = tuple(tuple(path.split(".")) for path in paths)
    return lambda subject: [dated for route in routes for dated in follow(subject.front, route)]


def _value(name: str) -> Callable[[Subject, Location], datetime | None]:
    """One date of the front matter as the limit."""

    def limit(subject: Subject, _location: Location) -> datetime | None:
        value: datetime | None = getattr(subject.front, name, None)
        return value

    return limit


def _everything(subject: Subject) -> Dated:
    """Every date of a past event, those of shared sources at the place that names them.

    Captures have a rule of their own. A reported use is dated later than the record, which it does not change.
    """
    dated = dates_of(subject.front)
    yield from ((place, date) for place, date in dated if place != CAPTURED and place[0] != "credits")
    for place, source in enumerate(subject.front.sources):
        if isinstance(source, str) and source in subject.shared.sources:
            yield from ((("sources", place), date) for _, date in dates_of(subject.shared.sources[source]))


def _expiry(subject: Subject) -> Dated:
    return [(("expiryDate",), subject.front.expiry_date)] if subject.front.expiry_date else []


def _unexplained(subject: Subject) -> Dated:
    changed = subject.front.lastmod
    return [(("lastmod",), changed)] if changed and subject.history.unexplained else []


def _noted(subject: Subject, _location: Location) -> datetime | None:
    """The newest day that a note explains, or the publication."""
    return max((change.moment for change in subject.history.changes if change.note), default=subject.history.published)


def _last_change(subject: Subject, _location: Location) -> datetime | None:
    return subject.history.noted


def _first_reading(subject: Subject, location: Location) -> datetime | None:
    """The day on which the source at a location was read."""
    source = subject.front.sources[int(location[1])]
    return source.accessed_at if isinstance(source, SourceInput) else None


def _outcome(subject: Subject, _location: Location) -> datetime | None:
    """The day of the outcome, unless the forecast is marked as written after it."""
    front = subject.front
    if not isinstance(front, HasOutcome) or front.retrospective:
        return None
    return front.resolved_at if front.status in ("resolved_yes", "resolved_no") else None


def _listed(subject: Subject) -> Dated:
    """Publications of the records that a digest lists, each at its place, and the end of its period."""
    yield from follow(subject.front, ("period", "end"))
    front, index = subject.front, subject.index
    if index is None or not isinstance(front, ListsRecords):
        return
    for place, name in enumerate(front.records):
        listed = index.published.get(index.id_of(name, ""))
        if listed:
            yield ("records", place), listed.front.date


def _first_support(subject: Subject, _location: Location) -> datetime | None:
    """The earliest observation among the signals that speak for a pattern."""
    return subject.supported_from


OWN: tuple[Rule, ...] = (
    Rule(
        BAD_DATES,
        _at("lastmod"),
        _value("date"),
        "is before date",
        "a record changes after it was published",
        wrong=_earlier,
    ),
    Rule(
        BAD_DATES,
        _at(*(f"{name}.*.date" for name in CHANGES)),
        _value("date"),
        "{date} is before date",
        "a record changes after it was published",
        wrong=_earlier,
    ),
    Rule(
        BAD_DATES,
        _expiry,
        _value("publish_date"),
        "is not after publishDate",
        "a record is shown before it is withdrawn",
        wrong=le,
    ),
    Rule(
        UNEXPLAINED_CHANGE,
        _unexplained,
        _noted,
        "no note explains what changed on {date}",
        "add an entry with that date under updates, or take lastmod out",
    ),
    Rule(
        LATER_THAN_RECORD,
        _everything,
        _last_change,
        "{date} is after the record's last change ({limit})",
        "a record that mentions a day was written on it or later: add an entry under updates",
    ),
    Rule(
        PUBLISHED_BEFORE_CAPTURED,
        _at("provenance.captured_at"),
        _noted,
        "{date} is after the publication, and no note explains it ({limit})",
        "add an entry under updates that says what was read again",
        chosen=True,
    ),
    Rule(
        RESOLVED_BEFORE_PUBLISHED,
        _at("date"),
        _outcome,
        "{date} is not before the outcome ({limit}): the forecast does not count",
        "write `retrospective: true` where the outcome was known",
        chosen=True,
        wrong=_not_earlier,
    ),
    Rule(
        READ_BEFORE_PUBLISHED,
        _at("sources.*.published_at"),
        _first_reading,
        "{date} is after the day on which the source was read ({limit})",
        "one of the two dates is wrong",
    ),
)
"""Rules on a record alone."""
BETWEEN: tuple[Rule, ...] = (
    Rule(
        DIGEST_TOO_EARLY,
        _listed,
        _last_change,
        "{date} is after the digest's last change ({limit})",
        "leave it to the next digest, or add an entry under updates",
        chosen=True,
    ),
    Rule(
        OBSERVED_TOO_LATE,
        _at("first_observed_at"),
        _first_support,
        "{date} is after the first signal that supports the pattern ({limit})",
        "a pattern was seen no later than its first signal",
        chosen=True,
    ),
)
"""Rules between records."""
_BETWEEN_CODES = frozenset(rule.code for rule in BETWEEN)


def reads_other_dates(kind: Kind) -> bool:
    """Whether the dates of this kind's records are held against those of other records."""
    return not _BETWEEN_CODES.isdisjoint(kind.date_rules)


def own_faults(subject: Subject) -> Iterator[Fault]:
    """Dates of a record that contradict each other, whatever the present and other records are."""
    yield from _broken(OWN, subject)


def faults(folder: Folder, resolved: Sequence[HasDates], index: RecordIndex) -> Iterator[Fault]:
    """What cannot be as of the folder's moment, and what the dates of two records contradict."""
    for draft in folder.held:
        yield from _held(draft, folder.moment)
        if draft.id not in index.published:
            yield from own_faults(Subject(draft, record_history(draft.front), folder.shared))
    supported = _supported(resolved)
    for record in resolved:
        if record.draft.head.newest > folder.moment:
            yield from _ahead(record.draft.source_file, dates_of(record.draft.front), folder.moment)
        if reads_other_dates(record.draft.kind):
            yield from _broken(
                BETWEEN, Subject(record.draft, record.own.history, folder.shared, index, supported.get(record.draft.id))
            )
    for source_file, dated in _beside(folder):
        yield from _ahead(source_file, dated, folder.moment)


def _broken(rules: Iterable[Rule], subject: Subject) -> Iterator[Fault]:
    for rule in rules:
        if not rule.chosen or rule.code in subject.draft.kind.date_rules:
            yield from islice(_of(rule, subject), MAX_RULE_FAULTS)


def _of(rule: Rule, subject: Subject) -> Iterator[Fault]:
    for location, date in rule.dates(subject):
        limit = rule.limit(subject, location)
        if limit is not None and rule.wrong(date, limit):
            message = rule.message.format(date=day(date), limit=day(limit))
            yield Fault.at(rule.code, subject.draft.locate(location), f"{dotted(location)}: {message}", rule.hint)


def _supported(resolved: Iterable[HasDates]) -> dict[str, datetime]:
    """The earliest observation that speaks for each record."""
    earliest: dict[str, datetime] = {}
    for record in resolved:
        observed: datetime | None = getattr(record.draft.front, "observed_at", None)
        if observed is None:
            continue
        for edge in record.edges:
            if edge.type == SUPPORTS:
                earliest[edge.target] = min(earliest.get(edge.target, observed), observed)
    return earliest


def _held(draft: SourceRecord, moment: datetime) -> Iterator[Fault]:
    """A warning for each future date that holds something back, unless ``publishDate`` shows that this is meant."""
    front = draft.front
    meant = front.publish_date if front.publish_date and front.publish_date >= front.date else moment
    dated = [*follow(front, ("date",)), *follow(front, ("lastmod",))]
    dated += [change for name in CHANGES for change in follow(front, (name, "*", "date"))]
    for location, date in dated:
        if date > max(moment, meant):
            message = f"{dotted(location)}: {day(date)} is in the future; it is held back until then"
            yield Fault.at(
                HELD_BACK, draft.locate(location), message, UTC_DAYS if date - moment <= A_DAY else HELD_HINT
            )


def _ahead(source_file: SourceFile, dated: Dated, moment: datetime) -> Iterator[Fault]:
    """A fault for each future date of something that has happened."""
    for location, date in islice(((location, date) for location, date in dated if date > moment), MAX_RULE_FAULTS):
        message = f"{dotted(location)}: {day(date)} is in the future, but describes something that has happened"
        yield Fault.at(FUTURE_DATE, source_file.locate(location), message, UTC_DAYS if date - moment <= A_DAY else "")


def _beside(folder: Folder) -> Iterator[tuple[SourceFile, Dated]]:
    """The dates of everything that is not a record, by file."""
    yield SourceFile(folder.root, SOURCES), _shared_dates(folder.shared)
    for dataset in folder.datasets:
        yield dataset.source_file, dates_of(dataset.front)
    for page in folder.pages:
        yield page.source_file, [(("lastmod",), page.updated)] if page.updated else []
    for registered in folder.registered:
        dates = [((*registered.at, *location), date) for location, date in dates_of(registered.entry)]
        yield registered.source_file, dates
    for tombstone in folder.tombstones:
        yield tombstone.source_file, [(("gone",), tombstone.moment)] if tombstone.moment else []


@lru_cache(maxsize=4)
def _shared_dates(shared: SharedSources) -> tuple[tuple[Location, datetime], ...]:
    """The dates of the shared sources, at their places; collected once as long as the file stays the same."""
    return tuple(
        (("sources", key, *location), date)
        for key, source in shared.sources.items()
        for location, date in dates_of(source)
    )
