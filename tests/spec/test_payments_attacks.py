"""Attacks on the paid products over HTTP: observers, odd paths, caches, and what the log must not contain."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citepress_payments.simulated_chain.chain import BUYER, BUYER_KEY
from citepress_payments.simulated_chain.native import send_native
from citepress_payments.stores.ledger import SqlLedger
from support.buyers import SECOND_KEY
from support.payment_service import decoded, header
from support.server_with_payments import (
    ASK,
    BASE,
    BNB,
    BUNDLE,
    COVERAGE,
    PRICE,
    WETH,
    PaymentServer,
    body_of,
    killed_server,
    payment_server_over,
    signed_for,
    wall,
)
from support.stores import opened


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attacked")


@pytest.fixture(scope="module")
def counter(place: Path) -> Iterator[PaymentServer]:
    with (
        killed_server(place / "state", place / "arm", 0, place / "log") as server,
        payment_server_over(server, str(place / "state" / "state.sqlite")) as seller,
    ):
        yield seller


def test_onchain_observer_gets_402(counter: PaymentServer) -> None:
    """Calldata, transaction hashes and memos are public; the quote's id is not, and without it they buy nothing."""
    body, before = body_of(1), counter.moved()
    bought = signed_for(counter.terms(COVERAGE, body))
    paid = counter.post(COVERAGE, body, bought)
    assert paid.status == 200
    payload, other = decoded(bought)["payload"], counter.terms(COVERAGE, body)
    answer = counter.post(COVERAGE, body, header(other["accepts"][0], payload))
    assert (answer.status, answer.json()["code"]) == (402, "payment_already_used")
    entry = counter.terms(BNB)["accepts"][0]
    proof = {"transaction": send_native(counter.chain, entry, BUYER, wall() - 30)}
    assert counter.post(BNB, ASK, header(entry, proof)).status == 200
    for claimed in (proof, {"transaction": decoded(paid.fields["payment-response"].encode())["transaction"]}):
        answer = counter.post(BNB, ASK, header(counter.terms(BNB)["accepts"][0], claimed))
        assert answer.status == 402, answer.text
        assert answer.json()["code"] in {
            "payment_already_used",
            "recipient_mismatch",
            "terms_hash_mismatch",
            "settlement_pending",
        }
    assert counter.moved() - before == PRICE


def test_another_payer_does_not_get_what_was_paid(counter: PaymentServer) -> None:
    body = body_of(2)
    terms = counter.terms(COVERAGE, body)
    assert counter.post(COVERAGE, body, signed_for(terms)).status == 200
    answer = counter.post(COVERAGE, body, signed_for(terms, key=SECOND_KEY))
    assert (answer.status, answer.json()["code"]) == (402, "quote_already_paid")


SPELLINGS = (
    f"/{COVERAGE}",
    f"{COVERAGE}/",
    f"{COVERAGE}/.",
    f"{COVERAGE}/x/..",
    f"{BASE}//prior-coverage",
    f"{BASE}/%70rior-coverage",
    f"{BASE}%2Fprior-coverage",
    f"{BASE}/prior-coverage%00",
    f"{BASE}/prior-coverage;x",
    f"{BASE}/PRIOR-COVERAGE",
    f"{COVERAGE}.json",
    f"{COVERAGE}%20",
    f"{COVERAGE}#x",
    f"{COVERAGE}?payment-signature=x",
    f"http://archive.test{COVERAGE}",
    f"{BUNDLE}/fixed/base-usdc",
    f"{BUNDLE}/volatile/base-usdc",
    f"{BUNDLE}/native/base-weth",
    f"{WETH}/",
    f"{WETH}/x",
    f"{BUNDLE}/volatile/",
    f"{BUNDLE}/volatile/../native/bsc-bnb",
)
METHODS = ("GET", "HEAD", "PUT", "PATCH", "DELETE", "QUERY", "post")


