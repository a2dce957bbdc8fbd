"""One dispatch for all revisions: a message in, its response out, independent of the transport."""

import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import orjson

from citepress.contract.operation import Refusal
from citepress.edition.pack import DamagedPackError
from citepress.search.wholeness import EngineError
from citepress_mcp import jsonrpc, versions
from citepress_mcp.catalog import Catalog, tool_bindings
from citepress_mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    MessageType,
    RpcError,
)
from citepress_mcp.limits import MCP_BATCH
from citepress_mcp.offer import McpOffer
from citepress_mcp.prompts import messages
from citepress_mcp.request_context import NO_MEMBERS, Caller, EditionSource, Handler, Params, RequestContext, RpcResult
from citepress_mcp.tool_calls import McpRefusal, ToolCaller
from citepress_mcp.versions import ASSUMED, FALLBACK, HANDSHAKE, META_CLIENT, MODERN, TransportHeaders

STATUS = {METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 200}
"""HTTP statuses of modern errors; others are 400. Handshake errors are 200."""
NAME_LENGTH = 64
DAMAGED_ARCHIVE = "The stored archive is damaged and is being made anew; try again in a few seconds"
log = logging.getLogger(__name__)


class Snapshot(NamedTuple):
    """The state that messages are answered from: the context of operations, and the lists of its edition."""

    operation_context: Any
    catalog: Catalog


Reply: TypeAlias = tuple[int, bytes | None]
"""The response: an HTTP status, and a body or nothing."""


class Note(NamedTuple):
    """What telemetry records about a message."""

    method: str
    tool: str
    revision: str
    client: str
    """Name of the client's software, at most 64 characters."""
    outcome: str
    """``ok``, ``refused`` when the tool declines, or the code of the error."""


ACCEPTED: Reply = (202, None)


