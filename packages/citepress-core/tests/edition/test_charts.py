"""Charts show the numbers of their table, leave a gap where nothing was observed, and bring no style of their own."""

import re
from typing import Any

import lxml.html
import pytest

from citepress.contract.page import Chart, Link, Page, Series, Table
from citepress.edition.forms.charts import COLOURS, WIDTH, ChartSvg, chart
from support.pages import as_html, as_markdown

KINDS = ("areas", "bars", "lines", "grid")
TABLE = Table("", "The numbers of it", ("Name", "Count"), ((Link("one"), Link("1")),))


def block(
    kind: Any, *values: tuple[float | None, ...], labels: tuple[str, ...] = ("a", "b", "c"), **members: Any
) -> Chart:
    series = tuple(Series(f"series {place}", row) for place, row in enumerate(values, 1))
    return Chart("it", "A <title>", kind, "What it & tells.", labels, series, TABLE, "/it.json", **members)


def drawn(*parts: Any, **members: Any) -> ChartSvg:
    svg = chart(block(*parts, **members))
    assert svg is not None
    return svg


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_names_itself_and_scales_and_has_neither_style_nor_script(kind: str) -> None:
    svg = lxml.html.fromstring(drawn(kind, (1, 2, 3), (4, 5, 6)).svg)
    assert svg.get("role") == "img"
    assert svg.get("viewbox").startswith(f"0 0 {WIDTH} ")
    assert (svg.xpath("title")[0].text, svg.xpath("desc")[0].text) == ("A <title>", "What it & tells.")
    assert svg.get("aria-labelledby").split() == [svg.xpath("title")[0].get("id"), svg.xpath("desc")[0].get("id")]
    assert not svg.xpath("//@style | //style | //script")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("values", [(), ((None, None, None),), ((0, 0, 0),)])
def test_where_no_number_is_known_nothing_is_drawn(kind: Any, values: tuple[tuple[float | None, ...], ...]) -> None:
    assert chart(block(kind, *values)) is None
    text = as_html(Page("/x/", "T", "", (block(kind, *values),)))
    assert "<figure>" not in text
    assert "What it &amp; tells." in text
    assert "The numbers of it" in text


def test_every_series_of_bars_has_a_colour_and_the_key_has_their_order() -> None:
    picture = drawn("bars", *[(1, 2, 3)] * COLOURS)
    colours = re.findall(r'class="(c\d)"', picture.svg)
    assert colours == [f"c{place}" for place in range(1, COLOURS + 1)] * 3
    assert [entry.name for entry in picture.key] == [f"series {place}" for place in range(1, COLOURS + 1)]
    assert "<pattern" not in picture.svg


@pytest.mark.parametrize(("kind", "mark"), [("areas", "line"), ("lines", "line")])
def test_panels_have_one_scale_and_their_names_beside_them(kind: str, mark: str) -> None:
    svg = drawn(kind, (0, 10, 0), (0, 5, 0)).svg
    heights = [
        max(map(float, ys)) - min(map(float, ys))
        for path in re.findall(rf'class="(?:c\d )?{mark}" d="([^"]*)"', svg)
        if (ys := re.findall(r"(?:V|,)(\d+(?:\.\d)?)", path))
    ]
    assert len(heights) == 2
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.2)
    assert "series 1</text>" in svg
    assert "series 2</text>" in svg


