"""What a publisher sets in ``site.toml``: the part that public documents read."""

from datetime import datetime
from ipaddress import ip_network
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, TypeVar, cast
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, Field

from citepress.base.urls import normalise
from citepress.contract.citation import Imprint
from citepress.contract.declarations import Declarations
from citepress.contract.front_page import FrontPage
from citepress.contract.linking import Mentions, OtherPath
from citepress.contract.model import Model, Moment, OneLine, Text
from citepress.contract.record import Author
from citepress.contract.refs import PageMark
from citepress.contract.settings_table import extended, implied

Signal = Literal["yes", "no"]
NAME_PROXIES = "name the addresses of your proxies only"
MIN_PROXY_PREFIX_BITS = {4: 8, 6: 16}
"""The shortest prefix of a network of proxies, by IP version."""
OWNER_PAGE = "/owner-profile/"
"""Path of the owner's profile."""
CONNECTIONS = 10_000
"""Connections that one worker process keeps open."""
CacheKeyField = Literal["Surrogate-Key", "Cache-Tag", "Cache-Groups"]
"""Header fields in which caches read the keys of an answer."""
ForwardedField = Literal["X-Forwarded-For", "Forwarded"]
"""The header fields in which proxies forward the client's address."""


def _network(text: str) -> str:
    """An address or a network. Raises ``ValueError``."""
    try:
        ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"{text!r} is neither an address nor a network: write 10.0.0.5 or 10.0.0.0/24") from None
    return text


def is_wide(network: str) -> bool:
    """Whether a network is too large to hold proxies alone."""
    parsed = ip_network(network, strict=False)
    return parsed.prefixlen < MIN_PROXY_PREFIX_BITS[parsed.version]


def _one_line(text: str) -> str:
    """The words of a text, which line breaks would make lines of ``llms.txt``."""
    return " ".join(text.split())


Network = Annotated[OneLine, AfterValidator(_network)]
"""An IP address or a network."""


class Limits(Model):
    """What one client may ask for, as public documents state it."""

    rest: Annotated[int, Field(ge=1, le=1_000_000)] = 120
    """JSON requests a minute."""
    search: Annotated[int, Field(ge=1, le=1_000_000)] = 60
    """Searches a minute on `/search/` as HTML or Markdown; as JSON they count as JSON requests."""


class ServerLimits(Model):
    """What one server process may hold."""

    connections: Annotated[int, Field(ge=10, le=1_000_000)] = CONNECTIONS
    """Connections that one worker process keeps open."""
    cache_mb: Annotated[int, Field(ge=8, le=1_000_000)] = 64
    """Megabytes of encoded bodies that one worker process keeps ready to send."""


class SiteLimits(ServerLimits, Limits):
    """``[limits]`` of ``site.toml``."""


class Robots(Model):
    """The words of ``robots.txt``."""

    disallow: list[Annotated[str, Field(pattern=r"^/", examples=["/private/"])]] = Field(
        default_factory=list, max_length=500
    )
    """Path prefixes that no crawler should fetch."""
    blocked: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", examples=["ExampleBot"])]] = Field(
        default_factory=list, max_length=500
    )
    """User agents to keep away."""
    search: Signal = "yes"
    """Content signal: index for search."""
    ai_input: Signal = "yes"
    """Content signal: read into an answer."""
    ai_train: Signal = "no"
    """Content signal: train a model."""


class KindLabels(Model):
    """What a kind of record is called on pages and in guides, in place of its own words."""

    label: OneLine | None = None
    """Many records, such as Essays."""
    singular: OneLine | None = None
    """One record, such as Essay; by default derived from ``label``."""


class Deprecation(Model):
    """A path on its way out; no row means that nothing is deprecated."""

    path: Annotated[str, Field(pattern=r"^/", examples=["/old/path/"])]
    """Path or template, as ``citepress routes`` prints it."""
    deprecated_on: Moment
    """First day of the field ``Deprecation`` (RFC 9745)."""
    announced_on: Moment | None = None
    """Day of the entry in ``/changes.xml``; by default ``deprecated_on``."""
    sunset_on: Moment | None = None
    """Day of the removal (RFC 8594)."""
    link: Annotated[OneLine, PageMark()] | None = None
    """Where the replacement is described."""
    reason: Text
    """Why it goes."""
    urgent: Text | None = None
    """Why the window is shorter than 90 days; required if it is."""


