"""An MCP endpoint for tests: a small archive, the real operations and two more, in this process or as a server."""

import asyncio
import contextlib
import json
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

from citepress.archive.model import Archive, Change
from citepress.contract.document import Section
from citepress.contract.limits import Limit
from citepress.contract.model import Model
from citepress.contract.operation import Answer as ToolAnswer
from citepress.contract.operation import Operation, Paged, Tool, models, routes
from citepress.contract.table import derive
from citepress.edition.documents import declared
from citepress.edition.edition import open_edition, pointer
from citepress.edition.forms import ALL as FORMS
from citepress.edition.render_context import RenderContext
from citepress.edition.response_headers import SiteFields
from citepress.edition.site_edition import SiteEditions
from citepress.edition.theme import paths
from citepress.http.client_address import ClientAddressResolver
from citepress.kinds import ALL as KINDS
from citepress.operations import OperationContext
from citepress.operations.registry import ALL
from citepress.search.build import build
from citepress.search.state import open_index
from citepress.stores.local.counters import LocalCounters
from citepress.web.asgi import Asgi
from citepress.web.serve import serve
from citepress.web.site import SiteApp
from citepress_inbox.limits import limit
from citepress_inbox.ports import Inbox
from citepress_inbox.service import services_of
from citepress_inbox.sql_inbox import SqlInbox
from citepress_mcp.documents.guides import APIS
from citepress_mcp.documents.openapi import ROUTES
from citepress_mcp.endpoint import Endpoint
from citepress_mcp.offer import McpOffer, offered
from citepress_mcp.request_context import Caller
from citepress_mcp.transport import HostPolicy, Transport
from citepress_mcp.versions import MCP_REVISIONS, TransportHeaders
from support.archive import DAY, SITE, entry
from support.documents import whole
from support.edition import site_config
from support.running_server import HOST, Answer, Server, forked, free_port
from support.stores import NOW, opened
from support.waiting import PATIENCE_S

BOTH = ("/mcp", "/.well-known/mcp")
MODERN, HANDSHAKE = MCP_REVISIONS[0], MCP_REVISIONS[1:]
PREFIX = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, CLIENT = f"{PREFIX}protocolVersion", f"{PREFIX}clientCapabilities", f"{PREFIX}clientInfo"
TEXT = "A paragraph that says something about agents and archives, long enough to be counted.\n\n"


class Item(Model):
    """One item of the fixture's list."""

    id: str
    """Its name."""
    title: str
    """What it is called."""
    snippet: str
    """A few words."""
    topics: list[str]
    """Words."""


class ListAsk(Paged):
    """How many items."""

    query: str
    """Goes into the titles."""
    limit: int = 5
    """Items of one answer."""


class ListAnswer(ToolAnswer):
    """Items."""

    total: int
    """How many there are."""
    results: list[Item]
    """They themselves."""


class Nothing(Model):
    """No arguments."""


def _list(ask: ListAsk, _context: OperationContext) -> ListAnswer:
    items = [
        Item(
            id=f"posts/n{number}",
            title=f"{ask.query} {number}",
            snippet="Some words on it. " * 20,
            topics=["one", "two"],
        )
        for number in range(ask.start, min(42, ask.start + ask.limit))
    ]
    return ListAnswer(as_of=DAY, total=42, results=items, more=ask.start + ask.limit < 42)


def _break(_ask: Nothing, _context: OperationContext) -> None:
    raise RuntimeError("a secret of the house")


PREPARED = ListAnswer(
    as_of=DAY,
    total=5,
    results=[
        Item(id=f"posts/n{number}", title=f"Title {number}", snippet="Some words on it. " * 12, topics=["one", "two"])
        for number in range(5)
    ],
)
"""An answer that costs its operation nothing."""


def _prepared(_ask: ListAsk, _context: OperationContext) -> ListAnswer:
    return PREPARED


LIST = Operation(
    "fixture_list",
    "A list",
    "Gives items of a list that has 42.",
    ListAsk,
    ListAnswer,
    _list,
    Section.MCP,
    tool=Tool(1500, "results"),
)
BROKEN = Operation(
    "fixture_break", "A fault", "Fails in a way nobody foresaw.", Nothing, ListAnswer, _break, Section.MCP, tool=Tool()
)
READY = Operation(
    "fixture_ready",
    "An answer",
    "Gives five items that stand ready.",
    ListAsk,
    ListAnswer,
    _prepared,
    Section.MCP,
    tool=Tool(1500, "results"),
)
FIXTURES = (LIST, BROKEN, READY)
OPERATIONS = (*ALL, *FIXTURES)


def offer(operations: tuple[Operation, ...] = OPERATIONS) -> McpOffer:
    """What the endpoint of these tests offers."""
    return offered(operations)


