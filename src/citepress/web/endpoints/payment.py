"""Paid products over HTTP: headers, statuses and problem documents around what the shop says (specification, "Paid compute products").

The order of checks: rail, method, quota, Accept, content type, size; then the shop. 402 comes with terms for exactly this body, always.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, assert_never

from citepress.base.canonical import digest
from citepress.base.media import JSON
from citepress.base.strict_json import DuplicateNameError, JsonError, loads
from citepress.contract import problem as sorts
from citepress.contract.json_body import duplicate_faults, read_body
from citepress.contract.limits import Headers, LimitState, rate_fields
from citepress.contract.model import Model
from citepress.contract.route import Route
from citepress.contract.store import StoreUnavailable
from citepress.edition.schemas import DIALECT
from citepress.http.message import Handler, Receive, Request, Response
from citepress.http.problem import refuse
from citepress.operations.context import OperationContext
from citepress.operations.products import InsufficientEvidence, Product
from citepress.operations.products.routes import CAPABILITIES, offer_of, route
from citepress.payments import wire
from citepress.payments.capabilities import PaymentCapabilities, path_of
from citepress.payments.outcomes import (
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
from citepress.payments.ports import Quote
from citepress.payments.rails import BY_SLUG, Lane
from citepress.payments.service import PaymentService
from citepress.web.endpoints.context import GETS, POSTS, ActionContext, ResponseError, json_reply
from citepress.web.site import READS, ServedEdition

LIMIT_BYTES = 16 * 1024
SIGNATURE = b"payment-signature"
SIGNATURE_V1 = b"x-payment"
"""What a client of x402 version 1 signs."""
AREA = "paid"
"""Area of statistics."""
PAID_CACHE = b"private, no-store"
NOTHING_SOLD = Unavailable("rail_unavailable", "Nothing is sold here: no payment rail is open.", 3600)
TOLD_SECONDS, TOLD_AGAIN = 10.0, 30
"""For which the capabilities are waited for (at first the chains of all rails are asked), and after which they may be asked for again."""
RESEND = "Resend the same PAYMENT-SIGNATURE with the same body; do not sign again."
NOT_SELLABLE = {"malformed_json": sorts.BAD_JSON, "insufficient_evidence": sorts.INSUFFICIENT}
"""Problems of what cannot be sold; anything else is a body that does not fit."""


class PaidAction:
    """One product in one lane, at its path or at every rail's path below it."""

    def __init__(self, product: Product, lane: Lane, shop: PaymentService | None, clerk: ActionContext) -> None:
        """Without a shop nothing is sold: 503, never terms."""
        self._product, self._lane, self._shop, self._clerk = product, lane, shop, clerk
        self._route = route(product, lane)
        self._schema = {"$schema": DIALECT, **product.ask.model_json_schema(mode="validation")}
        self._offer = offer_of(product)

    async def __call__(self, request: Request, receive: Receive) -> Response:
        """The answer, with what statistics learn of it."""
        try:
            return await self._answer(request, receive)
        except ResponseError as refused:
            return refused.reply

    async def _answer(self, request: Request, receive: Receive) -> Response:
        clerk = self._clerk
        edition, world = clerk.opened(request, POSTS)
        fields = [value for name, value in request.headers if name == SIGNATURE]
        slug = self._slug(request, edition, signed=bool(fields))
        if request.method != "POST":
            raise clerk.method(request, edition, POSTS, self._schema)
        if self._shop is None:
            return self._unavailable(NOTHING_SOLD, request, edition, clerk.spend(request, edition))
        client = clerk.door.client(request.peer, request.fields)
        told = self._shop.spend(client, signed=bool(fields))
        rate = rate_fields(told.limit, told.spent)
        if told.over:
            return self._over(told.over, request, edition)
        clerk.acceptable(request, edition, request.target.decode("latin-1"), rate)
        body = await clerk.body(request, receive, edition, rate, LIMIT_BYTES)
        order = Order(self._product.id, self._lane, slug, body, digest(body), client, self._prepare(body, world))
        outcome = await (self._shop.signed(order, fields) if fields else self._shop.preflight(order))
        notes = self._notes(body, world) if isinstance(outcome, Terms) else ()
        if isinstance(outcome, Terms) and any(name == SIGNATURE_V1 for name, _ in request.headers):
            outcome = RefusedAnswer("unsupported_x402_version", f"{wire.VERSION_NEEDED}; nothing was charged.", outcome.quote)
        return self._noted(self._reply(outcome, request, edition, rate, notes), outcome, signed=bool(fields))

    def _slug(self, request: Request, edition: ServedEdition, *, signed: bool) -> str:
        """The rail that the path names. Raises ``ResponseError``: 404 where the lane has none of that name.

        Whoever ``signed`` may have paid over a rail that was open then.
        """
        found = self._route.pattern.fullmatch(request.target.decode("latin-1"))
        slug = found.groupdict().get("rail_slug", "") if found else ""
        if found is None or (slug and self._shop and not (self._shop.sells(self._lane, slug) or (signed and slug in BY_SLUG))):
            rate = self._clerk.spend(request, edition)
            detail = f"No rail of the {self._lane} lane has this name here; {CAPABILITIES} lists them."
            raise ResponseError(
                refuse(
                    sorts.NOT_FOUND, request, edition.fields, "json", edition, detail=detail, further=rate, members={"code": "unknown_rail"}
                )
            )
        return slug

    def _prepare(self, body: bytes, world: OperationContext) -> Prepare:
        """Computes the result of a body at this moment, or says why there is none to sell; what is sold is stored with its quote."""
        asked_at = world.now()

        def prepare() -> bytes | NotSellable:
            ask = self._read(body)
            if isinstance(ask, NotSellable):
                return ask
            result = self._product.prepare(ask, world, asked_at)
            if isinstance(result, InsufficientEvidence):
                return NotSellable("insufficient_evidence", result.detail, (), result.evidence_found, result.minimum)
            return result

        return prepare

    def _notes(self, body: bytes, world: OperationContext) -> tuple[str, ...]:
        """What a buyer should know before paying for a body that can be sold."""
        ask = self._read(body)
        return () if isinstance(ask, NotSellable) else self._product.notes(ask, world)

    def _read(self, body: bytes) -> Model | NotSellable:
        """What a body asks for, or why nothing can be sold for it."""
        try:
            ask = read_body(self._product.ask, loads(body))
        except DuplicateNameError as error:
            ask = duplicate_faults(error)
        except JsonError as error:
            return NotSellable("malformed_json", f"The body {error}.")
        if isinstance(ask, tuple):
            return NotSellable("validation", ask[0].detail if len(ask) == 1 else f"{len(ask)} faults; errors lists them.", ask)
        return ask

    def _reply(  # noqa: PLR0911  (one for each outcome)
        self, outcome: Outcome, request: Request, edition: ServedEdition, rate: Headers, notes: tuple[str, ...] = ()
    ) -> Response:
        """What the shop says, in HTTP."""
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
                members = {"code": code, "settled": False, "errors": list(errors) or None, "evidence_found": evidence, "minimum": minimum}
                sort = NOT_SELLABLE.get(code, sorts.INVALID)
                return refuse(sort, request, edition.fields, "json", edition, detail=detail, further=rate, members=members)
            case OverQuota():
                return self._over(outcome, request, edition)
            case Unavailable():
                return self._unavailable(outcome, request, edition, rate)
            case RefusedAnswer():
                raise RuntimeError("a refusal left the shop without terms")
            case _:
                assert_never(outcome)

    def _required(
        self, code: str, detail: str, quote: Quote, request: Request, edition: ServedEdition, further: Headers, todo: str = "",
        notes: tuple[str, ...] = (),
    ) -> Response:  # fmt: skip
        """402 with the terms, in the header and once more in the document."""
        resource = self._offer.resource(edition.fields.base_url, self._lane, quote.lane.partition("/")[2])
        told = wire.payment_required(quote.entries, resource, code, self._offer.extensions())
        headers = [*further, (b"payment-required", wire.encoded(told))]
        known = {"code": code, "error": code, "payment_required": told, "notes": list(notes) or None, "next": todo or None}
        told_too = {**known, **wire.signpost(resource["url"])}
        return refuse(
            sorts.PAYMENT_REQUIRED, request, edition.fields, "json", edition, detail=detail, further=headers, members=told_too
        )  # fmt: skip

    def _paid(self, body: bytes, further: Headers, edition: ServedEdition) -> Response:
        """200 with the stored bytes."""
        links = f'<{edition.fields.base_url}/schemas/{self._route.shape}.json>; rel="describedby"'.encode()
        headers: Headers = [
            (b"content-type", JSON.sent.encode()), (b"content-length", b"%d" % len(body)), (b"cache-control", PAID_CACHE),
            (b"link", b", ".join([links, edition.fields.policy])), *edition.fields.common, *further,
        ]  # fmt: skip
        return Response(200, headers, body)

    def _over(self, over: OverQuota, request: Request, edition: ServedEdition) -> Response:
        """429, with the fields of the limit that is used up."""
        further = [*rate_fields(over.limit, LimitState(False, 0, over.retry_after)), (b"retry-after", b"%d" % over.retry_after)]
        members = {"code": "rate_limited"}
        return refuse(sorts.RATE_LIMITED, request, edition.fields, "json", edition, detail=over.detail, further=further, members=members)

    def _unavailable(self, away: Unavailable, request: Request, edition: ServedEdition, rate: Headers) -> Response:
        further = [*rate, (b"retry-after", b"%d" % away.retry_after)]
        members = {"code": away.code}
        return refuse(sorts.UNAVAILABLE, request, edition.fields, "json", edition, detail=away.detail, further=further, members=members)

    def _noted(self, reply: Response, outcome: Outcome, *, signed: bool) -> Response:
        """The reply with its step of the handshake."""
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
    """What can be bought, told for nothing."""

    def __init__(self, told: Callable[[], PaymentCapabilities], known: Route, clerk: ActionContext) -> None:
        """``told`` reads the ledger."""
        self._told, self._route, self._clerk = told, known, clerk

    async def __call__(self, request: Request, _receive: Receive) -> Response:
        """405 → 429 → 406 → the document."""
        clerk = self._clerk
        try:
            edition, _ = clerk.opened(request, GETS)
            if request.method not in READS:
                raise clerk.method(request, edition, GETS)
            rate = clerk.spend(request, edition)
            clerk.acceptable(request, edition, CAPABILITIES, rate)
        except ResponseError as refused:
            return refused.reply
        try:
            answer = await asyncio.wait_for(asyncio.to_thread(self._told), TOLD_SECONDS)
        except (StoreUnavailable, TimeoutError) as away:
            wait = away.retry_after if isinstance(away, StoreUnavailable) else TOLD_AGAIN
            further = [*rate, (b"retry-after", b"%d" % wait)]
            return refuse(sorts.UNAVAILABLE, request, edition.fields, "json", edition, further=further)
        return json_reply(200, answer, request, edition, self._route, rate)


def paid_actions(
    products: Iterable[Product], shop: PaymentService | None, told: Callable[[], PaymentCapabilities], known: Route, clerk: ActionContext
) -> dict[str, Handler]:  # fmt: skip
    """What answers at the paths of the paid products; without a shop nothing is sold, and the capabilities say so."""
    found: dict[str, Handler] = {CAPABILITIES: CapabilitiesAction(told, known, clerk)}
    for product in products:
        for lane in product.lanes:
            found[path_of(product.id, lane, "*")] = PaidAction(product, lane, shop, clerk)
    return found


def _response(response: Any) -> Headers:  # noqa: ANN401  (JSON is any shape)
    """PAYMENT-RESPONSE, where there is one."""
    return [(b"payment-response", wire.encoded(response))] if response else []
