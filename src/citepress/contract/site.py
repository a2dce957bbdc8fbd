"""What a publisher sets in ``site.toml``: the part that public documents read."""

from datetime import datetime
from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from citepress.contract.model import Line, Model, Moment, Text
from citepress.contract.paid import Payments

Signal = Literal["yes", "no"]
LOOPBACK, BY_AGENT = "loopback", "ua:"
"""Rules of the publisher's own traffic that are no network."""
CONNECTIONS = 10_000
"""Connections that one worker process keeps open."""
ForwardedField = Literal["X-Forwarded-For", "Forwarded"]
"""The fields in which proxies tell for whom they ask."""


def _own(rule: str) -> str:
    """A rule of the publisher's own traffic. Raises ``ValueError``."""
    if rule == LOOPBACK or (rule.startswith(BY_AGENT) and rule.removeprefix(BY_AGENT).strip()):
        return rule
    try:
        ip_network(rule, strict=False)
    except ValueError:
        raise ValueError(f"{rule!r} is no rule: write loopback, an address, a network, or ua: and a part of a user agent") from None
    return rule


def _network(text: str) -> str:
    """An address or a network. Raises ``ValueError``."""
    try:
        ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"{text!r} is neither an address nor a network: write 10.0.0.5 or 10.0.0.0/24") from None
    return text


Network = Annotated[Line, AfterValidator(_network)]
"""An IP address or a network."""


class Limits(Model):
    """Requests, messages and submissions that one client may make, and connections that a worker process keeps."""

    rest: Annotated[int, Field(ge=1, le=1_000_000)] = 120
    """JSON requests a minute."""
    mcp: Annotated[int, Field(ge=1, le=1_000_000)] = 60
    """MCP messages a minute."""
    search: Annotated[int, Field(ge=1, le=1_000_000)] = 60
    """Searches a minute on the page for people, as HTML or Markdown; as JSON they count among the JSON requests."""
    inbox: Annotated[int, Field(ge=1, le=100_000)] = 30
    """Inbox submissions in 24 hours."""
    connections: Annotated[int, Field(ge=10, le=1_000_000)] = CONNECTIONS
    """Connections of all clients that one worker process keeps open."""


class Robots(Model):
    """The words of ``robots.txt``."""

    disallow: list[Annotated[str, Field(pattern=r"^/", examples=["/private/"])]] = Field(default_factory=list, max_length=500)
    """Path prefixes no crawler should fetch."""
    blocked: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", examples=["ExampleBot"])]] = Field(
        default_factory=list, max_length=500
    )
    """User agents that are asked to stay away."""
    search: Signal = "yes"
    """Content signal: may be indexed for search."""
    ai_input: Signal = "yes"
    """Content signal: may be read into an answer."""
    ai_train: Signal = "no"
    """Content signal: may train a model."""


class Deprecation(Model):
    """A path on its way out; no row means that nothing is deprecated."""

    path: Annotated[str, Field(pattern=r"^/", examples=["/old/path/"])]
    """A path or path template of the route table."""
    deprecated_on: Moment
    """The day from which answers carry ``Deprecation`` (RFC 9745)."""
    announced_on: Moment | None = None
    """The day on which readers were told, which dates the entry of ``/changes.xml``; ``deprecated_on`` when left out."""
    sunset_on: Moment | None = None
    """The day on which the path goes (RFC 8594)."""
    link: Line | None = None
    """Where the replacement is described."""
    reason: Text
    """Why it goes."""
    urgent: Text | None = None
    """Why the window is shorter than 90 days; required when it is."""


def _announced(row: Deprecation) -> Deprecation:
    return row.model_copy(update={"announced_on": row.deprecated_on})


class Security(Model):
    """``/.well-known/security.txt`` (RFC 9116); left out without a contact."""

    contact: Line
    """``mailto:`` or ``https:`` address."""
    expires: Moment
    """The day after which the file must not be trusted."""
    policy: Line | None = None
    """URL of the disclosure policy."""


class Mcp(Model):
    """The MCP endpoint's own settings."""

    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", max_length=200, examples=["org.example/archive"])] | None = None
    """Server name; reversed host and slug of the title when left out."""
    allowed_hosts: list[Line] = Field(default_factory=list, max_length=50)
    """Further ``Host`` values that are served."""
    allowed_origins: list[Line] = Field(default_factory=list, max_length=50)
    """Further ``Origin`` values that are served."""


class Annotation(Model):
    """Something that explains a step in the history of the counts."""

    at: Moment
    """When it happened."""
    kind: Literal["release", "outage", "robots_change"]
    """What sort of thing it was."""
    text: Text
    """What happened."""


