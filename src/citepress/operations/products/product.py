"""The declaration of a paid compute product, and what every result says of the archive that it was computed from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from citepress.contract.model import Model, Moment
from citepress.operations.context import OperationContext
from citepress.payments.rails import Lane

LIMIT_BYTES = 512 * 1024
"""A result is never larger."""
USD = "0.05"
FRESHNESS = (
    "Each source of a record is dated by the newest day on which it was published or read for the record, from the record's publication to its "
    "last change; the evidence of the record by the lower median of these days. A bare edit or one new source among many dates nothing."
)
"""How old a record counts, wherever freshness is told."""


@dataclass(frozen=True, slots=True)
class InsufficientEvidence:
    """Too little to sell: answered with 422 ``insufficient_evidence``, never with terms."""

    detail: str
    """What is lacking, in a sentence."""
    evidence_found: int
    """How much there is of what a result stands on."""
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
    """``prepare(ask, world, asked_at) -> bytes | Thin``: the result as JSON, of at most ``LIMIT_BYTES``. It reads no clock and draws no lots: the same
    edition, request and day give the same bytes. ``asked_at`` is the moment of the request; the result is stored with its quote and never made again."""
    notes: Callable[..., tuple[str, ...]] = lambda _ask, _world: ()
    """``notes(ask, world)``: what a buyer should know before paying for a request that is sold; sentences."""
    method: tuple[str, ...] = ()
    """How the result is made, for whoever wants to know before paying; sentences."""
    reveals: str = ""
    """What the free preflight gives away of the result; a sentence."""
    usd: str = USD
    """The price in US dollars, in decimal notation."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """A body as guides show it."""
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


def mark(world: OperationContext) -> ArchiveMark:
    """What a result says of the archive behind it."""
    told = world.facts
    return ArchiveMark(title=told["title"], url=world.url("/"), license=told["license"], edition=world.edition.digest, as_of=world.as_of)
