import os
from pathlib import Path
from typing import Any

import pytest

from citepress.archive.assemble import check
from citepress_inbox import accept as room
from citepress_inbox.accept import Accepted, accept, credit_published
from citepress_inbox.change import AcceptError, Decision, change_of
from citepress_inbox.ports import Status, StatusChange, StatusConflict
from citepress_inbox.review import ReviewError, decline, history, move
from citepress_inbox.sql_inbox import SqlInbox
from support.folder import SPEC, assembled, folder, forecast, markdown, post, reading
from support.stores import NOW, hand_in, later, submission

MONDAY = later(days=2)
FRONT = """---
# A note that is kept by hand.
title: "A note"   # quoted
summary: What it says.
date: 2026-05-01
retrieval_nugget: One sentence.
claims: []
sources:
  - id: spec
    url: https://spec.example/one   # the text itself
corrections: []
---

The text,  with  odd   spaces.
"""
ONLY = {"note_only": True, "note": "It is disputed."}
"""A correction that leaves the text unchanged."""


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return folder(tmp_path / "archive", {"content/posts/x.md": FRONT, "content/posts/y.md": post()})


def take(inbox: SqlInbox, content: Path, id_: str, **options: Any) -> Accepted:
    return accept(inbox, reading(content, moment=MONDAY), id_, "mo", MONDAY, Decision(**options))


def test_a_source_enters_with_an_update_that_credits_it_and_the_day_it_was_read(inbox: SqlInbox, content: Path) -> None:
    id_ = hand_in(inbox, submission()).stored.id
    done = take(inbox, content, id_)
    assert done.patch.diff == (
        "--- a/content/posts/x.md\n+++ b/content/posts/x.md\n@@ -8,7 +8,14 @@\n sources:\n   - id: spec\n"
        "     url: https://spec.example/one   # the text itself\n+  - url: https://source.example/one\n+   "
        " accessed_at: 2026-11-23\n"
        " corrections: []\n+updates:\n+- date: 2026-11-23\n"
        f'+  note: "Source added: https://source.example/one"\n+  credit: Reader\n+  submission: {id_}\n ---\n \n'
        " The text,  with  odd   spaces.\n"
    )
    archive = assembled(content, moment=MONDAY)
    record = archive.entries["posts/x"].record
    assert [(source.id, source.url, source.title) for source in record.sources] == [
        ("spec", "https://spec.example/one", "spec.example"),
        ("s2", "https://source.example/one", "source.example"),
    ]
    assert (archive.changes[0].record, archive.changes[0].credit) == ("posts/x", "Reader")


def test_what_follows_a_reader_is_not_cited(inbox: SqlInbox, content: Path) -> None:
    take(inbox, content, hand_in(inbox, submission(url="https://source.example/One/?utm_source=agent&id=7")).stored.id)
    assert "- url: https://source.example/One/?id=7\n" in (content / "content/posts/x.md").read_text()


def test_the_moderators_credit_stands_in_for_the_agents_name(inbox: SqlInbox, content: Path) -> None:
    take(inbox, content, hand_in(inbox, submission("correction")).stored.id, credit="R. Reader, by agent", **ONLY)
    assert assembled(content, moment=MONDAY).entries["posts/x"].record.corrections[0].credit == "R. Reader, by agent"


def test_a_submission_without_a_name_is_credited_too(inbox: SqlInbox, content: Path) -> None:
    take(inbox, content, hand_in(inbox, submission("correction", agent=None)).stored.id, **ONLY)
    assert assembled(content, moment=MONDAY).entries["posts/x"].record.corrections[0].credit == "a reader's agent"


def test_a_stated_date_of_change_and_revision_follow(inbox: SqlInbox, tmp_path: Path) -> None:
    content = folder(tmp_path / "archive", {"content/posts/x.md": post(lastmod="2026-06-01", revision=4)})
    take(inbox, content, hand_in(inbox, submission("usage_receipt")).stored.id)
    assert assembled(content, moment=MONDAY).entries["posts/x"].record.revision == 4
    take(inbox, content, hand_in(inbox, submission("correction")).stored.id, **ONLY)
    record = assembled(content, moment=MONDAY).entries["posts/x"].record
    assert (record.updated_at.date(), record.revision) == (MONDAY.date(), 5)


