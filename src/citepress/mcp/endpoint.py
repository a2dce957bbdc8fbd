"""One dispatch for all revisions: a message in, its answer out, whatever carried it."""

import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import CoroutineType
from typing import Any, NamedTuple, Protocol, TypeAlias

import orjson
from pydantic import BaseModel

from citepress.contract.limits import MCP_BATCH
from citepress.contract.mcp_offer import McpOffer
from citepress.contract.operation import Refusal
from citepress.contract.store import StoreUnavailable
from citepress.contract.version import MCP_REVISIONS
from citepress.edition.edition import Edition
from citepress.mcp import jsonrpc, versions
from citepress.mcp.answers import AnswerPage, has_results
from citepress.mcp.catalog import Catalog, ToolBinding, tool_bindings
from citepress.mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    MessageType,
    RpcError,
)
from citepress.mcp.prompts import messages
from citepress.mcp.versions import ASSUMED, CLIENT, FALLBACK, HANDSHAKE, MODERN, TransportHeaders, knows

STATUS = {METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 200}
"""HTTP statuses of modern errors; others are 400. Handshake errors are 200."""
NAME_LENGTH = 64
NOTHING: Mapping[str, Any] = {}
log = logging.getLogger(__name__)


class Threads(Protocol):
    """Runs work beside the event loop."""

    def run(self, work: Callable[..., Any], *arguments: object) -> Coroutine[Any, Any, Any]:
        """The result of ``work(*arguments)``."""
        ...


class EditionSource(Protocol):
    """What operations read; the endpoint itself needs only its edition, and the threads that search."""

    @property
    def edition(self) -> Edition:
        """The edition that is served."""
        ...

    @property
    def threads(self) -> Threads | None:
        """Where operations that search run."""
        ...


class Caller(NamedTuple):
    """Who sent a message."""

    key: str
    """The client as limits count it."""
    cap: int = 0
    """Most tokens of an answer, as the client's own address says; 0 for no say."""


class Snapshot(NamedTuple):
    """What messages are answered from: what operations read, and the lists of its edition."""

    world: Any
    catalog: Catalog


Reply: TypeAlias = tuple[int, bytes | None]
"""What goes back: an HTTP status, and a body or nothing."""


class Note(NamedTuple):
    """What statistics learn of a message."""

    method: str
    tool: str
    revision: str
    client: str
    """Name of the client's software, at most 64 characters."""
    outcome: str
    """``ok``, ``refused`` for a tool's own no, or the code of the error."""


class RequestContext(NamedTuple):
    """What the messages of one request share."""

    revision: str
    caller: Caller
    catalog: Catalog
    world: Any


Params: TypeAlias = Mapping[str, Any]
Result: TypeAlias = bytes | Mapping[str, Any]
Handler: TypeAlias = Callable[[Params, RequestContext], Result | Coroutine[Any, Any, Result]]
ACCEPTED: Reply = (202, None)
STRUCTURED = frozenset(revision for revision in MCP_REVISIONS if knows(revision, "structured"))


class McpRefusal(dict[str, Any]):
    """The result of a tool that says no."""


