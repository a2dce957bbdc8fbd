"""What may be submitted: three typed bodies, their normal form, and the ids that submissions get."""

import base64
import hashlib
import re
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo, field_validator

from citepress.base.canonical import canonical_bytes, plain
from citepress.base.public_urls import refuse_private
from citepress.base.urls import URL_LENGTH, UrlError, normalise, own_path
from citepress.contract.limits import Limit
from citepress.contract.model import Model, Moment

DAY = 86_400
"""Seconds in which a repeat returns the earlier submission, and in which a client's submissions are counted."""
BODY_BYTES = 8192
"""The most bytes of a submission's body (specification, "Limits")."""
ID_BYTES = 20
ID_PATTERN = r"[a-z2-7]{32}"
"""The id of a submission: 160 random bits in base 32."""
RECORD_NAMES = ("related_record", "record_url")
"""Members that name a record; the record's id stands for both."""
URL_NAMES = ("url", "evidence_urls", "record_url")
_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\U000e0000-\U000e007f]")
"""Characters that a reviewer's terminal or a page could be deceived with."""


def limit(quota: int) -> Limit:
    """The limit on submissions of one client."""
    return Limit("inbox", quota, DAY)


def _clean(text: str) -> str:
    if found := _UNWANTED.search(text):
        raise ValueError(f"holds the control character U+{ord(found[0]):04X}")
    return text


def _line(text: str) -> str:
    if any(mark in text for mark in "\n\r\t\u2028\u2029"):
        raise ValueError("must be one line of text")
    return _clean(text)


def _public_https(url: str) -> str:
    if not url.lower().startswith("https://"):
        raise ValueError("must be an https URL")
    address = _address(url)
    refuse_private(address)
    return address


def _web(url: str) -> str:
    if not url.lower().startswith(("https://", "http://")):
        raise ValueError("must be an https URL")
    return _address(url)


def _address(url: str) -> str:
    try:
        normalise(url)
    except UrlError as error:
        raise ValueError(f"is no URL: {error}") from None
    if "@" in urlsplit(url).netloc:
        raise ValueError("must not carry a user name or password")
    return _clean(url)


def _text(least: int, most: int) -> Any:  # noqa: ANN401  (an annotation)
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


PublicHttps = Annotated[
    str,
    _text(1, URL_LENGTH),
    AfterValidator(_public_https),
    Field(json_schema_extra={"format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]://"}),
]
"""An https address of a public host."""
Web = Annotated[
    str, _text(1, URL_LENGTH), AfterValidator(_web), Field(json_schema_extra={"format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://"})
]
"""An http or https address."""
RecordName = Annotated[str, _text(1, 300), AfterValidator(_line)]


class Agent(Model):
    """Who submits, as it wants to be credited."""

    name: Annotated[str, _text(1, 120), AfterValidator(_line)]
    """The agent's name; it stands in the credit of an accepted submission and nowhere else."""


class SourceSubmission(Model):
    """A source that a record should cite."""

    kind: ClassVar[str] = "source"

    url: PublicHttps
    """The https address of the source."""
    related_record: RecordName | None = None
    """The record that should cite it, as <collection>/<slug>."""
    reason: Annotated[str, _text(10, 2000), AfterValidator(_clean)]
    """What the source shows, and why the archive should cite it."""
    agent: Agent | None = None
    """Who submits."""


class CorrectionSubmission(Model):
    """An error in a record, with evidence."""

    kind: ClassVar[str] = "correction"

    related_record: RecordName
    """The record that errs, as <collection>/<slug>."""
    claim: Annotated[str, _text(1, 1000), AfterValidator(_clean)] | None = None
    """The claim as it stands."""
    correction: Annotated[str, _text(10, 2000), AfterValidator(_clean)]
    """What is right."""
    evidence_urls: list[PublicHttps] = Field(min_length=1, max_length=10)
    """https addresses that show it."""
    agent: Agent | None = None
    """Who submits."""


