"""The reports once there is traffic: all forms, conditional requests, and every path of a page's report."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import lxml.html
import orjson
import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.base.timestamps import spoken_day
from citepress.edition.edition import pointer
from citepress.edition.overlay import open_overlaid, overlay_pointer
from citepress_telemetry.contract.page import CHARTS
from citepress_telemetry.contract.words import CAVEATS, CLASS_DESCRIPTIONS
from citepress_telemetry.reports import publication as app_reports
from support.documents import faults
from support.folder import folder, post
from support.reports import BASE, counted_archive_in
from support.rollups import END
from support.running_server import Answer, Server, serving

FILES = {
    "site.toml": 'title = "Notes"\n[telemetry]\naggregator = false\n',
    **{f"content/posts/{name}.md": post(title=f"Note {name}") for name in ("one", "two", "three")},
}
REPORTS = (
    "/machine-consumption.json",
    "/crawler-journeys.json",
    "/bot-traffic-latest.json",
    "/bot-traffic-history.json",
    "/page-readership/posts/one.json",
)


def get(server: Server, path: str, **fields: str) -> Answer:
    """An answer to a client that has not asked before."""
    return server.ask(path, **server.client(), **fields)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root, state = folder(tmp_path_factory.mktemp("content"), FILES), tmp_path_factory.mktemp("state")
    counted_archive = counted_archive_in(root, state, 26)
    rendered = counted_archive.render()
    assert rendered is not None
    assert rendered.documents == 4 + 2 + len(counted_archive.pages)
    with serving(root, state, base_url=BASE, rest_limit="1000") as server:
        yield server


@pytest.mark.parametrize("path", REPORTS)
def test_a_report_is_served_with_its_counts_and_fits_the_schema_that_it_names(archive: Server, path: str) -> None:
    answer = get(archive, path)
    document = answer.json()
    assert (answer.status, answer.type, document["generated_at"]) == (200, "application/json", "2026-11-21T05:05:00Z")
    assert answer.fields["last-modified"] == "Sat, 21 Nov 2026 05:05:00 GMT"
    assert answer.fields["cache-control"] == "max-age=60"
    schema = get(archive, document["schema"].removeprefix(BASE)).json()
    assert faults(schema, document) == []


@pytest.mark.parametrize("path", [*REPORTS, "/machine-consumption/", "/machine-consumption.md"])
def test_a_report_has_a_strong_etag_and_is_not_sent_twice(archive: Server, path: str) -> None:
    first = get(archive, path)
    assert re.fullmatch(r'"[0-9a-f]{16}"', first.fields["etag"])
    again = get(archive, path, if_none_match=first.fields["etag"])
    assert (again.status, again.body) == (304, b"")
    packed = get(archive, path, accept_encoding="br")
    assert packed.fields["content-encoding"] == "br"
    assert packed.fields["etag"] != first.fields["etag"]


@pytest.mark.parametrize(
    "path",
    ["/page-readership/posts/one.json", "/page-readership/posts%2Fone.json", "/page-readership/posts%2fone.json"],
)
def test_the_canonical_path_of_a_page_may_be_written_plain_or_escaped(archive: Server, path: str) -> None:
    answer = get(archive, path)
    assert (answer.status, answer.json()["canonical_path"]) == (200, "posts/one")
    assert answer.json()["windows"]["observed"]["requests"] > 0


@pytest.mark.requirement("field crawler journeys")
def test_journeys_tell_of_three_windows_how_families_move(archive: Server) -> None:
    windows = get(archive, "/crawler-journeys.json").json()["windows"]
    assert {name: window["window"]["duration"] for name, window in windows.items()} == {
        "24h": "PT24H",
        "7d": "P7D",
        "30d": "P30D",
    }
    for window in windows.values():
        family = window["families"][0]
        assert family["unique_canonical_materials"] == 4
        assert family["session_depth"]["p50"] >= 1
        assert (family["entrypoints"][0]["route"], family["terminal_routes"][0]["route"]) == (
            "/robots.txt",
            "/posts/{slug}/",
        )
        assert (family["transitions"][0]["from"], family["transitions"][0]["to"]) == ("/robots.txt", "/posts/{slug}/")


@pytest.mark.requirement("field page readership")
def test_readership_adds_up_the_forms_of_a_page_over_a_day_and_over_everything(archive: Server) -> None:
    windows = get(archive, "/page-readership/posts/one.json").json()["windows"]
    assert windows["24h"]["window"]["duration"] == "PT24H"
    assert windows["observed"]["window"]["start"] == "2026-11-20T03:00:00Z"
    for window in windows.values():
        assert (
            sum(window["by_representation"].values())
            == window["requests"]
            == sum(row["requests"] for row in window["by_family"])
        )
        assert {row["family"] for row in window["by_family"]} == {"GPTBot", "ClaudeBot", "Googlebot"}
    assert windows["24h"]["requests"] < windows["observed"]["requests"]


@pytest.mark.requirement("field bot traffic")
def test_traffic_is_told_in_five_classes_that_add_up(archive: Server) -> None:
    latest, history = (get(archive, f"/bot-traffic-{name}.json").json() for name in ("latest", "history"))
    assert [row["class"] for row in latest["classes"]] == list(CLASS_DESCRIPTIONS)
    assert sum(row["requests"] for row in latest["classes"]) == latest["total_requests"] > 0
    for point in history["points"]:
        assert list(point["classes"]) == list(CLASS_DESCRIPTIONS)
        assert sum(point["classes"].values()) == point["total_requests"]


def test_the_report_of_an_unknown_page_is_a_problem(archive: Server) -> None:
    answer = get(archive, "/page-readership/posts/nothing.json")
    assert (answer.status, answer.type) == (404, "application/problem+json")


def test_the_page_says_the_same_in_html_markdown_and_json(archive: Server) -> None:
    html, text, document = (get(archive, f"/machine-consumption{end}") for end in ("/", ".md", ".json"))
    page = lxml.html.fromstring(html.text)
    totals = document.json()["totals"]
    for number in (totals["requests"], totals["verified_requests"]):
        assert f"{number:,}" in page.text_content()
        assert f"{number:,}" in text.text
    for row in document.json()["purposes"]:
        cells = [
            cell.text_content() for cell in page.xpath(f"//section[@id='purposes']//tr[td[1]='{row['purpose']}']/td")
        ]
        assert cells[1] == f"{row['requests']:,}"
    for caveat in CAVEATS.values():
        assert caveat.replace("_", "") in text.text.replace("\\_", "").replace("_", "")


def test_the_table_of_days_equals_the_history(archive: Server) -> None:
    page, history = (
        lxml.html.fromstring(get(archive, "/machine-consumption/").text),
        get(archive, "/bot-traffic-history.json").json(),
    )
    rows = [[cell.text_content() for cell in row.xpath("td")] for row in page.xpath("//section[@id='daily']//tbody/tr")]
    assert [(row[0], row[1], row[6]) for row in rows] == [
        (
            spoken_day(datetime.fromisoformat(point["start"])),
            f"{point['classes']['crawler']:,}",
            f"{point['total_requests']:,}",
        )
        for point in reversed(history["points"])
    ]


def test_each_part_of_the_page_stands_in_its_order_with_a_picture_a_table_and_a_link(archive: Server) -> None:
    page = lxml.html.fromstring(get(archive, "/machine-consumption/").text)
    anchors = [section.get("id") for section in page.xpath("//section[@id]")]
    order = [anchors.index(name) for name in ("figures", *(shown.anchor for shown in CHARTS), "status", "method")]
    assert order == sorted(order)
    for picture in page.xpath("//figure/svg"):
        assert picture.get("role") == "img"
        assert picture.get("viewbox")
        assert picture.xpath("title")[0].text
        assert picture.xpath("desc")[0].text
    for chart in page.xpath("//section[contains(@class, 'chart')]"):
        assert chart.xpath(".//details//table//td"), chart.get("id")
        assert chart.xpath("./div/p[@class='more']/a/@href")[0].endswith(".json")


def test_the_page_is_small_and_has_neither_style_nor_script_of_its_own(archive: Server) -> None:
    answer = get(archive, "/machine-consumption/")
    assert len(answer.body) < 150_000
    assert " style=" not in answer.text
    assert "<style" not in answer.text
    assert re.findall(r"<script(?! type=\"application/ld\+json\")", answer.text) == []


def test_no_two_elements_of_the_page_share_an_id_and_every_pattern_is_there(archive: Server) -> None:
    text = get(archive, "/machine-consumption/").text
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)
    assert {name for value in re.findall(r'aria-labelledby="([^"]+)"', text) for name in value.split()} <= set(ids)


def test_a_page_that_was_published_after_the_reports_has_its_honest_empty_one(tmp_path: Path) -> None:
    root = folder(tmp_path / "content", FILES)
    counted_archive = counted_archive_in(root, tmp_path / "state", 2)
    assert counted_archive.render() is not None
    (root / "content/posts/new.md").write_text(post(title="Note new"))
    built = Builder(counted_archive.settings).build(clock.now())
    edition = open_overlaid(built.pointer, overlay_pointer(counted_archive.settings.state))
    statuses = {
        name: orjson.loads(edition.body(f"/page-readership/posts/{name}.json"))["status"] for name in ("new", "one")
    }
    assert statuses == {"new": "not_observed", "one": "collecting"}


def test_nothing_is_rendered_before_the_first_closed_hour(tmp_path: Path) -> None:
    counted_archive = counted_archive_in(folder(tmp_path / "content", FILES), tmp_path / "state")
    assert counted_archive.render() is None
    assert not overlay_pointer(counted_archive.settings.state).exists()


def test_counts_that_another_process_published_meanwhile_are_not_covered_by_older_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted_archive, real = (
        counted_archive_in(folder(tmp_path / "content", FILES), tmp_path / "state", 2),
        app_reports.read_report_data,
    )

    def overtaken(*stores: Any) -> Any:
        snapshot = real(*stores)
        monkeypatch.setattr(app_reports, "read_report_data", real)
        counted_archive.count(range(END, END + 1))
        assert counted_archive.render() is not None
        return snapshot

    monkeypatch.setattr(app_reports, "read_report_data", overtaken)
    rendered = counted_archive.render()
    assert (rendered and rendered.as_of, app_reports.read_report_data) == (END + 1, real)


def test_the_same_counts_at_the_same_moment_give_the_same_bytes(tmp_path: Path) -> None:
    counted_archive = counted_archive_in(folder(tmp_path / "content", FILES), tmp_path / "state", 26)
    tags = []
    for _ in range(2):
        assert counted_archive.render() is not None
        edition = open_overlaid(
            pointer(counted_archive.settings.state), overlay_pointer(counted_archive.settings.state)
        )
        tags.append({path: edition.meta(path)["etag"] for path in (*REPORTS, "/machine-consumption/")})  # type: ignore[index]
    assert tags[0] == tags[1]
