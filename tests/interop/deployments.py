"""Proxies, caches and a service manager that run the files which ``citepress deploy-config`` prints."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

from judges import Verdict, verdict
from workshop import HOST, ROOT, Workshop

DEMO = ROOT / "examples" / "agent-archive"
FORMS = {"text/html": "text/html", "text/markdown": "text/markdown", "application/json": "application/json"}
Command = list[str | Path]


class Visitor:
    """Asks through a proxy, over a connection for each request."""

    def __init__(self, port: int) -> None:
        self.port = port

    def get(self, path: str, **fields: str) -> tuple[int, dict[str, str], bytes]:
        link = HTTPConnection(HOST, self.port, timeout=60)
        try:
            link.request("GET", path, headers={name.replace("_", "-"): value for name, value in fields.items()})
            answer = link.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            link.close()


def negotiates(visitor: Visitor, page: str) -> str:
    """What is wrong with the forms of a page, each asked for twice and in turns; empty if nothing is."""
    for _ in range(2):
        for accept, type_ in FORMS.items():
            status, fields, _ = visitor.get(page, accept=accept)
            if status != 200 or not fields["content-type"].startswith(type_):
                return f"{accept} got {status} {fields.get('content-type')}"
            if "accept" not in fields.get("vary", "").lower():
                return "Vary lacks Accept"
    return ""


def revalidates(visitor: Visitor, page: str) -> str:
    """What is wrong with conditional requests, for each coding."""
    for coding in ("identity", "gzip", "br"):
        _, fields, _ = visitor.get(page, accept_encoding=coding)
        if fields.get("content-encoding", "identity") != coding:
            return f"{coding} got {fields.get('content-encoding')}"
        status, _, body = visitor.get(page, accept_encoding=coding, if_none_match=fields["etag"])
        if (status, body) != (304, b""):
            return f"If-None-Match got {status} for {coding}"
    return ""


def counts_the_visitor(visitor: Visitor, _page: str) -> str:
    """Whether forged addresses are ignored: every request counts for the address that the proxy saw."""
    left = []
    for number in range(3):
        forged = f"203.0.113.{number + 1}"
        _, fields, _ = visitor.get(f"/nothing-{number}.json", x_forwarded_for=forged, forwarded=f"for={forged}")
        left.append(int(fields["ratelimit-remaining"]))
    return "" if left == [left[0], left[0] - 1, left[0] - 2] else f"remaining {left}"


def caches(visitor: Visitor, page: str) -> str:
    """Whether a page comes from the cache the second time, and a negotiated form never does."""
    for _ in range(2):
        _, fields, _ = visitor.get(page, accept="text/html")
    if fields.get("x-cache") != "HIT":
        return f"the second answer is a {fields.get('x-cache')}"
    for _ in range(2):
        _, fields, _ = visitor.get(page, accept="text/markdown")
    return "a private form came from the cache" if fields.get("x-cache") == "HIT" else ""


SUITE: dict[str, Callable[[Visitor, str], str]] = {
    "negotiation": negotiates,
    "conditions": revalidates,
    "addresses": counts_the_visitor,
}


def deployments(tools: Workshop) -> Iterator[Verdict]:
    """Each program that is installed, with the file for it."""
    del tools
    with tempfile.TemporaryDirectory(prefix="citepress-deploy-") as name:
        scratch = Path(name)
        scratch.chmod(0o755)  # Varnish reads its files as another user
        for target, needed, started in (
            ("nginx", "nginx", _nginx),
            ("caddy", "caddy", _caddy),
            ("varnish", "varnishd", _varnish),
        ):
            if not shutil.which(needed):
                yield Verdict(f"deploy {target}", "skipped", f"{needed} is not installed")
                continue
            yield from _through(target, started, scratch / target)
        yield _systemd(scratch)


def _through(target: str, started: Callable[[str, Path, int], Command], folder: Path) -> Iterator[Verdict]:
    folder.mkdir()
    front, back = _free_port(), _free_port()
    environ = {
        **os.environ,
        "CITEPRESS_BASE_URL": f"http://{HOST}:{front}",
        "CITEPRESS_TRUSTED_PROXIES": HOST,
        "CITEPRESS_STATE": str(folder / "state"),
    }
    text = _printed(target, back, environ)
    serve: Command = [sys.executable, "-m", "citepress", "serve", DEMO, "--port", str(back), "--workers", "1"]
    with _running(serve, back, environ), _running(started(text, folder, front), front, dict(os.environ)):
        visitor = Visitor(front)
        page = f"/posts/{min(DEMO.glob('content/posts/*.md')).stem}/"
        suite = SUITE if target == "caddy" else {**SUITE, "cache": caches}
        for name, judge in suite.items():
            wrong = judge(visitor, page)
            yield verdict(f"deploy {target} {name}", not wrong, wrong or "as the contract says")


def _printed(target: str, port: int, environ: dict[str, str]) -> str:
    command = [sys.executable, "-m", "citepress", "deploy-config", target, DEMO, "--port", str(port)]
    return subprocess.run(
        [str(part) for part in command], env=environ, capture_output=True, text=True, check=True
    ).stdout


def _nginx(text: str, folder: Path, _port: int) -> Command:
    (folder / "site.conf").write_text(text.replace("/var/cache/nginx", str(folder)))
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; {'user root;' if os.getuid() == 0 else ''}\n"
        f"events {{}}\nhttp {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n"
        f"fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n"
        f"include {folder}/site.conf; }}\n"
    )
    return ["nginx", "-p", folder, "-c", folder / "nginx.conf"]


def _caddy(text: str, folder: Path, _port: int) -> Command:
    (folder / "Caddyfile").write_text("{\n\tadmin off\n}\n" + text)
    return ["caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]


def _varnish(text: str, folder: Path, port: int) -> Command:
    (folder / "default.vcl").write_text(text)
    place = ["-n", folder / "work", "-a", f"{HOST}:{port}", "-s", "malloc,64m", "-p", "http_gzip_support=off"]
    return ["varnishd", "-F", "-f", folder / "default.vcl", *place]


def _systemd(scratch: Path) -> Verdict:
    name = "deploy systemd"
    if not shutil.which("systemd-analyze"):
        return Verdict(name, "skipped", "systemd-analyze is not installed")
    state = scratch / "systemd-state"
    unit = scratch / "citepress.service"
    text = _printed("systemd", 8000, {**os.environ, "CITEPRESS_STATE": str(state)})
    unit.write_text(text.replace("User=citepress", "User=daemon"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    words = " ".join(line for line in done.stderr.splitlines() if "citepress" in line)
    return verdict(name, done.returncode == 0 and not words, words or "no complaint of systemd-analyze verify")


@contextmanager
def _running(command: Command, port: int, environ: dict[str, str]) -> Iterator[None]:
    with subprocess.Popen(
        [str(part) for part in command], env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            _await(port, process)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection((HOST, port), 1):
            return
        time.sleep(0.2)
    raise RuntimeError(f"{process.args!r} does not listen at port {port}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