class Endpoint:
    """Answers messages from the world it is shown."""

    def __init__(
        self, offer: McpOffer, world: Callable[[], EditionSource | None], *, note: Callable[[Note], None] | None = None, fresh: bool = False
    ) -> None:
        """``note`` is told of every request; ``fresh`` keeps clients from keeping anything."""
        self.benches = tool_bindings(offer)
        self.faults = 0
        """Requests that met something unforeseen."""
        self._offer = offer
        self._world = world
        self._note = note
        self._fresh = fresh
        self._scene: Snapshot | None = None
        lists: dict[str, Handler] = {name: self._lister(name) for name in LISTS}
        shared: dict[str, Handler] = {
            **lists, "tools/call": self._call, "resources/read": self._read, "prompts/get": self._prompt,
            "completion/complete": lambda params, frame: frame.catalog.completer.complete(params),
        }  # fmt: skip
        skills: dict[str, Handler] = {
            "skills/list": self._lister("skills/list"), "skills/get": lambda params, frame: frame.catalog.skill(params.get("uri")),
        }  # fmt: skip
        self.modern: dict[str, Handler] = {**shared, **skills, "server/discover": lambda _params, frame: frame.catalog.greeting(MODERN)}
        self.handshake: dict[str, Handler] = {**shared, "initialize": _initialize, "ping": lambda _params, _frame: b"{}"}

    def scene(self) -> Snapshot | None:
        """What stands now, its lists made when its edition is first seen; ``None`` while there is no edition."""
        world = self._world()
        if world is None:
            return None
        scene = self._scene
        if scene is None or scene.world is not world:
            catalog = scene.catalog if scene and scene.catalog.edition is world.edition else None
            catalog = catalog or Catalog(self._offer, self.benches, world.edition, fresh=self._fresh)
            scene = self._scene = Snapshot(world, catalog)
        return scene

    async def one(self, message: Any, hints: TransportHeaders | None, caller: Caller, scene: Snapshot, session: str = FALLBACK) -> Reply:  # noqa: ANN401  (JSON is any shape)
        """The answer to one message. ``hints`` is ``None`` where there is no header; then ``session`` is the revision. Raises nothing."""
        id_ = None
        try:
            sort = jsonrpc.message_type(message)
            if sort is MessageType.NOTIFICATION:
                return ACCEPTED
            id_ = message.get("id") if sort is MessageType.REQUEST else None
            revision = versions.revision_of(message, hints, session)
            if sort is MessageType.RESPONSE:
                return _response(revision)
        except RpcError as error:
            return 400, jsonrpc.error(id_, error.code, error.message, error.data)
        return await self._answered(message, RequestContext(revision, caller, scene.catalog, scene.world), hints)

    async def many(
        self, batch: Sequence[Any], hints: TransportHeaders | None, caller: Caller, scene: Snapshot, session: str = FALLBACK
    ) -> Reply:
        """The answers to a batch, in its order (specification, "MCP endpoint" 3). Raises nothing."""
        revision = session if hints is None else hints.version or ASSUMED
        if not 0 < len(batch) <= MCP_BATCH:
            return 400, jsonrpc.error(None, INVALID_REQUEST, f"A batch holds 1 to {MCP_BATCH} messages")
        if revision not in HANDSHAKE:
            return 400, jsonrpc.error(None, INVALID_REQUEST, "This protocol version has no batches")
        frame = RequestContext(revision, caller, scene.catalog, scene.world)
        answers: list[bytes] = []
        for message in batch:
            try:
                if jsonrpc.message_type(message) is not MessageType.REQUEST:
                    continue
            except RpcError as error:
                answers.append(jsonrpc.error(None, error.code, error.message))
                continue
            if message["method"] == "initialize" or versions.envelope(message) is not None:
                answers.append(jsonrpc.error(message["id"], INVALID_REQUEST, "This message must be sent by itself, not in a batch"))
                continue
            _, body = await self._answered(message, frame, None)
            answers.append(body or b"")
        return (200, b"[" + b",".join(answers) + b"]") if answers else ACCEPTED

    async def _answered(self, message: Mapping[str, Any], frame: RequestContext, hints: TransportHeaders | None) -> Reply:
        """Envelope, method, parameters, run."""
        id_, modern, outcome = message["id"], frame.revision == MODERN, "ok"
        try:
            if modern:
                versions.check_envelope(message, hints)
            handler = (self.modern if modern else self.handshake).get(message["method"]) or self._unknown(message["method"])
            params = message.get("params", NOTHING)
            result = handler(params, frame) if type(params) is dict or params is NOTHING else _no_object()
            if not isinstance(result, bytes):
                result = await result if isinstance(result, Coroutine) else result
                outcome = "refused" if isinstance(result, McpRefusal) else outcome
                result = result if isinstance(result, bytes) else frame.catalog.stamped(result, frame.revision)
            reply: Reply = (200, b'{"jsonrpc":"2.0","id":' + orjson.dumps(id_) + b',"result":' + result + b"}")
        except RpcError as error:
            reply, outcome = _error(id_, error, modern=modern), str(error.code)
        except Exception:
            log.exception("no answer to %.80r", message["method"])
            self.faults += 1
            reply, outcome = (200, jsonrpc.error(id_, INTERNAL_ERROR, "Internal error")), str(INTERNAL_ERROR)
        if self._note is not None:
            self._note(_noted(message, frame.revision, outcome))
        return reply

    def _unknown(self, method: str) -> Handler:
        """Raises ``RpcError``: there is no such method in this era."""
        if method in self.modern:
            raise RpcError(METHOD_NOT_FOUND, f"{method} needs the envelope of {MODERN} in params._meta")
        raise RpcError(METHOD_NOT_FOUND, f"There is no method {method[:NAME_LENGTH]}")

    @staticmethod
    def _lister(method: str) -> Handler:
        return lambda params, frame: frame.catalog.page(method, frame.revision, params.get("cursor"))

    def _call(self, params: Params, frame: RequestContext) -> Result | Coroutine[Any, Any, Result]:
        """``tools/call``."""
        name, arguments = params.get("name"), params.get("arguments", NOTHING)
        bench = self.benches.get(name) if type(name) is str else None
        if bench is None:
            raise RpcError(INVALID_PARAMS, "There is no such tool; tools/list names them")
        if type(arguments) is not dict and arguments is not NOTHING:
            raise RpcError(INVALID_PARAMS, "params.arguments must be an object")
        try:
            ask, page = bench.reader.read(arguments, frame.caller.cap, frame.catalog.mark)
            run = bench.operation.run
            if bench.operation.beside and frame.world.threads:
                return self._later(bench, frame.world.threads.run(run, ask, frame.world), page, frame)
            answer = run(ask, frame.world, frame.caller.key) if bench.submits else run(ask, frame.world)
        except (Refusal, StoreUnavailable) as no:
            return refused(no)
        if type(answer) is CoroutineType:
            return self._later(bench, answer, page, frame)
        return _written(bench, answer, page, frame)

    async def _later(self, bench: ToolBinding, running: Coroutine[Any, Any, Any], page: AnswerPage, frame: RequestContext) -> Result:
        """A tool that waits for a store."""
        try:
            answer = await running
        except (Refusal, StoreUnavailable) as no:
            return refused(no)
        return _written(bench, answer, page, frame)

    def _read(self, params: Params, frame: RequestContext) -> Result:
        """``resources/read``."""
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise RpcError(INVALID_PARAMS, "params.uri must be a string")
        modern = frame.revision == MODERN
        try:
            found = frame.catalog.shelf.read(uri)
        except RpcError as error:
            if modern and error.code == RESOURCE_NOT_FOUND:
                error.code = INVALID_PARAMS
            raise
        hints = {"ttlMs": frame.catalog.ttl(found.ttl), "cacheScope": "public"} if modern else {}
        return {"contents": [versions.cut_listed(found.content, frame.revision)], **hints}

    def _prompt(self, params: Params, frame: RequestContext) -> Result | Coroutine[Any, Any, Result]:
        """``prompts/get``."""
        name, values = params.get("name"), params.get("arguments", NOTHING)
        prompt = frame.catalog.prompts.get(name) if isinstance(name, str) else None
        if prompt is None:
            raise RpcError(INVALID_PARAMS, "There is no such prompt; prompts/list names them")
        if not isinstance(values, dict) and values is not NOTHING:
            raise RpcError(INVALID_PARAMS, "params.arguments must be an object")

        def answered(tool: str, arguments: Mapping[str, str], tokens: int) -> str | None:
            return self._told(tool, {**arguments, "max_tokens": tokens}, frame)

        def written() -> Result:
            return {"description": prompt.description, "messages": messages(prompt, values, frame.catalog.as_of, answered)}

        return self._beside(written, frame) if frame.world.threads else written()

    @staticmethod
    async def _beside(work: Callable[[], Result], frame: RequestContext) -> Result:
        """A prompt's messages, which tools answer. Raises ``RpcError``."""
        try:
            found: Result = await frame.world.threads.run(work)
        except Refusal as no:
            raise RpcError(INTERNAL_ERROR, no.message) from None
        return found

    def _told(self, tool: str, arguments: Mapping[str, Any], frame: RequestContext) -> str | None:
        """The text of a tool's answer; ``None`` where there is no such tool or nothing to tell."""
        bench = self.benches.get(tool)
        if bench is None:
            return None
        try:
            ask, page = bench.reader.read(arguments, frame.caller.cap, frame.catalog.mark)
            answer = bench.operation.run(ask, frame.world)
        except (Refusal, StoreUnavailable):
            return None
        return bench.sheet.write(answer, page)[0] if has_results(answer) else None


LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


def _response(revision: str) -> Reply:
    """What a response gets: nothing here was asked, and only older revisions let it pass."""
    if revision == MODERN:
        return 400, jsonrpc.error(None, INVALID_REQUEST, "A response answers nothing that was asked")
    return ACCEPTED


def _initialize(params: Params, frame: RequestContext) -> bytes:
    """``initialize``: the version that was asked for, or the newest of the handshake revisions."""
    version = params.get("protocolVersion")
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, "params.protocolVersion must be a string")
    return frame.catalog.greeting(negotiated(version))


def negotiated(version: object) -> str:
    """The revision that ``initialize`` settles on."""
    return version if version in HANDSHAKE and isinstance(version, str) else FALLBACK


def _no_object() -> bytes:
    """Raises ``RpcError``: the parameters are no object."""
    raise RpcError(INVALID_PARAMS, "params must be an object")


def _error(id_: jsonrpc.Id, error: RpcError, *, modern: bool) -> Reply:
    return STATUS.get(error.code, 400) if modern else 200, jsonrpc.error(id_, error.code, error.message, error.data)


def _written(bench: ToolBinding, answer: BaseModel | Mapping[str, Any], page: AnswerPage, frame: RequestContext) -> Result:
    """A tool's answer as its result; one that is a result already is only cut to the revision."""
    if not isinstance(answer, BaseModel):
        return versions.cut_result(answer, frame.revision)
    text, structure, link = bench.sheet.write(answer, page)
    block = b'{"content":[{"type":"text","text":' + orjson.dumps(text) + b"}"
    if frame.revision not in STRUCTURED:
        return block + b'],"isError":false}'
    more = b"" if link is None else b"," + orjson.dumps(link)
    stamp = frame.catalog.stamp if frame.revision == MODERN else b""
    return block + more + b'],"structuredContent":' + structure + b',"isError":false' + stamp + b"}"


