"""The stock Python buyer (x402 2.25) and the conformance checks of others, against the served demo."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from eth_account import Account
from x402 import x402Client
from x402.http.clients import x402HttpxClient
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import register_exact_evm_client
from x402conf.harness import check_402

from citepress_payments.simulated_chain.chain import BUYER_KEY
from citepress_payments.terms import commitment
from support.buyers import WETH as WETH_PLACE
from support.demo import DEMO
from support.payment_service import decoded
from support.running_server import HOST, serving
from support.server_with_payments import ASK, BNB, BUNDLE, COVERAGE, TOPIC, WETH, PaymentServer, payment_server_over

LANES = [(BUNDLE, ASK), (WETH, ASK), (BNB, ASK), (COVERAGE, TOPIC)]
SECONDS = 60.0


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaymentServer]:
    state = tmp_path_factory.mktemp("stock-buyer")
    with serving(DEMO, state) as server, payment_server_over(server, str(state / "state.sqlite")) as seller:
        yield seller


def bought(counter: PaymentServer, path: str, body: bytes, *, controls: Any = None) -> Any:
    """What a stock client gets for one POST; ``controls`` are its spend controls, its own ones where left out."""

    async def buy() -> Any:
        buyer = x402Client()
        register_exact_evm_client(buyer, EthAccountSigner(Account.from_key(BUYER_KEY)))
        if controls is not None:
            buyer.set_spend_controls(controls)
        async with x402HttpxClient(buyer, timeout=SECONDS, trust_env=False) as client:
            fields = {"Content-Type": "application/json", **counter.server.client()}
            return await client.post(f"http://{HOST}:{counter.server.port}{path}", content=body, headers=fields)

    return asyncio.run(buy())


@pytest.mark.parametrize(("path", "body"), [(BUNDLE, ASK), (COVERAGE, TOPIC)])
def test_the_stock_buyer_pays_with_its_default_settings(counter: PaymentServer, path: str, body: bytes) -> None:
    before = counter.moved()
    answer = bought(counter, path, body)
    assert answer.status_code == 200, answer.text
    assert counter.moved() - before == 50_000
    response = decoded(answer.headers["payment-response"].encode())
    assert response["success"] is True
    salt = bytes.fromhex(response["extensions"]["citepress"]["resultSalt"])
    accepted = counter.terms(path, body)["accepts"][0]["extra"]
    assert accepted["resultCommitment"] != commitment(salt, answer.content), "each quote has a salt of its own"
    assert answer.json()["schema_version"] == 1


@pytest.mark.parametrize("path", [WETH, BNB])
def test_the_stock_buyer_signs_nothing_that_it_does_not_know(counter: PaymentServer, path: str) -> None:
    """WETH is no default asset, and ``exact-direct`` is no scheme of its own: it refuses both before it signs."""
    before = counter.moved()
    with pytest.raises(Exception, match=r"(?i)payment|asset|scheme|requirement"):
        bought(counter, path, ASK)
    assert counter.moved() == before


def test_the_stock_buyer_pays_weth_when_it_is_told_to(counter: PaymentServer) -> None:
    network, asset = WETH_PLACE
    allowed = {"allowed_assets": [{"network": network, "asset": asset, "max_amount_per_payment": str(10**17)}]}
    answer = bought(counter, WETH, ASK.replace(b"5", b"3"), controls=allowed)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(("path", "body"), LANES)
def test_every_402_passes_the_conformance_checks(counter: PaymentServer, path: str, body: bytes) -> None:
    answer = counter.post(path, body)
    assert answer.status == 402
    checks = check_402({"status": answer.status, "headers": dict(answer.fields), "body": answer.text})
    assert {check["check"].split()[0] for check in checks} >= {"P1", "P2", "P3", "P4", "P5", "P6", "P7"}
    assert [check for check in checks if not check["pass"]] == []
