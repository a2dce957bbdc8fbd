"""The servers that are compared under attack.

``citepress serve`` on the demo archive, nginx, and a small application on granian and uvicorn.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import load
import meter

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "examples/agent-archive"
BIN = Path(sys.executable).parent
LARGE = "v1.csv"
ROBOTS = "User-agent: *\n"
Command = list[str | Path]
NGINX = """
{user}worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/log; worker_rlimit_nofile 20000;
events {{ worker_connections 19000; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  client_body_temp_path {folder}/body; client_max_body_size 256k;
  proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  types {{ text/html html; text/plain txt; text/csv csv; application/json json; }}
  server {{
    listen 127.0.0.1:{port} backlog=1024; root {folder}/files;
    location / {{ try_files $uri @any; }}
    location @any {{ return 200 "$request_uri\\n"; }}
  }}
}}
"""
APPLICATION = """
from pathlib import Path

FILES = {str(path): path.read_bytes() for path in Path(__file__).parent.joinpath("files").iterdir()}
BY_PATH = {"/" + name.rpartition("/")[2]: data for name, data in FILES.items()}


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    more = scope["method"] == "POST"
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        more = message.get("more_body", False)
    body = BY_PATH.get(scope["path"]) or scope["path"].encode() + b"\\n"
    head = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
"""


def files(folder: Path, large: bytes = b"") -> None:
    """What the peers send: a robots.txt, and a large file where one is needed."""
    into = folder / "files"
    into.mkdir(exist_ok=True)
    (into / "robots.txt").write_text(ROBOTS)
    if large:
        (into / LARGE).write_bytes(large)


def citepress(folder: Path, port: int, content: Path = DEMO) -> Command:
    """The command as an operator runs it."""
    return [BIN / "citepress", "serve", content, "--workers", "1", "--port", str(port), "--state", folder / "state"]


def nginx(folder: Path, port: int) -> Command:
    """Nginx with one worker, as Debian configures it but for descriptors."""
    if not (folder / "files").exists():
        files(folder)
    user = "user root; " if os.geteuid() == 0 else ""
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(user=user, folder=folder, port=port))
    return [shutil.which("nginx") or "nginx", "-p", folder, "-c", configuration, "-e", folder / "log"]


def granian(folder: Path, port: int) -> Command:
    """An application on granian."""
    _application(folder)
    return [
        BIN / "granian",
        "--interface",
        "asgi",
        "--host",
        load.HOST,
        "--port",
        str(port),
        "--no-ws",
        "--log-level",
        "warning",
        "peer:app",
    ]


def uvicorn(folder: Path, port: int) -> Command:
    """The same on uvicorn, of httptools and uvloop."""
    _application(folder)
    return [
        BIN / "uvicorn",
        "--host",
        load.HOST,
        "--port",
        str(port),
        "--http",
        "httptools",
        "--loop",
        "uvloop",
        "--log-level",
        "warning",
        "peer:app",
    ]


def _application(folder: Path) -> None:
    if not (folder / "files").exists():
        files(folder)
    (folder / "peer.py").write_text(APPLICATION)


SERVERS: Mapping[str, Callable[[Path, int], Command]] = {
    "citepress": citepress,
    "nginx": nginx,
    "granian": granian,
    "uvicorn": uvicorn,
}


@contextmanager
def running(command: Command, port: int, folder: Path) -> Iterator[int]:
    """A server while the block runs, without limits on requests, its log in ``folder / "log"``: its process id."""
    environ = {
        **os.environ,
        "CITEPRESS_REST_LIMIT": "1000000",
        "CITEPRESS_MCP_LIMIT": "1000000",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH")))),
    }
    with ExitStack() as stack:
        log = stack.enter_context((folder / "log").open("ab"))
        words = [str(part) for part in command]
        process = stack.enter_context(
            subprocess.Popen(words, cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=log)
        )
        try:
            meter.until(lambda: process.poll() is not None or load.answers(port), 180, words[0])
            yield process.pid
        finally:
            process.terminate()
