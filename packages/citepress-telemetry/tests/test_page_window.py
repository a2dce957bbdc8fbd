"""One window on the page about machine readers: every chart and table of it tells the same thirty days."""

import pytest

from citepress.contract.page import Chart, Page, Table
from citepress_telemetry.model import Hour
from citepress_telemetry.reports.all_reports import reports
from citepress_telemetry.reports.data import DAY_HOURS, WINDOWS
from support.rollups import END, add, gathered, setting

GPTBOT, PERSON = 1, 2
HOURS = WINDOWS["30d"][1]
MIDNIGHT = END - END % DAY_HOURS


def counted(end: int, person_before: int = 0) -> tuple[Page, int]:
    """The page at an hour of forty days with a request an hour, and what its report counts in thirty days."""
    hours = {at: Hour() for at in range(end - 40 * DAY_HOURS, end)}
    for at, hour in hours.items():
        add(hour, GPTBOT, 2, at=at)
    add(hours[end - HOURS], PERSON, 3, at=end - HOURS)
    if person_before:
        add(hours[end - HOURS - 1], PERSON, person_before, at=end - HOURS - 1)
    page = reports(setting(), gathered(hours)).page
    return page, page.data.totals.requests  # type: ignore[union-attr]


def chart(page: Page, anchor: str) -> Chart:
    (block,) = (block for block in page.blocks if isinstance(block, Chart) and block.id == anchor)
    return block


def column(table: Table, name: str) -> list[str]:
    place = table.columns.index(name)
    return [row[place].text for row in table.rows]


@pytest.mark.parametrize("hour", [0, 1, 13, 23])
def test_days_of_the_chart_and_of_its_table_add_up_to_the_thirty_days(hour: int) -> None:
    page, requests = counted(MIDNIGHT + hour)
    daily = chart(page, "daily")
    assert requests == 2 * HOURS + 3
    assert sum(value or 0 for line in daily.series for value in line.values) == requests
    assert sum(int(cell) for cell in column(daily.table, "Total")) == requests
    assert sum(float(cell) for cell in column(daily.table, "Hours observed")) == HOURS
    assert len(daily.labels) == len(daily.table.rows) == (31 if hour else 30)
    assert len(daily.partial) == (2 if hour else 0)
    assert "The JSON also has the days before these." in daily.table.caption


@pytest.mark.parametrize("hour", [0, 13])
def test_operators_have_the_same_requests_by_day_and_in_numbers(hour: int) -> None:
    page, requests = counted(MIDNIGHT + hour)
    by_day = chart(page, "operators").table
    (in_numbers,) = (block for block in page.blocks if isinstance(block, Table) and block.id == "operators-table")
    assert column(by_day, "Operator") == column(in_numbers, "Operator")
    assert column(by_day, "Requests") == column(in_numbers, "Requests") == [f"{requests:,}"]


def test_the_rest_of_a_day_tells_no_small_number_of_fetches_for_a_person() -> None:
    page, _ = counted(MIDNIGHT + 13, person_before=1)
    operators = chart(page, "operators")
    assert [line.values[0] for line in operators.series] == [2 * (DAY_HOURS - 13)]
    assert "3 fetches for a person are not shown by day: a day has too few of them." in operators.summary
