"""What catalogues list: the terms carry the extension bazaar, and a facilitator is handed the same."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from x402.extensions.bazaar.types import BodyDiscoveryExtension, parse_discovery_extension
from x402.schemas import PaymentRequired

from citepress.operations.products import PRODUCTS
from citepress.operations.products.routes import offer_of
from citepress.payments import wire
from citepress.payments.discovery import Catalogue, bare
from citepress.payments.outcomes import PurchaseResult
from citepress.payments.rails import Lane
from support.answering import answering
from support.evm import chain
from support.facilitator import Desk
from support.paying import sign_transfer
from support.shopping import header, market
from support.simulating import opened_rail

BASE = "https://archive.example"
MOST_HEADER = 7_680


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.id)
def test_the_extension_is_what_the_sdk_reads_and_its_example_fits_its_schema(product) -> None:  # type: ignore[no-untyped-def]
    told = offer_of(product).extensions()["bazaar"]
    read = parse_discovery_extension(told)
    assert isinstance(read, BodyDiscoveryExtension)
    assert (read.info.input.method, read.info.input.body_type) == ("POST", "json")
    Draft202012Validator.check_schema(told["schema"])
    Draft202012Validator(told["schema"]).validate(told["info"])
    product.ask.model_validate(told["info"]["input"]["body"])
    assert len(json.dumps(told)) < 2_000, "it travels in a header"


def test_a_schema_loses_only_what_people_read() -> None:
    schema = {"title": "A", "properties": {"title": {"type": "string", "title": "T", "description": "d"}}, "required": ["title"]}
    assert bare(schema) == {"properties": {"title": {"type": "string"}}, "required": ["title"]}


def test_the_header_of_all_fixed_rails_stays_within_its_budget(tmp_path: Path) -> None:
    shop = market(tmp_path)
    entries = [shop.terms().quote.entries[0]] * 6
    offer = offer_of(PRODUCTS[0])
    told = wire.payment_required(entries, offer.resource(BASE, Lane.FIXED), "payment_required", offer.extensions())
    assert len(wire.encoded(told)) < MOST_HEADER
    PaymentRequired.model_validate(told)
    shop.close()


def test_a_facilitator_learns_what_its_catalogue_may_list_and_nothing_of_the_buyers(tmp_path: Path) -> None:
    with chain(opened_rail("base-usdc")) as node:
        desk = Desk(node.url, "good")
        with answering(desk.answer) as url:
            rails = [{"slug": "base-usdc", "driver": "facilitator", "rpc_urls": [node.url], "facilitator_url": url}]
            shop = market(tmp_path, rails=rails, base_url=BASE)
            entry = shop.terms().quote.entries[0]
            field = header(entry, sign_transfer(entry), extensions={"evil": {"deploy": True}}, resource={"url": "https://evil.example"})
            assert isinstance(shop.signed(field), PurchaseResult)
            resource, extensions = desk.listed[:2]
            assert resource["url"] == f"{BASE}/agent-payments/research-bundle-v2"
            assert set(extensions) == {"bazaar"}
            assert json.dumps(desk.listed).count("evil") == 0
            shop.close()


def test_terms_that_fit_no_product_are_not_listed(tmp_path: Path) -> None:
    shop = market(tmp_path)
    entry = shop.terms().quote.entries[0]
    known, unknown = Catalogue(map(offer_of, PRODUCTS), BASE), Catalogue([], BASE)
    assert known.listing(entry)
    assert unknown.listing(entry) == Catalogue(map(offer_of, PRODUCTS), "").listing(entry) == {}
    assert known.listing({**entry, "amount": "1"}) == {}
    shop.close()
