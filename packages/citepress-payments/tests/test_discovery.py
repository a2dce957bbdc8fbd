"""What catalogues list: the terms carry the extension bazaar, and a facilitator is handed the same."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from x402.extensions.bazaar.types import BodyDiscoveryExtension, parse_discovery_extension
from x402.schemas import PaymentRequired

from citepress_payments import wire
from citepress_payments.discovery import Catalogue, bare
from citepress_payments.outcomes import PurchaseResult
from citepress_payments.products import PRODUCTS
from citepress_payments.products.routes import offer_of
from citepress_payments.rails import Lane
from support.buyers import sign_transfer
from support.evm import chain
from support.facilitator import Desk
from support.fake_http_server import answering
from support.payment_service import header, payment_harness
from support.simulated_chain import opened_rail

BASE = "https://archive.example"
MOST_HEADER = 7_680


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.id)
def test_the_extension_is_what_the_sdk_reads_and_its_example_fits_its_schema(product) -> None:  # type: ignore[no-untyped-def]
    extension = offer_of(product).extensions()["bazaar"]
    read = parse_discovery_extension(extension)
    assert isinstance(read, BodyDiscoveryExtension)
    assert (read.info.input.method, read.info.input.body_type) == ("POST", "json")
    Draft202012Validator.check_schema(extension["schema"])
    Draft202012Validator(extension["schema"]).validate(extension["info"])
    product.ask.model_validate(extension["info"]["input"]["body"])
    assert len(json.dumps(extension)) < 2_000, "it travels in a header"


def test_a_schema_loses_only_what_people_read() -> None:
    schema = {
        "title": "A",
        "properties": {"title": {"type": "string", "title": "T", "description": "d"}},
        "required": ["title"],
    }
    assert bare(schema) == {"properties": {"title": {"type": "string"}}, "required": ["title"]}


def test_the_header_of_all_fixed_rails_stays_within_its_budget(tmp_path: Path) -> None:
    harness = payment_harness(tmp_path)
    entries = [harness.terms().quote.entries[0]] * 6
    offer = offer_of(PRODUCTS[0])
    encoded = wire.payment_required(entries, offer.resource(BASE, Lane.FIXED), "payment_required", offer.extensions())
    assert len(wire.encode_header(encoded)) < MOST_HEADER
    PaymentRequired.model_validate(encoded)
    harness.close()


def test_a_facilitator_learns_what_its_catalogue_may_list_and_nothing_of_the_buyers(tmp_path: Path) -> None:
    with chain(opened_rail("base-usdc")) as node:
        desk = Desk(node.url, "good")
        with answering(desk.answer) as url:
            rails = [{"slug": "base-usdc", "driver": "facilitator", "rpc_urls": [node.url], "facilitator_url": url}]
            harness = payment_harness(tmp_path, rails=rails, base_url=BASE)
            entry = harness.terms().quote.entries[0]
            field = header(
                entry,
                sign_transfer(entry),
                extensions={"evil": {"deploy": True}},
                resource={"url": "https://evil.example"},
            )
            assert isinstance(harness.signed(field), PurchaseResult)
            resource, extensions = desk.listed[:2]
            assert resource["url"] == f"{BASE}/agent-payments/research-bundle-v2"
            assert set(extensions) == {"bazaar"}
            assert json.dumps(desk.listed).count("evil") == 0
            harness.close()


def test_terms_that_fit_no_product_are_not_listed(tmp_path: Path) -> None:
    harness = payment_harness(tmp_path)
    entry = harness.terms().quote.entries[0]
    catalogue, unknown = Catalogue(map(offer_of, PRODUCTS), BASE), Catalogue([], BASE)
    assert catalogue.listing(entry)
    assert unknown.listing(entry) == Catalogue(map(offer_of, PRODUCTS), "").listing(entry) == {}
    assert catalogue.listing({**entry, "amount": "1"}) == {}
    harness.close()
