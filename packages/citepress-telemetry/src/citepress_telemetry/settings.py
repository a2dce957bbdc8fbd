"""``[telemetry]`` of ``site.toml``: whose requests are counted, for how long, and what is published of them."""

from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from citepress.contract.model import Model, Moment, OneLine, Text
from citepress.contract.settings_table import SettingsTable

LOOPBACK, BY_AGENT = "loopback", "ua:"
"""Rules for the publisher's own traffic that are not networks."""


def _own(rule: str) -> str:
    """A rule of the publisher's own traffic. Raises ``ValueError``."""
    if rule == LOOPBACK or (rule.startswith(BY_AGENT) and rule.removeprefix(BY_AGENT).strip()):
        return rule
    try:
        ip_network(rule, strict=False)
    except ValueError:
        raise ValueError(
            f"{rule!r} is not a rule: write loopback, an address, a network, or ua: and a part of a user agent"
        ) from None
    return rule


class Annotation(Model):
    """Something that explains a step in the history of the counts."""

    at: Moment
    """When it happened."""
    kind: Literal["release", "outage", "robots_change"]
    """What it was."""
    text: Text
    """What happened."""


class Imports(Model):
    """How access logs of other servers are read."""

    hosts: list[OneLine] = Field(default_factory=list, max_length=200)
    """Hosts to count, where a log names them; by default all."""
    fields: dict[
        Literal[
            "time",
            "client",
            "request",
            "method",
            "target",
            "query",
            "status",
            "bytes",
            "referer",
            "agent",
            "content_type",
            "host",
        ],
        OneLine,
    ] = Field(default_factory=dict)
    """Names of fields of JSON lines that are not the usual ones; a dot leads into an object."""


class TelemetryRules(Model):
    """What reports on readers count and withhold, as they state it; every server of an edition keeps to it."""

    retention_hours: Annotated[int, Field(ge=2, le=720)] = 72
    """Hours for which single requests are stored."""
    min_count: Annotated[int, Field(ge=1, le=1000)] = 5
    """Smallest count of steps, entries, ends and pairs that is published."""
    user_action_min: Annotated[int, Field(ge=1, le=1000)] = 3
    """Smallest count of fetches on behalf of one person that a page shows."""
    reverse_dns: bool = False
    """Look up names of addresses to verify families."""
    signatures: bool = False
    """Verify signatures of requests (Web Bot Auth)."""
    keep_unlisted: bool = False
    """Store product names of automation that no list names for thirty days, unpublished."""
    example: bool = False
    """All figures come from an example log: every report says so, and no request is counted."""
    annotations: list[Annotation] = Field(default_factory=list, max_length=500)
    """Notes for readers of the history."""


class TelemetryCapture(Model):
    """How an installation counts its requests."""

    enabled: bool = True
    """Count requests."""
    self: list[Annotated[OneLine, AfterValidator(_own)]] | None = Field(default=None, max_length=200)
    """Your own traffic, not counted: ``loopback``, networks, ``ua:`` and a part of a user agent. By default
    ``loopback`` if the service listens on a public address."""
    spool_max_mb: Annotated[int, Field(ge=16, le=1_000_000)] = 2048
    """Megabytes for single requests; the oldest go first."""
    aggregator: bool = True
    """``serve`` starts the process that closes hours."""
    ranges_max_age_days: Annotated[int, Field(ge=1, le=90)] = 7
    """Days after which an operator's address list is ignored."""
    imports: Imports = Field(default_factory=Imports)
    """How access logs are read."""


TABLES = (SettingsTable("telemetry", TelemetryRules, TelemetryCapture),)
