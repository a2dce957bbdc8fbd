"""Paid products over HTTP: headers, statuses and problem documents for the outcomes of the payment service.

Specification, "Paid compute products". Checks in this order: rail, method, quota, Accept, content type, size; then the
payment service. A 402 always comes with terms for exactly this body.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, assert_never

from citepress.base import clock
from citepress.base.canonical import digest
from citepress.base.headers import Headers
from citepress.base.media import JSON
from citepress.base.strict_json import DuplicateNameError, JsonError, loads
from citepress.contract import problem as problem_types
from citepress.contract.json_body import InvalidArgumentsError, duplicate_names, read_body
from citepress.contract.limits import LimitState
from citepress.contract.model import Model
from citepress.contract.route import Route
from citepress.contract.store import StoreUnavailable
from citepress.edition.edition import Edition
from citepress.edition.schemas import DIALECT
from citepress.http.message import Handler, Receive, Request, Response
from citepress.http.problem import refuse
from citepress.http.rate_limit import rate_fields
from citepress.http.response import with_body
from citepress.operations.context import OperationContext
from citepress.web.endpoints.context import GETS, POSTS, ActionContext, ResponseError, json_reply
from citepress.web.site import READS
from citepress_payments import wire
from citepress_payments.capabilities import PaymentCapabilities, path_of
from citepress_payments.outcomes import (
    NotSellable,
    Order,
    Outcome,
    OverQuota,
    PendingAnswer,
    Prepare,
    PurchaseResult,
    RefusedAnswer,
    Terms,
    Unavailable,
)
from citepress_payments.ports.rows import Quote
from citepress_payments.products import InsufficientEvidence, Product
from citepress_payments.products.routes import CAPABILITIES_PATH, offer_of, product_listing, route, routes
from citepress_payments.rail_capabilities import capabilities
from citepress_payments.rails import BY_SLUG, Lane
from citepress_payments.service import PaymentService
from citepress_payments.setup import PaymentSystem

LIMIT_BYTES = 16 * 1024
SIGNATURE = b"payment-signature"
SIGNATURE_V1 = b"x-payment"
"""The header in which clients of x402 version 1 send their signature."""
AREA = "paid"
"""Area of telemetry."""
# A shared cache would hand a paid result to whoever asks next.
PAID_CACHE = b"private, no-store"
NOTHING_SOLD = Unavailable("rail_unavailable", "Nothing is sold here: no payment rail is open.", 3600)
WAIT_SECONDS, ASK_AGAIN = 10.0, 30
"""For which the capabilities are waited for (at first the chains of all rails are asked), and after which they may be
asked for again."""
RESEND = "Resend the same PAYMENT-SIGNATURE with the same body; do not sign again."
NOT_SELLABLE = {"malformed_json": problem_types.BAD_JSON, "insufficient_evidence": problem_types.INSUFFICIENT}
"""Problem types of requests that cannot be sold; any other code means an invalid body."""


class PaidAction:
    """One product in one lane, at its path or at every rail's path below it."""

    def __init__(self, product: Product, lane: Lane, service: PaymentService | None, context: ActionContext) -> None:
        """Without a payment service the answer is 503 and never offers terms."""
        self._product, self._lane, self._service, self._context = product, lane, service, context
        self._route = route(product, lane)
        self._schema = {"$schema": DIALECT, **product.ask.model_json_schema(mode="validation")}
        self._offer = offer_of(product)

    async def __call__(self, request: Request, receive: Receive) -> Response:
        """The response with its telemetry note."""
        try:
            return await self._answer(request, receive)
        except ResponseError as refused:
            return refused.reply

    async def _answer(self, request: Request, receive: Receive) -> Response:
        context = self._context
        edition, operation_context = context.opened(request, POSTS)
        fields = [value for name, value in request.headers if name == SIGNATURE]
        slug = self._slug(request, edition, signed=bool(fields))
        if request.method != "POST":
            raise context.method_not_allowed(request, edition, POSTS, self._schema)
        if self._service is None:
            return self._unavailable(NOTHING_SOLD, request, edition, context.spend(request, edition))
        client = context.site_app.client(request.peer, request.fields)
        # Before the body is read: a request that is over its limit shall cost next to nothing.
        quota = self._service.spend(client, signed=bool(fields))
        rate = rate_fields(quota.limit, quota.spent)
        if quota.over:
            return self._over(quota.over, request, edition)
        context.acceptable(request, edition, request.target.decode("latin-1"), rate)
        body = await context.body(request, receive, edition, rate, LIMIT_BYTES)
        order = Order(
            self._product.id, self._lane, slug, body, digest(body), client, self._prepare(body, operation_context)
        )
        outcome = await (self._service.signed(order, fields) if fields else self._service.preflight(order))
        notes = self._notes(body, operation_context) if isinstance(outcome, Terms) else ()
        # Its signature can settle nothing here, so it is told why instead of being asked to pay once more. See "x402
        # version 1 gets an entry that it must refuse" in docs/decisions/payments.md.
        if isinstance(outcome, Terms) and any(name == SIGNATURE_V1 for name, _ in request.headers):
            outcome = RefusedAnswer(
                "unsupported_x402_version", f"{wire.VERSION_NEEDED}; nothing was charged.", outcome.quote
            )
        if fields and isinstance(outcome, RefusedAnswer) and outcome.quote and not outcome.response:
            # Clients read the reason of a refused payment from this field (x402, "HTTP transport").
            refused = wire.failed_response(outcome.quote.entries[0], outcome.code, "", "")
            outcome = replace(outcome, response=refused)
        return self._noted(self._reply(outcome, request, edition, rate, notes), outcome, signed=bool(fields))

    def _slug(self, request: Request, edition: Edition, *, signed: bool) -> str:
        """The rail that the path names. Raises ``ResponseError``: 404 where the lane has none of that name.

        Whoever ``signed`` may have paid over a rail that was open then.
        """
        match = self._route.pattern.fullmatch(request.target.decode("latin-1"))
        slug = match.groupdict().get("rail_slug", "") if match else ""
        if match is None or (
            slug and self._service and not (self._service.sells(self._lane, slug) or (signed and self._is_rail(slug)))
        ):
            rate = self._context.spend(request, edition)
            detail = f"No rail of the {self._lane} lane has this name here; {CAPABILITIES_PATH} lists them."
            raise ResponseError(
                refuse(
                    problem_types.NOT_FOUND,
                    request,
                    edition,
                    detail=detail,
                    further=rate,
                    members={"code": "unknown_rail"},
                )
            )
        return slug

    def _is_rail(self, slug: str) -> bool:
        """Whether the lane has a rail of this name, sold or not."""
        return slug in BY_SLUG and BY_SLUG[slug].lane is self._lane

    def _prepare(self, body: bytes, operation_context: OperationContext) -> Prepare:
        """Computes the result of a body at this moment, or the reason why there is none to sell.

        What is sold is stored with its quote.
        """
        # The moment of the request and not of the computation: results are dated by it, and the guard against paying
        # twice compares them byte by byte.
        asked_at = operation_context.now()

        def prepare() -> bytes | NotSellable:
            ask = self._read(body)
            if isinstance(ask, NotSellable):
                return ask
            result = self._product.prepare(ask, operation_context, asked_at)
            if isinstance(result, InsufficientEvidence):
                return NotSellable("insufficient_evidence", result.detail, (), result.evidence_found, result.minimum)
            return result

        return prepare

    def _notes(self, body: bytes, operation_context: OperationContext) -> tuple[str, ...]:
        """What a buyer should know before paying for a body that can be sold."""
        ask = self._read(body)
        return () if isinstance(ask, NotSellable) else self._product.notes(ask, operation_context)

    def _read(self, body: bytes) -> Model | NotSellable:
        """What a body asks for, or why nothing can be sold for it."""
        try:
            return read_body(self._product.ask, loads(body))
        except InvalidArgumentsError as error:
            invalid = error
        except DuplicateNameError as error:
            invalid = duplicate_names(error)
        except JsonError as error:
            return NotSellable("malformed_json", f"The body {error}.")
        return NotSellable("validation", invalid.summary, invalid.faults)

    def _reply(  # noqa: PLR0911  (one for each outcome)
        self, outcome: Outcome, request: Request, edition: Edition, rate: Headers, notes: tuple[str, ...] = ()
    ) -> Response:
        """An outcome in HTTP."""
        match outcome:
            case Terms(quote):
                return self._required("payment_required", "", quote, request, edition, rate, notes=notes)
            case RefusedAnswer(code, detail, Quote() as quote, response):
                return self._required(code, detail, quote, request, edition, [*rate, *_response(response)])
            case PendingAnswer(quote, response, retry_after):
                further = [*rate, *_response(response), (b"retry-after", b"%d" % retry_after)]
                return self._required(wire.PENDING, RESEND, quote, request, edition, further, RESEND)
            case PurchaseResult(body, response):
                return self._paid(body, [*rate, *_response(response)], edition)
            case NotSellable(code, detail, errors, evidence, minimum):
                members = {
                    "code": code,
                    "settled": False,
                    "errors": list(errors) or None,
                    "evidence_found": evidence,
                    "minimum": minimum,
                }
                problem_type = NOT_SELLABLE.get(code, problem_types.INVALID)
                return refuse(problem_type, request, edition, detail=detail, further=rate, members=members)
            case OverQuota():
                return self._over(outcome, request, edition)
            case Unavailable():
                return self._unavailable(outcome, request, edition, rate)
            # The service makes new terms for every refusal that has none: without them a 402 could not be paid.
            case RefusedAnswer():
                raise RuntimeError("a refusal left the service without terms")
            case _:
                assert_never(outcome)

    def _required(
        self,
        code: str,
        detail: str,
        quote: Quote,
        request: Request,
        edition: Edition,
        further: Headers,
        todo: str = "",
        notes: tuple[str, ...] = (),
    ) -> Response:
        """402 with the terms, in the header and once more in the document."""
        resource = self._offer.resource(edition.fields.base_url, self._lane, quote.lane.partition("/")[2])
        required = wire.payment_required(quote.entries, resource, code, self._offer.extensions())
        headers = [*further, (b"payment-required", wire.encode_header(required))]
        members = {
            "code": code,
            "error": code,
            "payment_required": required,
            "notes": list(notes) or None,
            "next": todo or None,
        }
        all_members = {**members, **wire.signpost(resource["url"])}
        return refuse(
            problem_types.PAYMENT_REQUIRED, request, edition, detail=detail, further=headers, members=all_members
        )

    def _paid(self, body: bytes, further: Headers, edition: Edition) -> Response:
        """200 with the stored bytes."""
        links = f'<{edition.fields.base_url}/schemas/{self._route.shape}.json>; rel="describedby"'.encode()
        link = b", ".join([links, edition.fields.policy])
        fields = [(b"cache-control", PAID_CACHE), (b"link", link), *edition.fields.common, *further]
        return with_body(200, JSON.sent, body, fields)

    def _over(self, over: OverQuota, request: Request, edition: Edition) -> Response:
        """429, with the fields of the limit that is used up."""
        further = [
            *rate_fields(over.limit, LimitState(False, 0, over.retry_after)),
            (b"retry-after", b"%d" % over.retry_after),
        ]
        members = {"code": "rate_limited"}
        return refuse(
            problem_types.RATE_LIMITED, request, edition, detail=over.detail, further=further, members=members
        )

    def _unavailable(self, away: Unavailable, request: Request, edition: Edition, rate: Headers) -> Response:
        further = [*rate, (b"retry-after", b"%d" % away.retry_after)]
        members = {"code": away.code}
        return refuse(problem_types.UNAVAILABLE, request, edition, detail=away.detail, further=further, members=members)

    def _noted(self, reply: Response, outcome: Outcome, *, signed: bool) -> Response:
        """The response with its handshake step as a telemetry note."""
        steps = [] if signed else ["preflight"]
        match outcome:
            case Terms() if not signed:
                steps.append("payment_required")
            case NotSellable():
                steps.append("not_sellable")
            case PurchaseResult(replay=replay):
                steps.append("replay" if replay else "settled")
        return reply._replace(notes=tuple((AREA, self._product.id, step) for step in steps))


