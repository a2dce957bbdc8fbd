"""What the endpoint offers, described once for the documents and the endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from citepress.contract.operation import Effect, Operation
from citepress.edition.render_context import RenderContext
from citepress_mcp.prompt import Prompt, Skill
from citepress_mcp.prompts import prompts, skills

SERVER_CAPABILITIES: Mapping[str, Mapping[str, object]] = {
    "tools": {},
    "resources": {},
    "prompts": {},
    "completions": {},
    "extensions": {"io.modelcontextprotocol/skills": {}},
}
"""What the endpoint declares to clients of the newest protocol revision."""


@dataclass(frozen=True, slots=True)
class McpOffer:
    """Everything an MCP client finds here beside resources, in the order of the lists."""

    operations: tuple[Operation, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    skills: tuple[Skill, ...] = ()
    only_tools: bool = False
    """Whether the endpoint offers nothing but its tools: no resources, no completion."""

    @property
    def capabilities(self) -> Mapping[str, Mapping[str, object]]:
        """What the endpoint declares to clients of the newest protocol revision."""
        return {"tools": SERVER_CAPABILITIES["tools"]} if self.only_tools else SERVER_CAPABILITIES

    @property
    def tools(self) -> tuple[Operation, ...]:
        """The operations that are tools."""
        return tuple(operation for operation in self.operations if operation.tool)


def annotations(operation: Operation) -> dict[str, str | bool]:
    """What a client may assume of a tool before it calls it."""
    reads = operation.effect is Effect.READ
    hints = {"readOnlyHint": reads, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
    return {"title": operation.title, **hints}


def offered(operations: tuple[Operation, ...]) -> McpOffer:
    """What the endpoint offers where these operations are installed."""
    return McpOffer(operations, *_instructions(frozenset(operation.name for operation in operations)))


def offer_of(context: RenderContext) -> McpOffer:
    """What documents say that the endpoint offers."""
    return offered(context.operations)


@cache
def _instructions(tools: frozenset[str]) -> tuple[tuple[Prompt, ...], tuple[Skill, ...]]:
    return prompts(tools), skills(tools)
