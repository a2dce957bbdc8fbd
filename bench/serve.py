"""What a GET of a JSON record costs.

    python bench/serve.py [--requests N] [--rounds N] [--coding br|gzip|zstd|identity]

The peers are ``citepress serve`` on the demo archive, with and without statistics; the same application
(``citepress.asgi``, without statistics) on uvicorn and on granian, both on uvloop; nginx, which sends the same bytes
with the same header fields from a file; and handlers of Starlette and FastAPI on granian that return them.

The figure is the processor time of each server's process tree a request, from /proc: one worker each, eight keep-alive
connections, rounds interleaved. Before and after the rounds every peer is asked whether it sends the same bytes. It
needs nginx on the PATH, and citepress, uvicorn, httptools, uvloop, granian, Starlette and FastAPI in ``.bench/venv``; a
peer that is missing is left out.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import figures
import load
import meter

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "examples/agent-archive"
BUILT_APART = {"last-modified"}
"""Fields that differ between two builds of the same content, because each has its own build time."""
OPEN = {"CITEPRESS_BASE_URL": "http://127.0.0.1:8000", "CITEPRESS_REST_LIMIT": "1000000"}
"""One address for all, so that their bytes are the same, and no limit."""
PEERS = ROOT / ".bench/venv/bin"
BUILDERS = {"uncounted", "uvicorn", "granian"}
"""Servers that build their own edition."""
OWN = {"connection", "date", "server", "accept-ranges", "keep-alive"}
"""Fields that every server writes as it likes."""
NGINX = """
{user}worker_processes 1; daemon off; pid {folder}/pid; error_log stderr;
events {{ worker_connections 64; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; etag off; max_ranges 0;
  open_file_cache max=16 inactive=1h; open_file_cache_valid 1h;
  types {{ }} default_type "{type}";
  server {{
    listen 127.0.0.1:{port}; root {folder};
{fields}
  }}
}}
"""
HANDLERS = """
from pathlib import Path
from {framework} import {names}
BODY = Path(__file__).with_name("body").read_bytes()
FIELDS = {fields!r}
{app}
"""
STARLETTE = """
async def record(request):
    return Response(BODY, headers=FIELDS)
app = Starlette(routes=[Route("/posts/{slug}.json", record)])
"""
FASTAPI = """
app = FastAPI()
@app.get("/posts/{slug}.json")
async def record(slug: str) -> Response:
    return Response(BODY, headers=FIELDS)
"""


@contextmanager
def running(command: list[str | Path], port: int, folder: Path, **environ: str) -> Iterator[int]:
    """A server while the block runs: its process id."""
    with subprocess.Popen(
        [str(part) for part in command], cwd=folder, env={**os.environ, **environ}, stdout=subprocess.DEVNULL
    ) as process:
        try:
            meter.until(lambda: process.poll() is not None or load.answers(port), 60, str(command[0]))
            yield process.pid
        finally:
            process.terminate()


def serve(archive: Path, state: Path, port: int) -> list[str | Path]:
    """The command as an operator runs it."""
    command = Path(sys.executable).with_name("citepress")
    return [command, "serve", "--workers", "1", archive, "--port", str(port), "--state", state]


def copied_demo(folder: Path, *, statistics: bool) -> Path:
    """The demo archive where no history of Git numbers its revisions, so that a checkout and an export are alike.

    Statistics are switched off for most servers, as nginx writes no log either.
    """
    archive = folder / ("counted" if statistics else "quiet")
    if not archive.exists():
        shutil.copytree(DEMO, archive, ignore=shutil.ignore_patterns("state"))
        site = archive / "site.toml"
        counting = f"enabled = {'true' if statistics else 'false'}"
        site.write_text(site.read_text("utf-8").replace("example = true", counting), "utf-8")
    return archive


def on_uvicorn(port: int) -> list[str | Path]:
    """The same application on uvicorn, on its fast path."""
    options = ["--host", load.HOST, "--port", str(port), "--http", "httptools", "--loop", "uvloop", "--ws", "none"]
    quiet = ["--log-level", "warning", "--no-access-log", "--no-server-header", "--no-date-header"]
    return [PEERS / "uvicorn", "citepress.asgi:application", *options, *quiet]


def on_granian(port: int) -> list[str | Path]:
    """The same application on granian."""
    options = ["--interface", "asgi", "--host", load.HOST, "--port", str(port), "--no-ws", "--loop", "uvloop"]
    return [PEERS / "granian", *options, "--log-level", "warning", "citepress.asgi:application"]


def nginx(folder: Path, port: int, path: str, answer: load.Answer) -> list[str | Path]:
    """Nginx over one file."""
    file = folder / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(answer.body)
    fields = "\n".join(
        f"    add_header {name} {_quoted(value)};" for name, value in _fields(answer).items() if name != "content-type"
    )
    config = folder / "nginx.conf"
    user = "user root; " if os.geteuid() == 0 else ""
    config.write_text(
        NGINX.format(user=user, folder=folder, port=port, type=answer.fields["content-type"], fields=fields)
    )
    return [shutil.which("nginx") or "nginx", "-p", folder, "-c", config, "-e", "stderr"]


def _quoted(value: str) -> str:
    """A word of nginx's configuration."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def framework(name: str, folder: Path, port: int, answer: load.Answer) -> list[str | Path]:
    """A handler on granian."""
    if name == "starlette":
        imported = (
            "applications import Starlette\nfrom starlette.responses import Response\nfrom starlette.routing import"
            " Route"
        )
        text = HANDLERS.replace("{framework} import {names}", f"starlette.{imported}").replace("{app}", STARLETTE)
    else:
        text = HANDLERS.replace("{framework} import {names}", "fastapi import FastAPI, Response").replace(
            "{app}", FASTAPI
        )
    (folder / "body").write_bytes(answer.body)
    (folder / f"{name}_app.py").write_text(text.replace("{fields!r}", repr(_fields(answer))))
    return [
        PEERS / "granian",
        "--interface",
        "asgi",
        "--host",
        load.HOST,
        "--port",
        str(port),
        "--no-ws",
        "--log-level",
        "warning",
        f"{name}_app:app",
    ]


