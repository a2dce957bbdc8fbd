"""The books as an operator reads them, transfers that bought nothing, and a client that speaks the first version of x402."""

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citepress.contract.paid import SIMULATED_SELLER
from citepress.payments.chains.simulated.chain import BUYER, send_native
from spec.test_payments_commands import command
from support.demo import DEMO
from support.selling import BNB, BUNDLE, COVERAGE, Counter, body_of, counter_over, signed_for, wall
from support.server import HOST, serving
from support.shopping import decoded, header


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("books") / "archive"
    shutil.copytree(DEMO, made, ignore=shutil.ignore_patterns("state", "dist"))
    return made


@pytest.fixture(scope="module")
def shop(folder: Path) -> Iterator[Counter]:
    with serving(folder, folder / "state") as server, counter_over(server, str(folder / "state" / "state.sqlite")) as made:
        yield made


def rows(folder: Path, *words: str) -> list[dict[str, str]]:
    code, told, _ = command("ledger", "--csv", *words, "--content", str(folder))
    assert code == 0
    return list(csv.DictReader(io.StringIO(told)))


def test_a_sale_is_a_row_of_integers_and_utc(folder: Path, shop: Counter) -> None:
    terms = shop.terms(COVERAGE, body_of(60))
    paid = shop.post(COVERAGE, body_of(60), signed_for(terms))
    tx = decoded(paid.fields["payment-response"].encode())["transaction"]
    (row,) = [one for one in rows(folder) if one["transaction"] == tx]
    assert (row["state"], row["finality"], row["product"], row["rail"]) == ("settled", "final", "prior-coverage", "base-usdc")
    assert (row["amount"], row["usd_micros"], row["decimals"], row["symbol"]) == ("50000", "50000", "6", "USDC")
    assert (row["network"], row["payer"], row["fee"], row["fee_coin"]) == ("eip155:84532", BUYER, "0", "ETH")
    assert row["decided_at"].endswith("Z")
    assert row["asset"] == terms["accepts"][0]["asset"]
    assert rows(folder, "--since", "2999-01-01") == []
    assert rows(folder, "--since", "2026-01-01")


def native(shop: Counter, number: int, **bent: Any) -> tuple[bytes, bytes, str]:
    """A native quote and a transfer for it: body, signature, transaction."""
    body = b'{"query":"How do coding agents confine the commands they run?","max_sources":%d}' % number
    entry = shop.terms(BNB, body)["accepts"][0]
    tx = send_native(shop.chain, entry, BUYER, wall() - 10, nonce=number, **bent)
    return body, header(entry, {"transaction": tx}), tx


def test_transfers_that_bought_nothing_are_listed_for_the_operator(folder: Path, shop: Counter) -> None:
    body, signature, wrong = native(shop, 3, amount=7)
    assert shop.post(BNB, body, signature).json()["code"] == "amount_mismatch"
    assert shop.post(BNB, body, signature).json()["code"] == "amount_mismatch"
    body, signature, first = native(shop, 4)
    assert shop.post(BNB, body, signature).status == 200
    entry = decoded(signature)["accepted"]
    twice = send_native(shop.chain, entry, BUYER, wall() - 10, nonce=99)
    assert shop.post(BNB, body, header(entry, {"transaction": twice})).status == 402
    code, told, _ = command("refunds", "--json", "--content", str(folder))
    listed = {row["tx"]: row for row in json.loads(told)}
    assert code == 0
    assert set(listed) == {wrong, twice}, "each once, and the sale itself is none"
    assert first not in listed
    assert listed[wrong]["reason"].startswith("amount_mismatch")
    assert (listed[twice]["reason"], listed[twice]["rail"]) == (f"quote_already_paid; from {BUYER}", "bsc-bnb")
    assert "2 transfers bought nothing" in command("refunds", "--content", str(folder))[1]


def test_a_strangers_transfer_is_no_receipt_of_ours(folder: Path, shop: Counter) -> None:
    body, signature, tx = native(shop, 5, to="0x" + "5" * 40)
    assert shop.post(BNB, body, signature).json()["code"] == "recipient_mismatch"
    assert tx not in command("refunds", "--content", str(folder))[1]


def test_status_counts_what_is_open(folder: Path, shop: Counter) -> None:
    shop.terms(COVERAGE, body_of(61))
    told = json.loads(command("status", "--json", "--content", str(folder))[1])
    assert (told["not_final"], told["undone"]) == (0, 0)
    assert told["unpaid_quotes"]["other"]["quotes"] >= 1
    assert 0 < told["unpaid_quotes"]["other"]["bytes"] < 100_000
    assert "Unpaid quotes: native" in command("status", "--content", str(folder))[1]
    assert command("ledger", "--missing", "--json", "--content", str(folder))[1].strip() == "[]"


def test_a_client_of_version_1_is_told_the_version(shop: Counter) -> None:
    told = shop.post(BUNDLE).json()
    (entry,) = told["accepts"]
    assert (told["x402Version"], told["error"]) == (2, "payment_required")
    for name in ("network", "description"):
        assert "version 2 is required" in entry[name], "its own message quotes this"
    wanted = {"scheme", "network", "maxAmountRequired", "resource", "description", "mimeType", "payTo", "maxTimeoutSeconds", "asset"}
    assert set(entry) == wanted
    answer = shop.post(BUNDLE, x_payment="eyJ4NDAyVmVyc2lvbiI6MX0=")
    assert (answer.status, answer.json()["code"]) == (402, "unsupported_x402_version")
    assert "PAYMENT-SIGNATURE" in answer.json()["detail"]
    assert decoded(answer.fields["payment-required"].encode())["error"] == "unsupported_x402_version"


def test_the_terms_carry_what_catalogues_index(shop: Counter) -> None:
    told = shop.terms(BUNDLE)
    assert told["extensions"]["bazaar"]["info"]["input"]["method"] == "POST"
    assert told["resource"]["url"].endswith("/agent-payments/research-bundle-v2")


def test_a_recipient_of_the_demo_is_nobody(shop: Counter) -> None:
    assert shop.terms(BUNDLE)["accepts"][0]["payTo"] == SIMULATED_SELLER


def test_a_key_that_may_be_read_by_others_pays_nothing(shop: Counter, tmp_path: Path) -> None:
    url = f"http://{HOST}:{shop.server.port}"
    key = tmp_path / "wallet.key"
    key.write_text("11" * 32, "utf-8")
    key.chmod(0o644)
    code, _, fault = command("test", url, "--key-file", str(key))
    assert (code, "chmod 600" in fault) == (2, True)
    key.chmod(0o600)
    key.write_text("no key", "utf-8")
    code, _, fault = command("test", url, "--key-file", str(key))
    assert (code, "no key of an EVM account" in fault, "no key " in fault) == (2, True, True)
