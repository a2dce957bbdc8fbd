"""Three servers without content that follow one publisher: ``python bench/fleet.py [RECORDS] [--rounds N]``.

The publisher compiles a synthetic archive and publishes it to an S3 service of its own; each server is a
``citepress serve --edition`` with one worker, and reaches the bucket through a counting proxy. While clients ask every
server for random records, one record changes in each round. Counted from the moment at which the pointer was moved:
the seconds until each server shows the change, and the bytes that it fetched beside the pack of the change. Every
answer is judged: its status, and whether all the places in it that hold the number of the round agree. At the end the
edition is rolled back, and the servers' bytes and ETags are compared.

The default is 5 rounds of 10000 records.
"""

import argparse
import contextlib
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import meter
import synthetic

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.history.state_files import EDITIONS_LOG
from citepress.settings import Settings
from citepress.transparency.log_file import LogFile
from citepress.transparency.signing import signing_keys
from citepress_fleet.distribution import FileDigests, edition_content
from citepress_fleet.publishing import EditionStore, PublishedEdition
from citepress_objects import open_objects

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.database_servers import STARTED
from support.running_server import HOST, free_port
from support.s3 import BUCKET, FaultyLink, faulty_link

NODES = 3
RATE = 40
"""Requests a second to each server."""
SAMPLE = 300
"""Paths whose bytes are compared."""
ROUND = re.compile(rb"round (\d+) of the bench")
ANSWERS = range(200, 500)
CHANGED = "/posts/note-0.json"
BARS = {"current": 3.0, "rollback": 3.0, "moved": 2.0}


@dataclass
class Node:
    """One server, the way to its bucket, and what its clients got."""

    port: int
    link: FaultyLink
    statuses: Counter[int] = field(default_factory=Counter)
    mixed: int = 0
    seconds: list[float] = field(default_factory=list)
    """Of each answer to a client."""

    def ask(self, path: str) -> tuple[int, str, bytes]:
        """Status, ETag and body; status 0 where nothing came."""
        connection = HTTPConnection(HOST, self.port, timeout=30)
        try:
            client = f"198.51.{random.randrange(256)}.{random.randrange(256)}"  # noqa: S311
            connection.request("GET", path, headers={"X-Forwarded-For": client})
            answer = connection.getresponse()
            return answer.status, answer.headers.get("etag", ""), answer.read()
        except (OSError, HTTPException):
            return 0, "", b""
        finally:
            connection.close()

    def load(self, paths: list[str], ended: threading.Event) -> None:
        """Ask for random records, and for the one that changes, until the event."""
        while not ended.wait(1 / RATE):
            start = time.perf_counter()
            status, _, body = self.ask(random.choice([random.choice(paths), CHANGED]))  # noqa: S311
            self.seconds.append(time.perf_counter() - start)
            self.statuses[status] += 1
            self.mixed += len(set(ROUND.findall(body))) > 1

    def rounds(self) -> set[bytes]:
        """The rounds that the changed record names."""
        return set(ROUND.findall(self.ask(CHANGED)[2]))


class Publisher:
    """Compiles and publishes, as ``citepress publish --watch`` does."""

    def __init__(self, archive: Path, state: Path, target: str) -> None:
        self.builder = Builder(Settings(archive, state), state / "publish")
        self.store = EditionStore(open_objects(target), signing_keys(state), LogFile(state / EDITIONS_LOG))
        self.text = (archive / "content/posts/note-0.md").read_text("utf-8")
        self.file = archive / "content/posts/note-0.md"
        self._digests = FileDigests()

    def edit(self, number: int) -> None:
        """Let two places of one record name a round."""
        words = f"This is round {number} of the bench."
        text = re.sub(r"^summary: .*$", f"summary: {words}", self.text, count=1, flags=re.MULTILINE)
        self.file.write_text(f"{text}\n{words}\n", "utf-8")

    def publish(self) -> PublishedEdition:
        """Publish the folder as it is."""
        moment = clock.now()
        built = self.builder.ensure(moment)
        self.builder.index(built, moment)
        content = edition_content(self.builder.settings, self.builder.output, built, moment, self._digests)
        return self.store.publish(content)