def refused(no: Refusal | StoreUnavailable) -> McpRefusal:
    """A tool's no: a word that says which, and what to do next."""
    if isinstance(no, StoreUnavailable):
        text = "unavailable: a store is busy; try again in a minute; nothing was queued"
    elif no.code == "invalid_argument":
        text = f"invalid_argument:\n{no.message if no.message.startswith('- ') else f'- `{no.member}`: {no.message}'}"
    else:
        text = f"{no.code}: {no.message}"
    if isinstance(no, Refusal) and no.near:
        text += f" {'Available' if no.member == 'sections' else 'Nearest'}: {', '.join(no.near)}"
    return McpRefusal(content=[{"type": "text", "text": text}], isError=True)


def _noted(message: Mapping[str, Any], revision: str, outcome: str) -> Note:
    """Never arguments, only names."""
    method, params = message["method"], message.get("params")
    params = params if isinstance(params, dict) else NOTHING
    meta = params.get("_meta")
    client = params.get("clientInfo") if method == "initialize" else meta.get(CLIENT) if isinstance(meta, dict) else None
    name = client.get("name") if isinstance(client, dict) else ""
    tool = params.get("name") if method == "tools/call" else ""
    revision = negotiated(params.get("protocolVersion")) if method == "initialize" else revision
    return Note(method[:NAME_LENGTH], str(tool or "")[:NAME_LENGTH], revision, str(name or "")[:NAME_LENGTH], outcome)
