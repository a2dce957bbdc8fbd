"""Unpaid quotes of all clients together are bounded: what nobody can pay any more makes room, the rest waits."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from citepress.base.canonical import digest
from citepress.stores.sql.database import Database
from citepress_payments.limits import PREFLIGHTS_ALL
from citepress_payments.outcomes import OverQuota, Terms, Unavailable
from citepress_payments.ports.rows import Full
from citepress_payments.rails import Lane
from citepress_payments.stores.ledger import SqlLedger
from citepress_payments.stores.ledger_quotes import pack, unpack
from support.buyers import BUYER, NOW
from support.ledgers import claimed, facts_of, key_of, plan_of, quote_of, won
from support.payment_service import PaymentHarness, Unlimited, payment_harness
from support.stores import opened

NOISE = os.urandom(10_000)
ROOM = 100_000


def noisy(number: int) -> bytes:
    """A result that cannot be compressed."""
    return number.to_bytes(4) + NOISE


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    store = opened(str(tmp_path / "state.sqlite"))
    yield store
    store.close()


def fill(
    ledger: SqlLedger, first: int, count: int, *, lane: str = "fixed", now: int = NOW, life: int = 300, keep: int = 3900
) -> int:
    """Open quotes of as many clients; how many found room."""
    for number in range(first, first + count):
        result = noisy(number)
        quote = quote_of(
            number,
            client_key=hashlib.sha256(b"%d" % number).digest(),
            lane=lane,
            result_sha256=digest(result),
            created_at=now,
            expires_at=now + life,
            keep_until=now + keep,
        )
        try:
            assert ledger.open(quote, result, 30, ROOM)
        except Full:
            return number - first
    return count


def test_a_full_room_refuses_and_says_how_long_to_wait(database: Database) -> None:
    ledger = SqlLedger(database)
    quotes = fill(ledger, 1, 50)
    assert 5 <= quotes < 10
    taken = ledger.unpaid()["other"]
    assert (taken.quotes, taken.bytes <= ROOM) == (quotes, True)
    late = quote_of(99, created_at=NOW + 100, expires_at=NOW + 400, result_sha256=digest(noisy(99)))
    with pytest.raises(Full) as full:
        ledger.open(late, noisy(99), 30, ROOM)
    assert full.value.wait == 200, "the oldest ends then"
    assert ledger.quote(late.id) is None


def test_expired_quotes_make_room_oldest_first_with_their_results(database: Database) -> None:
    ledger = SqlLedger(database)
    quotes = fill(ledger, 1, 50)
    assert fill(ledger, 100, 1, now=NOW + 301) == 1
    assert ledger.quote(quote_of(1).id) is None
    with pytest.raises(LookupError):
        ledger.result(digest(noisy(1)))
    assert ledger.unpaid()["other"].quotes <= quotes


def test_a_flood_of_one_lane_leaves_the_other_its_room(database: Database) -> None:
    ledger = SqlLedger(database)
    assert fill(ledger, 1, 50) < 50
    assert fill(ledger, 100, 3, lane="native/bsc-bnb", life=900, keep=87_300) == 3


def test_a_native_quote_that_may_have_been_paid_is_never_shed(database: Database) -> None:
    ledger = SqlLedger(database)
    quotes = fill(ledger, 1, 50, lane="native/bsc-bnb", life=900, keep=87_300)
    assert fill(ledger, 100, 1, lane="native/bsc-bnb", now=NOW + 80_000, life=900, keep=87_300) == 0
    assert ledger.quote(quote_of(1).id)
    assert fill(ledger, 100, 1, lane="native/bsc-bnb", now=NOW + 87_300, life=900, keep=87_300) == 1
    assert quotes > 3


def test_a_payment_on_its_way_and_a_paid_quote_are_never_shed(database: Database) -> None:
    ledger = SqlLedger(database)
    way = claimed(ledger, 1)
    ledger.journal(way, plan_of("0x01"), BUYER, NOW)
    second = quote_of(2)
    assert ledger.open(second, noisy(2), 1000)
    done = won(ledger.claim(key_of(2), second.id, replace(facts_of(second), payer="0x02"), "one", NOW))
    ledger.journal(done, plan_of("0x02"), "0x02", NOW)
    ledger.settle(done.key, second.id, "0x02", "0x02", "{}", NOW)
    fill(ledger, 10, 50)
    fill(ledger, 100, 50, now=NOW + 3000)
    assert ledger.quote(quote_of(1).id)
    assert ledger.quote(second.id)
    assert ledger.unpaid()["other"].bytes <= ROOM + 2000


def test_results_are_stored_compressed_and_old_ones_still_read() -> None:
    text = b'{"sources":["' + b"an archive of field notes " * 2000 + b'"]}'
    assert len(pack(text)) < len(text) // 20
    assert unpack(pack(text)) == unpack(text) == text


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PaymentHarness]:
    process = payment_harness(tmp_path, counters=Unlimited(), max_unpaid_mb=1)
    yield process
    process.close()


def test_the_shop_answers_503_with_retry_after_and_recovers(harness: PaymentHarness) -> None:
    megabyte = [os.urandom(200_000) for _ in range(8)]
    outcomes = [
        harness.preflight(harness.order(b'{"query":"%d"}' % n, client=f"203.0.113.{n}", result=text))
        for n, text in enumerate(megabyte)
    ]
    assert [type(outcome) for outcome in outcomes[:4]] == [Terms] * 4
    refused = outcomes[-1]
    assert isinstance(refused, Unavailable)
    assert 0 < refused.retry_after <= 300
    assert isinstance(harness.preflight(harness.order(lane=Lane.NATIVE, slug="bsc-bnb")), Terms), (
        "the native lane has a room of its own"
    )
    harness.watch.now += 301
    assert isinstance(harness.preflight(), Terms)


def test_preflights_of_all_clients_together_have_a_limit(tmp_path: Path) -> None:
    harness = payment_harness(tmp_path)
    quotas = harness.paying.service._quotas  # noqa: SLF001
    for number in range(PREFLIGHTS_ALL.quota):
        assert quotas.preflight(f"client {number}")[1] is None
    refused = quotas.preflight("one more")[1]
    assert isinstance(refused, OverQuota)
    assert (refused.limit, "together" in refused.detail) == (PREFLIGHTS_ALL, True)
    harness.close()
