"""Entries, the hash that binds them, the commitment, and equality by value (design, sections 1 and 3.3)."""

from typing import Any

import pytest

from citepress.base.canonical import digest
from citepress_payments import terms, wire
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.families import EVM
from citepress_payments.rails import ALL, BY_SLUG, Lane, Rail
from support.buyers import NOW, SELLER, SELLER_SVM, native_entry, usdc_entry
from support.payment_service import BODY, PRODUCT, RESULT
from support.simulated_chain import opened_rail

SALT = b"\x5b" * 32
DEAL = terms.TermsInput("q_8CYz6YAKG4QvHIPhxGkaeQ", PRODUCT, digest(BODY), terms.commitment(SALT, RESULT), NOW, "0.05")
GOLDEN = "0x798171f2f0a0298b8afb6efde83981c21d6cffa1117044ae10a0049c2778c344"
PREIMAGE = (
    '{"amount":"82462442847812","asset":"native","extra":{"assetTransferMethod":"transaction-proof",'
    '"bodySha256":"8642c2f86737bbea0c3507c02fb646e7056f85a235a666e255bdffdd9424f532","expiresAt":1795239300,"finality":"finalized",'
    '"paymentFlow":"upfront","quoteId":"q_Zm9ydHktdHdvLXNoZWVwcw","rail":"bsc-bnb",'
    '"resultCommitment":"0x77a5e1876089141274369015a99bfdc12338c766329bb054afcd73565f1c0168","usd":"0.05"},"maxTimeoutSeconds":900,'
    '"network":"eip155:56","payTo":"0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc","product":"research-bundle-v2","scheme":"exact-direct",'
    '"terms":"citepress-terms-1"}'
)


def _main(slug: str, **settings: Any) -> ConfiguredRail:
    rail = BY_SLUG[slug]
    return ConfiguredRail(
        rail,
        rail.main,
        SELLER if rail.main.family is EVM else SELLER_SVM,
        opened_rail("base-usdc", **settings).settings,
        testnet=False,
    )


def test_the_golden_entry_of_the_fixed_lane() -> None:
    entry = terms.entry(opened_rail("base-usdc"), DEAL, 50_000, {"simulated": True})
    assert entry == usdc_entry()
    assert list(entry["extra"]) == [
        "name",
        "version",
        "assetTransferMethod",
        "rail",
        "quoteId",
        "bodySha256",
        "resultCommitment",
        "expiresAt",
        "simulated",
        "testnet",
        "termsHash",
    ]
    assert entry["extra"]["termsHash"] == GOLDEN


def test_the_golden_entry_of_the_native_lane() -> None:
    deal = terms.TermsInput("q_Zm9ydHktdHdvLXNoZWVwcw", PRODUCT, DEAL.body_sha256, DEAL.commitment, NOW, "0.05")
    entry = terms.entry(_main("bsc-bnb"), deal, 82_462_442_847_812, {})
    hashed = "0x7ad1aa9e6f445226091c058ad86c60912815662fdf1d580e02c632622381f344"
    assert entry == {
        "scheme": "exact-direct",
        "network": "eip155:56",
        "asset": "native",
        "amount": "82462442847812",
        "payTo": SELLER,
        "maxTimeoutSeconds": 900,
        "extra": {
            "paymentFlow": "upfront",
            "assetTransferMethod": "transaction-proof",
            "rail": "bsc-bnb",
            "usd": "0.05",
            "quoteId": "q_Zm9ydHktdHdvLXNoZWVwcw",
            "bodySha256": DEAL.body_sha256,
            "resultCommitment": DEAL.commitment,
            "expiresAt": 1795239300,
            "finality": "finalized",
            "termsHash": hashed,
            "data": hashed,
        },
    }
    assert "0x" + digest(PREIMAGE.encode()) == hashed


def test_digests_of_the_golden_body_and_result() -> None:
    assert DEAL.body_sha256 == "8642c2f86737bbea0c3507c02fb646e7056f85a235a666e255bdffdd9424f532"
    assert DEAL.commitment == "0x77a5e1876089141274369015a99bfdc12338c766329bb054afcd73565f1c0168"


