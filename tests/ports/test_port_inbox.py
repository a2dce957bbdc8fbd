import pytest
import sqlalchemy as sa

from citepress.contract.limits import SITE_QUOTA, Limit
from citepress.stores.sql.database import STATE_FILE, Database
from citepress.stores.sql.store_tables import declared_stores
from citepress_inbox.ports import InboxStore, Status, StatusChange, StatusConflict, SubmissionQuotaExceeded
from citepress_inbox.sql_inbox import SqlInbox
from citepress_inbox.tables import REPEATS, SPENDING
from support.stores import (
    LIMIT,
    NOW,
    answers,
    barrier,
    hand_in,
    later,
    numbered,
    opened,
    submission,
    submit_for_clients,
    submit_together,
)

pytestmark = pytest.mark.long

THREE = Limit("inbox", 3, 86_400)


def test_the_store_fills_the_port(inbox: SqlInbox) -> None:
    port: InboxStore = inbox
    assert port.find("nobody") is None


def test_a_submission_is_queued_and_found_as_it_was_given(inbox: SqlInbox) -> None:
    new = submission("correction", correction="Größer als 5 µm — nicht 4.")
    receipt = hand_in(inbox, new)
    stored = inbox.find(new.id)
    assert stored == receipt.stored
    assert stored is not None
    assert (stored.status, stored.record, stored.body, stored.submitted_at) == (Status.QUEUED, "posts/x", new.body, NOW)
    assert not receipt.repeated
    assert (receipt.spent.remaining, receipt.spent.reset) == (29, 86_400)


def test_a_repeat_within_a_day_gets_the_earlier_submission_and_costs_nothing(inbox: SqlInbox) -> None:
    first = hand_in(inbox, submission())
    again = hand_in(inbox, submission(), "another client", at=later(hours=23, minutes=59))
    assert again.repeated
    assert again.stored == first.stored
    assert again.spent.remaining == 30
    assert len(inbox.listed()) == 1


def test_a_repeat_after_a_day_is_a_new_submission(inbox: SqlInbox) -> None:
    first = hand_in(inbox, submission())
    later_one = hand_in(inbox, submission(), at=later(hours=24))
    assert not later_one.repeated
    assert later_one.stored.id != first.stored.id
    assert hand_in(inbox, submission(), at=later(hours=30)).stored.id == later_one.stored.id


def test_a_repeat_tells_how_the_earlier_submission_stands_now(inbox: SqlInbox) -> None:
    first = hand_in(inbox, submission())
    inbox.record(first.stored.id, Status.QUEUED, [StatusChange("mo", Status.IN_REVIEW)], later(hours=1))
    assert hand_in(inbox, submission(), at=later(hours=2)).stored.status is Status.IN_REVIEW


def test_the_client_is_refused_beyond_its_quota_until_its_oldest_submission_is_a_day_old(inbox: SqlInbox) -> None:
    for number in range(3):
        hand_in(inbox, numbered(number), at=later(hours=number), limit=THREE)
    with pytest.raises(SubmissionQuotaExceeded) as refused:
        hand_in(inbox, numbered(3), at=later(hours=3), limit=THREE)
    assert (refused.value.spent.remaining, refused.value.spent.reset) == (0, 21 * 3600)
    assert hand_in(inbox, numbered(3), "another client", at=later(hours=3), limit=THREE).spent.remaining == 2
    assert hand_in(inbox, numbered(4), at=later(hours=24), limit=THREE).spent.remaining == 0
    with pytest.raises(SubmissionQuotaExceeded):
        hand_in(inbox, numbered(5), at=later(hours=24, seconds=1), limit=THREE)


def test_the_networks_of_an_ipv6_site_share_a_larger_quota(inbox: SqlInbox) -> None:
    once = Limit("inbox", 1, 86_400)
    for number in range(SITE_QUOTA):
        hand_in(inbox, numbered(number), f"2001:db8:99:{number:x}::/64", limit=once)
    with pytest.raises(SubmissionQuotaExceeded) as refused:
        hand_in(inbox, numbered(SITE_QUOTA), "2001:db8:99:ffff::/64", limit=once)
    assert refused.value.spent.reset == 86_400
    assert not hand_in(inbox, numbered(SITE_QUOTA), "2001:db8:100:1::/64", limit=once).repeated