def _fields(answer: load.Answer) -> dict[str, str]:
    """The header fields that a peer is told to send; ``Last-Modified`` as one of them."""
    return {name: value for name, value in answer.fields.items() if name not in OWN and name != "content-length"}


def same(answer: load.Answer, other: load.Answer, *, built_apart: bool = False) -> str:
    """What differs between two answers; nothing where a client could not tell them apart."""
    ignored = OWN | BUILT_APART if built_apart else OWN
    if (answer.status, answer.body) != (other.status, other.body):
        return "status or body"
    own_fields, other_fields = (
        {name: value for name, value in response.fields.items() if name not in ignored} for response in (answer, other)
    )
    names = {name for name in {*own_fields, *other_fields} if own_fields.get(name) != other_fields.get(name)}
    return ", ".join(sorted(name for name in names if not name.startswith("ratelimit")))


def check_same(name: str, answer: load.Answer, other: load.Answer) -> None:
    """Stop where a peer did not do the same work."""
    if difference := same(answer, other, built_apart=name in BUILDERS):
        raise SystemExit(f"{name} answers differently: {difference}")


def measured(servers: dict[str, tuple[int, int]], request: bytes, count: int, rounds: int) -> dict[str, list[float]]:
    """Microseconds a request of each server in each round."""
    costs: dict[str, list[float]] = {name: [] for name in servers}
    for number in range(rounds + 1):
        for name, (pid, port) in servers.items():
            before = meter.cpu(pid)
            done, _ = load.drive(port, [request], count)
            if number:  # the first round warms up
                costs[name].append(1e6 * (meter.cpu(pid) - before) / done)
    return costs


def main() -> None:
    """Start all, check that they answer alike, measure, and tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--coding", default="identity")
    options = parser.parse_args()
    path = f"/posts/{min(file.stem for file in (DEMO / 'content/posts').glob('*.md'))}.json"
    request = load.request(path, User_Agent="bench/1", Accept="application/json", Accept_Encoding=options.coding)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citepress-bench-")))
        port = load.free_port()
        own = serve(copied_demo(folder, statistics=True), folder / "state", port)
        servers = {"citepress": (stack.enter_context(running(own, port, folder, **OPEN)), port)}
        answer = load.ask(port, request)
        quiet = copied_demo(folder, statistics=False)
        makers: dict[str, Callable[[int], list[str | Path]]] = {
            "uncounted": lambda port: serve(quiet, folder / "quiet-state", port),
            "uvicorn": on_uvicorn,
            "granian": on_granian,
            "nginx": lambda port: nginx(folder, port, path, answer),
        }
        makers |= {
            name: lambda port, name=name: framework(name, folder, port, answer) for name in ("starlette", "fastapi")
        }
        for name, make in makers.items():
            port = load.free_port()
            command = make(port)
            if not shutil.which(command[0]):
                print(f"{name} is left out: {command[0]} is not there (bench/README.md tells how to get it)")
                continue
            environ = {
                **OPEN,
                "CITEPRESS_CONTENT": str(quiet),
                "CITEPRESS_STATE": str(folder / f"{name}-state"),
            }
            servers[name] = (stack.enter_context(running(command, port, folder, **environ)), port)
            check_same(name, answer, load.ask(port, request))
        print(
            f"{meter.load()}; {path}, {len(answer.body):,} bytes as {options.coding},"
            f" {len(answer.fields)} header fields"
        )
        costs = measured(servers, request, options.requests, options.rounds)
        for name, (_, port) in servers.items():
            check_same(name, answer, load.ask(port, request))
        report(costs)


def report(costs: dict[str, list[float]]) -> None:
    """One line a server; the ratios of the cheapest rounds are recorded."""
    for own, peer in (
        ("citepress", "nginx"),
        ("uncounted", "uvicorn"),
        ("uncounted", "granian"),
        ("citepress", "fastapi"),
    ):
        if peer in costs:
            figures.record(f"get_over_{peer}", min(costs[own]) / min(costs[peer]))
    base = costs.get("nginx")
    print("               min     median   µs of the processor a GET")
    for name, times in costs.items():
        ratio = f"   {min(times) / min(base):5.2f} {median(times) / median(base):5.2f} x nginx" if base else ""
        print(f"{name:12} {min(times):6.1f}   {median(times):8.1f}{ratio}")


if __name__ == "__main__":
    main()
