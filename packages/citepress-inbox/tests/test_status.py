from datetime import UTC, datetime, timedelta, timezone

import pytest

from citepress.contract.site import Site
from citepress_inbox.ports import Status, StoredSubmission
from citepress_inbox.status import document, next_review
from support.stores import CORRECTION, NOW, later

SITE = Site(base_url="https://archive.test")
STORED = StoredSubmission("a" * 32, "correction", Status.QUEUED, "posts/x", CORRECTION, NOW, later(hours=1))


def test_the_status_document_has_exactly_the_stated_members() -> None:
    assert document(STORED, later(hours=2), SITE.url).model_dump(mode="json") == {
        "schema_version": 1,
        "id": "a" * 32,
        "kind": "correction",
        "status": "queued",
        "submitted_at": "2026-11-21T12:00:00Z",
        "updated_at": "2026-11-21T13:00:00Z",
        "review": {"cadence": "weekly", "day": "Monday", "next_review_at": "2026-11-23T00:00:00Z"},
        "duplicate": False,
        "duplicate_of": None,
        "credited_in": None,
        "reason_code": None,
        "status_url": f"https://archive.test/agent-inbox/submissions/{'a' * 32}.json",
    }


def test_nothing_of_the_body_or_its_sender_is_shown() -> None:
    text = document(STORED, NOW, SITE.url).model_dump_json()
    assert not any(word in text for word in ("Reader", "proof.example", "posts/x", "It is not so"))


def test_a_repeat_and_a_found_duplicate_are_called_so() -> None:
    assert document(STORED, NOW, SITE.url, repeated=True).duplicate
    stored = StoredSubmission("a" * 32, "source", Status.DUPLICATE, "", {}, NOW, NOW, duplicate_of="b" * 32)
    assert document(stored, NOW, SITE.url).duplicate
    assert document(stored, NOW, SITE.url).duplicate_of == "b" * 32


@pytest.mark.parametrize("status", Status)
def test_a_decided_submission_waits_for_no_review(status: Status) -> None:
    stored = StoredSubmission("a" * 32, "source", status, "", {}, NOW, NOW, "https://archive.test/posts/x/", "spam")
    review = document(stored, NOW, SITE.url).review
    assert (review.next_review_at is None) == (status in (Status.CREDITED, Status.DECLINED, Status.DUPLICATE))


@pytest.mark.parametrize(
    ("moment", "monday"),
    [
        (datetime(2026, 11, 22, 23, 59, 59, tzinfo=UTC), 23),
        (datetime(2026, 11, 23, 0, 0, 0, tzinfo=UTC), 30),
        (datetime(2026, 11, 23, 10, tzinfo=UTC), 30),
        (datetime(2026, 11, 23, 0, 30, tzinfo=timezone(timedelta(hours=1))), 23),
    ],
)
def test_the_next_review_is_the_first_monday_after_the_moment(moment: datetime, monday: int) -> None:
    assert next_review(moment) == datetime(2026, 11, monday, tzinfo=UTC)
    assert next_review(moment).weekday() == 0
