"""Figures withheld to protect people cannot be derived from other reports of the moment, or from two of them."""

import random
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from citepress_telemetry.model import Hour, Pair
from citepress_telemetry.reports.all_reports import reports
from citepress_telemetry.reports.data import DAY_HOURS
from support.rollups import END, PAGES, add, gathered, setting, walk

BOT, PERSON, LEAST = 1, 2, 3
NAME = "ChatGPT-User"


def documents_of(data: Any, **members: Any) -> dict[str, Any]:
    published = reports(setting(**members), data)
    return {path: orjson.loads(body) for path, body in (*published.documents.items(), *published.readership)}


def once(number: int = 1, *, material: int = 2, at: int = END - 1) -> Hour:
    """So many fetches of a page for a person, and five of a crawler."""
    hour = Hour()
    add(hour, PERSON, number, material=material, at=at)
    walk(hour, PERSON, number, 1)
    add(hour, BOT, 5, material=1, at=at)
    return hour


@pytest.fixture(scope="module")
def single() -> Mapping[str, Any]:
    """The reports after one fetch by a family that asks for persons."""
    return documents_of(gathered({END - 1: once()}))


def test_no_report_names_a_family_of_one_fetch_beside_the_rows_that_are_held_back(single: Mapping[str, Any]) -> None:
    for path, document in single.items():
        if path.startswith("/page-readership/"):
            continue
        assert NAME.encode() not in orjson.dumps(document), path


def test_no_list_of_pages_names_the_page_that_was_fetched_for_a_person(single: Mapping[str, Any]) -> None:
    consumption = single["/machine-consumption.json"]
    assert [material["canonical_path"] for material in consumption["top_materials"]] == ["home"]
    assert consumption["totals"]["unique_materials"] == 1
    assert consumption["never_read"]["sample"] == ["posts/one", "posts/three", "posts/two"]


def test_every_page_holds_the_family_back_so_that_no_row_tells_that_it_was_there(single: Mapping[str, Any]) -> None:
    pages = {page: single[f"/page-readership/{page}.json"] for page in PAGES}
    for name in ("24h", "observed"):
        held = {page: document["windows"][name]["by_family"][-1] for page, document in pages.items()}
        assert {(row["family"], row["suppressed"], row["requests"]) for row in held.values()} == {(NAME, True, None)}
    assert pages["home"]["windows"]["24h"]["requests"] == 5


def test_a_page_whose_only_fetch_is_held_back_says_null_and_why_and_so_does_one_that_nobody_fetched(
    single: Mapping[str, Any],
) -> None:
    fetched, unread = (single[f"/page-readership/posts/{name}.json"] for name in ("one", "two"))
    reading = fetched["windows"]["observed"]
    assert (reading["requests"], set(reading["by_representation"].values()), reading["revalidations_304"]) == (
        None,
        {None},
        None,
    )
    assert "/windows/observed/requests" in {gap["pointer"] for gap in fetched["missing"]}
    assert fetched["windows"] == unread["windows"]


@pytest.mark.parametrize(("older", "shown"), [(1, 4), (2, 4), (3, 7)])
def test_the_difference_of_two_windows_is_nothing_or_enough(older: int, shown: int) -> None:
    hours = {at: Hour() for at in range(END - 60, END)}
    hours[END - 40], hours[END - 2] = once(older, at=END - 40), once(4, at=END - 2)
    documents = documents_of(gathered(hours))
    windows = documents["/crawler-journeys.json"]["windows"]
    counts = {
        name: {family["family"]: family["requests"] for family in window["families"]}[NAME]
        for name, window in windows.items()
    }
    assert counts == {"24h": 4, "7d": shown, "30d": shown}
    page = documents["/page-readership/posts/one.json"]["windows"]
    assert (page["24h"]["requests"], page["observed"]["requests"]) == (4, shown)


def test_pairs_and_steps_of_few_persons_are_held_back_whatever_the_least_count_is() -> None:
    hour = once(6)
    pairs = (Pair(PERSON, 2, 3, 2, 0), Pair(BOT, 2, 3, 2, 0), Pair(PERSON, 3, 4, 3, 0))
    families = documents_of(gathered({END - 1: hour}, pairs=pairs), min_count=1)["/crawler-journeys.json"]["windows"][
        "24h"
    ]["families"]
    items = {family["family"]: [row["count"] for row in family["material_transitions"]["items"]] for family in families}
    assert items == {NAME: [3], "GPTBot": [2]}


@pytest.mark.parametrize("seed", range(20))
def test_no_subtraction_recovers_a_number_that_is_held_back(seed: int) -> None:
    """Adding up everything published, in one window or over two, gives zero or enough for every family and page."""
    chance, hours = random.Random(seed), {at: Hour() for at in range(END - 3 * DAY_HOURS, END)}  # noqa: S311  (made-up traffic)
    for at in chance.sample(range(END - 3 * DAY_HOURS, END), 12):
        for _ in range(chance.randint(1, 3)):
            add(hours[at], PERSON, chance.randint(1, 2), material=chance.randint(1, 4), rep=chance.randint(0, 2), at=at)
        add(hours[at], BOT, 5, material=chance.randint(1, 4), at=at)
    documents = documents_of(gathered(hours))
    windows = documents["/crawler-journeys.json"]["windows"]
    counts = [
        next((family["requests"] for family in windows[name]["families"] if family["family"] == NAME), 0)
        for name in ("24h", "7d", "30d")
    ]
    for page in PAGES:
        spans = documents[f"/page-readership/{page}.json"]["windows"]
        rows = [
            next((row["requests"] or 0 for row in spans[name]["by_family"] if row["family"] == NAME), 0)
            for name in ("24h", "observed")
        ]
        assert all(n == 0 or n >= LEAST for n in (rows[0], rows[1] - rows[0])), page
    assert all(n == 0 or n >= LEAST for n in (counts[0], counts[1] - counts[0], counts[2] - counts[1]))
    operator = next(
        operator for operator in documents["/machine-consumption.json"]["operators"] if operator["operator"] == "OpenAI"
    )
    bot = next(family["requests"] for family in windows["30d"]["families"] if family["family"] == "GPTBot")
    assert operator["requests"] - bot == counts[2]
    for family in documents["/machine-consumption.json"]["top_materials"]:
        page = documents[f"/page-readership/{family['canonical_path']}.json"]["windows"]
        assert (family["requests_24h"], family["requests_observed"]) == (
            page["24h"]["requests"] or 0,
            page["observed"]["requests"],
        )
