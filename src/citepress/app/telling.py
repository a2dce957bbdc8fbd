"""What the commands on telemetry need of the stores: reports rendered now, one report to read, the salt, lists of addresses and keys."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from citepress.app.aggregator import DIRECTORIES, classifier_info, shared
from citepress.app.reports import RenderedReports, document, render
from citepress.app.telemetry import RANGES, standing
from citepress.settings import Settings
from citepress.stores.sql.migrate import open_rollup_store
from citepress.stores.sql.telemetry.dimensions import SqlDimensions
from citepress.stores.sql.telemetry.rollups import SqlRollups
from citepress.stores.sql.telemetry.spool import open_spool
from citepress.telemetry.capture.self_traffic import SelfTraffic
from citepress.telemetry.identify.user_agents.table import shipped
from citepress.telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress.telemetry.identify.verify import directories, known
from citepress.telemetry.identify.verify import refresh as lists
from citepress.telemetry.identify.verify.directories import Pinned
from citepress.telemetry.identify.verify.ranges import Fetched, read
from citepress.telemetry.identify.verify.refresh import Fetch, Renewed
from citepress.telemetry.reports.data import moment, read_report_data
from citepress.telemetry.rollup.windows import HOURS

DAY_S, HOUR_S = 86_400, 3600
UNLISTED_HOURS = 720


@dataclass(frozen=True, slots=True)
class Listing:
    """A known list of addresses and what was fetched of it."""

    key: str
    url: str
    fetched: Fetched | None
    fresh: bool


def render_now(settings: Settings, now: datetime) -> RenderedReports | None:
    """Render and publish every report from what is closed; ``None`` before the first hour. Raises ``PackError`` and what stores raise."""
    with closing(open_rollup_store(settings.state, settings.database_url)) as database:
        overlay, _ = shared(settings, database)
        return render(settings, SqlRollups(database), SqlDimensions(database), overlay, classifier_info(UserAgentClassifier()), now)


def as_of(settings: Settings) -> datetime | None:
    """The end of the newest closed hour."""
    with closing(open_rollup_store(settings.state, settings.database_url)) as database:
        last = SqlRollups(database).last_closed()
    return None if last is None else moment(last.hour + 1)


def day(number: int) -> str:
    """A day by its number since 1970."""
    return moment(number * HOURS).date().isoformat()


def report(settings: Settings, path: str, now: datetime) -> bytes | None:
    """A report by its path as it stands now; ``None`` before the first closed hour. Raises ``LookupError`` where there is no such report."""
    with closing(open_rollup_store(settings.state, settings.database_url)) as database:
        seen = read_report_data(SqlRollups(database), SqlDimensions(database))
        if seen is None:
            return None
        found = document(settings, seen, classifier_info(UserAgentClassifier()), path, now)
    if found is None:
        raise LookupError(path)
    return found


def salts(settings: Settings) -> Mapping[int, bool]:
    """Days that have a salt, and whether it still stands."""
    with closing(open_spool(settings.state, settings.database_url)) as spool:
        return spool.salts()


def renew_salt(settings: Settings, now: datetime) -> None:
    """Overwrite the salt of today and give the day a fresh one."""
    with closing(open_spool(settings.state, settings.database_url)) as spool:
        spool.renew_salt(int(now.timestamp()) // DAY_S)


def keeps_unlisted(settings: Settings) -> bool:
    """Whether anything is kept of the user agents of unlisted automation."""
    return standing(settings).keep_unlisted


def unlisted(settings: Settings, now: datetime) -> Mapping[str, int]:
    """Names of products of unlisted automation seen here in thirty days; nothing where they are not kept."""
    hour = int(now.timestamp()) // HOUR_S
    with closing(open_spool(settings.state, settings.database_url)) as spool:
        return spool.unlisted(hour - UNLISTED_HOURS, hour + 1)


def refresh(
    settings: Settings, fetch: Fetch, now: datetime, *, accept: Iterable[str], only: Iterable[str]
) -> tuple[tuple[Renewed, ...], tuple[Pinned, ...]]:  # fmt: skip
    """Fetch the lists of addresses, and the pinned directories where signatures are checked. Raises ``RangesError`` and ``DirectoriesError``."""
    renewed = lists.refresh(settings.state / RANGES, fetch, now, accept=accept, only=only)
    urls = {row.family.signature for row in shipped().rows if row.family.signature}
    wanted = standing(settings).signatures and not only
    return renewed, directories.refresh(settings.state / DIRECTORIES, urls, fetch, now) if wanted else ()


def listings(settings: Settings, now: datetime) -> tuple[Listing, ...]:
    """Every known list, and how old it is. Raises ``RangesError``."""
    fetched = read(settings.state / RANGES)
    days = standing(settings).ranges_max_age_days
    oldest = now.timestamp() - days * DAY_S
    return tuple(
        Listing(one.key, one.url, mine, fresh=mine is not None and mine.fetched_at.timestamp() >= oldest)
        for one in known.shipped()
        for mine in [fetched.get(one.key)]
    )


def own_agent(settings: Settings) -> Callable[[str], bool]:
    """Tells user agents that the publisher's rules leave out as the publisher's own."""
    rules = standing(settings).self or ()
    return lambda agent: SelfTraffic(rules).agent(agent.encode("latin-1", "replace"))