class CapabilitiesAction:
    """The document of available products; reading it is free."""

    def __init__(self, current: Callable[[], PaymentCapabilities], route_: Route, context: ActionContext) -> None:
        """``current`` makes the document; it reads the ledger."""
        self._current, self._route, self._context = current, route_, context

    async def __call__(self, request: Request, _receive: Receive) -> Response:
        """405 → 429 → 406 → the document."""
        context = self._context
        try:
            edition, _ = context.opened(request, GETS)
            if request.method not in READS:
                raise context.method_not_allowed(request, edition, GETS)
            rate = context.spend(request, edition)
            context.acceptable(request, edition, CAPABILITIES_PATH, rate)
        except ResponseError as refused:
            return refused.reply
        try:
            answer = await asyncio.wait_for(asyncio.to_thread(self._current), WAIT_SECONDS)
        except (StoreUnavailable, TimeoutError) as away:
            wait = away.retry_after if isinstance(away, StoreUnavailable) else ASK_AGAIN
            further = [*rate, (b"retry-after", b"%d" % wait)]
            return refuse(problem_types.UNAVAILABLE, request, edition, further=further)
        return json_reply(200, answer, request, edition, self._route, rate)


def payment_actions(
    products: Sequence[Product], payments: PaymentSystem | None, context: ActionContext
) -> dict[str, Handler]:
    """The handlers of the paid products' paths; without ``payments`` nothing is sold, and the capabilities say so."""
    listings = [product_listing(product) for product in products]

    def current() -> PaymentCapabilities:
        if payments is None:
            return capabilities(listings, {}, None, clock.now(), None)
        configuration = payments.configuration
        return capabilities(
            listings, configuration.prices, payments.rails, clock.now(), configuration.networks, payments.keep_paid_days
        )

    capabilities_route = next(route for route in routes(products) if route.path == CAPABILITIES_PATH)
    handlers: dict[str, Handler] = {CAPABILITIES_PATH: CapabilitiesAction(current, capabilities_route, context)}
    for product in products:
        for lane in product.lanes:
            service = payments.service if payments else None
            handlers[path_of(product.id, lane, "*")] = PaidAction(product, lane, service, context)
    return handlers


def _response(response: Any) -> Headers:  # noqa: ANN401  (JSON is any shape)
    """PAYMENT-RESPONSE, where there is one."""
    return [(b"payment-response", wire.encode_header(response))] if response else []