def _announced(row: Deprecation) -> Deprecation:
    return row.model_copy(update={"announced_on": row.deprecated_on})


class Security(Model):
    """``/.well-known/security.txt`` (RFC 9116); left out without a contact."""

    contact: OneLine
    """``mailto:`` or ``https:`` address."""
    expires: Moment
    """Last day of the file's validity."""
    policy: Annotated[OneLine, PageMark()] | None = None
    """URL of the disclosure policy."""


class StaticExport(Model):
    """What ``citepress build`` writes."""

    search: bool = True
    """Search in the browser, with a script and an index of words."""


def normal_base_url(url: str) -> str:
    """A public address as every reader expects it: without a trailing slash. Raises ``ValueError``."""
    try:
        parts = urlsplit(url)
        normalise(url)
    except ValueError:
        raise ValueError(f"{url!r} has no valid host and port: write https://example.org or add a port") from None
    if "@" in parts.netloc:
        raise ValueError("holds a user name or a password, which every reader would see: write https://example.org")
    if "?" in url or "#" in url:
        raise ValueError("holds a query or a fragment, which no address below it can have: write https://example.org")
    path = unquote(parts.path).strip("/")
    if path and {".", "..", ""} & set(path.split("/")):
        raise ValueError("has a path with dots or empty parts: write it as browsers show it")
    return url.rstrip("/")


ThemeName = Literal["paper", "plain"]
"""A theme of the package: ``paper`` is a serif on warm white, ``plain`` a sans-serif on white."""


class ThemeChoice(Model):
    """How pages look (``[theme]``)."""

    name: ThemeName = "paper"
    """``paper`` is a serif on warm white, ``plain`` a sans-serif on white; both have a dark side."""


class CorePublication(Model):
    """The publication as its publisher describes it: every member may appear in a public document."""

    title: Annotated[OneLine, AfterValidator(_one_line)] = "Untitled archive"
    """Name of the publication."""
    description: Annotated[str, Field(max_length=300), AfterValidator(_one_line)] = ""
    """One sentence about it."""
    base_url: Annotated[
        str,
        Field(pattern=r"^https?://[^\s]+$", max_length=300, examples=["https://example.org"]),
        AfterValidator(normal_base_url),
    ] = "http://127.0.0.1:8000"
    """Public address, without a slash at the end."""
    feed_ids_from: (
        Annotated[
            str,
            Field(pattern=r"^https?://[^\s]+$", max_length=300, examples=["https://old.example"]),
            AfterValidator(normal_base_url),
        ]
        | None
    ) = None
    """Former public address: ids of feed entries keep it, so that readers show no entry twice."""
    owner: OneLine | None = None
    """Who publishes."""
    language: Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", examples=["en", "pt-BR"])] = "en"
    """BCP 47 language tag."""
    license: OneLine = "all rights reserved"
    """SPDX id or URL of the licence of records."""
    authors: list[Author] = Field(default_factory=list, max_length=20)
    """Authors of records and datasets that name none."""
    me: list[
        Annotated[str, Field(pattern=r"^https?://[^\s]+$", max_length=500, examples=["https://social.example/@me"])]
    ] = Field(default_factory=list, max_length=20)
    """Profiles elsewhere, linked with ``rel="me"`` like the links of `content/owner.md`."""
    hub: Annotated[str, Field(pattern=r"^https?://", examples=["https://hub.example.org/"])] | None = None
    """WebSub hub of the feeds."""
    indexnow_key: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{8,128}$", examples=["0f1e2d3c4b5a6978"])] | None = None
    """Key for IndexNow, made up by you and served at `/indexnow.txt`: 8 to 128 letters, digits and hyphens."""
    repository: Annotated[str, Field(pattern=r"^https://", examples=["https://code.example.org/archive"])] | None = None
    """Public repository of the content."""
    page_size: Annotated[int, Field(ge=5, le=200)] = 50
    """Cards a page of a list; the first page has up to twice as many."""
    cache_keys: list[CacheKeyField] | None = Field(default=None, max_length=3)
    """Header fields with the keys by which caches are purged; by default that of the cache of `[purge]`."""
    limits: Limits = Limits()
    elsewhere: list[OtherPath] = Field(default_factory=list, max_length=1000)
    """Beginnings of paths that another service answers, such as ``/tools/``: links to them are no fault."""
    kinds: dict[Annotated[str, Field(pattern=r"^[a-z0-9-]+$", examples=["posts"])], KindLabels] = Field(
        default_factory=dict, max_length=100
    )
    """Labels of kinds by their names."""
    home: FrontPage = FrontPage()
    theme: ThemeChoice = ThemeChoice()
    mentions: Mentions = Mentions()
    robots: Robots = Robots()
    declarations: Declarations = Declarations()
    deprecations: list[Deprecation] = Field(default_factory=list, max_length=200)
    security: Security | None = None
    export: StaticExport = StaticExport()
    keep_revisions: bool = False
    """Keep revisions of withdrawn records readable; ``gone`` of a record overrides it."""

    def url(self, path: str) -> str:
        """The public URL of a path."""
        return self.base_url + path

    def entry_id(self, url: str) -> str:
        """The id of a feed entry with this URL."""
        if not self.feed_ids_from or not url.startswith(f"{self.base_url}/"):
            return url
        return self.feed_ids_from + url.removeprefix(self.base_url)

    def publisher(self, owner: str) -> Imprint:
        """Who stands behind every citation; ``owner`` is the name on the owner's profile."""
        return Imprint(self.title, owner, self.language, self.url(OWNER_PAGE))


