"""What a GET of a JSON record costs: ``python bench/serve.py [--requests N] [--rounds N] [--coding br|gzip|zstd|identity]``.

``citepress serve`` on the demo archive, with and without its own statistics, beside nginx, which sends the same bytes with the same header fields from a file, and beside
handlers of Starlette and FastAPI that return them, on granian with uvloop where that is installed: processor time of each server's process tree a request, from /proc. One worker each,
eight keep-alive connections, rounds interleaved. Needs nginx on the PATH, and Starlette, FastAPI and granian in ``.bench/venv``; a peer that is
missing is left out.
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

import load
import meter

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "examples/agent-archive"
PEERS = ROOT / ".bench/venv/bin"
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
    with subprocess.Popen([str(part) for part in command], cwd=folder, env={**os.environ, **environ}, stdout=subprocess.DEVNULL) as process:
        try:
            meter.until(lambda: process.poll() is not None or load.answers(port), 60, str(command[0]))
            yield process.pid
        finally:
            process.terminate()


def citepress(folder: Path, port: int) -> list[str | Path]:
    """The command as an operator runs it."""
    return [Path(sys.executable).with_name("citepress"), "serve", DEMO, "--port", str(port), "--state", folder / "state"]


def uncounted(folder: Path, port: int) -> list[str | Path]:
    """The same with statistics switched off, as nginx writes no log either."""
    quiet = shutil.copytree(DEMO, folder / "quiet")
    with (quiet / "site.toml").open("a") as told:
        told.write("\n[telemetry]\nenabled = false\n")
    return [Path(sys.executable).with_name("citepress"), "serve", quiet, "--port", str(port), "--state", folder / "quiet-state"]


def nginx(folder: Path, port: int, path: str, answer: load.Answer) -> list[str | Path]:
    """Nginx over one file."""
    file = folder / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(answer.body)
    fields = "\n".join(f"    add_header {name} {_quoted(value)};" for name, value in _fields(answer).items() if name != "content-type")
    told = folder / "nginx.conf"
    user = "user root; " if os.geteuid() == 0 else ""
    told.write_text(NGINX.format(user=user, folder=folder, port=port, type=answer.fields["content-type"], fields=fields))
    return [shutil.which("nginx") or "nginx", "-p", folder, "-c", told, "-e", "stderr"]


def _quoted(value: str) -> str:
    """A word of nginx's configuration."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def framework(name: str, folder: Path, port: int, answer: load.Answer) -> list[str | Path]:
    """A handler on granian."""
    if name == "starlette":
        imported = "applications import Starlette\nfrom starlette.responses import Response\nfrom starlette.routing import Route"
        text = HANDLERS.replace("{framework} import {names}", f"starlette.{imported}").replace("{app}", STARLETTE)
    else:
        text = HANDLERS.replace("{framework} import {names}", "fastapi import FastAPI, Response").replace("{app}", FASTAPI)
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


def same(answer: load.Answer, other: load.Answer) -> str:
    """What differs between two answers; nothing where a client could not tell them apart."""
    if (answer.status, answer.body) != (other.status, other.body):
        return "status or body"
    ours, theirs = ({name: value for name, value in one.fields.items() if name not in OWN} for one in (answer, other))
    names = {name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)}
    return ", ".join(sorted(name for name in names if not name.startswith("ratelimit")))


def measured(servers: dict[str, tuple[int, int]], asked: bytes, count: int, rounds: int) -> dict[str, list[float]]:
    """Microseconds a request of each server in each round."""
    found: dict[str, list[float]] = {name: [] for name in servers}
    for number in range(rounds + 1):
        for name, (pid, port) in servers.items():
            before = meter.cpu(pid)
            done, _ = load.drive(port, [asked], count)
            if number:  # the first round warms up
                found[name].append(1e6 * (meter.cpu(pid) - before) / done)
    return found


def main() -> None:
    """Start all, check that they answer alike, measure, and tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--coding", default="identity")
    told = parser.parse_args()
    path = f"/posts/{min(file.stem for file in (DEMO / 'content/posts').glob('*.md'))}.json"
    asked = load.request(path, User_Agent="bench/1", Accept="application/json", Accept_Encoding=told.coding)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citepress-bench-")))
        port = load.free_port()
        pid = stack.enter_context(running(citepress(folder, port), port, folder, CITEPRESS_REST_LIMIT="1000000"))
        servers = {"citepress": (pid, port)}
        answer = load.ask(port, asked)
        port = load.free_port()
        without = stack.enter_context(running(uncounted(folder, port), port, folder, CITEPRESS_REST_LIMIT="1000000"))
        servers["uncounted"] = (without, port)
        makers: dict[str, Callable[[int], list[str | Path]]] = {"nginx": lambda port: nginx(folder, port, path, answer)}
        makers |= {name: lambda port, name=name: framework(name, folder, port, answer) for name in ("starlette", "fastapi")}
        for name, make in makers.items():
            port = load.free_port()
            command = make(port)
            if not shutil.which(command[0]):
                print(f"{name} is left out: {command[0]} is not there (bench/README.md tells how to get it)")
                continue
            servers[name] = (stack.enter_context(running(command, port, folder)), port)
            if difference := same(answer, load.ask(port, asked)):
                raise SystemExit(f"{name} answers differently: {difference}")
        print(f"{meter.load()}; {path}, {len(answer.body):,} bytes as {told.coding}, {len(answer.fields)} header fields")
        report(measured(servers, asked, told.requests, told.rounds))


def report(found: dict[str, list[float]]) -> None:
    """One line a server."""
    base = found.get("nginx")
    print("               min     median   µs of the processor a GET")
    for name, costs in found.items():
        ratio = f"   {min(costs) / min(base):5.2f} {median(costs) / median(base):5.2f} x nginx" if base else ""
        print(f"{name:12} {min(costs):6.1f}   {median(costs):8.1f}{ratio}")


if __name__ == "__main__":
    main()
