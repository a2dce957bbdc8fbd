"""Presence: where the archive was published, listed and cited, each entry with its evidence (five shapes)."""

from collections.abc import Iterable
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field

from citepress.base.ids import ULID
from citepress.contract.kind import Registry
from citepress.contract.model import AnyMoment, Model, Moment, OneLine, Text
from citepress.contract.record import Word
from citepress.contract.refs import Location

Id = Annotated[str, Field(pattern=f"^{ULID.pattern}$")]
Address = Annotated[str, Field(min_length=1, max_length=2048)]
"""A URL, or a path of the archive itself."""
PresenceSubject = Annotated[str, Field(min_length=1, max_length=512)]
Assurance = Literal["self_reported", "observed", "verified"]


class Capture(Model):
    """Something that was seen and kept."""

    url: Address
    """Where it was seen."""
    captured_at: Moment
    """When it was seen."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Digest of what was kept."""


class Surface(Model):
    """A place where machines or people may meet the archive."""

    name: OneLine
    """What it is called."""
    kind: Literal["feed", "directory", "registry", "search", "answer_engine", "social", "repository"]
    """What type of place it is."""
    url: Address
    """Its address."""


class PresenceEvent(Model):
    """Something that happened to a page of the archive elsewhere."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    id: Id
    """ULID."""
    type: Annotated[
        Literal["published", "updated", "syndicated", "listed", "mentioned", "cited", "delisted"],
        Field(validation_alias="event"),
    ]
    """What happened; its author writes ``event``, for ``type`` names the shape of the file."""
    occurred_at: Moment
    """When it happened."""
    observed_at: Moment
    """When it was seen."""
    subject: PresenceSubject
    """The record or page, as in ``posts/x``."""
    surface: Surface
    """Where it happened."""
    assurance: Assurance
    """How it is known."""
    evidence: list[Capture] = Field(default_factory=list, max_length=50)
    """What was kept of it."""


class PacketCitation(Model):
    """A source of a packet."""

    url: Address
    """Its address."""
    title: OneLine
    """Its title."""


class Representation(Model):
    """A form in which the subject can be fetched."""

    type: Word
    """Media type."""
    url: Address
    """Its address."""
    digest: Annotated[str, Field(pattern=r"^[a-z0-9-]+=:[A-Za-z0-9+/=]+:$", max_length=200)]
    """Digest as ``Repr-Digest`` writes it (RFC 9530)."""


class AttentionPacket(Model):
    """A short, self-contained notice of a record for others to carry."""

    id: Id
    """ULID."""
    subject: PresenceSubject
    """The record or page."""
    headline: OneLine
    """Its headline."""
    abstract: Text
    """The statement."""
    key_points: list[Text] = Field(default_factory=list, max_length=20)
    """Its main points."""
    citations: list[PacketCitation] = Field(default_factory=list, max_length=50)
    """What it is based on."""
    representations: list[Representation] = Field(default_factory=list, max_length=20)
    """Where to fetch it."""
    license: OneLine
    """SPDX id or URL."""
    valid_until: AnyMoment | None = None
    """When it goes out of date."""


class SyndicationReceipt(Model):
    """The answer of a place that a packet was handed to."""

    id: Id
    """ULID."""
    packet_id: Id
    """The packet."""
    target: OneLine
    """The place."""
    protocol: Literal["websub", "webmention", "indexnow", "activitypub", "registry", "manual"]
    """How it was handed over."""
    submitted_at: Moment
    """When it was handed over."""
    status: Literal["submitted", "accepted", "verified", "rejected", "expired"]
    """What became of it."""
    http_status: Annotated[int, Field(ge=100, le=599)] | None = None
    """Status of the answer."""
    remote_url: Address | None = None
    """Where it can be seen."""
    verified_at: Moment | None = None
    """When it was seen there."""
    assurance: Assurance
    """How it is known."""
    evidence: list[Capture] = Field(default_factory=list, max_length=50)
    """What was kept of it."""


class Verification(Model):
    """How an asset was checked."""

    method: OneLine
    """The way of checking."""
    status: Literal["verified", "stale", "failed"]
    """How it came out."""


class AuthorityAsset(Model):
    """Something stable that others can point at."""

    id: Id
    """ULID."""
    kind: Literal["dataset", "schema", "api_catalog", "profile", "registry_entry", "doi"]
    """What it is."""
    url: Address
    """Its address."""
    version: Annotated[str, Field(max_length=80)] = ""
    """Its version."""
    identifiers: list[OneLine] = Field(default_factory=list, max_length=50)
    """Further identifiers."""
    first_published: Moment
    """When it first appeared."""
    last_verified_at: Moment | None = None
    """When it was last checked."""
    verification: Verification
    """How it was checked."""
    evidence: list[Capture] = Field(default_factory=list, max_length=50)
    """What was kept of it."""


class SignalWindow(Model):
    """The span that a count covers."""

    start: Moment
    """Its first moment."""
    end: Moment
    """The moment after it."""


class ReturnSignal(Model):
    """What came back from elsewhere."""

    id: Id
    """ULID."""
    kind: Literal["referral", "backlink", "citation", "webmention", "usage_receipt", "subscription", "settlement"]
    """What came back."""
    subject: PresenceSubject
    """The record or page."""
    source_host: Annotated[str, Field(max_length=253)]
    """The host that it came from."""
    window: SignalWindow
    """The span that the count covers."""
    count: Annotated[int, Field(ge=0)]
    """How many."""
    assurance: Assurance
    """How it is known."""
    attributed_to: list[Id] = Field(default_factory=list, max_length=50)
    """Presence events that it is put down to."""
    evidence: list[Capture] = Field(default_factory=list, max_length=50)
    """What was kept of it."""


PresenceEntry: TypeAlias = PresenceEvent | AttentionPacket | SyndicationReceipt | AuthorityAsset | ReturnSignal


def _check(entry: PresenceEntry) -> Iterable[tuple[Location, str]]:
    if isinstance(entry, PresenceEvent | SyndicationReceipt | ReturnSignal):
        assured = entry.assurance != "self_reported"
        if assured and not entry.evidence:
            message = f"{entry.assurance!r} needs evidence: at least one entry of url, captured_at and sha256"
            yield ("assurance",), message
    if isinstance(entry, SyndicationReceipt) and entry.status == "verified" and entry.verified_at is None:
        yield ("verified_at",), "is missing, but status is verified"
    if isinstance(entry, AuthorityAsset) and entry.verification.status == "verified":
        if entry.last_verified_at is None:
            yield ("last_verified_at",), "is missing, but the verification is verified"
        if not entry.evidence:
            yield ("evidence",), "a verified asset needs evidence: at least one entry of url, captured_at and sha256"
    if isinstance(entry, ReturnSignal) and entry.window.end < entry.window.start:
        yield ("window", "end"), "is before the start"


MODELS: tuple[type[PresenceEntry], ...] = (
    PresenceEvent,
    AttentionPacket,
    SyndicationReceipt,
    AuthorityAsset,
    ReturnSignal,
)
REGISTRY: Registry[PresenceEntry] = Registry(
    name="presence",
    plural="Presence",
    about="Where the archive was published, listed and cited, each entry with its evidence.",
    page="/presence/",
    models={model.__name__: model for model in MODELS},
    check=_check,
    in_footer=True,
)
