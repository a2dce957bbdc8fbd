"""A large archive: ``python bench/size.py [RECORDS] [--size BYTES] [--requests N]``.

``citepress serve`` is started three times on one archive. The first start builds edition and search index: seconds
until the first page and until search answers, its processor seconds, its highest memory and the size of what it wrote.
The second finds them: seconds until the first 200, and what its worker holds in memory after requests of random
records in all three forms, through eight connections, for each of the codings that clients take. The third does so
with ``--watch``, until the first 200. What lies on the disk is listed by part, in bytes a record.

The default is 100000 records with texts of 1 KB, and 20000 requests.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import load
import meter
import synthetic

from citepress.edition.edition import open_edition, pointer
from citepress.edition.pack import HEADER, RECORD, SLOT, Pack

LONGEST = 3600.0
"""Seconds after which a build is given up."""
FORMS = ("/", ".md", ".json")
SEARCH = "/search.json?query=note"
"""Answers with 200 once edition and index are complete."""
CODINGS = ("gzip, deflate, br, zstd", "gzip, deflate, br", "gzip, deflate", "br")
"""What clients ask with: browsers, crawlers, libraries of programs, and a cache in front that takes brotli alone."""


@contextmanager
def serving(archive: Path, port: int, *options: str) -> Iterator[subprocess.Popen]:
    """The command as an operator runs it, until the block ends."""
    command = [
        Path(sys.executable).with_name("citepress"),
        "serve",
        archive,
        "--workers",
        "1",
        "--port",
        str(port),
        *options,
    ]
    environ = {**os.environ, "CITEPRESS_REST_LIMIT": "1000000", "PYTHONPYCACHEPREFIX": str(archive.parent / "compiled")}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled; the first start compiles this one
    with subprocess.Popen([str(part) for part in command], env=environ, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)


def peak_until(process: subprocess.Popen, port: int, path: str = "/") -> float:
    """Megabytes of the process tree at its highest until it answers at a path with 200."""
    peak, looked, end = 0.0, 0.0, time.monotonic() + LONGEST
    while not load.answers(port) or load.ask(port, load.request(path)).status != 200:  # noqa: PLR2004
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit(f"citepress serve did not answer at {path}")
        if time.monotonic() - looked > meter.PAUSE:
            peak, looked = max(peak, meter.memory(process.pid)), time.monotonic()
        time.sleep(0.01 if path == "/" else meter.PAUSE)
    return peak


def parts(state: Path) -> dict[str, int]:
    """Bytes by part: the bodies of each kind of leaf, what finds them, and every other file below the state folder."""
    edition = open_edition(pointer(state))
    counted: Counter[str] = Counter()
    for pack in edition.layers:
        counted += pack_parts(pack)
    packs = {pack.path for pack in edition.layers}
    for file in state.rglob("*"):
        if file.is_file() and file not in packs:
            counted[str(file.relative_to(state).parent / (file.suffix or file.name))] += file.stat().st_size
    return dict(counted.most_common())


def pack_parts(pack: Pack) -> Counter[str]:
    """Bytes of one pack by part; what no part names are dictionaries and the notes of the edition."""
    counted: Counter[str] = Counter()
    counted["pack: header and tables"] = HEADER.size + len(pack) * 8
    slots = 8
    while slots < 2 * len(pack):
        slots *= 2
    counted["pack: header and tables"] += slots * SLOT.size
    for place in range(len(pack)):
        meta = pack.record_at(place)
        sizes = [meta["packed"][1]] if "packed" in meta else [size for _, _, size, *_ in meta["bodies"]]
        counted[f"pack: {meta['kind']}"] += sum(sizes)
        counted["pack: meta records"] += RECORD.size + pack.record_size(place)
    counted["pack: dictionaries and notes"] = pack.path.stat().st_size - counted.total()
    return counted


def main() -> None:
    """Write, build, start again, ask, tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("records", type=int, nargs="?", default=100_000)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--requests", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citepress-bench-") as scratch:
        archive, port = Path(scratch) / "archive", load.free_port()
        synthetic.write(archive, options.records, options.size)
        print(f"{options.records:,} records, texts of {options.size:,} bytes; {meter.load()}", flush=True)
        start = time.perf_counter()
        with serving(archive, port) as process:
            peak, page = peak_until(process, port), time.perf_counter() - start
            peak = max(peak, peak_until(process, port, SEARCH))
            spent = meter.cpu(process.pid)
        print(
            f"first start: {page:.1f} s until the first page, {time.perf_counter() - start:.1f} s until all is built,"
            f" {spent:.1f} s of the processor, {peak:,.0f} MB at its highest",
            flush=True,
        )
        sizes = parts(archive / "state")
        print(
            f"on the disk: {sum(sizes.values()) / 1e6:,.0f} MB, {sum(sizes.values()) / options.records:,.0f} a record"
        )
        for name, size in sizes.items():
            print(f"{size / options.records:10,.0f}  {name}", flush=True)
        start = time.perf_counter()
        with serving(archive, port) as process:
            peak_until(process, port)
            print(
                f"second start: {time.perf_counter() - start:.2f} s until the first 200, {meter.cpu(process.pid):.2f} s"
                " of the processor",
                flush=True,
            )
            for coding in CODINGS:
                ask(process, port, options.records, options.requests, coding)
            tell_memory(process)
        start = time.perf_counter()
        with serving(archive, port, "--watch") as process:
            peak_until(process, port)
            print(
                f"third start, with --watch: {time.perf_counter() - start:.2f} s until the first 200,"
                f" {meter.cpu(process.pid):.2f} s of the processor",
                flush=True,
            )


def ask(process: subprocess.Popen, port: int, records: int, requests: int, coding: str) -> None:
    """Random records, other ones for each coding."""
    chance = random.Random(coding)  # noqa: S311  (the same records in every run)
    paths = (f"/posts/note-{chance.randrange(records)}{chance.choice(FORMS)}" for _ in range(requests))
    pending_requests = [load.request(path, Accept_Encoding=coding) for path in paths]
    before = meter.cpu(process.pid)
    done, seconds = load.drive(port, pending_requests, requests, seconds=600)
    print(
        f"{done:,} requests of random records ({coding}): {1e6 * (meter.cpu(process.pid) - before) / done:.0f} µs of"
        f" the processor each, {seconds:.0f} s",
        flush=True,
    )


def tell_memory(process: subprocess.Popen) -> None:
    """What each process holds."""
    for pid in meter.family(process.pid):
        name = "command" if pid == process.pid else "worker"
        print(f"{name}: {meter.resident(pid):,.0f} MB resident, {meter.unshared(pid):,.0f} MB of them its own")


if __name__ == "__main__":
    main()
