"""The capabilities document, limits of one client, and rails that take no quotes (design, sections 4.7 and 4.9)."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citepress_payments.capabilities import ProductListing
from citepress_payments.fees import dollars
from citepress_payments.limits import ConcurrencyLimit
from citepress_payments.outcomes import OverQuota, Unavailable
from citepress_payments.ports.chain import Health
from citepress_payments.ports.rows import Pause
from citepress_payments.rail_capabilities import capabilities
from citepress_payments.rails import Lane
from support.payment_service import payment_harness
from support.waiting import PATIENCE_S

NOW = datetime(2026, 11, 22, tzinfo=UTC)
WARES = [
    ProductListing("research-bundle-v2", "ResearchBundleAsk", tuple(Lane)),
    ProductListing("prior-coverage", "PriorCoverageAsk", (Lane.FIXED,)),
]


def test_without_rails_nothing_is_on_sale() -> None:
    listing = capabilities(WARES, {}, None, NOW, None)
    assert (listing.products, listing.rails, listing.networks) == ([], [], None)


def test_a_product_is_on_sale_only_in_its_lanes(tmp_path: Path) -> None:
    harness = payment_harness(
        tmp_path,
        rails=[
            {
                "slug": "bsc-bnb",
                "driver": "simulated",
                "prices": [{"source": "static", "price": "600", "valid_until": "2100-01-01"}],
            }
        ],
    )
    listing = capabilities(WARES, harness.paying.configuration.prices, harness.paying.rails, NOW, "test", 90)
    assert [product.id for product in listing.products] == ["research-bundle-v2"]
    assert listing.replay.kept == "90 days"
    harness.close()


def test_a_rail_that_is_paused_or_unwell_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = payment_harness(tmp_path)
    monkeypatch.setattr(harness.paying.rails.all[1].driver, "health", lambda: Health(available=False, reason="no gas"))
    harness.paying.ledger.pause(Pause("base-usdc", "maintenance", "test", harness.watch.now, now=False))
    listing = capabilities(WARES, harness.paying.configuration.prices, harness.paying.rails, NOW, "test")
    assert [(rail.available, rail.unavailable_reason) for rail in listing.rails] == [
        (False, "maintenance"),
        (False, "no gas"),
        (True, None),
    ]
    assert isinstance(harness.preflight(), Unavailable)
    harness.close()


@pytest.mark.parametrize(("micros", "text"), [(50_000, "0.05"), (1_000_000, "1"), (1_250_000, "1.25"), (1, "0.000001")])
def test_prices_in_dollars(micros: int, text: str) -> None:
    assert dollars(micros) == text


def test_four_requests_of_a_client_are_prepared_at_once() -> None:
    turns = ConcurrencyLimit(2, 0.05)

    async def all_at_once() -> list[bool]:
        refused = asyncio.Event()

        async def prepare() -> bool:
            async with turns.of("client") as mine:
                if mine:
                    await asyncio.wait_for(refused.wait(), PATIENCE_S)
                refused.set()
                return mine

        return await asyncio.gather(*[prepare() for _ in range(3)])

    assert sorted(asyncio.run(all_at_once())) == [False, True, True]
    assert turns._gates == {}  # noqa: SLF001  (nothing is remembered of a client that left)


def test_a_client_without_a_turn_is_told_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = payment_harness(tmp_path)
    monkeypatch.setattr(harness.paying.service, "_concurrency", ConcurrencyLimit(0, 0.01))
    assert isinstance(harness.preflight(), OverQuota)
    harness.close()


def test_a_result_that_takes_too_long_is_not_sold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = payment_harness(tmp_path)
    monkeypatch.setattr("citepress_payments.service.PREPARE_SECONDS", 0.0)
    outcome = harness.preflight()
    assert isinstance(outcome, Unavailable)
    assert outcome.code == "unavailable"
    harness.close()
