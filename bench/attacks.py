"""What attacks cost a server: ``python bench/attacks.py [--only NAME] [--megabytes N]``.

Each attack in turn on ``citepress serve``, nginx, and a small application on granian and uvicorn, one worker each,
over loopback and bounded in count and time: memory that idle connections keep, a large file that is asked for and
not read, endless trailers, pipelined requests for a tunnel, many connections, a malformed chunk, bodies of many
values, pipelined requests for a page and for nothing. Beside each a
polite client asks for a small page a hundred times a second, and its p50 and p99 are printed. "done" is what the
server answered, so that a server which merely refuses to work does not look fast. Needs what ``bench/corpus.py``
needs.
"""

import argparse
import multiprocessing
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import load
import meter
import peers
from floods import flood

PAGE = b"GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"
PAUSE = 0.01
SETTLE = 3.0
"""Seconds for a server that has just begun, before anything is measured."""
FIELDS = b"aa:bb\r\n"
WRITERS = 30
IN_A_ROW = 300
"""Requests of one send."""
LEAST, FLOOD, FEW = 1_000_000, 20_000_000, 2
"""Bytes of the large file at least, bytes of a flood, the fewest waits that give a percentile."""
CSV = "/datasets/large/v1.csv"
SITE = 'title = "Attacked"\n[telemetry]\nenabled = false\n'
README = "---\ntitle: Large\ndate: 2026-01-01\nsummary: A large table.\nlicense: CC0-1.0\n---\nRows.\n"
SCHEMA = '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"id":{"type":"integer"},"text":{"type":"string"}},"primaryKey":"id"}'
Attack = Callable[[int, str], str]
"""Attacks a port, with the path of the large file there; tells what was done."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an attack cost."""

    done: str
    p50: float
    p99: float
    """Milliseconds for somebody else."""
    grown: float
    """Megabytes that the server took at most beyond what it had."""
    log: int
    """Bytes."""


def opened(port: int, data: bytes) -> socket.socket:
    """A connection on which this was sent."""
    link = socket.create_connection((load.HOST, port), timeout=10)
    with suppress(OSError):
        link.sendall(data)
    return link


def statuses(links: list[socket.socket], wait: float = 5.0) -> str:
    """The first status on each connection, counted, and how many are still open."""
    counts: dict[str, int] = {}
    still = 0
    for link in links:
        link.settimeout(wait)
        said = b"nothing"
        try:
            said = link.recv(12)[9:12] or b"end"
            link.settimeout(0.001)
            while link.recv(65536):
                pass
        except TimeoutError:
            still += 1
        except OSError:
            pass
        counts[said.decode()] = counts.get(said.decode(), 0) + 1
    return ", ".join(f"{count} x {said}" for said, count in sorted(counts.items())) + f", {still} stay open"


