"""Figures of an example log: each report says what they are, and no request of the service is added to them."""

import subprocess
import sys
from pathlib import Path

from citepress.cli import run
from support.folder import SITE, folder, post
from support.running_server import serving
from support.tree import ROOT
from support.waiting import until

LOG, MOVED = ROOT / "examples" / "example-traffic.log.gz", ROOT / "examples" / "recent_log.py"
SAID = "Example traffic: every figure comes from a made-up access log that ships with this archive"
REPORTS = (
    "/machine-consumption.json",
    "/crawler-journeys.json",
    "/bot-traffic-latest.json",
    "/bot-traffic-history.json",
)


def test_reports_say_that_their_figures_are_an_example_and_requests_are_not_counted(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", {"content/posts/otters.md": post()}, f"{SITE}[telemetry]\nexample = true\n")
    log = tmp_path / "example.log"
    log.write_bytes(subprocess.run([sys.executable, MOVED, LOG], capture_output=True, check=True).stdout)
    assert run(["telemetry", "import", str(log), "--content", str(root)]) == 0
    with serving(root, root / "state") as server:
        until(lambda: SAID in server.ask("/machine-consumption/").text)
        page = server.ask("/machine-consumption/").text
        assert page.index(SAID) < page.index('id="figures"')
        requests = server.ask("/machine-consumption.json").json()["totals"]["requests"]
        assert 2_000 < requests < len(log.read_text().splitlines()), "those of thirty days"
        for path in REPORTS:
            assert server.ask(path).json()["caveats"][0]["code"] == "example_traffic", path
    assert run(["telemetry", "publish", "--content", str(root)]) == 0
    with serving(root, root / "state") as server:
        until(lambda: SAID in server.ask("/machine-consumption/").text)
        assert server.ask("/machine-consumption.json").json()["totals"]["requests"] == requests
