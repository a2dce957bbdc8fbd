"""Charts of what is more than reading: from handshakes to tools, from offers to settled payments, and the inbox."""

from collections.abc import Iterator

from citepress.contract.page import Block
from citepress.contract.reports.consumption import GatewayUse, MachineConsumptionReport
from citepress.contract.reports.page import Shown
from citepress.telemetry.reports.html.parts import Row, bars, sentence


def gateway_blocks(report: MachineConsumptionReport, shown: Shown) -> Iterator[Block]:
    """The funnel, then the tools and actions by name."""
    if report.gateway is None:
        return
    rows = _funnel(report.gateway)
    yield bars(shown, rows, "Step", "Number", sentence("From asking to using", rows))
    named = _named(report.gateway)
    if named:
        yield bars(
            shown, named, "Tool or action", "Calls", sentence("Calls by tool and action", named), part=("tools", "Tools and actions")
        )


def _funnel(use: GatewayUse) -> list[Row]:
    submitted, limited = use.inbox.submissions, use.rate_limited
    return [
        ("MCP handshakes", use.mcp.initializes),
        ("MCP tool calls", sum(one.calls for one in use.mcp.tool_calls)),
        ("of these failed", sum(one.errors for one in use.mcp.tool_calls)),
        ("Resources and prompts read", (use.mcp.resource_reads or 0) + (use.mcp.prompt_gets or 0)),
        ("Free actions", sum(one.requests for one in use.agent_actions)),
        ("of these found something", sum(one.matched for one in use.agent_actions)),
        ("Paid products asked for", sum(one.preflights for one in use.paid)),
        ("answered with 402", sum(one.payment_required for one in use.paid)),
        ("settled", sum(one.settled for one in use.paid)),
        ("Inbox submissions", sum(n or 0 for n in (submitted.source, submitted.correction, submitted.usage_receipt))),
        ("Inbox repeats", use.inbox.deduplicated),
        ("Refused for too many requests", (limited.rest_json or 0) + (limited.mcp or 0)),
    ]


def _named(use: GatewayUse) -> list[Row]:
    rows: list[Row] = [(f"{one.tool} (MCP)", one.calls) for one in use.mcp.tool_calls]
    rows += [(one.action, one.requests) for one in use.agent_actions]
    return sorted(rows, key=lambda row: (-(row[1] or 0), row[0]))