class Imports(Model):
    """How access logs of other servers are read."""

    hosts: list[Line] = Field(default_factory=list, max_length=200)
    """Hosts whose requests are counted, where a log names the host; all when empty."""
    fields: dict[
        Literal["time", "client", "request", "method", "target", "query", "status", "bytes", "referer", "agent", "content_type", "host"],
        Line,
    ] = Field(default_factory=dict)
    """Names of the fields of JSON lines, where they are not the usual ones; a dot leads into an object."""


class Telemetry(Model):
    """How the service counts its own requests."""

    enabled: bool = True
    """Whether requests are counted at all."""
    self: list[Annotated[Line, AfterValidator(_own)]] | None = Field(default=None, max_length=200)
    """The publisher's own traffic, which is not counted: ``loopback``, networks, ``ua:`` and a part of a user agent.

    Left out: ``loopback`` where the service listens on a public address, nothing where it listens on this machine alone.
    """
    retention_hours: Annotated[int, Field(ge=2, le=720)] = 72
    """Hours for which single requests are kept before they are only counts."""
    spool_max_mb: Annotated[int, Field(ge=16, le=1_000_000)] = 2048
    """Megabytes that single requests may take; the oldest go first."""
    aggregator: bool = True
    """Whether ``serve`` starts the process that closes hours."""
    min_count: Annotated[int, Field(ge=1, le=1000)] = 5
    """Rows of steps, entries, ends and pairs below this count are not published."""
    user_action_min: Annotated[int, Field(ge=1, le=1000)] = 3
    """Fetches on behalf of one person are shown on a page from this count on."""
    ranges_max_age_days: Annotated[int, Field(ge=1, le=90)] = 7
    """Days after which an operator's list of addresses convicts nobody any more."""
    reverse_dns: bool = False
    """Whether names of addresses are looked up to verify families."""
    signatures: bool = False
    """Whether signatures of requests are verified (Web Bot Auth)."""
    keep_unlisted: bool = False
    """Whether names of products in User-Agents of automation that no list names are kept for thirty days, unpublished."""
    imports: Imports = Field(default_factory=Imports)
    """How access logs are read."""
    annotations: list[Annotation] = Field(default_factory=list, max_length=500)
    """What readers of the history should know."""


class Site(Model):
    """The publication, as its publisher describes it."""

    title: Line = "Untitled archive"
    """Name of the publication."""
    description: Annotated[str, Field(max_length=300)] = ""
    """One sentence about it."""
    base_url: Annotated[str, Field(pattern=r"^https?://[^\s?#]+$", max_length=300, examples=["https://example.org"])] = (
        "http://127.0.0.1:8000"
    )
    """Public address, without a path's trailing slash."""
    owner: Line | None = None
    """Who publishes."""
    language: Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", examples=["en", "pt-BR"])] = "en"
    """BCP 47 language tag of the publication."""
    license: Line = "all rights reserved"
    """SPDX id or URL of the licence of its records."""
    hub: Annotated[str, Field(pattern=r"^https?://", examples=["https://hub.example.org/"])] | None = None
    """WebSub hub of the feeds."""
    repository: Annotated[str, Field(pattern=r"^https://", examples=["https://code.example.org/archive"])] | None = None
    """Public repository of the content."""
    trusted_proxies: list[Network] = Field(default_factory=list, max_length=200)
    """Addresses or networks that are believed when they name the client in ``forwarded_field``."""
    forwarded_field: ForwardedField = "X-Forwarded-For"
    """The one field in which the trusted proxies name the client; every other one is ignored."""
    page_size: Annotated[int, Field(ge=5, le=200)] = 50
    """Cards a page of a collection list."""
    limits: Limits = Limits()
    robots: Robots = Robots()
    deprecations: list[Deprecation] = Field(default_factory=list, max_length=200)
    security: Security | None = None
    mcp: Mcp = Mcp()
    telemetry: Telemetry = Telemetry()
    payments: Payments | None = None
    """Paid compute; nothing is sold without it."""

    def announced(self, moment: datetime) -> "Site":
        """The site as of a moment: a deprecation that began and does not say when it was announced was announced as it began."""
        rows = [row if row.announced_on or row.deprecated_on > moment else _announced(row) for row in self.deprecations]
        return self.model_copy(update={"deprecations": rows})

    def url(self, path: str) -> str:
        """The public URL of a path."""
        base = self.base_url
        return (base[:-1] if base[-1] == "/" else base) + path