def test_what_was_refused_leaves_nothing_behind(inbox: SqlInbox) -> None:
    for number in range(3):
        hand_in(inbox, numbered(number), limit=THREE)
    refused = numbered(3)
    with pytest.raises(SubmissionQuotaExceeded):
        hand_in(inbox, refused, limit=THREE)
    assert inbox.find(refused.id) is None
    assert len(inbox.listed()) == len(inbox.history()) == 3
    assert not hand_in(inbox, numbered(3), at=later(hours=24), limit=THREE).repeated


def test_a_repeat_is_answered_even_when_the_quota_is_used_up(inbox: SqlInbox) -> None:
    receipts = [hand_in(inbox, numbered(number), limit=THREE) for number in range(3)]
    again = hand_in(inbox, numbered(0), limit=THREE)
    assert again.repeated
    assert again.stored == receipts[0].stored
    assert not again.spent.allowed


def test_a_restart_does_not_reset_the_count(address: str) -> None:
    before = opened(address)
    for number in range(3):
        hand_in(SqlInbox(before), numbered(number), limit=THREE)
    before.close()
    after = SqlInbox(opened(address))
    assert not after.spent("203.0.113.7", THREE, NOW).allowed
    with pytest.raises(SubmissionQuotaExceeded):
        hand_in(after, numbered(3), limit=THREE)


def test_what_is_left_can_be_asked_without_spending(inbox: SqlInbox) -> None:
    hand_in(inbox, numbered(0), limit=THREE)
    assert [inbox.spent("203.0.113.7", THREE, later(hours=1)).remaining for _ in range(2)] == [2, 2]
    assert inbox.spent("nobody yet", THREE, NOW).remaining == 3


def test_submissions_are_listed_oldest_first_by_status_and_page(inbox: SqlInbox) -> None:
    ids = [hand_in(inbox, numbered(number)).stored.id for number in range(5)]
    inbox.record(ids[1], Status.QUEUED, [StatusChange("mo", Status.IN_REVIEW)], NOW)
    assert [submission.id for submission in inbox.listed()] == ids
    assert [submission.id for submission in inbox.listed((Status.IN_REVIEW,))] == [ids[1]]
    assert [submission.id for submission in inbox.listed((Status.QUEUED,), start=1, most=2)] == [ids[2], ids[3]]


def test_steps_are_taken_together_and_remembered_in_order(inbox: SqlInbox) -> None:
    id_ = hand_in(inbox, submission()).stored.id
    steps = [
        StatusChange("mo", Status.IN_REVIEW),
        StatusChange("mo", Status.DECLINED, "Not about us.", reason_code="out_of_scope"),
    ]
    stored = inbox.record(id_, Status.QUEUED, steps, later(hours=1))
    assert (stored.status, stored.reason_code, stored.updated_at) == (Status.DECLINED, "out_of_scope", later(hours=1))
    assert stored == inbox.find(id_)
    events = inbox.history(id_)
    assert [(event.by, event.came_from, event.to, event.at) for event in events] == [
        ("agent", None, Status.QUEUED, NOW),
        ("mo", Status.QUEUED, Status.IN_REVIEW, later(hours=1)),
        ("mo", Status.IN_REVIEW, Status.DECLINED, later(hours=1)),
    ]
    assert (events[2].note, events[2].detail) == ("Not about us.", {"reason_code": "out_of_scope"})


def test_a_note_changes_no_status_and_no_time(inbox: SqlInbox) -> None:
    before = hand_in(inbox, submission()).stored
    assert (
        inbox.record(before.id, Status.QUEUED, [StatusChange("mo", note="Ask the vendor.")], later(hours=1)) == before
    )
    assert (inbox.history(before.id)[-1].to, inbox.history(before.id)[-1].note) == (None, "Ask the vendor.")


def test_of_two_reviewers_at_once_the_second_learns_that_the_first_was_faster(inbox: SqlInbox) -> None:
    id_ = hand_in(inbox, submission()).stored.id
    inbox.record(id_, Status.QUEUED, [StatusChange("mo", Status.IN_REVIEW)], NOW)
    with pytest.raises(StatusConflict) as moved:
        inbox.record(id_, Status.QUEUED, [StatusChange("jo", Status.IN_REVIEW)], NOW)
    assert moved.value.now.status is Status.IN_REVIEW
    assert len(inbox.history(id_)) == 2


def test_an_unknown_submission_takes_no_steps(inbox: SqlInbox) -> None:
    with pytest.raises(KeyError):
        inbox.record("nobody", Status.QUEUED, [StatusChange("mo", Status.IN_REVIEW)], NOW)


