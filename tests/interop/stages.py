"""What a case plays on: a chain, a market over it, and a buyer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anvil import ANYBODY, Anvil, Now, PaymentHarness, salt

from citepress_payments.chains.evm import authorization, calls
from citepress_payments.outcomes import Outcome
from citepress_payments.rails import Lane
from support.payment_service import decoded, paid


@dataclass
class Stage:
    """What a case plays on."""

    chain: Anvil
    market: PaymentHarness
    now: Now
    folder: Path

    def order(self, lane: str = "fixed") -> Any:
        """An order for a body of its own."""
        body = b'{"query":"agent memory","max_sources":%d,"topic":"%s"}' % (5, salt().encode())
        slug = {"fixed": "", "volatile": "base-weth", "native": "base-eth"}[lane]
        return self.market.order(body, lane=Lane(lane), slug=slug)

    def signed(self, lane: str = "fixed") -> tuple[Any, bytes]:
        """An order and a payment for it."""
        order = self.order(lane)
        return order, paid(self.market.terms(order), self.now)  # type: ignore[arg-type]

    def pay(self, order: Any, field: bytes) -> Outcome:
        return self.market.signed(field, order)

    def driver(self, slug: str = "base-usdc") -> Any:
        rail = self.market.paying.rails.of(slug)
        assert rail
        return rail.driver

    def submitted(self, field: bytes) -> None:
        """Somebody else sends a buyer's authorization."""
        payload = decoded(field)
        signed = authorization.read_authorization(payload["accepted"], payload["payload"])
        self.chain.ask(
            "eth_sendTransaction", {"from": ANYBODY, "to": calls.contract(signed), "data": calls.calldata(signed)}
        )


@contextmanager
def stage(chain: Anvil, probe: Callable[[str], None] | None = None, **more: Any) -> Iterator[Stage]:
    with TemporaryDirectory() as folder:
        now = Now()
        market = chain.market(Path(folder), now, probe, **more)
        yield Stage(chain, market, now, Path(folder))
        market.close()
