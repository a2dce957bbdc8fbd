"""Quotes of claims against the observations of their sources, and the warnings that follow."""

from collections.abc import Iterable, Iterator, Mapping

from citepress.base.quotation import quote_digest
from citepress.base.timestamps import day
from citepress.base.values import value_type
from citepress.content.source_record import SourceRecord
from citepress.content.validation_messages import dotted
from citepress.contract.fault import STALE_SOURCE, UNHELD_QUOTE, Fault
from citepress.contract.observation import Observation, QuoteCheck, QuoteObservation
from citepress.contract.record import RecordClaim, Source
from citepress.contract.refs import Location

RANKS = ("unverifiable", "not_found", "drifted", "verified")
"""The states of a quote, the better ones last: where a claim names several sources, the best one counts."""
UNHELD = frozenset({"drifted", "not_found"})
"""The states of a quote that does not hold."""
STALE = frozenset({"gone", "unreachable"})
"""States of a source in which its readers are left without it."""
ObservationsByUrl = Mapping[str, Observation]


@value_type
class ClaimQuote:
    """A quote of a claim, or an excerpt, as its author wrote it."""

    location: Location
    text: str
    refs: tuple[str, ...]
    """Published ids of the sources that it is said to be from."""


def quote_check(
    text: str, refs: Iterable[str], sources: Iterable[Source], observations: ObservationsByUrl
) -> QuoteCheck:
    """What the newest copies of its sources hold of a quote."""
    by_id = {source.id: source.normalized_url for source in sources}
    checks = [source_quote(text, ref, observations.get(by_id[ref])) for ref in refs if ref in by_id]
    return max(checks, key=merit, default=QuoteCheck(reason="no_source"))


def merit(check: QuoteCheck | QuoteObservation) -> tuple[int, int]:
    """By which the best of several checks is found: a better state, then a nearer passage."""
    return RANKS.index(check.state), check.likeness or 0


def source_quote(text: str, ref: str, observation: Observation | None) -> QuoteCheck:
    """What the newest copy of one source holds of a quote; ``ref`` is the id of the source in its record."""
    if observation is None or (result := observation.quotes.get(quote_digest(text))) is None:
        return QuoteCheck(source=ref, reason="never_checked")
    if result.state == "unverifiable":
        reason = observation.status if observation.captured_at is None else "no_text"
        return QuoteCheck(source=ref, reason=reason)
    return QuoteCheck(
        state=result.state, source=ref, likeness=result.likeness, checked_at=observation.captured_at, reason=None
    )


def with_checks(
    claims: Iterable[object], sources: Iterable[Source], observations: ObservationsByUrl
) -> list[RecordClaim | object]:
    """Claims with the check of each quote."""
    listed = list(sources)
    return [
        claim.model_copy(update={"quote_check": quote_check(claim.quote, claim.source_refs, listed, observations)})
        if isinstance(claim, RecordClaim) and claim.quote
        else claim
        for claim in claims
    ]


def evidence_faults(
    draft: SourceRecord, quotes: Iterable[ClaimQuote], sources: Iterable[Source], observations: ObservationsByUrl
) -> Iterator[Fault]:
    """Warnings about quotes that their sources no longer hold, and about sources that are gone."""
    if not observations:
        return
    listed = list(sources)
    for quote in quotes:
        check = quote_check(quote.text, quote.refs, listed, observations)
        if check.state in UNHELD and check.checked_at:
            words = "nearly these words" if check.state == "drifted" else "not these words"
            message = f"{dotted(quote.location)}: the copy of {check.source} of {day(check.checked_at)} holds {words}"
            yield Fault.at(UNHELD_QUOTE, draft.locate(quote.location), message, "correct the quote, or cite a copy")
    for place, source in enumerate(listed):
        observation = observations.get(source.normalized_url)
        if observation and observation.status in STALE and not source.archive_url:
            message = f"sources[{place}]: {source.normalized_url[:200]} was {observation.status} on"
            hint = "cite another source, or name a public copy as archive_url"
            yield Fault.at(
                STALE_SOURCE, draft.locate(("sources", place)), f"{message} {day(observation.checked_at)}", hint
            )
