"""The handshake of a sale as one pure function: every state, every event, and what each leads to; every other transition is refused.

The specification's steps are rows of this table: preflight, payment required, settled, replay. ``till`` and ``recover`` ask it before they write.
"""

from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    """Where a quote and its payment stand."""

    NONE = "none"
    """No quote."""
    OPEN = "open"
    """A quote, and no payment that counts."""
    SWEPT = "swept"
    """The quote is gone."""
    CLAIMED = "claimed"
    """A payment that one process works on; nothing has left us."""
    SENT = "sent"
    """A payment whose broadcast is journaled; money may move."""
    SETTLED = "settled"
    FAILED = "failed"


class HandshakeEvent(StrEnum):
    """What can happen."""

    SELLABLE = "a sellable request came without a payment"
    OVER = "the time of the quote is over"
    CLAIM_WON = "a payment claimed the quote, or a lapsed lease was taken over"
    REFUSED = "the payment was verified and refused"
    UNREACHABLE = "nobody could say whether it is good"
    NOT_FINAL = "the transfer is not final"
    PROVEN = "the transfer is final and exact"
    GUARDED = "the payer pays for the same body already, or has paid"
    JOURNALED = "a broadcast was journaled"
    PAID = "the exact transfer stands"
    UNDECIDED = "the chain has not decided"
    IMPOSSIBLE = "it cannot succeed any more"
    SAME_AGAIN = "the same payment came with the same body"
    OTHER_USE = "the same payment came with another body or quote"
    OTHER_PAYMENT = "another payment came for the same quote"


class HandshakeAnswer(StrEnum):
    """What the buyer is told."""

    NOTHING = "nothing yet"
    TERMS = "402 with terms"
    RESULT = "200 with the stored result"
    REFUSAL = "402 with the reason and the same quote"
    TRY_LATER = "503"
    PENDING = "402, pending, with the same quote"
    PRIOR = "200 with the stored result, or 402 pending, of the earlier payment"
    FAILED = "402 with terms and what failed"
    USED = "402 payment_already_used with terms for that body"
    PAID_ALREADY = "200 for the same payer, 402 quote_already_paid for another"


@dataclass(frozen=True, slots=True)
class Transition:
    """What an event leads to."""

    stage: Stage
    answer: HandshakeAnswer


class ForbiddenTransitionError(Exception):
    """An event that cannot happen in a stage; whoever meant it is mistaken, and nothing may be written."""


_TABLE = {
    (Stage.NONE, HandshakeEvent.SELLABLE): Transition(Stage.OPEN, HandshakeAnswer.TERMS),
    (Stage.OPEN, HandshakeEvent.OVER): Transition(Stage.SWEPT, HandshakeAnswer.NOTHING),
    (Stage.OPEN, HandshakeEvent.CLAIM_WON): Transition(Stage.CLAIMED, HandshakeAnswer.NOTHING),
    (Stage.SENT, HandshakeEvent.CLAIM_WON): Transition(Stage.SENT, HandshakeAnswer.NOTHING),
    (Stage.SENT, HandshakeEvent.OTHER_USE): Transition(Stage.SENT, HandshakeAnswer.USED),
    (Stage.CLAIMED, HandshakeEvent.REFUSED): Transition(Stage.OPEN, HandshakeAnswer.REFUSAL),
    (Stage.CLAIMED, HandshakeEvent.UNREACHABLE): Transition(Stage.OPEN, HandshakeAnswer.TRY_LATER),
    (Stage.CLAIMED, HandshakeEvent.NOT_FINAL): Transition(Stage.OPEN, HandshakeAnswer.PENDING),
    (Stage.CLAIMED, HandshakeEvent.PROVEN): Transition(Stage.SETTLED, HandshakeAnswer.RESULT),
    (Stage.CLAIMED, HandshakeEvent.GUARDED): Transition(Stage.OPEN, HandshakeAnswer.PRIOR),
    (Stage.CLAIMED, HandshakeEvent.JOURNALED): Transition(Stage.SENT, HandshakeAnswer.NOTHING),
    (Stage.SENT, HandshakeEvent.JOURNALED): Transition(Stage.SENT, HandshakeAnswer.NOTHING),
    (Stage.SENT, HandshakeEvent.PAID): Transition(Stage.SETTLED, HandshakeAnswer.RESULT),
    (Stage.SENT, HandshakeEvent.UNDECIDED): Transition(Stage.SENT, HandshakeAnswer.PENDING),
    (Stage.SENT, HandshakeEvent.UNREACHABLE): Transition(Stage.SENT, HandshakeAnswer.PENDING),
    (Stage.SENT, HandshakeEvent.IMPOSSIBLE): Transition(Stage.FAILED, HandshakeAnswer.FAILED),
    (Stage.SETTLED, HandshakeEvent.SAME_AGAIN): Transition(Stage.SETTLED, HandshakeAnswer.RESULT),
    (Stage.SETTLED, HandshakeEvent.OTHER_USE): Transition(Stage.SETTLED, HandshakeAnswer.USED),
    (Stage.SETTLED, HandshakeEvent.OTHER_PAYMENT): Transition(Stage.SETTLED, HandshakeAnswer.PAID_ALREADY),
    (Stage.FAILED, HandshakeEvent.SAME_AGAIN): Transition(Stage.FAILED, HandshakeAnswer.FAILED),
    (Stage.FAILED, HandshakeEvent.OTHER_USE): Transition(Stage.FAILED, HandshakeAnswer.USED),
}


def step(stage: Stage, event: HandshakeEvent) -> Transition:
    """What an event leads to. Raises ``ForbiddenTransitionError``."""
    found = _TABLE.get((stage, event))
    if found is None:
        raise ForbiddenTransitionError(f"{stage}: {event}")
    return found