def archive(**parts: Any) -> Archive:
    """A record of every kind, 120 notes, and a withdrawn page."""
    ones = [
        entry(
            f"{kind.name}/one", topics=["one"], body_markdown="## First\n\n" + TEXT * 40 + "## Second\n\n" + TEXT * 40
        )
        for kind in KINDS
    ]
    notes = [entry(f"posts/note-{number:03}", summary=f"On agents and number {number}.") for number in range(120)]
    changes = (Change(DAY, "updated", "posts/one", "Title of one", "/posts/one/", "A word was changed."),)
    return whole(*ones, *notes, changes=changes, redirects={"/posts/old/": "/posts/one/"}, **parts)


def desk(of: Archive, own: McpOffer) -> RenderContext:
    """A desk that knows the offer."""
    catalogue = declared(KINDS)
    types = {item.shape: item.model for item in catalogue if item.shape and item.model} | models(own.operations)
    table = derive(catalogue, FORMS, (*routes(own.operations), *ROUTES))
    return RenderContext(of, table, FORMS, types, paths(), own.operations, APIS)


def printed(state: Path, of: Archive | None = None, own: McpOffer | None = None) -> Path:
    """The edition and the index of an archive under a state folder."""
    content = of or archive()
    at = desk(content, own or offer())
    build(content, state / "index")
    return SiteEditions(declared(KINDS), lambda *_: at, state / "edition", drafts=False).publish(at.archive, {}).pointer


def operation_context(state: Path, *, quota: int = 30) -> OperationContext:
    """The world of what stands under a state folder."""
    inbox = Inbox(SqlInbox(opened(str(state / "inbox.sqlite"))), limit(quota))
    return OperationContext(
        open_edition(pointer(state)), open_index(state / "index"), lambda: NOW, services=services_of(inbox)
    )


def served_at(port: int) -> Archive:
    """The archive as a server on this port would serve it."""
    return archive(site=SITE.model_copy(update={"base_url": f"http://{HOST}:{port}"}))


def load(state: str, options: Mapping[str, Any]) -> Asgi:
    """The application of one worker: the door, and the endpoint behind two of its paths."""
    at = Path(state)
    here = operation_context(at, quota=options["inbox"]) if not options["empty"] else None
    base = here.base_url if here else "http://archive.test"
    counters, site = (
        LocalCounters(),
        here.edition.fields if here else SiteFields.of(site_config(base_url=base)),
    )
    site_app = SiteApp(
        here.edition if here else None,
        counters,
        site,
        limit=Limit("rest", 10_000, 60),
        observer=ClientAddressResolver([HOST]),
    )
    endpoint = Endpoint(offer(), lambda: here)
    transport = Transport(
        endpoint,
        counters,
        Limit("mcp", options["quota"], 60),
        site_app.client,
        HostPolicy(base, ("other.example",), ("app://x",)),
        base,
    )
    site_app.actions = dict.fromkeys(BOTH, transport)
    return Asgi(site_app)


@contextlib.contextmanager
def endpoint_running(state: Path, *, quota: int = 60, inbox: int = 30, empty: bool = False) -> Iterator[Server]:
    """A server process with the endpoint over an archive of its own; without an edition when ``empty``."""
    port = free_port()
    if not empty:
        printed(state, served_at(port))
    options = json.dumps({"quota": quota, "inbox": inbox, "empty": empty})
    with forked("support.mcp_endpoint:main", [str(state), str(port), options], port) as server:
        yield server


def main(arguments: Sequence[str]) -> None:
    """Serve the state folder of ``endpoint_running`` at a port."""
    state, port, options = arguments
    serve(partial(load, state, json.loads(options)), port=int(port))


def envelope(**more: Any) -> dict[str, Any]:
    """The metadata of a modern request."""
    return {VERSION: MODERN, CAPABILITIES: {}, CLIENT: {"name": "tests", "version": "1"}, **more}


def message(method: str, params: Any = None, *, modern: bool = False, id_: Any = 1) -> dict[str, Any]:
    """A request; of the modern revision with its envelope."""
    parameters = {**(params or {}), "_meta": envelope()} if modern and isinstance(params, dict | None) else params
    return {"jsonrpc": "2.0", "id": id_, "method": method, **({"params": parameters} if parameters is not None else {})}