def main() -> None:
    """Publish, serve, change, roll back, and print the figures beside the bars."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("records", type=int, nargs="?", default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        stack.callback(STARTED.close)
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citepress-fleet-")))
        near = stack.enter_context(faulty_link())
        os.environ.update(near.environment)
        synthetic.write(scratch / "archive", options.records)
        target = f"s3://{BUCKET}/bench"
        publisher = Publisher(scratch / "archive", scratch / "publisher", target)
        publisher.edit(0)
        start = time.perf_counter()
        first = publisher.publish()
        print(
            f"{options.records:,} records, {sum(first.uploaded.values()) / 1e6:,.0f} MB in {len(first.uploaded)}"
            f" objects, published in {time.perf_counter() - start:.0f} s; {meter.load()}",
            flush=True,
        )
        nodes = [stack.enter_context(serving(scratch / f"node-{place}", target)) for place in range(NODES)]
        measure(publisher, nodes, options.records, options.rounds)


def measure(publisher: Publisher, nodes: list[Node], records: int, rounds: int) -> None:
    """Rounds under load, a rollback, and the comparison."""
    paths = [f"/posts/note-{number}{form}" for number in range(records) for form in (".json", "/", ".md")]
    ended = threading.Event()
    clients = [threading.Thread(target=node.load, args=(paths, ended)) for node in nodes]
    for client in clients:
        client.start()
    lags = [changed(publisher, nodes, number) for number in range(1, rounds + 1)]
    publisher.store.roll_back(None, clock.now())
    back = lag_of_all(nodes, rounds - 1)
    ended.set()
    for client in clients:
        client.join()
    statuses = sum((node.statuses for node in nodes), Counter[int]())
    faults = sum(count for status, count in statuses.items() if status not in ANSWERS)
    seconds = sorted(second for node in nodes for second in node.seconds)
    print(f"every server current: {max(lags):.2f} s at most after the pointer moved (bar {BARS['current']} s)")
    print(f"rolled back on every server: {back:.2f} s after the pointer moved (bar {BARS['rollback']} s)")
    print(f"{sum(statuses.values()):,} answers {dict(statuses)}: {faults} with 5xx or none (bar 0)")
    print(f"answers of two editions: {sum(node.mixed for node in nodes)} (bar 0)")
    print(f"99 % of the answers within {1000 * seconds[len(seconds) * 99 // 100]:.0f} ms; {meter.load()}")
    sample = random.sample(paths, min(SAMPLE, len(paths)))
    alike = sum(len({node.ask(path) for node in nodes}) == 1 for path in [CHANGED, *sample])
    print(f"equal status, ETag and bytes on all servers: {alike} of {len(sample) + 1} paths (bar all)")


def changed(publisher: Publisher, nodes: list[Node], number: int) -> float:
    """Publish a round; the seconds until the last server shows it."""
    publisher.edit(number)
    before = [node.link.received for node in nodes]
    start = time.perf_counter()
    published = publisher.publish()
    spent = time.perf_counter() - start
    lag = lag_of_all(nodes, number)
    moved = max(node.link.received - former for node, former in zip(nodes, before, strict=True))
    pack = sum(size for name, size in published.uploaded.items() if name.startswith("packs/"))
    print(
        f"  round {number}: published in {spent:.1f} s, on every server {lag:.2f} s later; a server fetched"
        f" {moved:,} bytes, {moved / pack:.2f} times the {pack:,} bytes of its change pack (bar {BARS['moved']})",
        flush=True,
    )
    return lag


def lag_of_all(nodes: list[Node], number: int) -> float:
    """Seconds from now until every server shows a round."""
    start, awaited = time.perf_counter(), {b"%d" % number}
    for node in nodes:
        meter.until(lambda node=node: node.rounds() == awaited, 60, f"round {number}")  # type: ignore[misc]
    return time.perf_counter() - start


@contextlib.contextmanager
def serving(state: Path, target: str) -> Iterator[Node]:
    """A server, as soon as it answers."""
    port = free_port()
    with faulty_link() as link:
        environment = {**os.environ, **link.environment, "CITEPRESS_TRUSTED_PROXIES": HOST}
        command = [sys.executable, "-m", "citepress", "serve", "--edition", target, "--workers", "1"]
        place = ["--host", HOST, "--port", str(port), "--state", str(state)]
        with subprocess.Popen([*command, *place], env=environment, stdout=subprocess.DEVNULL) as process:
            node = Node(port, link)
            try:
                start = time.perf_counter()
                meter.until(lambda: node.ask(CHANGED)[0] in ANSWERS, 300, "a server", 0.2)
                print(f"a server answered {time.perf_counter() - start:.1f} s after its start", flush=True)
                yield node
            finally:
                process.terminate()
                process.wait(30)


if __name__ == "__main__":
    main()