def test_path_spellings(counter: PaymentServer) -> None:
    """No spelling of a product's path and no method gives a result, or anything but terms and errors."""
    body = body_of(3)
    member = b'"verdict"'
    for spelling in SPELLINGS:
        answer = counter.post(spelling, body, x_original_url=COVERAGE, x_http_method_override="GET")
        assert answer.status in {308, 400, 402, 404, 405, 414}, (spelling, answer.status)
        assert member not in answer.body, spelling
        assert answer.status != 402 or "payment-required" in answer.fields, spelling
    for method in METHODS:
        answer = counter.server.ask(
            COVERAGE, method, b"" if method in {"GET", "HEAD"} else body, **counter.server.client()
        )
        assert answer.status in {400, 405, 501}, (method, answer.status)
        assert member not in answer.body, method


def test_cache_headers(counter: PaymentServer) -> None:
    """No cache keeps what a payment decides: terms, refusals, results, or a pending state."""
    body = body_of(4)
    offered = counter.post(COVERAGE, body)
    signature = signed_for(decoded(offered.fields["payment-required"].encode()))
    paid, entry = counter.post(COVERAGE, body, signature), counter.terms(BNB)["accepts"][0]
    pending = counter.post(
        BNB, ASK, header(entry, {"transaction": send_native(counter.chain, entry, BUYER, wall() + 1)})
    )
    refused = counter.post(COVERAGE, body_of(5), signature)
    replayed, invalid = counter.post(COVERAGE, body, signature), counter.post(COVERAGE, b"{}")
    answers = {
        "offered": offered,
        "pending": pending,
        "refused": refused,
        "invalid": invalid,
        "paid": paid,
        "replayed": replayed,
    }
    assert {name: answer.status for name, answer in answers.items()} == {
        "offered": 402,
        "pending": 402,
        "refused": 402,
        "invalid": 422,
        "paid": 200,
        "replayed": 200,
    }
    for name, answer in answers.items():
        wanted = "private, no-store" if answer.status == 200 else "no-store"
        assert answer.fields["cache-control"] == wanted, name
        assert not {"etag", "last-modified", "age", "expires"} & set(answer.fields), name
        assert answer.fields["access-control-allow-origin"] == "*", name
        shown = answer.fields["access-control-expose-headers"].lower()
        assert "payment-required" in shown, name
        assert "payment-response" in shown, name
    assert pending.json()["code"] == "settlement_pending"


def test_a_browser_may_ask_and_pay(counter: PaymentServer) -> None:
    preflight = counter.server.ask(
        COVERAGE,
        "OPTIONS",
        origin="https://app.example",
        access_control_request_method="POST",
        access_control_request_headers="content-type,payment-signature",
        **counter.server.client(),
    )
    assert preflight.status == 204
    assert preflight.fields["access-control-allow-origin"] == "*"
    assert preflight.fields["access-control-allow-headers"] in {"*", "content-type, payment-signature"}


def test_logs_hold_no_secret(counter: PaymentServer, place: Path) -> None:
    """What is logged, and the history in the ledger, would not let anybody replay a payment or learn who asked what."""
    body, secrets = body_of(6), []
    for bent in ({}, {"value": "1"}, {"key": SECOND_KEY}):
        terms = counter.terms(COVERAGE, body)
        signature = signed_for(terms, **bent)
        counter.post(COVERAGE, body, signature, authorization="Bearer 0f3c9d")
        counter.post(COVERAGE, body, base64.b64encode(base64.b64decode(signature)[:-9]))
        payload: Any = decoded(signature)["payload"]
        secrets += [terms["accepts"][0]["extra"]["quoteId"], payload["signature"][2:], signature.decode()]
    secrets += [BUYER_KEY[2:], SECOND_KEY[2:], "0f3c9d", "198.51.", body.decode()[10:40]]
    log = (place / "log").read_text("utf-8", "replace")
    assert log, "the server says where it listens"
    database = opened(str(place / "state" / "state.sqlite"))
    books = repr(SqlLedger(database).events(most=10_000))
    database.close()
    assert COVERAGE not in books
    assert [secret for secret in secrets if secret in log or secret in books] == []
