"""The chart from fetched to cited has only figures that the report has, and says what each counts and of what time."""

from typing import Any

import orjson
import pytest

from citepress.contract.page import Chart, Page
from citepress_telemetry.model import Hour
from citepress_telemetry.reports.all_reports import reports
from support.pages import as_html, as_markdown
from support.rollups import END, add, closed, gathered, setting

BOT, AGENT, BROWSER, CLOSED = 1, 2, 6, END - 1
RECEIPT = {("inbox", "usage_receipt", "queued"): 2}


def hour_of(fetched: int, viewed: int, sent: int = 0) -> Hour:
    hour = Hour()
    add(hour, BOT, fetched, material=1)
    add(hour, BOT, 5, status=2)
    add(hour, BROWSER, viewed)
    hour.referrals, hour.gateway = {1: sent}, dict(RECEIPT)
    return hour


def published(hour: Hour, **options: Any) -> tuple[Page, dict[str, Any]]:
    bundle = reports(setting(), gathered({CLOSED: hour}, [closed(CLOSED, hour, **options)]))
    return bundle.page, orjson.loads(bundle.documents["/machine-consumption.json"])


def chart_of(page: Page) -> Chart | None:
    return next((block for block in page.blocks if isinstance(block, Chart) and block.id == "cited"), None)


def rows_of(page: Page) -> dict[str, str]:
    chart = chart_of(page)
    assert chart is not None
    return {row[0].text: row[1].text for row in chart.table.rows}  # type: ignore[union-attr]


def test_each_step_is_a_figure_of_the_report() -> None:
    page, report = published(hour_of(60, 30, 3))
    classes = {row["class"]: row["successful_requests"] for row in report["classes"]}
    assert rows_of(page) == {
        "Fetched by machine readers": str(classes["crawler"] + classes["ai_user_agent"]),
        "Browser-like page views": str(classes["human_page_view"]),
        "Sent by search and answer engines": "3",
        "Reported as used": str(report["gateway"]["inbox"]["submissions"]["usage_receipt"]),
    }
    assert rows_of(page)["Fetched by machine readers"] == "60"
    assert rows_of(page)["Reported as used"] == "2"


def test_the_sentence_has_the_figures_a_rate_and_the_time_that_was_observed() -> None:
    page, _ = published(hour_of(60, 30, 3))
    chart = chart_of(page)
    assert chart is not None
    assert chart.summary.startswith(
        "Machine readers fetched 60 times; 30 browser-like page views were counted, 50 for every 100 fetches"
    )
    assert "Thirty days to 21 November 2026, 05:00 UTC, of which 1 of 720 hours were observed." in chart.summary


def test_a_rate_over_few_fetches_is_not_told() -> None:
    page, _ = published(hour_of(19, 30))
    chart = chart_of(page)
    assert chart is not None
    assert "for every 100" not in chart.summary


def test_a_step_whose_figure_is_missing_is_left_out() -> None:
    page, report = published(hour_of(60, 30, 3), imported=True)
    assert report["gateway"]["inbox"]["submissions"]["usage_receipt"] is None
    assert "Reported as used" not in rows_of(page)
    assert "reported back" not in chart_of(page).summary  # type: ignore[union-attr]


def test_without_a_fetch_there_is_no_chart() -> None:
    page, _ = published(hour_of(0, 30))
    assert chart_of(page) is None


@pytest.mark.parametrize("write", [as_html, as_markdown])
def test_the_table_says_what_each_step_counts_and_where_the_numbers_are(write: Any) -> None:
    page, _ = published(hour_of(60, 30, 3))
    chart = chart_of(page)
    assert chart is not None
    text = write(Page("/x/", "T", "", (chart,)))
    assert "before review" in text
    assert "undeclared automation" in text
    assert "/machine-consumption.json" in text


def test_every_chart_begins_with_its_figures() -> None:
    page, _ = published(hour_of(60, 30, 3))
    for block in page.blocks:
        if isinstance(block, Chart) and any(value for series in block.series for value in series.values):
            first = block.summary.split(". ")[0]
            assert any(character.isdigit() for character in first), (block.id, first)
