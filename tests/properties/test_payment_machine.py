"""Payments under any sequence of purchases, replays, tampering, chain faults, front-runners and crashes."""

import contextlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from citepress.base.canonical import digest
from citepress_payments.outcomes import (
    NotSellable,
    Order,
    Outcome,
    OverQuota,
    PendingAnswer,
    PurchaseResult,
    RefusedAnswer,
    Terms,
    Unavailable,
)
from citepress_payments.payment_system import payment_system
from citepress_payments.ports.chain import Pending, Unreachable
from citepress_payments.ports.rows import PaymentEntry, State
from citepress_payments.rails import Lane
from citepress_payments.settings import Payments
from citepress_payments.settlement import Timer
from citepress_payments.setup import Host
from citepress_payments.simulated_chain.chain import BUYER, BUYER_KEY, canonical, transaction_id
from citepress_payments.simulated_chain.native import send_native
from citepress_payments.simulated_chain.store import SIMULATED_TRANSFERS, SqlSimulatedChain
from citepress_payments.terms import commitment, evidence
from support.buyers import SECOND, SECOND_KEY, SELLER, USDC, give, sign_transfer
from support.ledgers import POINTS
from support.payment_service import PaymentHarness, Unlimited, decoded, header
from support.simulated_chain import Watch
from support.stores import opened_copy

pytestmark = pytest.mark.long

PRICE = 50_000
BODIES = (b'{"query":"one"}', b'{"query":"two"}')
KEYS = {BUYER: BUYER_KEY, SECOND: SECOND_KEY}
RAILS = [
    {"slug": "base-usdc", "driver": "simulated", "hold_s": 1},
    {
        "slug": "bsc-bnb",
        "driver": "simulated",
        "hold_s": 1,
        "prices": [{"source": "static", "price": "612.40", "valid_until": "2100-01-01T00:00:00Z"}],
    },
]
FINAL = {State.SETTLED, State.FAILED}
ATTACKER = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"


class Signed(NamedTuple):
    """A payment that a buyer has made for an order, and the entry that it is for."""

    order: Order
    field: bytes
    entry: PaymentEntry


class Crash(BaseException):
    """The process died here."""


class Ticker:
    """Time for those who wait: it passes only when somebody waits."""

    def __init__(self) -> None:
        self.at = 0.0

    def seconds(self) -> float:
        return self.at

    def pause(self, seconds: float) -> None:
        self.at += seconds


def result_of(body: bytes) -> bytes:
    return b'{"answer":"%s"}' % digest(body).encode()