class CoreDeployment(Model):
    """How an installation serves the publication: who is believed, what is counted, how much it may use.

    It never enters an edition. Documents may show parts of it.
    """

    trusted_proxies: list[Network] = Field(default_factory=list, max_length=200)
    """Addresses or networks that may name the client in ``forwarded_field``."""
    forwarded_field: ForwardedField = "X-Forwarded-For"
    """The only field in which they name it."""
    limits: ServerLimits = ServerLimits()


if TYPE_CHECKING:  # what extensions add is not known to the type checker, which `table` makes up for
    Publication: TypeAlias = CorePublication
    Deployment: TypeAlias = CoreDeployment
else:
    Publication, Deployment = extended(CorePublication, "published"), extended(CoreDeployment, "private")


class CoreSite(Deployment, Publication):  # type: ignore[misc]  # the plugin's constructors of the two halves differ
    """What ``site.toml`` sets: both halves, whose tables of one name are one table there."""

    limits: SiteLimits = SiteLimits()

    def announced(self, moment: datetime) -> Self:
        """The site as of a moment: a deprecation without a date of announcement was announced when it began."""
        rows = [row if row.announced_on or row.deprecated_on > moment else _announced(row) for row in self.deprecations]
        return self.model_copy(update={"deprecations": rows})

    @property
    def publication(self) -> Publication:
        """The half that documents may show."""
        part = _part(Publication, self)
        return part.model_copy(update=implied(self, unset=part))

    @property
    def deployment(self) -> Deployment:
        """The half that only the service reads."""
        return _part(Deployment, self)


if TYPE_CHECKING:
    Site: TypeAlias = CoreSite
else:
    Site = extended(CoreSite, "published", "private")


_Part = TypeVar("_Part", bound=Model)


def _part(model: type[_Part], whole: Model) -> _Part:
    """The members that a model declares, out of a model that extends it; their tables likewise."""
    members: dict[str, Any] = {}
    for name, member in model.model_fields.items():
        value = getattr(whole, name)
        table = member.annotation
        members[name] = _part(table, value) if isinstance(table, type) and issubclass(table, Model) else value
    return cast("_Part", model.model_construct(**members))
