"""What all actions share: client identification, rate limits, checks of the request, and responses."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from citepress.base.canonical import json_bytes
from citepress.base.errors import ControlFlow
from citepress.base.headers import Headers
from citepress.base.media import JSON
from citepress.contract import problem as problem_types
from citepress.contract.json_body import InvalidArgumentsError
from citepress.contract.limits import Limit, LimitState
from citepress.contract.operation import Answer, Operation, Refusal
from citepress.contract.problem import ProblemError, ProblemType
from citepress.contract.route import Route
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.edition import Edition
from citepress.http.accept import READ_BYTES, best_match
from citepress.http.body import JSON_TYPE, receive_body, refusal
from citepress.http.message import Receive, Request, Response, preflights
from citepress.http.path import UnreadableError, read
from citepress.http.problem import form_for, refuse
from citepress.http.rate_limit import policy, rate_fields
from citepress.http.response import with_body
from citepress.operations.context import OperationContext
from citepress.operations.records import SECONDARY
from citepress.web.site import MACHINE, SiteApp

SORTS: Mapping[str, ProblemType] = {
    "not_found": problem_types.NOT_FOUND,
    "gone": problem_types.GONE,
    "over_quota": problem_types.RATE_LIMITED,
    "unavailable": problem_types.UNAVAILABLE,
}
"""The problem of each refusal; an invalid argument is 400 in a query and 422 in a body."""
NO_CALL = frozenset({204, problem_types.METHOD.status})
"""Statuses of responses that only describe how to call."""
CLOSED = (b"connection", b"close")
"""Ends the connection: the rest of a refused body is not read."""
GETS, POSTS = b"GET, HEAD, OPTIONS", b"POST, OPTIONS"
SEARCHES = Limit("search", 60, 60)
"""The default limit for searches on the search page."""
Current = Callable[[], OperationContext | None]
"""Returns the context of the edition that is currently served."""


class ResponseError(ControlFlow):
    """A response that ends the handling of a request early."""

    def __init__(self, reply: Response) -> None:
        super().__init__(str(reply.status))
        self.reply = reply


class ActionContext:
    """What the actions of one application share: client identification, rate limits and error responses."""

    def __init__(self, site_app: SiteApp, operation_context: Current, searches: Limit = SEARCHES) -> None:
        """``searches`` is the limit on the search page."""
        self.site_app = site_app
        self._operation_context = operation_context
        self._searches = searches

    def opened(self, request: Request, allow: bytes) -> tuple[Edition, OperationContext]:
        """The edition and its context.

        Raises ``ResponseError``: 503, an unreadable request, the answer to a browser's preflight.
        """
        edition, operation_context = self.site_app.edition, self._operation_context()
        if edition is None or operation_context is None:
            wait: Headers = [(b"retry-after", b"1")]
            raise ResponseError(refuse(problem_types.UNAVAILABLE, request, self.site_app.site, further=wait))
        try:
            read(request)
        except UnreadableError as error:
            raise ResponseError(refuse(error.problem_type, request, edition, detail=str(error))) from None
        if preflights(request):
            raise ResponseError(_options(edition, allow))
        return edition, operation_context

    def method_not_allowed(
        self, request: Request, edition: Edition, allow: bytes, schema: Mapping[str, Any] | None = None
    ) -> ResponseError:
        """405, or the methods where OPTIONS asks.

        Includes the schema of the request body, for clients that discover it with GET.
        """
        if request.method == "OPTIONS":
            return ResponseError(_options(edition, allow))
        method = "GET" if request.method == "HEAD" else request.method[:20]  # HEAD describes the answer to GET
        detail = f"{method} is not among the methods of this path: {allow.decode()}."
        if schema:
            detail += f" POST a JSON body ({JSON_TYPE}) that fits request_schema."
        members = {"request_schema": dict(schema)} if schema else {}
        form = form_for(request, MACHINE)
        return ResponseError(
            refuse(
                problem_types.METHOD,
                request,
                edition,
                form,
                detail=detail,
                further=[(b"allow", allow)],
                members=members,
            )
        )

    def spend(self, request: Request, edition: Edition, quota: Limit | None = None) -> Headers:
        """Count an answer: its RateLimit fields, with a further limit added. Raises ``ResponseError``: 429."""
        rate, retry = self.site_app.spend(request)
        rate = policies(rate, quota) if quota else rate
        if retry:
            raise ResponseError(self.site_app.limited(request, edition, rate, retry))
        return rate

    def spend_search(self, request: Request, edition: Edition, form: str) -> Headers:
        """Count a search on the page for people: its RateLimit fields. Raises ``ResponseError``: 429 in this form."""
        rate, retry = self.site_app.count(self._searches, request)
        if retry:
            detail = (
                f"{self._searches.quota} searches a minute came from this address; the next is possible in {retry}"
                " seconds."
            )
            further = [*rate, (b"retry-after", b"%d" % retry)]
            raise ResponseError(
                refuse(problem_types.RATE_LIMITED, request, edition, form, detail=detail, further=further)
            )
        return rate

    async def body(
        self, request: Request, receive: Receive, edition: Edition, rate: Headers, limit: int, too_large: str = ""
    ) -> bytes:
        """A JSON body of at most ``limit`` bytes; ``too_large`` is the detail of the 413.

        Raises ``ResponseError``: 415, 413, 408.
        """
        problem_type = refusal(request, limit)
        body = problem_type or await receive_body(receive, limit)
        if isinstance(body, bytes):
            return body
        if body is None:  # nobody is there to read it
            raise ResponseError(refuse(problem_types.TIMEOUT, request, edition, further=[*rate, CLOSED]))
        accept = (
            [(b"accept", JSON_TYPE.encode()), (b"accept-encoding", b"identity")]
            if body is problem_types.MEDIA_TYPE
            else []
        )
        members = {"limit_bytes": limit} if body is problem_types.TOO_LARGE else {}
        detail = too_large if members else ""
        further = [*rate, *accept, CLOSED]
        raise ResponseError(refuse(body, request, edition, detail=detail, further=further, members=members))

    def acceptable(self, request: Request, edition: Edition, path: str, rate: Headers) -> None:
        """Raises ``ResponseError``: 406 where the client wants no JSON."""
        if best_match(request.fields.get(b"accept", b"")[:READ_BYTES], (JSON.accepted,)) < 0:
            available = [(path, JSON.type)]
            raise ResponseError(
                refuse(problem_types.NOT_ACCEPTABLE, request, edition, available=available, further=rate)
            )

    def invalid(
        self,
        problem_type: ProblemType,
        request: Request,
        edition: Edition,
        error: InvalidArgumentsError,
        rate: Headers,
    ) -> ResponseError:
        """400 or 422 with every fault, and pages close to what one of them names."""
        return ResponseError(
            refuse(
                problem_type,
                request,
                edition,
                detail=error.summary,
                near=[(f"/{id_}/", id_) for id_ in error.nearest[:SECONDARY]],
                further=rate,
                members={"errors": error.faults},
            )
        )

    def refusal(
        self,
        refusal: Refusal,
        request: Request,
        edition: Edition,
        rate: Headers,
        *,
        body: bool,
        quota: Limit | None = None,
    ) -> ResponseError:
        """The refusal of an operation as a problem document, with similar records; ``quota`` is its further limit."""
        problem_type = SORTS.get(refusal.code) or (problem_types.INVALID if body else problem_types.BAD_QUERY)
        near = f" Nearest: {', '.join(refusal.near)}." if refusal.near else ""
        detail = refusal.message + near
        place = {"pointer": f"/{refusal.member}"} if body else {"parameter": refusal.member}
        members: dict[str, Any] = (
            {"errors": [ProblemError(detail=detail, **place)]}
            if refusal.member and problem_type.status in (400, 422)
            else {}
        )
        further = [*rate, *([(b"retry-after", b"%d" % refusal.retry_after)] if refusal.retry_after else [])]
        if refusal.code == "over_quota":
            further = [
                *tightest(rate, quota, LimitState(False, 0, refusal.retry_after)),
                (b"retry-after", b"%d" % refusal.retry_after),
            ]
        pages = [(f"/{id_}/", id_) for id_ in refusal.near[:SECONDARY]]
        return ResponseError(
            refuse(problem_type, request, edition, detail=detail, near=pages, further=further, members=members)
        )


async def call(operation: Operation, ask: object, operation_context: OperationContext, *more: object) -> Any:  # noqa: ANN401  (any answer)
    """The answer of an operation, awaited where it uses a store, and run in a thread where it searches."""
    if operation.beside and operation_context.threads:
        return await operation_context.threads.run(operation.run, ask, operation_context, *more)
    answer = operation.run(ask, operation_context, *more)
    return await answer if inspect.isawaitable(answer) else answer


def with_note(reply: Response, area: str, name: str, outcome: str = "refused") -> Response:
    """The response with its note; OPTIONS and 405 are not counted as calls."""
    return reply if reply.status in NO_CALL else reply._replace(notes=(*reply.notes, (area, name, outcome)))


def outcome_of(operation: Operation, answer: object) -> str:
    """The outcome of a call in its note: empty where the list that may be cut to a budget holds nothing."""
    cut = operation.tool.cut if operation.tool else ""
    return "empty" if cut and not getattr(answer, cut, True) else "matched"


def policies(rate: Headers, quota: Limit) -> Headers:
    """The rate limit fields, with the policy of a further limit added."""
    daily = b", " + policy(quota)
    return [(name, value + daily if name == b"ratelimit-policy" else value) for name, value in rate]


def tightest(rate: Headers, quota: Limit | None, state: LimitState) -> Headers:
    """The RateLimit fields of the limit with fewer requests left: that of ``rate``, or a further one."""
    left = next((int(value) for name, value in rate if name == b"ratelimit-remaining"), 0)
    if quota is None or left < state.remaining:
        return rate
    named = [(name, value) for name, value in rate if name == b"ratelimit-policy"]
    return [*(field for field in rate_fields(quota, state) if field[0] != b"ratelimit-policy"), *named]


def _options(edition: Edition, allow: bytes) -> Response:
    return Response(204, [*edition.fields.common, *edition.fields.preflight(allow)], b"")


def json_reply(
    status: int,
    answer: Any,  # noqa: ANN401  (any model)
    request: Request,
    edition: Edition,
    route: Route,
    further: Headers,
) -> Response:
    """An answer as JSON, its unset members left out."""
    members = answer.model_dump(mode="json", exclude_none=isinstance(answer, Answer))
    body = json_bytes({"schema_version": SCHEMA_VERSION, **members})
    site = edition.fields
    links = [f'<{site.base_url}/schemas/{route.shape}.json>; rel="describedby"'.encode(), site.policy]
    fields = [site.caching(route.cache), (b"link", b", ".join(links)), *site.common, *further]
    return with_body(status, JSON.sent, body, fields, head=request.method == "HEAD")
