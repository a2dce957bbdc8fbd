"""What the telemetry commands do: render and read reports, renew the salt, fetch lists of addresses and keys."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from citepress.base.timestamps import DAY_S, HOUR_S
from citepress.settings import Settings
from citepress_telemetry.aggregation import current_capture, current_rules, overlay_and_election, report_publisher
from citepress_telemetry.capture.self_traffic import SelfTraffic
from citepress_telemetry.identify.user_agents.table import shipped
from citepress_telemetry.identify.verify import address_lists, directories
from citepress_telemetry.identify.verify import refresh as lists
from citepress_telemetry.identify.verify.directories import DIRECTORIES_FILE as DIRECTORIES
from citepress_telemetry.identify.verify.directories import Pinned
from citepress_telemetry.identify.verify.ranges import RANGES_FILE as RANGES
from citepress_telemetry.identify.verify.ranges import Fetched, read_ranges
from citepress_telemetry.identify.verify.refresh import Fetch, Renewed
from citepress_telemetry.reports.data import moment, read_report_data
from citepress_telemetry.reports.family_days import FamilyDays, family_days
from citepress_telemetry.reports.publication import RenderedReports
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import open_rollup_store
from citepress_telemetry.sums.windows import HOURS

UNLISTED_HOURS = 720


@dataclass(frozen=True, slots=True)
class Listing:
    """A known list of addresses and what was fetched of it."""

    key: str
    url: str
    fetched: Fetched | None
    fresh: bool


def render_now(settings: Settings, now: datetime) -> RenderedReports | None:
    """Render and publish every report from what is closed; ``None`` before the first hour.

    Raises ``PackError`` and what stores raise.
    """
    with closing(open_rollup_store(settings.state, settings.database_url)) as database:
        overlay, _ = overlay_and_election(settings, database)
        return report_publisher(settings, database).publish(overlay, now)


def as_of(settings: Settings) -> datetime | None:
    """The end of the newest closed hour."""
    with closing(open_rollup_store(settings.state, settings.database_url)) as database:
        last = SqlRollups(database).last_closed()
    return None if last is None else moment(last.hour + 1)


def day(number: int) -> str:
    """A day by its number since 1970."""
    return moment(number * HOURS).date().isoformat()


def report(settings: Settings, path: str, now: datetime) -> bytes | None:
    """A report by its path as of now; ``None`` before the first closed hour.

    Raises ``LookupError`` where there is no such report.
    """
    with closing(open_rollup_store(settings.state, settings.database_url)) as database:
        publisher = report_publisher(settings, database)
        data = read_report_data(publisher.rollups, publisher.dimensions)
        if data is None:
            return None
        document = publisher.document(path, data, now)
    if document is None:
        raise LookupError(path)
    return document


def requests_by_family_and_day(settings: Settings) -> FamilyDays | None:
    """Requests of each named family on each of thirty days; ``None`` before the first closed hour."""
    with closing(open_rollup_store(settings.state, settings.database_url)) as database:
        publisher = report_publisher(settings, database)
        data = read_report_data(publisher.rollups, publisher.dimensions)
    return None if data is None else family_days(data, current_rules(settings).user_action_min)


def salts(settings: Settings) -> Mapping[int, bool]:
    """Days that had a salt, and whether it still exists."""
    with closing(open_spool(settings.state, settings.database_url)) as spool:
        return spool.salts()


def renew_salt(settings: Settings, now: datetime) -> None:
    """Overwrite the salt of today and give the day a fresh one."""
    with closing(open_spool(settings.state, settings.database_url)) as spool:
        spool.renew_salt(int(now.timestamp()) // DAY_S)


def keeps_unlisted(settings: Settings) -> bool:
    """Whether names of unlisted automation are kept."""
    return current_rules(settings).keep_unlisted


def unlisted(settings: Settings, now: datetime) -> Mapping[str, int]:
    """Product names of unlisted automation in the last thirty days; empty where they are not kept."""
    hour = int(now.timestamp()) // HOUR_S
    with closing(open_spool(settings.state, settings.database_url)) as spool:
        return spool.unlisted(hour - UNLISTED_HOURS, hour + 1)


def refresh(
    settings: Settings, fetch: Fetch, now: datetime, *, accept: Iterable[str], only: Iterable[str]
) -> tuple[tuple[Renewed, ...], tuple[Pinned, ...]]:
    """Fetch the lists of addresses and, where signatures are verified, the pinned directories.

    Raises ``RangesError`` and ``DirectoriesError``.
    """
    renewed = lists.refresh(settings.state / RANGES, fetch, now, accept=accept, only=only)
    urls = {row.family.signature for row in shipped().rows if row.family.signature}
    wanted = current_rules(settings).signatures and not only
    return renewed, directories.refresh(settings.state / DIRECTORIES, urls, fetch, now) if wanted else ()


def listings(settings: Settings, now: datetime) -> tuple[Listing, ...]:
    """Every known list, and how old it is. Raises ``RangesError``."""
    fetched = read_ranges(settings.state / RANGES)
    days = current_capture(settings).ranges_max_age_days
    oldest = now.timestamp() - days * DAY_S
    return tuple(
        Listing(source.key, source.url, copy, fresh=copy is not None and copy.fetched_at.timestamp() >= oldest)
        for source in address_lists.shipped()
        for copy in [fetched.get(source.key)]
    )


def own_agent(settings: Settings) -> Callable[[str], bool]:
    """Tests whether the publisher's rules leave a user agent out as the publisher's own."""
    rules = current_capture(settings).self or ()
    return lambda agent: SelfTraffic(rules).agent(agent.encode("latin-1", "replace"))
