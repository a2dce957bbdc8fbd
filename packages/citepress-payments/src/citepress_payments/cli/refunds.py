"""``citepress payments refunds``: transfers that came and bought nothing; it only reads, and returns nobody's money."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from citepress.cli.console import say, unlogged
from citepress.cli.json_output import write_json
from citepress.settings import from_environment
from citepress_payments.admin import open_payment_admin
from citepress_payments.cli.options import MAX_LEDGER_ROWS, Content, Json, State, moment
from citepress_payments.ports.rows import PaymentEvent
from citepress_payments.settlement import UNMATCHED


def refunds(content: Content = Path(), *, state: State = None, json: Json = False) -> int:
    """List native transfers that were shown to the service and bought nothing.

    They came too late, were of another amount, or were for a quote that was already paid. You may want to return them;
    the service does not. Transfers that nobody has shown to the service are not listed.
    """
    with unlogged(), open_payment_admin(from_environment(content, state=state)) as stores:
        events = stores.ledger.events(change=UNMATCHED, most=MAX_LEDGER_ROWS)
    if json:
        write_json([_event(event) for event in events])
        return 0
    for event in events:
        say(f"{moment(event.at)}  {event.rail:<16} {event.reason}  {event.tx}")
    say(f"{len(events)} transfers bought nothing.")
    return 0


def _event(event: PaymentEvent) -> dict[str, Any]:
    members = {name: value for name, value in asdict(event).items() if name in {"rail", "reason", "tx"}}
    return {"at": moment(event.at), **members}
