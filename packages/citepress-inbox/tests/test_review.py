import pytest

from citepress_inbox.ports import Status, StatusChange
from citepress_inbox.review import (
    AHEAD,
    BEGINNING,
    REASONS,
    ReviewError,
    annotate,
    decline,
    digest,
    digest_text,
    duplicate,
    event_json,
    everything,
    history,
    move,
    submission_by_id,
    submission_json,
)
from citepress_inbox.sql_inbox import SqlInbox
from support.stores import NOW, hand_in, later, numbered, submission

WAYS = {
    Status.QUEUED: {Status.IN_REVIEW, Status.ACCEPTED, Status.DECLINED, Status.DUPLICATE},
    Status.IN_REVIEW: {Status.ACCEPTED, Status.DECLINED, Status.DUPLICATE},
    Status.ACCEPTED: {Status.CREDITED},
    Status.CREDITED: set(),
    Status.DECLINED: set(),
    Status.DUPLICATE: set(),
}
THROUGH = {
    Status.QUEUED: [],
    Status.IN_REVIEW: [Status.IN_REVIEW],
    Status.ACCEPTED: [Status.ACCEPTED],
    Status.CREDITED: [Status.ACCEPTED, Status.CREDITED],
    Status.DECLINED: [Status.DECLINED],
    Status.DUPLICATE: [Status.DUPLICATE],
}


def at(inbox: SqlInbox, status: Status) -> str:
    """A submission of this status."""
    id_ = hand_in(inbox, submission()).stored.id
    for to in THROUGH[status]:
        move(inbox, submission_by_id(inbox, id_), StatusChange("mo", to), NOW)
    return id_


@pytest.mark.parametrize("start", Status)
@pytest.mark.parametrize("to", Status)
def test_a_submission_goes_only_the_ways_that_are_stated(inbox: SqlInbox, start: Status, to: Status) -> None:
    id_ = at(inbox, start)
    if to in WAYS[start]:
        assert move(inbox, submission_by_id(inbox, id_), StatusChange("mo", to), NOW).status is to
    else:
        with pytest.raises(ReviewError, match=f"is {start}"):
            move(inbox, submission_by_id(inbox, id_), StatusChange("mo", to), NOW)
        assert submission_by_id(inbox, id_).status is start


def test_every_decision_passes_through_the_review(inbox: SqlInbox) -> None:
    id_ = hand_in(inbox, submission()).stored.id
    decline(inbox, id_, "mo", later(hours=1), reason="unclear", note="Which claim?")
    assert [(event.came_from, event.to, event.by) for event in history(inbox, id_)] == [
        (None, Status.QUEUED, "agent"),
        (Status.QUEUED, Status.IN_REVIEW, "mo"),
        (Status.IN_REVIEW, Status.DECLINED, "mo"),
    ]


def test_a_reason_is_one_of_the_stated_words(inbox: SqlInbox) -> None:
    id_ = hand_in(inbox, submission()).stored.id
    with pytest.raises(ReviewError, match=REASONS[0]):
        decline(inbox, id_, "mo", NOW, reason="because")
    assert decline(inbox, id_, "mo", NOW).reason_code == "other"


def test_a_duplicate_names_the_submission_that_it_repeats(inbox: SqlInbox) -> None:
    first, second = (hand_in(inbox, numbered(number)).stored.id for number in (1, 2))
    with pytest.raises(ReviewError, match="no submission 'nobody'"):
        duplicate(inbox, second, "nobody", "mo", NOW)
    with pytest.raises(ReviewError, match="of itself"):
        duplicate(inbox, second, second, "mo", NOW)
    assert duplicate(inbox, second, first, "mo", NOW).duplicate_of == first


def test_a_note_is_remembered_with_its_author_in_any_status(inbox: SqlInbox) -> None:
    id_ = at(inbox, Status.DECLINED)
    assert annotate(inbox, id_, "jo", later(hours=2), "Told them by mail.").status is Status.DECLINED
    event = list(history(inbox, id_))[-1]
    assert (event.by, event.note, event.to, event.at) == ("jo", "Told them by mail.", None, later(hours=2))


