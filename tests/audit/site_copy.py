"""A server of the demo archive for the judges, and a copy of what it publishes, found through its own documents."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolbox import HERE, ROOT

HOST = "127.0.0.1"
ARCHIVE = ROOT / "examples" / "agent-archive"
START_SECONDS = 300
LIMITS = {"CITEPRESS_REST_LIMIT": "1000000", "CITEPRESS_MCP_LIMIT": "1000000"}
"""The judges ask faster than a client may."""
MISSING = "/no-such-page/"
"""A page that is not there: its recovery document is a page that people see."""
REPORTS = "/machine-consumption.json"
LOCATION = re.compile(r"<loc>\s*(.*?)\s*</loc>")
ASSET = re.compile(rb'<link rel="(?:icon|stylesheet)"[^>]* href="(/[^"]+)"')
TWIN_OR_NEXT = re.compile(rb'<link rel="(?:alternate" type="text/markdown|next)" href="([^"]+)"')
MARKDOWN_LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")


@dataclass(slots=True)
class Copy:
    """What a server publishes, saved under ``folder``. Paths are URLs without the address."""

    base: str
    folder: Path
    families: dict[str, str] = field(default_factory=dict)
    """One page for each route family: its path by the family's template."""
    html: dict[str, Path] = field(default_factory=dict)
    markdown: dict[str, Path] = field(default_factory=dict)
    theme: dict[str, Path] = field(default_factory=dict)
    """Stylesheets and pictures that the pages name."""
    feeds: dict[str, Path] = field(default_factory=dict)
    sitemaps: dict[str, Path] = field(default_factory=dict)
    openapi: dict[str, Path] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    """Every internal URL that a sitemap, a Markdown twin or llms.txt names."""

    def get(self, path: str) -> tuple[str, bytes]:
        """Media type and body of a path. Raises ``HTTPError``."""
        try:
            answer = urllib.request.urlopen(self.base + path, timeout=30)
        except urllib.error.HTTPError as error:
            if path != MISSING:
                raise
            answer = error
        with answer:
            return answer.headers.get_content_type(), answer.read()

    def save(self, family: str, path: str, body: bytes, ending: str) -> Path:
        """Write a body under a name made of its path."""
        name = re.sub(r"[^A-Za-z0-9.]+", "_", path).strip("_") or "home"
        target = self.folder / family / (name if name.endswith(ending) else name + ending)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
        return target


@contextlib.contextmanager
def serving(*, counted: bool = False) -> Iterator[str]:
    """The demo archive on a free port of this machine, ended at the end.

    ``counted`` with two days of made-up traffic in its reports.
    """
    port = free_port()
    base = f"http://{HOST}:{port}"
    with tempfile.TemporaryDirectory(prefix="citepress-audit-") as state:
        if counted:
            subprocess.run(
                [ROOT / ".venv/bin/python", HERE / "seed.py", ARCHIVE, state, HOST, str(port)],
                env={**os.environ, **LIMITS},
                check=True,
            )
        command = [
            ROOT / ".venv/bin/citepress",
            "serve",
            ARCHIVE,
            "--host",
            HOST,
            "--port",
            str(port),
            "--state",
            state,
        ]
        with subprocess.Popen(command, env={**os.environ, **LIMITS}, stdout=subprocess.DEVNULL) as process:
            try:
                _await(base, process)
                if counted:
                    _await_counts(base)
                yield base
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(20)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _await(base: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(START_SECONDS * 4):
        if process.poll() is not None:
            raise SystemExit("the server did not start; its own words are above")
        with contextlib.suppress(OSError), urllib.request.urlopen(base + "/robots.txt", timeout=5):
            return
        time.sleep(0.25)
    raise SystemExit(f"the server did not answer within {START_SECONDS} s")


def _await_counts(base: str) -> None:
    """Wait until the first reports are rendered."""
    for _ in range(START_SECONDS * 4):
        with urllib.request.urlopen(base + REPORTS, timeout=30) as answer:
            if json.load(answer)["as_of"]:
                return
        time.sleep(0.25)
    raise SystemExit(f"the server rendered no reports within {START_SECONDS} s")


def copied(base: str, folder: Path) -> Copy:
    """Save the pages, twins, feeds, sitemaps and descriptions of a server."""
    shutil.rmtree(folder, ignore_errors=True)
    site = Copy(base, folder)
    published = _sitemaps(site)
    for name in ("/openapi.json", "/openapi-route-catalog.json"):
        site.openapi[name] = site.save("openapi", name, site.get(name)[1], ".json")
    catalog = json.loads(site.openapi["/openapi-route-catalog.json"].read_bytes())
    _pages(site, catalog["paths"], published)
    _feeds(site)
    _links(site, published)
    return site


def _sitemaps(site: Copy) -> list[str]:
    """Save the sitemap and its shards; the paths they name."""
    waiting, paths = ["/sitemap.xml"], []
    while waiting:
        path = waiting.pop()
        body = site.get(path)[1]
        site.sitemaps[path] = site.save("sitemaps", path, body, ".xml")
        urls_of_map = [url.removeprefix(site.base) for url in LOCATION.findall(body.decode())]
        (waiting if b"<sitemapindex" in body else paths).extend(urls_of_map)
    return paths


def _pages(site: Copy, paths: Mapping[str, Any], published: list[str]) -> None:
    """Save every HTML page and Markdown twin, and remember one page for each route family."""
    for template, item in sorted({**paths, MISSING: paths["/"]}.items()):
        types = item.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        wanted = next((media_type for media_type in ("text/html", "text/markdown") if media_type in types), None)
        if wanted is None:
            continue
        shape = re.compile(re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(template)))
        members = [path for path in published if shape.fullmatch(path)] if "{" in template else [template]
        if "text/html" in types and members:
            site.families[template] = members[0]
        for path in members:
            _page(site, path)


def _page(site: Copy, path: str) -> None:
    with contextlib.suppress(urllib.error.HTTPError):
        media, body = site.get(path)
        if media == "text/html":
            site.html[path] = site.save("html", path, body, ".html")
            for asset in set(map(bytes.decode, ASSET.findall(body))) - set(site.theme):
                site.theme[asset] = site.save("theme", asset, site.get(asset)[1], Path(asset).suffix)
            for other in TWIN_OR_NEXT.findall(body):
                _page(site, other.decode().removeprefix(site.base))
        elif media == "text/markdown" and path not in site.markdown:
            site.markdown[path] = site.save("markdown", path, body, ".md")


def _feeds(site: Copy) -> None:
    """Save the feeds that the saved pages announce."""
    shape = re.compile(rb'<link rel="alternate" type="application/(?:rss\+xml|atom\+xml|feed\+json)" href="([^"]+)"')
    named = {
        url.decode().removeprefix(site.base) for page in site.html.values() for url in shape.findall(page.read_bytes())
    }
    for path in sorted(named):
        site.feeds[path] = site.save("feeds", path, site.get(path)[1], Path(path).suffix)


def _links(site: Copy, published: list[str]) -> None:
    texts = [path.read_text("utf-8") for path in site.markdown.values()]
    texts += [site.get(name)[1].decode() for name in ("/llms.txt", "/llms-full.txt")]
    named = {
        url.partition("#")[0] for text in texts for url in MARKDOWN_LINK.findall(text) if url.startswith(site.base)
    }
    site.links = sorted(
        named | {site.base + path for path in published} | {site.base + path for path in site.html if path != MISSING}
    )
