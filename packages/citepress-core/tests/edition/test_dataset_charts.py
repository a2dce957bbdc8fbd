"""Charts that a dataset declares: on its page, on records that name one, on the front page, and held by ``check``."""

import re
from pathlib import Path

import lxml.html
import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.settings import Settings
from support.folder import SITE, checked, fault_places, folder, markdown, post

SCHEMA = (
    '{"type": "object", "properties": {"town": {"type": "string"}, "opened": {"type": ["string", "null"], "format":'
    ' "date"}, "visitors": {"type": ["integer", "null"]}, "free": {"type": "boolean"}, "change": {"type": "integer"}}}'
)
ROWS = "town,opened,visitors,free,change\n" + "".join(
    f"{town},{opened},{visitors},{free},{change}\n"
    for town, opened, visitors, free, change in (
        ("Ayr", "2019-05-01", 30, "true", -1),
        ("Ayr", "2021-01-01", 12, "false", 2),
        ("Bute", "2021-07-01", 70, "true", 3),
        ("Crail", "", "", "false", 4),
    )
)
CHARTS = [
    {"title": "Museums by town", "x": "town"},
    {"title": "Visitors", "kind": "dot", "x": "town", "y": "visitors"},
    {"title": "Opened by year", "kind": "line", "x": "opened", "step": "year"},
    {"title": "Free or not", "x": "town", "by": "free", "summary": "Half of them are free."},
    {"title": "Panels", "kind": "multiples", "x": "opened", "step": "year", "by": "free"},
]


def files(charts: list[dict[str, object]], **members: object) -> dict[str, str]:
    front = {"title": "Museums", "summary": "All museums.", "date": "2026-05-01", "charts": charts}
    return {
        "datasets/museums/README.md": markdown(front),
        "datasets/museums/schema.json": SCHEMA,
        "datasets/museums/v1.csv": ROWS,
        "content/posts/x.md": post(**members),
    }


def built(root: Path, state: Path) -> Edition:
    Builder(Settings(root, state)).build(clock.now())
    return open_edition(pointer(state))


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    path = tmp_path_factory.mktemp("charts")
    root = folder(path / "site", {"site.toml": SITE, **files(CHARTS, chart="datasets/museums#visitors")}, None)
    return built(root, path / "state")


def block(edition: Edition, path: str, id_: str) -> lxml.html.HtmlElement:
    html = lxml.html.fromstring((edition.body(path) or b"").decode())
    part: lxml.html.HtmlElement = html.get_element_by_id(id_)
    return part


def rows(part: lxml.html.HtmlElement) -> list[list[str]]:
    return [[cell.text_content() for cell in row] for row in part.xpath(".//tr")]


@pytest.mark.parametrize(
    ("id_", "table"),
    [
        ("chart-museums-by-town", [["town", "rows"], ["Ayr", "2"], ["Bute", "1"], ["Crail", "1"]]),
        ("chart-visitors", [["town", "visitors"], ["Bute", "70"], ["Ayr", "42"]]),
        ("chart-opened-by-year", [["opened", "rows"], ["2019", "1"], ["2020", "0"], ["2021", "2"]]),
        ("chart-free-or-not", [["town", "no", "yes"], ["Ayr", "1", "1"], ["Bute", "0", "1"], ["Crail", "1", "0"]]),
        ("chart-panels", [["opened", "yes", "no"], ["2019", "1", "0"], ["2020", "0", "0"], ["2021", "1", "1"]]),
    ],
)
def test_the_page_of_a_dataset_draws_what_it_declares(edition: Edition, id_: str, table: list[list[str]]) -> None:
    part = block(edition, "/datasets/museums/", id_)
    (picture,) = part.xpath(".//figure/svg")
    named = [part.get_element_by_id(name).text for name in picture.get("aria-labelledby").split()]
    assert named == [part.find("h2").text, part.find_class("summary")[0].text_content()]
    assert rows(part) == table
    assert not part.xpath(".//@style")
    (source,) = part.xpath(".//p[@class='more']/a[1]")
    assert (source.text, source.get("href")) == ("Museums, v1", "/datasets/museums/")


def test_a_chart_says_what_its_author_says_or_its_largest_values(edition: Edition) -> None:
    said = [
        block(edition, "/datasets/museums/", f"chart-{name}").find_class("summary")[0].text_content()
        for name in ("free-or-not", "museums-by-town", "visitors", "opened-by-year")
    ]
    assert said == [
        "Half of them are free.",
        "4 rows. Most: Ayr (2), Bute (1), Crail (1).",
        "112 visitors in all. Most: Bute (70), Ayr (42).",
        "3 rows from 2019 to 2021. Most: 2021 (2).",
    ]