class UsageReceipt(Model):
    """How a record was used."""

    kind: ClassVar[str] = "usage_receipt"

    related_record: RecordName | None = None
    """The record that was used, as <collection>/<slug>; this or record_url is needed."""
    record_url: Annotated[str, _text(1, URL_LENGTH), AfterValidator(_address), Field(json_schema_extra={"format": "uri"})] | None = Field(
        default=None, validate_default=True
    )
    """The address of the record that was used."""
    use: Annotated[str, _text(3, 1000), AfterValidator(_clean)]
    """What it was used for."""
    used_at: Moment | None = None
    """When it was used."""
    outcome: Annotated[str, _text(1, 1000), AfterValidator(_clean)] | None = None
    """What came of it."""
    agent: Agent | None = None
    """Who submits."""

    @field_validator("record_url")
    @classmethod
    def _one_of_both(cls, url: str | None, info: ValidationInfo) -> str | None:
        if url is None and "related_record" in info.data and info.data["related_record"] is None:
            raise ValueError("or related_record is required")
        return url


Submission: TypeAlias = SourceSubmission | CorrectionSubmission | UsageReceipt
BODIES: Mapping[str, type[Submission]] = {body.kind: body for body in (SourceSubmission, CorrectionSubmission, UsageReceipt)}
"""The body of each kind of submission."""


@dataclass(frozen=True, slots=True)
class New:
    """A submission on its way into the store."""

    id: str
    kind: str
    record: str
    """Id of the record it concerns, or empty."""
    body: Mapping[str, Any]
    """The members that were given, JSON-ready."""
    key: bytes
    """Thirty-two bytes that a repeat shares: BLAKE2b over kind, target and normalised body."""


def named(submission: Submission, base_url: str) -> tuple[str, str] | None:
    """The member that names a record and the record id it means, or ``None`` where no record is named.

    ``/posts/x/``, ``posts/x.json`` and the record's own address mean ``posts/x``. The id may be unknown to the
    archive; an address elsewhere gives the address itself, which no record has.
    """
    if submission.related_record is not None:
        return "related_record", _record_id(submission.related_record, base_url)
    if isinstance(submission, UsageReceipt) and submission.record_url is not None:
        return "record_url", _record_id(submission.record_url, base_url)
    return None


def _record_id(name: str, base_url: str) -> str:
    path = own_path(name, base_url) if "://" in name else re.split(r"[?#]", name)[0]
    return name if path is None else path.strip("/").removesuffix(".json").removesuffix(".md")


def prepare(submission: Submission, record: str = "") -> New:
    """The submission with an id of its own; ``record`` is the id of the record it concerns, already found to exist."""
    body: Mapping[str, Any] = plain_members(submission)
    return New(new_id(), submission.kind, record, body, repeat_key(submission, record))


def plain_members(submission: Submission) -> dict[str, Any]:
    """The members of a submission that were given, JSON-ready."""
    members: dict[str, Any] = plain(submission)
    return {name: value for name, value in members.items() if value is not None}


def new_id() -> str:
    """An id that nobody can guess."""
    return base64.b32encode(secrets.token_bytes(ID_BYTES)).decode("ascii").lower()


def repeat_key(submission: Submission, record: str) -> bytes:
    """What two submissions share that say the same: their kind, target and normalised body.

    URLs are compared as the source ledger compares them, texts by their words, lists of URLs as sets.
    """
    members = plain_members(submission)
    body = {name: _normal(name, value) for name, value in members.items() if not (record and name in RECORD_NAMES)}
    return hashlib.blake2b(canonical_bytes([submission.kind, record, body]), digest_size=32).digest()


def _normal(name: str, value: Any) -> Any:  # noqa: ANN401  (JSON is any shape)
    if isinstance(value, dict):
        return {inner: _normal(inner, member) for inner, member in value.items()}
    if isinstance(value, list):
        return sorted({_normal(name, item) for item in value})
    if name in URL_NAMES:
        return normalise(value)
    return " ".join(unicodedata.normalize("NFC", value).split())
