"""The rules of time: one table of what cannot be true of the dates of an archive, and the walk that checks it.

A date stands for the whole day (UTC) unless it is written with its hour, so nothing contradicts itself within one day.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from operator import le
from typing import Protocol

from citepress.archive.model import Edge
from citepress.archive.record_index import RecordIndex
from citepress.base.timestamps import day, later
from citepress.content.folder import Folder
from citepress.content.source_map import SourceFile
from citepress.content.source_record import SourceRecord
from citepress.content.sources_file import SOURCES_FILE as SOURCES
from citepress.content.sources_file import SharedSources
from citepress.content.validation_messages import dotted
from citepress.contract.dates import dates_of, follow
from citepress.contract.fault import (
    BAD_DATES,
    FUTURE_DATE,
    HELD_BACK,
    LATER_THAN_RECORD,
    READ_BEFORE_PUBLISHED,
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
A_DAY = timedelta(days=1)
UTC_DAYS = "days are UTC; elsewhere write the hour with its offset, as in 2026-11-23T08:00:00+13:00"
HELD_HINT = "correct the date, or write publishDate to schedule the record"


class HasHistory(Protocol):
    """The facts of one record that the rules need."""

    @property
    def history(self) -> RecordHistory:
        """Its publication and changes."""
        ...


class HasDates(Protocol):
    """A published record (``archive.resolve.Resolved``)."""

    @property
    def draft(self) -> SourceRecord:
        """As its author wrote it."""
        ...

    @property
    def own(self) -> HasHistory:
        """Its own facts."""
        ...

    @property
    def edges(self) -> Sequence[Edge]:
        """Its links to other records."""
        ...


@dataclass(frozen=True, slots=True)
class Subject:
    """A record as the rules see it."""

    draft: SourceRecord
    history: RecordHistory
    shared: SharedSources
    index: RecordIndex | None = None
    """The names of the archive, for rules between records."""
    linking: Sequence[tuple[str, Front]] = ()
    """The front matter of records that link to it, each with the type of the link, for such rules."""
    front: Front = field(init=False)
    """Its front matter, which every rule reads."""

    def __post_init__(self) -> None:
        """Open the record once for all rules."""
        object.__setattr__(self, "front", self.draft.front)


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
    between: bool = False
    """Whether it holds a record against others."""
    wrong: Callable[[datetime, datetime], bool] = later
    """Whether a date and the limit contradict each other."""


def _earlier(date: datetime, limit: datetime) -> bool:
    return later(limit, date)


def at(*paths: str) -> Callable[[Subject], Dated]:
    """The dates at these paths of the front matter (``updates.*.date``)."""
    routes = tuple(tuple(path.split(".")) for path in paths)

    def dates(subject: Subject) -> Dated:
        front = subject.front
        return [dated for route in routes if getattr(front, route[0], None) for dated in follow(front, route)]

    return dates


def _value(name: str) -> Callable[[Subject, Location], datetime | None]:
    """One date of the front matter as the limit."""

    def limit(subject: Subject, _location: Location) -> datetime | None:
        value: datetime | None = getattr(subject.front, name, None)
        return value

    return limit


def _everything(subject: Subject) -> Dated:
    """Every date of a past event, those of shared sources at the place that names them.

    Some have a rule of their kind. A reported use and a later look at a source do not change what the record says.
    """
    rules = (rule for rule in subject.draft.kind.date_rules if not rule.between)
    apart = {place for rule in rules for place, _ in rule.dates(subject)}
    dated = dates_of(subject.front)
    yield from (
        (place, date)
        for place, date in dated
        if place not in apart and place[0] != "credits" and place[-1] != "accessed_at"
    )
    for place, source in enumerate(subject.front.sources):
        if isinstance(source, str) and source in subject.shared.sources:
            dated = dates_of(subject.shared.sources[source])
            yield from ((("sources", place), date) for inner, date in dated if inner[-1] != "accessed_at")


def _expiry(subject: Subject) -> Dated:
    return [(("expiryDate",), subject.front.expiry_date)] if subject.front.expiry_date else []


def _unexplained(subject: Subject) -> Dated:
    changed = subject.front.lastmod
    return [(("lastmod",), changed)] if changed and subject.history.unexplained else []


def noted(subject: Subject, _location: Location) -> datetime | None:
    """The newest day that a note explains, or the publication."""
    return max((change.moment for change in subject.history.changes if change.note), default=subject.history.published)


def last_change(subject: Subject, _location: Location) -> datetime | None:
    """The newest change, or the publication."""
    return subject.history.noted


def _first_reading(subject: Subject, location: Location) -> datetime | None:
    """The day on which the source at a location was read."""
    source = subject.front.sources[int(location[1])]
    return source.accessed_at if isinstance(source, SourceInput) else None


OWN: tuple[Rule, ...] = (
    Rule(
        BAD_DATES,
        at("lastmod"),
        _value("date"),
        "is before date",
        "a record changes after it was published",
        wrong=_earlier,
    ),
    Rule(
        BAD_DATES,
        at(*(f"{name}.*.date" for name in CHANGES)),
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
        noted,
        "no note explains what changed on {date}",
        "add an entry with that date under updates, or take lastmod out",
    ),
    Rule(
        LATER_THAN_RECORD,
        _everything,
        last_change,
        "{date} is after the record's last change ({limit})",
        "a record that mentions a day was written on it or later: add an entry under updates",
    ),
    Rule(
        READ_BEFORE_PUBLISHED,
        at("sources.*.published_at"),
        _first_reading,
        "{date} is after the day on which the source was read ({limit})",
        "one of the two dates is wrong",
    ),
)
"""Rules on every record."""


def reads_other_dates(kind: Kind) -> bool:
    """Whether the dates of this kind's records are held against those of other records."""
    return any(rule.between for rule in kind.date_rules)


