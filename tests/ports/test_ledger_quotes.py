import threading
from dataclasses import replace

import pytest
import sqlalchemy as sa

from citepress.base.canonical import digest
from citepress.stores.sql.database import Database
from citepress_payments.ports.rows import Acquired, Expired, QuoteTaken, Swept
from citepress_payments.stores.ledger import SqlLedger
from citepress_payments.stores.payment_tables import PAYMENTS, QUOTES, RESULTS
from support.buyers import BUYER, NOW, native_entry, usdc_entry
from support.ledgers import MUCH, RESULT, claimed, facts_of, key_of, quote_of, sent, settled
from support.waiting import until

HOUR = 3600


def test_what_was_never_stored_is_not_found(ledger: SqlLedger) -> None:
    assert ledger.quote("q_nobody") is None
    assert ledger.payment("nobody") is None


def test_a_quote_is_found_as_it_was_opened_with_its_entries_in_order(ledger: SqlLedger) -> None:
    dear = native_entry(2**200)
    quote = quote_of(entries=(usdc_entry(), dear), price="612.40 USD/BNB + 1 %", usd_micros=50_000)
    assert ledger.open(quote, RESULT, 30)
    stored = ledger.quote(quote.id)
    assert stored == quote
    assert stored is not None
    assert [list(entry) for entry in stored.entries] == [list(entry) for entry in quote.entries]
    assert int(stored.entries[1]["amount"]) == 2**200
    assert ledger.result(quote.result_sha256) == RESULT


def test_a_result_that_is_not_there_is_a_lookup_error(ledger: SqlLedger) -> None:
    with pytest.raises(LookupError):
        ledger.result("00" * 32)


def test_quotes_of_one_result_keep_it_once(ledger: SqlLedger, database: Database) -> None:
    for number in range(5):
        assert ledger.open(quote_of(number), RESULT, MUCH)
    with database.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(RESULTS)) == 1


def test_a_client_has_so_many_open_quotes_and_no_more(ledger: SqlLedger) -> None:
    assert [ledger.open(quote_of(number), RESULT, 3) for number in range(4)] == [True, True, True, False]
    assert ledger.quote(quote_of(3).id) is None
    assert ledger.open(quote_of(4, client_key=b"another" + bytes(25)), RESULT, 3)
    later = quote_of(5, created_at=NOW + 300, expires_at=NOW + 600)
    assert ledger.open(later, RESULT, 3)


def test_a_paid_quote_is_not_open_any_more(ledger: SqlLedger) -> None:
    settled(ledger, 1)
    assert ledger.open(quote_of(2), RESULT, 1)
    assert not ledger.open(quote_of(3), RESULT, 1)


def test_a_refused_quote_leaves_no_result(ledger: SqlLedger) -> None:
    other = b"another result"
    assert not ledger.open(quote_of(result_sha256=digest(other)), other, 0)
    with pytest.raises(LookupError):
        ledger.result(digest(other))


def test_a_sweep_takes_quotes_past_their_time_and_results_that_nobody_sells(ledger: SqlLedger) -> None:
    ledger.open(quote_of(1), RESULT, MUCH)
    ledger.open(quote_of(2, keep_until=NOW + 90_000), RESULT, MUCH)
    assert ledger.sweep(NOW + 3899) == Swept(0, 0)
    assert ledger.sweep(NOW + 3900) == Swept(1, 0)
    assert ledger.quote(quote_of(1).id) is None
    assert ledger.result(digest(RESULT)) == RESULT
    assert ledger.sweep(NOW + 90_000) == Swept(1, 1)
    with pytest.raises(LookupError):
        ledger.result(digest(RESULT))


def test_a_sweep_takes_no_more_than_its_limit(ledger: SqlLedger) -> None:
    for number in range(5):
        ledger.open(quote_of(number), RESULT, MUCH)
    assert [ledger.sweep(NOW + 5000, 2).quotes for _ in range(4)] == [2, 2, 1, 0]


def test_what_was_paid_stays_as_long_as_the_ledger(ledger: SqlLedger) -> None:
    claim = settled(ledger, 1)
    assert ledger.sweep(NOW + 10**9) == Swept(0, 0)
    quote = ledger.quote(claim.quote_id)
    assert quote is not None
    assert (quote.paid_by, quote.keep_until) == (claim.key, 0)
    assert ledger.result(quote.result_sha256) == RESULT


def test_an_operator_may_keep_what_was_paid_for_some_days_only(database: Database) -> None:
    ledger = SqlLedger(database, keep_paid=10 * 86_400)
    claim = settled(ledger, 1)
    assert ledger.sweep(NOW + 10 * 86_400 - 1) == Swept(0, 0)
    assert ledger.prior(BUYER, *_ask(1)) is not None
    assert ledger.sweep(NOW + 10 * 86_400) == Swept(1, 1)
    assert ledger.payment(claim.key) is not None
    assert ledger.prior(BUYER, *_ask(1)) is None