def fields(method: str, params: Any = None, *, modern: bool = False) -> dict[str, str]:
    """The header of a request as a good client sends it."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    if not modern:
        return headers
    name = (
        (params or {}).get("uri" if method == "resources/read" else "name") if isinstance(params, dict | None) else None
    )
    named = (
        {"mcp-name": name}
        if method in ("tools/call", "prompts/get", "resources/read") and isinstance(name, str)
        else {}
    )
    return {**headers, "mcp-protocol-version": MODERN, "mcp-method": method, **named}


class Wire:
    """Speaks to one path of a running endpoint in one era, each request from a client of its own."""

    def __init__(self, server: Server, path: str, era: str) -> None:
        """``era`` is a revision, or empty for a request without a version header."""
        self.server, self.path, self.era = server, path, era
        self.modern = era == MODERN

    def header(self, method: str = "ping", params: Any = None) -> dict[str, str]:
        """The fields of a good request in this era."""
        headers = fields(method, params, modern=self.modern)
        return headers if self.modern or not self.era else {**headers, "mcp-protocol-version": self.era}

    def call(self, method: str, params: Any = None, *, id_: Any = 1, **change: str | None) -> Answer:
        """A good request with these fields changed; ``None`` leaves one out."""
        return self.send(message(method, params, modern=self.modern, id_=id_), self.header(method, params), **change)

    def send(self, body: Any, header: Mapping[str, str] | None = None, **change: str | None) -> Answer:
        """Any body under any header."""
        headers = {**(self.header() if header is None else header), **self.server.client()}
        changed = {name.replace("_", "-"): value for name, value in change.items()}
        merged = {name: value for name, value in {**headers, **changed}.items() if value is not None}
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.server.ask(self.path, "POST", raw, **merged)

    def raw(self, lines: Sequence[str], *parts: bytes, version: str = "1.1") -> Answer:
        """A POST with exactly these header lines, and what follows them."""
        head = "".join(f"{line}\r\n" for line in (f"POST {self.path} HTTP/{version}", *lines))
        with socket.create_connection((HOST, self.server.port), PATIENCE_S) as link:
            link.sendall(head.encode("latin-1") + b"\r\n")
            with contextlib.suppress(OSError):  # the server may have answered and closed
                for part in parts:
                    link.sendall(part)
            response = HTTPResponse(link, method="POST")
            response.begin()
            named = response.getheaders()
            return Answer(response.status, {name.lower(): value for name, value in named}, response.read(), named)

    def lines(self, method: str, params: Any = None, *, length: int | None = None) -> list[str]:
        """The header of a good request as lines."""
        headers = {"host": f"{HOST}:{self.server.port}", **self.header(method, params), **self.server.client()}
        size = [] if length is None else [f"content-length: {length}"]
        return [*(f"{name}: {value}" for name, value in headers.items()), *size]


def refused(answer: Answer, status: int, code: int, *, null: bool = False, id_: Any = 1) -> dict[str, Any]:
    """The error of an answer, checked to be one: status, code, id, and nothing of our own insides."""
    assert (answer.status, answer.type) == (status, "application/json"), (answer.status, answer.body)
    document = answer.json()
    assert document["jsonrpc"] == "2.0"
    assert document["id"] == (None if null else id_), document
    assert document["error"]["code"] == code, document
    assert not re.search(r"Traceback|File \"|/site-packages|pydantic|orjson|/src/", answer.text)
    assert answer.fields["cache-control"] == "no-store"
    error: dict[str, Any] = document["error"]
    return error


def result(answer: Answer, id_: Any = 1) -> dict[str, Any]:
    """The result of an answer."""
    assert answer.status == 200, (answer.status, answer.body)
    document = answer.json()
    assert (document["jsonrpc"], document["id"]) == ("2.0", id_), document
    outcome: dict[str, Any] = document["result"]
    return outcome


class EndpointClient:
    """Asks an endpoint in this process."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    def reply(self, body: Any, hints: TransportHeaders | None = None, cap: int = 0) -> Any:
        """What one message gets, decoded; ``None`` for nothing."""
        snapshot = self.endpoint.snapshot()
        assert snapshot is not None
        _, response = asyncio.run(self.endpoint.answer_message(body, hints, Caller("tests", cap), snapshot))
        return json.loads(response) if response is not None else None

    def result(
        self, method: str, params: Mapping[str, Any] | None = None, *, revision: str = MODERN, cap: int = 0
    ) -> dict[str, Any]:
        """The result of a method in a revision; an error is the failure's message."""
        modern = revision == MODERN
        name = (params or {}).get("uri" if method == "resources/read" else "name") if modern else None
        reply = self.reply(
            message(method, params, modern=modern), TransportHeaders(revision, method if modern else None, name), cap
        )
        assert "result" in reply, reply
        outcome: dict[str, Any] = reply["result"]
        return outcome

    def tool(self, name: str, cap: int = 0, **arguments: Any) -> dict[str, Any]:
        """The result of a tool."""
        return self.result("tools/call", {"name": name, "arguments": arguments}, cap=cap)

    def structured(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool."""
        structured: dict[str, Any] = self.tool(name, **arguments)["structuredContent"]
        return structured

    def no(self, name: str, **arguments: Any) -> str:
        """What a tool says when it refuses."""
        result = self.tool(name, **arguments)
        assert (result["isError"], set(result) & {"structuredContent"}) == (True, set()), result
        return str(result["content"][0]["text"])