def test_commitment_is_salted() -> None:
    assert terms.commitment(SALT, RESULT) != terms.commitment(b"\0" * 32, RESULT) != "0x" + digest(RESULT)


def test_carriers_fit_their_chains() -> None:
    spl = terms.entry(_main("solana-usdc"), DEAL, 50_000, {"feePayer": SELLER_SVM})["extra"]
    assert spl["memo"] == spl["termsHash"][2:34]
    assert "assetTransferMethod" not in spl
    sol = terms.entry(_main("solana-sol"), DEAL, 1, {})["extra"]
    assert sol["memo"] == sol["termsHash"][2:]
    assert "data" not in sol
    weth = terms.entry(_main("base-weth"), DEAL, 1, {})["extra"]
    assert weth["assetTransferMethod"] == "permit2"
    assert weth["usd"] == "0.05"
    assert not {"memo", "data", "name"} & set(weth)


@pytest.mark.parametrize("rail", ALL, ids=lambda rail: rail.slug)
def test_every_rail_makes_an_entry_whose_hash_binds_all_but_the_carriers(rail: Rail) -> None:
    entry = terms.entry(_main(rail.slug), DEAL, 77, {})
    hashed = entry["extra"]["termsHash"]
    assert terms.terms_hash(entry, PRODUCT) == hashed
    assert (
        terms.terms_hash(entry | {"extra": entry["extra"] | {"memo": "x", "data": "y", "termsHash": "z"}}, PRODUCT)
        == hashed
    )
    assert terms.terms_hash(entry, "prior-coverage") != hashed
    for name in ("amount", "payTo", "network", "asset"):
        assert terms.terms_hash(entry | {name: "1"}, PRODUCT) != hashed
    for value in entry["extra"].values():
        assert isinstance(value, str | int)
    assert entry["scheme"] == ("exact-direct" if rail.lane is Lane.NATIVE else "exact")


def test_an_entry_is_found_by_value_whatever_its_order() -> None:
    usdc, native = usdc_entry(), native_entry()
    turned = dict(reversed(usdc.items())) | {"extra": dict(reversed(usdc["extra"].items()))}
    assert terms.chosen_entry(turned, [native, usdc]) is usdc


@pytest.mark.parametrize(
    "changed",
    [
        {"amount": "1"},
        {"amount": 50_000},
        {"maxTimeoutSeconds": "300"},
        {"maxTimeoutSeconds": 301},
        {"more": 1},
        {"payTo": SELLER.lower()},
    ],
)
def test_an_entry_that_differs_is_not_ours(changed: dict[str, Any]) -> None:
    assert terms.chosen_entry(usdc_entry() | changed, [usdc_entry()]) is None
    assert terms.chosen_entry({}, [usdc_entry()]) is None


def test_true_is_not_one() -> None:
    usdc = usdc_entry()
    assert terms.chosen_entry(usdc | {"extra": usdc["extra"] | {"simulated": 1}}, [usdc]) is None


def test_evidence_has_one_spelling() -> None:
    spelled = terms.evidence({"b": ["0xABCD", "0Xab", "AB", 1, None], "a": {"signature": "0xFF"}})
    assert spelled == '{"a":{"signature":"0xff"},"b":["0xabcd","0xab","AB",1,null]}'


def test_a_quote_id_is_sixteen_bytes_in_url_safe_text() -> None:
    assert terms.quote_id(b"\xf0&3\xe9\x80\n\x1b\x84/\x1c\x83\xe1\xc4i\x1ay") == "q_8CYz6YAKG4QvHIPhxGkaeQ"


def test_the_header_of_the_whole_fixed_lane_stays_within_its_budget() -> None:
    fixed = [
        terms.entry(_main(rail.slug), DEAL, 1_000_000, {"feePayer": SELLER_SVM})
        for rail in ALL
        if rail.lane is Lane.FIXED
    ]
    resource = {
        "url": f"https://{'a' * 100}.example/agent-payments/{PRODUCT}",
        "description": "Research bundle",
        "mimeType": "application/json",
    }
    assert len(wire.encode_header(wire.payment_required(fixed, resource, "payment_required"))) <= 7680
