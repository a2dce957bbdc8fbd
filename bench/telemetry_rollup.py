"""Closing an hour and reading windows: ``python bench/telemetry_rollup.py [--events N] [--hour N] [--no-sql]``.

With ``--postgresql`` spool and rollups are in a PostgreSQL of their own.

What closing costs an event at a busy hour, what its memory is, what rollups of thirty days weigh, and what the
three windows take beside plain SQL over the same events in the same run. Events are synthetic: named families on
their way through six thousand materials, people and scanners.
"""

import argparse
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Event

import meter
import sqlalchemy as sa

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from citepress.base.gc_pause import paused_gc
from citepress.stores.sql.database import Database
from citepress_telemetry.identify.user_agents.scanning import BURST
from citepress_telemetry.model import CarryOver, Closed
from citepress_telemetry.ports import GET, NAVIGATION, Batch, FamilyRow, MaterialRow, SpoolRow
from citepress_telemetry.rollup.aggregator import Aggregator, AggregatorRules
from citepress_telemetry.rollup.close_hour import ClosingContext, close_hour
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import ROLLUPS_FILE, open_rollup_store
from support.database_servers import own_postgresql

FIRST = 500_016
"""An hour at midnight."""
DAYS = 30
FAMILIES, NETWORKS, MATERIALS, ROUTES = 54, 400, 6000, 40
PURPOSES = ("training", "search_index", "search", "user_action", "seo", "unknown")
WINDOWS = (("24h", 24), ("7d", 168), ("30d", 720))
BATCH = 1000
ADDRESS: str | None = None
"""Of the PostgreSQL that holds spool and rollups; ``None``: they are in SQLite files."""


def names(dimensions: SqlDimensions) -> tuple[list[int], list[int], list[int]]:
    """Ids of families (the last two are people and an unnamed client), routes and materials."""
    listed = [
        (
            f"Bot{number}",
            f"Operator {number % 30}",
            PURPOSES[number % 6],
            "ai_user_agent" if PURPOSES[number % 6] == "user_action" else "crawler",
            True,
        )
        for number in range(FAMILIES)
    ]
    special = [("(browser-like)", "", "unknown", "", False), ("(unlisted automation)", "", "unknown", "", False)]
    families = [
        dimensions.family(name, who, what, cls, "direct", "", named=named)
        for name, who, what, cls, named in [*listed, *special]
    ]
    rows = (
        MaterialRow(0, f"posts/{number}", "posts", None, html=True, markdown=True, json=True, current=True)
        for number in range(MATERIALS)
    )
    routes = [
        dimensions.route("/robots.txt"),
        *(dimensions.route(f"/kind{number}/{{slug}}/") for number in range(1, ROUTES)),
    ]
    return families, routes, sorted(dimensions.materials(rows).values())


def events(
    hour: int, count: int, ids: tuple[list[int], list[int], list[int]], chance: random.Random
) -> Iterator[SpoolRow]:
    """The rows of an hour, in the order of their times; a few families make most of them."""
    families, routes, materials = ids
    weights = [1 / (place + 1) for place in range(len(families) - 2)] + [0.8, 0.3]
    day = hour // 24
    for ts, family in zip(
        sorted(chance.randrange(3_600_000) for _ in range(count)),
        chance.choices(families, weights, k=count),
        strict=True,
    ):
        net = (day << 32 | family << 16 | min(int(chance.expovariate(0.02)), NETWORKS)) * 2_654_435_761 % 2**56
        kind = chance.random()
        route, material, miss, status = 0, 0, 0, 404
        if kind > 0.05:  # noqa: PLR2004  (one in twenty finds nothing)
            status = 304 if kind < 0.1 else 200  # noqa: PLR2004  (likewise)
            material = materials[min(int(chance.expovariate(6 / MATERIALS)), MATERIALS - 1)] if kind < 0.85 else 0  # noqa: PLR2004
            route = routes[material % (ROUTES - 1) + 1] if material else routes[int(kind * 1000) % 5]
        else:
            miss = chance.randrange(1, 50_000)
        flags = GET | (NAVIGATION if family == families[-2] else 0)
        yield SpoolRow(
            0,
            hour * 3_600_000 + ts,
            net,
            family,
            1 if family % 3 else 3,
            route,
            material,
            representation(family, kind),
            status,
            8000,
            flags,
            0,
            miss,
            0,
        )


