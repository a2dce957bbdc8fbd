"""Charts of use beyond reading: MCP, free actions, paid products, the inbox."""

from collections.abc import Iterator

from citepress.contract.page import Block, Prose
from citepress_telemetry.contract.consumption import GatewayUse, MachineConsumptionReport
from citepress_telemetry.contract.page import Shown
from citepress_telemetry.reports.html.parts import Row, bars, sentence


def gateway_blocks(report: MachineConsumptionReport, shown: Shown) -> Iterator[Block]:
    """The funnel, then tools and actions by name."""
    if report.gateway is None:
        return
    if report.gateway.mcp.initializes is None:
        # An imported log knows requests alone: zeros would claim that nobody asked for anything.
        reasons = [gap.reason for gap in report.missing if gap.pointer == "/gateway"]
        yield Prose(shown.anchor, shown.title, f"Not known: {'; '.join(reasons) or 'nothing was observed'}.")
        return
    rows = _funnel(report.gateway)
    yield bars(shown, rows, "Step", "Number", sentence("From asking to using", rows))
    named = _named(report.gateway)
    if named:
        yield bars(
            shown,
            named,
            "Tool or action",
            "Calls",
            sentence("Calls by tool and action", named),
            part=("tools", "Tools and actions"),
        )


def _funnel(use: GatewayUse) -> list[Row]:
    submitted, limited = use.inbox.submissions, use.rate_limited
    return [
        ("MCP handshakes", use.mcp.initializes),
        ("MCP tool calls", sum(tool.calls for tool in use.mcp.tool_calls)),
        ("of these failed", sum(tool.errors for tool in use.mcp.tool_calls)),
        ("Resources and prompts read", (use.mcp.resource_reads or 0) + (use.mcp.prompt_gets or 0)),
        ("Free actions", sum(action.requests for action in use.agent_actions)),
        ("of these found something", sum(action.matched for action in use.agent_actions)),
        ("Paid products asked for", sum(product.preflights for product in use.paid)),
        ("answered with 402", sum(product.payment_required for product in use.paid)),
        ("settled", sum(product.settled for product in use.paid)),
        ("Inbox submissions", sum(n or 0 for n in (submitted.source, submitted.correction, submitted.usage_receipt))),
        ("Inbox repeats", use.inbox.deduplicated),
        ("Refused for too many requests", (limited.rest_json or 0) + (limited.mcp or 0)),
    ]


def _named(use: GatewayUse) -> list[Row]:
    rows: list[Row] = [(f"{tool.tool} (MCP)", tool.calls) for tool in use.mcp.tool_calls]
    rows += [(action.action, action.requests) for action in use.agent_actions]
    return sorted(rows, key=lambda row: (-(row[1] or 0), row[0]))
