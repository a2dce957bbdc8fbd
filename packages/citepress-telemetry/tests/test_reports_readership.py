"""Readership of a page: families, forms, and the fetches of persons that are held back."""

from typing import Any

import orjson

from citepress_telemetry.model import Hour
from citepress_telemetry.reports.all_reports import reports
from citepress_telemetry.reports.data import DAY_HOURS
from support.rollups import BASE, END, NOW, add, gathered, listed, setting

BOT, PERSON, OTHER = 1, 2, 3


def page(*hours: Hour, path: str = "posts/one", **members: Any) -> Any:
    data = gathered({END - len(hours) + place: hour for place, hour in enumerate(hours)})
    return next(
        orjson.loads(body)
        for name, body in reports(setting(**members), data).readership
        if name == f"/page-readership/{path}.json"
    )


def hour(*counts: tuple[int, int, int], at: int = END - 1, material: int = 2, verify: int = 3) -> Hour:
    sums = Hour()
    for family, number, rep in counts:
        add(sums, family, number, material=material, rep=rep, verify=verify, at=at)
    return sums


def test_requests_are_grouped_over_the_forms_of_a_page() -> None:
    window = page(hour((BOT, 3, 0), (BOT, 2, 1), (OTHER, 1, 2)))["windows"]["24h"]
    assert window["requests"] == 6
    assert window["by_representation"] == {"html": 3, "markdown": 2, "json": 1}
    assert [
        (family["family"], family["requests"], family["html"], family["markdown"], family["json"])
        for family in window["by_family"]
    ] == [
        ("GPTBot", 5, 3, 2, 0),
        ("ClaudeBot", 1, 0, 0, 1),
    ]


def test_few_fetches_for_persons_are_held_back_and_in_no_total() -> None:
    window = page(hour((BOT, 3, 0), (PERSON, 2, 1)))["windows"]["observed"]
    assert window["requests"] == 3
    assert window["by_representation"] == {"html": 3, "markdown": 0, "json": 0}
    row = window["by_family"][-1]
    assert (row["family"], row["suppressed"]) == ("ChatGPT-User", True)
    assert {row[name] for name in ("requests", "html", "markdown", "json")} == {None}
    assert set(row["verification"].values()) == {None}


def test_enough_fetches_for_persons_are_shown() -> None:
    window = page(hour((PERSON, 3, 0)))["windows"]["observed"]
    assert (window["requests"], window["by_family"][0]["requests"], window["by_family"][0]["suppressed"]) == (
        3,
        3,
        False,
    )
    assert page(hour((PERSON, 3, 0)), user_action_min=4)["windows"]["observed"]["requests"] is None


def test_the_hour_of_a_fetch_that_is_held_back_is_not_told() -> None:
    window = page(hour((PERSON, 1, 0)))["windows"]["observed"]
    assert (window["first_read_at"], window["last_read_at"]) == (None, None)


def test_no_report_of_the_same_moment_tells_what_another_holds_back() -> None:
    published = reports(setting(), gathered({END - 1: hour((BOT, 5, 0), (PERSON, 2, 0))}))
    (top,) = orjson.loads(published.documents["/machine-consumption.json"])["top_materials"]
    assert top == {"canonical_path": "posts/one", "families_30d": 1, "requests_24h": 5, "requests_observed": 5}


def test_rows_that_are_held_back_stand_last_and_by_name() -> None:
    families = page(hour((PERSON, 2, 0), (BOT, 1, 0)))["windows"]["24h"]["by_family"]
    assert [family["family"] for family in families] == ["GPTBot", "ChatGPT-User"]


def test_a_day_and_everything_observed_are_told_apart() -> None:
    early = END - 2 * DAY_HOURS
    hours = [hour((BOT, 7, 0), at=early), *[Hour()] * (2 * DAY_HOURS - 2), hour((BOT, 1, 0))]
    windows = page(*hours)["windows"]
    assert (windows["24h"]["requests"], windows["observed"]["requests"]) == (1, 8)
    assert windows["observed"]["first_read_at"] == "2026-11-19T05:00:00Z"
    assert windows["observed"]["last_read_at"] == "2026-11-21T04:00:00Z"
    assert windows["observed"]["window"] == {
        "start": "2026-11-19T05:00:00Z",
        "end": "2026-11-21T05:00:00Z",
        "complete": True,
    }


def test_contradicted_requests_are_no_readership() -> None:
    assert page(hour((BOT, 4, 0), verify=4))["windows"]["observed"]["requests"] == 0


def test_a_page_that_statistics_do_not_know_yet_was_read_by_nobody() -> None:
    window = page(hour((BOT, 4, 0)), path="posts/new", catalogue=(listed("posts/new", NOW),))
    assert (window["canonical_url"], window["windows"]["observed"]["requests"]) == (f"{BASE}/posts/new/", 0)
    assert window["time_to_first_read_hours"] is None