def idle_headers(size: int, count: int, port: int, _path: str) -> str:
    """Connections that send a header of so many bytes of fields, and idle."""
    links = [opened(port, PAGE[:-2] + FIELDS * (size // len(FIELDS)) + b"\r\n") for _ in range(count)]
    answers = statuses(links)
    time.sleep(3)
    return answers


def wide(port: int, _path: str) -> str:
    """The same as one long field that is small enough to be answered."""
    links = [opened(port, PAGE[:-2] + b"X-Long: " + b"a" * 28_000 + b"\r\n\r\n") for _ in range(300)]
    answers = statuses(links)
    time.sleep(3)
    return answers


def repeated(port: int, request: bytes, seconds: float = 4) -> Iterator[bytes]:
    """The answers to one request again and again, on another connection where the server ends the first."""
    link, until = opened(port, b""), time.monotonic() + seconds
    while time.monotonic() < until:
        link.sendall(request)
        yield (answer := link.recv(65536))
        if b"connection: close" in answer.lower():
            link.close()
            link = opened(port, b"")
    link.close()


def heads(port: int, path: str) -> str:
    """One client asks for the header of the large file again and again."""
    done = 0
    for answer in repeated(port, f"HEAD {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()):
        length = answer.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
        if not answer.startswith(b"HTTP/1.1 200") or int(length) < LEAST:
            raise SystemExit(f"HEAD was answered with {answer[:200]!r}")
        done += 1
    return f"{done} HEADs"


def unchanged(port: int, path: str) -> str:
    """One client has the large file already and asks whether it changed."""
    head = load.ask_head(port, path)
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nIf-None-Match: {head.get('etag', '-')}\r\n\r\n".encode()
    if "etag" not in head:
        return "has no validators"
    done = 0
    for answer in repeated(port, request):
        if not answer.startswith(b"HTTP/1.1 304"):
            raise SystemExit("a conditional request was not answered with 304")
        done += 1
    return f"{done} x 304"


def unread(port: int, path: str) -> str:
    """Clients ask for the large file and never read."""
    links = [opened(port, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()) for _ in range(WRITERS)]
    time.sleep(4)
    began = sum(link.recv(12).startswith(b"HTTP/1.1 200") for link in links)
    return f"{began} of {len(links)} began"


def trailers(port: int, _path: str) -> str:
    """Twenty megabytes of trailer fields behind a chunked body, as fast as they are taken."""
    sent, part = 0, FIELDS * 9000
    link = opened(
        port,
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding:"
        b" chunked\r\n\r\n2\r\n{}\r\n0\r\n",
    )
    with suppress(OSError):
        while sent < FLOOD:
            link.sendall(part)
            sent += len(part)
    return f"{sent / 1e6:.1f} MB taken; {statuses([link], 1)}"


def endless(port: int, _path: str) -> str:
    """The same as one field that does not end."""
    sent = 0
    link = opened(
        port,
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding:"
        b" chunked\r\n\r\n2\r\n{}\r\n0\r\nX: ",
    )
    with suppress(OSError):
        while sent < FLOOD:
            link.sendall(b"a" * 65536)
            sent += 65536
    return f"{sent / 1e6:.1f} MB taken; {statuses([link], 1)}"


def tunnels(port: int, _path: str) -> str:
    """Pipelined requests for a tunnel, 16 KB on each of two hundred connections."""
    tunnel = b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"
    return statuses([opened(port, tunnel * (16_384 // len(tunnel))) for _ in range(200)], 2)


def crowd(port: int, _path: str) -> str:
    """Four thousand connections that ask once and idle."""
    links = [opened(port, PAGE) for _ in range(4000)]
    return statuses(links, 2)


def nothing(_port: int, _path: str) -> str:
    """No attack: what the figures are worth on this machine."""
    time.sleep(4)
    return "nothing"


def chunk(port: int, _path: str) -> str:
    """A malformed chunk: how long until the answer."""
    start = time.perf_counter()
    answers = statuses(
        [
            opened(
                port,
                b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding:"
                b" chunked\r\n\r\nxyz\r\n",
            )
        ],
        8,
    )
    return f"{answers}, after {1000 * (time.perf_counter() - start):.0f} ms"


def fields_64(port: int, path: str) -> str:
    """64 KB of short fields."""
    return idle_headers(64_000, 300, port, path)


def fields_28(port: int, path: str) -> str:
    """28 KB of short fields."""
    return idle_headers(28_000, 300, port, path)


def rows(port: int, _path: str) -> str:
    """Four connections send 300 requests for a small page at once, again and again."""
    return flood(port, PAGE * IN_A_ROW)


def rows_of_nothing(port: int, _path: str) -> str:
    """The same for a page that does not exist."""
    return flood(port, PAGE.replace(b"/robots.txt", b"/none/of/these.html") * IN_A_ROW)


def _message(values: bytes) -> bytes:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[0%s]}}' % values
    return load.post("/mcp", body, Accept="application/json")


def escapes(port: int, _path: str) -> str:
    """Four connections send JSON of 250 KB with an escaped colon and 28,000 objects."""
    return flood(port, _message(b',"\\u003a"' + b',{"a":{}}' * 28_000))


def lists(port: int, _path: str) -> str:
    """Four connections send JSON of 250 KB with 80,000 lists."""
    return flood(port, _message(b",[]" * 80_000))


ATTACKS: dict[str, Attack] = {
    field.__name__: field
    for field in (
        nothing,
        fields_64,
        fields_28,
        wide,
        heads,
        unchanged,
        unread,
        trailers,
        endless,
        tunnels,
        crowd,
        chunk,
        rows,
        rows_of_nothing,
        escapes,
        lists,
    )
}
OVER_LARGE = frozenset({"heads", "unchanged", "unread"})


def _attack(name: str, port: int, path: str, say: "multiprocessing.Queue[str]") -> None:
    try:
        say.put(ATTACKS[name](port, path))
    except (SystemExit, OSError, ValueError) as error:
        say.put(f"failed: {error}")


def measured(name: str, port: int, path: str, pid: int, log: Path) -> Cost:
    """Attack from another process, and be polite meanwhile."""
    time.sleep(SETTLE)
    say: multiprocessing.Queue[str] = multiprocessing.Queue()
    before, written = sum(meter.unshared(process) for process in meter.family(pid)), log.stat().st_size
    attacker = multiprocessing.Process(target=_attack, args=(name, port, path, say))
    attacker.start()
    waits, most, done = list[float](), 0.0, ""
    until = time.monotonic() + 60
    while time.monotonic() < until and not done:
        start = time.perf_counter()
        with suppress(OSError):  # whoever waits ten seconds gives up, and that counts as ten seconds
            load.ask(port, PAGE)
        waits.append(1000 * (time.perf_counter() - start))
        if len(waits) % 20 == 0 or done:
            most = max(most, sum(meter.unshared(process) for process in meter.family(pid)) - before)
        time.sleep(PAUSE)
        done = "" if say.empty() else say.get()
    attacker.join(5)
    attacker.kill()
    cuts = quantiles(waits, n=100) if len(waits) > FEW else [max(waits, default=0.0)] * 99
    return Cost(done or "did not end in a minute", cuts[49], cuts[98], most, log.stat().st_size - written)


def archive(folder: Path, megabytes: int) -> Path:
    """A content folder with a large table, and the same table for the peers."""
    content = folder / "content-folder"
    at = content / "datasets/large"
    at.mkdir(parents=True)
    row = "{},the quick brown fox jumps over the lazy dog and does not come back {}\n"
    text = "id,text\n" + "".join(row.format(number, number * 7919) for number in range(megabytes * 1_000_000 // 80))
    (at / "v1.csv").write_text(text)
    (at / "schema.json").write_text(SCHEMA)
    (at / "README.md").write_text(README)
    (content / "site.toml").write_text(SITE)
    return content


def main() -> None:
    """Each attack on each server."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=ATTACKS, nargs="+", default=list(ATTACKS))
    parser.add_argument("--megabytes", type=int, default=40)
    options = parser.parse_args()
    print(meter.load())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citepress-bench-")))
        small = OVER_LARGE.isdisjoint(options.only)
        content = archive(folder, 1 if small else options.megabytes)
        costs: dict[str, dict[str, Cost]] = {name: {} for name in options.only}
        for server, make in peers.SERVERS.items():
            own = folder / server
            own.mkdir()
            peers.files(own, (content / "datasets/large/v1.csv").read_bytes())
            port = load.free_port()
            command = peers.citepress(own, port, content) if server == "citepress" else make(own, port)
            path = CSV if server == "citepress" else f"/{peers.LARGE}"
            if not shutil.which(command[0]):
                print(f"{server} is left out: {command[0]} is not there")
                continue
            for name in options.only:
                with peers.running(command, port, own) as pid:
                    costs[name][server] = measured(name, port, path, pid, own / "log")
                    sys.stdout.flush()
        report(costs)


def report(attacks: dict[str, dict[str, Cost]]) -> None:
    """One table, the ratios to nginx beside ours."""
    for name, costs in attacks.items():
        print(f"\n{name}: {(ATTACKS[name].__doc__ or '').rstrip('.')}")
        for server, cost in costs.items():
            print(
                f"  {server:10} others p50 {cost.p50:7.1f} ms  p99 {cost.p99:7.1f} ms  memory {cost.grown:+8.1f} MB"
                f"  log {cost.log:9,} bytes  done: {cost.done}"
            )
        citepress_cost, nginx_cost = costs.get("citepress"), costs.get("nginx")
        if citepress_cost and nginx_cost:
            print(
                f"  ratio to nginx: p99 {citepress_cost.p99 / max(nginx_cost.p99, 0.1):.1f}, memory"
                f" {max(citepress_cost.grown, 0.1) / max(nginx_cost.grown, 0.1):.1f}"
            )


if __name__ == "__main__":
    main()
