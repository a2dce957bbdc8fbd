"""A large archive: ``python bench/size.py [RECORDS] [--size BYTES] [--requests N]`` (default 100000 records with texts of 1 KB, 20000 requests).

``citepress serve`` is started twice on one archive. The first start builds edition and search index: its processor seconds, its highest memory and
the size of what it wrote. The second finds them: seconds until the first 200, and what its worker holds in memory after requests of random records
in all three forms, through eight connections.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import load
import meter
import synthetic

LONGEST = 3600.0
"""Seconds after which a build is given up."""
FORMS = ("/", ".md", ".json")


@contextmanager
def serving(archive: Path, port: int) -> Iterator[subprocess.Popen]:
    """The command as an operator runs it, until the block ends."""
    command = [Path(sys.executable).with_name("citepress"), "serve", archive, "--port", str(port)]
    environ = {**os.environ, "CITEPRESS_REST_LIMIT": "1000000"}
    with subprocess.Popen([str(part) for part in command], env=environ, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)


def answered(process: subprocess.Popen, port: int) -> float:
    """Megabytes of the process tree at its highest until it answers ``/`` with 200."""
    peak, end = 0.0, time.monotonic() + LONGEST
    while not load.answers(port):
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit("citepress serve did not start")
        peak = max(peak, meter.memory(process.pid))
        time.sleep(0.01)
    if (status := load.ask(port, load.request("/")).status) != 200:  # noqa: PLR2004
        raise SystemExit(f"/ answers {status}")
    return peak


def written(state: Path) -> dict[str, int]:
    """Bytes below each folder of the state folder."""
    return {
        folder.name: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        for folder in state.iterdir()
        if folder.is_dir()
    }


def main() -> None:
    """Write, build, start again, ask, tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("records", type=int, nargs="?", default=100_000)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--requests", type=int, default=20_000)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citepress-bench-") as scratch:
        archive, port = Path(scratch) / "archive", load.free_port()
        synthetic.write(archive, told.records, told.size)
        print(f"{told.records:,} records, texts of {told.size:,} bytes; {meter.load()}", flush=True)
        start = time.perf_counter()
        with serving(archive, port) as process:
            peak = answered(process, port)
            spent = meter.cpu(process.pid)
        print(
            f"first start: {spent:.1f} s of the processor, {time.perf_counter() - start:.1f} s, {peak:,.0f} MB at its highest", flush=True
        )
        print("; ".join(f"{name} {size / 1e6:,.0f} MB" for name, size in sorted(written(archive / "state").items())), flush=True)
        start = time.perf_counter()
        with serving(archive, port) as process:
            answered(process, port)
            print(
                f"second start: {time.perf_counter() - start:.2f} s until the first 200, {meter.cpu(process.pid):.2f} s of the processor",
                flush=True,
            )
            ask(process, port, told.records, told.requests)


def ask(process: subprocess.Popen, port: int, records: int, requests: int) -> None:
    """Random records, then the memory of each process."""
    chance = random.Random(1)  # noqa: S311  (the same records in every run)
    paths = (f"/posts/note-{chance.randrange(records)}{chance.choice(FORMS)}" for _ in range(requests))
    asked = [load.request(path, Accept_Encoding="br") for path in paths]
    before = meter.cpu(process.pid)
    done, seconds = load.drive(port, asked, requests, seconds=600)
    print(
        f"{done:,} requests of random records: {1e6 * (meter.cpu(process.pid) - before) / done:.0f} µs of the processor each, {seconds:.0f} s"
    )
    for pid in meter.family(process.pid):
        name = "command" if pid == process.pid else "worker"
        print(f"{name}: {meter.resident(pid):,.0f} MB resident, {meter.unshared(pid):,.0f} MB of them its own")


if __name__ == "__main__":
    main()