def test_what_is_scheduled_for_a_record_waits_on_while_it_takes_from_the_inbox(inbox: SqlInbox, tmp_path: Path) -> None:
    ahead = post(lastmod="2026-12-24", updates=[{"date": "2026-12-24", "note": "x"}])
    content = folder(tmp_path / "archive", {"content/posts/x.md": ahead})
    for kind, options in (("source", {}), ("correction", ONLY), ("usage_receipt", {})):
        take(inbox, content, hand_in(inbox, submission(kind)).stored.id, **options)
    record = assembled(content, moment=MONDAY).entries["posts/x"].record
    assert (len(record.updates), len(record.corrections), len(record.credits), record.revision) == (1, 1, 1, 3)
    assert "2026-12-24" in (content / "content/posts/x.md").read_text()


def test_a_change_that_only_lastmod_tells_of_stays_published(inbox: SqlInbox, tmp_path: Path) -> None:
    content = folder(tmp_path / "archive", {"content/posts/x.md": post(date="2026-07-01", lastmod="2026-07-20")})
    before = assembled(content, moment=MONDAY).entries["posts/x"].record
    assert before.revision == 2
    for revision, kind, options in ((3, "source", {}), (4, "correction", ONLY)):
        take(inbox, content, hand_in(inbox, submission(kind)).stored.id, **options)
        record = assembled(content, moment=MONDAY).entries["posts/x"].record
        assert (record.revision, record.updated_at.date()) == (revision, MONDAY.date())
        assert before.updates[0].id in [update.id for update in record.updates]


def test_the_evidence_of_a_correction_does_not_say_that_the_record_was_read_against_it(
    inbox: SqlInbox, content: Path
) -> None:
    take(
        inbox,
        content,
        hand_in(inbox, submission("correction", evidence_urls=["https://e.example/dictionary"])).stored.id,
        **ONLY,
    )
    added = assembled(content, moment=MONDAY).entries["posts/x"].record.sources[-1]
    assert (added.url, added.accessed_at) == ("https://e.example/dictionary", None)


def test_a_usage_receipt_is_credited_in_its_record_which_does_not_change_by_that(
    inbox: SqlInbox, content: Path
) -> None:
    before = assembled(content, moment=MONDAY)
    id_ = hand_in(inbox, submission("usage_receipt", agent={"name": "Reader"}, use="BUY OUR TEA.")).stored.id
    done = take(inbox, content, id_)
    assert done.stored.status is Status.ACCEPTED
    after = assembled(content, moment=MONDAY)
    record, former = after.entries["posts/x"].record, before.entries["posts/x"].record
    (credit,) = record.credits
    assert (credit.note, credit.credit, credit.submission) == (
        "An agent reported what it used this record for.",
        "Reader",
        id_,
    )
    assert (record.updated_at, record.revision, record.updates) == (former.updated_at, former.revision, former.updates)
    assert after.changes == before.changes
    assert [submission.credited_in for submission in credit_published(inbox, after, MONDAY)] == [record.canonical_url]


def test_a_source_that_names_no_record_needs_one_from_the_moderator(inbox: SqlInbox, content: Path) -> None:
    id_ = hand_in(inbox, submission(related_record=None)).stored.id
    with pytest.raises(AcceptError, match="names no record"):
        take(inbox, content, id_)
    assert take(inbox, content, id_, record="posts/y").patch.diff
    assert assembled(content, moment=MONDAY).entries["posts/y"].record.source_urls == ["https://source.example/one"]