def test_the_whole_history_is_read_page_by_page(inbox: SqlInbox) -> None:
    ids = [hand_in(inbox, numbered(number)).stored.id for number in range(5)]
    first = inbox.history(most=3)
    rest = inbox.history(after=first[-1].number, most=3)
    assert [event.submission for event in (*first, *rest)] == ids


def test_events_cannot_be_changed_or_deleted(inbox: SqlInbox, database: Database) -> None:
    hand_in(inbox, submission())
    for statement in ("UPDATE events SET note = 'forged'", "DELETE FROM events"):
        with pytest.raises(sa.exc.DBAPIError, match="only ever added"), database.engine.begin() as connection:
            connection.execute(sa.text(statement))
    assert [event.note for event in inbox.history()] == [""]


def test_when_the_clock_steps_back_nothing_is_forgiven_and_nobody_waits_longer_than_a_day(inbox: SqlInbox) -> None:
    for number in range(3):
        hand_in(inbox, numbered(number), at=later(days=400), limit=THREE)
    with pytest.raises(SubmissionQuotaExceeded) as refused:
        hand_in(inbox, numbered(3), at=NOW, limit=THREE)
    assert refused.value.spent.reset == 86_400
    assert hand_in(inbox, numbered(1), at=NOW, limit=THREE).repeated
    with pytest.raises(SubmissionQuotaExceeded):
        hand_in(inbox, numbered(3), at=later(hours=-5), limit=THREE)


def test_when_the_clock_steps_back_the_history_does_not(inbox: SqlInbox) -> None:
    id_ = hand_in(inbox, submission()).stored.id
    stored = inbox.record(id_, Status.QUEUED, [StatusChange("mo", Status.IN_REVIEW)], later(hours=-3))
    assert stored.updated_at == NOW
    assert [event.at for event in inbox.history(id_)] == [NOW, NOW]


def test_after_a_day_nothing_tells_any_more_who_was_there(address: str) -> None:
    first = opened(address)
    hand_in(SqlInbox(first), submission())
    first.close()
    again = opened(address)
    hand_in(SqlInbox(again), numbered(1), at=later(days=2))
    with again.reading() as connection:
        assert [connection.scalar(sa.select(sa.func.count()).select_from(table)) for table in (SPENDING, REPEATS)] == [
            1,
            1,
        ]


def test_the_address_of_a_client_is_nowhere_in_the_store(inbox: SqlInbox, database: Database) -> None:
    hand_in(inbox, submission(), "203.0.113.77")
    with database.reading() as connection:
        tables = [table for store in declared_stores()[STATE_FILE] for table in store.copied()]
        rows = [tuple(row) for table in tables for row in connection.execute(table.select())]
    assert len(rows) == 5
    assert "203.0.113.77" not in repr(rows)


def test_all_hosts_share_one_key_for_client_addresses(address: str) -> None:
    inboxes = [SqlInbox(opened(address)) for _ in range(2)]
    hand_in(inboxes[0], submission(), limit=THREE)
    assert inboxes[1].spent("203.0.113.7", THREE, NOW).remaining == 2


def test_processes_that_submit_the_same_at_one_instant_get_one_submission(address: str) -> None:
    opened(address).close()
    for round_ in range(10):
        start, new = barrier(3), numbered(round_)
        receipts = answers(submit_together, *[(address, new, start)] * 3)
        assert len({id_ for id_, _ in receipts}) == 1
        assert sorted(repeated for _, repeated in receipts) == [False, True, True]
    assert len(SqlInbox(opened(address)).listed()) == 10


@pytest.mark.parametrize(("address", "workers"), [("sqlite", 1), ("postgresql", 4)], indirect=["address"])
def test_a_thousand_clients_at_the_limit_are_counted_exactly(address: str, workers: int) -> None:
    opened(address).close()
    limit, tries = Limit("inbox", 1, 86_400), 2 if workers == 1 else 1
    calls = [(address, 1000, range(tries * place, tries * (place + 1)), limit) for place in range(workers)]
    taken = sum(answers(submit_for_clients, *calls))
    assert taken == 1000
    inbox = SqlInbox(opened(address))
    assert len(inbox.listed(most=5000)) == len(inbox.history(most=5000)) == 1000
    assert {inbox.spent(f"client {client}", LIMIT, NOW).remaining for client in range(1000)} == {29}
