"""The table of the handshake, row by row; everything that is not a row is refused (specification, "States and transitions")."""

import itertools

import pytest

from citepress.payments.handshake import ForbiddenTransitionError, HandshakeAnswer, HandshakeEvent, Stage, Transition, step

ROWS = {
    (Stage.NONE, HandshakeEvent.SELLABLE): (Stage.OPEN, HandshakeAnswer.TERMS),
    (Stage.OPEN, HandshakeEvent.OVER): (Stage.SWEPT, HandshakeAnswer.NOTHING),
    (Stage.OPEN, HandshakeEvent.CLAIM_WON): (Stage.CLAIMED, HandshakeAnswer.NOTHING),
    (Stage.CLAIMED, HandshakeEvent.REFUSED): (Stage.OPEN, HandshakeAnswer.REFUSAL),
    (Stage.CLAIMED, HandshakeEvent.UNREACHABLE): (Stage.OPEN, HandshakeAnswer.TRY_LATER),
    (Stage.CLAIMED, HandshakeEvent.NOT_FINAL): (Stage.OPEN, HandshakeAnswer.PENDING),
    (Stage.CLAIMED, HandshakeEvent.PROVEN): (Stage.SETTLED, HandshakeAnswer.RESULT),
    (Stage.CLAIMED, HandshakeEvent.GUARDED): (Stage.OPEN, HandshakeAnswer.PRIOR),
    (Stage.CLAIMED, HandshakeEvent.JOURNALED): (Stage.SENT, HandshakeAnswer.NOTHING),
    (Stage.SENT, HandshakeEvent.CLAIM_WON): (Stage.SENT, HandshakeAnswer.NOTHING),
    (Stage.SENT, HandshakeEvent.JOURNALED): (Stage.SENT, HandshakeAnswer.NOTHING),
    (Stage.SENT, HandshakeEvent.PAID): (Stage.SETTLED, HandshakeAnswer.RESULT),
    (Stage.SENT, HandshakeEvent.UNDECIDED): (Stage.SENT, HandshakeAnswer.PENDING),
    (Stage.SENT, HandshakeEvent.UNREACHABLE): (Stage.SENT, HandshakeAnswer.PENDING),
    (Stage.SENT, HandshakeEvent.IMPOSSIBLE): (Stage.FAILED, HandshakeAnswer.FAILED),
    (Stage.SENT, HandshakeEvent.OTHER_USE): (Stage.SENT, HandshakeAnswer.USED),
    (Stage.SETTLED, HandshakeEvent.SAME_AGAIN): (Stage.SETTLED, HandshakeAnswer.RESULT),
    (Stage.SETTLED, HandshakeEvent.OTHER_USE): (Stage.SETTLED, HandshakeAnswer.USED),
    (Stage.SETTLED, HandshakeEvent.OTHER_PAYMENT): (Stage.SETTLED, HandshakeAnswer.PAID_ALREADY),
    (Stage.FAILED, HandshakeEvent.SAME_AGAIN): (Stage.FAILED, HandshakeAnswer.FAILED),
    (Stage.FAILED, HandshakeEvent.OTHER_USE): (Stage.FAILED, HandshakeAnswer.USED),
}


@pytest.mark.parametrize(("stage", "event"), list(itertools.product(Stage, HandshakeEvent)))
def test_every_pair_is_a_row_or_is_refused(stage: Stage, event: HandshakeEvent) -> None:
    if row := ROWS.get((stage, event)):
        assert step(stage, event) == Transition(*row)
    else:
        with pytest.raises(ForbiddenTransitionError):
            step(stage, event)


def test_a_result_leaves_only_where_a_payment_is_settled() -> None:
    assert all(row[0] is Stage.SETTLED for row in ROWS.values() if row[1] is HandshakeAnswer.RESULT)


def test_settled_and_failed_are_final() -> None:
    for (stage, _), (after, _) in ROWS.items():
        if stage in (Stage.SETTLED, Stage.FAILED, Stage.SWEPT):
            assert after is stage


def test_nothing_is_open_again_once_it_was_sent() -> None:
    assert {after for (stage, _), (after, _) in ROWS.items() if stage is Stage.SENT} == {Stage.SENT, Stage.SETTLED, Stage.FAILED}