class Shopping(RuleBasedStateMachine):
    """Buyers, attackers and faults around one ledger and one chain; processes come and go."""

    signatures: Bundle[Signed] = Bundle("signatures")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="citepress-machine-"))
        self.watch, self.ticker, self.die = Watch(), Ticker(), ""
        self.database = opened_copy(str(self.folder / "state.sqlite"))
        self.calls: Counter[str] = Counter()
        self.truths: list[Any] = []
        self.verdicts: list[Any] = []
        self.served: dict[tuple[bytes, bytes, Lane], bytes] = {}
        self.ended: dict[str, State] = {}
        self.helped: set[str] = set()
        self.sends = 0
        self.authorized: dict[str, tuple[str, str]] = {}
        self.market = self._process()

    def teardown(self) -> None:
        self.market.close()
        self.database.close()
        shutil.rmtree(self.folder)

    def _process(self) -> PaymentHarness:
        """A new process over the same books."""

        def probe(here: str) -> None:
            if here == self.die:
                self.die = ""
                raise Crash

        configuration = Payments.model_validate({"networks": "test", "pay_to_evm": SELLER, "rails": RAILS})
        host = Host(self.watch, probe, timer=Timer(self.ticker.seconds, self.ticker.pause))
        system = payment_system(configuration, self.database, Unlimited(), host=host)
        for rail in system.rails.all:
            self._bend(rail.driver)
        return PaymentHarness(self.database, self.watch, system, SqlSimulatedChain(self.database))

    def _bend(self, driver: Any) -> None:
        """Count what a driver is asked, and let the chain be silent or slow when a rule said so."""
        for name, bent in (("verify", self.verdicts), ("reconcile", self.truths), ("send", [])):
            real = getattr(driver, name)

            def bent_call(*args: Any, real: Any = real, name: str = name, bent: list[Any] = bent) -> Any:
                self.calls[name] += 1
                if bent:
                    said = bent.pop(0)
                    if isinstance(said, Exception):
                        raise said
                    return said
                return real(*args)

            setattr(driver, name, bent_call)

    def _order(self, body: bytes, lane: Lane, result: bytes | NotSellable) -> Order:
        slug = "bsc-bnb" if lane is Lane.NATIVE else ""
        return Order("research-bundle-v2", lane, slug, body, digest(body), "203.0.113.7", lambda: result)

    def _is_paid(self, field: bytes) -> bool:
        """Whether this very proof settled its quote."""
        payload = decoded(field)
        quote = self.market.paying.ledger.quote(payload["accepted"]["extra"]["quoteId"])
        row = self.market.paying.ledger.payment(quote.paid_by) if quote and quote.paid_by else None
        return row is not None and row.evidence_sha256 == digest(evidence(payload["payload"]).encode())

    @contextlib.contextmanager
    def _alive(self) -> Iterator[None]:
        """Whatever happens inside, there is a process afterwards."""
        try:
            yield
        except Crash:
            self.market.close()
            self.market = self._process()

    def _send(self, order: Order, field: bytes) -> Outcome | None:
        """One request; ``None`` where the process died."""
        with self._alive():
            outcome = self.market.signed(field, order)
            self._check(order, field, outcome)
            return outcome
        return None

    def _check(self, order: Order, field: bytes, outcome: Outcome) -> None:
        """What every answer has to be like."""
        event(getattr(outcome, "code", type(outcome).__name__))
        if isinstance(outcome, PurchaseResult):
            assert outcome.body == result_of(order.body)
            if self._is_paid(
                field
            ):  # what the guard serves for another payment of the buyer is bound to the life of its quote
                self.served[field, order.body, order.lane] = outcome.body
            assert any(
                row.state is State.SETTLED and row.body_sha256 == order.body_sha256
                for row in self.market.paying.ledger.payments()
            )
            assert outcome.response["success"] is True
        elif isinstance(outcome, RefusedAnswer):
            assert outcome.quote is not None, "every 402 has terms"
            assert outcome.quote.body_sha256 == order.body_sha256
            assert (
                field,
                order.body,
                order.lane,
            ) not in self.served, f"what was served is served again, not {outcome.code}: {outcome.detail}"
        elif isinstance(outcome, PendingAnswer):
            assert outcome.response["success"] is False
            assert (outcome.response["errorReason"] == "settlement_pending") is bool(outcome.response["transaction"])
        else:
            assert isinstance(outcome, Unavailable), outcome

    @initialize(target=signatures, body=st.sampled_from(BODIES))
    def begin(self, body: bytes) -> Signed:
        """Both buyers have money, and there is one payment to begin with."""
        give(self.market.chain, USDC, SECOND, 4 * PRICE, now=self.watch.now)
        purchase = self._bought(body, Lane.FIXED, BUYER, bent=False)
        assert purchase
        return purchase

    @rule(
        target=signatures,
        body=st.sampled_from(BODIES),
        lane=st.sampled_from([Lane.FIXED, Lane.FIXED, Lane.NATIVE]),
        payer=st.sampled_from([BUYER, SECOND]),
        bent=st.sampled_from([False, False, False, True]),
    )
    def buy(self, body: bytes, lane: Lane, payer: str, bent: bool) -> Any:
        """Ask for terms and sign."""
        return self._bought(body, lane, payer, bent=bent) or multiple()

    @rule(
        target=signatures, body=st.sampled_from(BODIES), payer=st.sampled_from([BUYER, SECOND]), times=st.integers(1, 2)
    )
    def purchase(self, body: bytes, payer: str, times: int) -> Any:
        """Buy as a stock client does, which forgets everything and starts over where it had no answer."""
        purchases = [purchase for _ in range(times) if (purchase := self._bought(body, Lane.FIXED, payer, bent=False))]
        for payment in purchases:
            self._send(payment.order, payment.field)
        return multiple(*purchases)

    @rule(target=signatures, signed=signatures, payer=st.sampled_from([BUYER, SECOND]))
    def sign_again(self, signed: Signed, payer: str) -> Signed:
        """Another payment for the same quote."""
        return self._signed(signed.order, signed.entry, payer, bent=False)

    def _bought(self, body: bytes, lane: Lane, payer: str, *, bent: bool) -> Signed | None:
        order = self._order(body, lane, result_of(body))
        outcome = self.market.preflight(order)
        if not isinstance(outcome, Terms):
            assert isinstance(outcome, Unavailable | OverQuota), outcome
            return None
        entry = outcome.quote.entries[0]
        assert entry["extra"]["resultCommitment"] == commitment(outcome.quote.salt, result_of(body))
        return self._signed(order, entry, payer, bent=bent)

    def _signed(self, order: Order, entry: PaymentEntry, payer: str, *, bent: bool) -> Signed:
        if order.lane is Lane.NATIVE:
            self.sends += 1
            more = {"amount": int(entry["amount"]) - 1} if bent else {}
            tx = send_native(self.market.chain, entry, BUYER, self.watch.now, nonce=self.sends, **more)
            return Signed(order, header(entry, {"transaction": tx}), entry)
        payload = sign_transfer(entry, key=KEYS[payer], now=self.watch.now, **({"value": "1"} if bent else {}))
        if not bent:
            asset, nonce = entry["asset"].lower(), payload["authorization"]["nonce"]
            self.authorized[f"eip3009|{entry['network']}|{asset}|{payer.lower()}|{nonce}"] = (payer, f"{asset}|{nonce}")
        return Signed(order, header(entry, payload), entry)

    @rule(
        body=st.sampled_from(BODIES),
        code=st.sampled_from(["malformed_json", "validation", "insufficient_evidence"]),
        field=st.sampled_from([b"", b"e30="]),
    )
    def nothing_to_sell(self, body: bytes, code: str, field: bytes) -> None:
        order, before = self._order(body, Lane.FIXED, NotSellable(code, "no")), Counter(self.calls)
        outcome = self.market.signed(field, order) if field else self.market.preflight(order)
        assert isinstance(outcome, NotSellable)
        assert self.calls == before, "no driver is asked"

    @rule(signed=signatures)
    def pay(self, signed: Signed) -> None:
        self._send(signed.order, signed.field)

    @rule(signed=signatures, point=st.sampled_from(POINTS))
    def die_while_paying(self, signed: Signed, point: str) -> None:
        self.die = point
        self._send(signed.order, signed.field)
        self.die = ""

    @rule(payment=signatures, other=signatures)
    def mix(self, payment: Signed, other: Signed) -> None:
        """A payment for one order is shown for another one."""
        outcome = self._send(other.order, payment.field)
        same = (payment.order.body, payment.order.lane) == (other.order.body, other.order.lane)
        assert same or not isinstance(outcome, PurchaseResult)

    @rule(
        signed=signatures,
        truths=st.lists(st.sampled_from([Pending(), Unreachable("away"), RuntimeError("broken")]), max_size=12),
        verdicts=st.lists(st.sampled_from([Unreachable("away"), RuntimeError("broken")]), max_size=1),
    )
    def pay_while_the_chain_is_unwell(self, signed: Signed, truths: list[Any], verdicts: list[Any]) -> None:
        self.truths[:], self.verdicts[:] = truths, verdicts
        self._send(signed.order, signed.field)
        self.truths.clear()
        self.verdicts.clear()

    @rule(seconds=st.sampled_from([1, 4, 31, 31, 120, 700]))
    def time_passes(self, seconds: int) -> None:
        self.watch.now += seconds

    @rule()
    def recover(self) -> None:
        with self._alive():
            self.market.paying.recovery.round()

    @rule(data=st.data())
    def somebody_else_submits_or_cancels(self, data: st.DataObject) -> None:
        """Another transaction uses up an authorization: the same transfer (front-run), or another one (cancelled)."""
        free = [
            key
            for key, (payer, nonce) in self.authorized.items()
            if self.market.chain.used(USDC[0], payer, nonce) is None
        ]
        if not free:
            return
        key = free[data.draw(st.sampled_from(range(len(free))))]
        payer, nonce = self.authorized[key]
        exact = data.draw(st.booleans())
        tx = transaction_id(f"another|{key}")
        with contextlib.suppress(ValueError):  # the wallet is empty
            if exact:
                self.market.chain.transfer(*USDC, payer, SELLER, PRICE, nonce, tx, "", self.watch.now)
                self.helped.add(key)
            else:
                self.market.chain.transfer(*USDC, payer, ATTACKER, 0, nonce, tx, "", self.watch.now)

    @invariant()
    def books_and_chain_agree(self) -> None:
        ledger, chain = self.market.paying.ledger, self.market.chain
        rows = ledger.payments()
        for row in rows:
            assert self.ended.get(row.key, row.state) is row.state, "settled and failed are final"
            if row.state in FINAL:
                self.ended[row.key] = row.state
        assert set(self.ended) <= {row.key for row in rows}
        settled = [row for row in rows if row.state is State.SETTLED]
        assert max(Counter(row.quote_id for row in settled).values(), default=0) <= 1, "a quote is paid once"
        arrived = self._arrived()
        moved = {key for key, place in self.authorized.items() if place in arrived}
        assert chain.balance(*USDC, SELLER) == PRICE * len(moved)
        by_key = {row.key: row for row in rows}
        assert all(by_key[key].state in {State.SENT, State.SETTLED} for key in moved - self.helped), (
            "we send only what is written down"
        )
        assert {row.key for row in settled if row.rail == "base-usdc"} <= moved
        assert not {row.key for row in rows if row.state is State.FAILED} & moved, "what arrived has not failed"
        paid_quotes = Counter(by_key[key].quote_id for key in moved - self.helped)
        assert max(paid_quotes.values(), default=0) <= 1, "one transfer for a quote"
        bodies = Counter((by_key[key].payer, by_key[key].body_sha256) for key in moved - self.helped)
        assert max(bodies.values(), default=0) <= 1, "nobody pays twice for the same bytes"
        assert all(len(ledger.sent(row.key)) <= 1 for row in rows)
        assert all(json.loads(row.response)["success"] is True for row in settled)

    def _arrived(self) -> set[tuple[str, str]]:
        """Payer and nonce of every transfer to the seller, as they were authorized; read at once, after each step."""
        transfers = sa.select(SIMULATED_TRANSFERS).where(
            SIMULATED_TRANSFERS.c.network == USDC[0], SIMULATED_TRANSFERS.c.payee == SELLER.lower()
        )
        with self.database.reading() as connection:
            rows = {(row.payer, row.nonce) for row in connection.execute(transfers)}
        return {place for place in self.authorized.values() if (canonical(place[0]), canonical(place[1])) in rows}


Shopping.TestCase.settings = settings(
    deadline=None,
    max_examples=50,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestShopping = Shopping.TestCase
