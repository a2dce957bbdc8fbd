"""When and how a record changed: one derivation, the same on every surface."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lxml import etree

from citepress.archive.model import Archive
from citepress.edition.feeds.entries import ALL as FEEDS
from citepress_mcp.operations import what_changed
from citepress_research.operations.get_forecasts import ForecastsAsk
from citepress_research.operations.get_forecasts import run as forecasts
from support.folder import assembled, folder, forecast, pattern, post
from support.operation_context import desk, operation_context

ATOM = "{http://www.w3.org/2005/Atom}"
TWO = [{"date": "2026-06-05", "note": "A table was added."}, {"date": "2026-06-05", "note": "A link was mended."}]


def only(path: Path, **members: Any) -> Any:
    """The published record of one field note."""
    return assembled(folder(path, {"content/posts/x.md": post(**members)})).entries["posts/x"].record


def feed_ids(archive: Archive) -> list[str]:
    """Ids of the entries of ``/changes.xml``."""
    feed = next(item for item in FEEDS if item.path == "/changes.xml")
    (output,) = feed.make(desk(archive))
    assert isinstance(output.body, bytes)
    return [str(element.findtext(f"{ATOM}id")) for element in etree.fromstring(output.body).iter(f"{ATOM}entry")]


def test_two_updates_of_one_day_have_two_ids(tmp_path: Path) -> None:
    ids = [update.id for update in only(tmp_path, updates=TWO).updates]
    assert len(set(ids)) == 2
    assert all(id_.startswith("updated-2026-06-05-") for id_ in ids)


def test_ids_do_not_move_when_another_change_is_added_above_or_below(tmp_path: Path) -> None:
    before = {update.note: update.id for update in only(tmp_path, updates=TWO).updates}
    more = [
        {"date": "2026-06-05", "note": "First."},
        *TWO,
        {"date": "2026-06-05", "note": "Last."},
        {"date": "2026-05-06", "note": "Older."},
    ]
    after = {update.note: update.id for update in only(tmp_path, updates=more, corrections=TWO).updates}
    assert before.items() <= after.items()


def test_the_same_note_twice_on_one_day_has_two_ids(tmp_path: Path) -> None:
    ids = [update.id for update in only(tmp_path, updates=[TWO[0], TWO[0]]).updates]
    assert ids[1] == f"{ids[0]}-2"


def test_a_bare_lastmod_is_a_change_without_a_note_everywhere(tmp_path: Path) -> None:
    archive = assembled(
        folder(
            tmp_path / "content",
            {"content/posts/x.md": post(lastmod="2026-06-01", updates=[{"date": "2026-05-05", "note": "Y."}])},
        )
    )
    record = archive.entries["posts/x"].record
    assert (record.updated_at, record.revision) == (datetime(2026, 6, 1, tzinfo=UTC), 3)
    assert [(update.note, update.date.day) for update in record.updates] == [(None, 1), ("Y.", 5)]
    answer = what_changed.run(what_changed.ChangesAsk(id="posts/x"), operation_context(archive, tmp_path / "state"))
    assert [(change.note, change.revision) for change in answer.changes] == [(None, 3), ("Y.", 2)]


def test_a_bare_lastmod_stays_when_its_author_adds_a_later_update(tmp_path: Path) -> None:
    before = only(tmp_path / "before", lastmod="2026-06-01")
    after = only(tmp_path / "after", lastmod="2026-06-01", updates=[{"date": "2026-06-30", "note": "More."}])
    assert [change.id for change in before.updates] == ["updated-2026-06-01"]
    assert [change.note for change in after.updates] == ["More.", None]
    assert after.updates[1] == before.updates[0]
    assert (after.revision, after.updated_at) == (3, datetime(2026, 6, 30, tzinfo=UTC))


def test_a_lastmod_that_a_note_explains_is_no_further_change(tmp_path: Path) -> None:
    record = only(tmp_path, lastmod="2026-06-05T09:00:00Z", updates=TWO)
    assert (record.revision, len(record.updates)) == (3, 2)
    assert record.updated_at == datetime(2026, 6, 5, 9, tzinfo=UTC)
    assert only(tmp_path, lastmod="2026-05-01").revision == 1


def test_records_what_changed_and_the_feed_name_changes_alike(tmp_path: Path) -> None:
    files: Mapping[str, str] = {
        "content/posts/x.md": post(updates=TWO, corrections=TWO, lastmod="2026-06-30"),
        "content/patterns/p.md": pattern(revisions=TWO),
        "content/forecasts/f.md": forecast(status="resolved_yes", resolved_at="2026-05-20"),
        "content/posts/gone.md": "---\ntitle: Z\ngone: {date: 2026-06-01, reason: Wrong.}\n---\n",
    }
    archive = assembled(folder(tmp_path / "content", files))
    answer = what_changed.run(
        what_changed.ChangesAsk(since="2020-01-01", limit=50), operation_context(archive, tmp_path / "state")
    )
    named = {f"{change.url}#{change.change_id}" for change in answer.changes}
    ids = feed_ids(archive)
    assert len(ids) == len(set(ids)) == len(named) + 3, "and three publications"
    assert {id_ for id_ in ids if not id_.endswith("#published")} == named
    records: list[Any] = [entry.record for entry in archive.entries.values()]
    addresses = {
        f"{record.canonical_url}#{change.id}"
        for record in records
        for change in (*record.updates, *record.corrections, *getattr(record, "revisions", ()))
    }
    assert named - addresses == {id_ for id_ in named if "#resolved-" in id_ or "#withdrawn-" in id_}
    assert addresses < named


def test_a_forecast_that_was_published_with_its_outcome_did_not_change_by_it(tmp_path: Path) -> None:
    files = {
        "content/forecasts/late.md": forecast(date="2026-06-02", status="resolved_yes", resolved_at="2026-06-01"),
        "content/forecasts/same.md": forecast(
            date="2026-06-01", status="resolved_no", resolved_at="2026-06-01", probability=0.9
        ),
        "content/forecasts/good.md": forecast(status="resolved_yes", resolved_at="2026-06-01", probability=0.8),
    }
    archive = assembled(folder(tmp_path / "content", files))
    assert [change.record for change in archive.changes if change.change == "resolved"] == ["forecasts/good"]
    answer = forecasts(ForecastsAsk(status="all"), operation_context(archive, tmp_path / "state"))
    assert (answer.total, answer.resolved, answer.unscored, answer.brier_score) == (3, 1, 2, 0.04)
    reasons = {forecast.id: forecast.unscored_reason for forecast in answer.forecasts}
    assert reasons == {
        "forecasts/good": None,
        "forecasts/late": "Published on 2026-06-02, not before its outcome of 2026-06-01.",
        "forecasts/same": "Published on 2026-06-01, not before its outcome of 2026-06-01.",
    }