def own_faults(subject: Subject) -> Iterator[Fault]:
    """Dates of a record that contradict each other, whatever the present and other records are."""
    rules: tuple[Rule, ...] = subject.draft.kind.date_rules
    yield from _broken((*OWN, *(rule for rule in rules if not rule.between)), subject)


def faults(folder: Folder, resolved: Sequence[HasDates], index: RecordIndex) -> Iterator[Fault]:
    """What cannot be as of the folder's moment, and what the dates of two records contradict."""
    for draft in folder.held:
        yield from _held(draft, folder.moment)
        if draft.id not in index.published:
            yield from own_faults(Subject(draft, record_history(draft.front), folder.shared))
    linking = _linking(resolved)
    for record in resolved:
        if record.draft.head.newest > folder.moment:
            yield from _ahead(record.draft.source_file, dates_of(record.draft.front), folder.moment)
        if reads_other_dates(record.draft.kind):
            links = linking.get(record.draft.id, ())
            subject = Subject(record.draft, record.own.history, folder.shared, index, links)
            yield from _broken((rule for rule in record.draft.kind.date_rules if rule.between), subject)
    for source_file, dated in _beside(folder):
        yield from _ahead(source_file, dated, folder.moment)


def _broken(rules: Iterable[Rule], subject: Subject) -> Iterator[Fault]:
    for rule in rules:
        yield from islice(_of(rule, subject), MAX_RULE_FAULTS)


def _of(rule: Rule, subject: Subject) -> Iterator[Fault]:
    for location, date in rule.dates(subject):
        limit = rule.limit(subject, location)
        if limit is not None and rule.wrong(date, limit):
            message = rule.message.format(date=day(date), limit=day(limit))
            yield Fault.at(rule.code, subject.draft.locate(location), f"{dotted(location)}: {message}", rule.hint)


def _linking(resolved: Sequence[HasDates]) -> dict[str, list[tuple[str, Front]]]:
    """What links to each record that is held against others."""
    linking: dict[str, list[tuple[str, Front]]] = {
        record.draft.id: [] for record in resolved if reads_other_dates(record.draft.kind)
    }
    for record in resolved if linking else ():
        for edge in record.edges:
            if edge.target in linking:
                linking[edge.target].append((edge.type, record.draft.front))
    return linking


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
