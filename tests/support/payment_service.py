"""A payment service over a real ledger and the simulated chain, and a buyer that pays without HTTP (no server)."""

import asyncio
import base64
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from citepress.base.canonical import digest
from citepress.contract.limits import Limit, LimitState
from citepress.stores.local.counters import LocalCounters
from citepress.stores.sql.database import Database
from citepress_payments import wire
from citepress_payments.outcomes import NotSellable, Order, Outcome, Terms
from citepress_payments.payment_system import payment_system
from citepress_payments.ports.rows import PaymentEntry
from citepress_payments.rails import Lane
from citepress_payments.settings import Payments
from citepress_payments.settlement import Timer
from citepress_payments.setup import Host, PaymentSystem
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from support.buyers import SELLER, USDC, sign_permit, sign_transfer
from support.simulated_chain import Watch
from support.stores import opened_copy

PRODUCT = "research-bundle-v2"
BODY = b'{"query":"agent memory","max_sources":5,"known_stable_ids":[]}'
RESULT = b'{"schema_version":"1","product":"research-bundle-v2","query":"agent memory","sources":[]}'
PRICE_UNTIL = "2027-06-01T00:00:00Z"
STATIC = [{"source": "static", "price": "612.40", "valid_until": PRICE_UNTIL}]
RAILS: list[dict[str, Any]] = [
    {"slug": "base-usdc", "driver": "simulated"},
    {
        "slug": "base-weth",
        "driver": "simulated",
        "prices": [{"source": "static", "price": "3000", "valid_until": PRICE_UNTIL}],
    },
    {"slug": "bsc-bnb", "driver": "simulated", "prices": STATIC},
]
"""Those of the demo."""
T = TypeVar("T")


class Unlimited:
    """Counters that never run out."""

    shared = False

    def spend(self, limit: Limit, client: str, cost: int = 1) -> LimitState:
        del client, cost
        return LimitState(True, limit.quota, 1)


@dataclass
class PaymentHarness:
    """One process that sells, a clock that stands still, and the chain behind it."""

    database: Database
    watch: Watch
    paying: PaymentSystem
    chain: SqlSimulatedChain
    probed: list[str] = field(default_factory=list)

    def order(
        self,
        body: bytes = BODY,
        *,
        lane: Lane = Lane.FIXED,
        slug: str = "",
        product: str = PRODUCT,
        client: str = "203.0.113.7",
        result: bytes | NotSellable = RESULT,
    ) -> Order:
        """A request for a product; ``result`` is what is computed for it."""
        return Order(product, lane, slug, body, digest(body), client, lambda: result)

    def preflight(self, order: Order | None = None) -> Outcome:
        """What an unsigned request gets."""
        return run(self.paying.service.preflight(order or self.order()))

    def terms(self, order: Order | None = None) -> Terms:
        """The terms of an order that is sold."""
        outcome = self.preflight(order)
        assert isinstance(outcome, Terms), outcome
        return outcome

    def signed(self, field: bytes, order: Order | None = None) -> Outcome:
        """What a request with this PAYMENT-SIGNATURE gets."""
        return run(self.paying.service.signed(order or self.order(), [field]))

    def close(self) -> None:
        """End the threads."""
        self.paying.service.close()


def stepped() -> Timer:
    """A timer that moves only while somebody waits: settlements give up after the same number of looks anywhere."""
    waits: list[float] = []
    return Timer(seconds=lambda: sum(waits), pause=waits.append)


def run(work: Awaitable[T]) -> T:
    """The answer of a coroutine, in a loop of its own."""

    async def _whole() -> T:
        return await work

    return asyncio.run(_whole())


def payment_harness(  # noqa: PLR0913  (what a test may choose)
    folder: Path,
    *,
    rails: list[dict[str, Any]] | None = None,
    watch: Watch | None = None,
    counters: Any = None,
    probe: Callable[[str], None] | None = None,
    random: Callable[[int], bytes] | None = None,
    database: Database | None = None,
    base_url: str = "",
    timer: Timer | None = None,
    **options: Any,
) -> PaymentHarness:
    """A market over a new ledger in this folder, or over a given database."""
    watch, base = watch or Watch(), database or opened_copy(str(folder / "state.sqlite"))
    shape = Payments.model_validate(
        {"networks": "test", "pay_to_evm": SELLER, "rails": RAILS if rails is None else rails} | options
    )
    probed: list[str] = []

    def probing(point: str) -> None:
        probed.append(point)
        if probe:
            probe(point)

    more = {"random": random} if random else {}
    host = Host(watch, probing, timer=timer or Timer(), **more)
    system = payment_system(shape, base, counters or LocalCounters(), host=host, base_url=base_url)
    return PaymentHarness(base, watch, system, SqlSimulatedChain(base), probed)


def vector_random() -> Callable[[int], bytes]:
    """The randomness of the design's golden vector, salt and quote id, and then any."""
    first = [b"\x5b" * 32, base64.urlsafe_b64decode("8CYz6YAKG4QvHIPhxGkaeQ==")]
    return lambda length: first.pop(0) if first and len(first[0]) == length else secrets.token_bytes(length)


def header(entry: PaymentEntry, payload: dict[str, Any], **changed: Any) -> bytes:
    """PAYMENT-SIGNATURE as a stock buyer sends it."""
    return wire.encode_header({"x402Version": 2, "accepted": entry, "payload": payload, **changed})


def paid(terms: Terms, watch: Watch, **changed: Any) -> bytes:
    """A good payment of the first entry, with a nonce of its own."""
    entry = terms.quote.entries[0]
    sign = sign_permit if entry["extra"]["assetTransferMethod"] == "permit2" else sign_transfer
    return header(entry, sign(entry, now=watch.now, **changed))


def decoded(field: bytes) -> dict[str, Any]:
    """The object in a header."""
    document: dict[str, Any] = json.loads(base64.b64decode(field))
    return document


def driver_of(harness: PaymentHarness, slug: str = "base-usdc") -> Any:
    """The driver of a rail, to be bent."""
    rail = harness.paying.rails.of(slug)
    assert rail
    return rail.driver


def slow(harness: PaymentHarness, patch: Any, *truths: Any) -> None:
    """Let the chain say these things, then what it knows."""
    real, scripted = driver_of(harness).reconcile, list(truths)
    patch.setattr(driver_of(harness), "reconcile", lambda *args: scripted.pop(0) if scripted else real(*args))


def holding(slug: str = "base-usdc", seconds: int = 1) -> list[dict[str, Any]]:
    """One rail that holds an answer for so long."""
    return [{"slug": slug, "driver": "simulated", "hold_s": seconds}]


def brief_payment_harness(folder: Path, **more: Any) -> PaymentHarness:
    """One rail whose settlements give up without waiting, however busy the machine is."""
    return payment_harness(folder, rails=[{"slug": "base-usdc", "driver": "simulated"}], timer=stepped(), **more)


def moved(harness: PaymentHarness, account: str = SELLER) -> int:
    """What an account holds of USDC."""
    return harness.chain.balance(*USDC, account)
