"""The declarations of the paid products: what a body may hold, and what every product promises."""

import json
from contextlib import nullcontext
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError

from citepress.contract.json_body import InvalidArgumentsError, read_body
from citepress_payments.products import PRODUCTS, Product
from support.otters import BUNDLE, COVERAGE

BODIES: list[tuple[Product, dict[str, Any], bool]] = [
    (BUNDLE, {"query": "abc"}, True),
    (BUNDLE, {"query": "x" * 500, "max_sources": 20, "known_stable_ids": [f"posts/n{n}" for n in range(200)]}, True),
    (BUNDLE, {"query": "abc", "max_sources": 1, "known_stable_ids": []}, True),
    (BUNDLE, {}, False),
    (BUNDLE, {"query": "ab"}, False),
    (BUNDLE, {"query": "x" * 501}, False),
    (BUNDLE, {"query": 5}, False),
    (BUNDLE, {"query": "abc", "max_sources": 0}, False),
    (BUNDLE, {"query": "abc", "max_sources": 21}, False),
    (BUNDLE, {"query": "abc", "max_sources": "8"}, False),
    (BUNDLE, {"query": "abc", "max_sources": True}, False),
    (BUNDLE, {"query": "abc", "known_stable_ids": ["posts/a", "posts/a"]}, False),
    (BUNDLE, {"query": "abc", "known_stable_ids": [f"posts/n{n}" for n in range(201)]}, False),
    (BUNDLE, {"query": "abc", "known_stable_ids": [""]}, False),
    (BUNDLE, {"query": "abc", "known_stable_ids": "posts/a"}, False),
    (BUNDLE, {"query": "abc", "more": 1}, False),
    (COVERAGE, {"topic": "abc"}, True),
    (COVERAGE, {"topic": "x" * 200, "freshness_days": 3650}, True),
    (COVERAGE, {"topic": "abc", "freshness_days": 1}, True),
    (COVERAGE, {"freshness_days": 1}, False),
    (COVERAGE, {"topic": "ab"}, False),
    (COVERAGE, {"topic": "x" * 201}, False),
    (COVERAGE, {"topic": "abc", "freshness_days": 0}, False),
    (COVERAGE, {"topic": "abc", "freshness_days": 3651}, False),
    (COVERAGE, {"topic": "abc", "freshness_days": 2.5}, False),
    (COVERAGE, {"topic": "abc", "query": "abc"}, False),
]


@pytest.mark.parametrize(("product", "body", "good"), BODIES)
def test_a_body_is_read_or_refused_as_its_schema_says(product: Product, body: dict[str, Any], good: bool) -> None:
    with nullcontext() if good else pytest.raises(InvalidArgumentsError):
        read_body(product.ask, body)
    assert jsonschema_rs.is_valid(product.ask.model_json_schema(), body) == good


def test_a_refusal_names_the_member_at_fault() -> None:
    with pytest.raises(InvalidArgumentsError) as caught:
        read_body(BUNDLE.ask, {"query": "abc", "known_stable_ids": ["posts/a", "posts/a"], "max_source": 3})
    assert [(fault.pointer, fault.detail) for fault in caught.value.faults] == [
        ("/known_stable_ids", "known_stable_ids must not name an id twice."),
        ("/max_source", 'max_source is not known; did you mean "max_sources"?'),
    ]


def test_what_is_left_out_has_its_default() -> None:
    bundle, coverage = BUNDLE.ask.model_validate({"query": "abc"}), COVERAGE.ask.model_validate({"topic": "abc"})
    assert bundle.model_dump() == {"query": "abc", "max_sources": 8, "known_stable_ids": []}
    assert coverage.model_dump() == {"topic": "abc", "freshness_days": 30}


def test_every_product_says_what_it_sells() -> None:
    assert [product.id for product in PRODUCTS] == ["research-bundle-v2", "prior-coverage"]
    for product in PRODUCTS:
        assert product.usd == "0.05"
        assert 40 < len(product.description) <= 300
        assert product.ask.model_validate(product.example)
        assert product.result.model_fields["product"].default == product.id


def test_every_member_of_a_body_and_of_a_result_is_described_and_named_once() -> None:
    types: dict[str, Any] = {}
    for product in PRODUCTS:
        for model in (product.ask, product.result):
            schema = model.model_json_schema(mode="serialization")
            for name, part in {model.__name__: schema, **schema.get("$defs", {})}.items():
                shape = {key: value for key, value in part.items() if key != "$defs"}
                assert types.setdefault(name, shape) == shape
                undescribed = [member for member, schema in part["properties"].items() if not schema.get("description")]
                assert (name, undescribed, bool(part.get("description"))) == (name, [], True)
    assert {
        "ResearchBundleAsk",
        "ResearchBundle",
        "PriorCoverageAsk",
        "PriorCoverage",
        "BundleRecord",
        "CoverageEvidence",
    } <= types.keys()


def test_a_result_takes_no_member_beyond_its_form() -> None:
    with pytest.raises(ValidationError):
        BUNDLE.result.model_validate(json.loads('{"schema_version": 1, "more": 1}'))
