"""``tools/call``: arguments in, the operation run, its answer or its refusal as the result."""

from collections.abc import Coroutine, Mapping
from types import CoroutineType
from typing import Any

import orjson
from pydantic import BaseModel

from citepress.contract.operation import Refusal
from citepress.contract.store import StoreUnavailable
from citepress_mcp import versions
from citepress_mcp.answers import AnswerPage, has_results
from citepress_mcp.catalog import ToolBinding
from citepress_mcp.jsonrpc import INVALID_PARAMS, RpcError
from citepress_mcp.request_context import NO_MEMBERS, Params, RequestContext, RpcResult
from citepress_mcp.versions import MCP_REVISIONS, MODERN, knows

STRUCTURED = frozenset(revision for revision in MCP_REVISIONS if knows(revision, "structured"))


class McpRefusal(dict[str, Any]):
    """The result of a tool that refuses."""


class ToolCaller:
    """Calls the tools of an offer."""

    def __init__(self, tools: Mapping[str, ToolBinding]) -> None:
        self._tools = tools

    def call(self, params: Params, context: RequestContext) -> RpcResult | Coroutine[Any, Any, RpcResult]:
        """``tools/call``."""
        name, arguments = params.get("name"), params.get("arguments", NO_MEMBERS)
        tool = self._tools.get(name) if type(name) is str else None
        if tool is None:
            raise RpcError(INVALID_PARAMS, "There is no such tool; tools/list lists them")
        if type(arguments) is not dict and arguments is not NO_MEMBERS:
            raise RpcError(INVALID_PARAMS, "params.arguments must be an object")
        try:
            ask, page = tool.reader.read(arguments, context.caller.cap, context.catalog.mark, context.operation_context)
            run = tool.operation.run
            if tool.operation.beside and context.operation_context.threads:
                return self._later(
                    tool, context.operation_context.threads.run(run, ask, context.operation_context), page, context
                )
            answer = (
                run(ask, context.operation_context, context.caller.key)
                if tool.submits
                else run(ask, context.operation_context)
            )
        except (Refusal, StoreUnavailable) as no:
            return refuse_call(no)
        if type(answer) is CoroutineType:
            return self._later(tool, answer, page, context)
        return _written(tool, answer, page, context)

    async def _later(
        self, tool: ToolBinding, running: Coroutine[Any, Any, Any], page: AnswerPage, context: RequestContext
    ) -> RpcResult:
        """A tool that waits for a store."""
        try:
            answer = await running
        except (Refusal, StoreUnavailable) as no:
            return refuse_call(no)
        return _written(tool, answer, page, context)

    def text(self, name: str, arguments: Mapping[str, Any], context: RequestContext) -> str | None:
        """The text of a tool's answer; ``None`` where there is no such tool or no result."""
        tool = self._tools.get(name)
        if tool is None:
            return None
        try:
            ask, page = tool.reader.read(arguments, context.caller.cap, context.catalog.mark, context.operation_context)
            answer = tool.operation.run(ask, context.operation_context)
        except (Refusal, StoreUnavailable):
            return None
        return tool.writer.write(answer, page)[0] if has_results(answer) else None


def _written(
    tool: ToolBinding, answer: BaseModel | Mapping[str, Any], page: AnswerPage, context: RequestContext
) -> RpcResult:
    """A tool's answer as its result; one that is a result already is only cut to the revision."""
    if not isinstance(answer, BaseModel):
        return versions.cut_result(answer, context.revision)
    text, structure, link = tool.writer.write(answer, page)
    block = b'{"content":[{"type":"text","text":' + orjson.dumps(text) + b"}"
    if context.revision not in STRUCTURED:
        return block + b'],"isError":false}'
    more = b"" if link is None else b"," + orjson.dumps(link)
    stamp = context.catalog.stamp if context.revision == MODERN else b""
    return block + more + b'],"structuredContent":' + structure + b',"isError":false' + stamp + b"}"


def refuse_call(no: Refusal | StoreUnavailable) -> McpRefusal:
    """A tool's refusal: its code, and what to do next."""
    if isinstance(no, StoreUnavailable):
        text = "unavailable: a store is busy; try again in a minute; nothing was queued"
    elif no.code == "invalid_argument":
        text = f"invalid_argument:\n{no.message if no.message.startswith('- ') else f'- `{no.member}`: {no.message}'}"
    else:
        text = f"{no.code}: {no.message}"
    if isinstance(no, Refusal) and no.near:
        text += f" {'Available' if no.member == 'sections' else 'Nearest'}: {', '.join(no.near)}"
    return McpRefusal(content=[{"type": "text", "text": text}], isError=True)