def _ask(number: int) -> tuple[str, str, str]:
    quote = quote_of(number)
    return quote.product, quote.body_sha256, quote.result_sha256


def test_a_quote_whose_payment_is_on_its_way_is_not_swept(ledger: SqlLedger) -> None:
    sent(ledger, 1)
    claimed(ledger, 2, now=NOW + 200)
    ledger.open(quote_of(3), RESULT, MUCH)
    assert ledger.sweep(NOW + 9000).quotes == 1
    assert ledger.quote(quote_of(3).id) is None
    ledger.fail(key_of(1), "authorization_expired", "{}", NOW + 9000)
    assert ledger.sweep(NOW + 9000).quotes == 1
    assert ledger.sweep(NOW + 200 + 30 + 86_400).quotes == 1
    assert ledger.payment(key_of(2)) is None
    assert ledger.payment(key_of(1)) is not None


def test_a_quote_that_was_swept_cannot_be_claimed(ledger: SqlLedger) -> None:
    quote = quote_of(1)
    ledger.open(quote, RESULT, MUCH)
    ledger.sweep(NOW + 3900)
    assert ledger.claim(key_of(1), quote.id, facts_of(quote, claim_until=NOW + 9999), "one", NOW + 3900) == Expired()


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)
def test_a_sweep_that_meets_a_claim_half_way_leaves_the_quote(ledger: SqlLedger, database: Database) -> None:
    """The sweep has chosen the quote; the claim commits first; the sweep looks again."""
    quote, other = quote_of(1), sent(ledger, 2)
    ledger.open(quote, RESULT, MUCH)
    row = {column.name: column for column in PAYMENTS.c} | {
        "key": sa.literal("k"),
        "quote_id": sa.literal(quote.id),
        "state": sa.literal("claimed"),
    }
    with database.writing() as connection:
        connection.execute(QUOTES.update().where(QUOTES.c.id == quote.id).values(keep_until=NOW + 99_999))
        connection.execute(
            PAYMENTS.insert().from_select(list(row), sa.select(*row.values()).where(PAYMENTS.c.key == other.key))
        )
        sweep = threading.Thread(target=ledger.sweep, args=(NOW + 5000,))
        sweep.start()
        _until_somebody_waits(database)
    sweep.join(60)
    assert ledger.quote(quote.id) is not None


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)
def test_a_sweep_that_meets_a_new_quote_half_way_leaves_its_result(ledger: SqlLedger, database: Database) -> None:
    quote = quote_of(1)
    ledger.open(quote, RESULT, MUCH)
    with database.engine.begin() as connection:
        connection.execute(QUOTES.delete())
    new = replace(quote_of(2), created_at=NOW + 9000, expires_at=NOW + 9300, keep_until=NOW + 99_999)
    with database.writing() as connection:
        connection.execute(RESULTS.update().values(used_at=NOW + 9000))
        swept: list[Swept] = []
        sweep = threading.Thread(target=lambda: swept.append(ledger.sweep(NOW + 9000)))
        sweep.start()
        _until_somebody_waits(database)
    sweep.join(60)
    assert swept == [Swept(0, 0)]
    assert ledger.open(new, RESULT, MUCH)
    assert ledger.result(new.result_sha256) == RESULT


def _until_somebody_waits(database: Database) -> None:
    waiting = sa.text(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )

    def waits() -> object:
        with database.engine.connect() as connection:
            return connection.scalar(waiting)

    assert until(waits)


def test_a_claim_keeps_its_quote_for_an_hour_at_least(ledger: SqlLedger) -> None:
    quote = quote_of(1, keep_until=NOW + 10)
    ledger.open(quote, RESULT, MUCH)
    outcome = ledger.claim(key_of(1), quote.id, facts_of(quote), "one", NOW)
    assert isinstance(outcome, Acquired)
    ledger.release(outcome.claim)
    assert ledger.sweep(NOW + HOUR - 1).quotes == 0
    assert ledger.sweep(NOW + HOUR).quotes == 1


def test_an_unpaid_native_quote_can_be_claimed_for_a_day_after_its_end(ledger: SqlLedger) -> None:
    quote = quote_of(1, keep_until=NOW + 300 + 86_400)
    ledger.open(quote, RESULT, MUCH)
    facts = facts_of(quote, payer="", proven=False, claim_until=quote.expires_at + 86_400)
    assert isinstance(ledger.claim("native|a|0x1", quote.id, facts, "one", NOW + 300 + 86_400), Acquired)
    assert isinstance(ledger.claim("native|a|0x2", quote.id, facts, "one", NOW + 300 + 86_400), QuoteTaken)
    assert ledger.claim("native|a|0x2", quote_of(2).id, facts, "one", NOW + 301 + 86_400) == Expired()