def test_the_digest_groups_what_waits_by_record_oldest_first_and_takes_it_up(inbox: SqlInbox) -> None:
    about = ["posts/b", "posts/a", "posts/b"]
    ids = [
        hand_in(inbox, submission(url=f"https://source.example/{n}", related_record=subject)).stored.id
        for n, subject in enumerate(about)
    ]
    decided = hand_in(inbox, submission("usage_receipt")).stored.id
    decline(inbox, decided, "mo", NOW)
    move(inbox, submission_by_id(inbox, ids[2]), StatusChange("jo", Status.IN_REVIEW), NOW)
    review = digest(inbox, "mo", later(days=2))
    assert [(group.record, [submission.id for submission in group.submissions]) for group in review.groups] == [
        ("posts/b", [ids[0], ids[2]]),
        ("posts/a", [ids[1]]),
    ]
    assert {submission.status for submission in everything(inbox)} == {Status.IN_REVIEW, Status.DECLINED}
    assert [event.by for event in history(inbox) if event.to is Status.IN_REVIEW] == ["mo", "jo", "mo", "mo"]
    assert digest(inbox, "mo", later(days=3)).count == 3


def test_the_digest_reads_as_text(inbox: SqlInbox) -> None:
    id_ = hand_in(inbox, submission(reason="Word " * 300)).stored.id
    text = digest_text(digest(inbox, "mo", later(days=2)))
    assert text.startswith(
        f"Review of 2026-11-23: 1 waiting\n\nposts/x\n  {id_}  source  2026-11-21\n    url:"
        " https://source.example/one\n"
    )
    assert "    agent: Reader\n" in text
    assert max(map(len, text.splitlines())) < 300


def test_an_empty_inbox_has_an_empty_digest(inbox: SqlInbox) -> None:
    assert digest_text(digest(inbox, "mo", NOW)) == "Review of 2026-11-21: 0 waiting\n"


def test_everything_is_walked_over_pages(inbox: SqlInbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citepress_inbox.review.PAGE_ROWS", 2)
    ids = [hand_in(inbox, numbered(number)).stored.id for number in range(5)]
    assert [submission.id for submission in everything(inbox)] == [event.submission for event in history(inbox)] == ids


def test_the_history_is_exported_as_plain_members(inbox: SqlInbox) -> None:
    id_ = at(inbox, Status.DECLINED)
    assert submission_json(submission_by_id(inbox, id_))["status"] == "declined"
    assert [event_json(event) for event in history(inbox, id_)][1] == {
        "number": 2,
        "submission": id_,
        "at": "2026-11-21T12:00:00Z",
        "by": "mo",
        "from": "queued",
        "to": "in_review",
        "note": "",
        "detail": {},
    }


def test_no_way_leads_back() -> None:
    order = list(Status)
    assert all(order.index(to) > order.index(start) for start, ahead in AHEAD.items() for to in ahead)


def test_an_id_may_be_cut_short_as_long_as_it_is_the_only_one(inbox: SqlInbox) -> None:
    first, second = (hand_in(inbox, numbered(number)).stored.id for number in range(2))
    length = next(length for length in range(BEGINNING, len(first) + 1) if first[:length] != second[:length])
    assert submission_by_id(inbox, first[:length]).id == first
    assert decline(inbox, second[:length], "mo", NOW).id == second
    assert annotate(inbox, first[:length], "mo", NOW, "A note.").id == first
    with pytest.raises(ReviewError, match="cannot be a duplicate of itself"):
        duplicate(inbox, first, first[:length], "mo", NOW)
    for unknown in ("", first[: BEGINNING - 1], "~~~~~~"):
        with pytest.raises(ReviewError, match="there is no submission"):
            submission_by_id(inbox, unknown)


def test_the_beginning_of_several_ids_names_them(inbox: SqlInbox, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (hand_in(inbox, numbered(number)).stored.id for number in range(2))
    monkeypatch.setattr("citepress_inbox.review.BEGINNING", 0)
    with pytest.raises(ReviewError, match="begins the ids of 2 submissions") as raised:
        submission_by_id(inbox, "")
    assert first in str(raised.value)
    assert second in str(raised.value)
