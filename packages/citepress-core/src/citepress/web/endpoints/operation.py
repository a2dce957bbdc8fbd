"""Operations over REST: a query or a JSON body in, an answer or a problem document out."""

import re
from collections.abc import Iterable

from citepress.base.headers import Headers
from citepress.base.strict_json import DuplicateNameError, JsonError, loads
from citepress.contract import problem as problem_types
from citepress.contract.json_body import InvalidArgumentsError, duplicate_names, read_body
from citepress.contract.operation import PAGE_SUFFIX, Get, Operation, Post, Refusal, routes
from citepress.contract.route import Route
from citepress.edition.schemas import DIALECT
from citepress.http.message import Handler, Receive, Request, Response
from citepress.http.problem import refuse
from citepress.http.query import ignored_field, parameter_names, read_query
from citepress.operations.search_archive import OPERATION as SEARCH
from citepress.web.endpoints.context import (
    GETS,
    POSTS,
    ActionContext,
    ResponseError,
    call,
    json_reply,
    outcome_of,
    tightest,
    with_note,
)
from citepress.web.endpoints.login_probes import login_probes
from citepress.web.endpoints.search_page import SearchPage
from citepress.web.site import READS

ACCEPTED, REPEATED = 202, 200
ACTION = "action"
"""The area of notes."""
PAGE_VIEWS = {SEARCH.name: SearchPage}
"""The view that writes the page of an operation, by the operation's name: a page is designed for one type of answer."""
NO_PATH = "No document has this address: its last part does not have the form of an id."


class ReadAction:
    """A reading operation at its path, or at every path below it that its parameter names."""

    def __init__(self, operation: Operation, route: Route, context: ActionContext) -> None:
        self._operation, self._route, self._context = operation, route, context

    async def __call__(self, request: Request, _receive: Receive) -> Response:
        """404 → 405 → 429 → 406 → 400 → the answer."""
        try:
            return await self._answer(request)
        except ResponseError as refused:
            return with_note(refused.reply, ACTION, self._operation.name)

    async def _answer(self, request: Request) -> Response:
        context = self._context
        edition, operation_context = context.opened(request, GETS)
        match = self._route.pattern.fullmatch(request.target.decode("latin-1"))
        if match is None:
            further = context.spend(request, edition)
            raise ResponseError(refuse(problem_types.NOT_FOUND, request, edition, detail=NO_PATH, further=further))
        if request.method not in READS:
            raise context.method_not_allowed(request, edition, GETS)
        rate = context.spend(request, edition)
        context.acceptable(request, edition, self._route.path, rate)
        try:
            ask = read_query(request.query, self._operation.ask, match.groupdict())
        except InvalidArgumentsError as error:
            raise context.invalid(problem_types.BAD_QUERY, request, edition, error, rate) from None
        try:
            answer = await call(self._operation, ask, operation_context)
        except Refusal as refusal:
            raise context.refusal(refusal, request, edition, rate, body=False) from None
        unread = ignored_field(request.query, parameter_names(self._operation.ask)) if request.query else []
        reply = json_reply(200, answer, request, edition, self._route, [*rate, *unread])
        return with_note(reply, ACTION, self._operation.name, outcome_of(self._operation, answer))


class SubmitAction:
    """A submitting operation at its path."""

    def __init__(self, operation: Operation, rest: Post, route: Route, context: ActionContext) -> None:
        self._operation, self._rest, self._route, self._context = operation, rest, route, context
        self._kind = operation.name.removeprefix("submit_")
        self._schema = {"$schema": DIALECT, **operation.ask.model_json_schema(mode="validation")}

    async def __call__(self, request: Request, receive: Receive) -> Response:
        """405 → 429 → 406 → 415 → 413 → 400 → 422 → the operation's own rules."""
        try:
            return await self._answer(request, receive)
        except ResponseError as refused:
            return with_note(refused.reply, self._rest.area, self._kind)

    async def _answer(self, request: Request, receive: Receive) -> Response:
        context = self._context
        edition, operation_context = context.opened(request, POSTS)
        if request.method != "POST":
            raise context.method_not_allowed(request, edition, POSTS, self._schema)
        quota = taken.limit if (taken := operation_context.submissions) else None
        rate = context.spend(request, edition, quota)
        context.acceptable(request, edition, self._rest.path, rate)
        limit = self._rest.limit_bytes
        body = await context.body(request, receive, edition, rate, limit, f"A body may hold {limit:,} bytes.")
        validation_context = self._operation.context(operation_context) if self._operation.context else None
        try:
            ask = read_body(self._operation.ask, loads(body), validation_context)
        except InvalidArgumentsError as error:
            raise context.invalid(problem_types.INVALID, request, edition, error, rate) from None
        except DuplicateNameError as error:
            raise context.invalid(problem_types.INVALID, request, edition, duplicate_names(error), rate) from None
        except JsonError as error:
            detail = f"The body {error}."
            raise ResponseError(refuse(problem_types.BAD_JSON, request, edition, detail=detail, further=rate)) from None
        try:
            answer = await call(
                self._operation, ask, operation_context, context.site_app.client(request.peer, request.fields)
            )
        except Refusal as refusal:
            raise context.refusal(refusal, request, edition, rate, body=True, quota=quota) from None
        path = edition.fields.target(answer.status_url.removeprefix(edition.fields.base_url)).encode()
        where: Headers = [(b"content-location", path)]
        status = REPEATED if answer.duplicate else ACCEPTED
        rate = tightest(rate, quota, answer.quota) if answer.quota else rate
        reply = json_reply(
            status,
            answer,
            request,
            edition,
            self._route,
            [*rate, *where, *([(b"location", path)] if status == ACCEPTED else [])],
        )
        return with_note(reply, self._rest.area, self._kind, "duplicate" if answer.duplicate else "queued")


def actions(operations: Iterable[Operation], context: ActionContext) -> dict[str, Handler]:
    """The handler for the path of each operation; a path that ends in a parameter ends in ``*``.

    Raises ``LookupError`` where an operation declares a page that no view writes.
    """
    by_name = {operation.name: operation for operation in operations}
    handlers: dict[str, Handler] = login_probes(context)
    for route in routes(by_name.values()):
        operation = by_name.get(route.name) or by_name[route.name.removesuffix(PAGE_SUFFIX)]
        if route.negotiates:
            view = PAGE_VIEWS.get(operation.name)
            if view is None:
                raise LookupError(f"{operation.name} declares the page {route.path}, and PAGE_VIEWS has no view for it")
            handlers[route.path] = view(operation, route, context)
            continue
        path = re.sub(r"[^/]*\{[a-z_]+\}[^/]*$", "*", route.path)
        if isinstance(operation.rest, Get):
            handlers[path] = ReadAction(operation, route, context)
        elif isinstance(operation.rest, Post):
            handlers[path] = SubmitAction(operation, operation.rest, route, context)
    return handlers
