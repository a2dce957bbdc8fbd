"""The states of a sale as a table: what each event leads to, and what the buyer is answered, over a real ledger.

Specification, "States and transitions".
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citepress_payments.outcomes import (
    Outcome,
    PendingAnswer,
    PurchaseResult,
    RefusedAnswer,
    Terms,
    Unavailable,
)
from citepress_payments.ports.chain import CannotSucceed, DuplicatePayment, PaymentRefused, Pending, Unreachable
from support.buyers import SECOND, SECOND_KEY, USDC, give, sign_transfer
from support.payment_service import PaymentHarness, Unlimited, brief_payment_harness, driver_of, header, paid

OPEN, SENT, SETTLED, FAILED = "open", "sent", "settled", "failed"
OTHER_BODY = b'{"query":"other memory"}'


@dataclass
class Sale:
    """One quote and one payment for it; a test decides what the chain answers."""

    harness: PaymentHarness
    patch: pytest.MonkeyPatch
    terms: Terms = field(init=False)
    payload: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.terms = self.harness.terms()
        self.payload = sign_transfer(self.terms.quote.entries[0], now=self.harness.watch.now)

    def bring_to(self, stage: str) -> None:
        """Bring the sale to a stage."""
        if stage == SENT:
            self.pay(reconcile=Pending())
        elif stage == FAILED:
            self.pay(reconcile=CannotSucceed("authorization_cancelled"))
        elif stage == SETTLED:
            self.pay()

    def pay(self, **answers: object) -> Outcome:
        """Send the payment, while the driver's methods answer or raise this."""
        with self.patch.context() as patch:
            for method, answer in answers.items():
                patch.setattr(driver_of(self.harness), method, _answering(answer))
            return self.harness.signed(header(self.terms.quote.entries[0], self.payload))

    def pay_another_quote(self) -> Outcome:
        """Show the same payment for a quote of the same product and another body."""
        order = self.harness.order(OTHER_BODY)
        return self.harness.signed(header(self.harness.terms(order).quote.entries[0], self.payload), order)

    def pay_by_another(self) -> Outcome:
        """Another buyer pays the same quote."""
        give(self.harness.chain, USDC, SECOND, 100_000)
        return self.harness.signed(paid(self.terms, self.harness.watch, key=SECOND_KEY))

    def pay_again_with_another_nonce(self) -> Outcome:
        """The same buyer pays the same quote once more."""
        return self.harness.signed(paid(self.terms, self.harness.watch))

    def guarded(self) -> Outcome:
        """The journal finds an earlier payment of the same payer for the same body."""
        earlier = self.harness.terms()
        assert isinstance(self.harness.signed(paid(earlier, self.harness.watch)), PurchaseResult)
        (row,) = self.harness.paying.ledger.payments()
        return self.pay(check=None, send=DuplicatePayment(row))

    def stage(self) -> str:
        """The stage of the sale, as the ledger has it."""
        rows = [row for row in self.harness.paying.ledger.payments() if row.quote_id == self.terms.quote.id]
        return str(rows[0].state) if rows else OPEN


def _answering(answer: object) -> Callable[..., object]:
    def method(*_: object) -> object:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return method


@pytest.fixture
def sale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sale]:
    harness = brief_payment_harness(tmp_path, counters=Unlimited())
    yield Sale(harness, monkeypatch)
    harness.close()


REFUSED = PaymentRefused("insufficient_funds")
TABLE: dict[str, tuple[str, Callable[[Sale], Outcome], type[Outcome], str, str]] = {
    "verified and refused": (OPEN, lambda sale: sale.pay(verify=REFUSED), RefusedAnswer, "insufficient_funds", OPEN),
    "nobody can tell": (OPEN, lambda sale: sale.pay(verify=Unreachable("")), Unavailable, "rail_unavailable", OPEN),
    "not final yet": (OPEN, lambda sale: sale.pay(verify=Pending("0x1")), PendingAnswer, "", OPEN),
    "guarded": (OPEN, Sale.guarded, PurchaseResult, "", OPEN),
    "paid": (OPEN, Sale.pay, PurchaseResult, "", SETTLED),
    "sent, not decided": (OPEN, lambda sale: sale.pay(reconcile=Pending()), PendingAnswer, "", SENT),
    "sent, chain away": (OPEN, lambda sale: sale.pay(reconcile=Unreachable("")), PendingAnswer, "", SENT),
    "impossible": (OPEN, lambda sale: sale.pay(reconcile=CannotSucceed("x")), RefusedAnswer, "payment_failed", FAILED),
    "sent, still not decided": (SENT, lambda sale: sale.pay(reconcile=Pending()), PendingAnswer, "", SENT),
    "sent, then paid": (SENT, Sale.pay, PurchaseResult, "", SETTLED),
    "sent, then impossible": (
        SENT,
        lambda sale: sale.pay(reconcile=CannotSucceed("x")),
        RefusedAnswer,
        "payment_failed",
        FAILED,
    ),
    "sent, other quote": (SENT, Sale.pay_another_quote, RefusedAnswer, "payment_already_used", SENT),
    "sent, other payer": (SENT, Sale.pay_by_another, Unavailable, "payment_in_progress", SENT),
    "settled, same again": (SETTLED, Sale.pay, PurchaseResult, "", SETTLED),
    "settled, chain away": (SETTLED, lambda sale: sale.pay(verify=Unreachable("")), PurchaseResult, "", SETTLED),
    "settled, other quote": (SETTLED, Sale.pay_another_quote, RefusedAnswer, "payment_already_used", SETTLED),
    "settled, other payer": (SETTLED, Sale.pay_by_another, RefusedAnswer, "quote_already_paid", SETTLED),
    "settled, same payer": (SETTLED, Sale.pay_again_with_another_nonce, PurchaseResult, "", SETTLED),
    "failed, same again": (FAILED, Sale.pay, RefusedAnswer, "payment_failed", FAILED),
    "failed, other quote": (FAILED, Sale.pay_another_quote, RefusedAnswer, "payment_already_used", FAILED),
}
"""Stage before, event, the answer with its code, and the stage after."""


@pytest.mark.parametrize("row", TABLE)
def test_an_event_leads_to_its_answer_and_its_stage(sale: Sale, row: str) -> None:
    before, event, answer, code, after = TABLE[row]
    sale.bring_to(before)
    assert sale.stage() == before
    outcome = event(sale)
    assert isinstance(outcome, answer), outcome
    assert getattr(outcome, "code", "") == code
    assert sale.stage() == after


def test_results_leave_only_from_settled_payments() -> None:
    """A guarded payment gets the result of the earlier one, which is settled."""
    served = [row for row, (_, _, answer, _, after) in TABLE.items() if answer is PurchaseResult and after != SETTLED]
    assert served == ["guarded"]


def test_nothing_is_open_again_once_it_was_sent() -> None:
    for before, _, _, _, after in TABLE.values():
        assert before == OPEN or after != OPEN
        assert before not in {SETTLED, FAILED} or after == before
