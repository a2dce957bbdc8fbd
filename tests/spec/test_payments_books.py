"""The ledger as an operator reads it, transfers that bought nothing, and a client of x402 version 1."""

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citepress_payments.settings import SIMULATED_SELLER
from citepress_payments.simulated_chain.chain import BUYER
from citepress_payments.simulated_chain.native import send_native
from spec.test_payments_commands import command
from support.demo import DEMO
from support.payment_service import decoded, header
from support.running_server import HOST, serving
from support.server_with_payments import (
    BNB,
    BUNDLE,
    COVERAGE,
    PaymentServer,
    body_of,
    payment_server_over,
    signed_for,
    wall,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("books") / "archive"
    shutil.copytree(DEMO, directory, ignore=shutil.ignore_patterns("state", "dist"))
    return directory


@pytest.fixture(scope="module")
def payment_server(folder: Path) -> Iterator[PaymentServer]:
    with (
        serving(folder, folder / "state") as server,
        payment_server_over(server, str(folder / "state" / "state.sqlite")) as seller,
    ):
        yield seller


def rows(folder: Path, *words: str) -> list[dict[str, str]]:
    code, output, _ = command("ledger", "--csv", *words, "--content", str(folder))
    assert code == 0
    return list(csv.DictReader(io.StringIO(output)))


def test_a_sale_is_a_row_of_integers_and_utc(folder: Path, payment_server: PaymentServer) -> None:
    terms = payment_server.terms(COVERAGE, body_of(60))
    paid = payment_server.post(COVERAGE, body_of(60), signed_for(terms))
    tx = decoded(paid.fields["payment-response"].encode())["transaction"]
    (row,) = [row for row in rows(folder) if row["transaction"] == tx]
    assert (row["state"], row["finality"], row["product"], row["rail"]) == (
        "settled",
        "final",
        "prior-coverage",
        "base-usdc",
    )
    assert (row["amount"], row["usd_micros"], row["decimals"], row["symbol"]) == ("50000", "50000", "6", "USDC")
    assert (row["network"], row["payer"], row["fee"], row["fee_coin"]) == ("eip155:84532", BUYER, "0", "ETH")
    assert row["fee_reason"] == ""
    assert row["decided_at"].endswith("Z")
    assert row["asset"] == terms["accepts"][0]["asset"]
    assert rows(folder, "--since", "2999-01-01") == []
    assert rows(folder, "--since", "2026-01-01")


def native(payment_server: PaymentServer, number: int, **bent: Any) -> tuple[bytes, bytes, str]:
    """A native quote and a transfer for it: body, signature, transaction."""
    body = b'{"query":"How do coding agents confine the commands they run?","max_sources":%d}' % number
    entry = payment_server.terms(BNB, body)["accepts"][0]
    tx = send_native(payment_server.chain, entry, BUYER, wall() - 10, nonce=number, **bent)
    return body, header(entry, {"transaction": tx}), tx


def test_transfers_that_bought_nothing_are_listed_for_the_operator(folder: Path, payment_server: PaymentServer) -> None:
    body, signature, wrong = native(payment_server, 3, amount=7)
    assert payment_server.post(BNB, body, signature).json()["code"] == "amount_mismatch"
    assert payment_server.post(BNB, body, signature).json()["code"] == "amount_mismatch"
    body, signature, first = native(payment_server, 4)
    assert payment_server.post(BNB, body, signature).status == 200
    entry = decoded(signature)["accepted"]
    twice = send_native(payment_server.chain, entry, BUYER, wall() - 10, nonce=99)
    assert payment_server.post(BNB, body, header(entry, {"transaction": twice})).status == 402
    code, output, _ = command("refunds", "--json", "--content", str(folder))
    listed = {row["tx"]: row for row in json.loads(output)}
    assert code == 0
    assert set(listed) == {wrong, twice}, "each once, and the sale itself is none"
    assert first not in listed
    assert listed[wrong]["reason"].startswith("amount_mismatch")
    assert (listed[twice]["reason"], listed[twice]["rail"]) == (f"quote_already_paid; from {BUYER}", "bsc-bnb")
    assert "2 transfers bought nothing" in command("refunds", "--content", str(folder))[1]


def test_a_strangers_transfer_is_no_receipt_of_ours(folder: Path, payment_server: PaymentServer) -> None:
    body, signature, tx = native(payment_server, 5, to="0x" + "5" * 40)
    assert payment_server.post(BNB, body, signature).json()["code"] == "recipient_mismatch"
    assert tx not in command("refunds", "--content", str(folder))[1]


def test_status_counts_what_is_open(folder: Path, payment_server: PaymentServer) -> None:
    payment_server.terms(COVERAGE, body_of(61))
    status = json.loads(command("status", "--json", "--content", str(folder))[1])
    assert (status["not_final"], status["undone"]) == (0, 0)
    assert status["unpaid_quotes"]["other"]["quotes"] >= 1
    assert 0 < status["unpaid_quotes"]["other"]["bytes"] < 100_000
    assert "Unpaid quotes: native" in command("status", "--content", str(folder))[1]
    assert command("ledger", "--missing", "--json", "--content", str(folder))[1].strip() == "[]"


def test_a_client_of_version_1_is_told_the_version(payment_server: PaymentServer) -> None:
    problem = payment_server.post(BUNDLE).json()
    (entry,) = problem["accepts"]
    assert (problem["x402Version"], problem["error"]) == (2, "payment_required")
    for name in ("network", "description"):
        assert "version 2 is required" in entry[name], "its own message quotes this"
    wanted = {
        "scheme",
        "network",
        "maxAmountRequired",
        "resource",
        "description",
        "mimeType",
        "payTo",
        "maxTimeoutSeconds",
        "asset",
    }
    assert set(entry) == wanted
    answer = payment_server.post(BUNDLE, x_payment="eyJ4NDAyVmVyc2lvbiI6MX0=")
    assert (answer.status, answer.json()["code"]) == (402, "unsupported_x402_version")
    assert "PAYMENT-SIGNATURE" in answer.json()["detail"]
    assert decoded(answer.fields["payment-required"].encode())["error"] == "unsupported_x402_version"


def test_the_terms_carry_what_catalogues_index(payment_server: PaymentServer) -> None:
    terms = payment_server.terms(BUNDLE)
    assert terms["extensions"]["bazaar"]["info"]["input"]["method"] == "POST"
    assert terms["resource"]["url"].endswith("/agent-payments/research-bundle-v2")


def test_a_recipient_of_the_demo_is_nobody(payment_server: PaymentServer) -> None:
    assert payment_server.terms(BUNDLE)["accepts"][0]["payTo"] == SIMULATED_SELLER


def test_a_key_that_may_be_read_by_others_pays_nothing(payment_server: PaymentServer, tmp_path: Path) -> None:
    url = f"http://{HOST}:{payment_server.server.port}"
    key = tmp_path / "wallet.key"
    key.write_text("11" * 32, "utf-8")
    key.chmod(0o644)
    code, _, fault = command("test", url, "--key-file", str(key))
    assert (code, "chmod 600" in fault) == (2, True)
    key.chmod(0o600)
    key.write_text("no key", "utf-8")
    code, _, fault = command("test", url, "--key-file", str(key))
    assert (code, "no key of an EVM account" in fault, "no key " in fault) == (2, True, True)
