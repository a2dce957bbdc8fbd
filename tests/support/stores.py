"""Databases and submissions for tests of what is kept, and processes that use them together."""

import contextlib
import fcntl
import multiprocessing
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from citepress.contract.json_body import read_body
from citepress.contract.limits import Limit
from citepress.stores.local.shared_counters import BUCKETS, CounterTable, SharedCounters
from citepress.stores.local.worker_metrics import MetricsTable, WorkerMetrics
from citepress.stores.sql.database import STATE_FILE, Database, open_postgresql, open_sqlite
from citepress.stores.sql.migrate import migrate
from citepress.stores.sql.store_tables import declared_stores
from citepress_fleet.valkey_counters import ValkeyCounters
from citepress_inbox.limits import QUOTA_WINDOW_S
from citepress_inbox.ports import SubmissionQuotaExceeded, SubmissionReceipt
from citepress_inbox.sql_inbox import SqlInbox
from citepress_inbox.submissions import BODIES, New, prepare
from support.waiting import PATIENCE_S

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LIMIT = Limit("inbox", 30, QUOTA_WINDOW_S)
SOURCE = {
    "url": "https://source.example/one",
    "related_record": "posts/x",
    "reason": "It shows the opposite.",
    "agent": {"name": "Reader"},
}
CORRECTION = {
    "related_record": "posts/x",
    "claim": "It is so.",
    "correction": "It is not so any more.",
    "evidence_urls": ["https://proof.example/"],
    "agent": {"name": "Reader"},
}
LOADED = [
    "pytest",
    "psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "sqlalchemy.dialects.postgresql.psycopg",
    "citepress.contract.json_body",
    "citepress_inbox.sql_inbox",
    "citepress.stores.sql.migrate",
    "citepress_fleet.valkey_counters",
    "citepress.stores.local.shared_counters",
    "citepress_payments.stores.ledger",
    "citepress_payments.simulated_chain.driver",
]
"""What a process needs, loaded once in the process that they are forked from (``support`` is not on its path)."""
RECEIPT = {"related_record": "posts/x", "use": "An answer on caching."}


def later(**time: float) -> datetime:
    """A moment after ``NOW``."""
    return NOW + timedelta(**time)


def opened(address: str, wait: float = 60.0) -> Database:
    """The database at a PostgreSQL address or in a file, with its tables.

    It waits long, for a test must not depend on time.
    """
    database = open_postgresql(address, wait) if "://" in address else open_sqlite(Path(address), wait)
    migrate(database)
    return database


def opened_copy(path: str) -> Database:
    """The same for a new SQLite file, which begins as a copy of a migrated one: migrating takes five times as long."""
    begin_migrated(Path(path))
    return opened(path)


def begin_migrated(file: Path) -> None:
    """Make an SQLite file with all tables that are declared for its name, or else with those of the state store."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        file.touch(0o600)
        file.write_bytes(_migrated(file.name if file.name in declared_stores() else STATE_FILE))


@cache
def _migrated(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "state.sqlite"
        with contextlib.closing(open_sqlite(file)) as database:
            migrate(database, name)
        return file.read_bytes()


def submission(kind: str = "source", **members: Any) -> New:
    """A submission that the usual members are taken for, ready for the store."""
    usual = {"source": SOURCE, "correction": CORRECTION, "usage_receipt": RECEIPT}[kind]
    body = read_body(BODIES[kind], {name: value for name, value in (usual | members).items() if value is not None})
    return prepare(body, body.related_record or "")


def numbered(number: int) -> New:
    """A submission unlike those of other numbers."""
    return submission(url=f"https://source.example/{number}")


def hand_in(
    store: SqlInbox, new: New, client: str = "203.0.113.7", *, at: datetime = NOW, limit: Limit = LIMIT
) -> SubmissionReceipt:
    """Submit, from a client that few others are."""
    return store.submit(new, client, limit, at)


def fork(target: Callable[..., None], *arguments: Any) -> Any:
    """A process of its own, started from a small server that has our modules loaded."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    process = context.Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


