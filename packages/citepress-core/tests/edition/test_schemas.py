"""Schemas name as required what is always there, at any depth."""

from typing import Any

import orjson
import pytest
from pydantic.json_schema import models_json_schema

from citepress.app.registry import models
from citepress.contract.operation import Answer
from citepress.contract.problem import Problem
from citepress.contract.record import Credit
from citepress.edition.machine.openapi import catalog
from citepress.edition.schemas import COMPONENT, components, schema_of
from citepress.operations.contextualize_url import ContextAnswer
from support.documents import whole
from support.operation_context import desk

OPTIONAL = {
    "CitingRecord": {"summary", "updated_at"},
    "ContextAnswer": {"match", "origin", "record"},
    "LinkingRecord": {"summary", "updated_at"},
    "MachineConsumptionReport": {"gateway", "schema_revision"},
    "OwnRecord": {"summary", "updated_at"},
    "ProblemError": {"parameter", "pointer"},
    "RelatedRecord": {"summary", "updated_at"},
    "SearchHit": {"near_repeats", "observed_at"},
}
"""Members that may be absent: null members of answers and problems, and what the contract calls optional."""
SOMETIMES = {"chart", "translations", "utc_offset"}
"""Members of every record that are left out where there is nothing to tell."""
REQUESTS = {"CorrectionSubmission", "SourceSubmission", "UsageReceipt"}


def _optional(schema: dict[str, Any]) -> set[str]:
    return set(schema.get("properties", ())) - set(schema.get("required", ()))


def test_openapi_requires_every_member_that_is_always_present() -> None:
    (output,) = catalog(desk(whole()))
    assert isinstance(output.body, bytes)
    schemas = orjson.loads(output.body)["components"]["schemas"]
    optional = {
        name: members
        for name, schema in schemas.items()
        if (members := _optional(schema) - (SOMETIMES if name.endswith("Record") else set()))
    }
    assert optional.pop("Problem")
    assert {name: members for name, members in optional.items() if name not in REQUESTS} == OPTIONAL


@pytest.mark.parametrize(("model", "optional"), [(Credit, set()), (ContextAnswer, {"match", "record", "origin"})])
def test_a_schema_document_says_the_same(model: Any, optional: set[str]) -> None:
    assert _optional(schema_of(model, "https://archive.test/schemas/x.json")) == optional


def test_the_schemas_of_openapi_are_those_that_the_generator_makes_of_all_types_together() -> None:
    types = {name: model for name, model in models().items() if not issubclass(model, Answer | Problem)}
    pairs = [(model, "serialization") for model in types.values()]
    _, together = models_json_schema(pairs, ref_template=COMPONENT)  # type: ignore[arg-type]  # a list of literals
    joined = components(types)
    assert list(joined) == sorted(together["$defs"])
    for name, schema in together["$defs"].items():
        assert list(joined[name].get("properties", ())) == list(schema.get("properties", ()))
    assert b"#/$defs/" not in orjson.dumps(joined)