def test_each_kind_has_shapes_of_its_own(edition: Edition) -> None:
    def shapes(name: str) -> str:
        return lxml.html.tostring(block(edition, "/datasets/museums/", f"chart-{name}")).decode()

    assert len(re.findall(r'<circle class="c1"', shapes("visitors"))) == 2
    assert len(re.findall(r'<path class="c1 line" d="M', shapes("opened-by-year"))) == 1
    assert len(re.findall(r'<rect class="c[12]"', shapes("free-or-not"))) == 4
    assert len(re.findall(r'class="c[12] light"', shapes("panels"))) == 2


def test_a_record_and_the_front_page_show_a_chart_in_every_form(edition: Edition) -> None:
    assert rows(block(edition, "/posts/x/", "chart-visitors")) == [["town", "visitors"], ["Bute", "70"], ["Ayr", "42"]]
    assert block(edition, "/", "chart-museums-by-town") is not None
    markdown_ = (edition.body("/posts/x.md") or b"").decode()
    assert "## Visitors" in markdown_
    assert "| Bute | 70 |" in markdown_
    assert "Source: [Museums, v1](https://archive.test/datasets/museums/)" in markdown_
    assert b'"chart":"datasets/museums#visitors"' in (edition.body("/posts/x.json") or b"")


def test_a_record_follows_the_rows_of_its_chart(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", {"site.toml": SITE, **files(CHARTS, chart="datasets/museums")}, None)
    builder = Builder(Settings(root, tmp_path / "state"))
    builder.build(clock.now())
    (root / "datasets/museums/v2.csv").write_text(ROWS + "Dull,2022-01-01,5,true,1\n", "utf-8")
    builder.build(clock.now(), [root / "datasets/museums/v2.csv"])
    part = block(open_edition(pointer(tmp_path / "state")), "/posts/x/", "chart-museums-by-town")
    assert ["Dull", "1"] in rows(part)


@pytest.mark.parametrize(
    ("charts", "members", "place", "message"),
    [
        ([{"title": "A", "x": "twon"}], {}, "README.md", "charts[0].x: there is no column 'twon'"),
        ([{"title": "A", "x": "town", "by": "none"}], {}, "README.md", "charts[0].by: there is no column 'none'"),
        ([{"title": "A", "x": "town", "y": "free"}], {}, "README.md", "charts[0].y: 'free' is of type boolean"),
        ([{"title": "A", "x": "town", "y": "change"}], {}, "README.md", "charts[0].y: 'change' has negative numbers"),
        ([{"title": "A", "x": "town"}] * 2, {}, "README.md", "charts[1].title: another chart is called alike"),
        (CHARTS, {"chart": "datasets/museums#visits"}, "x.md", "chart: there is no chart 'datasets/museums#visits'"),
        (CHARTS, {"chart": "datasets/none"}, "x.md", "chart: there is no chart 'datasets/none'"),
    ],
)
def test_check_names_the_place_of_what_cannot_be_drawn(
    tmp_path: Path, charts: list[dict[str, object]], members: dict[str, object], place: str, message: str
) -> None:
    archive, faults = checked(folder(tmp_path, files(charts, **members)))
    (fault,) = [fault for fault in faults if fault.code.id in ("CP031", "CP021")]
    assert archive is None
    assert fault.place.file.endswith(place)
    assert (fault.message, bool(fault.hint), fault.place.line > 1) == (message, True, True), fault_places(faults)


@pytest.mark.parametrize("kind", ["bar", "dot", "line", "multiples"])
@pytest.mark.parametrize("cell", ["1.8446744073709552e19", "9" * 18, "1e20", "1.7e308"])
def test_the_largest_numbers_that_a_cell_holds_are_drawn_or_left_out(tmp_path: Path, kind: str, cell: str) -> None:
    charted = files([{"title": "Large", "kind": kind, "x": "town", "y": "change"}])
    charted["datasets/museums/schema.json"] = SCHEMA.replace(
        '"change": {"type": "integer"}', '"change": {"type": "number"}'
    )
    charted["datasets/museums/v1.csv"] = f"town,change\nAyr,1\nBute,{cell}\nBute,{cell}\nCrail,{cell}\n"
    root = folder(tmp_path / "site", {"site.toml": SITE, **charted}, None)
    chart = lxml.html.tostring(block(built(root, tmp_path / "state"), "/datasets/museums/", "chart-large")).decode()
    assert not re.search(r"\b(?:inf|nan)\b", chart)