class Endpoint:
    """Answers messages from the current snapshot."""

    def __init__(
        self,
        offer: McpOffer,
        operation_context: Callable[[], EditionSource | None],
        *,
        note: Callable[[Note], None] | None = None,
        fresh: bool = False,
    ) -> None:
        """``note`` is called for every request; ``fresh`` forbids clients to cache anything."""
        self.tools = tool_bindings(offer)
        self._caller = ToolCaller(self.tools)
        self.faults = 0
        """Requests that failed with an unexpected error."""
        self._offer = offer
        self._operation_context = operation_context
        self._note = note
        self._fresh = fresh
        self._snapshot: Snapshot | None = None
        tools: dict[str, Handler] = {"tools/list": self._lister("tools/list"), "tools/call": self._caller.call}
        lists: dict[str, Handler] = {name: self._lister(name) for name in LISTS}
        documents: dict[str, Handler] = {
            **lists,
            "resources/read": self._read,
            "prompts/get": self._prompt,
            "completion/complete": lambda params, context: context.catalog.completer.complete(params),
        }
        skills: dict[str, Handler] = {
            "skills/list": self._lister("skills/list"),
            "skills/get": lambda params, context: context.catalog.skill(params.get("uri")),
        }
        shared = tools if offer.only_tools else tools | documents
        self.modern: dict[str, Handler] = {
            **shared,
            **({} if offer.only_tools else skills),
            "server/discover": lambda _params, context: context.catalog.greeting(MODERN),
        }
        self.handshake: dict[str, Handler] = {
            **shared,
            "initialize": _initialize,
            "ping": lambda _params, _frame: b"{}",
        }

    def snapshot(self) -> Snapshot | None:
        """The current snapshot; its lists are built once for each edition.

        ``None`` while there is no edition, or none whose lists can be read. A call keeps the snapshot that it began
        with, so an edition that comes meanwhile changes nothing in its answer.
        """
        operation_context = self._operation_context()
        if operation_context is None:
            return None
        if self._snapshot is not None and self._snapshot.operation_context is operation_context:
            return self._snapshot
        return self._renewed(operation_context)

    def _renewed(self, operation_context: EditionSource) -> Snapshot | None:
        """The snapshot of another context, kept; ``None`` where its edition is damaged."""
        previous = self._snapshot
        try:
            catalog = previous.catalog if previous and previous.catalog.edition is operation_context.edition else None
            catalog = catalog or Catalog(self._offer, self.tools, operation_context.edition, fresh=self._fresh)
        except DamagedPackError:
            return None
        self._snapshot = Snapshot(operation_context, catalog)
        return self._snapshot

    async def answer_message(
        self,
        message: Any,  # noqa: ANN401  (any JSON)
        transport_headers: TransportHeaders | None,
        caller: Caller,
        snapshot: Snapshot,
        session: str = FALLBACK,
    ) -> Reply:
        """The answer to one message.

        ``transport_headers`` is ``None`` where there is no header; then ``session`` is the revision. Raises nothing.
        """
        id_ = None
        try:
            sort = jsonrpc.message_type(message)
            if sort is MessageType.NOTIFICATION:
                return ACCEPTED
            id_ = message.get("id") if sort is MessageType.REQUEST else None
            revision = versions.revision_of(message, transport_headers, session)
            if sort is MessageType.RESPONSE:
                return _response(revision)
        except RpcError as error:
            return 400, jsonrpc.error(id_, error.code, error.message, error.data)
        return await self._answered(
            message, RequestContext(revision, caller, snapshot.catalog, snapshot.operation_context), transport_headers
        )

    async def answer_batch(
        self,
        batch: Sequence[Any],
        transport_headers: TransportHeaders | None,
        caller: Caller,
        snapshot: Snapshot,
        session: str = FALLBACK,
    ) -> Reply:
        """The answers to a batch, in its order (specification, "MCP endpoint" 3). Raises nothing."""
        revision = session if transport_headers is None else transport_headers.version or ASSUMED
        if not 0 < len(batch) <= MCP_BATCH:
            return 400, jsonrpc.error(None, INVALID_REQUEST, f"A batch holds 1 to {MCP_BATCH} messages")
        if revision not in HANDSHAKE:
            return 400, jsonrpc.error(None, INVALID_REQUEST, "This protocol version has no batches")
        context = RequestContext(revision, caller, snapshot.catalog, snapshot.operation_context)
        answers: list[bytes] = []
        for message in batch:
            try:
                if jsonrpc.message_type(message) is not MessageType.REQUEST:
                    continue
            except RpcError as error:
                answers.append(jsonrpc.error(None, error.code, error.message))
                continue
            # Both settle the revision of what follows, which a batch cannot do for its own members.
            if message["method"] == "initialize" or versions.envelope(message) is not None:
                answers.append(
                    jsonrpc.error(message["id"], INVALID_REQUEST, "This message must be sent by itself, not in a batch")
                )
                continue
            _, body = await self._answered(message, context, None)
            answers.append(body or b"")
        return (200, b"[" + b",".join(answers) + b"]") if answers else ACCEPTED

    async def _answered(
        self, message: Mapping[str, Any], context: RequestContext, transport_headers: TransportHeaders | None
    ) -> Reply:
        """Envelope, method, parameters, run."""
        id_, modern, outcome = message["id"], context.revision == MODERN, "ok"
        try:
            if modern:
                versions.check_envelope(message, transport_headers)
            handler = (self.modern if modern else self.handshake).get(message["method"]) or self._unknown(
                message["method"]
            )
            params = message.get("params", NO_MEMBERS)
            result = handler(params, context) if type(params) is dict or params is NO_MEMBERS else _no_object()
            if not isinstance(result, bytes):
                result = await result if isinstance(result, Coroutine) else result
                outcome = "refused" if isinstance(result, McpRefusal) else outcome
                result = result if isinstance(result, bytes) else context.catalog.stamped(result, context.revision)
            reply: Reply = (200, b'{"jsonrpc":"2.0","id":' + orjson.dumps(id_) + b',"result":' + result + b"}")
        except RpcError as error:
            reply, outcome = _error(id_, error, modern=modern), str(error.code)
        except (DamagedPackError, EngineError):  # what is damaged was logged and marked
            reply, outcome = (200, jsonrpc.error(id_, INTERNAL_ERROR, DAMAGED_ARCHIVE)), str(INTERNAL_ERROR)
        except Exception:
            log.exception("no answer to %.80r", message["method"])
            self.faults += 1
            # JSON-RPC carries the error, so the transport succeeded; the exception itself stays in the log.
            reply, outcome = (200, jsonrpc.error(id_, INTERNAL_ERROR, "Internal error")), str(INTERNAL_ERROR)
        if self._note is not None:
            self._note(_noted(message, context.revision, outcome))
        return reply

    def _unknown(self, method: str) -> Handler:
        """Raises ``RpcError``: the method does not exist in this revision."""
        if method in self.modern:
            raise RpcError(METHOD_NOT_FOUND, f"{method} needs the envelope of {MODERN} in params._meta")
        raise RpcError(METHOD_NOT_FOUND, f"There is no method {method[:NAME_LENGTH]}")

    @staticmethod
    def _lister(method: str) -> Handler:
        return lambda params, context: context.catalog.page(method, context.revision, params.get("cursor"))

    def _read(self, params: Params, context: RequestContext) -> RpcResult:
        """``resources/read``."""
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise RpcError(INVALID_PARAMS, "params.uri must be a string")
        modern = context.revision == MODERN
        try:
            resource = context.catalog.resources.read(uri)
        except RpcError as error:
            # The modern revision has no code of its own for it.
            if modern and error.code == RESOURCE_NOT_FOUND:
                error.code = INVALID_PARAMS
            raise
        transport_headers = {"ttlMs": context.catalog.ttl(resource.ttl), "cacheScope": "public"} if modern else {}
        return {"contents": [versions.cut_listed(resource.content, context.revision)], **transport_headers}

    def _prompt(self, params: Params, context: RequestContext) -> RpcResult | Coroutine[Any, Any, RpcResult]:
        """``prompts/get``."""
        name, values = params.get("name"), params.get("arguments", NO_MEMBERS)
        prompt = context.catalog.prompts.get(name) if isinstance(name, str) else None
        if prompt is None:
            raise RpcError(INVALID_PARAMS, "There is no such prompt; prompts/list lists them")
        if not isinstance(values, dict) and values is not NO_MEMBERS:
            raise RpcError(INVALID_PARAMS, "params.arguments must be an object")

        def answered(tool: str, arguments: Mapping[str, str], tokens: int) -> str | None:
            return self._caller.text(tool, {**arguments, "max_tokens": tokens}, context)

        def written() -> RpcResult:
            return {
                "description": prompt.description,
                "messages": messages(prompt, values, context.catalog.as_of, answered),
            }

        # A prompt runs several searches, which would hold up every other connection of this worker.
        return self._beside(written, context) if context.operation_context.threads else written()

    @staticmethod
    async def _beside(work: Callable[[], RpcResult], context: RequestContext) -> RpcResult:
        """A prompt's messages, which tools answer. Raises ``RpcError``."""
        try:
            result: RpcResult = await context.operation_context.threads.run(work)
        except Refusal as no:
            raise RpcError(INTERNAL_ERROR, no.message) from None
        return result


