"""Freshness of what is sold: counted from the day of the question and the dates of the evidence."""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from citepress.base import clock
from support.demo import DEMO
from support.running_server import serving
from support.server_with_payments import BASE, BUNDLE, COVERAGE, PaymentServer, payment_server_over, signed_for

TOPIC = b'{"topic":"llms.txt adoption","freshness_days":%d}'
QUERY = b'{"query":"llms.txt adoption","max_sources":5}'


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaymentServer]:
    """The demo, every date, last change and update of it in 2020; its sources were read in 2026 all the same."""
    root = tmp_path_factory.mktemp("old")
    shutil.copytree(DEMO, root / "archive")
    for file in (root / "archive").rglob("*.md"):
        file.write_text(
            re.sub(r"^([ -]*(?:date|lastmod)): 202\d-", r"\1: 2020-", file.read_text("utf-8"), flags=re.MULTILINE),
            "utf-8",
        )
    with (
        serving(root / "archive", root / "state") as server,
        payment_server_over(server, str(root / "state/state.sqlite")) as seller,
    ):
        yield seller


@pytest.mark.requirement("handshake settled")
@pytest.mark.parametrize(("days", "verdict"), [(1, "stale"), (365, "stale"), (3650, "covered")])
def test_an_archive_of_2020_sells_no_fresh_verdict(old: PaymentServer, days: int, verdict: str) -> None:
    body = TOPIC % days
    sold = old.post(COVERAGE, body, signed_for(old.terms(COVERAGE, body))).json()
    today = clock.now().date()
    assert (sold["verdict"], sold["asked_at"]) == (verdict, f"{today}T00:00:00Z")
    for evidence in sold["evidence"]:
        assert evidence["evidence_at"].startswith("2020-")
        assert (
            timedelta(days=evidence["age_days"])
            == today - datetime.fromisoformat(evidence["evidence_at"]).astimezone(UTC).date()
        )
        assert evidence["fresh"] == (evidence["age_days"] <= days)


def test_a_bundle_of_an_archive_of_2020_says_that_nothing_in_it_is_fresh(old: PaymentServer) -> None:
    sold = old.post(BUNDLE, QUERY, signed_for(old.terms(BUNDLE, QUERY))).json()
    fresh = sold["freshness"]
    assert [fresh[f"updated_within_{days}_days"] for days in (30, 90, 365)] == [0, 0, 0]
    assert all(source["age_days"] > 365 * 5 for source in sold["sources"])


@pytest.mark.requirement("GET /agent-payments/payment-capabilities")
def test_how_freshness_is_counted_is_told_before_anything_is_paid(old: PaymentServer) -> None:
    capabilities = old.server.ask(f"{BASE}/payment-capabilities", **old.server.client()).json()
    for product in capabilities["products"]:
        method = " ".join(product["method"])
        assert "asked_at" in method
        assert "bare edit" in method
    assert "threshold" in " ".join(capabilities["products"][1]["method"])
