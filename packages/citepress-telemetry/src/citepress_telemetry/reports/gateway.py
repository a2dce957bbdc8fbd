"""The gateway part of the machine-consumption report: what is used beyond reading."""

from collections import defaultdict
from collections.abc import Mapping

from citepress_telemetry.contract import consumption as contract
from citepress_telemetry.reports.header import rank_counts

Counts = Mapping[tuple[str, str, str], int]
"""(area, name, outcome): count."""
AreaCounts = Mapping[str, Mapping[str, int]]
"""Counts of one area by name and outcome; what is absent is zero."""
PAID = {
    "preflights": "preflight",
    "payment_required": "payment_required",
    "settled": "settled",
    "replays": "replay",
    "not_sellable": "not_sellable",
}
"""Members of a product by the outcome that they count."""


def gateway(counts: Counts) -> contract.GatewayUse:
    """Use of everything beyond reading; only for observed time, because what is absent is zero here."""
    areas: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for (area, name, outcome), number in counts.items():
        areas[area][name][outcome] += number
    inbox, limits = areas["inbox"], areas["limit"]
    return contract.GatewayUse(
        mcp=_mcp(areas),
        agent_actions=_actions(areas["action"]),
        inbox=contract.InboxUse(
            submissions=contract.InboxSubmissions(
                **{kind: inbox[kind]["queued"] for kind in contract.InboxSubmissions.model_fields}
            ),
            deduplicated=sum(outcomes["duplicate"] for outcomes in inbox.values()),
        ),
        paid=_paid(areas["paid"]),
        rate_limited=contract.RateLimited(rest_json=sum(limits["rest_json"].values()), mcp=sum(limits["mcp"].values())),
    )


def _actions(actions: AreaCounts) -> list[contract.ActionUse]:
    return [
        contract.ActionUse(action=name, requests=requests, matched=actions[name]["matched"])
        for name, requests in rank_counts(_sums(actions))
    ]


def _paid(products: AreaCounts) -> list[contract.PaidUse]:
    return [
        contract.PaidUse(product=name, **{member: products[name][outcome] for member, outcome in PAID.items()})
        for name, _ in rank_counts(_sums(products))
    ]


def _mcp(areas: Mapping[str, AreaCounts]) -> contract.McpUse:
    revisions, tools = _sums(areas["mcp.initialize"]), areas["mcp.tool"]
    return contract.McpUse(
        initializes=sum(revisions.values()),
        protocol_versions=dict(rank_counts(revisions)),
        resource_reads=sum(_sums(areas["mcp.resource"]).values()),
        prompt_gets=sum(_sums(areas["mcp.prompt"]).values()),
        tool_calls=[
            contract.ToolCalls(tool=name, calls=calls, errors=tools[name].get("error", 0))
            for name, calls in rank_counts(_sums(tools))
        ],
        clients=[
            contract.ClientMessages(client=name, messages=messages)
            for name, messages in rank_counts(_sums(areas["mcp.client"]))
        ],
    )


def _sums(names: AreaCounts) -> dict[str, int]:
    return {name: sum(outcomes.values()) for name, outcomes in names.items()}