def barrier(parties: int) -> Any:
    """Where so many processes wait for each other."""
    return multiprocessing.get_context("forkserver").Barrier(parties)


def pipe() -> tuple[Any, Any]:
    """The ends of a pipe: to read from and to write to."""
    return multiprocessing.get_context("forkserver").Pipe(duplex=False)


def answers(target: Callable[..., None], *calls: Sequence[Any]) -> list[Any]:
    """What processes tell that are started together, one for each list of arguments; ``EOFError`` when one dies."""
    started = []
    for arguments in calls:
        parent, child = pipe()
        started.append((fork(target, *arguments, child), parent))
        child.close()
    answers_ = [parent.recv() for _, parent in started]
    for process, _ in started:
        process.join(60)
    return answers_


def submit_without_end(address: str, first: int, connection: Any) -> None:
    """Submit one after the other, and tell the id of each when the store has taken it."""
    store = SqlInbox(opened(address))
    for number in range(first, first + 1000):
        connection.send(hand_in(store, numbered(number), f"198.51.100.{number}").stored.id)


def submit_until(address: str, stop: threading.Event) -> list[str]:
    """Submit one after the other until the event is set: the ids that the store acknowledged."""
    database, taken = opened(address), []
    while not stop.is_set():
        number = 10_000 + len(taken)
        taken.append(hand_in(SqlInbox(database), numbered(number), f"client {number}").stored.id)
    database.close()
    return taken


def submit_together(address: str, new: New, together: Any, connection: Any) -> None:
    """Submit at the same instant as others."""
    store = SqlInbox(opened(address))
    together.wait(PATIENCE_S)
    receipt = hand_in(store, new)
    connection.send((receipt.stored.id, receipt.repeated))


def submit_for_clients(address: str, clients: int, tries: range, limit: Limit, connection: Any) -> None:
    """Submit once for each client and try; tell how many were taken."""
    store = SqlInbox(opened(address))
    taken = 0
    for number in tries:
        for client in range(clients):
            with contextlib.suppress(SubmissionQuotaExceeded):
                taken += not hand_in(store, numbered(client * 1000 + number), f"client {client}", limit=limit).repeated
    connection.send(taken)


def spend_for_clients(address: str, key: bytes, clients: int, limit: Limit, connection: Any) -> None:
    """Spend the whole limit of each client; tell how many units were taken."""
    counters = ValkeyCounters(address, key, timeout=PATIENCE_S)
    connection.send(
        sum(counters.spend(limit, f"client {client}").allowed for _ in range(limit.quota) for client in range(clients))
    )


def spend_shared(table: CounterTable, clients: int, limit: Limit, connection: Any) -> None:
    """Spend the whole limit of each client, in counters that processes share; tell how many units were taken."""
    counters = SharedCounters(table)
    connection.send(
        sum(counters.spend(limit, f"client {client}").allowed for _ in range(limit.quota) for client in range(clients))
    )


def spend_until_killed(table: CounterTable, limit: Limit) -> None:
    """Spend for one client without end, and open windows of others."""
    counters, number = SharedCounters(table), 0
    while True:
        number += 1
        counters.spend(limit, "same")
        counters.spend(limit, f"{os.getpid()} {number}")


def hold_every_bucket(table: CounterTable, connection: Any) -> None:
    """Lock the whole table of shared counters until killed."""
    fcntl.lockf(table.file, fcntl.LOCK_EX, BUCKETS, 0)
    connection.send("locked")
    threading.Event().wait()


def measure_until_killed(table: MetricsTable, connection: Any) -> None:
    """Count answers without end, and show them."""
    metrics = WorkerMetrics(table)
    connection.send("counting")
    while True:
        metrics.answered(0, "GET", 200, 1, 0.001)
        metrics.flush()


def migrate_together(address: str, together: Any, connection: Any) -> None:
    """Open a new database at the same instant as others."""
    together.wait(PATIENCE_S)
    SqlInbox(opened(address)).find("x")
    connection.send("ready")