def refused(inbox: SqlInbox, content: Path, id_: str, words: str, **options: Any) -> None:
    """The acceptance is refused with these words, and neither the store nor the folder changes."""
    before = {path: path.read_bytes() for path in content.rglob("*") if path.is_file()}
    with pytest.raises(AcceptError, match=words):
        take(inbox, content, id_, **options)
    assert [event.to for event in history(inbox, id_)] == [Status.QUEUED]
    assert {path: path.read_bytes() for path in content.rglob("*") if path.is_file()} == before


def test_a_record_that_is_not_there_is_told_with_the_nearest(inbox: SqlInbox, content: Path) -> None:
    id_ = hand_in(inbox, submission("correction", related_record="posts/xx")).stored.id
    refused(inbox, content, id_, r"'posts/xx' is not a published record; did you mean \"posts/x\"\?")


def test_a_source_that_the_record_cites_already_is_refused(inbox: SqlInbox, content: Path) -> None:
    id_ = hand_in(inbox, submission(url="https://SPEC.example/one/#top")).stored.id
    refused(inbox, content, id_, "already cites https://SPEC.example/one/#top")


def test_a_shared_source_that_the_record_cites_already_is_refused(inbox: SqlInbox, tmp_path: Path) -> None:
    shared = "sources:\n  key:\n    url: https://source.example/one\n    title: One\n"
    content = folder(
        tmp_path / "archive", {"content/sources.yaml": shared, "content/posts/x.md": post(sources=["key"])}
    )
    assert assembled(content).entries["posts/x"].record.source_urls == ["https://source.example/one"]
    refused(inbox, content, hand_in(inbox, submission()).stored.id, "already cites https://source.example/one")


def test_a_change_that_the_checks_would_not_pass_is_refused(inbox: SqlInbox, tmp_path: Path) -> None:
    many = [f"https://a.example/{number}" for number in range(200)]
    content = folder(tmp_path / "archive", {"content/posts/x.md": post(sources=many)})
    refused(
        inbox,
        content,
        hand_in(inbox, submission()).stored.id,
        "would not pass its checks: content/posts/x.md:.* at most 200",
    )


def test_a_record_written_in_a_way_that_cannot_be_added_to_is_refused(inbox: SqlInbox, tmp_path: Path) -> None:
    text = post().replace("claims: []", "claims: []\nextra: {a: &none []}\ncorrections: *none")
    content = folder(tmp_path / "archive", {"content/posts/x.md": text})
    refused(
        inbox,
        content,
        hand_in(inbox, submission("correction")).stored.id,
        "content/posts/x.md: corrections: is not a list",
        **ONLY,
    )


def test_faults_elsewhere_in_the_folder_do_not_stand_in_the_way(inbox: SqlInbox, content: Path) -> None:
    (content / "content/posts/bad.md").write_text("---\ntitle: 7\n---\n")
    assert take(inbox, content, hand_in(inbox, submission("correction")).stored.id, **ONLY).patch.diff


def test_a_plain_folder_takes_corrections(inbox: SqlInbox, tmp_path: Path) -> None:
    note = markdown({"title": "X", "date": "2026-05-01"})
    content = folder(tmp_path / "notes", {"x.md": note, "2026-05-02.md": "# Y\n\nText.\n"}, site=None)
    take(inbox, content, hand_in(inbox, submission("correction")).stored.id, **ONLY)
    assert assembled(content, moment=MONDAY).entries["posts/x"].record.corrections[0].credit == "Reader"
    named = {"related_record": "posts/2026-05-02", "claim": "Text.", "correction": "A better text."}
    bare = hand_in(inbox, submission("correction", **named)).stored.id
    take(inbox, content, bare, as_proposed=True, note="It is better.")
    written = (content / "2026-05-02.md").read_text()
    assert written.startswith("---\nsources:\n- url: ")
    assert written.endswith("---\n# Y\n\nA better text.\n")
    record = assembled(content, moment=MONDAY).entries["posts/2026-05-02"].record
    assert (record.title, record.corrections[0].note) == ("Y", "It is better.")


