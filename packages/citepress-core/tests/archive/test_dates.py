"""The rules of time: nothing of the future is published, and dates that cannot be true together are told."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from citepress.contract.fault import Level
from support.folder import (
    NOW,
    assembled,
    checked,
    fault_places,
    folder,
    forecast,
    markdown,
    pattern,
    post,
    signal,
    topic,
)

AHEAD = "2062-11-20"
SOURCE = {"url": "https://a.example/one", "title": "One"}


def codes(path: Path, name: str, text: str, **others: str) -> list[str]:
    """``line code`` of the faults of one file about time."""
    files = {f"content/{name}.md": text} | {
        f"content/{other.replace('__', '/')}.md": more for other, more in others.items()
    }
    _, faults = checked(folder(path, files))
    about_time = [fault for fault in faults if fault.code.id >= "CP050" or fault.code.id == "CP024"]
    return [
        f"{fault.code.id} {fault.message.partition(':')[0]}"
        for fault in about_time
        if fault.place.file == f"content/{name}.md"
    ]


def test_a_date_ahead_of_now_holds_the_record_back_and_is_warned_of(tmp_path: Path) -> None:
    files = {"content/posts/old.md": post(), "content/posts/typo-year.md": post(date=AHEAD)}
    archive, faults = checked(folder(tmp_path, files))
    assert archive is not None
    assert list(archive.entries) == ["posts/old"]
    assert archive.as_of == datetime(2026, 5, 1, tzinfo=UTC)
    assert archive.next_moment == datetime(2062, 11, 20, tzinfo=UTC)
    assert "content/posts/typo-year.md:4:7 CP050" in fault_places(faults)
    later = assembled(tmp_path, moment=datetime(2062, 11, 20, tzinfo=UTC))
    assert set(later.entries) == {"posts/old", "posts/typo-year"}
    assert later.next_moment is None


def test_a_publish_date_says_that_waiting_is_meant(tmp_path: Path) -> None:
    assert codes(tmp_path, "posts/x", post(date="2027-01-01", publishDate="2027-01-01")) == []


def test_changes_that_lie_ahead_are_left_out_until_their_day(tmp_path: Path) -> None:
    changed = pattern(
        lastmod="2026-12-03",
        updates=[{"date": "2026-06-01", "note": "Before."}, {"date": "2026-12-01", "note": "Ahead."}],
        revisions=[{"date": "2026-12-02", "note": "Surer."}],
    )
    where = folder(tmp_path, {"content/patterns/x.md": changed})
    archive, faults = checked(where)
    assert archive is not None
    record = archive.entries["patterns/x"].record
    assert [update.note for update in record.updates] == ["Before."]
    assert (record.updated_at, archive.as_of) == (datetime(2026, 6, 1, tzinfo=UTC),) * 2
    assert archive.next_moment == datetime(2026, 12, 1, tzinfo=UTC)
    assert sorted(fault.message.split(":")[0] for fault in faults if fault.code.id == "CP050") == [
        "lastmod",
        "revisions[0].date",
        "updates[1].date",
    ]
    record = assembled(where, moment=datetime(2026, 12, 3, tzinfo=UTC)).entries["patterns/x"].record
    assert record.updated_at == datetime(2026, 12, 3, tzinfo=UTC)
    assert [update.note for update in record.updates if update.note] == ["Ahead.", "Before."]


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("posts/x", post(sources=[SOURCE | {"accessed_at": AHEAD}]), "sources[0].accessed_at"),
        ("posts/x", post(sources=[SOURCE | {"published_at": AHEAD}]), "sources[0].published_at"),
        ("signals/x", signal(observed_at=AHEAD), "observed_at"),
        ("patterns/x", pattern(first_observed_at=AHEAD), "first_observed_at"),
        (
            "patterns/x",
            pattern(confidence={"level": "low", "rationale": "One.", "assessed_at": AHEAD}),
            "confidence.assessed_at",
        ),
        ("forecasts/x", forecast(made_at=AHEAD, resolves_at="2063-01-01"), "made_at"),
        ("forecasts/x", forecast(status="resolved_yes", resolved_at=AHEAD), "resolved_at"),
        ("posts/x", markdown({"title": "X", "gone": {"date": AHEAD}}), "gone"),
        ("pages/x", markdown({"title": "X", "lastmod": AHEAD}), "lastmod"),
    ],
)
def test_a_date_of_what_has_happened_may_not_lie_ahead(tmp_path: Path, name: str, text: str, where: str) -> None:
    archive, _ = checked(folder(tmp_path, {f"content/{name}.md": text}))
    assert archive is None
    assert f"CP051 {where}" in codes(tmp_path, name, text)


def test_shared_sources_and_datasets_may_not_lie_ahead_either(tmp_path: Path) -> None:
    files = {
        "content/sources.yaml": f"sources:\n  one: {{url: 'https://a.example/', accessed_at: {AHEAD}}}\n",
        "datasets/rows/README.md": markdown({"title": "Rows", "summary": "Some.", "date": AHEAD}),
        "datasets/rows/schema.json": '{"type": "object", "properties": {"a": {"type": "string", "description": "A."}}}',
        "datasets/rows/v1.csv": "a\nx\n",
    }
    _, faults = checked(folder(tmp_path, files))
    assert [fault.place.file for fault in faults if fault.code.id == "CP051"] == [
        "content/sources.yaml",
        "datasets/rows/README.md",
    ]


def test_plans_and_deadlines_may_lie_ahead(tmp_path: Path) -> None:
    assert codes(tmp_path, "forecasts/x", forecast(resolves_at=AHEAD)) == []
    assert codes(tmp_path, "posts/x", post(expiryDate=AHEAD)) == []
    assert codes(tmp_path, "patterns/x", pattern(evidence=[{"text": "It is announced.", "date": AHEAD}])) == []


def test_a_day_that_has_not_begun_in_utc_is_told_how_to_be_written(tmp_path: Path) -> None:
    source = SOURCE | {"accessed_at": "2026-11-22"}
    _, faults = checked(folder(tmp_path, {"content/posts/x.md": post(sources=[source])}))
    assert next(fault.hint for fault in faults if fault.code.id == "CP051").startswith("days are UTC")
    source = SOURCE | {"accessed_at": "2026-11-21T09:00:00+13:00"}
    assert codes(tmp_path, "posts/x", post(sources=[source], lastmod="2026-11-20")) == ["CP052 lastmod"]


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("posts/x", post(lastmod="2026-04-01"), "CP024 lastmod"),
        ("posts/x", post(updates=[{"date": "2026-04-01", "note": "Earlier."}]), "CP024 updates[0].date"),
        ("posts/x", post(publishDate="2026-06-01", expiryDate="2026-06-01"), "CP024 expiryDate"),
        ("posts/x", post(lastmod="2026-06-01"), "CP052 lastmod"),
        ("posts/x", post(sources=[SOURCE | {"published_at": "2026-05-02"}]), "CP053 sources[0].published_at"),
        ("patterns/x", pattern(first_observed_at="2026-05-02"), "CP053 first_observed_at"),
        (
            "signals/x",
            signal(
                provenance={
                    "collected_by": "us",
                    "method": "reading",
                    "source_url": "https://a.example/",
                    "captured_at": "2026-05-02",
                }
            ),
            "CP054 provenance.captured_at",
        ),
        ("forecasts/x", forecast(status="resolved_yes", resolved_at="2026-05-01"), "CP055 date"),
        (
            "posts/x",
            post(sources=[SOURCE | {"accessed_at": "2026-04-01", "published_at": "2026-04-02"}]),
            "CP059 sources[0].published_at",
        ),
    ],
)
def test_what_a_record_says_of_time_that_cannot_be_is_told(tmp_path: Path, name: str, text: str, fault: str) -> None:
    assert codes(tmp_path, name, text) == [fault]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("posts/x", post(lastmod="2026-05-01")),
        ("posts/x", post(date="2026-05-01T10:00:00Z", lastmod="2026-05-01")),
        ("posts/x", post(lastmod="2026-06-01", updates=[{"date": "2026-06-01", "note": "More."}])),
        (
            "posts/x",
            post(
                sources=[SOURCE | {"accessed_at": "2026-05-02"}],
                updates=[{"date": "2026-05-02", "note": "Read again."}],
            ),
        ),
        ("posts/x", post(credits=[{"date": "2026-06-01", "note": "It was used."}])),
        ("forecasts/x", forecast(status="resolved_yes", resolved_at="2026-05-01", retrospective=True)),
        ("forecasts/x", forecast(status="resolved_yes", resolved_at="2026-05-02")),
    ],
)
def test_what_a_note_or_the_same_day_explains_is_not_told(tmp_path: Path, name: str, text: str) -> None:
    assert codes(tmp_path, name, text) == []


def test_a_shared_source_that_was_published_later_is_told_where_it_is_named(tmp_path: Path) -> None:
    shared = "sources:\n  one: {url: 'https://a.example/', published_at: 2026-06-01}\n"
    _, faults = checked(folder(tmp_path, {"content/sources.yaml": shared, "content/posts/x.md": post(sources=["one"])}))
    assert [fault.message.split(":")[0] for fault in faults if fault.code.id == "CP053"] == ["sources[0]"]


def test_a_digest_lists_nothing_that_came_after_it(tmp_path: Path) -> None:
    digest = {
        "title": "A digest",
        "summary": "What changed.",
        "date": "2026-06-02",
        "period": {"start": "2026-05-01", "end": "2026-05-31"},
        "records": ["posts/early", "posts/late"],
    }
    posts = {"posts__early": post(date="2026-05-20"), "posts__late": post(date="2026-06-07")}
    assert codes(tmp_path, "metadox/x", markdown(digest), **posts) == ["CP056 records[1]"]
    digest["updates"] = [{"date": "2026-06-07", "note": "One more."}]
    assert codes(tmp_path, "metadox/x", markdown(digest), **posts) == []


def test_a_pattern_is_first_observed_no_later_than_its_first_signal(tmp_path: Path) -> None:
    early = {"signals__early": signal(observed_at="2026-03-01", supports=["x"])}
    assert codes(tmp_path, "patterns/x", pattern(), **early) == ["CP057 first_observed_at"]
    assert codes(tmp_path, "patterns/x", pattern(first_observed_at="2026-03-01"), **early) == []


def test_a_scheduled_record_is_told_of_its_faults_before_its_day(tmp_path: Path) -> None:
    text = post(date="2026-12-01", publishDate="2026-12-01", lastmod="2026-11-30")
    assert codes(tmp_path, "posts/x", text) == ["CP024 lastmod"]


def test_topics_of_one_name_are_told(tmp_path: Path) -> None:
    others = {"topics__b": topic(title="Agents"), "topics__agents": topic(title="Other")}
    assert codes(tmp_path, "topics/c", topic(title="agents"), **others) == ["CP058 title"]


def test_the_demo_breaks_no_rule_of_time() -> None:
    _, faults = checked(
        Path(__file__).parents[4] / "examples" / "agent-archive", moment=datetime(2026, 11, 22, 12, tzinfo=UTC)
    )
    assert [fault for fault in faults if fault.code.id.startswith("CP05") or fault.code.level is Level.ERROR] == []


def test_now_is_not_ahead(tmp_path: Path) -> None:
    archive = assembled(folder(tmp_path, {"content/posts/x.md": post(date=NOW.isoformat())}))
    assert archive.as_of == NOW
