"""The paid products over the wire, with the simulated chain behind them (specification, "Paid compute products")."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from citepress.base.canonical import digest
from citepress_payments import wire
from citepress_payments.rails import ALL as RAILS
from citepress_payments.rails import Lane
from citepress_payments.settings import SIMULATED_SELLER
from citepress_payments.simulated_chain.chain import BUYER
from citepress_payments.simulated_chain.native import send_native
from citepress_payments.terms import commitment, terms_hash
from support.buyers import SECOND_KEY, USDC
from support.demo import SPEC_RATE
from support.payment_service import decoded, header
from support.proof import proves
from support.running_server import serving
from support.server_with_payments import ASK, BASE, BNB, BUNDLE, COVERAGE, TOPIC, WETH, PaymentServer, signed_for, wall
from support.waiting import PATIENCE_S


@pytest.mark.requirement("GET /agent-payments/payment-capabilities", "authentication 1 payments")
def test_capabilities_list_products_prices_rails_and_policies(counter: PaymentServer) -> None:
    answer = counter.server.ask(f"{BASE}/payment-capabilities", **counter.server.client())
    assert answer.status == 200
    assert answer.fields["cache-control"] == "no-store"
    assert set(answer.fields) >= SPEC_RATE
    document = answer.json()
    assert {product["id"]: product["usd"] for product in document["products"]} == {
        "research-bundle-v2": "0.05",
        "prior-coverage": "0.05",
    }
    assert [lane["path"] for lane in document["products"][0]["lanes"]] == [BUNDLE, WETH, BNB]
    assert [(rail["slug"], rail["available"]) for rail in document["rails"]] == [
        ("base-usdc", True),
        ("base-weth", True),
        ("bsc-bnb", True),
    ]
    assert document["preflight"]["free"] is True
    assert document["retry"]["body"] == "byte-identical"
    assert document["refunds"] == "none"


@pytest.mark.parametrize(
    ("path", "body", "asset", "member"),
    [
        proves("POST /agent-payments/research-bundle-v2", BUNDLE, ASK.replace(b"5", b"6"), USDC[1], "sources"),
        proves(
            "POST /agent-payments/research-bundle-v2/volatile/<rail_slug>",
            WETH,
            ASK.replace(b"5", b"4"),
            "0x4200000000000000000000000000000000000006",
            "sources",
        ),
        proves("POST /agent-payments/prior-coverage", COVERAGE, TOPIC, USDC[1], "verdict"),
    ],
)
@pytest.mark.requirement(
    "handshake preflight", "handshake settled", "handshake replay", "authentication 2", "payment bodies"
)
def test_preflight_payment_and_replay(counter: PaymentServer, path: str, body: bytes, asset: str, member: str) -> None:
    terms = counter.terms(path, body)
    assert terms["accepts"][0]["asset"] == asset
    signature, before = signed_for(terms), counter.moved()
    paid = counter.post(path, body, signature)
    assert paid.status == 200, paid.text
    assert member in paid.json()
    assert paid.fields["cache-control"] == "private, no-store"
    response = decoded(paid.fields["payment-response"].encode())
    assert (response["success"], response["payer"], response["amount"]) == (True, BUYER, terms["accepts"][0]["amount"])
    salt = bytes.fromhex(response["extensions"]["citepress"]["resultSalt"])
    assert commitment(salt, paid.body) == terms["accepts"][0]["extra"]["resultCommitment"]
    after = counter.moved()
    again = counter.post(path, body, signature)
    assert (again.status, again.body, again.fields["payment-response"]) == (
        200,
        paid.body,
        paid.fields["payment-response"],
    )
    assert counter.moved() == after
    assert after - before == (50_000 if asset == USDC[1] else 0)


@pytest.mark.requirement(
    "POST /agent-payments/research-bundle-v2/native/<rail_slug>", "handshake native", "authentication 5"
)
def test_a_native_transfer_is_released_after_finality(counter: PaymentServer) -> None:
    entry = counter.terms(BNB)["accepts"][0]
    assert entry["extra"]["data"] == entry["extra"]["termsHash"]
    bare = send_native(counter.chain, entry, BUYER, wall() - 10, data="0x")
    refused = counter.post(BNB, ASK, header(entry, {"transaction": bare}))
    assert refused.json()["code"] == "terms_hash_mismatch"
    reason = decoded(refused.fields["payment-response"].encode())
    assert (reason["success"], reason["network"]) == (False, entry["network"])
    assert reason["errorReason"] == "terms_hash_mismatch"
    unreadable = counter.post(BUNDLE, ASK, b"nonsense")
    assert decoded(unreadable.fields["payment-response"].encode())["errorReason"] == unreadable.json()["code"]
    assert "payment-response" not in counter.post(BUNDLE, ASK).fields
    signature = header(entry, {"transaction": send_native(counter.chain, entry, BUYER, wall() + 10)})
    early = counter.post(BNB, ASK, signature)
    assert (early.status, early.json()["code"], early.fields["retry-after"]) == (402, "settlement_pending", "2")
    assert "do not sign again" in early.json()["next"]
    deadline = time.monotonic() + PATIENCE_S
    while (answer := counter.post(BNB, ASK, signature)).status != 200:
        assert time.monotonic() < deadline, answer.text
        time.sleep(0.5)
    assert decoded(answer.fields["payment-response"].encode())["payer"] == BUYER


@pytest.mark.requirement("payment headers", "payment encoding", "authentication 4", "error payment")
def test_terms_carry_all_that_a_buyers_policy_needs(counter: PaymentServer) -> None:
    answer = counter.post(BUNDLE)
    terms = decoded(answer.fields["payment-required"].encode())
    assert wire.encode_header(terms).decode() == answer.fields["payment-required"]
    assert answer.json()["payment_required"] == terms
    assert (answer.status, answer.type, answer.fields["cache-control"]) == (402, "application/problem+json", "no-store")
    assert set(answer.fields) >= SPEC_RATE
    assert (terms["x402Version"], terms["error"], terms["resource"]["mimeType"]) == (
        2,
        "payment_required",
        "application/json",
    )
    assert terms["resource"]["url"].endswith(BUNDLE)
    entry = terms["accepts"][0]
    assert (entry["payTo"], entry["amount"], entry["network"]) == (SIMULATED_SELLER, "50000", "eip155:84532")
    assert entry["extra"]["bodySha256"] == digest(ASK)
    assert entry["extra"]["termsHash"] == terms_hash(entry, "research-bundle-v2")


@pytest.mark.requirement("authentication 3")
def test_another_body_is_not_served_for_the_same_payment(counter: PaymentServer) -> None:
    signature, before = signed_for(counter.terms(BUNDLE)), counter.moved()
    answer = counter.post(BUNDLE, ASK.replace(b'"max_sources":5', b'"max_sources": 5'), signature)
    assert (answer.status, answer.json()["code"]) == (402, "body_mismatch")
    assert "payment-required" in answer.fields
    assert counter.moved() == before


BAD = {
    "not JSON": (BUNDLE, b"{", 400, "malformed_json"),
    "too deep": (BUNDLE, b'{"query":' + b"[" * 300 + b"]" * 300 + b"}", 400, "malformed_json"),
    "a name twice": (BUNDLE, b'{"query":"sandbox","query":"caches"}', 422, "validation"),
    "no object": (BUNDLE, b"[]", 422, "validation"),
    "a control character": (BUNDLE, b'{"query":"llms.txt adop\\u0000tion"}', 422, "validation"),
    "DEL in a topic": (COVERAGE, b'{"topic":"llms.txt adoption\\u007f"}', 422, "validation"),
    "C1 in a known id": (
        BUNDLE,
        b'{"query":"llms.txt adoption","known_stable_ids":["posts/a\\u0085"]}',
        422,
        "validation",
    ),
    "unknown member": (BUNDLE, b'{"query":"sandbox","limit":1}', 422, "validation"),
    "thin": (BUNDLE, b'{"query":"zebra unicorn stripes"}', 422, "insufficient_evidence"),
}


@pytest.mark.requirement("handshake refused", "error payment invalid", "error payment statuses")
@pytest.mark.parametrize("name", BAD)
def test_what_is_invalid_or_thin_is_never_charged_nor_offered(counter: PaymentServer, name: str) -> None:
    path, body, status, code = BAD[name]
    for signature in (b"", b"e30="):
        answer = counter.post(path, body, signature)
        document = answer.json()
        assert (answer.status, document["code"], document["settled"]) == (status, code, False)
        assert (document["title"] == "There is too little evidence to sell a result") == (
            code == "insufficient_evidence"
        )
        assert "payment-required" not in answer.fields


def test_a_line_break_in_a_question_is_sold(counter: PaymentServer) -> None:
    assert counter.post(BUNDLE, b'{"query":"llms.txt\\n\\tadoption"}').status == 402


def test_a_paid_body_that_names_a_member_twice_is_told_where(counter: PaymentServer) -> None:
    answer = counter.post(BUNDLE, b'{"query":"sandbox","known_stable_ids":[],"known_stable_ids":[]}')
    assert answer.json()["errors"] == [
        {"detail": "known_stable_ids is given more than once; keep one of them.", "pointer": "/known_stable_ids"}
    ]


@pytest.mark.parametrize(
    ("path", "member", "wrong"),
    [
        proves("body bundle.query", BUNDLE, "query", [5, "ab", "x" * 501]),
        proves("body bundle.max_sources", BUNDLE, "max_sources", ["5", 0, 21, 1.5]),
        proves("body bundle.known_stable_ids", BUNDLE, "known_stable_ids", ["posts/x", [7]]),
        proves("body coverage.topic", COVERAGE, "topic", [None, "ab", "x" * 201]),
        proves("body coverage.freshness_days", COVERAGE, "freshness_days", ["30", 0, 3651]),
    ],
)
@pytest.mark.requirement("payment bounds")
def test_types_and_bounds_of_the_bodies(counter: PaymentServer, path: str, member: str, wrong: list[Any]) -> None:
    good = json.loads(ASK if path == BUNDLE else TOPIC)
    for value in wrong:
        answer = counter.post(path, json.dumps(good | {member: value}).encode())
        assert answer.status == 422, (value, answer.text)
        assert answer.json()["errors"][0]["pointer"].startswith(f"/{member}")


@pytest.mark.requirement("error payment statuses")
def test_the_order_of_checks(counter: PaymentServer) -> None:
    server = counter.server
    method = server.ask(BUNDLE, **server.client())
    assert (method.status, method.fields["allow"]) == (405, "POST, OPTIONS")
    options = server.ask(BUNDLE, "OPTIONS", **server.client())
    assert (options.status, options.fields["allow"]) == (204, "POST, OPTIONS")
    assert options.fields["access-control-allow-headers"] == "*"
    for path in (f"{BUNDLE}/native/base-usdc", f"{BUNDLE}/native/base-weth", f"{BUNDLE}/volatile/bsc-bnb"):
        for signature in (b"", b"e30="):
            other_lane = counter.post(path, ASK, signature)
            assert (other_lane.status, other_lane.json()["code"]) == (404, "unknown_rail"), path
            assert "retry-after" not in other_lane.fields
    assert counter.post(f"{COVERAGE}/native/bsc-bnb", TOPIC).status in (404, 405)
    assert counter.post(BUNDLE, accept="text/html").status == 406
    assert counter.post(BUNDLE, content_type="text/plain").status == 415
    large = counter.post(BUNDLE, b" " * 16_385)
    assert (large.status, large.json()["limit_bytes"]) == (413, 16_384)


@pytest.mark.requirement("payment headers")
def test_a_large_or_doubled_header_gets_fresh_terms(counter: PaymentServer) -> None:
    large = counter.post(BUNDLE, ASK, b"A" * 16_384)
    assert (large.status, large.json()["code"]) == (402, "invalid_payload")
    assert counter.post(BUNDLE, ASK, b"A" * 17_000).json()["code"] == "invalid_payload"
    signature = signed_for(counter.terms(BUNDLE))
    doubled = counter.post(BUNDLE, ASK, signature, Payment_Signature=signature.decode())
    assert doubled.json()["code"] == "invalid_payload"


def test_an_empty_wallet_gets_the_same_quote_back(counter: PaymentServer) -> None:
    terms = counter.terms(COVERAGE, TOPIC)
    answer = counter.post(COVERAGE, TOPIC, signed_for(terms, key=SECOND_KEY))
    assert (answer.status, answer.json()["code"]) == (402, "insufficient_funds")
    assert answer.json()["payment_required"]["accepts"] == terms["accepts"]


def test_copies_at_the_same_moment_make_one_transfer(counter: PaymentServer) -> None:
    body = b'{"topic":"sandbox defaults of coding agents","freshness_days":45}'
    signature, before = signed_for(counter.terms(COVERAGE, body)), counter.moved()
    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(lambda _: counter.post(COVERAGE, body, signature), range(12)))
    assert [answer.status for answer in answers] == [200] * 12
    assert len({answer.body for answer in answers}) == 1
    assert counter.moved() - before == 50_000


@pytest.mark.requirement("limit payments")
def test_thirty_preflights_a_minute_for_each_client(counter: PaymentServer) -> None:
    client = counter.server.client()
    headers = {"content_type": "application/json", **client}
    answers = [counter.server.ask(COVERAGE, "POST", b"{", **headers) for _ in range(31)]
    assert [answer.status for answer in answers] == [400] * 30 + [429]
    last = answers[-1]
    assert last.json()["code"] == "rate_limited"
    assert (last.fields["ratelimit-limit"], last.fields["ratelimit-remaining"]) == ("30", "0")
    assert int(last.fields["retry-after"]) <= 60


@pytest.mark.requirement("limit payments")
def test_a_refusal_for_failed_payments_tells_the_limit_that_is_used_up(counter: PaymentServer) -> None:
    client = counter.server.client()
    body = b'{"topic":"sandbox defaults of coding agents","freshness_days":46}'
    terms = counter.terms(COVERAGE, body)
    answers = [counter.post(COVERAGE, body, signed_for(terms, key="0x" + "11" * 32), **client) for _ in range(21)]
    assert [answer.json()["code"] for answer in answers] == ["insufficient_funds"] * 20 + ["rate_limited"]
    last = answers[-1]
    assert (last.status, last.fields["ratelimit-limit"], last.fields["ratelimit-remaining"]) == (429, "20", "0")
    assert last.fields["retry-after"] == last.fields["ratelimit-reset"]
    assert "payment-required" not in last.fields


@pytest.mark.requirement("payment slugs")
def test_slugs_name_chain_and_asset() -> None:
    volatile, native = ({rail.slug for rail in RAILS if rail.lane is lane} for lane in (Lane.VOLATILE, Lane.NATIVE))
    assert {"base-eurc", "base-weth", "base-cbbtc", "solana-wsol"} <= volatile
    assert native == {"bsc-bnb", "avalanche-avax", "polygon-pol", "base-eth", "ethereum-eth", "solana-sol"}


def test_the_tool_that_lists_products_knows_what_is_sold(counter: PaymentServer) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_paid_tools", "arguments": {}}}
    answer = counter.server.ask(
        "/mcp",
        "POST",
        json.dumps(call).encode(),
        content_type="application/json",
        accept="application/json, text/event-stream",
        mcp_protocol_version="2025-06-18",
        **counter.server.client(),
    )
    products = answer.json()["result"]["structuredContent"]["products"]
    assert [product["id"] for product in products] == ["research-bundle-v2", "prior-coverage"]
    usdc, weth, bnb = products[0]["prices"]
    assert usdc == {
        "rail": "base-usdc",
        "path": BUNDLE,
        "network": USDC[0],
        "asset": USDC[1],
        "amount": "50000",
        "decimals": 6,
        "exact": True,
        "testnet": True,
        "simulated": True,
    }
    assert [
        (price["rail"], price["path"], price["exact"], price["testnet"], price["simulated"]) for price in (weth, bnb)
    ] == [
        ("base-weth", WETH, False, True, True),
        ("bsc-bnb", BNB, False, True, True),
    ]
    offered = [counter.terms(path)["accepts"][0] for path in (WETH, BNB)]
    assert [price["amount"] for price in (weth, bnb)] == [entry["amount"] for entry in offered]
    assert [product["usd"] for product in products] == ["0.05", "0.05"]


def test_the_terms_hash_can_be_made_again_by_the_published_recipe(counter: PaymentServer) -> None:
    capabilities = counter.server.ask(f"{BASE}/payment-capabilities", **counter.server.client()).json()
    recipe = capabilities["terms_hash"]
    assert recipe["add"] == ["product", "terms"]
    for path, product in (
        (BUNDLE, "research-bundle-v2"),
        (WETH, "research-bundle-v2"),
        (BNB, "research-bundle-v2"),
        (COVERAGE, "prior-coverage"),
    ):
        entry = counter.terms(path, TOPIC if path == COVERAGE else ASK)["accepts"][0]
        left = {name.removeprefix("extra.") for name in recipe["leave_out"]}
        bare = {**entry, "extra": {name: value for name, value in entry["extra"].items() if name not in left}}
        canonical = json.dumps(
            {**bare, "product": product, "terms": recipe["name"]}, sort_keys=True, separators=(",", ":")
        )
        assert "0x" + digest(canonical.encode()) == entry["extra"]["termsHash"]


def test_known_records_that_the_archive_does_not_have_are_told_before_payment(counter: PaymentServer) -> None:
    base = f"http://127.0.0.1:{counter.server.port}"
    ids = [f"{base}/posts/sandbox-defaults-compared/", f"{base}/shifts/no-such-shift/", "https://elsewhere.example/a"]
    body = json.dumps(
        {"query": "How do coding agents confine the commands they run?", "max_sources": 3, "known_stable_ids": ids}
    ).encode()
    answer = counter.post(BUNDLE, body)
    (note,) = answer.json()["notes"]
    assert (answer.status, ids[1] in note, ids[2] in note, ids[0] in note) == (402, True, True, False)
    sold = counter.post(BUNDLE, body, signed_for(answer.json()["payment_required"])).json()
    assert sold["known"] == {"excluded": ["posts/sandbox-defaults-compared"], "unknown": ids[1:]}
    assert "posts/sandbox-defaults-compared" not in [source["id"] for source in sold["sources"]]
    assert "notes" not in counter.post(BUNDLE).json()


def test_without_payments_nothing_is_sold_and_that_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "note.md").write_text("# A note\n\nA text.\n", "utf-8")
    with serving(folder, tmp_path / "state") as server:
        document = server.ask(f"{BASE}/payment-capabilities").json()
        assert (document["products"], document["rails"], document["networks"]) == ([], [], None)
        answer = server.ask(BUNDLE, "POST", ASK, content_type="application/json")
        assert (answer.status, answer.json()["code"]) == (503, "rail_unavailable")
        assert "payment-required" not in answer.fields


def test_a_second_payment_for_the_same_body_is_not_charged_over_another_rail(counter: PaymentServer) -> None:
    body = ASK.replace(b"5", b"3")
    first = counter.post(BUNDLE, body, signed_for(counter.terms(BUNDLE, body)))
    second = counter.post(WETH, body, signed_for(counter.terms(WETH, body)))
    assert (first.status, second.status, second.body) == (200, 200, first.body)
    transactions = {decoded(answer.fields["payment-response"].encode())["transaction"] for answer in (first, second)}
    assert len(transactions) == 1