@pytest.mark.parametrize(
    ("most", "lines"),
    [(1, "0, 1 and 2"), (7, "0, 4 and 8"), (10, "0, 5 and 10"), (757, "0, 400 and 800"), (1001, "0, 1,000 and 2,000")],
)
def test_the_grid_lines_of_panels_stand_for_round_numbers_which_the_key_tells(most: int, lines: str) -> None:
    picture = drawn("areas", (0, most, 0), (0, max(1, most // 2), 0))
    assert [entry.name for entry in picture.key] == [f"Grid lines at {lines}"]
    assert picture.svg.count('class="grid"') == 3 * 2


def test_a_panel_that_would_be_flat_beside_another_has_a_scale_of_its_own() -> None:
    picture = drawn("areas", (0, 757, 0), (0, 4, 0), (0, 0, 0))
    assert [entry.name for entry in picture.key] == ["Each panel has its own scale."]
    assert [f"peak {peak}</text>" in picture.svg for peak in (757, 4, 0)] == [True] * 3
    tops = [
        min(map(float, re.findall(r"V(\d+(?:\.\d)?)", path))) for path in re.findall(r'light" d="([^"]*)"', picture.svg)
    ]
    assert [round(floor - top, 1) for floor, top in zip((68, 136, 204), tops, strict=True)] == [41.6, 44.0, 0.0]


def test_the_days_below_panels_are_dates_for_people() -> None:
    svg = drawn("areas", (1, 2, 3), labels=("2026-03-01", "2026-03-02", "2026-02-30")).svg
    assert "1 March 2026</text>" in svg
    assert "2026-03-01" not in svg
    assert "2026-02-30</text>" in svg  # no such day


def test_the_track_of_a_bar_is_not_hidden_with_the_rail_of_records() -> None:
    assert 'class="track"' in drawn("bars", (1, 2, 3)).svg
    assert 'class="rail"' not in drawn("bars", (1, 2, 3)).svg


def test_calibration_draws_what_was_said_what_happened_and_how_sure_that_is() -> None:
    svg = drawn("calibration", (0.25,), (0.5,), (0.0,), (1.0,), labels=("a",)).svg
    (x, y), ((at, low, high),) = (
        re.findall(r'<circle class="c1" cx="([^"]*)" cy="([^"]*)"', svg)[0],
        re.findall(r'class="c1 line" d="M([^,]*),([^V]*)V([^"]*)"', svg),
    )
    assert at == x
    assert float(y) == (float(low) + float(high)) / 2
    assert "100 %</text>" in svg


def test_one_series_needs_no_key() -> None:
    assert drawn("bars", (1, 2, 3)).key == ()
    assert "<pattern" not in drawn("bars", (1, 2, 3)).svg


def test_a_day_that_nobody_observed_is_a_gap() -> None:
    whole = re.findall(r'class="c1 light" d="([^"]*)"', drawn("areas", (1, 1, 1)).svg)
    broken = re.findall(r'class="c1 light" d="([^"]*)"', drawn("areas", (1, None, 1)).svg)
    assert (len(whole), len(broken)) == (1, 2)
    assert re.findall(r'class="line" d="([^"]*)"', drawn("lines", (1, None, 1)).svg)[0].count("M") == 2
    assert "not observed" in drawn("bars", (1, None, 2)).svg


@pytest.mark.parametrize("kind", ["areas", "lines"])
def test_a_day_observed_in_part_is_shaded_and_the_key_says_so(kind: str) -> None:
    picture = drawn(kind, (1, 2, 3), (4, 5, 6), partial=(0, 2))
    shaded = re.findall(r'<rect class="partial" x="([^"]*)"[^>]* width="([^"]*)"', picture.svg)
    assert len({x for x, _ in shaded}) == len(shaded) == 2
    assert picture.key[-1].name == "observed in part"
    assert "partial" not in drawn(kind, (1, 2, 3)).svg


def test_parts_of_a_bar_are_as_long_as_their_numbers() -> None:
    svg = drawn("bars", (1, 0, 2), (3, 1, 0)).svg
    parts = [(x, float(width)) for x, width in re.findall(r'<rect class="c\d" x="([^"]*)"[^>]* width="([^"]*)"', svg)]
    # One unit is left free behind each part.
    assert parts == [("0", 89.0), ("90", 269.0), ("0", 89.0), ("0", 179.0)]


def test_a_bar_of_shares_names_its_largest_part_and_not_their_sum() -> None:
    svg = drawn("bars", (60.1, 10, None), (40, 90, None), whole=100).svg
    assert re.findall(r'class="quiet"[^>]*>([^<]*)<', svg) == ["series 1 60 %", "series 2 90 %", "not observed"]


def test_the_area_of_a_square_is_its_number() -> None:
    sides = [
        float(side)
        for side in re.findall(
            r'<rect class="c1"[^>]* width="([^"]*)"', drawn("grid", (4, 1), (0, 0), labels=("a", "b")).svg
        )
    ]
    assert len(sides) == 2
    assert sides[0] == pytest.approx(2 * sides[1])


def test_a_change_of_the_counting_is_marked_with_its_number() -> None:
    svg = drawn("areas", (1, 2, 3), marks=((1, "another table"),)).svg
    assert re.findall(r'class="break" d="M120,', svg)
    assert '<text x="124" y="37" font-size="14">1</text>' in svg, "within the panel, where no day is named"
    late = drawn("areas", (1, 2, 3), marks=((2, "another table"),)).svg
    assert '<text x="236" y="37" text-anchor="end" font-size="14">1</text>' in late
    assert ">1</text>" in svg


def test_long_names_are_cut_in_the_picture_alone() -> None:
    picture = chart(Chart("it", "T", "lines", "S.", ("a", "b"), (Series("n" * 60, (1, 2)),), TABLE))
    assert picture is not None
    assert "n" * 60 not in picture.svg
    assert "…" in picture.svg


def test_markdown_has_the_sentence_the_table_and_the_address() -> None:
    text = as_markdown(Page("/x/", "T", "", (block("areas", (1, 2, 3)),)))
    assert "What it &amp; tells." in text or "What it & tells." in text
    assert "| one | 1 |" in text
    assert "https://archive.test/it.json" in text


def test_markdown_of_a_chart_without_numbers_has_no_blank_line_too_many() -> None:
    empty = Chart("it", "T", "lines", "Nothing yet.", (), (), Table("", "T", ("day", "count"), ()))
    assert "\n\n\n" not in as_markdown(Page("/x/", "T", "S.", (empty, empty)))
