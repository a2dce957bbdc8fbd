"""Quotes and payments for tests of the ledger, a small buyer, and processes that race or die on the way."""

import hashlib
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from citepress.base.canonical import digest
from citepress.stores.sql.database import Database
from citepress_payments.drivers import DriverContext, driver
from citepress_payments.ports.chain import DuplicatePayment, Identity, LeaseLost, Paid, Plan, Sent, Signed, Verified
from citepress_payments.ports.rows import Acquired, ClaimOutcome, PaymentClaim, PaymentFacts, Quote, State
from citepress_payments.stores.ledger import SqlLedger
from support.buyers import BUYER, NOW, PRODUCT, sign_transfer, usdc_entry
from support.simulated_chain import opened_rail
from support.stores import opened
from support.waiting import PATIENCE_S

RESULT = b'{"schema_version":"1","product":"research-bundle-v2","query":"agent memory","sources":[]}'
POINTS = ("quote", "claim", "verify", "journal", "broadcast", "receipt", "settle")
"""Where a process may die; the names of the port's ``Probe``."""
MUCH = 1000
SIGNER = "0xAbCdEf0000000000000000000000000000000001"


def quote_of(number: int = 1, **changed: Any) -> Quote:
    """A quote for a body of its own."""
    plain = Quote(
        f"q_{number:022d}",
        PRODUCT,
        "fixed",
        b"client" + bytes(26),
        digest(f"body {number}".encode()),
        digest(RESULT),
        b"\x5b" * 32,
        (usdc_entry(quoteId=f"q_{number:022d}"),),
        50_000,
        "",
        NOW,
        NOW + 300,
        NOW + 3900,
    )
    return replace(plain, **changed)


def facts_of(quote: Quote, **changed: Any) -> PaymentFacts:
    """What a claim on a quote writes down."""
    evidence = changed.pop("evidence", "{}")
    plain = PaymentFacts(
        "base-usdc",
        BUYER,
        True,
        quote.product,
        quote.body_sha256,
        quote.result_sha256,
        evidence,
        digest(evidence.encode()),
        quote.expires_at - 10,
    )
    return replace(plain, **changed)


def key_of(number: int) -> str:
    """The key of a payment of its own."""
    return f"eip3009|eip155:84532|0x036cbd53842c5426634e7929541ec2318f3dcf7e|{BUYER.lower()}|0x{number:064x}"


def won(outcome: ClaimOutcome) -> PaymentClaim:
    """The claim that was won."""
    assert isinstance(outcome, Acquired), outcome
    return outcome.claim


def claimed(ledger: SqlLedger, number: int = 1, *, now: int = NOW, owner: str = "one", **facts: Any) -> PaymentClaim:
    """A payment that is claimed, on a quote of its own."""
    quote = quote_of(number)
    assert ledger.open(quote, RESULT, MUCH)
    return won(ledger.claim(key_of(number), quote.id, facts_of(quote, **facts), owner, now))


def plan_of(tx: str = "0x01", **changed: Any) -> Plan:
    """A broadcast that nobody of ours signs."""
    return replace(Plan("eip155:84532", "", 0, None, tx), **changed)


def signed_plan(
    network: str = "eip155:84532", pending: int = 0, build: Callable[[int], Signed] | None = None, **changed: Any
) -> Plan:
    """A broadcast that one of our accounts signs."""

    def sign(nonce: int) -> Signed:
        raw = f"{network} {changed} {nonce}".encode()
        return Signed("0x" + hashlib.sha256(raw).hexdigest(), raw)

    return Plan(network, SIGNER, pending, build or sign, **changed)


def sent(ledger: SqlLedger, number: int = 1, **facts: Any) -> PaymentClaim:
    """A payment that is sent."""
    claim = claimed(ledger, number, **facts)
    ledger.journal(claim, plan_of(f"0x{number:02x}"), facts.get("payer", BUYER), NOW)
    return claim


def settled(ledger: SqlLedger, number: int = 1, **facts: Any) -> PaymentClaim:
    """A payment that is settled."""
    claim = sent(ledger, number, **facts)
    ledger.settle(claim.key, claim.quote_id, f"0x{number:02x}", BUYER, '{"success":true}', NOW)
    return claim


