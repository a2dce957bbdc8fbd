"""Gathers the metrics of a running service from its workers, its state folder and its stores."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from citepress import __version__
from citepress.admin.readiness import ServiceState, answers, liveness, readiness
from citepress.admin.restore_drill import last_drill
from citepress.base import clock
from citepress.base.prometheus import MetricFamily, Sample, by_label, counter, gauge, histogram
from citepress.contract.store import StoreUnavailable
from citepress.edition.early_pack import rendered_units
from citepress.edition.edition import Edition, open_edition, pointer, publication_of
from citepress.edition.overlay import overlay_pointer
from citepress.edition.pack import PackError
from citepress.hooks import gathered
from citepress.search.state import INDEX_FOLDER, indexed_edition
from citepress.settings import Settings
from citepress.stores.local import worker_metrics as layout
from citepress.stores.local.worker_metrics import MetricsTable, WorkerTotals, read_totals
from citepress.stores.sql.database import Database, DatabaseError
from citepress.stores.sql.migrate import open_tables
from citepress.stores.sql.store_tables import declared_stores
from citepress.web.measured import edition_mark


class OperatorView:
    """What the operator of a service can see; safe to share between threads."""

    def __init__(self, settings: Settings, table: MetricsTable) -> None:
        self._settings, self._table = settings, table
        self._stores: dict[str, Database] = {}

    def metrics(self) -> list[MetricFamily]:
        """Every metric, as it is now."""
        totals = read_totals(self._table)
        return [
            gauge("citepress_build_info", "The version that runs.", 1, version=__version__),
            *_requests(totals),
            *self._workers(totals),
            *self._edition(totals),
            *gathered("metrics", MetricFamily, self._settings, passing=(), logged=True),
            *self._stored(),
        ]

    def ready(self) -> ServiceState:
        """Whether all workers answer from the current edition."""
        rendered = rendered_units(self._settings.state)
        return readiness(read_totals(self._table).workers, self._current(), self._settings.workers, rendered)

    def live(self) -> ServiceState:
        """Whether at least one worker answers."""
        return liveness(read_totals(self._table).workers)

    def close(self) -> None:
        """End every connection."""
        for database in self._stores.values():
            database.close()

    def _current(self) -> Edition | None:
        with suppress(PackError):
            return open_edition(pointer(self._settings.state))
        return None

    def _workers(self, totals: WorkerTotals) -> Iterator[MetricFamily]:
        yield gauge("citepress_workers_wanted", "Worker processes that should answer.", self._settings.workers)
        answering = sum(map(answers, totals.workers))
        yield gauge("citepress_workers_answering", "Worker processes that answer.", answering)
        for name, words in (
            ("waiting_events", "Answers that wait to be written to the spool."),
            ("dropped_events", "Answers that could not be counted since their worker started."),
            ("cached_bytes", "Bytes of bodies that the workers hold ready to send."),
        ):
            yield gauge(f"citepress_{name}", words, sum(facts[name] for facts in totals.workers))

    def _edition(self, totals: WorkerTotals) -> Iterator[MetricFamily]:
        state, edition = self._settings.state, self._current()
        if (rendered := rendered_units(state)) is not None:
            yield gauge("citepress_first_edition_rendered_units", "Units rendered of the first edition.", rendered)
        if edition is None:
            return
        publication = publication_of(pointer(state))
        published = publication[1].timestamp() if publication else _modified(pointer(state))
        yield gauge("citepress_edition_info", "The edition that is served.", 1, digest=edition.digest)
        if publication:
            words = "Number of the edition, where it was taken from an object store."
            yield gauge("citepress_edition_number", words, publication[0])
        yield gauge("citepress_edition_layers", "Packs that it consists of.", len(edition.layers))
        yield gauge("citepress_edition_age_seconds", "Seconds since it was published.", _since(published))
        mark = edition_mark(edition.digest)
        behind = sum(facts["edition"] != mark for facts in totals.workers)
        yield gauge("citepress_edition_workers_behind", "Workers that serve another edition.", behind)
        current = indexed_edition(state / INDEX_FOLDER) == edition.digest
        lag = 0.0 if current else _since(published)
        yield gauge(
            "citepress_index_lag_seconds", "Seconds for which the search index has been behind the edition.", lag
        )
        if reports := _modified(overlay_pointer(state)):
            yield gauge(
                "citepress_reports_age_seconds", "Seconds since traffic reports were rendered.", _since(reports)
            )
        if drill := last_drill(state):
            words = "When a backup was last restored on trial (Unix time)."
            yield gauge("citepress_restore_drill_timestamp_seconds", words, drill.drilled_at.timestamp())

    def _stored(self) -> Iterator[MetricFamily]:
        up = {}
        for file, owned in declared_stores().items():
            try:
                database = self._opened(file)
                yield from [family for store in owned for family in store.measured(database)]
                up[Path(file).stem] = 1.0
            except (StoreUnavailable, DatabaseError):
                up[Path(file).stem] = 0.0
        yield by_label("citepress_store_up", "Whether a store answers.", "store", up)

    def _opened(self, file: str) -> Database:
        if file not in self._stores:
            self._stores[file] = open_tables(file, self._settings.state, self._settings.database_url)
        return self._stores[file]


def _requests(totals: WorkerTotals) -> Iterator[MetricFamily]:
    cells = totals.cells
    counts = (
        Sample(count, {"method": method, "status": str(status + layout.FIRST_STATUS)})
        for row, method in enumerate(layout.MEASURED_METHODS)
        for status in range(layout.STATUSES)
        if (count := cells[layout.ANSWERED + row * layout.STATUSES + status])
    )
    yield MetricFamily(
        "citepress_http_requests_total",
        "counter",
        "Requests that were answered; 304 says that a client's copy is current.",
        tuple(counts),
    )
    latencies = {
        name: (
            cells[layout.LATENCY + place * layout.BUCKETS : layout.LATENCY + (place + 1) * layout.BUCKETS],
            cells[layout.SECONDS_CELL + place] / 1e6,
        )
        for place, name in enumerate(layout.HANDLERS)
    }
    words = "Seconds that it took to make an answer, without sending it."
    yield histogram("citepress_http_request_seconds", words, latencies, layout.BOUNDS)
    yield counter(
        "citepress_http_response_bytes_total", "Bytes of bodies, before the connection.", cells[layout.BYTES_CELL]
    )
    for name, first, words in (
        ("allowed", layout.ALLOWED, "Requests that were counted against a limit."),
        ("refused", layout.REFUSED, "Requests beyond a limit."),
    ):
        values = {limit: float(cells[first + place]) for place, limit in enumerate(layout.LIMITS)}
        yield by_label(f"citepress_limit_{name}_total", words, "limit", values, "counter")
    levels = {level: float(cells[layout.LOGGED + place]) for place, level in enumerate(layout.LEVELS)}
    yield by_label("citepress_log_records_total", "Records in the log of the workers.", "level", levels, "counter")
    for place, (name, words) in enumerate(layout.COUNTED.items(), layout.FURTHER):
        yield counter(name, words, cells[place])


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _since(moment: float) -> float:
    return max(0.0, clock.now().timestamp() - moment)
