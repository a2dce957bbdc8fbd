"""Writes the single requests of closed hours as Parquet, with names instead of ids, for other databases to read."""

import csv
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from citepress.base.errors import CitepressError
from citepress.settings import Settings
from citepress.stores.sql.database import Database
from citepress_telemetry.identify.user_agents.probes import CATEGORIES
from citepress_telemetry.identify.user_agents.scanning import BURST
from citepress_telemetry.model import REPRESENTATIONS, VERIFY, Closed
from citepress_telemetry.ports import GET, HEAD_FLAG, SpoolRow
from citepress_telemetry.reports.data import moment
from citepress_telemetry.rollup.aggregator import id_maps
from citepress_telemetry.rollup.close_hour import class_finder
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.sql.spool_base import SqlSpool
from citepress_telemetry.stores import open_rollup_store

COLUMNS = {
    "time": "TIMESTAMP",
    "family": "VARCHAR",
    "operator": "VARCHAR",
    "purpose": "VARCHAR",
    "class": "VARCHAR",
    "verification": "VARCHAR",
    "method": "VARCHAR",
    "route": "VARCHAR",
    "page": "VARCHAR",
    "representation": "VARCHAR",
    "status": "SMALLINT",
    "bytes": "BIGINT",
    "probe": "VARCHAR",
    "referrer": "VARCHAR",
}
"""Columns of a file and their types. There is nothing of a client but its family: no address and no hash of one."""
METHODS = {GET: "GET", HEAD_FLAG: "HEAD"}


class ExportError(CitepressError):
    """Nothing can be exported; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What a run did, in hours and requests."""

    hours: int
    requests: int
    present: int
    """Hours whose files were there already."""
    missing: int
    """Closed hours that the spool holds no more, or never held because they were imported."""


def export_requests(settings: Settings, folder: Path) -> Exported:
    """Write a file for each closed hour that the spool holds and the folder has not, oldest first.

    Raises ``ExportError`` and what stores raise.
    """
    engine = _engine()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(f"{folder} cannot be written: {error.strerror}") from None
    with (
        closing(open_rollup_store(settings.state, settings.database_url)) as database,
        closing(open_spool(settings.state, settings.database_url)) as spool,
        closing(_Files(engine, folder)) as files,
    ):
        return _exported(database, spool, files)


def _exported(database: Database, spool: SqlSpool, files: "_Files") -> Exported:
    rollups, names = SqlRollups(database), _Names(SqlDimensions(database))
    first, last = rollups.first_closed(), rollups.last_closed()
    held = set(spool.hours())
    hours = requests = present = missing = 0
    for closed in rollups.closed(first.hour, last.hour + 1) if first and last else ():
        if not closed.rows:
            continue
        if files.holds(closed):
            present += 1
        elif closed.imported or closed.hour not in held:
            missing += 1
        else:
            files.write(closed, names.events(spool, closed))
            hours, requests = hours + 1, requests + closed.rows
    return Exported(hours, requests, present, missing)


class _Names:
    """What the ids of rows stand for."""

    def __init__(self, dimensions: SqlDimensions) -> None:
        self._context = id_maps(dimensions)
        self._routes = dimensions.routes()
        self._operators = dimensions.operators()
        self._pages = {id_: row.canonical_path for id_, row in dimensions.all_materials().items()}

    def events(self, spool: SqlSpool, closed: Closed) -> Iterator[tuple[object, ...]]:
        """The requests that were counted in a closed hour, in the order of ``COLUMNS``."""
        bursts = spool.bursts(closed.hour, BURST)
        class_of = class_finder(_counted(spool, closed), bursts, self._context)
        for row in _counted(spool, closed):
            yield self._event(row, class_of(row))

    def _event(self, row: SpoolRow, cls: str) -> tuple[object, ...]:
        family = self._context.families.get(row.family, self._context.unknown_family)
        return (
            f"{datetime.fromtimestamp(row.ts / 1000, UTC):%Y-%m-%d %H:%M:%S.%f}",
            family.name,
            family.operator,
            family.purpose,
            cls,
            VERIFY[row.verify],
            METHODS.get(row.flags & (GET | HEAD_FLAG), "other"),
            self._routes.get(row.route, ""),
            self._pages.get(row.material, ""),
            REPRESENTATIONS[row.rep],
            row.status,
            row.bytes,
            CATEGORIES[row.probe - 1] if row.probe else "",
            self._operators.get(row.source, ""),
        )


def _counted(spool: SqlSpool, closed: Closed) -> Iterator[SpoolRow]:
    """The rows of an hour that are counted; what came later is counted at the next turn."""
    return (row for row in spool.read(closed.hour) if row.id <= closed.last_row)


class _Files:
    """The files of a folder, one for each hour."""

    def __init__(self, engine: Any, folder: Path) -> None:  # noqa: ANN401  (an optional library)
        self._error: type[Exception] = engine.Error
        self._connection = engine.connect()
        self._folder = folder

    def close(self) -> None:
        """End the engine."""
        self._connection.close()

    def holds(self, closed: Closed) -> bool:
        """Whether an hour has a file with all its requests; some may have arrived after it was written."""
        file = self._file(closed)
        if not file.is_file():
            return False
        try:
            (count,) = self._connection.execute("SELECT count(*) FROM read_parquet(?)", [str(file)]).fetchone()
        except self._error:  # damaged
            return False
        return bool(count == closed.rows)

    def write(self, closed: Closed, events: Iterable[tuple[object, ...]]) -> None:
        """Write the file of an hour whole, or not at all. Raises ``ExportError``."""
        file = self._file(closed)
        table, part = file.with_suffix(".csv.part"), file.with_suffix(".parquet.part")
        try:
            with table.open("w", encoding="utf-8", newline="") as written:
                csv.writer(written).writerows(events)
            types = ", ".join(f"'{name}': '{type_}'" for name, type_ in COLUMNS.items())
            source = f"read_csv({_quoted(table)}, header = false, delim = ',', quote = '\"', columns = {{{types}}})"
            query = f"COPY (SELECT * FROM {source}) TO {_quoted(part)} (FORMAT parquet, COMPRESSION zstd)"  # noqa: S608
            self._connection.execute(query)
            part.replace(file)
        except (OSError, self._error) as error:
            raise ExportError(f"{file} cannot be written: {' '.join(str(error).split())}") from None
        finally:
            table.unlink(missing_ok=True)
            part.unlink(missing_ok=True)

    def _file(self, closed: Closed) -> Path:
        return self._folder / f"{moment(closed.hour):%Y-%m-%dT%H}.parquet"


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _engine() -> Any:  # noqa: ANN401
    try:  # the library is large, and optional
        return import_module("duckdb")
    except ImportError:
        raise ExportError("writing Parquet needs the extra: pip install 'citepress[parquet]'") from None
