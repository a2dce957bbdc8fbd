"""The declaration of a paid compute product, and the archive details that every result includes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from citepress.contract.model import Model, Moment
from citepress.operations.context import OperationContext
from citepress_payments.rails import Lane

LIMIT_BYTES = 512 * 1024
"""A result is never larger."""
USD = "0.05"
FRESHNESS = (
    "Each source of a record is dated by the newest day on which it was published or read for the record, from the"
    " record's publication to its last change; the evidence of the record by the lower median of these days. A bare"
    " edit or one new source among many dates nothing."
)
"""How the age of a record is computed; guides and results quote it."""


@dataclass(frozen=True, slots=True)
class InsufficientEvidence:
    """Too little to sell: answered with 422 ``insufficient_evidence``, never with terms."""

    detail: str
    """What is missing, in a sentence."""
    evidence_found: int
    """How much of the evidence that a result needs was found."""
    minimum: int
    """How much a result needs."""


@dataclass(frozen=True, slots=True)
class Product:
    """A paid compute product."""

    id: str
    """Its name, and the last segment of its path."""
    title: str
    description: str
    """What a buyer gets; at most 300 characters."""
    ask: type[Model]
    """The body of a request."""
    result: type[Model]
    prepare: Callable[..., bytes | InsufficientEvidence]
    """``prepare(ask, context, asked_at) -> bytes | InsufficientEvidence``: the result as JSON, of at most
    ``LIMIT_BYTES``. It must be deterministic, without a clock or randomness: the same edition, request and day give
    the same bytes. ``asked_at`` is the moment of the request; the result is stored with its quote and never
    recomputed."""
    notes: Callable[..., tuple[str, ...]] = lambda _ask, _context: ()
    """``notes(ask, context)``: what a buyer should know before paying for a request that is sold; sentences."""
    method: tuple[str, ...] = ()
    """How the result is computed, for buyers to read before paying; sentences."""
    reveals: str = ""
    """What the free preflight reveals about the result; a sentence."""
    usd: str = USD
    """The price in US dollars, in decimal notation."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """An example of a request body, shown in guides."""
    lanes: tuple[Lane, ...] = (Lane.FIXED,)
    """Ways to buy it."""


class ArchiveMark(Model):
    """The archive that a result was computed from."""

    title: str
    """Its name."""
    url: str
    """Its address."""
    license: str
    """The licence of its texts."""
    edition: str
    """Digest of the edition that was read: the same edition, request and day give the same result."""
    as_of: Moment
    """The newest record date."""


def mark(context: OperationContext) -> ArchiveMark:
    """The archive details of a result."""
    site = context.config.publication
    return ArchiveMark(
        title=site.title,
        url=context.url("/"),
        license=site.license,
        edition=context.edition.digest,
        as_of=context.as_of,
    )
