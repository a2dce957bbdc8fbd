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


class Event(StrEnum):
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


class Answer(StrEnum):
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
class Step:
    """What an event leads to."""

    stage: Stage
    answer: Answer


class ForbiddenTransitionError(Exception):
    """An event that cannot happen in a stage; whoever meant it is mistaken, and nothing may be written."""


_TABLE = {
    (Stage.NONE, Event.SELLABLE): Step(Stage.OPEN, Answer.TERMS),
    (Stage.OPEN, Event.OVER): Step(Stage.SWEPT, Answer.NOTHING),
    (Stage.OPEN, Event.CLAIM_WON): Step(Stage.CLAIMED, Answer.NOTHING),
    (Stage.SENT, Event.CLAIM_WON): Step(Stage.SENT, Answer.NOTHING),
    (Stage.SENT, Event.OTHER_USE): Step(Stage.SENT, Answer.USED),
    (Stage.CLAIMED, Event.REFUSED): Step(Stage.OPEN, Answer.REFUSAL),
    (Stage.CLAIMED, Event.UNREACHABLE): Step(Stage.OPEN, Answer.TRY_LATER),
    (Stage.CLAIMED, Event.NOT_FINAL): Step(Stage.OPEN, Answer.PENDING),
    (Stage.CLAIMED, Event.PROVEN): Step(Stage.SETTLED, Answer.RESULT),
    (Stage.CLAIMED, Event.GUARDED): Step(Stage.OPEN, Answer.PRIOR),
    (Stage.CLAIMED, Event.JOURNALED): Step(Stage.SENT, Answer.NOTHING),
    (Stage.SENT, Event.JOURNALED): Step(Stage.SENT, Answer.NOTHING),
    (Stage.SENT, Event.PAID): Step(Stage.SETTLED, Answer.RESULT),
    (Stage.SENT, Event.UNDECIDED): Step(Stage.SENT, Answer.PENDING),
    (Stage.SENT, Event.UNREACHABLE): Step(Stage.SENT, Answer.PENDING),
    (Stage.SENT, Event.IMPOSSIBLE): Step(Stage.FAILED, Answer.FAILED),
    (Stage.SETTLED, Event.SAME_AGAIN): Step(Stage.SETTLED, Answer.RESULT),
    (Stage.SETTLED, Event.OTHER_USE): Step(Stage.SETTLED, Answer.USED),
    (Stage.SETTLED, Event.OTHER_PAYMENT): Step(Stage.SETTLED, Answer.PAID_ALREADY),
    (Stage.FAILED, Event.SAME_AGAIN): Step(Stage.FAILED, Answer.FAILED),
    (Stage.FAILED, Event.OTHER_USE): Step(Stage.FAILED, Answer.USED),
}


def step(stage: Stage, event: Event) -> Step:
    """What an event leads to. Raises ``ForbiddenTransitionError``."""
    found = _TABLE.get((stage, event))
    if found is None:
        raise ForbiddenTransitionError(f"{stage}: {event}")
    return found
