"""The problem types of RFC 9457 that the service answers with; ``/developers/`` documents each."""

from dataclasses import dataclass
from typing import Any

from citepress.contract.model import Model


@dataclass(frozen=True, slots=True)
class ProblemType:
    """One type of problem: its anchor at ``/developers/#problem-<slug>``, its title and status."""

    slug: str
    status: int
    title: str
    about: str


BAD_PATH = ProblemType(
    "bad-path",
    400,
    "The path cannot be read",
    "The path holds a NUL, a control character or a malformed percent-escape.",
)
BAD_QUERY = ProblemType("bad-query", 400, "A query parameter is wrong", "Every wrong parameter is named in `errors`.")
BAD_HEADER = ProblemType("bad-header", 400, "A header field cannot be read", "`detail` names the field and its form.")
BAD_JSON = ProblemType("bad-json", 400, "The body is not JSON", "The body must be one JSON object in UTF-8.")
PAYMENT_REQUIRED = ProblemType(
    "payment-required", 402, "Payment is required", "The terms are in the PAYMENT-REQUIRED header."
)
NOT_FOUND = ProblemType(
    "not-found",
    404,
    "Nothing is published here",
    "No route or record has this path; `nearest`, if present, lists similar paths.",
)
METHOD = ProblemType(
    "method-not-allowed", 405, "The method is not allowed here", "`Allow` lists the methods of the path."
)
NOT_ACCEPTABLE = ProblemType(
    "not-acceptable", 406, "No representation fits the Accept field", "`available` lists every form with its address."
)
TIMEOUT = ProblemType("timeout", 408, "The request took too long", "The body did not arrive in time.")
GONE = ProblemType(
    "gone",
    410,
    "The record was withdrawn",
    "It was published once and taken back; the reason is given where there is one.",
)
PRECONDITION = ProblemType(
    "precondition-failed",
    412,
    "The precondition does not hold",
    "`If-Match` or `If-Unmodified-Since` names another version.",
)
TOO_LARGE = ProblemType("too-large", 413, "The body is too large", "`limit_bytes` is the limit.")
URI_TOO_LONG = ProblemType("uri-too-long", 414, "The URI is too long", "A request target may hold 8,192 bytes.")
MEDIA_TYPE = ProblemType(
    "unsupported-media-type", 415, "The body's type is not supported", "`Accept` lists the types that are."
)
INVALID = ProblemType(
    "invalid", 422, "The body does not fit its schema", "Every fault is listed in `errors` with its JSON pointer."
)
INSUFFICIENT = ProblemType(
    "insufficient-evidence",
    422,
    "There is too little evidence to sell a result",
    "The body is well formed; nothing was charged. `detail` explains what is missing, `evidence_found` and"
    " `minimum` how much.",
)
RATE_LIMITED = ProblemType("rate-limited", 429, "Too many requests", "`Retry-After` is the number of seconds to wait.")
HEADERS_TOO_LARGE = ProblemType(
    "headers-too-large", 431, "The header fields are too large", "There may be 100 header fields, of 32 KiB together."
)
INTERNAL = ProblemType("internal", 500, "The service failed", "The fault is ours and has been logged; try again later.")
UNAVAILABLE = ProblemType(
    "unavailable", 503, "The service is not ready", "`Retry-After` is the number of seconds to wait."
)

# Derived, so that no type above can be missing from the documents.
ALL = tuple(each for each in tuple(globals().values()) if isinstance(each, ProblemType))


class ProblemError(Model):
    """One fault of a request."""

    detail: str
    """What is wrong, in a sentence."""
    pointer: str | None = None
    """JSON Pointer of the wrong member of the body."""
    parameter: str | None = None
    """Name of the wrong query parameter."""


class NearPage(Model):
    """A published page with an address similar to the requested path."""

    href: str
    """Its address."""
    title: str
    """Its title."""


class AvailableForm(Model):
    """A form in which the resource can be had."""

    href: str
    """Its address."""
    type: str
    """Its media type."""


class Problem(Model):
    """What went wrong with a request (RFC 9457)."""

    type: str
    """URI of the problem type, documented at /developers/."""
    title: str
    """The problem type in words."""
    status: int
    """The HTTP status."""
    detail: str
    """What went wrong this time."""
    instance: str | None = None
    """The request path, percent-encoded."""
    errors: list[ProblemError] | None = None
    """Every fault of the request."""
    available: list[AvailableForm] | None = None
    """Forms that can be had, on a 406."""
    nearest: list[NearPage] | None = None
    """Pages close to a path where nothing is published."""
    successor: NearPage | None = None
    """The replacement of a withdrawn record, on a 410."""
    history: NearPage | None = None
    """The revisions of a withdrawn record, on a 410, where they can still be read."""
    limit_bytes: int | None = None
    """The limit that a body was over."""
    code: str | None = None
    """What is wrong with a paid request, as one word."""
    settled: bool | None = None
    """Whether money moved for this request: false where that is certain."""
    evidence_found: int | None = None
    """How much evidence a result would have."""
    minimum: int | None = None
    """How much of it a result needs."""
    payment_required: dict[str, Any] | None = None
    """The object in the PAYMENT-REQUIRED header, on a 402; the header is authoritative."""
    notes: list[str] | None = None
    """What a buyer should know before paying for exactly this body."""
    x402Version: int | None = None  # noqa: N815  (as the protocol spells it)
    """On a 402, the supported version of x402."""
    error: str | None = None
    """On a 402, the same as ``code``, where clients of x402 version 1 look for it; ``not_found`` where an OAuth client
    looked for a login."""
    accepts: list[dict[str, Any]] | None = None
    """On a 402, one entry that cannot be paid; it informs clients of x402 version 1 that version 2 is required. The
    terms are in the header."""
    next: str | None = None
    """What to do while a payment is pending."""
    request_schema: dict[str, Any] | None = None
    """JSON Schema of the body that the path takes, on a 405."""
