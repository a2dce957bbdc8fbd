"""Operations over REST: a query or a JSON body in, an answer or a problem document out."""

import re
from collections.abc import Iterable

from citepress.base.strict_json import DuplicateNameError, JsonError, loads
from citepress.contract import problem as sorts
from citepress.contract.json_body import duplicate_faults, read_body
from citepress.contract.limits import Headers
from citepress.contract.operation import Get, Operation, Post, Refusal, routes
from citepress.contract.route import Route
from citepress.edition.schemas import DIALECT
from citepress.http.message import Handler, Receive, Request, Response
from citepress.http.problem import refuse
from citepress.http.query import read_query
from citepress.web.endpoints.context import GETS, POSTS, ActionContext, ResponseError, call, json_reply, matched_prefix, with_note
from citepress.web.endpoints.search_page import SearchPage
from citepress.web.site import READS

ACCEPTED, REPEATED = 202, 200
ACTION, INBOX = "action", "inbox"
"""Areas of statistics."""
NO_PATH = "No document has this address: its last part does not have the form of an id."


class ReadAction:
    """A reading operation at its path, or at every path below it that its parameter names."""

    def __init__(self, operation: Operation, route: Route, clerk: ActionContext) -> None:
        self._operation, self._route, self._clerk = operation, route, clerk

    async def __call__(self, request: Request, _receive: Receive) -> Response:
        """404 → 405 → 429 → 406 → 400 → the answer."""
        try:
            return await self._answer(request)
        except ResponseError as refused:
            return with_note(refused.reply, ACTION, self._operation.name)

    async def _answer(self, request: Request) -> Response:
        clerk = self._clerk
        edition, world = clerk.opened(request, GETS)
        found = self._route.pattern.fullmatch(request.target.decode("latin-1"))
        if found is None:
            further = clerk.spend(request, edition)
            raise ResponseError(refuse(sorts.NOT_FOUND, request, edition.fields, "json", edition, detail=NO_PATH, further=further))
        if request.method not in READS:
            raise clerk.method(request, edition, GETS)
        rate = clerk.spend(request, edition)
        clerk.acceptable(request, edition, self._route.path, rate)
        ask = read_query(request.query, self._operation.ask, found.groupdict())
        if isinstance(ask, tuple):
            raise clerk.faulty(sorts.BAD_QUERY, request, edition, ask, rate)
        try:
            answer = await call(self._operation, ask, world)
        except Refusal as refusal:
            raise clerk.no(refusal, request, edition, rate, body=False) from None
        reply = json_reply(200, answer, request, edition, self._route, rate)
        return with_note(reply, ACTION, self._operation.name, matched_prefix(self._operation, answer))


class SubmitAction:
    """A submitting operation at its path."""

    def __init__(self, operation: Operation, rest: Post, route: Route, clerk: ActionContext) -> None:
        self._operation, self._rest, self._route, self._clerk = operation, rest, route, clerk
        self._kind = operation.name.removeprefix("submit_")
        self._schema = {"$schema": DIALECT, **operation.ask.model_json_schema(mode="validation")}

    async def __call__(self, request: Request, receive: Receive) -> Response:
        """405 → 429 → 406 → 415 → 413 → 400 → 422 → the operation's own rules."""
        try:
            return await self._answer(request, receive)
        except ResponseError as refused:
            return with_note(refused.reply, INBOX, self._kind)

    async def _answer(self, request: Request, receive: Receive) -> Response:
        clerk = self._clerk
        edition, world = clerk.opened(request, POSTS)
        if request.method != "POST":
            raise clerk.method(request, edition, POSTS, self._schema)
        rate = clerk.spend(request, edition, inbox=True)
        clerk.acceptable(request, edition, self._rest.path, rate)
        limit = self._rest.limit_bytes
        body = await clerk.body(request, receive, edition, rate, limit, f"A body may hold {limit:,} bytes.")
        try:
            told = loads(body)
        except DuplicateNameError as error:
            raise clerk.faulty(sorts.INVALID, request, edition, duplicate_faults(error), rate) from None
        except JsonError as error:
            detail = f"The body {error}."
            raise ResponseError(refuse(sorts.BAD_JSON, request, edition.fields, "json", edition, detail=detail, further=rate)) from None
        ask = read_body(self._operation.ask, told)
        if isinstance(ask, tuple):
            raise clerk.faulty(sorts.INVALID, request, edition, ask, rate)
        try:
            answer = await call(self._operation, ask, world, clerk.door.client(request.peer, request.fields))
        except Refusal as refusal:
            raise clerk.no(refusal, request, edition, rate, body=True) from None
        path = edition.fields.target(answer.status_url.removeprefix(edition.fields.base_url)).encode()
        where: Headers = [(b"content-location", path)]
        status = REPEATED if answer.duplicate else ACCEPTED
        rate = clerk.scarcest(rate, answer.quota) if answer.quota else rate
        reply = json_reply(
            status, answer, request, edition, self._route, [*rate, *where, *([(b"location", path)] if status == ACCEPTED else [])]
        )
        return with_note(reply, INBOX, self._kind, "duplicate" if answer.duplicate else "queued")


def actions(operations: Iterable[Operation], clerk: ActionContext) -> dict[str, Handler]:
    """What answers at the path of each operation; a path that ends in a parameter ends in ``*``."""
    known = {one.name: one for one in operations}
    found: dict[str, Handler] = {}
    for route in routes(known.values()):
        operation = known.get(route.name) or known[route.name.removesuffix("_page")]
        if route.negotiates:
            found[route.path] = SearchPage(operation, route, clerk)
            continue
        path = re.sub(r"[^/]*\{[a-z_]+\}[^/]*$", "*", route.path)
        if isinstance(operation.rest, Get):
            found[path] = ReadAction(operation, route, clerk)
        elif isinstance(operation.rest, Post):
            found[path] = SubmitAction(operation, operation.rest, route, clerk)
    return found
