"""The page of calibration counts the forecasts that count, and says how sure its shares are."""

from pathlib import Path

import pytest

from support.folder import forecast, post
from support.operation_context import operation_context
from support.server_with_actions import Service, small

RESOLVED = {"date": "2026-04-01", "resolved_at": "2026-05-30"}


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    path = tmp_path_factory.mktemp("service")
    records = {
        f"forecasts/likely-{n}": forecast(
            title=f"Likely {n}", probability=0.9, status="resolved_no" if n == 0 else "resolved_yes", **RESOLVED
        )
        for n in range(4)
    }
    records["forecasts/unlikely"] = forecast(title="Unlikely", probability=0.1, status="resolved_no", **RESOLVED)
    records["forecasts/late"] = forecast(
        title="Late", probability=1, status="resolved_yes", retrospective=True, **RESOLVED
    )
    records["forecasts/rain"] = forecast(title="Rain", probability=0.35, resolves_at="2027-09-01")
    return Service(operation_context(small(path / "content", records), path / "state", inbox=False))


def test_the_report_counts_what_was_published_before_its_outcome(reading: Service) -> None:
    report = reading.ask("/calibration.json").json()
    assert (report["resolved"], report["unscored"], report["open"]) == (5, 1, 1)
    assert report["brier_score"] == pytest.approx((0.81 + 4 * 0.01) / 5)
    low, high = report["bins"]
    assert (low["forecasts"], low["said"], low["happened"]) == (1, 0.1, 0)
    assert (high["forecasts"], high["said"], high["happened"]) == (4, 0.9, 0.75)
    assert high["interval"] == pytest.approx([0.3006, 0.9544], abs=1e-4)  # Wilson, as published tables have it


def test_the_page_draws_each_range_and_lists_the_forecasts(reading: Service) -> None:
    page = reading.ask("/calibration/").text
    assert page.count("<circle") == 2
    assert "In 2 of 2 ranges" in page
    assert 'href="/forecasts/likely-0/"' in page
    assert 'href="/forecasts/late/"' not in page


def test_a_forecast_is_a_bar_with_its_deadline(reading: Service) -> None:
    page = reading.ask("/forecasts/rain/").text
    assert "35 %, stated on " in page
    assert '<rect class="c1" x="0" y="17" width="126" height="12"/>' in page  # 35 % of 360 units
    assert "Deadline" in page.partition('id="dates"')[2].partition("</section>")[0]


def test_an_archive_without_forecasts_leads_to_no_calibration(tmp_path: Path) -> None:
    archive = small(tmp_path / "content", {"posts/x": post()})
    bare = Service(operation_context(archive, tmp_path / "state", inbox=False))
    assert "/calibration/" not in bare.ask("/posts/x/").text
    page = bare.ask("/calibration/").text
    assert "No forecast that was published before its outcome has resolved yet." in page
    assert '<path class="break"' in page, "the diagonal is drawn, though nothing lies on it"
    assert ": table</summary>" not in page


def test_the_bar_of_a_forecast_has_marks_and_its_line_of_time_has_names(reading: Service) -> None:
    page = reading.ask("/forecasts/rain/").text
    bar = page.partition('id="probability"')[2].partition("</figure>")[0]
    assert [f">{mark} %</text>" in bar for mark in ("0", "35", "50", "100")] == [True] * 4
    line = page.partition('id="dates"')[2].partition("</svg>")[0]
    assert [f">{name}</text>" in line for name in ("Opened", "Deadline")] == [True] * 2


def test_forecasts_that_are_open_are_listed_by_deadline_also_where_none_resolved(
    reading: Service, tmp_path: Path
) -> None:
    assert "35 %, by" in reading.ask("/calibration/").text.partition('id="open-forecasts"')[2]
    records = {
        "forecasts/late": forecast(title="Late", probability=0.2, resolves_at="2028-01-01"),
        "forecasts/soon": forecast(title="Soon", probability=0.8, resolves_at="2027-01-01"),
    }
    young = Service(operation_context(small(tmp_path / "content", records), tmp_path / "state", inbox=False))
    page = young.ask("/calibration/").text
    assert "No forecast that was published before its outcome has resolved yet." in page
    assert "not scored" not in page
    waiting = page.partition('id="open-forecasts"')[2].partition("</section>")[0]
    assert waiting.index("Soon") < waiting.index("Late")
    assert waiting.count('class="chance"') == 2
