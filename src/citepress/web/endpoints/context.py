"""What every action shares: who asks, what is left to them, what is refused before anything is done, and how an answer is sent."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from citepress.base.canonical import json_bytes
from citepress.base.media import JSON
from citepress.contract import problem as sorts
from citepress.contract.limits import Headers, Limit, LimitState, rate_fields
from citepress.contract.operation import Answer, Operation, Refusal
from citepress.contract.problem import ProblemError, ProblemType
from citepress.contract.route import Route
from citepress.contract.version import SCHEMA_VERSION
from citepress.http.accept import READ_BYTES, best_match
from citepress.http.message import Receive, Request, Response, preflights
from citepress.http.path import UnreadableError, read
from citepress.http.problem import form_for, refuse
from citepress.operations.context import OperationContext
from citepress.operations.records import SECONDARY
from citepress.web.body import JSON_TYPE, received, refusal
from citepress.web.site import MACHINE, ServedEdition, SiteApp

SORTS: Mapping[str, ProblemType] = {
    "not_found": sorts.NOT_FOUND,
    "gone": sorts.GONE,
    "over_quota": sorts.RATE_LIMITED,
    "unavailable": sorts.UNAVAILABLE,
}
"""The problem of each refusal; an invalid argument is 400 in a query and 422 in a body."""
NO_CALL = frozenset({204, sorts.METHOD.status})
"""Statuses of answers that only tell how to ask."""
CLOSED = (b"connection", b"close")
"""What is left of a body that was refused is not read."""
GETS, POSTS = b"GET, HEAD, OPTIONS", b"POST, OPTIONS"
SEARCHES = Limit("search", 60, 60)
"""Searches on the page for people, where the site says nothing else."""
Current = Callable[[], OperationContext | None]
"""Gives the world of the edition that is served now."""


class ResponseError(Exception):
    """A reply that ends the way of a request early."""

    def __init__(self, reply: Response) -> None:
        super().__init__(str(reply.status))
        self.reply = reply


class ActionContext:
    """What the actions of one door share: who asks, what is left to them, and how they are refused."""

    def __init__(self, door: SiteApp, world: Current, inbox: Limit | None = None, searches: Limit = SEARCHES) -> None:
        """``inbox`` is the limit on submissions, which answers of the inbox tell beside the REST limit; ``searches`` that on the page for people."""
        self.door = door
        self._world = world
        self.inbox = inbox
        self._searches = searches

    def opened(self, request: Request, allow: bytes) -> tuple[ServedEdition, OperationContext]:
        """The edition and its world. Raises ``ResponseError``: 503, an unreadable request, the answer to a browser's preflight."""
        edition, world = self.door.edition, self._world()
        if edition is None or world is None:
            wait: Headers = [(b"retry-after", b"1")]
            raise ResponseError(refuse(sorts.UNAVAILABLE, request, self.door.site, "json", None, further=wait))
        try:
            read(request)
        except UnreadableError as error:
            raise ResponseError(refuse(error.sort, request, edition.fields, "json", edition, detail=str(error))) from None
        if preflights(request):
            raise ResponseError(_options(edition, allow))
        return edition, world

    def method(self, request: Request, edition: ServedEdition, allow: bytes, schema: Mapping[str, Any] | None = None) -> ResponseError:
        """405, or the methods where OPTIONS asks; with the schema of the body that the path takes, for whoever discovers by GET."""
        if request.method == "OPTIONS":
            return ResponseError(_options(edition, allow))
        detail = f"{request.method[:20]} is not among the methods of this path: {allow.decode()}."
        if schema:
            detail += f" POST a JSON body ({JSON_TYPE}) that fits request_schema."
        members = {"request_schema": dict(schema)} if schema else {}
        form = form_for(request, MACHINE)
        return ResponseError(
            refuse(sorts.METHOD, request, edition.fields, form, edition, detail=detail, further=[(b"allow", allow)], members=members)
        )

    def spend(self, request: Request, edition: ServedEdition, *, inbox: bool = False) -> Headers:
        """Count an answer: its RateLimit fields. Raises ``ResponseError``: 429."""
        rate, retry = self.door.spend(request)
        rate = self.policies(rate) if inbox else rate
        if retry:
            raise ResponseError(self.door.limited(request, edition, rate, retry))
        return rate

    def spend_search(self, request: Request, edition: ServedEdition, form: str) -> Headers:
        """Count a search on the page for people: its RateLimit fields. Raises ``ResponseError``: 429 in this form."""
        rate, retry = self.door.count(self._searches, request)
        if retry:
            detail = f"{self._searches.quota} searches a minute came from this address; the next is possible in {retry} seconds."
            further = [*rate, (b"retry-after", b"%d" % retry)]
            raise ResponseError(refuse(sorts.RATE_LIMITED, request, edition.fields, form, edition, detail=detail, further=further))
        return rate

    def policies(self, rate: Headers) -> Headers:
        """The fields with the limit on submissions beside the one that they tell."""
        if self.inbox is None:
            return rate
        daily = b", %d;w=%d" % (self.inbox.quota, self.inbox.window)
        return [(name, value + daily if name == b"ratelimit-policy" else value) for name, value in rate]

    def scarcest(self, rate: Headers, quota: LimitState) -> Headers:
        """The RateLimit fields of whichever limit leaves less: the one that they tell, or that on submissions, of which ``quota`` is left."""
        left = next((int(value) for name, value in rate if name == b"ratelimit-remaining"), 0)
        if self.inbox is None or left < quota.remaining:
            return rate
        policy = [(name, value) for name, value in rate if name == b"ratelimit-policy"]
        return [*(field for field in rate_fields(self.inbox, quota) if field[0] != b"ratelimit-policy"), *policy]

    async def body(
        self, request: Request, receive: Receive, edition: ServedEdition, rate: Headers, limit: int, too_large: str = ""
    ) -> bytes:
        """A JSON body of at most ``limit`` bytes; ``too_large`` says so in words. Raises ``ResponseError``: 415, 413, 408."""
        sort = refusal(request, limit)
        body = sort or await received(receive, limit)
        if isinstance(body, bytes):
            return body
        if body is None:  # nobody is there to read it
            raise ResponseError(refuse(sorts.TIMEOUT, request, edition.fields, "json", edition, further=[*rate, CLOSED]))
        accept = [(b"accept", JSON_TYPE.encode()), (b"accept-encoding", b"identity")] if body is sorts.MEDIA_TYPE else []
        members = {"limit_bytes": limit} if body is sorts.TOO_LARGE else {}
        detail = too_large if members else ""
        further = [*rate, *accept, CLOSED]
        raise ResponseError(refuse(body, request, edition.fields, "json", edition, detail=detail, further=further, members=members))

    def acceptable(self, request: Request, edition: ServedEdition, path: str, rate: Headers) -> None:
        """Raises ``ResponseError``: 406 where the client wants no JSON."""
        if best_match(request.fields.get(b"accept", b"")[:READ_BYTES], (JSON.accepted,)) < 0:
            available = [(path, JSON.type)]
            raise ResponseError(refuse(sorts.NOT_ACCEPTABLE, request, edition.fields, "json", edition, available=available, further=rate))

    def faulty(
        self, sort: ProblemType, request: Request, edition: ServedEdition, faults: Iterable[ProblemError], rate: Headers
    ) -> ResponseError:
        """400 or 422 with every fault."""
        told = list(faults)
        detail = told[0].detail if len(told) == 1 else f"{len(told)} faults; errors lists them."
        return ResponseError(refuse(sort, request, edition.fields, "json", edition, detail=detail, further=rate, members={"errors": told}))

    def no(self, refusal: Refusal, request: Request, edition: ServedEdition, rate: Headers, *, body: bool) -> ResponseError:
        """What an operation refuses, as a problem document with what is near."""
        sort = SORTS.get(refusal.code) or (sorts.INVALID if body else sorts.BAD_QUERY)
        near = f" Nearest: {', '.join(refusal.near)}." if refusal.near else ""
        detail = refusal.message + near
        place = {"pointer": f"/{refusal.member}"} if body else {"parameter": refusal.member}
        members: dict[str, Any] = {"errors": [ProblemError(detail=detail, **place)]} if refusal.member and sort.status in (400, 422) else {}
        further = [*rate, *([(b"retry-after", b"%d" % refusal.retry_after)] if refusal.retry_after else [])]
        if refusal.code == "over_quota":
            further = [*self.scarcest(rate, LimitState(False, 0, refusal.retry_after)), (b"retry-after", b"%d" % refusal.retry_after)]
        pages = [(f"/{id_}/", id_) for id_ in refusal.near[:SECONDARY]]
        return ResponseError(
            refuse(sort, request, edition.fields, "json", edition, detail=detail, near=pages, further=further, members=members)
        )


