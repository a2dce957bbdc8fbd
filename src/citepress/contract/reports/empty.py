"""The honest form of each report before anything was observed: every count null, every list empty, and the reason."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from citepress.contract.model import Model
from citepress.contract.reports.consumption import (
    REVISION,
    ConsumptionClass,
    ConsumptionTotals,
    FirstReadHours,
    InboxSubmissions,
    MachineConsumptionReport,
    McpUse,
    RateLimited,
)
from citepress.contract.reports.consumption import SCHEMA_PATH as CONSUMPTION_SCHEMA
from citepress.contract.reports.head import METHOD_PATH, Coverage, StatusCounts
from citepress.contract.reports.journeys import SCHEMA_PATH as JOURNEYS_SCHEMA
from citepress.contract.reports.journeys import CrawlerJourneysReport
from citepress.contract.reports.readership import SCHEMA_PATH as READERSHIP_SCHEMA
from citepress.contract.reports.readership import PageFormCounts, PageForms, PageReadershipReport
from citepress.contract.reports.traffic import (
    HISTORY_SCHEMA,
    SNAPSHOT_SCHEMA,
    BotTrafficHistory,
    BotTrafficSnapshot,
    SnapshotClass,
    Unattributed,
)
from citepress.contract.reports.words import CAVEATS, CLASSES
from citepress.contract.version import SCHEMA_VERSION

REASON = "Nothing has been observed yet: counts appear after the first full hour of a running service."
NETWORK_KEY = "keyed BLAKE2b of /24 or /48, salt of one day"
MIN_COUNT = 5
SESSION = {
    "key": "family+network",
    "inactivity_timeout": "PT30M",
    "cut_at": "00:00Z",
    "max_duration": "P1D",
    "assets": "excluded",
    "second_key": "family",
}
"""What counts as one session; the same before and after observation begins."""


def _nulls(model: type[Model]) -> dict[str, Any]:
    """Null for every member of a shape, under the names of the wire."""
    return {field.alias or name: None for name, field in model.model_fields.items()}


def _head(base_url: str, schema_path: str) -> dict[str, Any]:
    """The members of ``ReportHead``."""
    return {
        "schema_version": SCHEMA_VERSION,
        "schema": base_url + schema_path,
        "status": "not_observed",
        "generated_at": None,
        "as_of": None,
        "vantage": "origin",
        "classifier": {"version": None, "sources": []},
        "coverage": {**_nulls(Coverage), "sampling": {"method": "none", "rate": 1}},
        "privacy": {"ip_stored": False, "network_key": NETWORK_KEY, "min_count": MIN_COUNT, "suppressed_rows": None},
        "missing": [{"pointer": "", "reason": REASON}],
        "caveats": [{"code": code, "text": text} for code, text in CAVEATS.items()],
        "methodology_url": base_url + METHOD_PATH,
    }


def _window(duration: str) -> dict[str, Any]:
    return {"duration": duration, "start": None, "end": None, "complete": False}


def _classes(model: type[Model]) -> list[dict[str, Any]]:
    """The five classes, all of them with nothing known."""
    return [{**_nulls(model), "class": name} for name in CLASSES]


def consumption(base_url: str) -> MachineConsumptionReport:
    """The machine-consumption report of a service that has seen nothing; ``base_url`` without a slash at its end."""
    nothing = {"start": None, "end": None}
    gateway = {
        "mcp": {**_nulls(McpUse), "protocol_versions": {}, "tool_calls": [], "clients": []},
        "agent_actions": [],
        "inbox": {"submissions": _nulls(InboxSubmissions), "deduplicated": None},
        "paid": [],
        "rate_limited": _nulls(RateLimited),
    }
    return MachineConsumptionReport.model_validate(
        _head(base_url, CONSUMPTION_SCHEMA)
        | {
            "schema_revision": REVISION,
            "window": _window("P30D"),
            "observed_window": nothing,
            "totals": _nulls(ConsumptionTotals),
            "classes": _classes(ConsumptionClass),
            "purposes": [],
            "operators": [],
            "representations": [],
            "status_classes": _nulls(StatusCounts),
            "revalidations_304": None,
            "top_materials": [],
            "never_read": {"count": None, "of": None, "sample": []},
            "freshness": {"published": None, "read": None, "time_to_first_read_hours": _nulls(FirstReadHours)},
            "gateway": gateway,
        }
    )


def journeys(base_url: str) -> CrawlerJourneysReport:
    """The crawler-journeys report of a service that has seen nothing."""
    lengths = {"24h": "PT24H", "7d": "P7D", "30d": "P30D"}
    windows = {name: {"window": _window(length), "families": []} for name, length in lengths.items()}
    return CrawlerJourneysReport.model_validate(_head(base_url, JOURNEYS_SCHEMA) | {"session_definition": SESSION, "windows": windows})


def readership(
    base_url: str, canonical_path: str, kind: str, published_at: datetime | None, canonical_url: str, forms: Mapping[str, str]
) -> PageReadershipReport:
    """The readership of a page that nobody was seen to fetch; ``forms`` are its addresses by ``html``, ``markdown``, ``json``."""
    reading: dict[str, Any] = {"requests": None, "by_representation": _nulls(PageFormCounts), "revalidations_304": None, "by_family": []}
    since = {"start": None, "end": None, "complete": False}
    return PageReadershipReport.model_validate(
        _head(base_url, READERSHIP_SCHEMA)
        | {
            "canonical_path": canonical_path,
            "canonical_url": canonical_url,
            "kind": kind,
            "representations": _nulls(PageForms) | dict(forms),
            "published_at": published_at,
            "time_to_first_read_hours": None,
            "windows": {
                "24h": {"window": _window("PT24H"), **reading},
                "observed": {"window": since, "first_read_at": None, "last_read_at": None, **reading},
            },
        }
    )


def snapshot(base_url: str) -> BotTrafficSnapshot:
    """The 24 hours of a service that has seen nothing."""
    return BotTrafficSnapshot.model_validate(
        _head(base_url, SNAPSHOT_SCHEMA)
        | {
            "window": _window("PT24H"),
            "total_requests": None,
            "classes": _classes(SnapshotClass),
            "top_families": [],
            "contradicted_requests": None,
            "unattributed": _nulls(Unattributed),
            "scanner": {"probe_categories": []},
        }
    )


def history(base_url: str) -> BotTrafficHistory:
    """The history of a service that has seen nothing."""
    return BotTrafficHistory.model_validate(
        _head(base_url, HISTORY_SCHEMA) | {"interval": "P1D", "timezone": "UTC", "points": [], "months": [], "annotations": []}
    )
