"""How long readers wait while others search heavily: ``python bench/search_load.py [RECORDS] [--seconds N]``.

Serves a synthetic archive with one worker on loopback. One client reads a small page every few milliseconds; beside
it, one after the other: nothing, four connections with quoted-phrase searches as HTML, and four with MCP batches of
ten such searches. Every attacking request comes from an address of its own, so that no limit helps. Prints the p50,
p99 and worst of the reader's requests in milliseconds, and what the attackers got through.

The default is 10000 records, and 8 seconds for each attack.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import quantiles

import meter
import synthetic

HOST = "127.0.0.1"
ATTACKERS = 4
BATCH = 10
PAUSE = 0.003
START_SECONDS = 900
PATH = "/posts/note-1/"


def phrases(chance: random.Random) -> str:
    """A query of as many quoted passages of frequent words as fit."""
    pairs = (" ".join(chance.choices(synthetic.WORDS, k=2)) for _ in range(30))
    return " ".join(f'"{words}"' for words in pairs)[:490]


def page(link: http.client.HTTPConnection, chance: random.Random, address: str) -> int:
    """One search as HTML; its status."""
    query = phrases(chance).replace('"', "%22").replace(" ", "+")
    link.request("GET", f"/search/?query={query}", headers={"X-Forwarded-For": address, "Accept": "text/html"})
    answer = link.getresponse()
    answer.read()
    return answer.status


def batch(link: http.client.HTTPConnection, chance: random.Random, address: str) -> int:
    """Ten searches in one MCP batch; its status."""
    calls = [
        {
            "jsonrpc": "2.0",
            "id": n,
            "method": "tools/call",
            "params": {"name": "search_archive", "arguments": {"query": phrases(chance)}},
        }
        for n in range(BATCH)
    ]
    fields = {
        "X-Forwarded-For": address,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-03-26",
    }
    link.request("POST", "/mcp", json.dumps(calls), headers=fields)
    answer = link.getresponse()
    answer.read()
    return answer.status


Attack = Callable[[http.client.HTTPConnection, random.Random, str], int]


def attacker(port: int, attack: Attack, seed: int, over: threading.Event, counts: dict[int, int]) -> None:
    """Attack until it is over; each request from another address."""
    chance, link = random.Random(seed), http.client.HTTPConnection(HOST, port, timeout=60)  # noqa: S311  (the same attack in every run)
    while not over.is_set():
        address = f"10.{chance.randrange(256)}.{chance.randrange(256)}.{chance.randrange(256)}"
        try:
            status = attack(link, chance, address)
        except (OSError, http.client.HTTPException):
            link.close()
            continue
        counts[status] = counts.get(status, 0) + 1


def read(port: int, seconds: float) -> list[float]:
    """Milliseconds of each read of a small page."""
    link, spent = http.client.HTTPConnection(HOST, port, timeout=60), []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        link.request("GET", PATH, headers={"X-Forwarded-For": "192.0.2.1", "Accept": "text/html"})
        link.getresponse().read()
        spent.append(1000 * (time.perf_counter() - start))
        time.sleep(PAUSE)
    return spent


def measure(port: int, name: str, attack: Attack | None, seconds: float) -> None:
    """One line."""
    over, counts = threading.Event(), dict[int, int]()
    attackers = [
        threading.Thread(target=attacker, args=(port, attack, seed, over, counts), daemon=True)
        for seed in range(ATTACKERS if attack else 0)
    ]
    for thread in attackers:
        thread.start()
    time.sleep(1 if attack else 0)
    spent = read(port, seconds)
    over.set()
    for thread in attackers:
        thread.join(60)
    cuts = quantiles(spent, n=100)
    print(
        f"{name:34} p50 {cuts[49]:6.1f}  p99 {cuts[98]:6.1f}  worst {max(spent):6.1f} ms  of {len(spent)}; attackers"
        f" got {counts}",
        flush=True,
    )


@contextlib.contextmanager
def served(root: Path, state: Path) -> Iterator[int]:
    """``citepress serve`` over a folder; its port."""
    with socket.create_server((HOST, 0)) as probe:
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "citepress",
        "serve",
        "--workers",
        "1",
        str(root),
        "--host",
        HOST,
        "--port",
        str(port),
        "--state",
        str(state),
    ]
    environment = {"CITEPRESS_TRUSTED_PROXIES": HOST, "CITEPRESS_REST_LIMIT": "1000000"}
    with subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL) as process:
        try:
            end = time.perf_counter() + START_SECONDS
            while time.perf_counter() < end:
                with contextlib.suppress(OSError, http.client.HTTPException):
                    link = http.client.HTTPConnection(HOST, port, timeout=5)
                    link.request("GET", "/search.json?query=agent")
                    if link.getresponse().status == 200:  # noqa: PLR2004
                        break
                time.sleep(1)
            yield port
        finally:
            process.terminate()
            process.wait(30)


def main() -> None:
    """Build, serve, attack, tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("records", type=int, nargs="?", default=10_000)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--size", type=int, default=2000, help="characters of a body")
    parser.add_argument("--keep", type=Path, help="folder of the archive and its state, kept and used again")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citepress-bench-")))
        if not (folder / "archive").exists():
            synthetic.write(folder / "archive", options.records, options.size)
        port = stack.enter_context(served(folder / "archive", folder / "state"))
        print(f"{options.records:,} records; {meter.load()}")
        for name, attack in (
            ("alone", None),
            ("beside quoted phrases as HTML", page),
            ("beside MCP batches of ten", batch),
        ):
            measure(port, name, attack, options.seconds)


if __name__ == "__main__":
    main()