async def call(operation: Operation, ask: object, world: OperationContext, *more: object) -> Any:  # noqa: ANN401  (any answer)
    """The answer of an operation, awaited where it touches a store, from beside the event loop where it searches."""
    if operation.beside and world.threads:
        return await world.threads.run(operation.run, ask, world, *more)
    answer = operation.run(ask, world, *more)
    return await answer if inspect.isawaitable(answer) else answer


def with_note(reply: Response, area: str, name: str, outcome: str = "refused") -> Response:
    """The reply with what statistics learn of an action; asking what a path takes (OPTIONS, 405) is none."""
    return reply if reply.status in NO_CALL else reply._replace(notes=(*reply.notes, (area, name, outcome)))


def matched_prefix(operation: Operation, answer: object) -> str:
    """Whether an answer holds what was asked for: a list that may be cut to a budget is not empty."""
    cut = operation.tool.cut if operation.tool else ""
    return "empty" if cut and not getattr(answer, cut, True) else "matched"


def _options(edition: ServedEdition, allow: bytes) -> Response:
    return Response(204, [*edition.fields.common, *edition.fields.preflight(allow)], b"")


def json_reply(
    status: int, answer: Any, request: Request, edition: ServedEdition, route: Route, further: Headers,  # noqa: ANN401
) -> Response:  # fmt: skip
    """An answer as JSON, its unset members left out."""
    told = answer.model_dump(mode="json", exclude_none=isinstance(answer, Answer))
    body = json_bytes({"schema_version": SCHEMA_VERSION, **told})
    site = edition.fields
    links = [f'<{site.base_url}/schemas/{route.shape}.json>; rel="describedby"'.encode(), site.policy]
    headers: Headers = [
        (b"content-type", JSON.sent.encode()), (b"content-length", b"%d" % len(body)), site.caching(route.cache),
        (b"link", b", ".join(links)), *site.common, *further,
    ]  # fmt: skip
    return Response(status, headers, b"" if request.method == "HEAD" else body)
