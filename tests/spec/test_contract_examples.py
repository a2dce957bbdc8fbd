"""The contracts show an example of every JSON answer, which fits its schema, and declare what may be answered."""

from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs
import pytest

from support.demo import Demo


@pytest.fixture(scope="module", params=["/openapi.json", "/openapi-route-catalog.json"])
def contract(request: pytest.FixtureRequest, demo: Demo) -> Mapping[str, Any]:
    document: Mapping[str, Any] = demo.json(request.param)
    return document


def resolved(contract: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """A node, or what its reference leads to."""
    for name in str(node.get("$ref", "")).split("/")[1:]:
        contract = contract[name]
    return contract if "$ref" in node else node


def answers(contract: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Where an answer is declared, and its content in one media type of JSON."""
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            for status, response in operation["responses"].items():
                for media, content in resolved(contract, response).get("content", {}).items():
                    if media.endswith("json"):
                        yield f"{method} {path} {status} {media}", content


def test_every_json_answer_has_an_example_that_fits(contract: Mapping[str, Any]) -> None:
    fitted = 0
    validators: dict[str, Any] = {}
    for place, content in answers(contract):
        schema = content["schema"]
        if schema == {"type": "object"}:
            continue  # documents whose form another standard fixes
        shown = [resolved(contract, example)["value"] for example in content.get("examples", {}).values()]
        shown += [content["example"]] if "example" in content else []
        assert shown, place
        name = str(schema)
        if name not in validators:
            whole = {**schema, "components": contract["components"]}
            validators[name] = jsonschema_rs.validator_for(whole)
        for value in shown:
            assert not [error.message for error in validators[name].iter_errors(value)], place
        fitted += 1
    assert fitted > 500


def test_every_operation_declares_what_the_server_may_answer(contract: Mapping[str, Any]) -> None:
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            assert {"405", "414", "431"} <= set(operation["responses"]), (method, path)
    assert "412" in contract["paths"]["/posts.json"]["get"]["responses"]


def test_the_bodies_of_mcp_have_names(contract: Mapping[str, Any]) -> None:
    for path in ("/mcp", "/.well-known/mcp", "/mcp/chatgpt"):
        operation = contract["paths"][path]["post"]
        for content in (operation["requestBody"], operation["responses"]["200"]):
            options = content["content"]["application/json"]["schema"]["oneOf"]
            assert all(set(option) == {"$ref"} for option in options)


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        ({"use": "An answer."}, False),
        ({"use": "An answer.", "related_record": "posts/one"}, True),
        ({"use": "An answer.", "record_url": "https://archive.example/posts/one/"}, True),
    ],
)
def test_a_usage_receipt_names_its_record_in_one_of_two_ways(
    contract: Mapping[str, Any], body: Mapping[str, str], fits: bool
) -> None:
    schema = {"$ref": "#/components/schemas/UsageReceipt", "components": contract["components"]}
    assert jsonschema_rs.is_valid(schema, body) is fits


def test_paid_operations_state_their_price(demo: Demo, contract: Mapping[str, Any]) -> None:
    capabilities = demo.json("/agent-payments/payment-capabilities")
    prices = {product["id"]: product["usd"] for product in capabilities["products"]}
    paid = {
        path: item["post"]
        for path, item in contract["paths"].items()
        if "402" in item.get("post", {}).get("responses", {})
    }
    assert len(paid) >= 2
    for path, operation in paid.items():
        info = operation["x-payment-info"]
        assert info["protocols"] == [{"x402": {}}]
        assert info["price"] == {"mode": "fixed", "currency": "USD", "amount": prices[path.split("/")[2]]}
    listed = demo.json("/.well-known/x402")
    assert listed["version"] == 1
    assert {f"{demo.base}{path}" for path in paid if "{" not in path} <= set(listed["resources"])
