"""Gathers the metrics of a running service from its workers, its state folder and its stores."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from citepress import __version__
from citepress.admin.readiness import ServiceState, answers, liveness, readiness
from citepress.admin.restore_drill import last_drill
from citepress.base import clock
from citepress.base.prometheus import MetricFamily, Sample, by_label, counter, gauge, histogram
from citepress.base.timestamps import HOUR_S
from citepress.contract.store import StoreUnavailable
from citepress.edition.edition import Edition, pointer, publication_of
from citepress.edition.overlay import overlay_pointer
from citepress.edition.pack import PackError
from citepress.inbox.ports import Status
from citepress.payments.ports.rows import State
from citepress.search import INDEX_FOLDER, indexed_edition
from citepress.settings import Settings
from citepress.stores.local import worker_metrics as layout
from citepress.stores.local.worker_metrics import MetricsTable, WorkerTotals, read_totals
from citepress.stores.sql.database import Database, DatabaseError
from citepress.stores.sql.gauges import last_closed_hour, payments_by_state, submissions_by_status
from citepress.stores.sql.migrate import open_rollup_store, open_store
from citepress.web.measured import edition_mark
from citepress_telemetry.aggregation import current_edition
from citepress_telemetry.store.spool import FILE as SPOOL


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
            *self._stored(),
        ]

    def ready(self) -> ServiceState:
        """Whether all workers answer from the current edition."""
        return readiness(read_totals(self._table).workers, self._current(), self._settings.workers)

    def live(self) -> ServiceState:
        """Whether at least one worker answers."""
        return liveness(read_totals(self._table).workers)

    def close(self) -> None:
        """End every connection."""
        for database in self._stores.values():
            database.close()

    def _current(self) -> Edition | None:
        with suppress(PackError):
            return current_edition(self._settings)
        return None

    def _workers(self, totals: WorkerTotals) -> Iterator[MetricFamily]:
        yield gauge("citepress_workers_wanted", "Worker processes that should answer.", self._settings.workers)
        answering = sum(map(answers, totals.workers))
        yield gauge("citepress_workers_answering", "Worker processes that answer.", answering)
        for name, words in (
            ("waiting_events", "Answers that wait to be written to the spool."),
            ("dropped_events", "Answers that were not counted in telemetry since their worker started."),
            ("cached_bytes", "Bytes of bodies that the workers hold ready to send."),
        ):
            yield gauge(f"citepress_{name}", words, sum(facts[name] for facts in totals.workers))

    def _edition(self, totals: WorkerTotals) -> Iterator[MetricFamily]:
        state, edition = self._settings.state, self._current()
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
        with suppress(OSError):
            size = (state / SPOOL).stat().st_size
            yield gauge("citepress_spool_bytes", "Size of the SQLite file of single requests.", size)

    def _stored(self) -> Iterator[MetricFamily]:
        up = {}
        for store, gathered in (("state", self._state), ("telemetry", self._rollups)):
            try:
                yield from gathered()
                up[store] = 1.0
            except (StoreUnavailable, DatabaseError):
                up[store] = 0.0
        yield by_label("citepress_store_up", "Whether a store answers.", "store", up)

    def _state(self) -> list[MetricFamily]:
        database = self._opened("state", lambda: open_store(self._settings.state, self._settings.database_url))
        inbox = {status.value: 0.0 for status in Status} | submissions_by_status(database)
        payments = {state.value: 0.0 for state in State} | payments_by_state(database)
        return [
            by_label("citepress_submissions", "Submissions in the inbox by status.", "status", inbox),
            by_label("citepress_payments", "Payments by state.", "state", payments),
        ]

    def _rollups(self) -> list[MetricFamily]:
        database = self._opened(
            "telemetry", lambda: open_rollup_store(self._settings.state, self._settings.database_url)
        )
        hour = last_closed_hour(database)
        if hour is None:
            return []
        lag = max(0.0, clock.now().timestamp() - (hour + 2) * HOUR_S)  # an hour can be closed when it is over
        return [gauge("citepress_rollup_lag_seconds", "Seconds for which an hour has waited to be summed up.", lag)]

    def _opened(self, name: str, opened: Callable[[], Database]) -> Database:
        if name not in self._stores:
            self._stores[name] = opened()
        return self._stores[name]


def _requests(totals: WorkerTotals) -> Iterator[MetricFamily]:
    cells = totals.cells
    counts = (
        Sample(count, {"method": method, "status": str(status + layout.FIRST_STATUS)})
        for row, method in enumerate(layout.METHODS)
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
            cells[layout.SECONDS + place] / 1e6,
        )
        for place, name in enumerate(layout.HANDLERS)
    }
    words = "Seconds that it took to make an answer, without sending it."
    yield histogram("citepress_http_request_seconds", words, latencies, layout.BOUNDS)
    yield counter("citepress_http_response_bytes_total", "Bytes of bodies, before the connection.", cells[layout.BYTES])
    for name, first, words in (
        ("allowed", layout.ALLOWED, "Requests that were counted against a limit."),
        ("refused", layout.REFUSED, "Requests beyond a limit."),
    ):
        values = {limit: float(cells[first + place]) for place, limit in enumerate(layout.LIMITS)}
        yield by_label(f"citepress_limit_{name}_total", words, "limit", values, "counter")
    levels = {level: float(cells[layout.LOGGED + place]) for place, level in enumerate(layout.LEVELS)}
    yield by_label("citepress_log_records_total", "Records in the log of the workers.", "level", levels, "counter")
    words = "MCP messages that were read by their body, because the header named another protocol version."
    yield counter("citepress_mcp_version_mismatches_total", words, cells[layout.VERSION_MISMATCHES])


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _since(moment: float) -> float:
    return max(0.0, clock.now().timestamp() - moment)