LISTS = ("prompts/list", "resources/list", "resources/templates/list")


def _response(revision: str) -> Reply:
    """The answer to a response: this server sends no requests, and only older revisions accept one."""
    if revision == MODERN:
        return 400, jsonrpc.error(None, INVALID_REQUEST, "A response answers nothing that was asked")
    return ACCEPTED


def _initialize(params: Params, context: RequestContext) -> bytes:
    """``initialize``: the version that was asked for, or the newest of the handshake revisions."""
    version = params.get("protocolVersion")
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, "params.protocolVersion must be a string")
    return context.catalog.greeting(negotiated(version))


def negotiated(version: object) -> str:
    """The revision that ``initialize`` settles on."""
    return version if version in HANDSHAKE and isinstance(version, str) else FALLBACK


def _no_object() -> bytes:
    """Raises ``RpcError``: the parameters are not an object."""
    raise RpcError(INVALID_PARAMS, "params must be an object")


def _error(id_: jsonrpc.Id, error: RpcError, *, modern: bool) -> Reply:
    return STATUS.get(error.code, 400) if modern else 200, jsonrpc.error(id_, error.code, error.message, error.data)


def _noted(message: Mapping[str, Any], revision: str, outcome: str) -> Note:
    """Never arguments, only names."""
    method, params = message["method"], message.get("params")
    params = params if isinstance(params, dict) else NO_MEMBERS
    meta = params.get("_meta")
    client = (
        params.get("clientInfo")
        if method == "initialize"
        else meta.get(META_CLIENT)
        if isinstance(meta, dict)
        else None
    )
    name = client.get("name") if isinstance(client, dict) else ""
    tool = params.get("name") if method == "tools/call" else ""
    revision = negotiated(params.get("protocolVersion")) if method == "initialize" else revision
    return Note(method[:NAME_LENGTH], str(tool or "")[:NAME_LENGTH], revision, str(name or "")[:NAME_LENGTH], outcome)
