"""The gateway part of the machine-consumption report: what is used beyond reading."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from citepress.contract.reports.consumption import InboxSubmissions
from citepress.telemetry.reports.header import ranked

Counts = Mapping[tuple[str, str, str], int]
"""(area, name, outcome): count."""
PAID = {
    "preflights": "preflight",
    "payment_required": "payment_required",
    "settled": "settled",
    "replays": "replay",
    "not_sellable": "not_sellable",
}
"""Members of a product by the outcome that they count."""


def gateway(counts: Counts) -> dict[str, Any]:
    """The members of ``GatewayUse``; only for time that was observed, because what is absent is zero here."""
    areas: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for (area, name, outcome), number in counts.items():
        areas[area][name][outcome] += number
    return {
        "mcp": _mcp(areas),
        "agent_actions": [
            {"action": name, "requests": n, "matched": areas["action"][name]["matched"]} for name, n in ranked(_sums(areas["action"]))
        ],
        "inbox": {
            "submissions": {kind: areas["inbox"][kind]["queued"] for kind in InboxSubmissions.model_fields},
            "deduplicated": sum(found["duplicate"] for found in areas["inbox"].values()),
        },
        "paid": [
            {"product": name, **{member: areas["paid"][name][outcome] for member, outcome in PAID.items()}}
            for name, _ in ranked(_sums(areas["paid"]))
        ],
        "rate_limited": {name: sum(areas["limit"][name].values()) for name in ("rest_json", "mcp")},
    }


def _mcp(areas: Mapping[str, Mapping[str, Mapping[str, int]]]) -> dict[str, Any]:
    revisions = _sums(areas["mcp.initialize"])
    tools = areas["mcp.tool"]
    return {
        "initializes": sum(revisions.values()),
        "protocol_versions": dict(ranked(revisions)),
        "resource_reads": sum(_sums(areas["mcp.resource"]).values()),
        "prompt_gets": sum(_sums(areas["mcp.prompt"]).values()),
        "tool_calls": [{"tool": name, "calls": n, "errors": tools[name].get("error", 0)} for name, n in ranked(_sums(tools))],
        "clients": [{"client": name, "messages": n} for name, n in ranked(_sums(areas["mcp.client"]))],
    }


def _sums(names: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    return {name: sum(outcomes.values()) for name, outcomes in names.items()}