def test_a_last_change_under_the_key_of_another_tool_does_not_keep_a_correction_out(
    inbox: SqlInbox, tmp_path: Path
) -> None:
    front = {"title": "X", "date": "2026-01-01", "updated": "2026-02-01"}
    front |= {"updates": [{"date": "2026-02-01", "note": "A table."}]}
    content = folder(tmp_path / "notes", {"x.md": markdown(front)}, site=None)
    take(inbox, content, hand_in(inbox, submission("correction")).stored.id, **ONLY)
    record = assembled(content, moment=MONDAY).entries["posts/x"].record
    assert (len(record.updates), len(record.corrections)) == (1, 1)
    assert record.updated_at == record.corrections[0].date


def test_every_kind_of_record_takes_corrections_and_sources(inbox: SqlInbox, tmp_path: Path) -> None:
    content = folder(tmp_path / "archive", {"content/forecasts/f.md": forecast(sources=[SPEC])})
    for kind in ("correction", "source", "usage_receipt"):
        options = ONLY if kind == "correction" else {}
        take(inbox, content, hand_in(inbox, submission(kind, related_record="forecasts/f")).stored.id, **options)
    record = assembled(content, moment=MONDAY).entries["forecasts/f"].record
    assert (len(record.sources), len(record.corrections), len(record.updates), len(record.credits)) == (3, 1, 1, 1)


def test_accepting_again_writes_a_change_that_is_missing_and_never_twice(inbox: SqlInbox, content: Path) -> None:
    id_ = hand_in(inbox, submission()).stored.id
    take(inbox, content, id_, note="Now with a second source.")
    patched = (content / "content/posts/x.md").read_text()
    assert take(inbox, content, id_).patch.diff == ""
    (content / "content/posts/x.md").write_text(FRONT)
    take(inbox, content, id_, note="Other words.")
    assert (content / "content/posts/x.md").read_text() == patched
    assert len([event for event in history(inbox, id_) if event.to is Status.ACCEPTED]) == 1


def test_of_two_reviewers_at_once_only_the_first_writes(
    inbox: SqlInbox, content: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = hand_in(inbox, submission()).stored.id
    plan = room.plan

    def meanwhile(*arguments: Any) -> Any:
        patch = plan(*arguments)
        decline(inbox, id_, "jo", MONDAY)
        return patch

    monkeypatch.setattr(room, "plan", meanwhile)
    with pytest.raises(StatusConflict):
        take(inbox, content, id_)
    assert (content / "content/posts/x.md").read_text() == FRONT
    with pytest.raises(ReviewError, match="is declined: that is final"):
        take(inbox, content, id_)


def test_an_edit_made_meanwhile_is_not_lost(inbox: SqlInbox, content: Path) -> None:
    id_ = hand_in(inbox, submission("correction")).stored.id
    before = reading(content, moment=MONDAY)
    patch = room.plan(before, change_of(inbox.listed()[0], MONDAY, Decision(**ONLY), FRONT))
    edit = FRONT.replace("odd", "even")
    (content / "content/posts/x.md").write_text(edit)
    with pytest.raises(AcceptError, match="changed in the meantime"):
        room.write(content, patch)
    assert (content / "content/posts/x.md").read_text() == edit
    take(inbox, content, id_, **ONLY)
    assert "even   spaces" in (content / "content/posts/x.md").read_text()


def test_the_file_keeps_its_mode_and_nothing_is_left_beside_it(inbox: SqlInbox, content: Path) -> None:
    (content / "content/posts/x.md").chmod(0o640)
    take(inbox, content, hand_in(inbox, submission()).stored.id)
    assert (content / "content/posts/x.md").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in (content / "content/posts").iterdir()) == ["x.md", "y.md"]


def test_what_a_killed_acceptance_left_goes_with_the_next(inbox: SqlInbox, content: Path) -> None:
    where, at = content / "content/posts", MONDAY.timestamp()
    for name, age in ((".accept-abcd_123", 61), (".accept-abcd_124", 5), (".accept-mine", 999)):
        (where / name).write_text("left")
        os.utime(where / name, (at - age, at - age))
    take(inbox, content, hand_in(inbox, submission()).stored.id)
    assert sorted(path.name for path in where.iterdir()) == [".accept-abcd_124", ".accept-mine", "x.md", "y.md"]


