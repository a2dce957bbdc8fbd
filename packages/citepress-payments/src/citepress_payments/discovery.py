"""The ``bazaar`` extension of x402 for catalogues of paid resources, in the terms and in requests to facilitators."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from citepress.base.media import JSON
from citepress_payments.capabilities import path_of
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.rails import BY_SLUG, Lane
from citepress_payments.terms import terms_hash

UNLISTED = ("title", "description", "default", "examples")
"""Members of a schema that only people read: the terms travel in a header."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A product as a catalogue lists it."""

    product: str
    title: str
    schema: Json
    """JSON Schema of the body."""
    example: Json
    """A body that fits it."""

    def resource(self, base_url: str, lane: Lane, slug: str = "") -> dict[str, Any]:
        """The object ``resource`` of PAYMENT-REQUIRED."""
        return {"url": base_url + path_of(self.product, lane, slug), "description": self.title, "mimeType": JSON.type}

    def extensions(self) -> dict[str, Any]:
        """The object ``extensions``: how the resource is called, and the schema that its description fits."""
        asked = {"type": "http", "method": "POST", "bodyType": "json", "body": dict(self.example)}
        names = {
            "type": {"const": "http"},
            "method": {"const": "POST"},
            "bodyType": {"const": "json"},
            "body": bare(self.schema),
        }
        input_schema = {"type": "object", "properties": names, "required": list(names), "additionalProperties": False}
        schema = {"type": "object", "properties": {"input": input_schema}, "required": ["input"]}
        return {"bazaar": {"info": {"input": asked, "output": {"type": "json"}}, "schema": schema}}


class Catalogue:
    """The products of a deployment, as a facilitator may list them."""

    def __init__(self, offers: Iterable[Offer], base_url: str) -> None:
        self._offers, self._base_url = tuple(offers), base_url

    def listing(self, entry: PaymentEntry) -> Json:
        """``resource`` and ``extensions`` of the product that an entry sells, found by its terms hash.

        Empty where none fits.
        """
        extra = entry["extra"]
        offer = next(
            (offer for offer in self._offers if terms_hash(entry, offer.product) == extra.get("termsHash")), None
        )
        if offer is None or not self._base_url:
            return {}
        lane = BY_SLUG[extra["rail"]].lane
        slug = "" if lane is Lane.FIXED else extra["rail"]
        return {"resource": offer.resource(self._base_url, lane, slug), "extensions": offer.extensions()}


def bare(schema: object) -> Any:  # noqa: ANN401  (JSON is any shape)
    """A schema without what only people read; a property of such a name stays."""
    if isinstance(schema, list):
        return [bare(member) for member in schema]
    if not isinstance(schema, Mapping):
        return schema
    members = {name: value for name, value in schema.items() if name not in UNLISTED}
    return {name: _named(value) if name in {"properties", "$defs"} else bare(value) for name, value in members.items()}


def _named(schemas: object) -> Any:  # noqa: ANN401
    return {name: bare(schema) for name, schema in schemas.items()} if isinstance(schemas, Mapping) else schemas
