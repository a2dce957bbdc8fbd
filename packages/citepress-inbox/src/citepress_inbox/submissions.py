"""What may be submitted: three typed bodies, their normal form, and the ids that submissions get."""

import base64
import hashlib
import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias

from pydantic import AfterValidator, Field, GetJsonSchemaHandler, StringConstraints, ValidationInfo, field_validator
from pydantic_core import CoreSchema

from citepress.base.canonical import canonical_bytes, plain
from citepress.base.invisible import HIDDEN
from citepress.base.public_urls import refuse_private
from citepress.base.timestamps import rfc3339
from citepress.base.urls import URL_LENGTH, normalise, own_path
from citepress.contract.model import Model, Moment
from citepress.contract.web_address import address_of, without

SKEW = timedelta(minutes=5)
"""How far a client's clock may be ahead of the server's."""
ID_BYTES = 20
ID_PATTERN = r"[a-z2-7]{32}"
"""The id of a submission: 160 random bits in base 32."""
RECORD_NAMES = ("related_record", "record_url")
"""Members that name a record; both mean the record's id."""
URL_NAMES = ("url", "evidence_urls", "record_url")


def _clean(text: str) -> str:
    """The text, unless it contains characters that could hide or reorder words on a reviewer's screen."""
    return without(HIDDEN, text)


def _line(text: str) -> str:
    if any(mark in text for mark in "\n\r\t\u2028\u2029"):
        raise ValueError("must be one line of text")
    return _clean(text)


def _public_https(url: str) -> str:
    if not url.lower().startswith("https://"):
        raise ValueError("must be an https URL")
    address = address_of(url)
    refuse_private(address)
    return address


def _text(least: int, most: int) -> Any:  # noqa: ANN401  (an annotation)
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


PublicHttps = Annotated[
    str,
    _text(1, URL_LENGTH),
    AfterValidator(_public_https),
    Field(json_schema_extra={"format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]://"}),
]
"""An https address of a public host."""
RecordName = Annotated[str, _text(1, 300), AfterValidator(_line)]


class Agent(Model):
    """Who submits, as it wants to be credited."""

    name: Annotated[str, _text(1, 120), AfterValidator(_line)]
    """The agent's name; it is published only in the credit of an accepted submission."""


class SubmissionContext(NamedTuple):
    """What validation needs from the archive, so that one response lists errors of form and of content."""

    check_record: Callable[[str], None]
    """Raises ``PydanticCustomError`` if a name or an address does not identify a record."""
    moment: datetime
    """Now."""


class SubmissionBody(Model):
    """Common base of the three bodies: checks against the archive if validation has a ``SubmissionContext``."""

    @field_validator("*")
    @classmethod
    def _not_ahead(cls, value: object, info: ValidationInfo) -> object:
        context = info.context
        if isinstance(context, SubmissionContext) and isinstance(value, datetime) and value > context.moment + SKEW:
            raise ValueError(f"is in the future: it is now {rfc3339(context.moment)}; dates are in UTC")
        return value

    @field_validator(*RECORD_NAMES, check_fields=False)
    @classmethod
    def _names_a_record(cls, name: str | None, info: ValidationInfo) -> str | None:
        if isinstance(info.context, SubmissionContext) and name is not None:
            info.context.check_record(name)
        return name


class SourceSubmission(SubmissionBody):
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


class CorrectionSubmission(SubmissionBody):
    """An error in a record, with evidence."""

    kind: ClassVar[str] = "correction"

    related_record: RecordName
    """The erroneous record, as <collection>/<slug>."""
    claim: Annotated[str, _text(1, 1000), AfterValidator(_clean)] | None = None
    """The claim as published."""
    correction: Annotated[str, _text(10, 2000), AfterValidator(_clean)]
    """What is right."""
    evidence_urls: list[PublicHttps] = Field(min_length=1, max_length=10)
    """https URLs that support it."""
    agent: Agent | None = None
    """Who submits."""


class UsageReceipt(SubmissionBody):
    """How a record was used."""

    kind: ClassVar[str] = "usage_receipt"

    related_record: RecordName | None = None
    """The record that was used, as <collection>/<slug>; this or record_url is required."""
    record_url: (
        Annotated[str, _text(1, URL_LENGTH), AfterValidator(address_of), Field(json_schema_extra={"format": "uri"})]
        | None
    ) = Field(default=None, validate_default=True)
    """The URL of the record that was used."""
    use: Annotated[str, _text(3, 1000), AfterValidator(_clean)]
    """What it was used for."""
    used_at: Moment | None = None
    """When it was used."""
    outcome: Annotated[str, _text(1, 1000), AfterValidator(_clean)] | None = None
    """The outcome of the use."""
    agent: Agent | None = None
    """Who submits."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """One of the two names is required; said by a condition, because client generators misread alternatives."""
        schema = handler.resolve_ref_schema(handler(core))
        record, url = ({"properties": {name: {}}, "required": [name]} for name in ("related_record", "record_url"))
        schema |= {"if": {"not": record}, "then": url}
        return schema

    @field_validator("record_url")
    @classmethod
    def _one_of_both(cls, url: str | None, info: ValidationInfo) -> str | None:
        if url is None and "related_record" in info.data and info.data["related_record"] is None:
            raise ValueError("or related_record is required")
        return url


Submission: TypeAlias = SourceSubmission | CorrectionSubmission | UsageReceipt
BODIES: Mapping[str, type[Submission]] = {
    body.kind: body for body in (SourceSubmission, CorrectionSubmission, UsageReceipt)
}
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


def named_record(submission: Submission, base_url: str) -> tuple[str, str] | None:
    """The member that names a record and the record id it means, or ``None`` if no record is named.

    ``/posts/x/``, ``posts/x.json`` and the record's own address mean ``posts/x``. The id may be unknown to the
    archive; an address of another site is returned as it is, which is never the id of a record.
    """
    if submission.related_record is not None:
        return "related_record", record_id(submission.related_record, base_url)
    if isinstance(submission, UsageReceipt) and submission.record_url is not None:
        return "record_url", record_id(submission.record_url, base_url)
    return None


def record_id(name: str, base_url: str) -> str:
    """The id that a name or an address of a record means; an address of another site is returned as it is."""
    path = own_path(name, base_url) if "://" in name else re.split(r"[?#]", name)[0]
    return name if path is None else path.strip("/").removesuffix(".json").removesuffix(".md")


def prepare(submission: Submission, record: str = "") -> New:
    """The submission with a new id; ``record`` is the id of the record it concerns, which must exist."""
    body: Mapping[str, Any] = plain_members(submission)
    return New(new_id(), submission.kind, record, body, repeat_key(submission, record))


def plain_members(submission: Submission) -> dict[str, Any]:
    """The members of a submission that were given, JSON-ready."""
    members: dict[str, Any] = plain(submission)
    return {name: value for name, value in members.items() if value is not None}


def new_id() -> str:
    """A random id that cannot be guessed."""
    return base64.b32encode(secrets.token_bytes(ID_BYTES)).decode("ascii").lower()


def repeat_key(submission: Submission, record: str) -> bytes:
    """The key that equal submissions share: a hash of their kind, target and normalised body.

    URLs are normalised as in the source ledger, texts are compared word by word and lists of URLs as sets.
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