def test_a_submission_is_credited_when_the_published_archive_shows_its_change(inbox: SqlInbox, content: Path) -> None:
    ids = [hand_in(inbox, submission(kind)).stored.id for kind in ("source", "correction", "usage_receipt")]
    published = assembled(content)
    for id_, options in zip(ids, ({}, ONLY, {}), strict=True):
        take(inbox, content, id_, **options)
    assert credit_published(inbox, published, MONDAY) == ()
    credited = credit_published(inbox, assembled(content, moment=MONDAY), MONDAY)
    assert [submission.id for submission in credited] == ids
    assert {submission.credited_in for submission in credited} == {"https://archive.test/posts/x/"}
    assert [event.by for event in history(inbox, ids[0])] == ["agent", "mo", "mo", "citepress"]
    assert credit_published(inbox, assembled(content, moment=MONDAY), MONDAY) == ()
    assert NOW < MONDAY


def test_the_credit_is_that_of_the_submission_whatever_an_editor_makes_of_the_note(
    inbox: SqlInbox, content: Path
) -> None:
    id_ = hand_in(inbox, submission()).stored.id
    take(inbox, content, id_, note="clumsy words")
    file = content / "content/posts/x.md"
    better = file.read_text().replace("clumsy words", "Better ones.").replace("credit: Reader", "credit: A reader")
    file.unlink()
    (content / "content/posts/renamed.md").write_text(better)
    (credited,) = credit_published(inbox, assembled(content, moment=MONDAY), MONDAY)
    assert (credited.id, credited.status, credited.credited_in) == (
        id_,
        Status.CREDITED,
        "https://archive.test/posts/renamed/",
    )


def test_two_credits_of_the_same_words_are_two(inbox: SqlInbox, content: Path) -> None:
    first, second = (hand_in(inbox, submission("usage_receipt", use=f"Use {number}.")).stored.id for number in "ab")
    take(inbox, content, first)
    assert [submission.id for submission in credit_published(inbox, assembled(content, moment=MONDAY), MONDAY)] == [
        first
    ]
    assert take(inbox, content, second).patch.diff
    assert [submission.id for submission in credit_published(inbox, assembled(content, moment=MONDAY), MONDAY)] == [
        second
    ]


def test_what_was_accepted_before_credits_had_an_id_is_credited_by_its_words(inbox: SqlInbox, content: Path) -> None:
    stored = hand_in(inbox, submission()).stored
    detail = {
        "record": "posts/x",
        "list": "updates",
        "date": "2026-11-20",
        "note": "Former words.",
        "credit": "Reader",
        "source": "",
    }
    move(inbox, stored, StatusChange("mo", Status.ACCEPTED, detail=detail), MONDAY)
    receipt = hand_in(inbox, submission("usage_receipt")).stored
    move(inbox, receipt, StatusChange("mo", Status.ACCEPTED), MONDAY)
    update = "updates:\n- date: 2026-11-20\n  note: Former words.\n  credit: Reader\n---\n\n"
    (content / "content/posts/x.md").write_text(FRONT.replace("---\n\n", update))
    assert [submission.id for submission in credit_published(inbox, assembled(content, moment=MONDAY), MONDAY)] == [
        stored.id
    ]
    assert take(inbox, content, receipt.id).patch.diff, (
        "a receipt that nobody credited is credited when it is accepted again"
    )
    assert [submission.id for submission in credit_published(inbox, assembled(content, moment=MONDAY), MONDAY)] == [
        receipt.id
    ]


def test_accepting_checks_the_archive_once(inbox: SqlInbox, content: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = []

    def counted(*arguments: Any) -> Any:
        checks.append(arguments)
        return check(*arguments)

    monkeypatch.setattr(room, "check", counted)
    take(inbox, content, hand_in(inbox, submission()).stored.id)
    assert len(checks) == 1
