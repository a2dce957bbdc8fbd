"""The table of the handshake, row by row; everything that is not a row is refused (specification, "States and transitions")."""

import itertools

import pytest

from citepress.payments.handshake import Answer, Event, ForbiddenTransitionError, Stage, Step, step

ROWS = {
    (Stage.NONE, Event.SELLABLE): (Stage.OPEN, Answer.TERMS),
    (Stage.OPEN, Event.OVER): (Stage.SWEPT, Answer.NOTHING),
    (Stage.OPEN, Event.CLAIM_WON): (Stage.CLAIMED, Answer.NOTHING),
    (Stage.CLAIMED, Event.REFUSED): (Stage.OPEN, Answer.REFUSAL),
    (Stage.CLAIMED, Event.UNREACHABLE): (Stage.OPEN, Answer.TRY_LATER),
    (Stage.CLAIMED, Event.NOT_FINAL): (Stage.OPEN, Answer.PENDING),
    (Stage.CLAIMED, Event.PROVEN): (Stage.SETTLED, Answer.RESULT),
    (Stage.CLAIMED, Event.GUARDED): (Stage.OPEN, Answer.PRIOR),
    (Stage.CLAIMED, Event.JOURNALED): (Stage.SENT, Answer.NOTHING),
    (Stage.SENT, Event.CLAIM_WON): (Stage.SENT, Answer.NOTHING),
    (Stage.SENT, Event.JOURNALED): (Stage.SENT, Answer.NOTHING),
    (Stage.SENT, Event.PAID): (Stage.SETTLED, Answer.RESULT),
    (Stage.SENT, Event.UNDECIDED): (Stage.SENT, Answer.PENDING),
    (Stage.SENT, Event.UNREACHABLE): (Stage.SENT, Answer.PENDING),
    (Stage.SENT, Event.IMPOSSIBLE): (Stage.FAILED, Answer.FAILED),
    (Stage.SENT, Event.OTHER_USE): (Stage.SENT, Answer.USED),
    (Stage.SETTLED, Event.SAME_AGAIN): (Stage.SETTLED, Answer.RESULT),
    (Stage.SETTLED, Event.OTHER_USE): (Stage.SETTLED, Answer.USED),
    (Stage.SETTLED, Event.OTHER_PAYMENT): (Stage.SETTLED, Answer.PAID_ALREADY),
    (Stage.FAILED, Event.SAME_AGAIN): (Stage.FAILED, Answer.FAILED),
    (Stage.FAILED, Event.OTHER_USE): (Stage.FAILED, Answer.USED),
}


@pytest.mark.parametrize(("stage", "event"), list(itertools.product(Stage, Event)))
def test_every_pair_is_a_row_or_is_refused(stage: Stage, event: Event) -> None:
    if row := ROWS.get((stage, event)):
        assert step(stage, event) == Step(*row)
    else:
        with pytest.raises(ForbiddenTransitionError):
            step(stage, event)


def test_a_result_leaves_only_where_a_payment_is_settled() -> None:
    assert all(row[0] is Stage.SETTLED for row in ROWS.values() if row[1] is Answer.RESULT)


def test_settled_and_failed_are_final() -> None:
    for (stage, _), (after, _) in ROWS.items():
        if stage in (Stage.SETTLED, Stage.FAILED, Stage.SWEPT):
            assert after is stage


def test_nothing_is_open_again_once_it_was_sent() -> None:
    assert {after for (stage, _), (after, _) in ROWS.items() if stage is Stage.SENT} == {Stage.SENT, Stage.SETTLED, Stage.FAILED}
