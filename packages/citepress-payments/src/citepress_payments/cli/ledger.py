"""``citepress payments ledger``: payments and quotes as the books have them; it only reads."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from citepress.base import fast_json
from citepress.cli.console import complain, say, unlogged, write
from citepress.cli.json_output import write_json
from citepress.settings import from_environment
from citepress_payments.admin import PaymentAdmin, open_payment_admin
from citepress_payments.cli.bookkeeping import as_csv, second_of
from citepress_payments.cli.options import MAX_LEDGER_ROWS, Content, Json, State, moment
from citepress_payments.fees import dollars
from citepress_payments.ports.rows import MISSING as UNDONE
from citepress_payments.ports.rows import Payment, PaymentEvent, Quote
from citepress_payments.ports.rows import State as Stage

KeyOption = Annotated[str, Parameter(help="Key of one payment, to show all that was sent for it.")]
QuoteId = Annotated[str, Parameter(help="Id of one quote, to show it with its payment.")]
MissingOption = Annotated[bool, Parameter(help="Only sales whose transfer a reorganisation undid for good.")]
Since = Annotated[date | None, Parameter(help="Only payments from this day on (UTC), such as 2026-11-01.")]
Csv = Annotated[bool, Parameter(help="CSV for bookkeeping, with the value and cost of each payment.")]
ALL = 10_000_000
"""Rows of an export."""
Open = Annotated[bool, Parameter(name="--open", help="Only undecided payments.")]


def ledger(  # noqa: PLR0913  (each is an option)
    content: Content = Path(),
    *,
    key: KeyOption = "",
    quote: QuoteId = "",
    open_: Open = False,
    missing: MissingOption = False,
    since: Since = None,
    csv: Csv = False,
    state: State = None,
    json: Json = False,
) -> int:
    """Show payments, newest first, or one payment or quote with its history."""
    if sum((bool(key), bool(quote), open_, missing)) > 1:
        complain("choose one of --key, --quote, --open and --missing")
        return 2
    with unlogged(), open_payment_admin(from_environment(content, state=state)) as stores:
        if key:
            return _show_payment(stores, key, json=json)
        if quote:
            return _quoted(stores, quote, json=json)
        states, most = [Stage.CLAIMED, Stage.SENT] if open_ else [], ALL if csv else MAX_LEDGER_ROWS
        payments = stores.ledger.payments(
            states=states, finality=UNDONE if missing else "", since=second_of(since), most=most
        )
        if csv:
            write(as_csv(payments))
            return 0
        if json:
            write_json([_payment(payment) for payment in payments])
            return 0
        for payment in payments:
            say(_line(payment))
        if not payments:
            say("No payments yet." if not (open_ or missing or since) else "No payment is like this.")
        if len(payments) == MAX_LEDGER_ROWS:
            say(f"Only the newest {MAX_LEDGER_ROWS} are shown.")
    return 0


def _show_payment(stores: PaymentAdmin, key: str, *, json: bool) -> int:
    """A payment with its broadcasts and its history."""
    payment = stores.ledger.payment(key)
    if payment is None:
        complain(f"no payment has the key {key!r}; `citepress payments ledger` lists them")
        return 1
    sent = [
        {"seq": s.seq, "kind": s.kind, "tx": s.tx, "signer": s.signer, "nonce": s.nonce, "at": moment(s.created_at)}
        for s in stores.ledger.sent(key)
    ]
    _tell(_payment(payment), {"sent": sent, "history": [*map(_event, stores.ledger.events(key=key))]}, json=json)
    return 0


def _quoted(stores: PaymentAdmin, id_: str, *, json: bool) -> int:
    """A quote with its payments and its history, which outlives it."""
    quote, events = stores.ledger.quote(id_), [*map(_event, stores.ledger.events(quote_id=id_))]
    if quote is None and not events:
        complain(f"no quote has the id {id_!r}")
        return 1
    _tell(_terms(quote) if quote else {"id": id_, "state": "swept"}, {"history": events}, json=json)
    return 0


def _terms(quote: Quote) -> dict[str, Any]:
    return {
        "id": quote.id,
        "product": quote.product,
        "lane": quote.lane,
        "usd": dollars(quote.usd_micros),
        "price": quote.price,
        "rails": ", ".join(f"{entry['extra']['rail']} {entry['amount']}" for entry in quote.entries),
        "body_sha256": quote.body_sha256,
        "result_sha256": quote.result_sha256,
        "created_at": moment(quote.created_at),
        "expires_at": moment(quote.expires_at),
        "paid_by": quote.paid_by,
    }


def _payment(payment: Payment) -> dict[str, Any]:
    """A payment without its proof and without its quote's id, which are the buyer's."""
    response = fast_json.loads(payment.response) if payment.response else {}
    return {
        "key": payment.key,
        "state": str(payment.state),
        "reason": payment.reason,
        "rail": payment.rail,
        "payer": payment.payer,
        "product": payment.product,
        "body_sha256": payment.body_sha256,
        "result_sha256": payment.result_sha256,
        "transaction": response.get("transaction", ""),
        "amount": response.get("amount", ""),
        "usd": dollars(payment.usd_micros),
        "fee": payment.fee or None,
        "fee_reason": payment.fee_reason,
        "finality": payment.finality,
        "created_at": moment(payment.created_at),
        "updated_at": moment(payment.updated_at),
    }


def _event(event: PaymentEvent) -> dict[str, Any]:
    return {
        **{name: value for name, value in asdict(event).items() if name not in {"key", "at"}},
        "at": moment(event.at),
    }


def _tell(facts: Mapping[str, Any], lists: Mapping[str, list[dict[str, Any]]], *, json: bool) -> None:
    """What is known of one payment or quote, with what was sent for it and its history."""
    if json:
        write_json({**facts, **lists})
        return
    for name, value in facts.items():
        if value:
            say(f"{name:<14} {value}")
    for row in lists.get("sent", ()):
        say(f"{'sent':<14} {row['at']} {row['kind']} {row['tx'] or '(by a facilitator)'}")
    for event in lists["history"]:
        details = [event[name] for name in ("change", "reason", "tx") if event[name]]
        say(f"  {event['at']}  {' · '.join(details)}")


def _line(payment: Payment) -> str:
    return (
        f"{moment(payment.created_at)}  {payment.state:<8} {payment.rail:<16} {payment.product:<20}"
        f" {payment.payer or '-':<42} {payment.key}{'  ' + payment.reason if payment.reason else ''}"
    )
