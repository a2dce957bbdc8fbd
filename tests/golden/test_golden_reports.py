"""Reports of nine made-up days, and the page of them, as they were last agreed."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from citepress.edition.forms import html, markdown
from citepress_telemetry.reports.all_reports import reports
from support.archive import archive_of, desk_of
from support.rollups import END, busy, gathered, setting

EXPECTED = Path(__file__).parent / "reports"
NAMES = (
    "machine-consumption.json",
    "crawler-journeys.json",
    "bot-traffic-latest.json",
    "bot-traffic-history.json",
    "page-readership/posts/one.json",
    "machine-consumption.md",
    "machine-consumption.html",
)
DAYS = 9


@cache
def _rendered() -> dict[str, str]:
    published = reports(setting(), gathered({at: busy(at) for at in range(END - DAYS * 24, END)}))
    written = {
        path.strip("/"): json.dumps(json.loads(body), indent=1) + "\n"
        for path, body in (*published.documents.items(), *published.readership)
    }
    desk = desk_of(archive_of())
    page = html.write(published.page, desk).decode()
    text = markdown.write(published.page, desk).decode()
    return {
        **written,
        "machine-consumption.md": text,
        "machine-consumption.html": re.sub(r"/theme/([a-z-]+)-[0-9a-f]+\.", r"/theme/\1.", page),
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_as_agreed(name: str, pytestconfig: pytest.Config) -> None:
    file = EXPECTED / name
    if pytestconfig.getoption("--update"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_rendered()[name], "utf-8")
    assert file.is_file(), f"no golden yet: {name}; see docs/contributing.md"
    assert _rendered()[name] == file.read_text("utf-8")