def representation(family: int, kind: float) -> int:
    """HTML for most, Markdown for some families, and JSON now and then."""
    return 2 if int(kind * 1000) % 20 == 0 else int(family % 9 == 0)


def spooled(state: Path, rows: Iterator[SpoolRow], hour: int) -> None:
    """Write an hour to the spool as a writer does."""
    spool = open_spool(state, ADDRESS)
    for number in range(10**9):
        batch = list(islice(rows, BATCH))
        if not batch:
            break
        spool.append("a", Batch(batch, {}, [(hour, number % 360)]))
    spool.close()


def busy_hour(folder: Path, count: int) -> None:
    """The row on a busy hour: the pure closing over rows in memory, and the whole step from spool to rollups."""
    folder.mkdir()
    database = open_rollup_store(folder, ADDRESS)
    dimensions, rollups = SqlDimensions(database), SqlRollups(database)
    ids = names(dimensions)
    spooled(folder, events(FIRST, count, ids, random.Random(1)), FIRST)  # noqa: S311  (traffic, not secrets)
    rows = list(open_spool(folder, ADDRESS).read(FIRST))
    context = ClosingContext(
        dimensions.families(), ids[1][0], FamilyRow(0, "", "", "unknown", "", "direct", "", named=False)
    )
    bursts = open_spool(folder, ADDRESS).bursts(FIRST, BURST)
    with paused_gc():
        pure = timed(lambda: close_hour(FIRST, rows, bursts, context, CarryOver()), clock=time.process_time)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spool = open_spool(folder, ADDRESS)
    aggregator = Aggregator(spool, rollups, dimensions, AggregatorRules("bench"), Event(), lambda: None)
    wall = time.perf_counter()
    with paused_gc():
        whole = timed(lambda: aggregator._close(FIRST), clock=time.process_time)  # noqa: SLF001  (one hour and nothing else)
    wall = time.perf_counter() - wall
    grown = max(0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000
    print(
        f"closing {count:9,} events an hour: {1e6 * pure / count:5.2f} µs an event pure, {1e6 * whole / count:5.2f} µs"
        f" with spool and rollups, of the processor ({wall:.2f} s, peak +{grown:.0f} MB)",
        flush=True,
    )
    database.close()
    spool.close()


def month(folder: Path, count: int, *, sql: bool) -> None:
    """The rows on thirty days."""
    folder.mkdir()
    database = open_rollup_store(folder, ADDRESS)
    dimensions, rollups = SqlDimensions(database), SqlRollups(database)
    ids, chance = names(dimensions), random.Random(2)  # noqa: S311  (likewise)
    context = ClosingContext(
        dimensions.families(), ids[1][0], FamilyRow(0, "", "", "unknown", "", "direct", "", named=False)
    )
    raw = _raw(folder / "raw.sqlite") if sql else None
    hours, spent, state = DAYS * 24, 0.0, CarryOver()
    for hour in range(FIRST, FIRST + hours):
        rows = [row._replace(id=at) for at, row in enumerate(events(hour, count // hours, ids, chance), 1)]
        if raw:
            with raw.begin() as connection:
                insert = f"INSERT INTO ev VALUES ({', '.join('?' * 14)})"  # noqa: S608
                connection.exec_driver_sql(insert, [(None, *row[1:]) for row in rows])
        start = time.process_time()
        done = close_hour(hour, rows, frozenset(), context, state)
        rollups.close(
            Closed(hour, done.count, done.last_row, 3600, imported=False, classifier="bench", counts={}),
            done.rows,
            done.after,
            done.pairs,
        )
        rollups.forget(hour + 1)
        spent += time.process_time() - start
        state = done.after
    total, size = hours * (count // hours), size_of(database, folder)
    print(
        f"{total:,} events in {DAYS} days: rollups {size / 1e6:.1f} MB, {size / total:.1f} bytes an event; closed in"
        f" {1e6 * spent / total:.1f} µs an event",
        flush=True,
    )
    for name, length in WINDOWS:
        end = FIRST + hours - 5  # a window that begins and ends within days
        window_time = timed(partial(rollups.window, end - length, end), 3)
        plain = f"   plain SQL over the events {timed(partial(_plain, raw, end - length, end)):8.2f} s" if raw else ""
        print(f"window {name:>4} {window_time:8.3f} s{plain}", flush=True)
    print(f"readership since the beginning {timed(rollups.read_totals):8.3f} s", flush=True)
    database.close()


def size_of(database: Database, folder: Path) -> int:
    """Bytes of the rollups, without a log and without rows that are dead."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if ADDRESS:
            connection.exec_driver_sql("VACUUM")
            return int(connection.scalar(sa.text("SELECT pg_database_size(current_database())")) or 0)
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return (folder / ROLLUPS_FILE).stat().st_size


def _raw(file: Path) -> sa.Engine:
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE ev (id INTEGER PRIMARY KEY, {', '.join(SpoolRow._fields[1:])})")
    return engine


def _plain(raw: sa.Engine, first: int, end: int) -> None:
    """What journeys need, by SQL over the events: counts, uniques, sessions, depth and steps of each family."""
    within = f"ts >= {first * 3_600_000} AND ts < {end * 3_600_000}"
    walk = (
        "SELECT family, net, ts, route, lag(ts) OVER w AS before, lag(route) OVER w AS came"  # noqa: S608
        f" FROM ev WHERE {within} WINDOW w AS (PARTITION BY family, net ORDER BY ts)"
    )
    begun = (
        "SELECT family, net, sum(before IS NULL OR ts - before > 1800000)"  # noqa: S608
        f" OVER (PARTITION BY family, net ORDER BY ts) AS session FROM ({walk})"
    )
    sessions = f"SELECT family, net, session, count(*) AS n FROM ({begun}) GROUP BY family, net, session"  # noqa: S608
    with raw.connect() as connection:
        for query in (
            f"SELECT family, count(*), sum(bytes), count(DISTINCT material) FROM ev WHERE {within} GROUP BY family",  # noqa: S608
            f"SELECT family, n, count(*) FROM ({sessions}) GROUP BY family, n",  # noqa: S608
            (
                "SELECT family, came, route, count(*)"  # noqa: S608
                f" FROM ({walk}) WHERE ts - before <= 1800000 GROUP BY family, came, route"
            ),
        ):
            connection.exec_driver_sql(query).fetchall()


def timed(run: Callable[[], object], times: int = 1, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds, the least of several runs."""
    seconds = []
    for _ in range(times):
        start = clock()
        run()
        seconds.append(clock() - start)
    return min(seconds)


def in_postgresql(stack: ExitStack | None) -> None:
    """Let the next part have a PostgreSQL of its own, which ends with the stack; none without one."""
    global ADDRESS  # noqa: PLW0603  (one place for a script)
    ADDRESS = stack.enter_context(own_postgresql()).get_uri() if stack else None


def main() -> None:
    """All rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--events", type=int, default=500_000)
    parser.add_argument("--hour", type=int, default=360_000)
    parser.add_argument("--no-sql", action="store_true")
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    print(meter.load())
    with ExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="citepress-bench-", dir=os.environ.get("BENCH_DIR"))
        )
        for name, run in (
            ("hour", partial(busy_hour, count=options.hour)),
            ("quiet", partial(busy_hour, count=6900)),
            ("month", partial(month, count=options.events, sql=not options.no_sql)),
        ):
            in_postgresql(stack if options.postgresql else None)
            run(Path(folder) / name)


if __name__ == "__main__":
    main()
