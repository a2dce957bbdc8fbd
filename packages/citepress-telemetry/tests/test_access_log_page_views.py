"""Page views in imported logs: pages that people viewed, without the files of pages, scripts' requests and timers."""

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from citepress.settings import Settings
from citepress_telemetry.contract.words import PAGE_VIEWS
from citepress_telemetry.rollup.intervals import MIN_REQUESTS, MIN_SPAN_MS, Interval
from support.access_log_import import START, built, combined, counts, fresh, hours, objects, run, written
from support.labelled_log import GOOGLE
from support.traffic_counter import CHROME

FILES = [
    "/img/a.png",
    "/img/b.JPG?v=2",
    "/fonts/x.woff2",
    "/js/app.js",
    "/css/main.css?1",
    "/favicon.ico",
    "/wp-includes/js/jquery.js",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return built(tmp_path_factory.mktemp("built"))


def imported(place: Settings, folder: Path, lines: list[str]) -> tuple[dict[str, int], int]:
    """Requests by class, and files counted apart, after an import of these lines alone."""
    state = fresh(place, folder / "state")
    run(state, written(folder / "access.log", lines))
    totals: Counter[str] = Counter()
    for key, n in counts(state)[0].items():
        if key[0] == "traffic" and key[-1] == "n":
            totals[key[1]] += n
    return dict(totals), sum(hour.counts.get("assets", 0) for hour in hours(state))


def at_interval(
    seconds: float, times: int, *, target: str = "/", ua: str = CHROME, client: str = "198.51.100.7"
) -> list[str]:
    return [combined(START + timedelta(seconds=seconds * place), target, ua, client=client) for place in range(times)]


def test_files_of_pages_that_browsers_fetched_are_counted_apart(place: Settings, tmp_path: Path) -> None:
    lines = [combined(START, target, CHROME, status=status) for target in FILES for status in (200, 206, 304)]
    assert imported(place, tmp_path, [*lines, combined(START, "/", CHROME)]) == ({"human_page_view": 1}, len(lines))


def test_a_file_is_known_by_its_type_where_a_log_has_it(place: Settings, tmp_path: Path) -> None:
    lines = []
    for kind in ("image/webp", "image/svg+xml", "font/woff2", "text/css; charset=utf-8", "application/javascript"):
        line = objects("json", START) | {"request": "GET /_next/image?url=a HTTP/2.0", "http_user_agent": CHROME}
        lines.append(json.dumps(line | {"sent_http_content_type": kind}) + "\n")
    assert imported(place, tmp_path, lines) == ({}, 5)


def test_a_file_is_a_request_of_its_own_for_crawlers_where_it_is_missing_and_where_it_attacks(
    place: Settings, tmp_path: Path
) -> None:
    lines = [
        combined(START, "/img/a.png", GOOGLE),
        combined(START, "/img/a.png", CHROME, status=404),
        combined(START, "/img/a.png?x=%3Cscript%3E", CHROME),
    ]
    classes, files = imported(place, tmp_path, lines)
    assert (classes, files) == ({"crawler": 1, "machine_route": 1, "scanner_noise": 1}, 0)


@pytest.mark.parametrize(
    "target",
    [
        "/wp-admin/admin-ajax.php?action=x",
        "/wp-json/wp/v2/posts",
        "/ajax/cart",
        "/shop/getAjaxPrice.php?id=1",
        "/graphql",
        "/api/v2/items",
        "/?wc-ajax=get_refreshed_fragments",
        "/former/list.php?_=1700000000000",
        "/former/list.php?callback=jQuery17_1",
        "/phpmyadmin/index.php",
        "/server-status",
        "/backup/",
    ],
)
def test_what_a_script_asks_for_and_an_answered_probe_are_no_page_views(
    place: Settings, tmp_path: Path, target: str
) -> None:
    assert imported(place, tmp_path, [combined(START, target, CHROME)]) == ({"machine_route": 1}, 0)


@pytest.mark.parametrize("target", ["/index.php?p=3", "/posts/what-is-ajax/", "/api/reference.html", "/", "/a/?page=2"])
def test_a_page_of_a_former_site_is_still_a_page_view(place: Settings, tmp_path: Path, target: str) -> None:
    assert imported(place, tmp_path, [combined(START, target, CHROME)]) == ({"human_page_view": 1}, 0)


def test_one_client_that_asks_one_path_at_a_fixed_interval_is_automation(place: Settings, tmp_path: Path) -> None:
    timer = at_interval(300, 24)
    people = [
        combined(START + timedelta(seconds=seconds), "/", CHROME, client="203.0.113.9", referer="https://www.bing.com/")
        for seconds in (3, 40, 900, 1000, 2500, 2600, 3100)
    ]
    lines = sorted([*timer, *people], key=lambda line: line.partition("[")[2])
    assert imported(place, tmp_path, lines) == ({"machine_route": 24, "human_page_view": 7}, 0)


def test_sums_are_whole_where_a_timer_is_taken_out(place: Settings, tmp_path: Path) -> None:
    state = fresh(place, tmp_path / "state")
    lines = [line.replace('"-" "Mozilla', '"https://chatgpt.com/" "Mozilla') for line in at_interval(300, 12)]
    run(state, written(tmp_path / "access.log", lines))
    sums, _ = counts(state)
    by_name = Counter[str]()
    for key, n in sums.items():
        if key[0] == "traffic":
            by_name[key[-1]] += n
    assert (by_name["n"], by_name["ok"], by_name["bytes"]) == (12, 12, 12 * 500)
    assert not [key for key in sums if key[0] == "referral"], "a timer was sent by nobody"


def is_timer(*seconds: float) -> bool:
    """Whether requests at these seconds come at a fixed interval."""
    interval = Interval()
    for second in seconds:
        interval.add(int(second * 1000), 1, 0)
    return interval.is_fixed()


def test_what_a_fixed_interval_is() -> None:
    assert is_timer(0, 300, 600, 900)
    assert is_timer(0, 301, 599, 902, 1201), "logs have whole seconds, and timers start late"
    assert is_timer(*range(0, 3600, 900)), "every quarter of an hour"
    assert is_timer(*range(0, 900, 60))
    assert is_timer(0, 300, 600, 900, 1200, 1800, 2100, 2400, 2700, 3000, 3300), "one request was lost"
    assert not is_timer(0, 300, 600), "three may be chance"
    assert not is_timer(0, 60, 120, 180), "a person who loads a page four times in three minutes"
    assert not is_timer(0, 0, 0, 0, 0, 600), "a browser that loads a page several times at once"
    assert not is_timer(0, 100, 150, 900, 1000, 2400)
    assert not is_timer()


def test_the_published_rule_says_what_the_code_does() -> None:
    assert (MIN_REQUESTS, MIN_SPAN_MS) == (4, 300_000)
    assert "four times or more, over five minutes or more" in PAGE_VIEWS
