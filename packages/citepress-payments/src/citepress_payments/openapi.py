"""Paid products in OpenAPI: the payment header, the 402 with its terms, and the paid answer."""

from collections.abc import Iterable
from typing import Any

from citepress.base.media import PROBLEM_JSON
from citepress.contract import problem as sorts
from citepress.contract.route import OpenapiParts, Route
from citepress.edition.render_context import RenderContext
from citepress_payments.settings import payments_of

FAULTS = ("400", "405", "406", "408", "413", "414", "415", "422", "429", "431", "500", "503")
TERMS = (
    "Payment is required: the terms are in PAYMENT-REQUIRED (base64 of a JSON object, x402 version 2) and once more in"
    " payment_required. Nothing was charged. A pending payment is reported likewise, with Retry-After: resend the"
    " same PAYMENT-SIGNATURE."
)
PAID = (
    "The result, paid for. The same signed request with the same body returns the same bytes without another"
    " settlement."
)
_TEXT = {"type": "string", "contentEncoding": "base64"}


def paid_parts(context: RenderContext, route: Route, content: dict[str, Any], headers: Iterable[str]) -> OpenapiParts:
    """What an operation that sells has beside any other."""
    members = {"x-payment-info": _info(context, route)}
    return OpenapiParts([_parameter()], members, _responses(context, content, headers), _refusals(route))


def _refusals(route: Route) -> tuple[str, ...]:
    """The statuses of what is refused without terms."""
    return tuple(sorted({*FAULTS, *(("404",) if route.parameters else ())}))


def _parameter() -> dict[str, Any]:
    """The header that the retry carries."""
    about = (
        "The signed payment, base64 of a JSON object (x402 version 2), at most 16 KiB. Absent on the free preflight;"
        " then the same body is sent again with it. One that cannot be read is answered as a wrong payment is: 402,"
        " with terms."
    )
    return {
        "name": "PAYMENT-SIGNATURE",
        "in": "header",
        "required": False,
        "description": about,
        "schema": {"type": "string"},
    }


def _info(context: RenderContext, route: Route) -> dict[str, Any]:
    """What crawlers of paid APIs read before they call: the price in dollars, whatever it is paid with."""
    payments = payments_of(context.site)
    own = payments.products.get(route.path.split("/")[2]) if payments else None
    price = {"mode": "fixed", "currency": "USD", "amount": own.usd if own else route.usd}
    return {"price": price, "protocols": [{"x402": {}}]}


def _responses(context: RenderContext, content: dict[str, Any], headers: Iterable[str]) -> dict[str, Any]:
    """200 and 402; ``content`` by media type, ``headers`` that both carry."""
    shown = {name: {"$ref": f"#/components/headers/{name}"} for name in headers}
    settled = {"PAYMENT-RESPONSE": {"description": "What was settled, base64 of a JSON object.", "schema": _TEXT}}
    required = {
        "PAYMENT-REQUIRED": {"description": "The terms, base64 of a JSON object.", "required": True, "schema": _TEXT}
    }
    wait = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": _example(context)}
    return {
        "200": {"description": PAID, "headers": {**shown, **settled}, "content": content},
        "402": {
            "description": TERMS,
            "headers": {**shown, **required, **settled, **wait},
            "content": {PROBLEM_JSON: problem},
        },
    }


def _example(context: RenderContext) -> dict[str, Any]:
    sort = sorts.PAYMENT_REQUIRED
    return {
        "type": context.url(f"/developers/#problem-{sort.slug}"),
        "title": sort.title,
        "status": sort.status,
        "detail": sort.about,
        "code": "payment_required",
    }
