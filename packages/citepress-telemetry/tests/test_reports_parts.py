"""What is shown apart inside a class, and small figures that reports agree on."""

from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from citepress.contract.page import Chart
from citepress_telemetry.cli.tables import csv_bytes, report_lines, report_tables
from citepress_telemetry.model import Hour
from citepress_telemetry.ports import FamilyRow
from citepress_telemetry.reports.all_reports import reports
from citepress_telemetry.reports.data import DAY_HOURS
from support import rollups
from support.rollups import END, add, gathered, setting

GPTBOT, PERSON, CURL, BROWSER, MONITOR, READER, SCANNER = 1, 2, 5, 6, 8, 9, 10
ROWS = (
    FamilyRow(MONITOR, "UptimeRobot", "", "monitoring", "crawler", "direct", "", named=True),
    FamilyRow(READER, "Feedly", "Feedly", "feed", "crawler", "direct", "", named=True),
    FamilyRow(SCANNER, "Nikto", "", "security", "scanner_noise", "direct", "", named=True),
)


@pytest.fixture(autouse=True)
def further_families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollups, "FAMILIES", (*rollups.FAMILIES, *ROWS))
    monkeypatch.setattr(rollups, "CLASS_OF", {**rollups.CLASS_OF, **{row.id: row.cls for row in ROWS}})


def documents_of(hours: Mapping[int, Hour]) -> dict[str, Any]:
    return {path: orjson.loads(body) for path, body in reports(setting(), gathered(hours)).documents.items()}


def monitored() -> Hour:
    hour = Hour()
    for family, number in ((MONITOR, 40), (READER, 7), (GPTBOT, 3), (CURL, 2), (SCANNER, 2)):
        add(hour, family, number, material=1, at=END - 1)
    return hour


def test_monitors_and_feed_readers_are_shown_apart_wherever_the_class_is() -> None:
    documents = documents_of({END - 1: monitored()})
    for path in ("/machine-consumption.json", "/bot-traffic-latest.json"):
        rows = {row["class"]: row for row in documents[path]["classes"]}
        assert rows["crawler"]["requests"] == 50
        assert [(part["purpose"], part["requests"]) for part in rows["crawler"]["parts"]] == [
            ("monitoring", 40),
            ("feed", 7),
        ]
        assert {row["parts"] for name, row in rows.items() if name != "crawler"} == {None}
        lines = "\n".join(report_lines(documents[path], "24h"))
        assert "of which monitoring" in lines
        assert "of which feed" in lines
    (point,) = documents["/bot-traffic-history.json"]["points"]
    assert {part["purpose"]: part["requests"] for part in point["crawler_parts"]} == {"monitoring": 40, "feed": 7}
    head, row = csv_bytes(report_tables(documents["/bot-traffic-history.json"], "24h")).decode().splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True))["crawler: monitoring"] == "40"


def test_the_rate_of_page_views_leaves_uptime_monitors_out_and_says_so() -> None:
    hour = Hour()
    for family, number in ((MONITOR, 940), (READER, 20), (GPTBOT, 40), (BROWSER, 30)):
        add(hour, family, number)
    page = reports(setting(), gathered({END - 1: hour})).page
    (chart,) = (block for block in page.blocks if isinstance(block, Chart) and block.id == "cited")
    assert chart.summary.startswith(
        "Machine readers fetched 1,000 times, 940 of them uptime monitors; 30 browser-like page views were counted,"
        " 50 for every 100 other fetches;"
    )


def test_the_page_says_what_the_crawlers_are() -> None:
    page = reports(setting(), gathered({END - 1: monitored()})).page
    daily = next(block for block in page.blocks if block.id == "daily")
    assert "Among the crawlers' requests are 40 of uptime monitors and 7 of feed readers." in daily.summary  # type: ignore[attr-defined]
    columns = daily.table.columns  # type: ignore[attr-defined]
    row = dict(zip(columns, (cell.text for cell in daily.table.rows[0]), strict=True))  # type: ignore[attr-defined]
    assert (row["crawlers"], row["crawlers: uptime monitors"], row["crawlers: feed readers"]) == (
        "50",
        "40",
        "7",
    )


def test_families_of_a_page_are_readers_and_neither_libraries_nor_scanners() -> None:
    consumption = documents_of({END - 1: monitored()})["/machine-consumption.json"]
    (home,) = consumption["top_materials"]
    assert (home["families_30d"], consumption["totals"]["unique_materials"]) == (3, 1)
    only_curl = Hour()
    add(only_curl, CURL, 5, material=1, at=END - 1)
    consumption = documents_of({END - 1: only_curl})["/machine-consumption.json"]
    assert (consumption["top_materials"], consumption["totals"]["unique_materials"]) == ([], 0)


def test_whoever_takes_markdown_or_json_has_crawled_as_well() -> None:
    hour = Hour()
    for rep, number in enumerate((30, 20, 10, 5, 5, 5, 5)):  # html, markdown, json, text, xml, mcp, other
        add(hour, GPTBOT, number, rep=rep, at=END - 1)
    (operator,) = documents_of({END - 1: hour})["/machine-consumption.json"]["operators"]
    assert operator["crawl_to_refer"]["crawls"] == 60


@pytest.mark.parametrize(("number", "shown"), [(1, 0), (2, 0), (3, 3), (9, 9)])
def test_the_history_holds_back_what_the_report_holds_back(number: int, shown: int) -> None:
    today, before = Hour(), Hour()
    add(today, PERSON, number, at=END - 1)
    add(before, PERSON, number, at=END - 40 * DAY_HOURS)
    documents = documents_of({END - 40 * DAY_HOURS: before, END - 1: today})
    for point in documents["/bot-traffic-history.json"]["points"]:
        assert point["purposes"].get("user_action", 0) == shown
    purposes = {row["purpose"]: row["requests"] for row in documents["/machine-consumption.json"]["purposes"]}
    assert purposes.get("user_action", 0) == shown