def buy(
    database: Database, payload: dict[str, Any], now: int, probe: Callable[[str], None], owner: str = "buyer"
) -> State:
    """Quote, claim, verify, journal, send, look and settle, on the real ledger and the simulated chain.

    Take up what was left.
    """
    ledger = SqlLedger(database)
    rail_driver = driver(DriverContext(opened_rail("base-usdc"), lambda: now, probe, database))
    quote = quote_of(1)
    if ledger.quote(quote.id) is None:
        ledger.open(quote, RESULT, MUCH)
    probe("quote")
    entry = quote.entries[0]
    identity = rail_driver.identify(entry, payload)
    assert isinstance(identity, Identity), identity
    outcome = ledger.claim(identity.key, quote.id, facts_of(quote, payer=identity.payer), owner, now)
    if not isinstance(outcome, Acquired):
        payment = ledger.payment(identity.key)
        assert payment is not None, outcome
        return payment.state
    probe("claim")
    if outcome.state is State.CLAIMED:
        assert isinstance(rail_driver.verify(entry, payload), Verified)
        probe("verify")
        rail_driver.send(entry, payload, lambda plan: _journaled(ledger, outcome.claim, plan, identity.payer, now))
    reconciled = rail_driver.reconcile(entry, payload, ledger.sent(identity.key), None)
    assert isinstance(reconciled, Paid), reconciled
    state = ledger.settle(identity.key, quote.id, reconciled.tx, reconciled.payer, '{"success":true}', now).state
    probe("settle")
    return state


def _journaled(ledger: SqlLedger, claim: PaymentClaim, plan: Plan, payer: str, now: int) -> Sent:
    return ledger.journal(claim, plan, payer, now)


def payload_of(nonce: int = 1) -> dict[str, Any]:
    """What the published buyer signs for the first quote; its life is long enough for a lease to lapse."""
    return sign_transfer(quote_of(1).entries[0], nonce=f"0x{nonce:064x}")


def die_at(address: str, payload: dict[str, Any], point: str) -> None:
    """Buy, and be killed at a point."""

    def probe(here: str) -> None:
        if here == point:
            os.kill(os.getpid(), signal.SIGKILL)

    buy(opened(address), payload, NOW, probe)


def die_while_signing(address: str) -> None:
    """Be killed inside the transaction that allocates a nonce."""
    ledger = SqlLedger(opened(address))

    def kill(_nonce: int) -> Signed:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    ledger.journal(claimed(ledger, 1), signed_plan(build=kill), BUYER, NOW)


def claim_together(address: str, claims: Sequence[tuple[str, Quote, str]], together: Any, connection: Any) -> None:
    """Claim (key, quote, owner) from as many threads at the same instant; tell the names of the outcomes."""
    ledger = SqlLedger(opened(address))

    def claim(key: str, quote: Quote, owner: str) -> str:
        return type(ledger.claim(key, quote.id, facts_of(quote), owner, NOW)).__name__

    together.wait(PATIENCE_S)
    with ThreadPoolExecutor(len(claims)) as threads:
        connection.send(list(threads.map(lambda row: claim(*row), claims)))


def journal_many(address: str, numbers: Sequence[int], together: Any, connection: Any) -> None:
    """Claim and journal payments of one signer, four at a time; tell the nonces."""
    ledger = SqlLedger(opened(address))
    together.wait(PATIENCE_S)

    def pay(number: int) -> int | None:
        return ledger.journal(claimed(ledger, number), signed_plan(), BUYER, NOW).nonce

    with ThreadPoolExecutor(4) as threads:
        connection.send(list(threads.map(pay, numbers)))


def journal_for_one_body(address: str, numbers: Sequence[int], together: Any, connection: Any) -> None:
    """Claim payments of one buyer for one body, each on a quote of its own, then journal them; tell the outcomes."""
    ledger = SqlLedger(opened(address))
    claims = []
    for number in numbers:
        quote = quote_of(number, body_sha256=digest(b"one body"))
        ledger.open(quote, RESULT, MUCH)
        claims.append(won(ledger.claim(key_of(number), quote.id, facts_of(quote), f"owner {number}", NOW)))
    together.wait(PATIENCE_S)

    def journal(claim: PaymentClaim) -> str:
        try:
            ledger.journal(claim, plan_of("0x" + claim.key[-64:]), BUYER, NOW)
        except (DuplicatePayment, LeaseLost) as refused:
            return type(refused).__name__
        return "sent"

    with ThreadPoolExecutor(4) as threads:
        connection.send(list(threads.map(journal, claims)))
